//! The columns of a batch as arrays of known types: looked at once, read many times.

use super::Header;
use super::value::{ListRef, ValueRef};
use crate::{DataType, Error, Field, Interval, Result};
use arrow::array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, IntervalMonthDayNanoType,
    Time64MicrosecondType, TimestampMicrosecondType, UInt32Type,
};
use arrow::array::{
    Array as _, ArrayRef, AsArray as _, BinaryArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, RecordBatch,
    StringArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType as Arrow, IntervalUnit, TimeUnit};
use std::sync::Arc;

/// Nanoseconds, in which Arrow's intervals count.
const NANOS: i64 = 1_000;

/// Rows of a result.
pub(super) struct Batch {
    pub(super) header: Arc<Header>,
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
}

/// A column of a batch, or the elements of its arrays.
pub(crate) struct Column {
    array: ArrayRef,
    nulls: Option<NullBuffer>,
    cells: Cells,
}

enum Cells {
    Boolean(BooleanArray),
    SmallInt(PrimitiveArray<Int16Type>),
    Integer(PrimitiveArray<Int32Type>),
    BigInt(PrimitiveArray<Int64Type>),
    Oid(PrimitiveArray<UInt32Type>),
    Real(PrimitiveArray<Float32Type>),
    Double(PrimitiveArray<Float64Type>),
    Decimal(PrimitiveArray<Decimal128Type>, u8),
    Numeric(StringArray),
    Text(StringArray),
    Bytes(BinaryArray),
    Uuid(FixedSizeBinaryArray),
    Date(PrimitiveArray<Date32Type>),
    Time(PrimitiveArray<Time64MicrosecondType>),
    Timestamp(PrimitiveArray<TimestampMicrosecondType>),
    TimestampTz(PrimitiveArray<TimestampMicrosecondType>),
    Interval(PrimitiveArray<IntervalMonthDayNanoType>),
    List(OffsetBuffer<i32>, Box<Column>),
    /// So many elements a row, and those of all rows.
    Vector(usize, PrimitiveArray<Float32Type>),
    DoubleVector(usize, PrimitiveArray<Float64Type>),
    /// Of a type that no Rust type has.
    Other,
}

impl Batch {
    pub(super) fn new(header: &Arc<Header>, batch: &RecordBatch) -> Result<Self> {
        if batch.num_columns() != header.fields.len() {
            return Err(Error::internal("a batch has other columns than its result"));
        }
        let column = |(array, field): (&ArrayRef, &Field)| Column::new(array, field.data_type);
        let columns = batch.columns().iter().zip(&header.fields).map(column).collect();
        Ok(Batch { header: Arc::clone(header), columns, rows: batch.num_rows() })
    }
}

impl Column {
    pub(crate) fn new(array: &ArrayRef, data_type: DataType) -> Self {
        Column { nulls: array.logical_nulls(), cells: Cells::of(array, data_type), array: Arc::clone(array) }
    }

    pub(super) fn array(&self) -> &ArrayRef {
        &self.array
    }

