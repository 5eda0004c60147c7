//! COMMENT ON: what is said stands with the object, under its number.

use crate::catalog::{Entry, Qualified, State};
use crate::running::Runner;
use crate::stream::ResultStream;
use crate::system::{PG_CLASS, PG_CONSTRAINT, PG_PROC, PG_TYPE};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::TableName;
use multiloop_planner::sql::{Commented, ObjectKind};
use std::sync::Arc;

impl Runner<'_> {
    /// COMMENT ON: none takes away what was said.
    pub(super) fn comment(&self, on: &Commented, text: Option<&str>) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let text: Option<Arc<str>> = text.map(Arc::from);
        if let Commented::Object(ObjectKind::Schema, name) = on {
            let Some(schema) = Arc::make_mut(&mut write.state.schemas).get_mut(&name.name) else {
                let message = format!("schema \"{}\" does not exist", name.name);
                return Err(Error::new(ErrorKind::UnknownSchema, message));
            };
            self.snapshot.facts.check_schema_owner(&name.name, schema)?;
            Arc::make_mut(schema).comment = text;
        } else {
            let (object, key) = self.commented(on, &write.state)?;
            self.check_commented(on, &object, &write.state)?;
            write.state.change(&object, |object| {
                let comments = Arc::make_mut(&mut object.comments);
                match text {
                    Some(text) => drop(comments.insert(key, text)),
                    None => drop(comments.remove(&key)),
                }
            });
        }
        write.commit()?;
        Ok(ResultStream::done("COMMENT"))
    }

    /// An error (42501) for who may not say something of an object: it is for its owner.
    fn check_commented(&self, on: &Commented, name: &Qualified, state: &State) -> Result<()> {
        let object = state.object(name).ok_or_else(|| Error::internal("what a comment is about is gone"))?;
        match on {
            Commented::Object(ObjectKind::Index, index) => {
                self.snapshot.facts.check_owner_of(name, object, ("index", &index.name))
            }
            Commented::Column(..) | Commented::Constraint(..) => {
                self.snapshot.facts.check_owner_of(name, object, ("relation", &name.name))
            }
            Commented::Routine(of) => {
                self.snapshot.facts.check_owner_of(name, object, (of.kind.sought(), &of.name.plain()))
            }
            Commented::Object(..) => self.snapshot.facts.check_owner(name, object),
        }
    }

    /// The object that a comment stands with, and what it is about: catalog, number, column.
    fn commented(&self, on: &Commented, state: &State) -> Result<(Qualified, (u32, u32, u32))> {
        match on {
            Commented::Object(ObjectKind::Index, name) => {
                let table = state.index_table(name, &self.snapshot.path).ok_or_else(|| unknown(name))?;
                let object = state.object(&table).ok_or_else(|| unknown(name))?;
                let number = object.index_number(&name.name).ok_or_else(|| unknown(name))?;
                Ok((table, (PG_CLASS, number, 0)))
            }
            Commented::Object(kind, name) => {
                let found = self.found(name, state)?;
                let missing = || match kind {
                    ObjectKind::Type => {
                        Error::new(ErrorKind::UnknownObject, format!("type \"{}\" does not exist", name.plain()))
                    }
                    _ => unknown(name),
                };
                let object = state.object(&found).ok_or_else(missing)?;
                match (&object.entry, kind) {
                    (Entry::Type(_), ObjectKind::Type) => Ok((found, (PG_TYPE, object.row_type(), 0))),
                    (entry, _) if entry.kind() != kind.name() => {
                        let article = if entry.kind() == "index" { "an" } else { "a" };
                        let message = format!("\"{}\" is not {article} {}", name.name, kind.name());
                        Err(Error::new(ErrorKind::WrongObjectType, message))
                    }
                    _ => {
                        let number = object.oid;
                        Ok((found, (PG_CLASS, number, 0)))
                    }
                }
            }
            Commented::Routine(name) => {
                let found = self.routine_named(name, state)?;
                let number = state.object(&found).map_or(0, |object| object.oid);
                Ok((found, (PG_PROC, number, 0)))
            }
            Commented::Column(name, column) => {
                let found = self.found(name, state)?;
                let object = state.object(&found).ok_or_else(|| unknown(name))?;
                let fields = match &object.entry {
                    Entry::Table(table) => table.info.fields.clone(),
                    _ => self.fields_of_query(&found.to_name())?,
                };
                let place = fields.iter().position(|field| field.name == *column).ok_or_else(|| {
                    let message = format!("column \"{column}\" of relation \"{}\" does not exist", name.name);
                    Error::new(ErrorKind::UnknownColumn, message)
                })?;
                let column = u32::try_from(place + 1).unwrap_or(u32::MAX);
                let number = object.oid;
                Ok((found, (PG_CLASS, number, column)))
            }
            Commented::Constraint(name, constraint) => {
                let found = self.found(name, state)?;
                let object = state.object(&found).ok_or_else(|| unknown(name))?;
                let number = object.constraint_number(constraint).ok_or_else(|| {
                    let message = format!("constraint \"{constraint}\" for table \"{}\" does not exist", name.name);
                    Error::new(ErrorKind::UnknownObject, message)
                })?;
                Ok((found, (PG_CONSTRAINT, number, 0)))
            }
        }
    }
}

fn unknown(name: &TableName) -> Error {
    Error::new(ErrorKind::UnknownTable, format!("relation \"{}\" does not exist", name.plain()))
}
