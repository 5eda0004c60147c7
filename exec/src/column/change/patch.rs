//! A column in which some rows have other values.
//!
//! In the column's own form where each new value has a place in it: an offset within the width of the frame, a string that the
//! dictionary has. One buffer is copied then, and new values are written where they belong. Else old and new values are put one
//! behind the other, in a form that holds both, and gathered in the order of rows.

use super::gather::gather;
use crate::Result;
use crate::column::compact::{compact, gather_i64};
use crate::column::statistics::Summary;
use crate::column::{Column, ColumnData, Dictionary};
use ::arrow::array::BooleanBufferBuilder;
use ::arrow::buffer::{NullBuffer, ScalarBuffer};
use ::arrow::datatypes::ArrowNativeType;
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// A column whose `rows`, which ascend, have the values of `new`, in order: one for each row.
pub(super) fn patched(old: &Column, rows: &[u32], new: &[Column], field: &Field) -> Result<Column> {
    if rows.len() == old.rows() {
        return compact(new, field, true);
    }
    if let Some(data) = in_form(old, rows, new) {
        return Ok(Column::new(data, nulls(old, rows, new)));
    }
    let pieces: Vec<Column> = std::iter::once(old).chain(new).cloned().collect();
    let both = compact(&pieces, field, true)?;
    let mut order: Vec<u32> = (0..old.rows() as u32).collect();
    rows.iter().zip(old.rows() as u32..).for_each(|(&row, from)| order[row as usize] = from);
    // What was replaced may have needed a wider form.
    compact(&[gather(&both, &order)], field, true)
}

/// A range that has all values that are in a chunk then.
pub(super) fn widened(
    range: Option<(i64, i64)>,
    old: &Column,
    new: &[Column],
    data_type: DataType,
) -> Option<(i64, i64)> {
    let mut all = range;
    let mut is_first = old.null_count() == old.rows();
    for piece in new.iter().filter(|piece| piece.null_count() < piece.rows()) {
        let (min, max) = Summary::of(piece, data_type).zone()?;
        all = match all {
            Some((least, most)) => Some((least.min(min), most.max(max))),
            None if is_first => Some((min, max)),
            None => return None,
        };
        is_first = false;
    }
    all
}

/// Which rows are NULL then.
fn nulls(old: &Column, rows: &[u32], new: &[Column]) -> Option<NullBuffer> {
    if old.nulls.is_none() && new.iter().all(|piece| piece.nulls.is_none()) {
        return None;
    }
    let mut bits = BooleanBufferBuilder::new(old.rows());
    match &old.nulls {
        Some(nulls) => bits.append_buffer(nulls.inner()),
        None => bits.append_n(old.rows(), true),
    }
    let values = new.iter().flat_map(|piece| (0..piece.rows()).map(move |at| !piece.is_null(at)));
    rows.iter().zip(values).for_each(|(&row, is_there)| bits.set_bit(row as usize, is_there));
    Some(NullBuffer::new(bits.finish())).filter(|nulls| nulls.null_count() > 0)
}

