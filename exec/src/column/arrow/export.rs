//! Columns as the Arrow arrays of a result, in the one Arrow type that their SQL type has (`arrow_type`).

use super::{arrow_type, logical, schema_of, vectors};
use crate::column::dictionary::{SHORT, append_short};
use crate::column::{Chunk, Column, ColumnData, TextView};
use crate::{Error, ErrorKind, Result};
use ::arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Int16Type, Int32Type, Int64Type, IntervalMonthDayNano,
    IntervalMonthDayNanoType, Time64MicrosecondType, TimestampMicrosecondType,
};
use ::arrow::buffer::{OffsetBuffer, ScalarBuffer};
use ::arrow::datatypes::{Field as ArrowField, SchemaRef};
use arrow::array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray,
    StringBuilder, new_null_array,
};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::{DataType, Field};
use std::fmt::Write as _;
use std::sync::Arc;

/// A chunk as a record batch of the result types of `fields`.
pub fn to_record_batch(fields: &[Field], chunk: &Chunk) -> Result<RecordBatch> {
    to_record_batch_as(fields, &schema_of(fields), chunk)
}

/// A chunk as a record batch of a schema that `schema_of_rows` gave for rows of which these are some.
pub fn to_record_batch_as(fields: &[Field], schema: &SchemaRef, chunk: &Chunk) -> Result<RecordBatch> {
    let columns = chunk.columns.iter().zip(fields).zip(schema.fields());
    let arrays =
        columns.map(|((column, field), arrow)| to_array_as(column, field, arrow)).collect::<Result<Vec<_>>>()?;
    batch_of(schema, arrays, chunk.rows)
}

/// A column of a chunk as an array of a schema that `schema_of_rows` gave for rows of which these are some.
pub(crate) fn to_array_as(column: &Column, field: &Field, arrow: &ArrowField) -> Result<ArrayRef> {
    match field.data_type {
        logical if logical.is_logical() => logical::export(column, logical, arrow.data_type()),
        plain => to_array(column, plain),
    }
}

/// Arrays of so many rows as a record batch of their schema.
pub(crate) fn batch_of(schema: &SchemaRef, arrays: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
        .map_err(|error| Error::internal(format!("a result does not fit its schema: {error}")))
}

/// A column as an array of its SQL type's Arrow type. `char(n)` is padded here.
pub fn to_array(column: &Column, data_type: DataType) -> Result<ArrayRef> {
    Ok(match data_type {
        DataType::Null => new_null_array(&arrow_type(data_type), column.rows()),
        DataType::Boolean => match &column.data {
            ColumnData::Boolean(values) => Arc::new(BooleanArray::new(values.clone(), column.nulls.clone())),
            other => return Err(unexpected(other, data_type)),
        },
        DataType::SmallInt => Arc::new(integers::<Int16Type>(column, data_type)?),
        DataType::Integer => Arc::new(integers::<Int32Type>(column, data_type)?),
        DataType::BigInt => Arc::new(integers::<Int64Type>(column, data_type)?),
        DataType::Date => Arc::new(integers::<Date32Type>(column, data_type)?),
        DataType::Time => Arc::new(integers::<Time64MicrosecondType>(column, data_type)?),
        DataType::Timestamp => Arc::new(integers::<TimestampMicrosecondType>(column, data_type)?),
        DataType::Decimal { .. } => {
            let array = integers::<Decimal128Type>(column, data_type)?;
            Arc::new(array.with_data_type(arrow_type(data_type)))
        }
        DataType::Real => match &column.data {
            ColumnData::Float32(values) => Arc::new(Float32Array::new(values.clone(), column.nulls.clone())),
            other => return Err(unexpected(other, data_type)),
        },
        DataType::Double => match &column.data {
            ColumnData::Float64(values) => Arc::new(Float64Array::new(values.clone(), column.nulls.clone())),
            other => return Err(unexpected(other, data_type)),
        },
        DataType::Text | DataType::Varchar(_) | DataType::BPCHAR => text(column, data_type, 0)?,
        DataType::Numeric => Arc::new(numbers(column)?),
        DataType::Char(length) => text(column, data_type, length)?,
        logical if logical.is_logical() => logical::export(column, logical, &arrow_type(logical))?,
        DataType::Interval => match &column.data {
            ColumnData::Interval(_) => Arc::new(intervals(column)?),
            other => return Err(unexpected(other, data_type)),
        },
        vector if vector.is_vector() => vectors::export(column, vector)?,
        _ => return Err(unexpected(&column.data, data_type)),
    })
}

