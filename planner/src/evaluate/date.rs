//! Dates, times and timestamps: their fields, truncation, and arithmetic with days and intervals.

use super::calendar::{
    Civil, DAY, DAYS_MIN, HOUR, MINUTE, SECOND, checked_date, checked_timestamp, civil_from_days, date_to_timestamp,
    day_of_year, days_from_civil, days_in_month, is_infinite_date, is_infinite_timestamp, iso_year_and_week,
    split_timestamp, weekday,
};
use super::interval::{checked_interval, extract_from_interval, round_seconds, truncate_interval};
use super::{Call, cast, mismatch};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{DatePart, Function};
use crate::numeric::Numeric;
use crate::types::DataType;
use crate::value::{Interval, Value};

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    let value = match call.function {
        F::Extract(part) => extract(call, part)?,
        F::DateTrunc(part) => truncate(call, part, 0)?,
        F::PartNamed => part_named(call)?,
        F::TruncateToNamed => {
            let part = named(call)?;
            if !part.is_unit_of(call.result) {
                return Err(no_unit(part));
            }
            truncate(call, part, 1)?
        }
        F::RoundSeconds(digits) => rounded(call, digits)?,
        F::DateAddDays | F::DateSubtractDays if is_infinite_date(call.int(0)?) => Value::Int(call.int(0)?),
        F::DateAddDays => Value::Int(checked_date(call.int(0)?.saturating_add(call.int(1)?))?),
        F::DateSubtractDays => Value::Int(checked_date(call.int(0)?.saturating_sub(call.int(1)?))?),
        F::DateDifference if is_infinite_date(call.int(0)?) || is_infinite_date(call.int(1)?) => {
            return Err(Error::new(ErrorKind::DatetimeOverflow, "cannot subtract infinite dates"));
        }
        F::DateDifference => Value::Int(call.int(0)? - call.int(1)?),
        F::AddInterval => Value::Int(add_interval(timestamp(call, 0)?, call.interval(1)?, 1)?),
        F::SubtractInterval => Value::Int(add_interval(timestamp(call, 0)?, call.interval(1)?, -1)?),
        F::TimestampDifference => difference(timestamp(call, 0)?, timestamp(call, 1)?)?,
        F::DateTimeCombine if is_infinite_date(call.int(0)?) => Value::Int(date_to_timestamp(call.int(0)?)?),
        F::DateTimeCombine => Value::Int(checked_timestamp(call.int(0)?, call.int(1)?)?),
        F::TimeAddInterval => Value::Int((call.int(0)? + call.interval(1)?.micros.rem_euclid(DAY)).rem_euclid(DAY)),
        F::TimeSubtractInterval => {
            Value::Int((call.int(0)? - call.interval(1)?.micros.rem_euclid(DAY)).rem_euclid(DAY))
        }
        F::TimeDifference => Value::Interval(Interval { months: 0, days: 0, micros: call.int(0)? - call.int(1)? }),
        F::Age => age(timestamp(call, 0)?, timestamp(call, 1)?)?,
        F::MakeTimestamp => make_timestamp(call)?,
        F::MakeInterval => make_interval(call)?,
        F::OfEpoch => of_epoch(call.float(0)?)?,
        F::MakeDate => make_date(call.int(0)?, call.int(1)?, call.int(2)?)?,
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// A date or timestamp argument as a timestamp.
fn timestamp(call: &Call, position: usize) -> Result<i64> {
    let value = call.int(position)?;
    if call.types[position] == DataType::Date { date_to_timestamp(value) } else { Ok(value) }
}

/// `extract(part from value)`, in millionths, then in the call's type.
fn extract(call: &Call, part: DatePart) -> Result<Value> {
    let of = call.types[0];
    if let Value::Int(value) = call.arguments[0]
        && is_infinite(value, of)
    {
        return extract_from_infinity(value > 0, part, call.result);
    }
    if let (Value::Int(timestamp), DatePart::Julian, true) = (&call.arguments[0], part, call.result.is_float()) {
        let (days, time) = if of == DataType::Date { (*timestamp, 0) } else { split_timestamp(*timestamp) };
        return Ok(Value::Float((days - DAYS_MIN) as f64 + time as f64 / DAY as f64));
    }
    let micros = match &call.arguments[0] {
        Value::Interval(interval) => extract_from_interval(*interval, part),
        Value::Int(value) if matches!(of, DataType::Date | DataType::Time | DataType::Timestamp) => {
            part_of(*value, of, part)
        }
        other => return Err(mismatch(other, DataType::Timestamp)),
    };
    let micros = micros.ok_or_else(|| unsupported_part(part, of))?;
    cast::cast_value(&Value::Decimal(micros), DataType::decimal(38, 6), call.result)
}

fn is_infinite(value: i64, data_type: DataType) -> bool {
    match data_type {
        DataType::Date => is_infinite_date(value),
        DataType::Timestamp => is_infinite_timestamp(value),
        _ => false,
    }
}

/// What goes round, as months do, is NULL; what grows is infinite.
fn extract_from_infinity(positive: bool, part: DatePart, result: DataType) -> Result<Value> {
    if part.is_cyclic() || result.is_integer() {
        return Ok(Value::Null);
    }
    if result.is_float() {
        return Ok(Value::Float(if positive { f64::INFINITY } else { f64::NEG_INFINITY }));
    }
    // The statement is bound anew, with numerics that may be infinite.
    Err(Error::new(ErrorKind::DecimalOverflow, "EXTRACT from infinity has no digits"))
}

/// The type of a field that has as many digits as it may: numeric has infinities, too.
pub fn extracted_type(part: DatePart, of: DataType) -> DataType {
    match part {
        DatePart::Second => DataType::decimal(14, 6),
        DatePart::Millisecond => DataType::decimal(14, 3),
        DatePart::Epoch if of != DataType::Date => DataType::decimal(24, 6),
        DatePart::Epoch => DataType::decimal(18, 0),
        _ => DataType::decimal(10, 0),
    }
}

/// `extract(part from value)` as a numeric.
pub(super) fn extract_numeric(value: &Value, of: DataType, part: DatePart) -> Result<Value> {
    let integer = |value: i64| Numeric::from_integer(value);
    match value {
        Value::Int(infinity) if is_infinite(*infinity, of) => {
            if part.is_cyclic() {
                return Ok(Value::Null);
            }
            Numeric::parse(if *infinity > 0 { "Infinity" } else { "-Infinity" }).map(Value::numeric)
        }
        // Each day of Julius Scaliger begins at midnight here, as in PostgreSQL.
        Value::Int(timestamp) if part == DatePart::Julian && of == DataType::Timestamp => {
            let (days, time) = split_timestamp(*timestamp);
            Ok(Value::numeric(integer(days - DAYS_MIN).add(&integer(time).divide(&integer(DAY))?)?))
        }
        _ => {
            let to = extracted_type(part, of);
            let call = Call {
                function: Function::Extract(part),
                arguments: std::slice::from_ref(value),
                types: &[of],
                result: to,
            };
            cast::cast_value(&extract(&call, part)?, to, DataType::Numeric)
        }
    }
}

/// A field of a date, time or timestamp, in millionths; None for one that it does not have, and of infinity.
pub fn part_of(value: i64, data_type: DataType, part: DatePart) -> Option<i128> {
    if is_infinite(value, data_type) {
        return None;
    }
    match data_type {
        DataType::Date => date_part(value, part).map(millionths),
        DataType::Time => time_part(value, part),
        _ => {
            let (days, time) = split_timestamp(value);
            match part {
                DatePart::Epoch => Some(i128::from(value)),
                _ => date_part(days, part).map(millionths).or_else(|| time_part(time, part)),
            }
        }
    }
}

/// 0A000 for a part that a type does not have.
pub(super) fn unsupported_part(part: DatePart, of: DataType) -> Error {
    let part = format!("{part:?}").to_lowercase();
    Error::new(ErrorKind::Unsupported, format!("unit \"{part}\" not supported for type {of}"))
}

/// 22023 for a part that nothing can be truncated to.
pub(super) fn no_unit(part: DatePart) -> Error {
    let part = format!("{part:?}").to_lowercase();
    Error::new(ErrorKind::InvalidParameter, format!("unit \"{part}\" not recognized by date_trunc"))
}

/// A whole number as millionths.
pub(super) fn millionths(whole: i64) -> i128 {
    i128::from(whole) * i128::from(SECOND)
}

/// A field of a date; none of a time's fields. There is no year 0: the year before 1 is -1.
fn date_part(days: i64, part: DatePart) -> Option<i64> {
    let Civil { year, month, day } = civil_from_days(days);
    let without_zero = |year: i64| if year > 0 { year } else { year - 1 };
    Some(match part {
        DatePart::Millennium => years_up(year, 1000),
        DatePart::Century => years_up(year, 100),
        DatePart::Decade => year.div_euclid(10),
        DatePart::Year => without_zero(year),
        DatePart::IsoYear => without_zero(iso_year_and_week(days).0),
        DatePart::Quarter => (month - 1) / 3 + 1,
        DatePart::Month => month,
        DatePart::Week => iso_year_and_week(days).1,
        DatePart::Day => day,
        DatePart::DayOfWeek => (weekday(days) + 1) % 7,
        DatePart::IsoDayOfWeek => weekday(days) + 1,
        DatePart::DayOfYear => day_of_year(days),
        DatePart::Julian => days - DAYS_MIN,
        DatePart::Era => i64::from(year > 0),
        DatePart::Epoch => days * (DAY / SECOND),
        _ => return None,
    })
}

/// The century (or millennium) of a year: 1 to 100 are the first, 0 (1 BC) to -99 the one numbered -1.
fn years_up(year: i64, size: i64) -> i64 {
    if year > 0 { (year + size - 1) / size } else { -((size - year) / size) }
}

/// A field of a time of day, in millionths; none of a date's fields.
fn time_part(micros: i64, part: DatePart) -> Option<i128> {
    Some(match part {
        DatePart::Hour => millionths(micros / HOUR),
        DatePart::Minute => millionths(micros % HOUR / MINUTE),
        DatePart::Second => i128::from(micros % MINUTE),
        DatePart::Millisecond => i128::from(micros % MINUTE) * 1_000,
        DatePart::Microsecond => millionths(micros % MINUTE),
        DatePart::Epoch => i128::from(micros),
        _ => return None,
    })
}

fn truncate(call: &Call, part: DatePart, position: usize) -> Result<Value> {
    if let Value::Interval(interval) = &call.arguments[position] {
        return truncate_interval(*interval, part).map(Value::Interval);
    }
    truncated(timestamp(call, position)?, part).map(Value::Int)
}

/// The field that a call's first argument names.
fn named(call: &Call) -> Result<DatePart> {
    let name = call.text(0)?.trim().to_ascii_lowercase();
    DatePart::named(&name).ok_or_else(|| {
        let message = format!("unit \"{name}\" not recognized for type {}", call.types[1]);
        Error::new(ErrorKind::InvalidParameter, message)
    })
}

/// `date_part(name, value)`: a date is its midnight.
fn part_named(call: &Call) -> Result<Value> {
    let part = named(call)?;
    let (value, of) = match call.types[1] {
        DataType::Date if !part.is_of(DataType::Date) => (Value::Int(timestamp(call, 1)?), DataType::Timestamp),
        of => (call.arguments[1].clone(), of),
    };
    if !part.is_of(of) {
        return Err(unsupported_part(part, of));
    }
    extract(&Call { function: Function::Extract(part), arguments: &[value], types: &[of], result: call.result }, part)
}

/// A time, timestamp or interval with fewer digits behind a second's point. PostgreSQL counts timestamps from the year 2000,
/// and rounds halves away from it.
fn rounded(call: &Call, digits: u8) -> Result<Value> {
    const YEAR_2000: i64 = 10_957 * DAY;
    Ok(match &call.arguments[0] {
        Value::Interval(interval) => {
            Value::Interval(Interval { micros: round_seconds(interval.micros, digits), ..*interval })
        }
        Value::Int(micros) if is_infinite(*micros, call.types[0]) => Value::Int(*micros),
        Value::Int(micros) if call.types[0] == DataType::Timestamp => {
            let from_2000 = micros.checked_sub(YEAR_2000);
            Value::Int(
                from_2000.map_or(*micros, |from_2000| round_seconds(from_2000, digits).saturating_add(YEAR_2000)),
            )
        }
        Value::Int(micros) => Value::Int(round_seconds(*micros, digits)),
        other => return Err(mismatch(other, DataType::Timestamp)),
    })
}

/// A timestamp, in microseconds since 1970, truncated to a unit.
///
/// # Errors
/// 22023 for a part that is no unit, 22008 if the unit began before all timestamps.
pub fn truncated(timestamp: i64, part: DatePart) -> Result<i64> {
    if is_infinite_timestamp(timestamp) {
        return Ok(timestamp);
    }
    let (days, time) = split_timestamp(timestamp);
    let Civil { year, month, day: _ } = civil_from_days(days);
    let start_of = |year: i64| days_from_civil(year, 1, 1);
    let (days, time) = match part {
        DatePart::Millennium => (start_of((year - 1).div_euclid(1000) * 1000 + 1), 0),
        DatePart::Century => (start_of((year - 1).div_euclid(100) * 100 + 1), 0),
        DatePart::Decade => (start_of(year.div_euclid(10) * 10), 0),
        DatePart::Year => (start_of(year), 0),
        DatePart::Quarter => (days_from_civil(year, (month - 1) / 3 * 3 + 1, 1), 0),
        DatePart::Month => (days_from_civil(year, month, 1), 0),
        DatePart::Week => (days - weekday(days), 0),
        DatePart::Day => (days, 0),
        DatePart::Hour => (days, time - time % HOUR),
        DatePart::Minute => (days, time - time % MINUTE),
        DatePart::Second => (days, time - time % SECOND),
        DatePart::Millisecond => (days, time - time % 1_000),
        DatePart::Microsecond => (days, time),
        _ => return Err(no_unit(part)),
    };
    checked_timestamp(days, time)
}

/// Months first, the day clipped to the new month's end; then days; then microseconds. `sign` is 1 or -1.
///
/// # Errors
/// 22008 beyond all timestamps.
pub fn add_interval(timestamp: i64, interval: Interval, sign: i64) -> Result<i64> {
    if is_infinite_timestamp(timestamp) {
        return Ok(timestamp);
    }
    let (mut days, time) = split_timestamp(timestamp);
    if interval.months != 0 {
        let Civil { year, month, day } = civil_from_days(days);
        let months = year * 12 + month - 1 + sign * i64::from(interval.months);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        days = days_from_civil(year, month, day.min(days_in_month(year, month)));
    }
    let moved = checked_timestamp(days + sign * i64::from(interval.days), time)?;
    let (days, time) = split_timestamp(moved);
    // The interval's own days keep the sum of two times within 64 bits.
    let (more_days, more_time) = (interval.micros / DAY, interval.micros % DAY);
    let time = time + sign * more_time;
    checked_timestamp(days + sign * more_days + time.div_euclid(DAY), time.rem_euclid(DAY))
}

fn check_finite(a: i64, b: i64) -> Result<()> {
    if is_infinite_timestamp(a) || is_infinite_timestamp(b) {
        return Err(Error::new(ErrorKind::DatetimeOverflow, "cannot subtract infinite timestamps"));
    }
    Ok(())
}

/// Days and the rest, both of one sign.
fn difference(a: i64, b: i64) -> Result<Value> {
    check_finite(a, b)?;
    let micros = i128::from(a) - i128::from(b);
    let day = i128::from(DAY);
    checked_interval(0, micros / day, micros % day).map(Value::Interval)
}

/// The difference in years, months, days and time, as a person counts it: whole months from the earlier one, the
/// days left over after the last of them.
fn age(a: i64, b: i64) -> Result<Value> {
    check_finite(a, b)?;
    let (later, earlier) = if a >= b { (a, b) } else { (b, a) };
    let ((later_days, later_time), (earlier_days, earlier_time)) = (split_timestamp(later), split_timestamp(earlier));
    let (to, from) = (civil_from_days(later_days), civil_from_days(earlier_days));
    let mut months = (to.year - from.year) * 12 + to.month - from.month;
    let mut days = to.day - from.day;
    let mut time = later_time - earlier_time;
    if time < 0 {
        time += DAY;
        days -= 1;
    }
    // A borrowed month has as many days as the earlier date's.
    if days < 0 {
        days += days_in_month(from.year, from.month);
        months -= 1;
    }
    let sign = if a >= b { 1 } else { -1 };
    checked_interval((sign * months).into(), (sign * days).into(), (sign * time).into()).map(Value::Interval)
}

/// Negative years are BC.
fn make_date(year: i64, month: i64, day: i64) -> Result<Value> {
    let astronomical = if year < 0 { year + 1 } else { year };
    if year == 0 || !(1..=12).contains(&month) || !(1..=days_in_month(astronomical, month)).contains(&day) {
        let message = format!("date field value out of range: {year}-{month:02}-{day:02}");
        return Err(Error::new(ErrorKind::DatetimeOverflow, message));
    }
    let days = days_from_civil(astronomical, month, day);
    checked_date(days)
        .map(Value::Int)
        .map_err(|_| Error::new(ErrorKind::DatetimeOverflow, format!("date out of range: {year}-{month:02}-{day:02}")))
}

/// A second with its fraction, in microseconds; 22008 for what is none.
pub(super) fn seconds_of(seconds: f64, what: impl Fn() -> String) -> Result<i64> {
    let micros = (seconds * SECOND as f64).round_ties_even();
    // 60 is the next minute's first.
    if (0.0..=60e6).contains(&micros) {
        return Ok(micros as i64);
    }
    Err(Error::new(ErrorKind::DatetimeOverflow, what()))
}

fn make_timestamp(call: &Call) -> Result<Value> {
    let Value::Int(days) = make_date(call.int(0)?, call.int(1)?, call.int(2)?)? else {
        return Err(mismatch(&call.arguments[0], DataType::Date));
    };
    let (hour, minute, second) = (call.int(3)?, call.int(4)?, call.float(5)?);
    let out_of_range = || format!("time field value out of range: {hour}:{minute:02}:{second:02}");
    let micros = seconds_of(second, out_of_range)?;
    let time = hour.saturating_mul(HOUR).saturating_add(minute.saturating_mul(MINUTE)).saturating_add(micros);
    if !(0..=24).contains(&hour) || !(0..=59).contains(&minute) || time > DAY {
        return Err(Error::new(ErrorKind::DatetimeOverflow, out_of_range()));
    }
    checked_timestamp(days + time / DAY, time % DAY).map(Value::Int)
}

fn make_interval(call: &Call) -> Result<Value> {
    let part = |at: usize| if at < call.arguments.len() { call.int(at).map(i128::from) } else { Ok(0) };
    let seconds = if call.arguments.len() > 6 { call.float(6)? } else { 0.0 };
    let micros = (seconds * SECOND as f64).round_ties_even();
    if !micros.is_finite() || micros.abs() >= i64::MAX as f64 {
        return Err(Error::new(ErrorKind::DatetimeOverflow, "interval out of range"));
    }
    let time = part(4)? * i128::from(HOUR) + part(5)? * i128::from(MINUTE) + micros as i128;
    checked_interval(part(0)? * 12 + part(1)?, part(2)? * 7 + part(3)?, time).map(Value::Interval)
}

/// The instant so many seconds after 1970 began.
fn of_epoch(seconds: f64) -> Result<Value> {
    if seconds.is_nan() {
        return Err(Error::new(ErrorKind::DatetimeOverflow, "timestamp cannot be NaN"));
    }
    if seconds.is_infinite() {
        return Ok(Value::Int(if seconds > 0.0 { i64::MAX } else { i64::MIN }));
    }
    let out_of_range = || {
        let shown = super::format::format_double(seconds);
        Error::new(ErrorKind::DatetimeOverflow, format!("timestamp out of range: \"{shown}\""))
    };
    let micros = (seconds * SECOND as f64).round_ties_even();
    if micros.abs() >= i64::MAX as f64 {
        return Err(out_of_range());
    }
    let (days, time) = split_timestamp(micros as i64);
    checked_timestamp(days, time).map(Value::Int).map_err(|_| out_of_range())
}