/// The values in the form of the old ones, if it has a place for each.
fn in_form(old: &Column, rows: &[u32], new: &[Column]) -> Option<ColumnData> {
    Some(match &old.data {
        ColumnData::Frame8 { base, offsets } => {
            ColumnData::Frame8 { base: *base, offsets: offset(offsets, rows, new, (*base, 1))? }
        }
        ColumnData::Frame16 { base, offsets } => {
            ColumnData::Frame16 { base: *base, offsets: offset(offsets, rows, new, (*base, 1))? }
        }
        ColumnData::Frame32 { base, offsets } => {
            ColumnData::Frame32 { base: *base, offsets: offset(offsets, rows, new, (*base, 1))? }
        }
        ColumnData::Stepped8 { base, step, offsets } => {
            ColumnData::Stepped8 { base: *base, step: *step, offsets: offset(offsets, rows, new, (*base, *step))? }
        }
        ColumnData::Stepped16 { base, step, offsets } => {
            ColumnData::Stepped16 { base: *base, step: *step, offsets: offset(offsets, rows, new, (*base, *step))? }
        }
        ColumnData::Stepped32 { base, step, offsets } => {
            ColumnData::Stepped32 { base: *base, step: *step, offsets: offset(offsets, rows, new, (*base, *step))? }
        }
        ColumnData::Int64(values) => ColumnData::Int64(written(values, rows, &integers(new)?)),
        ColumnData::Float32(values) => {
            let new = new.iter().map(|piece| match &piece.data {
                ColumnData::Float32(values) => Some(values),
                _ => None,
            });
            ColumnData::Float32(written(values, rows, &joined(new)?))
        }
        ColumnData::Float64(values) => {
            let new = new.iter().map(|piece| match &piece.data {
                ColumnData::Float64(values) => Some(values),
                _ => None,
            });
            ColumnData::Float64(written(values, rows, &joined(new)?))
        }
        ColumnData::Boolean(values) => {
            let mut bits = BooleanBufferBuilder::new(values.len());
            bits.append_buffer(values);
            let mut at = rows.iter();
            for piece in new {
                let ColumnData::Boolean(values) = &piece.data else { return None };
                values.iter().zip(at.by_ref()).for_each(|(value, &row)| bits.set_bit(row as usize, value));
            }
            ColumnData::Boolean(bits.finish())
        }
        ColumnData::Dictionary8 { codes, dictionary } => ColumnData::Dictionary8 {
            codes: written(codes, rows, &codes_of(dictionary, new)?),
            dictionary: Arc::clone(dictionary),
        },
        ColumnData::Dictionary16 { codes, dictionary } => ColumnData::Dictionary16 {
            codes: written(codes, rows, &codes_of(dictionary, new)?),
            dictionary: Arc::clone(dictionary),
        },
        ColumnData::Dictionary32 { codes, dictionary } => ColumnData::Dictionary32 {
            codes: written(codes, rows, &codes_of(dictionary, new)?),
            dictionary: Arc::clone(dictionary),
        },
        _ => return None,
    })
}

/// The new values, if they are integers of 64 bits; any at a NULL.
fn integers(new: &[Column]) -> Option<Vec<i64>> {
    if new.iter().all(|piece| piece.data.is_integer()) { gather_i64(new) } else { None }
}

/// Offsets, of which some stand for the new values; none if one of these has none of this width.
fn offset<T: ArrowNativeType + TryFrom<u64>>(
    offsets: &ScalarBuffer<T>,
    rows: &[u32],
    new: &[Column],
    (base, step): (i64, i64),
) -> Option<ScalarBuffer<T>> {
    let of = |value: i64, is_null: bool| {
        if is_null {
            return Some(T::default());
        }
        let distance = i128::from(value) - i128::from(base);
        let offset = u64::try_from(distance).ok().filter(|offset| offset % step as u64 == 0)? / step as u64;
        // What a form's base and its largest offset come to fits 64 bits, whatever rows have it.
        base.checked_add_unsigned(offset.checked_mul(step as u64)?)?;
        T::try_from(offset).ok()
    };
    let is_null = new.iter().flat_map(|piece| (0..piece.rows()).map(move |at| piece.is_null(at)));
    let made: Option<Vec<T>> =
        integers(new)?.into_iter().zip(is_null).map(|(value, is_null)| of(value, is_null)).collect();
    Some(written(offsets, rows, &made?))
}

/// The codes of new strings in a dictionary that has all of them.
fn codes_of<T: ArrowNativeType + TryFrom<u32>>(dictionary: &Arc<Dictionary>, new: &[Column]) -> Option<Vec<T>> {
    let code = |piece: &Column, at: usize| {
        let code = if piece.is_null(at) { 0 } else { dictionary.find(piece.data.text_bytes(at)).ok()? };
        T::try_from(code).ok()
    };
    new.iter().flat_map(|piece| (0..piece.rows()).map(move |at| code(piece, at))).collect()
}

fn joined<'p, T: ArrowNativeType>(pieces: impl Iterator<Item = Option<&'p ScalarBuffer<T>>>) -> Option<Vec<T>> {
    let mut all = Vec::new();
    for piece in pieces {
        all.extend_from_slice(piece?);
    }
    Some(all)
}

fn written<T: ArrowNativeType>(old: &ScalarBuffer<T>, rows: &[u32], new: &[T]) -> ScalarBuffer<T> {
    let mut values = old.to_vec();
    rows.iter().zip(new).for_each(|(&row, &value)| values[row as usize] = value);
    values.into()
}
