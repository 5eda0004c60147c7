//! Small changes of rows that are replayed together: what many commits have done to a table is done in one step.
//!
//! Rows have the numbers that they had along a table's line, so of several values of one row the last one counts, rows that come are put
//! behind the others together, and deletions are last. What is no such change, or changes rows that have only just come, has what waits
//! done first.

use super::record::{Change, ObjectChange, Record, RowChange, Rows, Set, numbers};
use super::replay::{Source, any, check, move_counters, replay, without};
use super::salvage::Salvage;
use crate::catalog::{Entry, Qualified, State, StoredTable};
use crate::{Error, Result};
use multiloop_exec::column::Column;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::Context;
use multiloop_planner::types::Field;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// So many rows wait at most.
const WAITING_MAX: usize = 1 << 18;

/// A state, and changes that are still to be done to it.
pub(super) struct Pending<'c> {
    state: State,
    context: &'c Context,
    tables: BTreeMap<Qualified, Waiting>,
    rows: usize,
}

/// Changes of a table.
#[derive(Default)]
struct Waiting {
    set: Vec<Values>,
    appended: Vec<(usize, Vec<Column>)>,
    appended_rows: usize,
    gone: Vec<usize>,
}

/// New values of some columns.
struct Values {
    columns: Vec<usize>,
    batches: Vec<Vec<Column>>,
    /// Where those of each row are that has new ones: the batch, and the place in it.
    places: HashMap<usize, (usize, usize)>,
}

impl<'c> Pending<'c> {
    pub(super) fn new(state: State, context: &'c Context) -> Self {
        Pending { state, context, tables: BTreeMap::new(), rows: 0 }
    }

    /// Does what a record says, now or later.
    ///
    /// # Errors
    /// XX001 if it does not fit the state, 53200.
    pub(super) fn add(&mut self, record: &Record, source: &Source<'_>) -> Result<()> {
        self.context.check()?;
        let Change { schemas, removed, objects, counters, oids: _ } = &record.change;
        move_counters(&self.state, counters);
        let is_small = schemas.is_empty() && removed.is_empty() && objects.iter().all(is_small);
        if !is_small || !objects.iter().all(|of| self.fits(of)) {
            self.settle(source)?;
        }
        if !is_small {
            self.state = replay(&self.state, &record.change, source, self.context)?;
            return Ok(());
        }
        for of in objects {
            // What is damaged anyhow stays as it is.
            if self.state.table(&of.name).is_ok_and(|table| table.broken.is_some()) {
                continue;
            }
            if let Err(error) = self.wait(of, source) {
                self.leave_out(&of.name, error, source)?;
            }
        }
        if self.rows > WAITING_MAX { self.settle(source) } else { Ok(()) }
    }

    /// The state, when all has been done.
    pub(super) fn done(mut self, source: &Source<'_>) -> Result<State> {
        self.settle(source)?;
        Ok(self.state)
    }

    /// Whether a change can wait beside those that do.
    fn fits(&self, of: &ObjectChange) -> bool {
        let RowChange::Steps { set, .. } = &of.rows else { return true };
        let Some(waiting) = self.tables.get(&of.name) else { return true };
        let Ok(table) = self.state.table(&of.name) else { return false };
        let rows = table.stored().rows();
        set.iter().all(|Set { rows: of, columns, .. }| {
            let is_other = |known: &Vec<usize>| known != columns && columns.iter().any(|column| known.contains(column));
            of.last().is_none_or(|&(start, count)| start + count <= rows)
                && !waiting.set.iter().any(|known| is_other(&known.columns))
        })
    }

