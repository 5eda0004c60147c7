//! Windows: rows are sorted by partition and order, and one pass over them finds partitions and peers by comparing
//! neighbours, and what each function says.
//!
//! 1. The rows become columns, and the places that they have are one more. By partition, order and place they are sorted, so
//!    that rows which the order leaves tied stay as they were, whatever number of workers there is.
//! 2. A row begins a partition if it differs from the row before in a field of the partition, and a group of peers if it does
//!    so in one of the order, too.
//! 3. `functions` goes over each partition once for each function.

mod functions;

use self::functions::values_of;
use super::sort::order::{RowOrder, SORTED_BYTES, Ties, compare_rows};
use super::sort::{read, taken};
use crate::Result;
use crate::collections::rows::RowSet;
use crate::column::{Chunk, Column};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::workers::context::Reservation;
use crate::workers::schedule::Workers;
use multiloop_planner::evaluate::window::Peers;
use multiloop_planner::multiloop::WindowField;
use multiloop_planner::types::{DataType, SortOrder};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// How the fields of a partition are sorted: any order brings equal ones together.
const TOGETHER: SortOrder = SortOrder { descending: false, nulls_first: false };

/// Bytes that a row takes beside its values: what says which partition and which peers it has.
const PLACED_BYTES: usize = 2 * size_of::<usize>();

/// The rows with the fields that functions add; `types` are those of all of them.
pub(crate) fn window(
    input: &RowSet,
    types: &[DataType],
    (partition, order): (&[u32], &[(u32, SortOrder)]),
    functions: &[WindowField],
    workers: Workers<'_>,
) -> Result<RowSet> {
    let (own, added) = types.split_at(types.len() - functions.len());
    let mut reservation = Reservation::new(&workers.context.memory);
    reservation.add(input.rows * (SORTED_BYTES + PLACED_BYTES + size_of::<i64>()))?;
    let mut columns = read(input, own, workers)?;
    reservation.add(columns.iter().map(ColumnBuilder::bytes).sum())?;
    columns.push(ColumnBuilder::from_i64((0..input.rows as i64).collect(), None));
    let partition: Vec<(usize, SortOrder)> = partition.iter().map(|&field| (field as usize, TOGETHER)).collect();
    let order: Vec<(usize, SortOrder)> = order.iter().map(|&(field, order)| (field as usize, order)).collect();
    let keys = [&partition[..], &order, &[(own.len(), TOGETHER)]].concat();
    let sorted = RowOrder { columns: &columns, order: &keys, ties: Ties::ByPlace }.sorted(input.rows, workers)?;
    columns.truncate(own.len());
    let chunks = taken(&columns, &sorted, own, workers)?;
    let differ = |by: &[(usize, SortOrder)], row: usize| {
        let (before, this) = (sorted[row - 1] as usize, sorted[row] as usize);
        by.iter().any(|&(column, order)| compare_rows(&columns[column], before, this, order).is_ne())
    };
    let arguments = arguments(&chunks, functions, own, &mut reservation)?;
    let mut all: Vec<Vec<Value>> = functions.iter().map(|_| Vec::with_capacity(sorted.len())).collect();
    reservation.add(functions.len() * sorted.len() * size_of::<Value>())?;
    for rows in partitions(sorted.len(), |row| differ(&partition, row)) {
        workers.context.check()?;
        let peers = Peers::new(rows.len(), |row| differ(&order, rows.start + row));
        for (field, values) in functions.iter().zip(&mut all) {
            let of_rows: Vec<&[Value]> = field.arguments.iter().map(|field| &arguments[field][rows.clone()]).collect();
            let data_type = field.arguments.first().map(|&argument| own[argument as usize]);
            values_of(field, (&of_rows, data_type), &peers, workers.context, values)?;
        }
    }
    let columns = |rows: Range<usize>| {
        let column =
            |(data_type, values): (&DataType, &Vec<Value>)| Column::from_values(*data_type, &values[rows.clone()]);
        added.iter().zip(&all).map(column).collect()
    };
    Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(with_columns(chunks, columns)) })
}

/// The rows of each partition; `begins` says of each row but the first whether it begins one.
fn partitions(rows: usize, begins: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = (0..rows).filter(|&row| row == 0 || begins(row)).collect();
    starts.push(rows);
    starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The values of all fields that functions take.
fn arguments(
    chunks: &[Chunk],
    functions: &[WindowField],
    types: &[DataType],
    reservation: &mut Reservation,
) -> Result<FxHashMap<u32, Vec<Value>>> {
    let mut all = FxHashMap::default();
    for &field in functions.iter().flat_map(|function| &function.arguments) {
        if all.contains_key(&field) {
            continue;
        }
        let mut values = Vec::new();
        for chunk in chunks {
            let (column, data_type) = (&chunk.columns[field as usize], types[field as usize]);
            // A NULL has no text, be its code what it may.
            let text = |row| if column.is_null(row) { 0 } else { column.text(row).map_or(0, str::len) };
            reservation.add((0..chunk.rows).map(|row| size_of::<Value>() + text(row)).sum())?;
            values.extend((0..chunk.rows).map(|row| column.value(row, data_type)));
        }
        all.insert(field, values);
    }
    Ok(all)
}

/// The chunks with more columns, made for ranges of all rows.
fn with_columns(chunks: Vec<Chunk>, make: impl Fn(Range<usize>) -> Vec<Column>) -> Vec<Arc<Chunk>> {
    let mut start = 0;
    let chunk = |chunk: Chunk| {
        let rows = start..start + chunk.rows;
        start = rows.end;
        let Chunk { rows: count, mut columns, .. } = chunk;
        columns.extend(make(rows));
        Arc::new(Chunk::new(count, columns))
    };
    chunks.into_iter().map(chunk).collect()
}
