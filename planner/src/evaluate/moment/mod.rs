//! Functions of days, times and intervals beyond arithmetic, EXTRACT and date_trunc.
//!
//! `bin` puts timestamps into bins, `span` counts what lies between two of them, `justify` makes intervals plain, `picture` has the
//! formats of C's `strftime`.

mod bin;
mod justify;
mod picture;
mod span;

pub use bin::{bin, bucket};
pub use span::{boundaries, last_day, wholes};

use super::calendar::{
    DAY, HOUR, MINUTE, SECOND, checked_timestamp, date_to_timestamp, is_infinite_date, is_infinite_timestamp,
    start_of_date,
};
use super::date::{extract_numeric, seconds_of};
use super::zone::with_zone;
use super::{Call, interval_style, mismatch, parse, time_with_zone};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{DatePart, Function, MomentFunction};
use crate::types::DataType;
use crate::value::Value;
use std::cmp::Ordering;

/// The value of a function that sees NULLs.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    match call.function {
        Function::Moment(MomentFunction::Overlaps) => overlap(call.arguments).map(Some),
        _ => Ok(None),
    }
}

/// The value, if the function is one of moments. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use MomentFunction as M;
    let Function::Moment(function) = call.function else { return Ok(None) };
    Ok(Some(match function {
        M::Bin => Value::Int(bin(call.interval(0)?, call.int(1)?, call.int(2)?)?),
        M::Bucket => Value::Int(bucket(call.interval(0)?, call.int(1)?, call.int(2)?)?),
        M::MakeTime => make_time(call)?,
        M::JustifyHours => Value::Interval(justify::hours(call.interval(0)?)?),
        M::JustifyDays => Value::Interval(justify::days(call.interval(0)?)?),
        M::JustifyInterval => Value::Interval(justify::all(call.interval(0)?)?),
        M::Extract(part) => extract_numeric(&call.arguments[0], call.types[0], part)?,
        M::Boundaries(part) => count(boundaries(part, call.types[0], call.int(0)?, call.int(1)?)),
        M::Wholes(part) => count(wholes(part, call.types[0], call.int(0)?, call.int(1)?)),
        M::BoundariesNamed | M::WholesNamed => {
            let unit = counted_unit(&call.text(0)?.trim().to_ascii_lowercase(), call.types[1])?;
            let count_of = if function == M::BoundariesNamed { boundaries } else { wholes };
            count(count_of(unit, call.types[1], call.int(1)?, call.int(2)?))
        }
        M::LastDay => Value::Int(last_day(call.int(0)?, call.types[0])?),
        M::Micros => micros(call)?,
        M::OfMicros => {
            let micros = call.int(0)?;
            Value::Int(checked_timestamp(micros.div_euclid(DAY), micros.rem_euclid(DAY))?)
        }
        M::Show => Value::text(picture::show(call.int(0)?, call.text(1)?)?),
        M::Read => Value::Int(picture::read(call.text(0)?, call.text(1)?)?),
        M::TryRead => match picture::read(call.text(0)?, call.text(1)?) {
            Ok(timestamp) => Value::Int(timestamp),
            Err(error) if error.kind() == ErrorKind::InvalidParameter => return Err(error),
            Err(_) => Value::Null,
        },
        M::InstantOf => Value::Int(instant_of(call.int(0)?, call.text(1)?)?),
        M::ShowInterval(style) => Value::text(interval_style::show(call.interval(0)?, style)),
        M::ReadInterval(style) => parse::parse_interval(call.text(0)?, None, style)?,
        M::TimeOf => Value::Int(time_with_zone::decode(call.int(0)?).0),
        M::OffsetOf => Value::Int(time_with_zone::decode(call.int(0)?).1),
        M::WithOffset => Value::Int(time_with_zone::encode(call.int(0)?, call.int(1)?)),
        M::AtOffset => Value::Int(time_with_zone::at_offset(call.int(0)?, call.int(1)?)),
        M::OffsetAt => Value::Int(with_zone(call.text(0)?, |zone| Ok(zone.offset_at(call.int(1)?)))?),
        M::OnDay => on_day(call.int(0)?, call.int(1)?)?,
        M::StartOfDate => Value::Int(start_of_date(call.int(0)?)),
        M::Overlaps => return Ok(None),
    }))
}

/// The unit of a name in lower case, of which there may be some between two values of a type.
///
/// # Errors
/// 22023.
pub fn counted_unit(name: &str, of: DataType) -> Result<DatePart> {
    let is_unit = |part: &DatePart| *part != DatePart::Era && (of != DataType::Time || part.is_of(DataType::Time));
    DatePart::named(name)
        .filter(is_unit)
        .ok_or_else(|| Error::new(ErrorKind::InvalidParameter, format!("unit \"{name}\" not recognized for type {of}")))
}