    fn wait(&mut self, of: &ObjectChange, source: &Source<'_>) -> Result<()> {
        let RowChange::Steps { set, gone, appended } = &of.rows else { return Ok(()) };
        let table = self.state.table(&of.name).map_err(|error| (source.damaged)(error.to_string()))?;
        let rows = table.stored().rows();
        let fields: Vec<Field> = table.info.declared.fields(&table.info.fields).into_iter().map(any).collect();
        let waiting = self.tables.entry(of.name.clone()).or_default();
        for Set { rows: changed, columns, values } in set {
            check(source, columns.iter().all(|&column| column < fields.len()))?;
            let of: Vec<Field> = columns.iter().map(|&column| fields[column].clone()).collect();
            let at = waiting.set.iter().position(|known| known.columns == *columns).unwrap_or_else(|| {
                waiting.set.push(Values { columns: columns.clone(), batches: Vec::new(), places: HashMap::new() });
                waiting.set.len() - 1
            });
            let Values { batches, places, .. } = &mut waiting.set[at];
            let mut numbers = numbers(changed).into_iter();
            let mut take = |count: usize, columns: Vec<Column>| {
                for (place, number) in numbers.by_ref().take(count).enumerate() {
                    check(source, number < rows)?;
                    places.insert(number, (batches.len(), place));
                }
                batches.push(columns);
                self.rows += count;
                Ok(())
            };
            values.iter().try_for_each(|values| source.read(values, &of, &mut take))?;
            check(source, numbers.next().is_none())?;
        }
        for appended in appended {
            source.read(appended, &fields, &mut |count, columns| {
                waiting.appended.push((count, columns));
                waiting.appended_rows += count;
                self.rows += count;
                Ok(())
            })?;
        }
        let gone = numbers(gone);
        check(source, gone.last().is_none_or(|&last| last < rows + waiting.appended_rows))?;
        self.rows += gone.len();
        waiting.gone.extend(gone);
        Ok(())
    }

    /// Does what waits.
    fn settle(&mut self, source: &Source<'_>) -> Result<()> {
        self.rows = 0;
        for (name, waiting) in std::mem::take(&mut self.tables) {
            let table = self.state.table(&name)?.clone();
            match self.settled(table, waiting, source) {
                Ok(next) => self.state.insert(&name, Entry::Table(next)),
                Err(error) => self.leave_out(&name, error, source)?,
            }
        }
        Ok(())
    }

    /// Goes on without the rows of a table, if that may be.
    fn leave_out(&mut self, name: &Qualified, error: Error, source: &Source<'_>) -> Result<()> {
        let Some(salvage) = source.salvage.filter(|_| Salvage::may_leave_out(&error)) else { return Err(error) };
        self.tables.remove(name);
        let info = Arc::clone(&self.state.table(name)?.info);
        let fields = info.declared.fields(&info.fields);
        let table = salvage.without_rows(&name.name, (&fields, &info.declared), error);
        self.state.insert(name, Entry::Table(table));
        Ok(())
    }

    fn settled(&self, table: StoredTable, waiting: Waiting, source: &Source<'_>) -> Result<StoredTable> {
        let fields: Vec<Field> = table.info.declared.fields(&table.info.fields).into_iter().map(any).collect();
        let mut table = table;
        for Values { columns, batches, places } in waiting.set {
            let of = columns.iter().map(|&column| fields[column].clone()).collect();
            let mut ordered: Vec<(usize, (usize, usize))> = places.into_iter().collect();
            ordered.sort_unstable();
            let mut builder = TableBuilder::new(of, Storage::Compact, self.context);
            let mut at = 0;
            while at < ordered.len() {
                let (batch, place) = ordered[at].1;
                let next = |(more, (_, of)): (usize, &(usize, (usize, usize)))| *of == (batch, place + more);
                let count = ordered[at..].iter().enumerate().take_while(|of| next(*of)).count();
                let values = batches[batch].iter().map(|column| column.slice(place, count)).collect();
                builder.push_columns(count, values)?;
                at += count;
            }
            let rows: Vec<usize> = ordered.into_iter().map(|(row, _)| row).collect();
            let known = (self.state.domains(), false);
            table = table.with_values(&columns, (&rows, builder.finish()?), known, self.context)?;
        }
        if waiting.appended_rows > 0 {
            let mut builder = TableBuilder::new(fields, Storage::Compact, self.context);
            for (count, columns) in waiting.appended {
                builder.push_columns(count, columns)?;
            }
            table = table.with_rows_behind(builder.finish()?, self.state.domains(), &|_| Ok(()), self.context)?.0;
        }
        let mut gone = waiting.gone;
        gone.sort_unstable();
        gone.dedup();
        without(table, &gone, &self.state, source, self.context)
    }
}

/// Whether a change is one of rows that are here.
fn is_small(of: &ObjectChange) -> bool {
    let is_here = |rows: &Rows| matches!(rows, Rows::Here(_));
    let of_rows = match &of.rows {
        RowChange::Steps { set, appended, .. } => set.iter().flat_map(|set| &set.values).chain(appended).all(is_here),
        _ => false,
    };
    of.was.is_none() && of.definition.is_none() && of_rows
}
