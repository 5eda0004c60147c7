//! Arithmetic of intervals, and their fields.

use super::Call;
use super::arithmetic::division_by_zero;
use super::calendar::{DAY, HOUR, MINUTE, SECOND};
use super::date::{millionths, no_unit, unsupported_part};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{DatePart, Function};
use crate::types::DataType;
use crate::value::{Interval, Value};

/// The fields that an interval is restricted to: `hour`, `day to minute`, `minute to second(2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fields {
    /// The smallest, which gives a number without a unit its unit; what is smaller is cut off.
    pub last: DatePart,
    /// Whether two numbers with a colon between them are minutes and seconds, not hours and minutes.
    pub minute_to_second: bool,
    /// Digits of the seconds behind their point.
    pub digits: Option<u8>,
}

impl Fields {
    /// An interval without smaller fields than these.
    pub(super) fn restrict(self, interval: Interval) -> Result<Interval> {
        let whole = truncate_interval(interval, if self.last == DatePart::Week { DatePart::Day } else { self.last });
        let whole = if self.last == DatePart::Second { interval } else { whole? };
        let micros = self.digits.map_or(whole.micros, |digits| round_seconds(whole.micros, digits));
        Ok(Interval { micros, ..whole })
    }
}

/// Microseconds rounded to so many digits behind a second's point, half away from zero.
pub(super) fn round_seconds(micros: i64, digits: u8) -> i64 {
    let unit = 10i64.pow(6u32.saturating_sub(digits.into()));
    let half = unit / 2;
    let away = if micros < 0 { micros.saturating_sub(half) } else { micros.saturating_add(half) };
    away / unit * unit
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    let interval = match call.function {
        F::IntervalAdd => add(call.interval(0)?, call.interval(1)?, 1)?,
        F::IntervalSubtract => add(call.interval(0)?, call.interval(1)?, -1)?,
        F::IntervalNegate => add(Interval::default(), call.interval(0)?, -1)?,
        F::IntervalMultiply => {
            let factor = call.float(1)?;
            scale(call.interval(0)?, |part| part * factor)?
        }
        F::IntervalDivide => {
            let divisor = call.float(1)?;
            if divisor == 0.0 {
                return Err(division_by_zero());
            }
            scale(call.interval(0)?, |part| part / divisor)?
        }
        _ => return Ok(None),
    };
    Ok(Some(Value::Interval(interval)))
}

/// The interval of these parts, else 22008.
pub(super) fn checked_interval(months: i128, days: i128, micros: i128) -> Result<Interval> {
    let out_of_range = || Error::new(ErrorKind::DatetimeOverflow, "interval out of range");
    Ok(Interval {
        months: months.try_into().map_err(|_| out_of_range())?,
        days: days.try_into().map_err(|_| out_of_range())?,
        micros: micros.try_into().map_err(|_| out_of_range())?,
    })
}

fn add(a: Interval, b: Interval, sign: i128) -> Result<Interval> {
    checked_interval(
        i128::from(a.months) + sign * i128::from(b.months),
        i128::from(a.days) + sign * i128::from(b.days),
        i128::from(a.micros) + sign * i128::from(b.micros),
    )
}

/// Multiplies or divides each part. What is left over of a month goes to days (30 to a month), of a day to the
/// time, each rounded to the microsecond first, so that a third of a month is ten days sharp.
fn scale(interval: Interval, scaled: impl Fn(f64) -> f64) -> Result<Interval> {
    let to_micros = |value: f64| (value * 1e6).round_ties_even() / 1e6;
    let months = scaled(f64::from(interval.months));
    let days = scaled(f64::from(interval.days));
    let days_of_month = to_micros((months - months.trunc()) * 30.0);
    let seconds = to_micros((days - days.trunc() + days_of_month - days_of_month.trunc()) * 86_400.0);
    let days_of_seconds = (seconds / 86_400.0).trunc();
    let micros = scaled(interval.micros as f64) + (seconds - days_of_seconds * 86_400.0) * 1e6;
    let whole = |value: f64| if value.is_finite() { value as i128 } else { i128::MAX };
    checked_interval(
        whole(months.trunc()),
        whole(days.trunc()).saturating_add(whole(days_of_seconds)).saturating_add(whole(days_of_month.trunc())),
        whole(micros.round_ties_even()),
    )
}

/// A field of an interval, in millionths; none if it has no such field. For the epoch a year has 365.25 days, a
/// month 30.
pub(super) fn extract_from_interval(interval: Interval, part: DatePart) -> Option<i128> {
    let (years, months) = (i64::from(interval.months / 12), i64::from(interval.months % 12));
    let micros = interval.micros;
    Some(match part {
        DatePart::Millennium => millionths(years / 1000),
        DatePart::Century => millionths(years / 100),
        DatePart::Decade => millionths(years / 10),
        DatePart::Year => millionths(years),
        DatePart::Quarter => millionths(months / 3 + 1),
        DatePart::Month => millionths(months),
        DatePart::Day => millionths(i64::from(interval.days)),
        DatePart::Hour => millionths(micros / HOUR),
        DatePart::Minute => millionths(micros % HOUR / MINUTE),
        DatePart::Second => i128::from(micros % MINUTE),
        DatePart::Millisecond => i128::from(micros % MINUTE) * 1_000,
        DatePart::Microsecond => millionths(micros % MINUTE),
        DatePart::Epoch => epoch_micros(interval),
        DatePart::Julian | DatePart::Era => return None,
        DatePart::IsoYear | DatePart::Week | DatePart::DayOfWeek | DatePart::IsoDayOfWeek | DatePart::DayOfYear => {
            return None;
        }
    })
}

/// Microseconds of an interval of whose months twelve are 365.25 days, the others 30 each.
pub(super) fn epoch_micros(interval: Interval) -> i128 {
    let (years, months) = (i64::from(interval.months / 12), i64::from(interval.months % 12));
    let quarter_days = years * 1_461 + 4 * (months * 30 + i64::from(interval.days));
    i128::from(quarter_days) * i128::from(DAY / 4) + i128::from(interval.micros)
}

/// `date_trunc` of an interval: the parts smaller than the unit become zero.
pub(super) fn truncate_interval(interval: Interval, part: DatePart) -> Result<Interval> {
    let months = |unit: i32| Interval { months: interval.months / unit * unit, days: 0, micros: 0 };
    let micros = |unit: i64| Interval { micros: interval.micros / unit * unit, ..interval };
    Ok(match part {
        DatePart::Millennium => months(12_000),
        DatePart::Century => months(1_200),
        DatePart::Decade => months(120),
        DatePart::Year => months(12),
        DatePart::Quarter => months(3),
        DatePart::Month => months(1),
        DatePart::Day => Interval { micros: 0, ..interval },
        DatePart::Hour => micros(HOUR),
        DatePart::Minute => micros(MINUTE),
        DatePart::Second => micros(SECOND),
        DatePart::Millisecond => micros(1_000),
        DatePart::Microsecond => interval,
        DatePart::Week => return Err(unsupported_part(part, DataType::Interval)),
        _ => return Err(no_unit(part)),
    })
}