pub(super) fn unexpected(data: &ColumnData, data_type: DataType) -> Error {
    Error::internal(format!("a column of type {data_type} is stored as {}", data.form()))
}

/// Integers of any stored width in the width of the result. What stands at a NULL may not fit and is cut.
pub(super) fn integers<T>(column: &Column, data_type: DataType) -> Result<PrimitiveArray<T>>
where
    T: ArrowPrimitiveType,
    T::Native: FromWide,
{
    let based = |base: i64, offset: u64| T::Native::from_wide(base.wrapping_add(offset as i64).into());
    let values: ScalarBuffer<T::Native> = match &column.data {
        ColumnData::Frame8 { base, offsets } => offsets.iter().map(|&offset| based(*base, offset.into())).collect(),
        ColumnData::Frame16 { base, offsets } => offsets.iter().map(|&offset| based(*base, offset.into())).collect(),
        ColumnData::Frame32 { base, offsets } => offsets.iter().map(|&offset| based(*base, offset.into())).collect(),
        ColumnData::Stepped8 { base, step, offsets } => {
            offsets.iter().map(|&offset| based(*base, *step as u64 * u64::from(offset))).collect()
        }
        ColumnData::Stepped16 { base, step, offsets } => {
            offsets.iter().map(|&offset| based(*base, *step as u64 * u64::from(offset))).collect()
        }
        ColumnData::Stepped32 { base, step, offsets } => {
            offsets.iter().map(|&offset| based(*base, *step as u64 * u64::from(offset))).collect()
        }
        ColumnData::Int16(values) if size_of::<T::Native>() == 2 => values.inner().clone().into(),
        ColumnData::Int32(values) if size_of::<T::Native>() == 4 => values.inner().clone().into(),
        ColumnData::Int16(values) => values.iter().map(|&value| T::Native::from_wide(value.into())).collect(),
        ColumnData::Int32(values) => values.iter().map(|&value| T::Native::from_wide(value.into())).collect(),
        ColumnData::Int64(values) if size_of::<T::Native>() == 8 => values.inner().clone().into(),
        ColumnData::Int64(values) => values.iter().map(|&value| T::Native::from_wide(value.into())).collect(),
        ColumnData::Int128(values) if size_of::<T::Native>() == 16 => values.inner().clone().into(),
        ColumnData::Int128(values) => values.iter().map(|&value| T::Native::from_wide(value)).collect(),
        other => return Err(unexpected(other, data_type)),
    };
    Ok(PrimitiveArray::new(values, column.nulls.clone()))
}

/// The low bits of a wide integer. A result's values fit its type already: the operators checked.
pub(super) trait FromWide: ::arrow::datatypes::ArrowNativeType {
    fn from_wide(wide: i128) -> Self;
}

impl FromWide for i16 {
    fn from_wide(wide: i128) -> Self {
        wide as i16
    }
}

impl FromWide for i32 {
    fn from_wide(wide: i128) -> Self {
        wide as i32
    }
}

impl FromWide for u32 {
    fn from_wide(wide: i128) -> Self {
        wide as u32
    }
}

impl FromWide for i64 {
    fn from_wide(wide: i128) -> Self {
        wide as i64
    }
}

impl FromWide for i128 {
    fn from_wide(wide: i128) -> Self {
        wide
    }
}

