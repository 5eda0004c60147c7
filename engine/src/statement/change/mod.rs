//! UPDATE, DELETE, and what INSERT has beside rows: RETURNING and ON CONFLICT.
//!
//! 1. The statement's query gives numbers of rows, new values and RETURNING, of the snapshot that the statement sees.
//! 2. With the right to write, the table is looked at again: if it is another snapshot now, the statement begins anew.
//! 3. The next snapshot is made (`exec/src/column/change`), and what its table is held to is checked with it: NOT NULL and CHECK of new
//!    values, then keys.
//! 4. Tables that refer to it are changed as their references say, and at last every reference is checked with the state that has
//!    all changes (`references`).
//!
//! Nobody sees any of it before all of it is done, and after an error nobody does.

mod conflict;
mod merged;
mod parts;
mod rebase;
mod references;
mod views;

use super::{check_not_null, of_relation};
use crate::catalog::history;
use crate::catalog::{Domains, Entry, Object, Qualified, State, StoredTable, TEMPORARY};
use crate::keys::KeyIndexes;
use crate::plan::Timings;
use crate::row_locks::{NEW, Rows};
use crate::running::Runner;
use crate::stream::ResultStream;
use crate::transaction::{conflict as conflict_of, object_of};
use crate::{Error, Result};
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::Int64Type;
use multiloop_exec::column::arrow::{fields_of, schema_of_rows, to_record_batch_as};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::domain;
use multiloop_exec::column::{Chunk, Table};
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_planner::catalog::{Hidden, Key, TableInfo};
use multiloop_planner::relation::Query;
use multiloop_planner::sql::{Change, ChangeKind, Strength};
use multiloop_planner::types::{DataType, Field};
use references::Altered;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows of a change's query.
struct Given {
    /// The numbers of rows that are changed, which ascend; none of an insertion. Whoever takes the rows holds them, too.
    numbers: Arc<Vec<usize>>,
    /// The columns behind them, those of RETURNING last.
    rows: Table,
}

/// Numbers of rows at least, that a list grows by a multiple of: what of that is not used is no memory yet, and what was copied would be.
const MANY_NUMBERS: usize = 1 << 19;

/// This multiple.
const GROWTH: usize = 8;

/// What the first column of a change's query is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// Not a number.
    None,
    /// The number of a row; of one that comes several times the first counts.
    First,
    /// The number of a row, which is to come once (21000).
    Once,
}

/// What a change gives back.
struct Outcome {
    /// How many rows it has changed.
    count: usize,
    /// Rows whose last columns are those of RETURNING, in order.
    rows: Table,
}

