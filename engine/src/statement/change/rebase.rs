//! What a transaction has changed of tables that others have changed since it began: done once more to the tables as they are.
//!
//! Both count rows on one line of snapshots ([`history`](crate::catalog::history)), so whoever has changed the same row is found by its
//! number. Rows of the transaction's own come behind those of the others. What the table is held to is checked anew, with all rows;
//! references between rows that one has changed and rows that the other has, too.

use super::references::{Altered, referring};
use super::{is_deleted, rows_of};
use crate::Result;
use crate::catalog::history::{Step, meet, rows_of as rows_of_steps};
use crate::catalog::{Entry, Qualified, StoredTable};
use crate::running::Runner;
use crate::transaction::{Moved, Own, conflict};
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::Context;
use std::sync::Arc;

/// Rows that are changed without workers.
const SMALL_ROWS: usize = 4096;

impl Runner<'_> {
    /// Does the changes once more.
    ///
    /// # Errors
    /// 40001 for a row that somebody else has changed, too; 23505 and 23503 for keys and references that both have made wrong.
    pub(crate) fn rebase(&self, moved: &mut Moved<'_>) -> Result<()> {
        let tables = std::mem::take(&mut moved.tables);
        if !self.session.is_alone && tables.iter().all(is_small) {
            moved.tables = tables;
            return Runner { session: &self.session.alone(), ..*self }.rebase(moved);
        }
        for own in tables.iter().filter(|own| own.is_moved) {
            self.rebase_table(moved, own)?;
        }
        for own in &tables {
            self.check_across(moved, own)?;
        }
        Ok(())
    }

    fn rebase_table(&self, moved: &mut Moved<'_>, Own { name, base, own, .. }: &Own) -> Result<()> {
        let context = self.session.loading();
        let failed = || conflict(&format!("{}.{}", name.schema, name.name));
        let now = moved.state.table(name)?.clone();
        let base = base.as_ref().ok_or_else(failed)?;
        let mine = own.history.since(&base.history).ok_or_else(failed)?;
        let first = base.stored().rows();
        let all = |steps: &[Arc<Step>]| rows_of_steps(steps, first);
        let own_rows = all(&mine);
        // Who has only put rows behind the others is in nobody's way, whatever became of these.
        if !own_rows.is_empty() && now.history.since(&base.history).is_none_or(|theirs| meet(&own_rows, &all(&theirs)))
        {
            return Err(failed());
        }
        let gone = rows_of_steps(mine.iter().filter(|step| step.columns.is_none()), first);
        let mut set = rows_of_steps(mine.iter().filter(|step| step.columns.is_some()), first);
        set.retain(|row| gone.binary_search(row).is_err());
        let mut columns: Vec<usize> = mine.iter().filter_map(|step| step.columns.as_ref()).flatten().copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let told = |error: crate::Error| error.in_table(&name.schema, &name.name);
        let mut next = now;
        if !set.is_empty() {
            let values = rows_of(own, &set, &context)?.rearranged(&columns);
            next = self.updated(&next, &columns, (&set, values), &moved.state, &context).map_err(told)?;
        }
        if !gone.is_empty() {
            next = next.with_deleted(&gone, moved.state.domains(), &context)?;
        }
        moved.state.insert(name, Entry::Table(next));
        if let Some(rows) = appended(own, first, &context)? {
            self.append_to(&mut moved.state, name, |_| Ok(rows))?;
        }
        Ok(())
    }

    /// The references of a table that the transaction has changed, to and from tables that somebody else has.
    fn check_across(&self, moved: &mut Moved<'_>, Own { name, base, own, .. }: &Own) -> Result<()> {
        let context = self.session.loading();
        let declared = Arc::clone(&own.info.declared);
        let to = declared.references.iter().filter_map(|reference| Qualified::of(&reference.table));
        let first = base.as_ref().map_or(0, |base| base.stored().rows());
        let mine = base.as_ref().and_then(|base| own.history.since(&base.history));
        if to.clone().any(|to| moved.has_moved(&to)) {
            // Of a table of another line all rows may be new.
            let mut numbers = match &mine {
                Some(mine) => rows_of_steps(mine.iter().filter(|step| step.columns.is_some()), first),
                None => (0..first.min(own.stored().rows())).collect(),
            };
            numbers.extend(first..own.stored().rows());
            numbers.retain(|&row| !is_deleted(own, row));
            let rows = rows_of(own, &numbers, &context)?;
            let told = |error: crate::Error| error.in_table(&name.schema, &name.name);
            self.check_references(name, &declared, &rows, &moved.state).map_err(told)?;
        }
        let Some(base) = base else { return Ok(()) };
        let doubts = referring(&moved.state, name).into_iter().any(|(from, _)| moved.has_moved(&from));
        if doubts {
            let numbers = match &mine {
                Some(mine) => rows_of_steps(mine, first),
                None => (0..first).collect(),
            };
            let before = rows_of(base, &numbers, &context)?;
            let altered =
                Altered { table: name.clone(), before: Some(before), after: None, columns: None, refers: Vec::new() };
            self.check_referring(&moved.state, &altered)?;
        }
        Ok(())
    }
}

/// Whether few rows of a table have changed.
fn is_small(own: &Own) -> bool {
    let first = own.base.as_ref().map_or(0, |base| base.stored().rows());
    let steps = own.base.as_ref().and_then(|base| own.own.history.since(&base.history));
    let changed = steps.map(|steps| steps.iter().map(|step| step.rows.len()).sum::<usize>());
    changed.is_some_and(|changed| changed + own.own.stored().rows().saturating_sub(first) <= SMALL_ROWS)
}

/// The rows of a table behind the first so many, as they are inserted.
fn appended(own: &StoredTable, first: usize, context: &Context) -> Result<Option<Table>> {
    let numbers: Vec<usize> = (first..own.stored().rows()).filter(|&row| !is_deleted(own, row)).collect();
    if numbers.is_empty() {
        return Ok(None);
    }
    let declared = &own.info.declared;
    let rows = rows_of(own, &numbers, context)?.as_numerics(&declared.numerics, context)?;
    let fields = declared.fields(&rows.fields.clone());
    rows.with_fields(fields).map(Some)
}
