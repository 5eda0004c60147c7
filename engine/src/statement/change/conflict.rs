//! INSERT with RETURNING and ON CONFLICT: which rows come in, which would meet one that is there, and what becomes of that.

use super::super::{Inserted as Appended, check_not_null, of_relation};
use super::references::Altered;
use super::views::{Checks, all_columns};
use super::{Given, Numbers, Outcome, rows_of};
use crate::catalog::{IndexRows, Qualified, State, StoredTable};
use crate::keys::{self, KeyIndexes};
use crate::running::Runner;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::domain;
use multiloop_exec::column::narrow::alike;
use multiloop_exec::column::{Chunk, Column, ColumnData, Table};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::Key;
use multiloop_planner::sql::{Conflict, ConflictUpdate};
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// What has become of an insertion.
pub(super) enum Inserting {
    /// It is done.
    Done(Box<Inserted>),
    /// A transaction has rows, of these numbers, that it is to change.
    Waits(Arc<Vec<usize>>),
}

/// An insertion that is done, but for what references say of it.
pub(super) struct Inserted {
    /// What it gives back.
    pub(super) outcome: Outcome,
    /// The rows that it has changed, by their numbers.
    pub(super) changed: Arc<Vec<usize>>,
    /// What references are to be told of them.
    pub(super) altered: Vec<Altered>,
    /// The rows that came in.
    pub(super) appended: Option<Appended>,
}

/// Rows that are to be inserted, sorted out.
struct Sorted {
    /// Those that no row has a key of.
    new: Vec<usize>,
    /// The others that meet a row of the table, and the numbers of these.
    met: Vec<(usize, usize)>,
    /// Whether one meets another that comes.
    is_repeated: bool,
}

impl Runner<'_> {
    /// Puts the rows of an INSERT's query into a table of a state, but for those that have a key of a row that is there. Of the rows
    /// of the table some are the statement's own.
    pub(super) fn insert_given(
        &self,
        state: &mut State,
        name: &Qualified,
        given: Given,
        (conflict, checks, returning): (&Conflict, &[String], Option<usize>),
        is_own: impl Fn(usize) -> bool,
    ) -> Result<Inserting> {
        let context = self.session.loading();
        let stored = state.table(name)?.loaded(&|| state.domains(), &context)?.into_owned();
        let fields = stored.info.declared.fields(&stored.info.fields);
        let own: Vec<usize> = (0..fields.len()).collect();
        let values = given.rows.clone().rearranged(&own);
        let told = |error: Error| error.in_table(&name.schema, &name.name);
        let declared = &stored.info.declared;
        check_not_null(&name.name, &stored.info.fields, &values)
            .map_err(|error| told(of_relation(error, &name.name)))?;
        self.check_conditions(&name.name, declared, &values, state).map_err(told)?;
        let indexes = self.coming_to_indexes(&stored, (&values, &conflict.indexes), state)?;
        let sorted = sorted_out(&stored, &values, (conflict, &indexes), &context)?;
        if conflict.update.is_some() && sorted.is_repeated {
            return Err(twice());
        }
        let new = values.rows_at(&sorted.new, &own, &context)?.with_fields(fields)?;
        if conflict.update.is_some() {
            let mut there: Vec<usize> = sorted.met.iter().map(|&(_, there)| there).collect();
            there.sort_unstable();
            there.dedup();
            if there.iter().any(|&row| is_own(row)) {
                return Err(twice());
            }
            let there = Arc::new(there);
            if !self.locked(name, &there, multiloop_planner::sql::Strength::Update)? {
                return Ok(Inserting::Waits(there));
            }
        }
        // A key that an update gives up is free for rows that come.
        let mut altered = Vec::new();
        let mut updated = None;
        if let Some(update) = conflict.update.as_ref().filter(|_| !sorted.met.is_empty()) {
            let met = self.met_given(&stored, (&values, &sorted.met), update, &context)?;
            altered = self.apply(state, name, Some(&update.columns), &met)?;
            let stored = state.table(name)?;
            let row = |at: usize| rows_of(stored, &[met.numbers[at]], &context);
            self.check_views(state, &Checks::of(&update.checks, &met.rows, update.columns.len()), row)?;
            updated = Some(met);
        }
        let appended = match new.rows() {
            0 => None,
            _ => Some(self.append_to(state, name, |_| Ok(new))?),
        };
        if let Some(appended) = appended.as_ref().filter(|_| !checks.is_empty()) {
            let held: Vec<usize> = (own.len()..own.len() + checks.len()).collect();
            let held = given.rows.rows_at(&sorted.new, &held, &context)?;
            let row = |at: usize| appended.rows.rows_at(&[at], &all_columns(&appended.rows), &context);
            self.check_views(state, &Checks::of(checks, &held, 0), row)?;
        }
        let count = sorted.new.len() + updated.as_ref().map_or(0, |met| met.numbers.len());
        let rows = match returning {
            Some(returning) => returned(&given.rows, (&sorted, updated.as_ref()), returning, &context)?,
            None => given.rows,
        };
        let changed = updated.map_or_else(Arc::default, |met| met.numbers);
        Ok(Inserting::Done(Box::new(Inserted { outcome: Outcome { count, rows }, changed, altered, appended })))
    }

    /// What DO UPDATE makes of rows that are there.
    fn met_given(
        &self,
        stored: &StoredTable,
        (values, met): (&Table, &[(usize, usize)]),
        update: &ConflictUpdate,
        context: &Context,
    ) -> Result<Given> {
        let (coming, there): (Vec<usize>, Vec<usize>) = met.iter().copied().unzip();
        let numerics = &stored.info.declared.numerics;
        let own: Vec<usize> = (0..values.fields.len()).collect();
        let there_rows = rows_of(stored, &there, context)?.as_numerics(numerics, context)?;
        let coming_rows = values.rows_at(&coming, &own, context)?.as_numerics(numerics, context)?;
        let mut at = 0;
        let mut chunks = Vec::new();
        for (a, b) in there_rows.chunks.iter().zip(coming_rows.chunks.iter()) {
            let numbers = there[at..at + a.rows].iter().map(|&number| number as i64).collect();
            at += a.rows;
            let mut columns: Vec<Column> = a.columns.iter().chain(&b.columns).cloned().collect();
            columns.push(Column::new(ColumnData::Int64(numbers), None));
            chunks.push(Arc::new(Chunk::new(a.rows, columns)));
        }
        let mut fields: Vec<Field> = there_rows.fields.iter().chain(&coming_rows.fields).cloned().collect();
        fields.push(Field::new("row number", DataType::BigInt, false));
        fields.iter_mut().rev().skip(1).for_each(|field| field.nullable = true);
        let rows = Table { fields, chunks: chunks.into(), statistics: Arc::default() }.measured(Some(context));
        self.snapshot.give(update.handle, rows);
        let declared = stored.info.declared.fields(&stored.info.fields);
        let mut fields = vec![Field::new("row number", DataType::BigInt, true)];
        fields.extend(update.columns.iter().map(|&column| Field { nullable: true, ..declared[column].clone() }));
        fields.extend(update.checks.iter().map(|view| Field::new(view, DataType::Boolean, true)));
        let own = fields.len();
        let rest = update.query.fields().split_off(own);
        fields.extend(rest.into_iter().map(|field| Field { nullable: true, ..field }));
        self.given(update.query.clone(), (fields, own), Numbers::Once)
    }
}