impl Runner<'_> {
    /// Takes rows until the transaction ends; whether nobody else has one of them, and nobody has changed one since the transaction
    /// began.
    pub(super) fn locked(&self, name: &Qualified, numbers: &Arc<Vec<usize>>, strength: Strength) -> Result<bool> {
        let locks = &self.session.engine.0.row_locks;
        let numbers = &self.of_all(name, numbers);
        let Some(rows) = self.lockable(name, numbers, strength).filter(|rows| !rows.numbers.is_empty()) else {
            return Ok(true);
        };
        Ok(locks.try_take(self.session.work.identity().0, rows) && !self.is_overtaken(name, numbers)?)
    }

    /// Takes what who inserts into a table takes of it: nobody may have it whole. False if somebody has, who is to be waited for.
    pub(in crate::statement) fn inserts_into(&self, name: &Qualified) -> bool {
        let Some((session, table)) = self.new_rows_of(name) else { return true };
        let rows = Rows { table, line: NEW, numbers: &Arc::new(vec![0]), strength: Strength::Update };
        self.session.engine.0.row_locks.try_take(session, rows)
    }

    /// Waits until nobody else has a table whole that rows are to be inserted into.
    pub(in crate::statement) fn wait_to_insert(&self, name: &Qualified) -> Result<()> {
        let Some((session, table)) = self.new_rows_of(name) else { return Ok(()) };
        let rows = Rows { table, line: NEW, numbers: &Arc::new(vec![0]), strength: Strength::Update };
        let limit = self.session.work.time_limit("lock_timeout");
        self.session.engine.0.row_locks.take(session, rows, (&self.session.cancellation, limit))
    }

    /// The session, and the number of a table whose new rows it takes; none of what is temporary, nor where there is nobody whom it
    /// would tell: alone a statement ends at once.
    fn new_rows_of(&self, name: &Qualified) -> Option<(u32, u32)> {
        let locks = &self.session.engine.0.row_locks;
        if name.schema == TEMPORARY || (!self.session.work.is_explicit() && locks.is_empty()) {
            return None;
        }
        let object = self.snapshot.state.object(name)?;
        Some((self.session.work.identity().0, object.oid))
    }

    /// Waits until nobody else has one of some rows, and takes them.
    pub(super) fn wait_for(&self, name: &Qualified, numbers: &Arc<Vec<usize>>, strength: Strength) -> Result<()> {
        let locks = &self.session.engine.0.row_locks;
        let numbers = &self.of_all(name, numbers);
        let Some(rows) = self.lockable(name, numbers, strength) else { return Ok(()) };
        let limit = self.session.work.time_limit("lock_timeout");
        locks.take(self.session.work.identity().0, rows, (&self.session.cancellation, limit))
    }

    /// The numbers of rows that others may want: not those that the transaction has inserted itself. What it knows these by are numbers
    /// that others have, or will have, for rows of theirs.
    fn of_all(&self, name: &Qualified, numbers: &Arc<Vec<usize>>) -> Arc<Vec<usize>> {
        let Some((base, _)) = self.session.work.base() else { return Arc::clone(numbers) };
        let stored = |object: Option<&Object>| match object.map(|object| &object.entry) {
            Some(Entry::Table(stored)) => Some((stored.history.line(), stored.stored().rows())),
            _ => None,
        };
        let (was, is) = (stored(object_of(&base, name)), stored(self.snapshot.state.object(name)));
        // Where it has given all rows other numbers, nobody else has any of these.
        let first = match (was, is) {
            (Some((line, rows)), Some((own, _))) if line == own => rows,
            (None, _) => 0,
            _ => return Arc::clone(numbers),
        };
        match numbers.partition_point(|&number| number < first) {
            count if count == numbers.len() => Arc::clone(numbers),
            count => Arc::new(numbers[..count].to_vec()),
        }
    }

    /// Rows as they are locked; none of what is temporary, which is the session's own.
    fn lockable<'n>(&self, name: &Qualified, numbers: &'n Arc<Vec<usize>>, strength: Strength) -> Option<Rows<'n>> {
        let object = self.snapshot.state.object(name).filter(|_| name.schema != TEMPORARY)?;
        let Entry::Table(stored) = &object.entry else { return None };
        Some(Rows { table: object.oid, line: stored.history.line(), numbers, strength })
    }

    /// Whether somebody else has one of some rows.
    pub(super) fn is_held(&self, name: &Qualified, numbers: &Arc<Vec<usize>>, strength: Strength) -> bool {
        let locks = &self.session.engine.0.row_locks;
        let numbers = &self.of_all(name, numbers);
        let rows = self.lockable(name, numbers, strength);
        rows.is_some_and(|rows| locks.is_held(self.session.work.identity().0, rows))
    }

    /// All rows of a query, whose last columns may be numbers of rows.
    pub(super) fn rows_with_numbers(&self, query: &Query) -> Result<Table> {
        let fields = query.fields().into_iter().map(|field| Field { nullable: true, ..field }).collect();
        self.given(query.clone(), (fields, 0), Numbers::None).map(|given| given.rows)
    }

    /// Whether somebody else has changed one of some rows, and committed that, since the transaction began, or its statement.
    ///
    /// # Errors
    /// 40001 so far as the transaction goes on to see what it saw first.
    fn is_overtaken(&self, name: &Qualified, numbers: &[usize]) -> Result<bool> {
        let Some((base, sees_others)) = self.session.work.base() else { return Ok(false) };
        let now = self.session.engine.0.catalog.snapshot();
        let (Some(was), Some(is)) = (object_of(&base, name), object_of(&now, name)) else { return Ok(false) };
        let (Entry::Table(old), Entry::Table(new)) = (&was.entry, &is.entry) else { return Ok(false) };
        if was.version == is.version {
            return Ok(false);
        }
        let first = old.stored().rows();
        let others = new.history.since(&old.history);
        let others = others.map(|steps| history::rows_of(&steps, first));
        match others {
            Some(others) if !history::meet(&others, numbers) => Ok(false),
            _ if sees_others => Ok(true),
            _ => Err(conflict_of(&format!("{}.{}", name.schema, name.name))),
        }
    }

    /// Drops deleted rows of tables where they are many, unless a transaction knows rows by the numbers that they have, or may have to.
    fn drop_deleted(&self, state: &mut State, tables: &BTreeSet<Qualified>) -> Result<()> {
        let context = self.session.loading();
        if self.session.engine.0.catalog.is_pinned() {
            return Ok(());
        }
        for name in tables {
            let Some(object) = state.object(name) else { continue };
            let Entry::Table(stored) = &object.entry else { continue };
            if self.session.engine.0.row_locks.has_others(self.session.work.identity().0, object.oid) {
                continue;
            }
            if let Some(next) = dropped(stored, state, &context)? {
                state.insert(name, Entry::Table(next));
            }
        }
        Ok(())
    }

    /// The columns that a change's query gives, as they are stored, and how many of them are before those of RETURNING.
    fn given_fields(&self, change: &Change, info: &TableInfo) -> (Vec<Field>, usize) {
        let declared = info.declared.fields(&info.fields);
        let mut fields = Vec::new();
        match &change.kind {
            ChangeKind::Insert { conflict: _, checks } => {
                fields.clone_from(&declared);
                fields.extend(checks.iter().map(|view| Field::new(view, DataType::Boolean, true)));
            }
            ChangeKind::Update { columns, checks } => {
                fields.push(Field::new("row number", DataType::BigInt, false));
                fields.extend(columns.iter().map(|&column| declared[column].clone()));
                fields.extend(checks.iter().map(|view| Field::new(view, DataType::Boolean, true)));
            }
            ChangeKind::Delete => fields.push(Field::new("row number", DataType::BigInt, false)),
            ChangeKind::Merge { columns, inserts } => {
                fields.push(Field::new("action", DataType::Integer, false));
                fields.push(Field::new("row number", DataType::BigInt, true));
                fields.extend(columns.iter().map(|&column| declared[column].clone()));
                if *inserts {
                    fields.extend(declared.iter().cloned());
                }
            }
        }
        let own = fields.len();
        let rest = change.query.fields().split_off(own);
        // What is declared not to be NULL is seen to when all is there.
        fields.iter_mut().for_each(|field| field.nullable = true);
        fields.extend(rest.into_iter().map(|field| Field { nullable: true, ..field }));
        (fields, own)
    }

    /// The rows of a change's query; of numbered ones each once, in order.
    fn given(&self, query: Query, fields: (Vec<Field>, usize), kind: Numbers) -> Result<Given> {
        self.given_of(self.query(query, Timings::default())?, fields, kind)
    }

    /// The same of what the query gives.
    fn given_of(&self, result: ResultStream, (fields, own): (Vec<Field>, usize), kind: Numbers) -> Result<Given> {
        let mut fields = storable(fields, own, &result)?;
        let context = self.session.loading();
        if kind == Numbers::None {
            let mut builder = TableBuilder::new(fields, Storage::Compact, &context);
            for batch in result {
                builder.push(batch?)?;
            }
            return Ok(Given { numbers: Arc::default(), rows: builder.finish()? });
        }
        // Numbers are no column of the table: of all rows that would be a good part of the work.
        fields.remove(0);
        let columns: Vec<usize> = (1..=fields.len()).collect();
        let mut numbers: Vec<usize> = Vec::new();
        let mut memory = Reservation::new(&context.memory);
        // Values are put into the table's own forms later.
        let mut builder = TableBuilder::new(fields, Storage::Keep, &context);
        for batch in result {
            let batch = batch?;
            self.session.cancellation.check()?;
            let given = batch.column(0).as_primitive_opt::<Int64Type>().filter(|given| given.null_count() == 0);
            let given = given.ok_or_else(|| Error::internal("rows that change have no numbers"))?;
            memory.add(given.len() * size_of::<usize>())?;
            if numbers.len() >= MANY_NUMBERS && numbers.len() + given.len() > numbers.capacity() {
                numbers.reserve(GROWTH * numbers.len());
            }
            numbers.extend(given.values().iter().map(|&number| number as usize));
            if !columns.is_empty() {
                builder.push(batch.project(&columns).map_err(|error| Error::internal(error.to_string()))?)?;
            }
        }
        let rows = builder.finish()?;
        if numbers.is_sorted_by(|a, b| a < b) {
            return Ok(Given { numbers: Arc::new(numbers), rows });
        }
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by_key(|&at| (numbers[at], at));
        order.dedup_by_key(|at| numbers[*at]);
        if kind == Numbers::Once && order.len() < numbers.len() {
            return Err(conflict::twice());
        }
        let rows = match columns.len() {
            0 => rows,
            count => rows.rows_at(&order, &(0..count).collect::<Vec<_>>(), &context)?,
        };
        Ok(Given { numbers: Arc::new(order.into_iter().map(|at| numbers[at]).collect()), rows })
    }

    /// Puts the next snapshot of a table into a state: one in which these rows have other values in these `columns`, or, without such,
    /// are deleted. Gives what references are to be told.
    fn apply(
        &self,
        state: &mut State,
        name: &Qualified,
        columns: Option<&[usize]>,
        given: &Given,
    ) -> Result<Vec<Altered>> {
        // `SET s = DEFAULT` of a computed column alone sets none.
        if given.numbers.is_empty() || columns.is_some_and(<[usize]>::is_empty) {
            return Ok(Vec::new());
        }
        let context = self.session.loading();
        let stored = state.table(name)?.loaded(&|| state.domains(), &context)?.into_owned();
        let told = |error: Error| error.in_table(&name.schema, &name.name);
        let before = self.rows_before(state, name, columns, &given.numbers)?;
        let next = match columns {
            Some(columns) => {
                let places: Vec<usize> = (0..columns.len()).collect();
                let values = given.rows.clone().rearranged(&places);
                self.updated(&stored, columns, (&given.numbers, values), state, &context).map_err(told)?
            }
            None => stored.with_deleted(&given.numbers, state.domains(), &context)?,
        };
        let declared = Arc::clone(&next.info.declared);
        let set = |of: &[usize]| columns.is_some_and(|columns| share(columns, of));
        let checks = declared.checks.iter().any(|check| !check.is_valid && columns.is_some() || set(&check.columns));
        let refers = declared.references.iter().any(|reference| set(&reference.columns));
        let is_referred = columns.is_some() && before.is_some();
        let after = match checks || is_referred {
            true => Some(rows_of(&next, &given.numbers, &context)?),
            false => None,
        };
        if let (true, Some(after)) = (checks, &after) {
            self.check_conditions(&name.name, &declared, after, state).map_err(told)?;
        }
        state.insert(name, Entry::Table(next));
        let refers = if refers { given.numbers.to_vec() } else { Vec::new() };
        let (table, columns) = (name.clone(), columns.map(<[usize]>::to_vec));
        Ok(vec![Altered { table, before, after, columns, refers }])
    }

    /// Rows as they are before they change, if a table refers to what changes of them.
    fn rows_before(
        &self,
        state: &State,
        name: &Qualified,
        columns: Option<&[usize]>,
        numbers: &[usize],
    ) -> Result<Option<Table>> {
        let referring = references::referring(state, name);
        if !referring.iter().any(|(_, of)| columns.is_none_or(|columns| share(columns, &of.referenced))) {
            return Ok(None);
        }
        rows_of(state.table(name)?, numbers, &self.session.loading()).map(Some)
    }

    /// The next snapshot with other values in some columns.
    fn updated(
        &self,
        stored: &StoredTable,
        columns: &[usize],
        (numbers, values): (&[usize], Table),
        state: &State,
        context: &Context,
    ) -> Result<StoredTable> {
        let declared = &stored.info.declared;
        let fields: Vec<Field> = columns.iter().map(|&column| stored.info.fields[column].clone()).collect();
        check_not_null(&stored.info.name, &fields, &values).map_err(|error| of_relation(error, &stored.info.name))?;
        let hidden = stored.info.hidden;
        let keys: Vec<&Key> = declared.keys.iter().filter(|key| share(columns, &key.columns)).collect();
        let known = (state.domains(), keys.is_empty());
        let mut next = stored.with_values(columns, (numbers, values), known, context)?;
        for key in keys {
            let shown = || rows_of(&next, numbers, context);
            KeyIndexes::check_changed(key, next.stored(), (numbers, hidden.deleted), shown, context)?;
        }
        if let Some(rows) = self.check_changed_indexes((stored, &next), (columns, numbers), state)? {
            next = next.with_index_rows(rows, stored.info.handle);
        }
        Ok(next)
    }

    /// What RETURNING gives: the last columns of some rows.
    fn returned(&self, rows: &Table, returning: usize, (verb, query): (&'static str, &Query)) -> Result<ResultStream> {
        let first = rows.fields.len() - returning;
        let columns: Vec<usize> = (first..rows.fields.len()).collect();
        let rows = rows.clone().rearranged(&columns);
        let fields = query.fields().split_off(query.output.len() - returning);
        let fields: Vec<Field> = fields.into_iter().map(|field| Field { nullable: true, ..field }).collect();
        let schema = schema_of_rows(&fields, &rows.chunks, 0..fields.len());
        let (of, shown) = (fields.clone(), Arc::clone(&schema));
        let chunks: Vec<Arc<Chunk>> = rows.chunks.into_vec();
        let batch = move |chunk: Arc<Chunk>| -> Result<RecordBatch> { to_record_batch_as(&of, &shown, &chunk) };
        let sight = self.snapshot.sight(&fields);
        Ok(ResultStream::rows(fields, schema, chunks.into_iter().map(batch)).with_sight(sight).with_verb(verb))
    }
}

