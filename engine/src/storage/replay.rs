//! Does what a record says to a state: the next one.

use super::record::{
    Change, Definition, Kind, ObjectChange, Piece, RowChange, Rows, RowsFile, SchemaDefinition, numbers,
};
use super::rows::{Reading, Take};
use super::salvage::Salvage;
use super::values;
use crate::catalog::{
    Arranged, Counter, Entry, Object, Position, Qualified, Schema, State, StoredSequence, StoredTable, StoredView,
    next_version,
};
use crate::{Error, Result};
use multiloop_exec::column::Table;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::domain::can_arrange_by;
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::Declared;
use multiloop_planner::types::Field;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where the rows of records are.
pub(super) struct Source<'s> {
    /// The streams of the record.
    pub(super) streams: &'s [u8],
    /// Gives the bytes of a file.
    pub(super) file: &'s dyn Fn(&RowsFile) -> Result<arrow::buffer::Buffer>,
    /// The error for what is not as it should be.
    pub(super) damaged: &'s dyn Fn(String) -> Error,
    /// What has been left out, if that may be.
    pub(super) salvage: Option<&'s Salvage>,
}

impl Source<'_> {
    fn wrong(&self, what: impl Into<String>) -> Error {
        (self.damaged)(what.into())
    }

    /// Gives rows of a table of these fields.
    pub(super) fn read(&self, rows: &Rows, fields: &[Field], take: &mut Take<'_>) -> Result<()> {
        let reading = Reading::of(fields);
        match rows {
            Rows::Here(range) => {
                let bytes = self.streams.get(range.clone()).ok_or_else(|| self.wrong("rows are missing"))?;
                reading.stream(bytes, self.damaged, take)
            }
            Rows::File(file) => reading.file(&(self.file)(file)?, self.damaged, take),
        }
    }

    fn table(&self, rows: &[Rows], fields: &[Field], context: &Context) -> Result<Table> {
        let mut builder = TableBuilder::new(fields.to_vec(), Storage::Compact, context);
        for rows in rows {
            self.read(rows, fields, &mut |rows, columns| builder.push_columns(rows, columns))?;
        }
        builder.finish()
    }
}

/// The state after a change.
///
/// # Errors
/// XX001 if the change does not fit the state, 53200 if there is not the memory.
pub(super) fn replay(before: &State, change: &Change, source: &Source<'_>, context: &Context) -> Result<State> {
    let mut state = before.clone();
    for (name, definition) in &change.schemas {
        match definition {
            Some(definition) => put_schema(&mut state, name, definition),
            None => drop(Arc::make_mut(&mut state.schemas).remove(name)),
        }
    }
    for name in &change.removed {
        state.remove(name);
    }
    for of in &change.objects {
        if let Some(was) = &of.was {
            // Another may have come there.
            if before.object(was).map(|object| object.oid) == state.object(was).map(|object| object.oid) {
                state.remove(was);
            }
        }
    }
    for of in &change.objects {
        let old = before.object(of.was.as_ref().unwrap_or(&of.name));
        let object = next(old, of, &state, source, context)?;
        put(&mut state, &of.name, object, source)?;
    }
    Ok(state)
}

/// Puts sequences to where they have moved. One that is not there any more has been dropped.
pub(super) fn move_counters(state: &State, counters: &[(u32, i64, bool)]) {
    for &(number, last_value, is_called) in counters {
        let object = state.numbered(number).and_then(|name| state.object(&name));
        if let Some(Entry::Sequence(sequence)) = object.map(|object| &object.entry) {
            sequence.counter.restore((last_value, is_called));
        }
    }
}

/// Puts a schema's definition into a state.
pub(super) fn put_schema(state: &mut State, name: &str, SchemaDefinition { oid, comment, owned }: &SchemaDefinition) {
    let schemas = Arc::make_mut(&mut state.schemas);
    let objects = schemas.get(name).map_or_else(BTreeMap::new, |schema| schema.objects.clone());
    let schema = Schema { oid: *oid, objects, comment: comment.clone(), owned: owned.clone() };
    schemas.insert(name.to_owned(), Arc::new(schema));
}

/// Puts an object into a schema that there is.
pub(super) fn put(state: &mut State, name: &Qualified, object: Object, source: &Source<'_>) -> Result<()> {
    let schema = Arc::make_mut(&mut state.schemas).get_mut(&name.schema);
    let schema = schema.ok_or_else(|| source.wrong(format!("there is no schema \"{}\"", name.schema)))?;
    Arc::make_mut(schema).objects.insert(name.name.clone(), object);
    Ok(())
}

/// An object of its definition, with these rows if it is a table.
pub(super) fn object(
    definition: &Definition,
    name: &str,
    table: impl FnOnce() -> Result<StoredTable>,
) -> Result<Object> {
    let entry = match &definition.kind {
        Kind::Table { fields, declared } => Entry::Table(table()?.defined(name, fields, Declared::clone(declared))),
        Kind::View { view, fields } => {
            Entry::View(StoredView { view: Arc::clone(view), fields: fields.as_slice().into() })
        }
        Kind::Type(data_type) => Entry::Type(*data_type),
        Kind::Routine(routine) => Entry::Routine(Arc::clone(routine)),
        Kind::Sequence { definition, owner, at: (last_value, is_called) } => {
            let at = Position { last_value: *last_value, is_called: *is_called, log_count: 0 };
            let definition = Arc::new(definition.clone());
            Entry::Sequence(StoredSequence { definition, counter: Counter::at(at), owner: owner.clone() })
        }
    };
    Ok(Object {
        oid: definition.oid,
        numbers: Arc::new(definition.numbers.clone()),
        comments: definition.comments(),
        owned: definition.owned.clone(),
        version: next_version(),
        entry,
    })
}