    /// The value of a row.
    #[inline]
    pub(crate) fn value(&self, row: usize) -> ValueRef<'_> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return ValueRef::Null;
        }
        match &self.cells {
            Cells::Boolean(values) => ValueRef::Boolean(values.value(row)),
            Cells::SmallInt(values) => ValueRef::SmallInt(values.value(row)),
            Cells::Integer(values) => ValueRef::Integer(values.value(row)),
            Cells::BigInt(values) => ValueRef::BigInt(values.value(row)),
            Cells::Oid(values) => ValueRef::Oid(values.value(row)),
            Cells::Real(values) => ValueRef::Real(values.value(row)),
            Cells::Double(values) => ValueRef::Double(values.value(row)),
            Cells::Decimal(values, scale) => ValueRef::Decimal { unscaled: values.value(row), scale: *scale },
            Cells::Numeric(values) => ValueRef::Numeric(values.value(row)),
            Cells::Text(values) => ValueRef::Text(values.value(row)),
            Cells::Bytes(values) => ValueRef::Bytes(values.value(row)),
            Cells::Uuid(values) => match values.value(row).try_into() {
                Ok(bytes) => ValueRef::Uuid(bytes),
                Err(_) => ValueRef::Bytes(values.value(row)),
            },
            Cells::Date(values) => ValueRef::Date(values.value(row)),
            Cells::Time(values) => ValueRef::Time(values.value(row)),
            Cells::Timestamp(values) => ValueRef::Timestamp(values.value(row)),
            Cells::TimestampTz(values) => ValueRef::TimestampTz(values.value(row)),
            Cells::Interval(values) => {
                let value = values.value(row);
                let micros = value.nanoseconds / NANOS;
                ValueRef::Interval(Interval { months: value.months, days: value.days, micros })
            }
            Cells::List(ends, elements) => {
                let (start, end) = (ends[row] as usize, ends[row + 1] as usize);
                ValueRef::List(ListRef { elements, start, end })
            }
            Cells::Vector(length, elements) => ValueRef::Vector(&elements.values()[row * length..(row + 1) * length]),
            Cells::DoubleVector(length, elements) => {
                ValueRef::DoubleVector(&elements.values()[row * length..(row + 1) * length])
            }
            Cells::Other => ValueRef::Other,
        }
    }
}

impl Cells {
    fn of(array: &ArrayRef, data_type: DataType) -> Self {
        match array.data_type() {
            Arrow::Boolean => Cells::Boolean(array.as_boolean().clone()),
            Arrow::Int16 => Cells::SmallInt(array.as_primitive().clone()),
            Arrow::Int32 => Cells::Integer(array.as_primitive().clone()),
            Arrow::Int64 => Cells::BigInt(array.as_primitive().clone()),
            Arrow::UInt32 => Cells::Oid(array.as_primitive().clone()),
            Arrow::Float32 => Cells::Real(array.as_primitive().clone()),
            Arrow::Float64 => Cells::Double(array.as_primitive().clone()),
            Arrow::Decimal128(_, scale) => match u8::try_from(*scale) {
                Ok(scale) => Cells::Decimal(array.as_primitive().clone(), scale),
                Err(_) => Cells::Other,
            },
            Arrow::Utf8 if data_type == DataType::Numeric => Cells::Numeric(array.as_string().clone()),
            // The texts of arrays and structs, where there is no one shape for them.
            Arrow::Utf8 if data_type.element().is_some() || data_type.struct_fields().is_some() => Cells::Other,
            Arrow::Utf8 => Cells::Text(array.as_string().clone()),
            Arrow::Binary => Cells::Bytes(array.as_binary().clone()),
            Arrow::FixedSizeBinary(_) => Cells::Uuid(array.as_fixed_size_binary().clone()),
            Arrow::Date32 => Cells::Date(array.as_primitive().clone()),
            Arrow::Time64(TimeUnit::Microsecond) => Cells::Time(array.as_primitive().clone()),
            Arrow::Timestamp(TimeUnit::Microsecond, None) => Cells::Timestamp(array.as_primitive().clone()),
            Arrow::Timestamp(TimeUnit::Microsecond, Some(_)) => Cells::TimestampTz(array.as_primitive().clone()),
            Arrow::Interval(IntervalUnit::MonthDayNano) => Cells::Interval(array.as_primitive().clone()),
            Arrow::List(_) => {
                let lists = array.as_list::<i32>();
                // Lists within lists are arrays of several dimensions, of one type.
                let of = match lists.values().data_type() {
                    Arrow::List(_) => data_type,
                    _ => data_type.element().unwrap_or(data_type),
                };
                Cells::List(lists.offsets().clone(), Box::new(Column::new(lists.values(), of)))
            }
            Arrow::FixedSizeList(..) if data_type.is_vector() => {
                let lists = array.as_fixed_size_list();
                let length = lists.value_length() as usize;
                match lists.values().data_type() {
                    Arrow::Float32 => Cells::Vector(length, lists.values().as_primitive().clone()),
                    Arrow::Float64 => Cells::DoubleVector(length, lists.values().as_primitive().clone()),
                    _ => Cells::Other,
                }
            }
            _ => Cells::Other,
        }
    }
}
