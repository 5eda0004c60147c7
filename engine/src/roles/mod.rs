//! Roles: who may enter, and what they may do. `verifier` is what passwords are checked by, `file` where roles are kept.
//!
//! A role may do what it says itself and what the roles say that it is granted, those that PostgreSQL has beforehand among them:
//!
//! | granted | it may |
//! |---|---|
//! | `pg_read_all_data` | read all tables, in all schemas |
//! | `pg_write_all_data` | change the rows of all tables, in all schemas, and make temporary ones |
//! | `pg_read_server_files` | read files by `FROM 'file'` and COPY |
//! | `pg_write_server_files` | write files by COPY |
//!
//! Rights on tables and schemas, and whose these are, stand with them in the catalog (`grants`). SUPERUSER may do all, and is not
//! inherited. A change counts at once, for sessions that are there, too, and whatever becomes of the transaction that it is made in.

mod file;
mod verifier;

pub use verifier::Verifier;

use crate::grants::{BOOTSTRAP, Owned};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::Right;
use multiloop_planner::sql::{RoleOptions, RoleStatement};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Roles that are there beforehand, with PostgreSQL's numbers of them.
pub(crate) const GIVEN: [(&str, u32); 4] = [
    ("pg_read_all_data", 6181),
    ("pg_write_all_data", 6182),
    ("pg_read_server_files", 4569),
    ("pg_write_server_files", 4570),
];

/// The roles of an engine, shared by its sessions.
pub struct Roles {
    /// None of those that are kept in memory.
    path: Option<PathBuf>,
    /// What the verifiers of roles that there are not are made from.
    secret: [u8; 32],
    all: Mutex<BTreeMap<String, Role>>,
    /// Numbers of roles that there are, or were: they stay while the process does.
    numbers: Mutex<BTreeMap<String, u32>>,
    /// How often they have changed.
    version: AtomicU64,
}

/// A role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) verifier: Option<Verifier>,
    pub(crate) login: bool,
    pub(crate) superuser: bool,
    /// Roles whose rights it has, too.
    pub(crate) groups: BTreeSet<String>,
}

/// Numbers of roles that are made begin here: those of tables and the like are PostgreSQL's kind, in other catalogs.
const FIRST_NUMBER: u32 = 16384;

/// What somebody may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rights {
    pub(crate) superuser: bool,
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) read_files: bool,
    pub(crate) write_files: bool,
    /// The role, and those whose rights it has; nobody asks where all may be done.
    roles: Option<Arc<BTreeSet<String>>>,
}

impl Rights {
    /// Those of whoever needs none.
    pub(crate) const ALL: Rights =
        Rights { superuser: true, read: true, write: true, read_files: true, write_files: true, roles: None };

    /// Whether they are those of a role, among others.
    pub(crate) fn has(&self, role: &str) -> bool {
        self.superuser || self.roles.as_ref().is_some_and(|roles| roles.contains(role))
    }

    /// Whether they let somebody do this with a table or view.
    pub(crate) fn allow(&self, right: Right, owned: &Owned) -> bool {
        let given = match right {
            Right::Select => self.read,
            Right::Insert | Right::Update | Right::Delete => self.write,
            _ => false,
        };
        // Those on a sequence are these, and USAGE.
        let all = match right {
            Right::Usage => &Right::OF_SEQUENCES[..],
            Right::Execute => &Right::OF_ROUTINES,
            _ => &Right::OF_TABLES,
        };
        self.superuser || given || owned.rights(&|role| self.has(role), all).has(right)
    }

    /// Whether they let somebody do this with a schema.
    pub(crate) fn allow_in(&self, right: Right, owned: &Owned) -> bool {
        let given = right == Right::Usage && (self.read || self.write);
        self.superuser || given || owned.rights(&|role| self.has(role), &Right::OF_SCHEMAS).has(right)
    }

    fn add(&mut self, group: &str) {
        match group {
            "pg_read_all_data" => self.read = true,
            "pg_write_all_data" => self.write = true,
            "pg_read_server_files" => self.read_files = true,
            "pg_write_server_files" => self.write_files = true,
            _ => {}
        }
    }
}

