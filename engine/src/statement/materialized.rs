//! Materialized views: the rows of a query, kept as a table that only REFRESH changes.

use super::New;
use crate::catalog::{Entry, Qualified, StoredTable};
use crate::running::Runner;
use crate::stream::ResultStream;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::{Declared, Materialized, TableName, View};
use multiloop_planner::relation::Query;
use multiloop_planner::sql;
use multiloop_planner::types::Field;
use std::sync::Arc;

impl Runner<'_> {
    /// CREATE MATERIALIZED VIEW. `needs` are the names in its text.
    pub(super) fn create_materialized(
        &self,
        new: &New<'_>,
        (view, needs): (View, &[Qualified]),
        query: Query,
        is_filled: bool,
    ) -> Result<ResultStream> {
        let mut rows = 0;
        let made = || {
            let (table, declared) = self.materialized_rows(query, is_filled)?;
            rows = table.rows();
            let materialized = Some(Arc::new(Materialized { view, is_filled }));
            Ok((table, Declared { materialized, ..declared }))
        };
        let done = self.create(new, needs, made)?;
        let tag = if is_filled { format!("SELECT {rows}") } else { "CREATE MATERIALIZED VIEW".to_owned() };
        Ok(if done.notices().is_empty() { ResultStream::done(tag) } else { done })
    }

    fn materialized_rows(&self, query: Query, is_filled: bool) -> Result<(Table, Declared)> {
        if is_filled {
            return self.table_of(query);
        }
        let fields: Vec<Field> = query.fields().into_iter().map(|field| Field { nullable: true, ..field }).collect();
        let declared =
            Declared { numerics: super::numerics_of(&fields, &query.computed_numerics()), ..Declared::default() };
        Ok((Table::empty(fields), declared))
    }

    /// REFRESH MATERIALIZED VIEW.
    pub(super) fn refresh(&self, name: &TableName, is_filled: bool, wide: bool) -> Result<ResultStream> {
        let context = self.session.loading();
        let mut write = self.session.begin_write()?;
        let found = self.found(name, &write.state)?;
        let missing = || Error::new(ErrorKind::UnknownTable, format!("relation \"{}\" does not exist", name.plain()));
        let not_one =
            || Error::new(ErrorKind::WrongObjectType, format!("\"{}\" is not a materialized view", name.name));
        let stored = match write.state.get(&found).ok_or_else(missing)? {
            Entry::Table(table) => table.clone(),
            _ => return Err(not_one()),
        };
        if let Some(object) = write.state.object(&found) {
            self.snapshot.facts.check_owner(&found, object)?;
        }
        let was = &stored.info.declared;
        let view = Arc::new(was.materialized.as_ref().ok_or_else(not_one)?.view.clone());
        // What is refreshed is made of the state that it changes.
        let (table, declared) = self.session.with_snapshot(|snapshot| {
            let query = sql::view_as_query(snapshot, &found.to_name(), &view, wide)?;
            Runner { session: self.session, snapshot, parameters: &[] }.materialized_rows(query, is_filled)
        })?;
        let materialized = Some(Arc::new(Materialized { view: View::clone(&view), is_filled }));
        let declared = Declared { numerics: declared.numerics, materialized, ..Declared::clone(was) };
        let table = table.narrowed(&declared.numerics, &context)?;
        let stored = StoredTable::encoded(&found.name, table, Arc::new(declared), write.state.domains(), &context)?;
        for key in &stored.info.declared.keys {
            self.check_rows_unique(&found, key, &stored)?;
        }
        write.state.insert(&found, Entry::Table(stored));
        self.check_rows_of_indexes(&write.state, &found, |_| true)?;
        write.commit()?;
        Ok(ResultStream::done("REFRESH MATERIALIZED VIEW"))
    }
}
