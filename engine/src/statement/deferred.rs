//! References that are checked when a transaction ends: what it has changed of their tables, and of those that they refer to.

use super::change::{is_deleted, rows_of};
use crate::catalog::history::rows_of as rows_of_steps;
use crate::catalog::{Entry, Qualified, State, StoredTable};
use crate::running::Runner;
use crate::stream::{Notice, ResultStream};
use crate::transaction::object_of;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Declared, Deferral, Reference, TableName};

impl Runner<'_> {
    /// Checks references whose check has been put off, by their tables and names.
    pub(crate) fn check_postponed(&self, postponed: &[(Qualified, String)]) -> Result<()> {
        let state = &self.snapshot.state;
        for (table, constraint) in postponed {
            let Some(Entry::Table(stored)) = state.get(table) else { continue };
            let declared = &stored.info.declared;
            let Some(reference) = declared.references.iter().find(|of| of.name == *constraint) else { continue };
            self.check_of_transaction(table, stored, reference)?;
        }
        Ok(())
    }

    fn check_of_transaction(&self, table: &Qualified, stored: &StoredTable, reference: &Reference) -> Result<()> {
        let context = self.session.loading();
        let state: &State = &self.snapshot.state;
        let base = self.session.work.base().map(|(base, _)| base);
        let before = |name: &Qualified| match object_of(base.as_ref()?, name).map(|object| &object.entry) {
            Some(Entry::Table(stored)) => Some(stored.clone()),
            _ => None,
        };
        // Of a table of another line all rows may be new.
        let was = before(table);
        let first = was.as_ref().map_or(0, |was| was.stored().rows());
        let mut numbers = match was.as_ref().map(|was| stored.history.since(&was.history)) {
            Some(Some(steps)) => rows_of_steps(steps.iter().filter(|step| step.columns.is_some()), first),
            Some(None) => (0..first.min(stored.stored().rows())).collect(),
            None => Vec::new(),
        };
        numbers.extend(first..stored.stored().rows());
        numbers.retain(|&row| !is_deleted(stored, row));
        let rows = rows_of(stored, &numbers, &context)?;
        let only = Declared {
            references: vec![Reference { deferral: Deferral::Never, ..reference.clone() }],
            names: stored.info.declared.names.clone(),
            ..Declared::default()
        };
        let told = |error: Error| error.in_table(&table.schema, &table.name);
        self.check_references(table, &only, &rows, state).map_err(told)?;

        let to = Qualified::of(&reference.table).ok_or_else(|| Error::internal("a reference names no schema"))?;
        let Some(was) = before(&to) else { return Ok(()) };
        let now = state.table(&to)?;
        let first = was.stored().rows();
        let changed = match now.history.since(&was.history) {
            Some(steps) => rows_of_steps(&steps, first),
            None => (0..first).collect(),
        };
        if changed.is_empty() {
            return Ok(());
        }
        let before = rows_of(&was, &changed, &context)?;
        self.check_left(state, (&to, before), (table, reference))
    }

    /// SET CONSTRAINTS; no names are all.
    pub(super) fn set_constraints(&self, names: Option<&[TableName]>, deferred: bool) -> Result<ResultStream> {
        let done = ResultStream::done("SET CONSTRAINTS");
        if !self.session.work.is_explicit() {
            let message = "SET CONSTRAINTS can only be used in transaction blocks";
            return Ok(done.with_notice(Notice::warning("25P01", message)));
        }
        let named = names.map(|names| names.iter().map(|name| self.deferrable(name)).collect::<Result<Vec<_>>>());
        let named = named.transpose()?.map(|named| named.concat());
        self.session.work.defer(|deferrals| deferrals.set(named.as_deref(), deferred));
        if !deferred {
            let postponed = self.session.work.defer(|deferrals| deferrals.take(named.as_deref()));
            self.check_postponed(&postponed.unwrap_or_default())?;
        }
        Ok(done)
    }

    /// The constraints of a name in the first schema that has one.
    fn deferrable(&self, name: &TableName) -> Result<Vec<(Qualified, String)>> {
        let schemas: Vec<&String> = match &name.schema {
            Some(schema) => vec![schema],
            None => self.snapshot.path.iter().collect(),
        };
        for schema in schemas {
            let Some(of) = self.snapshot.state.schema(schema) else { continue };
            let mut found = Vec::new();
            for (table, object) in &of.objects {
                let Some(declared) = object.entry.declared() else { continue };
                let table = Qualified { schema: schema.clone(), name: table.clone() };
                for reference in declared.references.iter().filter(|reference| reference.name == name.name) {
                    found.push(((table.clone(), reference.name.clone()), reference.deferral != Deferral::Never));
                }
                let others = declared.constraint_names();
                if found.is_empty() && others.contains(&name.name) {
                    found.push(((table, name.name.clone()), false));
                }
            }
            if found.iter().any(|(_, may)| !may) {
                let message = format!("constraint \"{}\" is not deferrable", name.name);
                return Err(Error::new(ErrorKind::WrongObjectType, message));
            }
            if !found.is_empty() {
                return Ok(found.into_iter().map(|(found, _)| found).collect());
            }
        }
        Err(Error::new(ErrorKind::UnknownObject, format!("constraint \"{}\" does not exist", name.plain())))
    }
}