/// There are one set of them an engine.
impl PartialEq for Roles {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Roles {}

impl std::fmt::Debug for Roles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Roles").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Roles {
    /// Roles that are kept in a file; one that is not there is made when there is a role.
    ///
    /// # Errors
    /// XX001 for a file that is none of roles, 58030 for one that cannot be read.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let all = file::read(&path)?;
        let numbers = all.keys().cloned().zip(FIRST_NUMBER..).collect();
        Ok(Roles { path: Some(path), all: Mutex::new(all), numbers: Mutex::new(numbers), ..Self::in_memory()? })
    }

    /// Roles that end with the engine.
    ///
    /// # Errors
    /// 58030 if the system has no randomness.
    pub fn in_memory() -> Result<Self> {
        let (all, numbers) = (Mutex::default(), Mutex::default());
        Ok(Roles { path: None, secret: verifier::random()?, all, numbers, version: AtomicU64::new(0) })
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Role>> {
        // What is changed under it is changed in one step.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the password of a role is checked by. One that there is not, that has no password or may not enter has one that no
    /// password fits.
    pub fn verifier(&self, name: &str) -> Verifier {
        let known = self.all().get(name).filter(|role| role.login).and_then(|role| role.verifier.clone());
        known.unwrap_or_else(|| Verifier::of_nobody(name, &self.secret))
    }

    /// Whether a role is there that may enter and has a password.
    pub fn may_enter(&self, name: &str) -> bool {
        self.all().get(name).is_some_and(|role| role.login && role.verifier.is_some())
    }

    /// Whether somebody may enter who may make other roles.
    pub fn has_superuser(&self) -> bool {
        self.all().values().any(|role| role.superuser && role.login && role.verifier.is_some())
    }

    /// Makes a role that may enter with this password, or changes the one of this name; it becomes, or stays, what it may do.
    ///
    /// # Errors
    /// 42939 for a name that is nobody's, 58030 if the file cannot be written.
    pub fn set_password(&self, name: &str, password: &str, superuser: bool) -> Result<()> {
        check_name(name)?;
        let verifier = verifier_of(password)?;
        self.change(|all| {
            let role = all.entry(name.to_owned()).or_default();
            (role.verifier, role.login) = (Some(verifier), true);
            role.superuser |= superuser;
            Ok(())
        })
    }

    /// Whether there is a role of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        GIVEN.iter().any(|(given, _)| *given == name) || self.all().contains_key(name)
    }

    /// All of them, by name.
    pub(crate) fn list(&self) -> Vec<(String, Role)> {
        self.all().iter().map(|(name, role)| (name.clone(), role.clone())).collect()
    }

    /// The number of a role that was made.
    pub(crate) fn number(&self, name: &str) -> u32 {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let next = FIRST_NUMBER.saturating_add(u32::try_from(numbers.len()).unwrap_or(u32::MAX));
        *numbers.entry(name.to_owned()).or_insert(next)
    }

    /// Differs whenever somebody may do something else.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// What an owner of tables may do, who need not be a role that was made.
    pub(crate) fn owner_rights(&self, name: &str) -> Rights {
        if name == BOOTSTRAP && !self.has(name) { Rights::ALL } else { self.rights(name) }
    }

    /// What a role may do: nothing, if there is none of this name.
    pub(crate) fn rights(&self, name: &str) -> Rights {
        let all = self.all();
        let Some(role) = all.get(name) else { return Rights::default() };
        if role.superuser {
            return Rights::ALL;
        }
        let mut rights = Rights::default();
        let (mut seen, mut left) = (BTreeSet::from([name.to_owned()]), vec![role]);
        while let Some(role) = left.pop() {
            for group in &role.groups {
                if seen.insert(group.clone()) {
                    rights.add(group);
                    left.extend(all.get(group));
                }
            }
        }
        rights.roles = Some(Arc::new(seen));
        rights
    }

    /// Changes them all in one step, in the file first.
    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Role>) -> Result<()>) -> Result<()> {
        let mut all = self.all();
        let mut changed = all.clone();
        change(&mut changed)?;
        if let Some(path) = &self.path {
            file::write(path, &changed)?;
        }
        *all = changed;
        self.version.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Does what a statement says, which somebody of this name has asked for with these rights. Gives what it passes over.
    ///
    /// # Errors
    /// 42501 for who may not, 42710 and 42704 for roles that are there or not, 42939 for names that are nobody's, 22023 for a
    /// password that is none, 58030 if the file cannot be written.
    pub(crate) fn run(&self, statement: &RoleStatement, user: &str, rights: &Rights) -> Result<Vec<String>> {
        let is_own =
            |name: &str, options: &RoleOptions| name == user && options.login.is_none() && options.superuser.is_none();
        let is_free = matches!(statement, RoleStatement::Alter { name, options } if is_own(name, options));
        if !rights.superuser && !is_free {
            return Err(Error::new(ErrorKind::Forbidden, "permission denied: roles are made by superusers")
                .with_hint("A role may change its own password."));
        }
        let mut passed = Vec::new();
        match statement {
            RoleStatement::Create { name, options, groups } => {
                check_name(name)?;
                let role = Role { groups: groups.iter().cloned().collect(), ..said(options)? };
                self.change(|all| create(all, name, role))?;
            }
            RoleStatement::Alter { name, options } => {
                // What takes long stays out of the lock.
                let said = said(options)?;
                self.change(|all| {
                    let role = all.get_mut(name).ok_or_else(|| unknown(name))?;
                    role.login = options.login.unwrap_or(role.login);
                    role.superuser = options.superuser.unwrap_or(role.superuser);
                    if options.password.is_some() {
                        role.verifier = said.verifier;
                    }
                    Ok(())
                })?;
            }
            RoleStatement::Drop { names, .. } if names.iter().any(|name| name == user) => {
                return Err(Error::new(ErrorKind::WrongState, "current user cannot be dropped"));
            }
            RoleStatement::Drop { names, if_exists } => {
                self.change(|all| remove(all, names, *if_exists).map(|missing| passed = missing))?;
            }
            RoleStatement::Grant { groups, names } => self.change(|all| grant(all, groups, names))?,
            RoleStatement::Revoke { groups, names } => self.change(|all| revoke(all, groups, names))?,
        }
        Ok(passed)
    }
}

