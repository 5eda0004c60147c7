//! Sequences: what they are declared as, where they are, and the columns that they go with.

use super::Making;
use super::rows::{Rows, boolean, int, oid};
use super::types::type_oid;
use crate::catalog::{Entry, Object, Position, StoredSequence, StoredTable};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::Declared;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// The columns of a sequence that is read as a table.
const COLUMNS: [(&str, DataType); 3] =
    [("last_value", DataType::BigInt), ("log_cnt", DataType::BigInt), ("is_called", DataType::Boolean)];

/// The same as fields.
pub(super) fn fields() -> Vec<Field> {
    COLUMNS.map(|(name, of)| Field::new(name, of, false)).to_vec()
}

/// A sequence as a table of one row, where it is now.
pub(crate) fn row_of_sequence(name: &str, sequence: &StoredSequence) -> StoredTable {
    let Position { last_value, is_called, log_count } = sequence.counter.position();
    let row = vec![Value::Int(last_value), Value::Int(log_count), Value::Boolean(is_called)];
    let declared = Declared { is_sequence: true, ..Declared::default() };
    StoredTable::new(name, Table::from_values(fields(), &[row]), Arc::new(declared))
}

/// All sequences.
fn sequences<'m>(making: &'m Making<'_>) -> impl Iterator<Item = (&'m Object, &'m StoredSequence)> {
    making.objects().filter_map(|(_, _, object)| match &object.entry {
        Entry::Sequence(sequence) => Some((object, sequence)),
        _ => None,
    })
}

/// Whether a number is a sequence's.
pub(super) fn is_one(making: &Making<'_>, number: u32) -> bool {
    sequences(making).any(|(object, _)| object.oid == number)
}

/// Rows of pg_sequence.
pub(super) fn declared(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "seqrelid seqtypid seqstart seqincrement seqmax seqmin seqcache seqcycle";
    let mut rows = Rows::new("pg_sequence", columns);
    for (object, sequence) in sequences(making) {
        let of = &sequence.definition;
        let numbers = [of.start, of.increment, of.max, of.min, of.cache].map(int);
        let first = [oid(object.oid), oid(type_oid(of.data_type))];
        rows.push(first.into_iter().chain(numbers).chain([boolean(of.cycles)]));
    }
    rows.finish()
}

/// Rows of multiloop_sequence: the values that sequences gave last, NULL of those that gave none.
pub(super) fn positions(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_sequence", "oid last_value");
    for (object, sequence) in sequences(making) {
        let at = sequence.counter.position();
        rows.push([oid(object.oid), if at.is_called { int(at.last_value) } else { Value::Null }]);
    }
    rows.finish()
}

/// The columns that own sequences: the sequence, the table, the column's number, and how it depends on that.
pub(super) fn owners(making: &Making<'_>) -> Vec<(u32, u32, usize, &'static str)> {
    let owner = |(object, sequence): (&Object, &StoredSequence)| {
        let owner = sequence.owner.as_ref()?;
        let (.., table) = making.state.iter().find(|(_, _, table)| table.oid == owner.table)?;
        let fields = match &table.entry {
            Entry::Table(stored) => stored.info.fields.as_slice(),
            Entry::View(view) => &view.fields,
            _ => return None,
        };
        let column = fields.iter().position(|field| field.name == owner.column)?;
        Some((object.oid, table.oid, column + 1, if owner.is_identity { "i" } else { "a" }))
    };
    sequences(making).filter_map(owner).collect()
}
