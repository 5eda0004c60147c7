//! Differences of dates and times in units, as DuckDB counts them: how many units begin between two (`date_diff`), and how many fit
//! (`date_sub`).

use crate::error::Result;
use crate::evaluate::calendar::{
    Civil, DAY, HOUR, MINUTE, SECOND, checked_date, civil_from_days, days_from_civil, days_in_month, is_infinite_date,
    is_infinite_timestamp, iso_year_and_week, split_timestamp,
};
use crate::function::DatePart;
use crate::types::DataType;

/// Months of a part that has whole ones.
fn months_of(part: DatePart) -> Option<i64> {
    use DatePart as P;
    Some(match part {
        P::Millennium => 12_000,
        P::Century => 1_200,
        P::Decade => 120,
        P::Year | P::IsoYear => 12,
        P::Quarter => 3,
        P::Month => 1,
        _ => return None,
    })
}

/// Microseconds of a part that has always as many.
fn micros_of(part: DatePart) -> i64 {
    use DatePart as P;
    match part {
        P::Week => 7 * DAY,
        P::Hour => HOUR,
        P::Minute => MINUTE,
        P::Second | P::Epoch => SECOND,
        P::Millisecond => 1_000,
        P::Microsecond => 1,
        _ => DAY,
    }
}

/// Days and microseconds since midnight of a date, a time or a timestamp; none of infinity.
fn split(value: i64, of: DataType) -> Option<(i64, i64)> {
    match of {
        DataType::Date if is_infinite_date(value) => None,
        DataType::Date => Some((value, 0)),
        _ if is_infinite_timestamp(value) => None,
        _ => Some(split_timestamp(value)),
    }
}

/// How many of a part begin behind the first value, up to the second one; none where one is infinite.
pub fn boundaries(part: DatePart, of: DataType, from: i64, to: i64) -> Option<i64> {
    let (from, to) = (split(from, of)?, split(to, of)?);
    if part == DatePart::Week {
        // Weeks are not those of the calendar.
        return Some((to.0 - from.0) / 7);
    }
    place(part, to).checked_sub(place(part, from))
}

/// The number of the part in which a point of time lies.
fn place(part: DatePart, (days, time): (i64, i64)) -> i64 {
    use DatePart as P;
    let civil = || civil_from_days(days);
    match part {
        P::Millennium => civil().year.div_euclid(1_000),
        P::Century => civil().year.div_euclid(100),
        P::Decade => civil().year.div_euclid(10),
        P::Year => civil().year,
        P::IsoYear => iso_year_and_week(days).0,
        P::Quarter | P::Month => {
            let Civil { year, month, day: _ } = civil();
            if part == P::Month { year * 12 + month } else { year * 4 + (month - 1) / 3 }
        }
        P::Hour | P::Minute | P::Second | P::Epoch | P::Millisecond | P::Microsecond => {
            days * (DAY / micros_of(part)) + time / micros_of(part)
        }
        _ => days,
    }
}

/// How many whole parts fit between two values, less than none if the second one is earlier.
pub fn wholes(part: DatePart, of: DataType, from: i64, to: i64) -> Option<i64> {
    let (from, to) = (split(from, of)?, split(to, of)?);
    if from > to {
        return Some(-whole_parts(part, to, from));
    }
    Some(whole_parts(part, from, to))
}

fn whole_parts(part: DatePart, from: (i64, i64), to: (i64, i64)) -> i64 {
    let Some(unit) = months_of(part) else {
        let micros = i128::from(to.0 - from.0) * i128::from(DAY) + i128::from(to.1 - from.1);
        return i64::try_from(micros / i128::from(micros_of(part))).unwrap_or(i64::MAX);
    };
    let (start, end) = (civil_from_days(from.0), civil_from_days(to.0));
    let months = (end.year - start.year) * 12 + end.month - start.month;
    // On the last day of a shorter month a month is over that began on a later day.
    let is_last = end.day == days_in_month(end.year, end.month);
    let first_day = if is_last { start.day.min(end.day) } else { start.day };
    let is_short = (end.day, to.1) < (first_day, from.1);
    (months - i64::from(is_short)) / unit
}

/// The last date of the month of a date or timestamp.
///
/// # Errors
/// 22008 of infinity.
pub fn last_day(value: i64, of: DataType) -> Result<i64> {
    let Some((days, _)) = split(value, of) else {
        return Ok(if value > 0 { i32::MAX.into() } else { i32::MIN.into() });
    };
    let Civil { year, month, day: _ } = civil_from_days(days);
    checked_date(days_from_civil(year, month, days_in_month(year, month)))
}
