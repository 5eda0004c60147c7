//! Errors as people read them: the message, the line with a caret under the position, details, the hint.

use multiloop::{Error, ErrorKind};
use multiloop_server::CopyFault;
use std::fmt::Write;

/// What went wrong with a statement.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) sqlstate: String,
    pub(crate) message: String,
    /// All that there is to say.
    pub(crate) text: String,
    /// Somebody has stopped it.
    pub(crate) is_cancelled: bool,
}

impl Trouble {
    /// That of a statement.
    pub(crate) fn of(error: &Error, script: &str) -> Self {
        Trouble {
            sqlstate: error.sqlstate().to_owned(),
            message: error.message().to_owned(),
            text: text(error, script),
            is_cancelled: error.kind() == ErrorKind::Cancelled,
        }
    }

    /// That of the data of a COPY.
    pub(crate) fn of_copy(fault: &CopyFault) -> Self {
        let mut text = format!("ERROR {}: {}\n", fault.sqlstate, fault.message);
        append_more(&mut text, fault.detail.as_deref(), fault.hint.as_deref());
        let is_cancelled = fault.sqlstate == ErrorKind::Cancelled.sqlstate();
        Trouble { sqlstate: fault.sqlstate.to_owned(), message: fault.message.clone(), text, is_cancelled }
    }
}

/// The text of an error in a script.
pub(crate) fn text(error: &Error, script: &str) -> String {
    let mut text = format!("ERROR {}: {}\n", error.sqlstate(), error.message());
    if let Some(position) = error.position() {
        point(&mut text, script, position.0 as usize);
    }
    append_more(&mut text, error.detail(), error.hint());
    text
}

fn append_more(text: &mut String, detail: Option<&str>, hint: Option<&str>) {
    if let Some(detail) = detail {
        let _ = writeln!(text, "DETAIL: {detail}");
    }
    if let Some(hint) = hint {
        let _ = writeln!(text, "HINT: {hint}");
    }
}

fn point(text: &mut String, script: &str, position: usize) {
    // A position inside a character or behind the end would be a bug elsewhere; it must not become a panic here.
    let mut position = position.min(script.len());
    while !script.is_char_boundary(position) {
        position -= 1;
    }
    let start = script[..position].rfind('\n').map_or(0, |newline| newline + 1);
    let end = script[position..].find('\n').map_or(script.len(), |newline| position + newline);
    let number = script[..start].matches('\n').count() + 1;
    let label = format!("LINE {number}: ");
    // A tab stays a tab under a tab, so that the caret stands where the eye looks.
    let pad: String = script[start..position].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let _ = writeln!(text, "{label}{}", &script[start..end]);
    let _ = writeln!(text, "{}{pad}^", " ".repeat(label.len()));
}

#[cfg(test)]
mod tests {
    use multiloop::Engine;

    #[test]
    fn the_caret_stands_under_the_name() {
        let session = Engine::new().expect("an engine starts").session();
        let script = "SELECT 1;\nSELECT ä, nope";
        let error = session.sql(script).expect_err("there is no such column");
        let text = super::text(&error, script);
        assert!(text.contains("LINE 2: SELECT ä, nope\n               ^\n"), "{text}");
    }
}