/// Whether two lists of columns have one in common.
fn share(a: &[usize], b: &[usize]) -> bool {
    a.iter().any(|column| b.contains(column))
}

/// Fields of a result as tables can have them, behind those that a table has: no column is of rows, which are texts here.
fn storable(mut fields: Vec<Field>, own: usize, result: &ResultStream) -> Result<Vec<Field>> {
    let given = fields_of(&result.schema())?;
    for (field, given) in fields.iter_mut().zip(given).skip(own) {
        if has_rows(field.data_type) {
            field.data_type = given.data_type;
        }
    }
    Ok(fields)
}

/// Whether values of a type are rows, or have some in them.
fn has_rows(data_type: DataType) -> bool {
    data_type.fields().is_some() || data_type.element().is_some_and(has_rows)
}

/// The same rows without those that are deleted, where they are many; none if all stays as it is.
fn dropped(stored: &StoredTable, state: &State, context: &Context) -> Result<Option<StoredTable>> {
    let Some(marks) = stored.info.hidden.deleted else { return Ok(None) };
    let stored = &*stored.loaded(&|| state.domains(), context)?;
    let Some(table) = stored.stored().without_marked(marks, context)? else { return Ok(None) };
    let has_marks = table.fields.len() > stored.info.fields.len();
    let hidden = Hidden { deleted: has_marks.then_some(marks), ..stored.info.hidden };
    Ok(Some(stored.changed((table, hidden), (stored.own_domains(), state.domains()), None, false)))
}

