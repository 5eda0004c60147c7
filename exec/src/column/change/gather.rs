//! Some rows of a column, in the column's own form.

use crate::column::{Column, ColumnData};
use ::arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use ::arrow::datatypes::ArrowNativeType;
use std::sync::Arc;

/// These rows, in this order.
pub(in crate::column) fn gather(column: &Column, rows: &[u32]) -> Column {
    let bits = |bits: &BooleanBuffer| BooleanBuffer::collect_bool(rows.len(), |at| bits.value(rows[at] as usize));
    let nulls = column.nulls.as_ref().map(|nulls| NullBuffer::new(bits(nulls.inner())));
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    let data = match &column.data {
        ColumnData::Frame8 { base, offsets } => ColumnData::Frame8 { base: *base, offsets: values(offsets, rows) },
        ColumnData::Frame16 { base, offsets } => ColumnData::Frame16 { base: *base, offsets: values(offsets, rows) },
        ColumnData::Frame32 { base, offsets } => ColumnData::Frame32 { base: *base, offsets: values(offsets, rows) },
        ColumnData::Stepped8 { base, step, offsets } => {
            ColumnData::Stepped8 { base: *base, step: *step, offsets: values(offsets, rows) }
        }
        ColumnData::Stepped16 { base, step, offsets } => {
            ColumnData::Stepped16 { base: *base, step: *step, offsets: values(offsets, rows) }
        }
        ColumnData::Stepped32 { base, step, offsets } => {
            ColumnData::Stepped32 { base: *base, step: *step, offsets: values(offsets, rows) }
        }
        ColumnData::Int16(from) => ColumnData::Int16(values(from, rows)),
        ColumnData::Int32(from) => ColumnData::Int32(values(from, rows)),
        ColumnData::Int64(from) => ColumnData::Int64(values(from, rows)),
        ColumnData::Int128(from) => ColumnData::Int128(values(from, rows)),
        ColumnData::Float32(from) => ColumnData::Float32(values(from, rows)),
        ColumnData::Float64(from) => ColumnData::Float64(values(from, rows)),
        ColumnData::Vectors32 { length, values: from } => {
            ColumnData::Vectors32 { length: *length, values: vectors(from, *length, rows) }
        }
        ColumnData::Vectors64 { length, values: from } => {
            ColumnData::Vectors64 { length: *length, values: vectors(from, *length, rows) }
        }
        ColumnData::Boolean(from) => ColumnData::Boolean(bits(from)),
        ColumnData::Dictionary8 { codes, dictionary } => {
            ColumnData::Dictionary8 { codes: values(codes, rows), dictionary: Arc::clone(dictionary) }
        }
        ColumnData::Dictionary16 { codes, dictionary } => {
            ColumnData::Dictionary16 { codes: values(codes, rows), dictionary: Arc::clone(dictionary) }
        }
        ColumnData::Dictionary32 { codes, dictionary } => {
            ColumnData::Dictionary32 { codes: values(codes, rows), dictionary: Arc::clone(dictionary) }
        }
        ColumnData::Text { .. } => text(column, rows),
        ColumnData::Views { views, buffers } => ColumnData::Views {
            views: Arc::new(rows.iter().map(|&row| views[row as usize]).collect()),
            buffers: Arc::clone(buffers),
        },
        ColumnData::Interval(from) => ColumnData::Interval(rows.iter().map(|&row| from[row as usize]).collect()),
        ColumnData::Numerics(from) => {
            ColumnData::Numerics(Arc::new(rows.iter().map(|&row| from[row as usize]).collect()))
        }
    };
    Column::new(data, nulls)
}

fn values<T: ArrowNativeType>(from: &ScalarBuffer<T>, rows: &[u32]) -> ScalarBuffer<T> {
    rows.iter().map(|&row| from[row as usize]).collect()
}

fn vectors<T: ArrowNativeType>(from: &ScalarBuffer<T>, length: usize, rows: &[u32]) -> ScalarBuffer<T> {
    rows.iter().flat_map(|&row| &from[row as usize * length..(row as usize + 1) * length]).copied().collect()
}

/// The strings copied; of no more bytes than the column has, each row being there once, or as many as 31 bits count.
fn text(column: &Column, rows: &[u32]) -> ColumnData {
    let bytes = || rows.iter().map(|&row| column.data.text_bytes(row as usize));
    let mut all = Vec::with_capacity(bytes().map(<[u8]>::len).sum());
    let mut ends: Vec<i32> = Vec::with_capacity(rows.len() + 1);
    ends.push(0);
    for string in bytes() {
        all.extend_from_slice(string);
        ends.push(all.len() as i32);
    }
    ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: all.into() }
}
