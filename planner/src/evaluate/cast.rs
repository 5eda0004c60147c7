//! Casts between types, explicit (`CAST`, `::`) and by assignment (INSERT).

use super::calendar::{
    DAY, TIMESTAMP_MIN, date_to_timestamp, is_infinite_timestamp, split_timestamp, timestamp_to_date,
};
use super::{decimal, format, mismatch, numeric, parse, vector};
use crate::error::{Error, ErrorKind, Result};
use crate::types::DataType;
use crate::value::{Interval, Value};

/// `CAST(value AS to)`.
pub(super) fn cast_value(value: &Value, from: DataType, to: DataType) -> Result<Value> {
    match (value, to) {
        (Value::Null, _) => Ok(Value::Null),
        (_, DataType::Null) => Ok(value.clone()),
        (Value::Text(text), DataType::Text | DataType::VARCHAR | DataType::BPCHAR) => Ok(Value::Text(text.clone())),
        (Value::Text(text), _) => parse::parse_value(text, to),
        (_, to) if to.is_text() => Ok(Value::text(truncate(&text_of(value, from), to))),
        (Value::Boolean(value), DataType::Boolean) => Ok(Value::Boolean(*value)),
        (Value::Boolean(value), to) if to.is_integer() => Ok(Value::Int(i64::from(*value))),
        (Value::Numeric(number), to) => numeric::cast_numeric(number, to),
        (_, DataType::Numeric) => numeric::cast(value, from),
        (Value::Int(value), to) => cast_int(*value, from, to),
        (Value::Float(value), to) => cast_float(*value, from, to),
        (Value::Decimal(value), to) => cast_decimal(*value, from.scale(), to),
        (Value::Vector(elements), to) if let Some((of, length)) = to.vector_of() => {
            vector::cast::cast_vector(elements, of, length)
        }
        (Value::Interval(interval), DataType::Interval) => Ok(Value::Interval(*interval)),
        (Value::Interval(interval), DataType::Time) => Ok(Value::Int(interval.micros.rem_euclid(DAY))),
        _ => Err(mismatch(value, to)),
    }
}

/// As [`cast_value`], but a text too long for a varchar or char is an error (22001) unless only blanks are cut off.
pub(super) fn assign_cast(value: &Value, from: DataType, to: DataType) -> Result<Value> {
    if !matches!(to, DataType::Varchar(_) | DataType::Char(_)) || value.is_null() {
        return cast_value(value, from, to);
    }
    let text = text_of(value, from);
    check_length(&text, to)?;
    Ok(Value::text(truncate(&text, to)))
}

/// An error (22001) for a text that is too long for a varchar or char, unless only blanks are cut off.
pub(super) fn check_length(text: &str, data_type: DataType) -> Result<()> {
    let (length, type_name) = match data_type {
        DataType::VARCHAR | DataType::BPCHAR => return Ok(()),
        DataType::Varchar(length) => (length, "character varying"),
        DataType::Char(length) => (length, "character"),
        _ => return Ok(()),
    };
    // So many bytes are no more characters.
    if text.len() > length as usize && text.chars().skip(length as usize).any(|c| c != ' ') {
        let message = format!("value too long for type {type_name}({length})");
        return Err(Error::new(ErrorKind::StringTooLong, message));
    }
    Ok(())
}

/// The text that a value is cast to: as it prints, but for booleans and a char's padding.
pub(super) fn text_of(value: &Value, data_type: DataType) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        _ => format::format_value(value, data_type),
    }
}

/// A text cut to the length of its type; a char is kept without trailing blanks.
pub(super) fn truncate(text: &str, data_type: DataType) -> &str {
    let first = |length: u32| text.char_indices().nth(length as usize).map_or(text, |(end, _)| &text[..end]);
    match data_type {
        DataType::VARCHAR | DataType::BPCHAR => text,
        DataType::Varchar(length) => first(length),
        DataType::Char(length) => first(length).trim_end_matches(' '),
        _ => text,
    }
}

