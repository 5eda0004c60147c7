//! Checks the privileges of the acting role on tables and schemas, in PostgreSQL's words. Who has entered nothing, or has
//! entered as a superuser, may do all, which costs one look.
//!
//! What is the system's can be read by all, and what is temporary is the session's own.

use crate::catalog::{Entry, Object, Qualified, Schema, SearchPath, State, TEMPORARY};
use crate::grants::BOOTSTRAP;
use crate::roles::Rights;
use crate::system::{Facts, is_system};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{ROUTINE_MARK, Right};
use std::sync::Arc;

/// An error (42501) for what somebody may not do with something.
fn denied(kind: &str, name: &str) -> Error {
    Error::new(ErrorKind::Forbidden, format!("permission denied for {kind} {name}"))
}

/// An error (42501) for what only an owner may do.
fn not_owner(kind: &str, name: &str) -> Error {
    Error::new(ErrorKind::Forbidden, format!("must be owner of {kind} {name}"))
}

/// The name of something; of a function without the types in what it is kept under.
fn plain(name: &str) -> &str {
    name.split(ROUTINE_MARK).next().unwrap_or(name)
}

impl Facts {
    /// Who owns what the session makes.
    pub(crate) fn owner(&self) -> Arc<str> {
        let user = self.user();
        Arc::from(if self.roles.as_ref().is_some_and(|roles| roles.has(user)) { user } else { BOOTSTRAP })
    }

    /// Where names without a schema are looked for: in schemas that whoever acts may use.
    pub(crate) fn search_path(&self, state: &State) -> SearchPath {
        let path = self.settings.search_path(self.user());
        let may_use = |schema: &String| {
            let of = state.schema(schema).filter(|_| schema != TEMPORARY);
            of.is_none_or(|schema| self.rights.allow_in(Right::Usage, &schema.owned))
        };
        if self.rights.superuser || path.iter().all(may_use) {
            return path;
        }
        path.iter().filter(|schema| may_use(schema)).cloned().collect()
    }

    /// An error (42501) unless somebody may do this with a table or view.
    pub(crate) fn check_right(&self, rights: &Rights, right: Right, name: &Qualified, object: &Object) -> Result<()> {
        if name.schema == TEMPORARY || rights.allow(right, &object.owned) {
            return Ok(());
        }
        let kind = if let Entry::Routine(routine) = &object.entry { routine.kind() } else { object.entry.kind() };
        Err(denied(kind, plain(&name.name)))
    }

    /// An error (42501) unless whoever acts may do this in a schema.
    pub(crate) fn check_schema(&self, state: &State, right: Right, name: &str) -> Result<()> {
        let schema = state.schema(name).filter(|_| name != TEMPORARY);
        match schema {
            Some(schema) if !self.rights.allow_in(right, &schema.owned) => Err(denied("schema", name)),
            _ => Ok(()),
        }
    }

    /// An error (42501) unless whoever acts may make something in a schema.
    pub(crate) fn check_make(&self, state: &State, schema: &str) -> Result<()> {
        if schema != TEMPORARY {
            return self.check_schema(state, Right::Create, schema);
        }
        if self.rights.write {
            return Ok(());
        }
        let message = format!("permission denied to create temporary tables in database \"{}\"", self.database);
        Err(Error::new(ErrorKind::Forbidden, message)
            .with_detail("Only roles with the rights of \"pg_write_all_data\" may."))
    }

    /// An error (42501) unless whoever acts may make schemas.
    pub(crate) fn check_make_schema(&self) -> Result<()> {
        if self.rights.superuser { Ok(()) } else { Err(denied("database", &self.database)) }
    }

    /// An error (42501) unless whoever acts may forget what statements have taken.
    pub(crate) fn check_may_forget(&self) -> Result<()> {
        if self.rights.superuser { Ok(()) } else { Err(denied("function", "pg_stat_statements_reset")) }
    }

    /// An error (42501) unless whoever acts owns something.
    pub(crate) fn check_owner(&self, name: &Qualified, object: &Object) -> Result<()> {
        self.check_owner_of(name, object, (object.entry.kind(), plain(&name.name)))
    }

    /// The same, of what belongs to it: its kind and its name.
    pub(crate) fn check_owner_of(&self, name: &Qualified, object: &Object, part: (&str, &str)) -> Result<()> {
        let is_own = name.schema == TEMPORARY || self.rights.has(&object.owned.owner);
        if is_own { Ok(()) } else { Err(not_owner(part.0, part.1)) }
    }

    /// An error (42501) unless whoever acts may drop something: who owns it, or its schema; `part` as above.
    pub(crate) fn check_drop(
        &self,
        state: &State,
        name: &Qualified,
        object: &Object,
        part: (&str, &str),
    ) -> Result<()> {
        let owns_schema = state.schema(&name.schema).is_some_and(|schema| self.rights.has(&schema.owned.owner));
        if owns_schema { Ok(()) } else { self.check_owner_of(name, object, part) }
    }

    /// An error (42501) unless whoever acts owns a schema.
    pub(crate) fn check_schema_owner(&self, name: &str, schema: &Schema) -> Result<()> {
        if self.rights.has(&schema.owned.owner) { Ok(()) } else { Err(not_owner("schema", name)) }
    }

    /// An error (42501) for what is the system's.
    pub(crate) fn check_not_system(&self, name: &Qualified) -> Result<()> {
        if !is_system(&name.schema) {
            return Ok(());
        }
        let message = format!("permission denied: \"{}\" is a system catalog", name.name);
        Err(Error::new(ErrorKind::Forbidden, message))
    }
}
