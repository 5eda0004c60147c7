//! Sort and Concat of rows.

use super::expression::load::load;
use super::gather::Gathered;
use super::order::RowOrder;
use super::stored::RowSet;
use super::tile::{Rows, Source};
use super::vector::{Register, Vector};
use crate::Result;
use crate::column::{Chunk, Column, ColumnData};
use crate::context::{Context, Reservation};
use crate::pool::Pool;
use crate::schedule;
use multiloop_planner::relation::SortOrder;
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// Rows of a chunk of a sorted result.
const SORTED_CHUNK_ROWS: usize = crate::column::CHUNK_ROWS;

/// Bytes of a row's number, behind its key.
const KEYED_BYTES: usize = 32;

/// The rows in order; ties are broken by all fields, so that equal inputs give equal results.
pub(super) fn sort(
    input: &RowSet,
    types: &[DataType],
    order: &[(u32, SortOrder)],
    context: &Context,
    pool: Option<&Pool>,
) -> Result<RowSet> {
    let columns = read(input, types)?;
    let mut reservation = Reservation::new(&context.memory);
    reservation.add(columns.iter().map(Gathered::bytes).sum::<usize>() + input.rows * KEYED_BYTES)?;
    let order: Vec<(usize, SortOrder)> = order.iter().map(|&(field, order)| (field as usize, order)).collect();
    let by = RowOrder { columns: &columns, order: &order };
    let sorted = by.sorted(input.rows, pool.filter(|_| input.rows > SORTED_CHUNK_ROWS));
    let make = |rows: &[u32]| {
        let columns = columns.iter().map(|column| column.take(rows)).collect();
        super::gather::into_chunk(columns, types, rows.len()).map(Arc::new)
    };
    let parts: Vec<&[u32]> = sorted.chunks(SORTED_CHUNK_ROWS).collect();
    let chunks = match pool {
        Some(pool) => schedule::map(pool, context, parts, make)?,
        None => parts.into_iter().map(make).collect::<Result<Vec<_>>>()?,
    };
    Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(chunks) })
}

/// All rows as growing columns.
fn read(input: &RowSet, types: &[DataType]) -> Result<Vec<Gathered>> {
    let mut columns: Vec<Gathered> = types.iter().map(|_| Gathered::of_type(DataType::Null)).collect();
    let mut vector = Vector::default();
    for chunk in &input.chunks {
        let source = Source::Chunk { chunk: Arc::clone(chunk), fields: input.fields.clone() };
        for (field, (column, &data_type)) in columns.iter_mut().zip(types).enumerate() {
            let Some(from) = source.column(field as u32) else { continue };
            load(
                &source,
                field as u32,
                &Rows::Range(0),
                chunk.rows,
                false,
                plain_register(from, data_type),
                &mut vector,
            );
            column.append(&vector);
        }
    }
    Ok(columns)
}

/// A register that holds a column of any form.
fn plain_register(column: &Column, data_type: DataType) -> Register {
    match &column.data {
        ColumnData::Int16(_) | ColumnData::Int32(_) => Register::I32,
        ColumnData::Frame8 { .. } | ColumnData::Frame16 { .. } | ColumnData::Frame32 { .. } | ColumnData::Int64(_) => {
            Register::I64
        }
        ColumnData::Int128(_) => Register::I128,
        _ => super::gather::register_of(data_type),
    }
}

/// The rows of all inputs, one after the other, sharing their columns.
pub(super) fn concat(inputs: &[&RowSet], fields: usize) -> RowSet {
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