/// The integer if it is in the type's range, else 22003.
pub(super) fn checked_integer(value: Option<i128>, data_type: DataType) -> Result<Value> {
    let (low, high) = data_type.integer_bounds().unwrap_or((i64::MIN.into(), i64::MAX.into()));
    match value {
        Some(value) if (low..=high).contains(&value) => Ok(Value::Int(value as i64)),
        _ => Err(Error::new(ErrorKind::NumericOverflow, format!("{data_type} out of range"))),
    }
}

fn cast_int(value: i64, from: DataType, to: DataType) -> Result<Value> {
    match (from, to) {
        (DataType::Date, DataType::Timestamp) => date_to_timestamp(value)
            .map(Value::Int)
            .map_err(|_| Error::new(ErrorKind::DatetimeOverflow, "date out of range for timestamp")),
        (DataType::Timestamp, DataType::Date) => timestamp_to_date(value).map(Value::Int),
        // An infinite timestamp has no time of day.
        (DataType::Timestamp, DataType::Time) if is_infinite_timestamp(value) => Ok(Value::Null),
        (DataType::Timestamp, DataType::Time) => Ok(Value::Int(split_timestamp(value).1)),
        (DataType::Time, DataType::Interval) => Ok(Value::Interval(Interval { months: 0, days: 0, micros: value })),
        (DataType::Timestamp, DataType::Timestamp) if value < TIMESTAMP_MIN && value != i64::MIN => {
            Err(Error::new(ErrorKind::DatetimeOverflow, "timestamp out of range"))
        }
        (from, to) if from == to => Ok(Value::Int(value)),
        (from, to) if !from.is_integer() => Err(mismatch(&Value::Int(value), to)),
        (_, DataType::Boolean) => Ok(Value::Boolean(value != 0)),
        (_, DataType::Real) => Ok(Value::Float(f64::from(value as f32))),
        (_, DataType::Double) => Ok(Value::Float(value as f64)),
        (_, DataType::Decimal { scale, .. }) => decimal::checked(decimal::rescale(value.into(), 0, scale), to),
        (_, to) if to.is_integer() => checked_integer(Some(value.into()), to),
        _ => Err(mismatch(&Value::Int(value), to)),
    }
}

/// A float becomes the nearest integer (half to even), or the decimal that its 15 (a real: 6) leading digits make.
fn cast_float(value: f64, from: DataType, to: DataType) -> Result<Value> {
    match to {
        DataType::Double => Ok(Value::Float(value)),
        DataType::Real => to_real(value).map(Value::Float),
        DataType::Decimal { .. } if value.is_nan() => Err(decimal::nan()),
        DataType::Decimal { .. } if !value.is_finite() => {
            let message = format!("cannot convert {} to decimal", format::format_double(value));
            Err(Error::new(ErrorKind::NumericOverflow, message))
        }
        DataType::Decimal { .. } => {
            let text = if from == DataType::Real { format!("{value:.5e}") } else { format!("{value:.14e}") };
            parse::parse_decimal(&text, to)
        }
        to if to.is_integer() => {
            // Beyond 2^100 the conversion to i128 would saturate; any such value is out of range anyway.
            let rounded = value.round_ties_even();
            let whole = (rounded.abs() < 2f64.powi(100)).then_some(rounded as i128);
            checked_integer(whole, to)
        }
        _ => Err(mismatch(&Value::Float(value), to)),
    }
}

/// The nearest real; 22003 if it has none or only zero is near.
fn to_real(value: f64) -> Result<f64> {
    let real = f64::from(value as f32);
    if real.is_infinite() && value.is_finite() {
        Err(Error::new(ErrorKind::NumericOverflow, "value out of range: overflow"))
    } else if real == 0.0 && value != 0.0 {
        Err(Error::new(ErrorKind::NumericOverflow, "value out of range: underflow"))
    } else {
        Ok(real)
    }
}

fn cast_decimal(value: i128, scale: u8, to: DataType) -> Result<Value> {
    match to {
        DataType::Decimal { scale: to_scale, .. } => decimal::checked(decimal::rescale(value, scale, to_scale), to),
        DataType::Double => Ok(Value::Float(decimal::to_double(value, scale))),
        DataType::Real => Ok(Value::Float(decimal::to_real(value, scale))),
        to if to.is_integer() => checked_integer(decimal::rescale(value, scale, 0), to),
        _ => Err(mismatch(&Value::Decimal(value), to)),
    }
}
