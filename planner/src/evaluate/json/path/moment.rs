//! The dates and times that `datetime()` makes of strings, as they compare with each other.

use crate::error::{Error, ErrorKind};
use crate::evaluate::{logical, parse};
use crate::types::DataType;
use crate::value::Value;
use std::cmp::Ordering;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// A date, a time, a timestamp or an instant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moment {
    of: DataType,
    value: i64,
}

impl Moment {
    /// The moment of a text in ISO's form: `2020-01-31`, `10:20:30`, or both with a blank or a T between, with a zone or without.
    pub(super) fn read(text: &str) -> Option<Moment> {
        let trimmed = text.trim_start();
        let is_date = |text: &str| {
            let parts: Vec<&str> = text.split('-').collect();
            matches!(&parts[..], [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2
                && parts.iter().all(|part| part.bytes().all(|digit| digit.is_ascii_digit())))
        };
        let has_zone = |time: &str| time.contains(['+', '-']) || time.ends_with('Z');
        let is_time = |text: &str| {
            text.get(2..3) == Some(":") && text.bytes().all(|byte| byte.is_ascii_digit() || b":.+-Z".contains(&byte))
        };
        let of = match trimmed.split_once([' ', 'T']) {
            None if is_date(trimmed) => DataType::Date,
            None if is_time(trimmed) && !has_zone(trimmed) => DataType::Time,
            Some((date, time)) if is_date(date) && is_time(time) => {
                if has_zone(time) {
                    DataType::TimestampTz
                } else {
                    DataType::Timestamp
                }
            }
            _ => return None,
        };
        match logical::read(trimmed, of, logical::UTC) {
            Ok(Value::Int(value)) => Some(Moment { of, value }),
            _ => parse::parse_value(trimmed, of).ok().and_then(|value| match value {
                Value::Int(value) => Some(Moment { of, value }),
                _ => None,
            }),
        }
    }

    /// The name of its type.
    pub(super) fn type_name(&self) -> &'static str {
        match self.of {
            DataType::Date => "date",
            DataType::Time => "time without time zone",
            DataType::Timestamp => "timestamp without time zone",
            _ => "timestamp with time zone",
        }
    }

    /// Its text, as JSON has it.
    pub(super) fn shown(&self) -> String {
        let mut out = String::new();
        super::super::append_json(&Value::Int(self.value), self.of, logical::UTC, &mut out);
        out.trim_matches('"').to_owned()
    }

    /// How it compares with another; none where they do not.
    ///
    /// # Errors
    /// 0A000 for an instant and what needs a zone to be one.
    pub(super) fn compare(&self, other: &Moment) -> Result<Option<Ordering>, Error> {
        use DataType as T;
        let as_timestamp = |moment: &Moment| match moment.of {
            T::Date => moment.value.saturating_mul(DAY),
            _ => moment.value,
        };
        match (self.of, other.of) {
            (a, b) if a == b => Ok(Some(self.value.cmp(&other.value))),
            (T::Date, T::Timestamp) | (T::Timestamp, T::Date) => Ok(Some(as_timestamp(self).cmp(&as_timestamp(other)))),
            (T::Time, _) | (_, T::Time) => Ok(None),
            (a, b) => {
                let (from, to) = if a == T::TimestampTz { (b, a) } else { (a, b) };
                let name = |of: T| match of {
                    T::Date => "date",
                    T::Timestamp => "timestamp",
                    _ => "timestamptz",
                };
                let message =
                    format!("cannot convert value from {} to {} without time zone usage", name(from), name(to));
                let error = Error::new(ErrorKind::Unsupported, message);
                Err(error.with_hint("Use *_tz() function for time zone support."))
            }
        }
    }
}
