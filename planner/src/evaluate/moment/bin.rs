//! Bins of timestamps: `date_bin`, and `time_bucket`, whose bins may be months.

use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{
    Civil, DAY, checked_timestamp, civil_from_days, days_from_civil, is_infinite_timestamp, split_timestamp,
};
use crate::value::Interval;

fn not_positive() -> Error {
    Error::new(ErrorKind::DatetimeOverflow, "stride must be greater than zero")
}

/// The beginning of the bin of a timestamp: bins follow each other from an origin on, either way.
///
/// # Errors
/// 0A000 for bins of months, 22008 for bins of no length and for what is beyond all timestamps.
pub fn bin(stride: Interval, timestamp: i64, origin: i64) -> Result<i64> {
    if is_infinite_timestamp(timestamp) {
        return Ok(timestamp);
    }
    if is_infinite_timestamp(origin) {
        return Err(Error::new(ErrorKind::DatetimeOverflow, "origin out of range"));
    }
    if stride.months != 0 {
        let message = "timestamps cannot be binned into intervals containing months or years";
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    let stride = i128::from(stride.days) * i128::from(DAY) + i128::from(stride.micros);
    let stride = i64::try_from(stride).map_err(|_| Error::new(ErrorKind::DatetimeOverflow, "interval out of range"))?;
    if stride <= 0 {
        return Err(not_positive());
    }
    let way = i128::from(timestamp) - i128::from(origin);
    let start = i128::from(timestamp) - way.rem_euclid(stride.into());
    let out_of_range = || Error::new(ErrorKind::DatetimeOverflow, "timestamp out of range");
    let (days, time) = (start.div_euclid(DAY.into()), start.rem_euclid(DAY.into()));
    checked_timestamp(
        i64::try_from(days).map_err(|_| out_of_range())?,
        i64::try_from(time).map_err(|_| out_of_range())?,
    )
}

/// As [`bin`], of bins of months or of bins without.
///
/// # Errors
/// 0A000 for bins of both, else as [`bin`].
pub fn bucket(width: Interval, timestamp: i64, origin: i64) -> Result<i64> {
    if width.months == 0 || is_infinite_timestamp(timestamp) || is_infinite_timestamp(origin) {
        return bin(Interval { months: 0, ..width }, timestamp, origin);
    }
    if width.days != 0 || width.micros != 0 {
        return Err(Error::unsupported("a time_bucket of months and of days or times is"));
    }
    if width.months < 0 {
        return Err(not_positive());
    }
    let month_of = |timestamp: i64| {
        let Civil { year, month, day: _ } = civil_from_days(split_timestamp(timestamp).0);
        year * 12 + month - 1
    };
    // Bins of months begin with a month, whatever day the origin is.
    let (month, first) = (month_of(timestamp), month_of(origin));
    let start = first + (month - first).div_euclid(width.months.into()) * i64::from(width.months);
    checked_timestamp(days_from_civil(start.div_euclid(12), start.rem_euclid(12) + 1, 1), 0)
}
