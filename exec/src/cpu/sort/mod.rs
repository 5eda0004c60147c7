//! Sort and Concat of rows.

mod keys;
pub(super) mod order;
mod radix;
#[cfg(test)]
mod tests;

use self::order::{RowOrder, SORTED_BYTES, Ties};
use super::expression::load::load;
use super::vector::Vector;
use crate::Result;
use crate::collections::rows::RowSet;
use crate::column::{Chunk, Column, ColumnData};
use crate::cpu::vector::builder::{ColumnBuilder, concat_all};
use crate::cpu::vector::rows::{Rows, Source};
use crate::plan::register::Register;
use crate::workers::context::Reservation;
use crate::workers::schedule::Workers;
use multiloop_planner::types::{DataType, SortOrder};
use std::sync::Arc;

/// Rows of a chunk of a sorted result.
const SORTED_CHUNK_ROWS: usize = crate::column::CHUNK_ROWS;

/// Rows that one worker puts in order while the others would wake up.
const ALONE_ROWS: usize = 1 << 13;

/// Chunks that are read at a time.
const READ_CHUNKS: usize = 8;

/// The rows in order; ties are broken by all fields, so that equal inputs give equal results.
pub(crate) fn sort(
    input: &RowSet,
    types: &[DataType],
    order: &[(u32, SortOrder)],
    workers: Workers<'_>,
) -> Result<RowSet> {
    let workers = Workers { pool: workers.pool.filter(|_| input.rows > ALONE_ROWS), ..workers };
    let columns = read(input, types, workers)?;
    let mut reservation = Reservation::new(&workers.context.memory);
    reservation.add(columns.iter().map(ColumnBuilder::bytes).sum::<usize>() + input.rows * SORTED_BYTES)?;
    let order: Vec<(usize, SortOrder)> = order.iter().map(|&(field, order)| (field as usize, order)).collect();
    let sorted = RowOrder { columns: &columns, order: &order, ties: Ties::ByFields }.sorted(input.rows, workers)?;
    let chunks = taken(&columns, &sorted, types, workers)?.into_iter().map(Arc::new).collect();
    Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(chunks) })
}

/// These rows of columns, in this order, in chunks.
pub(crate) fn taken(
    columns: &[ColumnBuilder],
    rows: &[u32],
    types: &[DataType],
    workers: Workers<'_>,
) -> Result<Vec<Chunk>> {
    let parts = rows.chunks(SORTED_CHUNK_ROWS);
    let places: Vec<(&[u32], usize)> =
        parts.clone().flat_map(|rows| (0..columns.len()).map(move |column| (rows, column))).collect();
    let column = |(rows, column): (&[u32], usize)| columns[column].take(rows).into_column(types[column]);
    let mut made = workers.map(places, column)?.into_iter();
    Ok(parts.map(|rows| Chunk::new(rows.len(), made.by_ref().take(columns.len()).collect())).collect())
}

/// The same rows in the same order, in as few chunks as can be.
pub(crate) fn gathered(input: &RowSet, types: &[DataType], workers: Workers<'_>) -> Result<RowSet> {
    let columns = read(input, types, workers)?;
    let mut reservation = Reservation::new(&workers.context.memory);
    reservation.add(columns.iter().map(ColumnBuilder::bytes).sum::<usize>() + input.rows * size_of::<u32>())?;
    let rows: Vec<u32> = (0..input.rows as u32).collect();
    let chunks = taken(&columns, &rows, types, workers)?.into_iter().map(Arc::new).collect();
    Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(chunks) })
}

/// All rows as growing columns.
pub(crate) fn read(input: &RowSet, types: &[DataType], workers: Workers<'_>) -> Result<Vec<ColumnBuilder>> {
    let fields: Vec<usize> = (0..types.len()).collect();
    read_fields(input, types, &fields, workers)
}

/// Some fields of all rows as growing columns; types are those of all fields.
pub(crate) fn read_fields(
    input: &RowSet,
    types: &[DataType],
    fields: &[usize],
    workers: Workers<'_>,
) -> Result<Vec<ColumnBuilder>> {
    let batches = input.chunks.chunks(READ_CHUNKS);
    let work: Vec<(usize, &[Arc<Chunk>])> =
        fields.iter().flat_map(|&field| batches.clone().map(move |batch| (field, batch))).collect();
    let gather = |(field, chunks): (usize, &[Arc<Chunk>])| {
        let mut column = ColumnBuilder::of_type(DataType::Null);
        let mut vector = Vector::default();
        for chunk in chunks {
            let source = Source::Chunk { chunk: Arc::clone(chunk), fields: input.fields.clone() };
            let Some(from) = source.column(field as u32) else { continue };
            let register = plain_register(from, types[field]);
            load(&source, field as u32, &Rows::Range(0), chunk.rows, false, register, &mut vector)?;
            // Rows are put in order by the bytes of their numerics.
            vector.settle_numerics();
            column.append(&vector);
        }
        Ok(column)
    };
    let mut read = workers.map(work, gather)?.into_iter();
    let parts: Vec<Vec<ColumnBuilder>> = fields.iter().map(|_| read.by_ref().take(batches.len()).collect()).collect();
    concat_all(parts, workers)
}

/// A register that holds a column of any form.
fn plain_register(column: &Column, data_type: DataType) -> Register {
    match &column.data {
        ColumnData::Int16(_) | ColumnData::Int32(_) => Register::I32,
        ColumnData::Int128(_) => Register::I128,
        data if data.is_integer() => Register::I64,
        _ => crate::cpu::vector::builder::register_of(data_type),
    }
}

/// The rows of all inputs, one after the other, sharing their columns.
pub(crate) fn concat(inputs: &[&RowSet], fields: usize) -> RowSet {
    let mut chunks = Vec::new();
    for input in inputs {
        for chunk in &input.chunks {
            let position = |field: usize| input.fields.as_ref().map_or(field, |fields| fields[field] as usize);
            let columns = (0..fields).map(|field| chunk.columns[position(field)].clone()).collect();
            let reservation = input.reservation.clone().or_else(|| chunk.reservation.clone());
            chunks.push(Arc::new(Chunk { reservation, ..Chunk::new(chunk.rows, columns) }));
        }
    }
    RowSet::new(chunks)
}