type All = BTreeMap<String, Role>;

fn create(all: &mut All, name: &str, role: Role) -> Result<()> {
    if all.contains_key(name) {
        return Err(Error::new(ErrorKind::DuplicateObject, format!("role \"{name}\" already exists")));
    }
    role.groups.iter().try_for_each(|group| check_there(all, group))?;
    all.insert(name.to_owned(), role);
    Ok(())
}

/// Gives what is said of those that are not there, which is an error unless that may be.
fn remove(all: &mut All, names: &[String], if_exists: bool) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for name in names {
        match all.remove(name) {
            None if !if_exists => return Err(unknown(name)),
            None => missing.push(format!("role \"{name}\" does not exist")),
            Some(_) => all.values_mut().for_each(|role| {
                role.groups.remove(name);
            }),
        }
    }
    Ok(missing)
}

fn grant(all: &mut All, groups: &[String], names: &[String]) -> Result<()> {
    groups.iter().try_for_each(|group| check_there(all, group))?;
    for name in names {
        if groups.contains(name) {
            let message = format!("role \"{name}\" is a member of role \"{name}\"");
            return Err(Error::new(ErrorKind::WrongState, message));
        }
        let role = all.get_mut(name).ok_or_else(|| unknown(name))?;
        role.groups.extend(groups.iter().cloned());
    }
    Ok(())
}

fn revoke(all: &mut All, groups: &[String], names: &[String]) -> Result<()> {
    groups.iter().try_for_each(|group| check_there(all, group))?;
    for name in names {
        let role = all.get_mut(name).ok_or_else(|| unknown(name))?;
        role.groups.retain(|group| !groups.contains(group));
    }
    Ok(())
}

/// What is said of a role, as that of one that is new.
fn said(options: &RoleOptions) -> Result<Role> {
    let verifier = match &options.password {
        Some(Some(password)) => Some(verifier_of(password)?),
        _ => None,
    };
    let (login, superuser) = (options.login.unwrap_or_default(), options.superuser.unwrap_or_default());
    Ok(Role { verifier, login, superuser, ..Role::default() })
}

/// What a password is checked by: given as such, or the password.
fn verifier_of(password: &str) -> Result<Verifier> {
    if password.starts_with("SCRAM-SHA-256$") {
        return password.parse();
    }
    let is_md5 = password.len() == 35
        && password.strip_prefix("md5").is_some_and(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()));
    if is_md5 || password.is_empty() {
        let what = if is_md5 { "passwords are kept by SCRAM-SHA-256, not MD5" } else { "a password cannot be empty" };
        return Err(Error::new(ErrorKind::InvalidParameter, what));
    }
    Verifier::of_password(password)
}

fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::UnknownObject, format!("role \"{name}\" does not exist"))
}

fn check_there(all: &BTreeMap<String, Role>, name: &str) -> Result<()> {
    let is_there = all.contains_key(name) || GIVEN.iter().any(|(given, _)| *given == name);
    if is_there { Ok(()) } else { Err(unknown(name)) }
}

fn check_name(name: &str) -> Result<()> {
    let is_taken = name.is_empty() || name.starts_with("pg_") || matches!(name, "public" | "none");
    // A line of the file is a role.
    if is_taken || name.chars().any(char::is_control) {
        return Err(Error::new(ErrorKind::InvalidName, format!("role name \"{name}\" is reserved")));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