fn count(count: Option<i64>) -> Value {
    count.map_or(Value::Null, Value::Int)
}

fn make_time(call: &Call) -> Result<Value> {
    let (hour, minute, second) = (call.int(0)?, call.int(1)?, call.float(2)?);
    let out_of_range = || format!("time field value out of range: {hour}:{minute:02}:{second:02}");
    let micros = seconds_of(second, out_of_range)?;
    let time = hour.saturating_mul(HOUR).saturating_add(minute.saturating_mul(MINUTE)).saturating_add(micros);
    if !(0..=24).contains(&hour) || !(0..=59).contains(&minute) || time > DAY {
        return Err(Error::new(ErrorKind::DatetimeOverflow, out_of_range()));
    }
    Ok(Value::Int(time))
}

/// Microseconds since 1970, or of a time or an interval; NULL of infinity.
fn micros(call: &Call) -> Result<Value> {
    Ok(match (&call.arguments[0], call.types[0]) {
        (Value::Int(days), DataType::Date) if is_infinite_date(*days) => Value::Null,
        (Value::Int(days), DataType::Date) => {
            let too_far = || Error::new(ErrorKind::DatetimeOverflow, "date out of range for timestamp");
            Value::Int(days.checked_mul(DAY).ok_or_else(too_far)?)
        }
        (Value::Int(micros), DataType::Timestamp) if is_infinite_timestamp(*micros) => Value::Null,
        (Value::Int(micros), _) => Value::Int(*micros),
        (Value::Interval(interval), _) => {
            let micros = super::interval::epoch_micros(*interval);
            let too_long = |_| Error::new(ErrorKind::DatetimeOverflow, "interval out of range");
            Value::Int(i64::try_from(micros).map_err(too_long)?)
        }
        (other, _) => return Err(mismatch(other, DataType::Timestamp)),
    })
}

/// `date + timetz`: the instant.
fn on_day(days: i64, time: i64) -> Result<Value> {
    if is_infinite_date(days) {
        return date_to_timestamp(days).map(Value::Int);
    }
    let (micros, east) = time_with_zone::decode(time);
    let micros = micros - east * SECOND;
    checked_timestamp(days + micros.div_euclid(DAY), micros.rem_euclid(DAY)).map(Value::Int)
}

/// A number with a sign counts hours to the east, as in a text; a name is one of a zone.
fn instant_of(local: i64, zone: &str) -> Result<i64> {
    let trimmed = zone.trim();
    if trimmed.starts_with(|first: char| first.is_ascii_digit()) {
        let message = format!("invalid input syntax for type numeric time zone: \"{zone}\"");
        let hint = "Numeric time zones must have \"-\" or \"+\" as first character.";
        return Err(Error::new(ErrorKind::InvalidParameter, message).with_hint(hint));
    }
    if !trimmed.starts_with(['+', '-']) {
        return with_zone(zone, |zone| zone.instant(local));
    }
    if is_infinite_timestamp(local) {
        return Ok(local);
    }
    let seconds = parse::offset(trimmed)
        .ok_or_else(|| Error::new(ErrorKind::InvalidParameter, format!("time zone \"{zone}\" not recognized")))?;
    let (days, time) = (local.div_euclid(DAY), local.rem_euclid(DAY) - seconds * SECOND);
    checked_timestamp(days + time.div_euclid(DAY), time.rem_euclid(DAY))
}

/// Whether two spans of time have a point in common: each is told by its ends in any order, of which one may be NULL.
fn overlap(ends: &[Value]) -> Result<Value> {
    let [a, b, c, d] = ends else { return Err(Error::internal("OVERLAPS of other than four values")) };
    let known = |value: &Value| if let Value::Int(point) = value { Some(*point) } else { None };
    let span = |first: &Value, second: &Value| match (known(first), known(second)) {
        (None, None) => None,
        (Some(first), Some(second)) => Some((first.min(second), Some(first.max(second)))),
        (first, second) => first.or(second).map(|point| (point, None)),
    };
    let (Some((start, end)), Some((other_start, other_end))) = (span(a, b), span(c, d)) else {
        return Ok(Value::Null);
    };
    // The span that begins later overlaps the other one if it begins before that one's end.
    let reaches = |end: Option<i64>, later: i64, own_end: Option<i64>| match end {
        None => Value::Null,
        Some(end) if later < end => Value::Boolean(true),
        Some(_) if own_end.is_none() => Value::Null,
        Some(_) => Value::Boolean(false),
    };
    Ok(match start.cmp(&other_start) {
        Ordering::Greater => reaches(other_end, start, end),
        Ordering::Less => reaches(end, other_start, other_end),
        Ordering::Equal if end.is_none() || other_end.is_none() => Value::Null,
        Ordering::Equal => Value::Boolean(true),
    })
}