pub(super) fn twice() -> Error {
    let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
    let hint = "Ensure that no rows proposed for insertion within the same command have duplicate constrained values.";
    Error::new(ErrorKind::Cardinality, message).with_hint(hint)
}

/// Which rows are new, by the keys and indexes that an ON CONFLICT is about.
fn sorted_out(
    stored: &StoredTable,
    values: &Table,
    (conflict, indexes): (&Conflict, &[(Key, IndexRows, Table)]),
    context: &Context,
) -> Result<Sorted> {
    let declared = &stored.info.declared;
    let numerics = &declared.numerics;
    let (old, rows) = if numerics.is_empty() {
        (Table::clone(stored.stored()), values.clone())
    } else {
        let rows = values.clone().narrowed(numerics, context)?;
        alike(Table::clone(stored.stored()), rows, numerics, context)?
    };
    let (own, marks) = (stored.own_domains(), stored.info.hidden.deleted);
    let columns: Vec<usize> = (0..rows.fields.len()).collect();
    let (old, rows, keys) = match domain::coded(&own, &columns, &rows, context)? {
        Some((rows, _)) => (old, rows, Arc::clone(&stored.keys)),
        None => (domain::decode(&old, &own, context)?, rows, KeyIndexes::new(stored.info.handle)),
    };
    let snapshot = stored.info.handle;
    let change = keys::Change { snapshot, old: &old, rows: &rows, all: &old, shown: values, marks };
    let about: Vec<(usize, &Key)> = conflict.keys.iter().map(|&number| (number, &declared.keys[number])).collect();
    let mut there: Vec<Option<usize>> = vec![None; rows.rows()];
    for &key in &about {
        let found = keys.find(key, &change, context)?;
        there.iter_mut().zip(found).for_each(|(there, found)| *there = there.or(found));
    }
    let mut coming: Vec<(&Key, &Table, Option<usize>)> = about.iter().map(|&(_, key)| (key, &rows, None)).collect();
    for (key, known, rows) in indexes {
        let (old, marks) = (&*known.rows, Some(known.marks()));
        let change = keys::Change { snapshot, old, rows, all: old, shown: rows, marks };
        let found = known.keys.find((0, key), &change, context)?;
        there.iter_mut().zip(found).for_each(|(there, found)| *there = there.or(found));
        coming.push((key, rows, marks));
    }
    let is_new = KeyIndexes::new_among(&coming, &there, context)?;
    let mut sorted = Sorted { new: Vec::new(), met: Vec::new(), is_repeated: false };
    for (row, (there, is_new)) in there.into_iter().zip(is_new).enumerate() {
        match there {
            Some(there) => sorted.met.push((row, there)),
            None if is_new => sorted.new.push(row),
            None => sorted.is_repeated = true,
        }
    }
    Ok(sorted)
}

/// The columns of RETURNING of the rows that came in and of those that were changed instead, in the order in which they came.
fn returned(
    given: &Table,
    (sorted, updated): (&Sorted, Option<&Given>),
    returning: usize,
    context: &Context,
) -> Result<Table> {
    let last = |table: &Table| (table.fields.len() - returning..table.fields.len()).collect::<Vec<_>>();
    let new = given.rows_at(&sorted.new, &last(given), context)?;
    let Some(updated) = updated.filter(|updated| !updated.numbers.is_empty()) else { return Ok(new) };
    let changed = updated.rows.clone().rearranged(&last(&updated.rows));
    let all = vec![true; returning];
    let (new, changed) = alike(new, changed.narrowed(&all, context)?, &all, context)?;
    let mut places: Vec<usize> = sorted.new.clone();
    let mut coming: Vec<(usize, usize)> = sorted.met.iter().map(|&(row, there)| (there, row)).collect();
    coming.sort_unstable();
    let row_of = |number: usize| coming[coming.partition_point(|&(there, _)| there < number)].1;
    places.extend(updated.numbers.iter().map(|&number| row_of(number)));
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&at| places[at]);
    let columns: Vec<usize> = (0..returning).collect();
    new.append(&changed, context)?.rows_at(&order, &columns, context)
}
