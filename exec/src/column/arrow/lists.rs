//! Lists of numbers, texts and what these carry, as arrays of one dimension, and back: all elements of a column in one go.

use super::export::too_much_text;
use super::logical::internal;
use crate::column::{Column, ColumnData};
use crate::{Error, Result};
use ::arrow::array::{Array as _, ArrayRef, AsArray};
use ::arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use ::arrow::compute::cast;
use ::arrow::datatypes::DataType as Arrow;
use multiloop_planner::evaluate::array::{Array, ESCAPED, Fixed, Form, MARKS, TAIL};
use multiloop_planner::types::{DataType, Field};

const END: u8 = MARKS[0];
const VALUE: u8 = MARKS[1];
const NULL: u8 = MARKS[2];
const ESCAPE: u8 = MARKS[3];

/// The elements of a column of arrays as a column, and how many each array has; none where an array has several dimensions, or
/// elements have no fixed width.
pub(super) fn elements(column: &Column, element: DataType) -> Result<Option<(Column, Vec<usize>)>> {
    let Some(fixed) = Fixed::of(element) else { return Ok(None) };
    let mut lengths = Vec::with_capacity(column.rows());
    let mut parts: Vec<&[u8]> = Vec::with_capacity(column.rows());
    for row in 0..column.rows() {
        // The code at a NULL may be of no string.
        let text = if column.is_null(row) { None } else { column.text(row) };
        let Some(part) = text.map_or(Some(&[][..]), Array::fixed_elements_of) else { return Ok(None) };
        lengths.push(part.len() / fixed.stride());
        parts.push(part);
    }
    let count = lengths.iter().sum();
    let (mut keys, mut valid, mut has_nulls) = (Vec::with_capacity(count), Vec::with_capacity(count), false);
    for element in parts.into_iter().flat_map(|part| part.chunks_exact(fixed.stride())) {
        let (mark, key) = fixed.read(element).ok_or_else(|| Error::internal("no array in its place"))?;
        let is_value = mark == VALUE;
        has_nulls |= !is_value;
        valid.push(is_value);
        keys.push(key);
    }
    let data = match fixed {
        Fixed::Boolean => ColumnData::Boolean(keys.iter().map(|&key| key != 0).collect()),
        Fixed::Real => ColumnData::Float32(keys.iter().map(|&key| fixed.float(key) as f32).collect()),
        Fixed::Double => ColumnData::Float64(keys.iter().map(|&key| fixed.float(key)).collect()),
        Fixed::Small | Fixed::Integer | Fixed::Long => {
            ColumnData::Int64(keys.iter().map(|&key| fixed.integer(key)).collect())
        }
    };
    let nulls = has_nulls.then(|| NullBuffer::new(BooleanBuffer::from(valid)));
    Ok(Some((Column::new(data, nulls), lengths)))
}

/// Lists as a column of arrays; none where elements are lists, or of a type whose arrays are made elsewhere.
pub(super) fn arrays(lists: &ArrayRef, element: DataType, name: &str) -> Result<Option<Column>> {
    let (Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _)) = lists.data_type() else {
        return Ok(None);
    };
    let is_nested = matches!(item.data_type(), Arrow::List(_) | Arrow::LargeList(_) | Arrow::FixedSizeList(..));
    let Some(form) = Form::of(element).filter(|_| !is_nested && !element.is_vector()) else { return Ok(None) };
    let plain = cast(lists, &Arrow::List(item.clone())).map_err(internal)?;
    let plain = plain.as_list::<i32>();
    let ends = plain.value_offsets();
    let first = ends.first().copied().unwrap_or(0) as usize;
    let all = plain.values().slice(first, ends.last().copied().unwrap_or(0) as usize - first);
    let elements = super::to_column_of(&all, &Field::new(name, element, true))?;
    let mut bytes = Vec::new();
    let mut lengths = Vec::with_capacity(plain.len());
    for row in 0..plain.len() {
        let start = bytes.len();
        if plain.is_valid(row) {
            let rows = ends[row] as usize - first..ends[row + 1] as usize - first;
            let is_empty = rows.is_empty();
            match form {
                Form::Fixed(fixed) => rows.for_each(|row| fixed.push(key_of(fixed, &elements, row), &mut bytes)),
                Form::Text => rows.for_each(|row| push_text(&elements, row, &mut bytes)),
            }
            bytes.push(END);
            bytes.extend_from_slice(if is_empty { b"" } else { TAIL.as_bytes() });
        }
        lengths.push(bytes.len() - start);
        if i32::try_from(bytes.len()).is_err() {
            return Err(too_much_text());
        }
    }
    let data = ColumnData::Text { offsets: OffsetBuffer::from_lengths(lengths), bytes: Buffer::from_vec(bytes) };
    Ok(Some(Column::new(data, plain.nulls().cloned())))
}

/// The key of a row's value; none of NULL.
#[inline]
fn key_of(fixed: Fixed, column: &Column, row: usize) -> Option<u64> {
    if column.is_null(row) {
        return None;
    }
    Some(match &column.data {
        ColumnData::Int32(values) => fixed.key_of_integer(values[row].into()),
        ColumnData::Int64(values) => fixed.key_of_integer(values[row]),
        ColumnData::Float64(values) => fixed.key_of_float(values[row]),
        ColumnData::Float32(values) => fixed.key_of_float(values[row].into()),
        ColumnData::Boolean(values) => values.value(row).into(),
        _ => fixed.key_of_integer(column.integer(row).map_or(0, |number| number as i64)),
    })
}

fn push_text(column: &Column, row: usize, bytes: &mut Vec<u8>) {
    if column.is_null(row) {
        return bytes.push(NULL);
    }
    bytes.push(VALUE);
    let text = column.text(row).unwrap_or("").as_bytes();
    if text.iter().all(|&byte| byte > ESCAPE) {
        return bytes.extend_from_slice(text);
    }
    for &byte in text {
        match byte {
            ..=ESCAPE => bytes.extend([ESCAPE, byte + ESCAPED]),
            _ => bytes.push(byte),
        }
    }
}
