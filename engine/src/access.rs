//! What a session may do: the rights of the role that has entered it, and the folders that files may be in.
//!
//! An embedded session has entered as nobody, and may do all. Rights are looked up when they are needed, so that a change of a
//! role counts at once.

use crate::format::{is_within, scheme_of};
use crate::roles::{Rights, Roles};
use crate::settings::Settings;
use crate::{Error, ErrorKind, Result};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Who has entered a session, and which files it may reach.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    /// None of an engine that has no roles.
    pub(crate) roles: Option<Arc<Roles>>,
    /// None of an embedded session.
    pub(crate) entered: Option<Arc<str>>,
    /// None is anywhere.
    pub(crate) folders: Option<Arc<[PathBuf]>>,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileUse {
    Read,
    Write,
}

impl Access {
    /// The rights of a session that acts as `user`.
    pub(crate) fn rights(&self, user: &str) -> Rights {
        match (&self.roles, &self.entered) {
            (Some(roles), Some(_)) => roles.rights(user),
            _ => Rights::ALL,
        }
    }

    /// The rights of a session with these settings.
    pub(crate) fn acting_rights(&self, settings: &Settings) -> Rights {
        self.rights(settings.acting().unwrap_or_default())
    }

    /// Whether who has entered may do all, whoever the session acts as.
    pub(crate) fn is_superuser(&self) -> bool {
        self.entered.as_ref().is_none_or(|entered| self.rights(entered).superuser)
    }

    /// Whether the session may act as this role.
    ///
    /// # Errors
    /// 42501 unless that is who has entered, a role whose rights that one has, or a superuser has entered; 22023 for a role that there is not.
    pub(crate) fn check_role(&self, setting: &str, role: &str) -> Result<()> {
        let (Some(roles), Some(entered)) = (&self.roles, &self.entered) else { return Ok(()) };
        if matches!(role, "none" | "default") || role == &**entered {
            return Ok(());
        }
        let rights = roles.rights(entered);
        if setting == "role" && rights.has(role) && roles.has(role) {
            return Ok(());
        }
        if !rights.superuser {
            let what = if setting == "role" { format!("role \"{role}\"") } else { "session authorization".to_owned() };
            return Err(Error::new(ErrorKind::Forbidden, format!("permission denied to set {what}")));
        }
        if roles.has(role) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::InvalidParameter, format!("role \"{role}\" does not exist")))
    }

    /// Whether a session that acts as `user` may use the file, or the files, of a path.
    ///
    /// # Errors
    /// 42501.
    pub(crate) fn check_file(&self, user: &str, path: &str, way: FileUse) -> Result<()> {
        let rights = self.rights(user);
        let (may, verb, group) = match way {
            FileUse::Read => (rights.read_files, "read", "pg_read_server_files"),
            FileUse::Write => (rights.write_files, "write", "pg_write_server_files"),
        };
        if !may {
            let message = format!("permission denied: role \"{user}\" may not {verb} files");
            return Err(Error::new(ErrorKind::Forbidden, message)
                .with_detail(format!("Only roles with the rights of \"{group}\" may.")));
        }
        let Some(folders) = &self.folders else { return Ok(()) };
        if scheme_of(path).is_some() && folders.iter().any(|folder| is_within(path, folder)) {
            return Ok(());
        }
        let holds_it = |found: PathBuf| {
            let holds = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| found.starts_with(folder));
            folders.iter().any(holds)
        };
        if scheme_of(path).is_none() && reached(Path::new(path), way).is_some_and(holds_it) {
            return Ok(());
        }
        let hint = if folders.is_empty() {
            "The server lets nobody reach files; --files DIR allows a folder."
        } else {
            "The server lets nobody reach files outside of the folders that were allowed by --files."
        };
        Err(Error::new(ErrorKind::Forbidden, format!("permission denied: {path}")).with_hint(hint))
    }
}

/// Where a path leads, links followed: the file, or the folder that holds all files of a pattern. None if that cannot be told,
/// or a file that is to be written is a link.
fn reached(path: &Path, way: FileUse) -> Option<PathBuf> {
    let is_pattern = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    // A file of that name is meant literally.
    if way == FileUse::Read && !path.exists() && path.components().any(|part| is_pattern(&part)) {
        let parts: Vec<Component<'_>> = path.components().collect();
        let at = parts.iter().position(is_pattern)?;
        if parts[at..].contains(&Component::ParentDir) {
            return None;
        }
        let fixed: PathBuf = parts[..at].iter().collect();
        let fixed = if fixed.as_os_str().is_empty() { Path::new(".").to_owned() } else { fixed };
        return led(&fixed);
    }
    let is_link = || std::fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_symlink());
    if way == FileUse::Write && is_link() { None } else { led(path) }
}

/// Where a path leads whose end may not be there yet, nor the folders before that: those names lead where they say. None of a
/// link that leads nowhere, and of `..` in what is not there.
fn led(path: &Path) -> Option<PathBuf> {
    let (mut at, mut missing) = (path, Vec::new());
    loop {
        let there = if at.as_os_str().is_empty() { Path::new(".") } else { at };
        match there.canonicalize() {
            Ok(found) => return Some(missing.iter().rev().fold(found, |found, name| found.join(name))),
            Err(_) if there.symlink_metadata().is_ok() => return None,
            Err(_) => {
                missing.push(at.file_name()?);
                at = at.parent()?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FileUse, reached};

    #[test]
    fn what_is_not_there_leads_where_it_says() {
        let folder = std::env::temp_dir().join(format!("multiloop-reached-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("inside")).expect("a folder can be made");
        let folder = folder.canonicalize().expect("it is there");
        std::os::unix::fs::symlink("/", folder.join("out")).expect("a link can be made");
        std::os::unix::fs::symlink("nowhere", folder.join("dangling")).expect("a link can be made");
        let all: &[(&str, Option<&str>)] = &[
            ("inside/new", Some("inside/new")),
            ("missing/deep/new", Some("missing/deep/new")),
            ("inside/../new", Some("new")),
            ("missing/../new", None),
            ("missing/../../new", None),
            ("dangling", None),
            ("dangling/new", None),
            ("inside/new/..", None),
        ];
        for way in [FileUse::Read, FileUse::Write] {
            for (path, leads) in all {
                assert_eq!(reached(&folder.join(path), way), leads.map(|leads| folder.join(leads)), "{path}");
            }
            let out = reached(&folder.join("out/missing/new"), way);
            assert_eq!(out.as_deref(), Some(std::path::Path::new("/missing/new")));
        }
        let pattern = reached(&folder.join("missing/*.csv"), FileUse::Read);
        assert_eq!(pattern, Some(folder.join("missing")));
        std::fs::remove_dir_all(&folder).expect("a folder can be removed");
    }
}