/// Text, padded with blanks to so many characters.
pub(super) fn text(column: &Column, data_type: DataType, characters_min: u32) -> Result<ArrayRef> {
    if let (ColumnData::Text { offsets, bytes }, 0) = (&column.data, characters_min) {
        let array = StringArray::try_new(offsets.clone(), bytes.clone(), column.nulls.clone());
        return Ok(Arc::new(array.map_err(|error| Error::internal(error.to_string()))?));
    }
    match (&column.data, characters_min) {
        (ColumnData::Views { views, buffers }, 0) => {
            let string = |row: usize| {
                let view: TextView = views[row];
                (view.bytes_behind(&buffers[view.buffer as usize]), view.length as usize)
            };
            return join(column, string);
        }
        (ColumnData::Dictionary8 { codes, dictionary }, 0) => {
            return join(column, |row| dictionary.behind(codes[row].into()));
        }
        (ColumnData::Dictionary16 { codes, dictionary }, 0) => {
            return join(column, |row| dictionary.behind(codes[row].into()));
        }
        (ColumnData::Dictionary32 { codes, dictionary }, 0) => {
            return join(column, |row| dictionary.behind(codes[row]));
        }
        _ => {}
    }
    let mut total = 0;
    let mut builder = StringBuilder::with_capacity(column.rows(), column.rows() * characters_min.max(8) as usize);
    for row in 0..column.rows() {
        if column.is_null(row) {
            builder.append_null();
            continue;
        }
        let text = column.text(row).ok_or_else(|| unexpected(&column.data, data_type))?;
        let blanks =
            if characters_min == 0 { 0 } else { (characters_min as usize).saturating_sub(text.chars().count()) };
        total += text.len() + blanks;
        if total > i32::MAX as usize {
            return Err(too_much_text());
        }
        if blanks > 0 {
            builder.append_value(format!("{text}{:blanks$}", ""));
        } else {
            builder.append_value(text);
        }
    }
    Ok(Arc::new(builder.finish()))
}

/// Numbers with the digits that each shows.
fn numbers(column: &Column) -> Result<StringArray> {
    let (mut total, mut shown) = (0, String::new());
    let mut builder = StringBuilder::with_capacity(column.rows(), column.rows() * NUMBER_BYTES);
    for row in 0..column.rows() {
        if column.is_null(row) {
            builder.append_null();
            continue;
        }
        shown.clear();
        if let ColumnData::Numerics(numbers) = &column.data {
            // Writing to a string does not fail.
            let _ = write!(shown, "{}", numbers[row]);
        } else {
            let text = column.text(row).ok_or_else(|| unexpected(&column.data, DataType::Numeric))?;
            if !Numeric::show_encoded(text, &mut shown) {
                shown = Numeric::decode(text)?.to_string();
            }
        }
        total += shown.len();
        if total > i32::MAX as usize {
            return Err(too_much_text());
        }
        builder.append_value(&shown);
    }
    Ok(builder.finish())
}

/// Bytes that most numbers show.
const NUMBER_BYTES: usize = 20;

/// Copies the strings of a column's rows together. Of a row that is not NULL `string` gives the bytes from its string's first one
/// on, and how many of these are its.
fn join<'a>(column: &Column, string: impl Fn(usize) -> (&'a [u8], usize)) -> Result<ArrayRef> {
    let string = |row: usize| match &column.nulls {
        Some(nulls) if nulls.is_null(row) => (&[][..], 0),
        _ => string(row),
    };
    let total: usize = (0..column.rows()).map(|row| string(row).1).sum();
    if total > i32::MAX as usize {
        return Err(too_much_text());
    }
    let (mut ends, mut bytes) = (Vec::with_capacity(column.rows() + 1), Vec::with_capacity(total + SHORT));
    ends.push(0);
    ends.extend((0..column.rows()).map(|row| {
        let (from, len) = string(row);
        append_short(from, len, &mut bytes);
        bytes.len() as i32
    }));
    let offsets = OffsetBuffer::new(ends.into());
    // SAFETY: those are whole strings of our forms, which are valid UTF-8, and an end behind each; the NULLs are those of a column
    // that has as many rows.
    Ok(Arc::new(unsafe { StringArray::new_unchecked(offsets, bytes.into(), column.nulls.clone()) }))
}

pub(super) fn too_much_text() -> Error {
    Error::new(ErrorKind::OutOfMemory, "more than 2 GiB of text in one batch of a result")
}

fn intervals(column: &Column) -> Result<PrimitiveArray<IntervalMonthDayNanoType>> {
    let ColumnData::Interval(values) = &column.data else { return Err(unexpected(&column.data, DataType::Interval)) };
    let interval = |(row, value): (usize, &multiloop_planner::value::Interval)| {
        let nanoseconds = match value.micros.checked_mul(1_000) {
            Some(nanoseconds) => nanoseconds,
            None if column.is_null(row) => 0,
            None => {
                let message = format!("interval out of range of a result: {} microseconds", value.micros);
                return Err(Error::new(ErrorKind::DatetimeOverflow, message));
            }
        };
        Ok(IntervalMonthDayNano { months: value.months, days: value.days, nanoseconds })
    };
    let values = values.iter().enumerate().map(interval).collect::<Result<Vec<_>>>()?;
    Ok(PrimitiveArray::new(values.into(), column.nulls.clone()))
}