/// The same rows without any that are deleted, which gives the others new numbers.
pub(super) fn without_deleted(stored: &StoredTable, state: &State, context: &Context) -> Result<Option<StoredTable>> {
    let Some(marks) = stored.info.hidden.deleted else { return Ok(None) };
    let without = Hidden { deleted: None, ..stored.info.hidden };
    let stored = &*stored.loaded(&|| state.domains(), context)?;
    let (table, hidden) = match stored.stored().without_any_marked(marks, context)? {
        Some(table) => (table, without),
        None => (stored.stored().without_last(), without),
    };
    Ok(Some(stored.changed((table, hidden), (stored.own_domains(), state.domains()), None, false)))
}

/// Whether a row is deleted.
pub(super) fn is_deleted(stored: &StoredTable, row: usize) -> bool {
    let Some(marks) = stored.info.hidden.deleted else { return false };
    if let Some(gone) = stored.unloaded_gone() {
        return gone.binary_search(&row).is_ok();
    }
    let chunks = &stored.stored().chunks;
    let (chunk, start) = chunks.holding(row);
    Table::is_marked(&chunks[chunk].columns, row - start, marks)
}

/// Rows of a table as values, by their numbers.
pub(in crate::statement) fn rows_of(stored: &StoredTable, numbers: &[usize], context: &Context) -> Result<Table> {
    let stored = &*stored.loaded(&Domains::default, context)?;
    domain::rows_at(stored.stored(), &stored.own_domains(), numbers, stored.info.fields.len(), context)
}
