//! The proleptic Gregorian calendar on plain integers: days and microseconds since 1970-01-01, years with a year 0
//! (which is 1 BC). Ranges are PostgreSQL's, from Julian day 0 (4714-11-24 BC) on.

use crate::error::{Error, ErrorKind, Result};

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;
/// Microseconds in a minute.
pub const MINUTE: i64 = 60 * SECOND;
/// Microseconds in an hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Microseconds in a day.
pub const DAY: i64 = 24 * HOUR;

/// The first date: 4714-11-24 BC, Julian day 0.
pub const DAYS_MIN: i64 = -2_440_588;
/// The last date: 5874897-12-31.
pub const DAYS_MAX: i64 = 2_145_042_905;
/// The date `infinity`; `-infinity` is the smallest i32. Behind and before all others, as values are compared.
pub const DATE_INFINITY: i64 = i32::MAX as i64;
const DATE_MINUS_INFINITY: i64 = i32::MIN as i64;
/// The timestamp `infinity`; `-infinity` is the smallest i64.
pub const TIMESTAMP_INFINITY: i64 = i64::MAX;
/// What stands for dates after the last timestamp where they are compared with timestamps.
pub const TIMESTAMP_BEYOND: i64 = TIMESTAMP_INFINITY - 1;
/// The first timestamp: 4714-11-24 BC 00:00. The last one is the largest i64 but two, in the year 294247.
pub const TIMESTAMP_MIN: i64 = DAYS_MIN * DAY;

/// The months' names in English.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The days' names in English, from Monday on, as ISO has the week.
pub const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Days in 400 years, after which the calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_FROM_MARCH_OF_YEAR_0: i64 = 719_468;

/// A day in the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year; 0 is 1 BC.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

/// Whether a year has a 29 February.
pub const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days in a month (1 to 12) of a year.
#[inline]
pub const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + is_leap(year) as i64,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date. Years that start in March put the leap day last, so that a month's first
/// day is a linear formula of the month.
#[inline]
pub const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - EPOCH_FROM_MARCH_OF_YEAR_0
}

/// The date of a number of days since 1970-01-01.
pub fn civil_from_days(days: i64) -> Civil {
    let from_march = days + EPOCH_FROM_MARCH_OF_YEAR_0;
    let (era, day_of_era) = (from_march.div_euclid(DAYS_PER_ERA), from_march.rem_euclid(DAYS_PER_ERA));
    // Leap days before this one are left out, so that every year of the era has 365 days.
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    Civil { year: era * 400 + year_of_era + i64::from(month <= 2), month, day }
}

/// Monday is 0, Sunday 6.
pub fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7)
}

/// Day in its year, from 1.
pub fn day_of_year(days: i64) -> i64 {
    days - days_from_civil(civil_from_days(days).year, 1, 1) + 1
}

/// ISO 8601's year and week: a week belongs to the year that holds its Thursday.
pub fn iso_year_and_week(days: i64) -> (i64, i64) {
    let thursday = days - weekday(days) + 3;
    (civil_from_days(thursday).year, (day_of_year(thursday) - 1) / 7 + 1)
}

/// Whether these days are `infinity` or `-infinity`.
pub fn is_infinite_date(days: i64) -> bool {
    days == DATE_INFINITY || days == DATE_MINUS_INFINITY
}

/// Whether this timestamp is `infinity` or `-infinity`.
pub fn is_infinite_timestamp(micros: i64) -> bool {
    micros == TIMESTAMP_INFINITY || micros == i64::MIN
}

/// The timestamp of a date's beginning, if there is one; else 22008.
pub fn date_to_timestamp(days: i64) -> Result<i64> {
    match days {
        DATE_INFINITY => Ok(TIMESTAMP_INFINITY),
        DATE_MINUS_INFINITY => Ok(i64::MIN),
        _ => checked_timestamp(days, 0),
    }
}

/// The same for comparisons with timestamps: a date after the last of them is [`TIMESTAMP_BEYOND`].
pub fn start_of_date(days: i64) -> i64 {
    date_to_timestamp(days).unwrap_or(TIMESTAMP_BEYOND)
}

/// The day of a timestamp.
pub fn timestamp_to_date(micros: i64) -> Result<i64> {
    match micros {
        TIMESTAMP_INFINITY => Ok(DATE_INFINITY),
        i64::MIN => Ok(DATE_MINUS_INFINITY),
        _ => checked_date(split_timestamp(micros).0),
    }
}

/// A timestamp's day and its microseconds since midnight.
pub fn split_timestamp(micros: i64) -> (i64, i64) {
    (micros.div_euclid(DAY), micros.rem_euclid(DAY))
}

/// The days, if they are a date; else 22008.
pub fn checked_date(days: i64) -> Result<i64> {
    if (DAYS_MIN..=DAYS_MAX).contains(&days) {
        Ok(days)
    } else {
        Err(Error::new(ErrorKind::DatetimeOverflow, "date out of range"))
    }
}

/// The timestamp of a day and microseconds, if it is one; else 22008.
pub fn checked_timestamp(days: i64, micros: i64) -> Result<i64> {
    days.checked_mul(DAY)
        .and_then(|midnight| midnight.checked_add(micros))
        .filter(|timestamp| (TIMESTAMP_MIN..TIMESTAMP_BEYOND).contains(timestamp))
        .ok_or_else(|| Error::new(ErrorKind::DatetimeOverflow, "timestamp out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        for days in (-800_000..800_000).chain([DAYS_MIN, DAYS_MAX]) {
            let Civil { year, month, day } = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
            assert!((1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day));
        }
    }

    #[test]
    fn known_days() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 2, 29), 11_016);
        assert_eq!(days_from_civil(1998, 12, 1), 10_561);
        assert_eq!(civil_from_days(DAYS_MIN), Civil { year: -4713, month: 11, day: 24 });
        assert_eq!(civil_from_days(DAYS_MAX), Civil { year: 5_874_897, month: 12, day: 31 });
    }

    #[test]
    fn iso_weeks_cross_years() {
        for ((year, month, day), expected) in [
            ((2005, 1, 1), (2004, 53)),
            ((2005, 12, 31), (2005, 52)),
            ((2006, 1, 1), (2005, 52)),
            ((2008, 12, 29), (2009, 1)),
            ((2010, 1, 3), (2009, 53)),
            ((2012, 1, 2), (2012, 1)),
        ] {
            assert_eq!(iso_year_and_week(days_from_civil(year, month, day)), expected, "{year}-{month}-{day}");
        }
        assert_eq!(weekday(0), 3);
    }
}
