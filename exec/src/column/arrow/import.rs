//! Arrow arrays as columns: without a copy where the array's buffers are one of our physical forms.

use super::{logical, numeric, type_of, vectors};
use crate::column::{Column, ColumnData, Dictionary};
use crate::{Error, ErrorKind, Result};
use ::arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalDayTimeType, IntervalMonthDayNano,
    IntervalMonthDayNanoType, IntervalYearMonthType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use ::arrow::array::{Array, ArrayRef, AsArray, StringArray};
use ::arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use ::arrow::compute::cast;
use ::arrow::datatypes::{ArrowNativeType, DataType as Arrow, IntervalUnit, TimeUnit};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Interval;

/// An array as a column. `name` is for the error (0A000) that types without a SQL type give; values outside our
/// ranges (a timestamp in seconds that overflows microseconds) give 22008.
pub fn to_column(array: &ArrayRef, name: &str) -> Result<Column> {
    let field = Field::new(name, type_of(array.data_type(), name)?, true);
    if let Some(column) = logical::import(array, &field)? {
        return Ok(column);
    }
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let data = match array.data_type() {
        Arrow::Null => {
            ColumnData::Text { offsets: OffsetBuffer::new_zeroed(array.len()), bytes: Vec::<u8>::new().into() }
        }
        Arrow::Boolean => ColumnData::Boolean(array.as_boolean().values().clone()),
        Arrow::Int8 => ColumnData::Int16(buffer::<Int8Type>(array).iter().map(|&value| value.into()).collect()),
        Arrow::UInt8 => ColumnData::Frame8 { base: 0, offsets: buffer::<UInt8Type>(array).clone() },
        Arrow::UInt16 => ColumnData::Frame16 { base: 0, offsets: buffer::<UInt16Type>(array).clone() },
        Arrow::UInt32 => ColumnData::Frame32 { base: 0, offsets: buffer::<UInt32Type>(array).clone() },
        Arrow::UInt64 => ColumnData::Int128(buffer::<UInt64Type>(array).iter().map(|&value| value.into()).collect()),
        Arrow::Int16 => ColumnData::Int16(buffer::<Int16Type>(array).clone()),
        Arrow::Int32 => ColumnData::Int32(buffer::<Int32Type>(array).clone()),
        Arrow::Int64 => ColumnData::Int64(buffer::<Int64Type>(array).clone()),
        Arrow::Decimal32(..) => ColumnData::Int32(buffer::<Decimal32Type>(array).clone()),
        Arrow::Decimal64(..) => ColumnData::Int64(buffer::<Decimal64Type>(array).clone()),
        Arrow::Decimal128(..) => ColumnData::Int128(buffer::<Decimal128Type>(array).clone()),
        Arrow::Float16 => {
            ColumnData::Float32(buffer::<Float16Type>(array).iter().map(|value| value.to_f32()).collect())
        }
        Arrow::Float32 => ColumnData::Float32(buffer::<Float32Type>(array).clone()),
        Arrow::Float64 => ColumnData::Float64(buffer::<Float64Type>(array).clone()),
        Arrow::Date32 => ColumnData::Int32(buffer::<Date32Type>(array).clone()),
        Arrow::Date64 => {
            let days = |&millis: &i64| millis.div_euclid(86_400_000);
            ColumnData::Int64(buffer::<Date64Type>(array).iter().map(days).collect())
        }
        Arrow::Time32(unit) | Arrow::Time64(unit) | Arrow::Timestamp(unit, _) => {
            ColumnData::Int64(micros(array, *unit, nulls.as_ref(), name)?)
        }
        Arrow::Interval(unit) => ColumnData::Interval(intervals(array, *unit, nulls.as_ref(), name)?),
        Arrow::Utf8 => text(array.as_string::<i32>(), name)?,
        Arrow::LargeUtf8 | Arrow::Utf8View => text_of(array, name)?,
        Arrow::Dictionary(_, values) if matches!(**values, Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View) => {
            dictionary(array, nulls.as_ref(), name)?
        }
        Arrow::Dictionary(_, values) => {
            let plain = cast(array, values).map_err(|error| Error::internal(error.to_string()))?;
            return to_column(&plain, name);
        }
        lists if vectors::is_shared(lists) => vectors::import(array, name)?,
        other => return Err(Error::internal(format!("Arrow type {other} has a SQL type but no column form"))),
    };
    Ok(Column::new(data, nulls))
}

/// An array as a column of a field, of the type's carrier. Values of types that another carries are read from their texts where
/// they come as such (22P02 and its kin). A field of numerics holds numbers of every form that are to be numerics.
pub fn to_column_of(array: &ArrayRef, field: &Field) -> Result<Column> {
    if let Some(column) = logical::import(array, field)? {
        return Ok(column);
    }
    if let Arrow::List(_) | Arrow::LargeList(_) = array.data_type()
        && field.data_type.is_vector()
    {
        return vectors::of_lists(array, field.data_type, &field.name);
    }
    if field.data_type != DataType::Numeric {
        return to_column(array, &field.name);
    }
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    Ok(Column::new(numeric::stored(&numeric::plain(array)?)?, nulls))
}

