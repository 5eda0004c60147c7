//! INTERVAL literals: `interval '3 months'`, `interval '90' day`, `interval '1-2' year to month`.
//!
//! A qualifier does two things, as in PostgreSQL: it gives a bare number its unit, and it cuts off all smaller
//! fields.

use crate::error::{Error, ErrorKind, Result};
use crate::evaluate;
use crate::relation::Expression;
use crate::sql::binder::Binder;
use crate::types::DataType;
use crate::value::{Interval, Value};
use sqlparser::ast::{self, DateTimeField};

const MICROS_PER_MINUTE: i64 = 60_000_000;
const MICROS_PER_HOUR: i64 = 60 * MICROS_PER_MINUTE;

/// The smallest field that a qualified interval keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
}

impl Unit {
    fn of(field: &DateTimeField) -> Option<Unit> {
        Some(match field {
            DateTimeField::Year | DateTimeField::Years => Unit::Year,
            DateTimeField::Month | DateTimeField::Months => Unit::Month,
            DateTimeField::Week(None) | DateTimeField::Weeks => Unit::Week,
            DateTimeField::Day | DateTimeField::Days => Unit::Day,
            DateTimeField::Hour | DateTimeField::Hours => Unit::Hour,
            DateTimeField::Minute | DateTimeField::Minutes => Unit::Minute,
            DateTimeField::Second | DateTimeField::Seconds => Unit::Second,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Unit::Year => "year",
            Unit::Month => "month",
            Unit::Week => "week",
            Unit::Day => "day",
            Unit::Hour => "hour",
            Unit::Minute => "minute",
            Unit::Second => "second",
        }
    }

    /// The interval without the fields smaller than this one.
    fn truncate(self, interval: Interval) -> Interval {
        let Interval { months, days, micros } = interval;
        match self {
            Unit::Year => Interval { months: months / 12 * 12, days: 0, micros: 0 },
            Unit::Month => Interval { months, days: 0, micros: 0 },
            Unit::Week | Unit::Day => Interval { months, days, micros: 0 },
            Unit::Hour => Interval { months, days, micros: micros / MICROS_PER_HOUR * MICROS_PER_HOUR },
            Unit::Minute => Interval { months, days, micros: micros / MICROS_PER_MINUTE * MICROS_PER_MINUTE },
            Unit::Second => interval,
        }
    }
}

impl Binder<'_> {
    /// An INTERVAL literal.
    pub(super) fn bind_interval(&mut self, interval: &ast::Interval) -> Result<Expression> {
        let ast::Expr::Value(value) = &*interval.value else {
            return Err(Error::unsupported("INTERVAL of anything but a string is").at(self.start(&interval.value)));
        };
        let position = self.position(value.span);
        let Some(text) = value.value.clone().into_string() else {
            let message = "the value of an INTERVAL must be a string in quotes";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        };
        read(&text, interval)
            .map(|value| Expression::constant(Value::Interval(value), DataType::Interval).at(position))
            .map_err(|error| error.at(position))
    }
}

fn read(text: &str, interval: &ast::Interval) -> Result<Interval> {
    if interval.leading_precision.is_some() || interval.fractional_seconds_precision.is_some() {
        return Err(Error::unsupported("an INTERVAL with a precision is"));
    }
    let unit = |field: &Option<DateTimeField>| match field {
        None => Ok(None),
        Some(field) => match Unit::of(field) {
            Some(unit) => Ok(Some(unit)),
            None => Err(Error::new(ErrorKind::Syntax, format!("INTERVAL has no field {field}"))),
        },
    };
    let leading = unit(&interval.leading_field)?;
    let last = unit(&interval.last_field)?.or(leading);
    let trimmed = text.trim();
    let spelled = match last {
        Some(last) if is_number(trimmed) => format!("{trimmed} {}", last.name()),
        // Two fields of time are hours and minutes, unless the qualifier says otherwise.
        Some(Unit::Second) if leading == Some(Unit::Minute) => with_hours(trimmed),
        _ => trimmed.to_owned(),
    };
    let Value::Interval(value) = evaluate::parse(&spelled, DataType::Interval)? else {
        return Err(Error::internal("an interval literal was read as something else"));
    };
    Ok(last.map_or(value, |last| last.truncate(value)))
}

/// Whether a text is a number and nothing more, so that it lacks a unit.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut points = 0;
    digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().all(|byte| {
            points += usize::from(byte == b'.');
            byte.is_ascii_digit() || byte == b'.'
        })
        && points <= 1
}

/// `2:03` as `00:2:03`; any other text as it is.
fn with_hours(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => text.split_at(text.len() - rest.len()),
        None => ("", text),
    };
    match rest.split_once(':') {
        Some((minutes, seconds)) if !seconds.contains(':') && minutes.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{sign}00:{minutes}:{seconds}")
        }
        _ => text.to_owned(),
    }
}
