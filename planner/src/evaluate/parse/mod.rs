//! Text to values, as PostgreSQL reads `'…'::type`.

mod clock;
mod date;
mod fault;
mod field;
mod interval;
mod number;
mod read_field;
mod reading;
mod word;

use super::logical::{self, UTC};
use crate::error::{Error, ErrorKind, Result};
use crate::function::IntervalStyle;
use crate::numeric::Numeric;
use crate::types::DataType;
use crate::value::Value;

pub(super) use interval::parse_interval;
pub(super) use number::parse_decimal;
pub(super) use reading::Around;

/// Seconds to the east of an offset with its sign, if it is one.
pub(super) fn offset(text: &str) -> Option<i64> {
    clock::offset(text)
}

/// A date, a time, a timestamp, or one of them with a zone, read at a place and a time; none of other types.
pub(super) fn parse_moment(text: &str, data_type: DataType, around: Around<'_>) -> Option<Result<Value>> {
    Some(match data_type {
        DataType::Date => date::parse_date(text, around),
        DataType::Time => date::parse_time(text, around),
        DataType::TimeTz => date::parse_time_with_zone(text, around),
        DataType::Timestamp => date::parse_timestamp(text, around),
        DataType::TimestampTz => date::parse_instant(text, around),
        _ => return None,
    })
}

/// The value of a text, an instant in UTC if the text does not say otherwise. Blanks around it do not matter, except to text types.
pub(super) fn parse_value(text: &str, data_type: DataType) -> Result<Value> {
    if let Some(moment) = parse_moment(text, data_type, Around { zone: UTC, now: None }) {
        return moment;
    }
    match data_type {
        DataType::Boolean => parse_boolean(text),
        DataType::SmallInt | DataType::Integer | DataType::BigInt => number::parse_integer(text, data_type),
        DataType::Real | DataType::Double => number::parse_float(text, data_type),
        DataType::Decimal { .. } => parse_decimal(text, data_type),
        DataType::Numeric => Numeric::parse(text).map(Value::numeric),
        DataType::Null | DataType::Text => Ok(Value::text(text)),
        DataType::Varchar(_) | DataType::Char(_) => Ok(Value::text(super::cast::truncate(text, data_type))),
        DataType::Interval => interval::parse_interval(text, None, IntervalStyle::Postgres),
        vector if let Some((of, length)) = vector.vector_of() => super::vector::text::read(text, of, length),
        logical => logical::read(text, logical, UTC),
    }
}

/// Any unambiguous beginning of true, false, yes, no, on, off; 1 and 0.
fn parse_boolean(text: &str) -> Result<Value> {
    let word = text.trim_matches(is_blank).to_ascii_lowercase();
    let begins = |full: &str, least: usize| word.len() >= least && full.starts_with(&word);
    if begins("true", 1) || begins("yes", 1) || word == "on" || word == "1" {
        Ok(Value::Boolean(true))
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0" {
        Ok(Value::Boolean(false))
    } else {
        Err(invalid(text, "boolean"))
    }
}

/// 22P02.
pub(super) fn invalid(text: &str, type_name: &str) -> Error {
    Error::new(ErrorKind::InvalidText, format!("invalid input syntax for type {type_name}: \"{text}\""))
}

/// What PostgreSQL skips around numbers: C's `isspace`.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

#[cfg(test)]
mod tests;
