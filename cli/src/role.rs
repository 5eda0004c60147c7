//! `multiloop role`: makes a role in a file of roles, before a server reads it; a server that runs is asked by SQL.

use anyhow::{Context as _, Result, bail};
use clap::Args;
use multiloop::Roles;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;

/// Makes a role that may enter, or changes its password, which is read from standard input.
#[derive(Args, Debug)]
pub(crate) struct RoleArguments {
    /// File of roles; one that is not there is made
    file: PathBuf,
    /// The role
    name: String,
    /// Let it do all, and make other roles
    #[arg(long)]
    superuser: bool,
}

/// Makes or changes the role.
pub(crate) fn role(arguments: &RoleArguments) -> Result<()> {
    let input = std::io::stdin();
    if input.is_terminal() {
        eprint!("password of {} (it is shown): ", arguments.name);
        std::io::stderr().flush()?;
    }
    let mut line = String::new();
    input.lock().read_line(&mut line).context("reading the password")?;
    set(arguments, line.trim_end_matches(['\r', '\n']))
}

fn set(arguments: &RoleArguments, password: &str) -> Result<()> {
    if password.is_empty() {
        bail!("a password cannot be empty");
    }
    Ok(Roles::open(&arguments.file)?.set_password(&arguments.name, password, arguments.superuser)?)
}

#[cfg(test)]
mod tests {
    use super::{RoleArguments, set};
    use multiloop::Roles;

    #[test]
    fn the_first_role_of_a_file() {
        let file = std::env::temp_dir().join(format!("multiloop-role-{}", std::process::id()));
        let _ = std::fs::remove_file(&file);
        let mut arguments = RoleArguments { file, name: "root".to_owned(), superuser: true };
        assert!(set(&arguments, "").is_err());
        set(&arguments, "secret").expect("the file can be written");
        arguments.superuser = false;
        set(&arguments, "other").expect("the file can be written");
        let roles = Roles::open(&arguments.file).expect("it is a file of roles");
        std::fs::remove_file(&arguments.file).expect("a file can be removed");
        assert!(roles.has_superuser() && roles.may_enter("root"));
    }
}
