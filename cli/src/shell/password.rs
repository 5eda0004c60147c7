//! `\password`: a new password, which nobody sees being typed.

use super::{Shell, send};
use crate::quote;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::process::Command;

/// A terminal that does not show what is typed, for as long as this lives.
struct Silence;

impl Silence {
    fn begin() -> Option<Silence> {
        let is_done = io::stdin().is_terminal() && stty("-echo");
        is_done.then(|| Silence)
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        stty("echo");
        // The end of the line was not shown, either.
        say!();
    }
}

fn stty(option: &str) -> bool {
    Command::new("stty").arg(option).status().is_ok_and(|status| status.success())
}

/// A line of standard input, without its end.
fn asked(prompt: &str) -> Result<String, String> {
    let _ = io::stdout().write_all(prompt.as_bytes()).and_then(|()| io::stdout().flush());
    let silence = Silence::begin();
    if silence.is_none() && io::stdin().is_terminal() {
        return Err("\\password: the terminal shows what is typed".to_owned());
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| format!("\\password: {error}"))?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

impl Shell<'_> {
    /// Changes the password of a role, or of who is here.
    pub(super) fn password(&mut self, role: Option<&str>) -> Result<(), String> {
        let told = |error: multiloop::Error| error.message().to_owned();
        let role = match role {
            Some(role) => role.to_owned(),
            None => {
                let asked = self.session.sql("SELECT current_user").and_then(send::first_text).map_err(told)?;
                asked.unwrap_or_default()
            }
        };
        let first = asked(&format!("Enter new password for user \"{role}\": "))?;
        let second = asked("Enter it again: ")?;
        if first != second {
            return Err("Passwords didn't match.".to_owned());
        }
        let sql = format!("ALTER ROLE {} PASSWORD {}", quote::name(&role), quote::text(&first));
        self.session.sql(&sql).map(drop).map_err(told)
    }
}