/// The same; where its rows cannot be had, and that may be, one that says so to who asks for them.
pub(super) fn whole_object(
    definition: &Definition,
    name: &str,
    table: impl FnOnce() -> Result<StoredTable>,
    source: &Source<'_>,
) -> Result<Object> {
    let Kind::Table { fields, declared } = &definition.kind else { return object(definition, name, table) };
    let salvaged = || match (table(), source.salvage) {
        (Err(error), Some(salvage)) if Salvage::may_leave_out(&error) => {
            Ok(salvage.without_rows(name, (fields, declared), error))
        }
        (table, _) => table,
    };
    object(definition, name, salvaged)
}

fn next(
    old: Option<&Object>,
    change: &ObjectChange,
    state: &State,
    source: &Source<'_>,
    context: &Context,
) -> Result<Object> {
    let name = &change.name.name;
    let missing = || source.wrong(format!("there is no \"{}\"", change.name.to_name().plain()));
    let old_table = || match old.map(|old| &old.entry) {
        Some(Entry::Table(table)) => Some(table),
        _ => None,
    };
    let whole_table = || {
        let table = old_table().ok_or_else(missing)?;
        table.broken.as_deref().map_or(Ok(table), |error| Err(error.clone()))
    };
    let definition = match &change.definition {
        Some(definition) => definition.clone(),
        None => old.and_then(Definition::of).ok_or_else(missing)?,
    };
    let rows = || -> Result<StoredTable> {
        let Kind::Table { fields, declared } = &definition.kind else { return Err(missing()) };
        match &change.rows {
            RowChange::None => old_table().cloned().ok_or_else(missing),
            RowChange::Steps { set, gone, appended } => {
                let mut table = whole_table()?.clone();
                for set in set {
                    let of = |&column: &usize| fields.get(column).cloned().map(any).ok_or_else(missing);
                    let of = set.columns.iter().map(of).collect::<Result<Vec<_>>>()?;
                    let (rows, values) = (numbers(&set.rows), source.table(&set.values, &of, context)?);
                    check(source, values.rows() == rows.len() && is_within(&rows, &table))?;
                    table = table.with_values(&set.columns, (&rows, values), (state.domains(), false), context)?;
                }
                if !appended.is_empty() {
                    let fields: Vec<Field> = fields.iter().cloned().map(any).collect();
                    let rows = source.table(appended, &fields, context)?;
                    table = table.with_rows_behind(rows, state.domains(), &|_| Ok(()), context)?.0;
                }
                without(table, &numbers(gone), state, source, context)
            }
            RowChange::Arranged { by } => arranged(whole_table()?, by, state, source, context),
            RowChange::Pieces { pieces, gone } => {
                let of: Vec<Field> = fields.iter().cloned().map(any).collect();
                let mut builder = TableBuilder::new(of.clone(), Storage::Compact, context);
                for piece in pieces {
                    match piece {
                        Piece::New(rows) => {
                            source.read(rows, &of, &mut |rows, columns| builder.push_columns(rows, columns))?;
                        }
                        Piece::Kept(first, count) => {
                            let old = whole_table()?;
                            check(source, first + count <= old.stored().rows())?;
                            let rows = values::between(old, *first..first + count, context)?;
                            for chunk in &rows.chunks {
                                builder.push_columns(chunk.rows, chunk.columns.clone())?;
                            }
                        }
                    }
                }
                let table = stored(name, builder.finish()?, declared, state, context)?;
                without(table, &numbers(gone), state, source, context)
            }
        }
    };
    whole_object(&definition, name, rows, source)
}

/// A table whose rows are arranged by these columns, without those that are deleted.
fn arranged(
    old: &StoredTable,
    by: &[usize],
    state: &State,
    source: &Source<'_>,
    context: &Context,
) -> Result<StoredTable> {
    let can = |&column: &usize| old.info.fields.get(column).is_some_and(|field| can_arrange_by(field.data_type));
    check(source, by.iter().all(can))?;
    match old.arranged(by, usize::MAX, state.domains(), context)? {
        Arranged::Anew(next) => Ok(*next),
        Arranged::Already | Arranged::TooFar => Ok(old.clone()),
    }
}

/// A table of rows as they were declared.
pub(super) fn stored(
    name: &str,
    rows: Table,
    declared: &Declared,
    state: &State,
    context: &Context,
) -> Result<StoredTable> {
    let rows = rows.narrowed(&declared.numerics, context)?;
    StoredTable::encoded(name, rows, Arc::new(declared.clone()), state.domains(), context)
}

/// A table without some rows.
pub(super) fn without(
    table: StoredTable,
    gone: &[usize],
    state: &State,
    source: &Source<'_>,
    context: &Context,
) -> Result<StoredTable> {
    if gone.is_empty() {
        return Ok(table);
    }
    check(source, is_within(gone, &table))?;
    table.with_deleted(gone, state.domains(), context)
}

/// Whatever may be NULL is seen to by the definition.
pub(super) fn any(field: Field) -> Field {
    Field { nullable: true, ..field }
}

pub(super) fn is_within(rows: &[usize], table: &StoredTable) -> bool {
    rows.is_sorted_by(|a, b| a < b) && rows.last().is_none_or(|&last| last < table.stored().rows())
}

pub(super) fn check(source: &Source<'_>, is_right: bool) -> Result<()> {
    if is_right { Ok(()) } else { Err(source.wrong("rows that do not fit their table")) }
}