/// The first row of an array that is no value of a field, if there is one and it is a row that is to blame: [`to_column_of`] has
/// refused the array.
pub fn first_wrong_row(array: &ArrayRef, field: &Field) -> Option<usize> {
    let is_wrong = |rows: usize| to_column_of(&array.slice(0, rows), field).is_err();
    let (mut right, mut wrong) = (0, array.len());
    if is_wrong(right) || !is_wrong(wrong) {
        return None;
    }
    while wrong - right > 1 {
        let middle = right + (wrong - right) / 2;
        if is_wrong(middle) { wrong = middle } else { right = middle }
    }
    Some(right)
}

/// Whether [`to_column`] makes new buffers for arrays of this type instead of sharing the array's.
pub(in crate::column) fn copies(arrow: &Arrow) -> bool {
    match arrow {
        Arrow::Timestamp(unit, _) | Arrow::Time64(unit) => *unit != TimeUnit::Microsecond,
        Arrow::Boolean | Arrow::UInt8 | Arrow::UInt16 | Arrow::UInt32 | Arrow::Int16 | Arrow::Int32 => false,
        Arrow::Int64 | Arrow::Decimal32(..) | Arrow::Decimal64(..) | Arrow::Decimal128(..) | Arrow::Date32 => false,
        Arrow::Float32 | Arrow::Float64 | Arrow::Utf8 => false,
        lists => !vectors::is_shared(lists),
    }
}

fn buffer<T: ArrowPrimitiveType>(array: &ArrayRef) -> &ScalarBuffer<T::Native> {
    array.as_primitive::<T>().values()
}

/// Times and timestamps in microseconds. Finer ones are an error (22008): nothing is lost in silence.
fn micros(array: &ArrayRef, unit: TimeUnit, nulls: Option<&NullBuffer>, name: &str) -> Result<ScalarBuffer<i64>> {
    let data = array.to_data();
    let values: ScalarBuffer<i64> = if matches!(array.data_type(), Arrow::Time32(_)) {
        let narrow = ScalarBuffer::<i32>::new(data.buffers()[0].clone(), data.offset(), data.len());
        narrow.iter().map(|&value| value.into()).collect()
    } else {
        ScalarBuffer::new(data.buffers()[0].clone(), data.offset(), data.len())
    };
    let factor = match unit {
        TimeUnit::Second => 1_000_000,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => return Ok(values),
        TimeUnit::Nanosecond => {
            check_nanoseconds(values.iter().copied(), nulls, name)?;
            return Ok(values.iter().map(|nanos| nanos.div_euclid(1_000)).collect());
        }
    };
    let scaled = values.iter().enumerate().map(|(row, value)| match value.checked_mul(factor) {
        Some(micros) => Ok(micros),
        None if nulls.is_some_and(|nulls| nulls.is_null(row)) => Ok(0),
        None => {
            let message = format!("timestamp out of range in column \"{name}\": {value} {unit:?}s");
            Err(Error::new(ErrorKind::DatetimeOverflow, message))
        }
    });
    Ok(scaled.collect::<Result<Vec<i64>>>()?.into())
}

/// Intervals. Nanoseconds that are no whole microseconds are an error (22008).
fn intervals(
    array: &ArrayRef,
    unit: IntervalUnit,
    nulls: Option<&NullBuffer>,
    name: &str,
) -> Result<std::sync::Arc<[Interval]>> {
    Ok(match unit {
        IntervalUnit::YearMonth => {
            let interval = |&months: &i32| Interval { months, ..Interval::default() };
            buffer::<IntervalYearMonthType>(array).iter().map(interval).collect()
        }
        IntervalUnit::DayTime => buffer::<IntervalDayTimeType>(array)
            .iter()
            .map(|value| Interval { months: 0, days: value.days, micros: i64::from(value.milliseconds) * 1_000 })
            .collect(),
        IntervalUnit::MonthDayNano => {
            let values = buffer::<IntervalMonthDayNanoType>(array);
            check_nanoseconds(values.iter().map(|value| value.nanoseconds), nulls, name)?;
            let interval = |value: &IntervalMonthDayNano| {
                let micros = value.nanoseconds.div_euclid(1_000);
                Interval { months: value.months, days: value.days, micros }
            };
            values.iter().map(interval).collect()
        }
    })
}

