//! Text to values, as PostgreSQL reads `'…'::type`.

mod date;
mod field;
mod interval;
mod number;

use super::logical::{self, UTC};
use crate::error::{Error, ErrorKind, Result};
use crate::numeric::Numeric;
use crate::types::DataType;
use crate::value::Value;

pub(super) use interval::parse_interval;
pub(super) use number::parse_decimal;

/// The instant of a text; see [`super::logical`].
pub(super) fn parse_instant(text: &str, zone: &str) -> Result<Value> {
    date::parse_instant(text, zone)
}

/// The value of a text, an instant in UTC if the text does not say otherwise. Blanks around it do not matter, except to text types.
pub(super) fn parse_value(text: &str, data_type: DataType) -> Result<Value> {
    match data_type {
        DataType::Boolean => parse_boolean(text),
        DataType::SmallInt | DataType::Integer | DataType::BigInt => number::parse_integer(text, data_type),
        DataType::Real | DataType::Double => number::parse_float(text, data_type),
        DataType::Decimal { .. } => parse_decimal(text, data_type),
        DataType::Numeric => Numeric::parse(text).map(Value::numeric),
        DataType::Null | DataType::Text => Ok(Value::text(text)),
        DataType::Varchar(_) | DataType::Char(_) => Ok(Value::text(super::cast::truncate(text, data_type))),
        DataType::Date => date::parse_date(text),
        DataType::Time => date::parse_time(text),
        DataType::Timestamp => date::parse_timestamp(text),
        DataType::Interval => interval::parse_interval(text, None),
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
