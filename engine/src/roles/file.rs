//! The file that roles are kept in: one a line, its name, what it is checked by, and words for what it may do. It is for its
//! owner's eyes, and written in one step: a reader finds what was before or what is after.
//!
//! ```text
//! # Roles of Multiloop
//! reader SCRAM-SHA-256$4096:…$…:… login pg_read_all_data
//! "Group one" - pg_read_all_data pg_write_all_data
//! ```

use super::Role;
use crate::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const HEAD: &str = "# Roles of Multiloop: a name, what its password is checked by (- is none), what it may do.\n\
    # CREATE ROLE, ALTER ROLE, DROP ROLE, GRANT and REVOKE write this file; a server reads it when it starts.\n";

/// The roles of a file; none of one that is not there.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, Role>> {
    match fs::read_to_string(path) {
        Ok(text) => parse(&text).map_err(|error| error.context(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(failed("read", path, &error)),
    }
}

/// A line that is none, and its number from 1.
struct Wrong {
    line: usize,
    why: String,
}

impl Wrong {
    fn context(self, path: &Path) -> Error {
        let message = format!("{}, line {}: {}", path.display(), self.line, self.why);
        Error::new(ErrorKind::DataCorrupted, message)
    }
}

fn parse(text: &str) -> std::result::Result<BTreeMap<String, Role>, Wrong> {
    let mut roles = BTreeMap::new();
    for (line, content) in text.lines().enumerate() {
        let content = content.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let wrong = |why: String| Wrong { line: line + 1, why };
        let mut words = words(content).ok_or_else(|| wrong("a quote is not closed".to_owned()))?.into_iter();
        let (name, _) = words.next().ok_or_else(|| wrong("there is no name".to_owned()))?;
        let mut role = Role::default();
        match words.next().as_ref().map(|(word, _)| word.as_str()) {
            None => return Err(wrong("behind the name stands what the password is checked by, or -".to_owned())),
            Some("-") => {}
            Some(verifier) => {
                role.verifier = Some(verifier.parse().map_err(|error: Error| wrong(error.message().to_owned()))?);
            }
        }
        for word in words {
            match (word.0.as_str(), word.1) {
                ("login", false) => role.login = true,
                ("superuser", false) => role.superuser = true,
                (group, _) => drop(role.groups.insert(group.to_owned())),
            }
        }
        if roles.insert(name.clone(), role).is_some() {
            return Err(wrong(format!("a second role \"{name}\"")));
        }
    }
    Ok(roles)
}

/// Words between blanks, and whether they are quoted; what is may have blanks, and two quotes for one.
fn words(line: &str) -> Option<Vec<(String, bool)>> {
    let (mut words, mut characters) = (Vec::new(), line.chars().peekable());
    while let Some(&first) = characters.peek() {
        if first.is_whitespace() {
            characters.next();
            continue;
        }
        let mut word = String::new();
        if first == '"' {
            characters.next();
            loop {
                match characters.next()? {
                    '"' if characters.peek() == Some(&'"') => word.extend(characters.next()),
                    '"' => break,
                    other => word.push(other),
                }
            }
        } else {
            while let Some(character) = characters.next_if(|character| !character.is_whitespace()) {
                word.push(character);
            }
        }
        words.push((word, first == '"'));
    }
    Some(words)
}

fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_word = matches!(name, "login" | "superuser") || name.is_empty();
    if !is_word && name.chars().all(is_plain) { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

fn text(roles: &BTreeMap<String, Role>) -> String {
    let line = |(name, role): (&String, &Role)| {
        let verifier = role.verifier.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        let mut line = format!("{} {verifier}", quoted(name));
        for (word, is_there) in [("login", role.login), ("superuser", role.superuser)] {
            if is_there {
                line.push(' ');
                line.push_str(word);
            }
        }
        role.groups.iter().for_each(|group| {
            line.push(' ');
            line.push_str(&quoted(group));
        });
        line + "\n"
    };
    HEAD.to_owned() + &roles.iter().map(line).collect::<String>()
}

/// Writes the roles: beside the file first, then in its place.
pub(super) fn write(path: &Path, roles: &BTreeMap<String, Role>) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let written = || {
        // One that a crash left behind may be anybody's to read.
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&beside)?;
        file.write_all(text(roles).as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    written().map_err(|error| failed("write", path, &error))
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot {what} the roles in {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{parse, text};
    use crate::roles::{Role, Verifier};
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn what_is_written_is_read() {
        let groups: BTreeSet<String> = ["login", "Group \"one\"", "pg_read_all_data"].map(str::to_owned).into();
        let verifier = Some(Verifier::of_password("x").expect("there is randomness"));
        let roles = BTreeMap::from([
            ("superuser".to_owned(), Role { verifier, login: true, superuser: true, ..Role::default() }),
            ("#".to_owned(), Role { groups, ..Role::default() }),
            ("ä b".to_owned(), Role::default()),
        ]);
        assert_eq!(parse(&text(&roles)).map_err(|wrong| wrong.why), Ok(roles));
    }

    #[test]
    fn what_is_no_role_is_told() {
        for (wrong, line) in [("a", 1), ("# x\na password", 2), ("a -\n\na -", 3), ("a - \"b", 1)] {
            assert_eq!(parse(wrong).map_err(|wrong| wrong.line), Err(line), "{wrong}");
        }
    }
}