/// An error if a value's nanoseconds are no whole microseconds.
fn check_nanoseconds(values: impl Iterator<Item = i64>, nulls: Option<&NullBuffer>, name: &str) -> Result<()> {
    let is_finer = |(row, nanos): (usize, i64)| nanos % 1_000 != 0 && nulls.is_none_or(|nulls| nulls.is_valid(row));
    if values.enumerate().any(is_finer) {
        let message = format!("column \"{name}\" has nanoseconds, of which microseconds would lose some");
        return Err(Error::new(ErrorKind::DatetimeOverflow, message));
    }
    Ok(())
}

fn text(array: &StringArray, name: &str) -> Result<ColumnData> {
    let offsets = array.offsets();
    check_zero(&array.values()[offsets[0] as usize..offsets[array.len()] as usize], name)?;
    Ok(ColumnData::Text { offsets: offsets.clone(), bytes: array.values().clone() })
}

/// An error (22021) for texts with a zero byte, which no text of SQL has.
fn check_zero(texts: &[u8], name: &str) -> Result<()> {
    if memchr::memchr(0, texts).is_none() {
        return Ok(());
    }
    let message = format!("column \"{name}\": invalid byte sequence for encoding \"UTF8\": 0x00");
    Err(Error::new(ErrorKind::InvalidUtf8, message))
}

/// LargeUtf8 and Utf8View, copied into one buffer with 32-bit offsets.
fn text_of(array: &ArrayRef, name: &str) -> Result<ColumnData> {
    let length = match array.data_type() {
        Arrow::LargeUtf8 => {
            let offsets = array.as_string::<i64>().offsets();
            (offsets[array.len()] - offsets[0]) as usize
        }
        _ => array.as_string_view().lengths().map(|length| length as usize).sum(),
    };
    if length > i32::MAX as usize {
        return Err(too_much_text(name));
    }
    let mut bytes = Vec::with_capacity(length);
    let mut ends = Vec::with_capacity(array.len() + 1);
    ends.push(0);
    let mut push = |text: &[u8]| {
        bytes.extend_from_slice(text);
        ends.push(bytes.len() as i32);
    };
    match array.data_type() {
        Arrow::LargeUtf8 => {
            let array = array.as_string::<i64>();
            (0..array.len()).for_each(|row| push(array.value(row).as_bytes()));
        }
        _ => {
            let array = array.as_string_view();
            (0..array.len()).for_each(|row| push(array.value(row).as_bytes()));
        }
    }
    check_zero(&bytes, name)?;
    Ok(ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: bytes.into() })
}

/// The error for text that 32-bit offsets cannot reach.
pub(in crate::column) fn too_much_text(name: &str) -> Error {
    Error::unsupported(format!("column \"{name}\": more than 2 GiB of text in one chunk is"))
}

/// A dictionary array as sorted codes: Arrow's values may be unsorted, repeated, unused or NULL.
fn dictionary(array: &ArrayRef, nulls: Option<&NullBuffer>, name: &str) -> Result<ColumnData> {
    let any = array.as_any_dictionary();
    let values = cast(any.values(), &Arrow::Utf8).map_err(|_| too_much_text(name))?;
    let values = values.as_string::<i32>();
    text(values, name)?;
    let mut order: Vec<u32> = (0..values.len() as u32).filter(|&code| values.is_valid(code as usize)).collect();
    order.sort_unstable_by_key(|&code| values.value(code as usize).as_bytes());
    let mut distinct: Vec<&str> = Vec::with_capacity(order.len());
    let mut codes = vec![0; values.len()];
    for code in order {
        let text = values.value(code as usize);
        if distinct.last() != Some(&text) {
            distinct.push(text);
        }
        codes[code as usize] = distinct.len() as u32 - 1;
    }
    if distinct.is_empty() {
        distinct.push("");
    }
    let dictionary = std::sync::Arc::new(Dictionary::new(distinct));
    // Arrow refuses to normalise the keys of no values; then every row is NULL.
    let keys = if values.is_empty() { vec![0; array.len()] } else { any.normalized_keys() };
    let code = |(row, &key): (usize, &usize)| match nulls {
        Some(nulls) if nulls.is_null(row) => 0,
        _ => codes[key],
    };
    let codes = keys.iter().enumerate().map(code);
    Ok(Dictionary::encode(dictionary, codes))
}

impl Dictionary {
    /// A column form of these codes, in the narrowest width that holds every code of the dictionary.
    pub fn encode(dictionary: std::sync::Arc<Dictionary>, codes: impl Iterator<Item = u32>) -> ColumnData {
        fn narrow<T: ArrowNativeType>(codes: impl Iterator<Item = u32>) -> ScalarBuffer<T> {
            codes.map(|code| T::usize_as(code as usize)).collect()
        }
        match dictionary.len() {
            0..=0x100 => ColumnData::Dictionary8 { codes: narrow(codes), dictionary },
            0x101..=0x1_0000 => ColumnData::Dictionary16 { codes: narrow(codes), dictionary },
            _ => ColumnData::Dictionary32 { codes: codes.collect(), dictionary },
        }
    }
}
