//! Normalises intervals (`justify_hours`, `justify_days`, `justify_interval`): hours beyond a day become days, days beyond a month months.

use crate::error::Result;
use crate::evaluate::calendar::DAY;
use crate::evaluate::interval::checked_interval;
use crate::value::Interval;

const DAYS_OF_MONTH: i128 = 30;

/// 24 hours are a day, of the days' sign.
pub(super) fn hours(interval: Interval) -> Result<Interval> {
    let day = i128::from(DAY);
    let mut days = i128::from(interval.days) + i128::from(interval.micros) / day;
    let mut micros = i128::from(interval.micros) % day;
    if days > 0 && micros < 0 {
        (days, micros) = (days - 1, micros + day);
    } else if days < 0 && micros > 0 {
        (days, micros) = (days + 1, micros - day);
    }
    checked_interval(interval.months.into(), days, micros)
}

/// 30 days are a month, of the months' sign.
pub(super) fn days(interval: Interval) -> Result<Interval> {
    let (months, days) = months_and_days(interval.months.into(), interval.days.into());
    checked_interval(months, days, interval.micros.into())
}

fn months_and_days(months: i128, days: i128) -> (i128, i128) {
    let (months, days) = (months + days / DAYS_OF_MONTH, days % DAYS_OF_MONTH);
    if months > 0 && days < 0 {
        (months - 1, days + DAYS_OF_MONTH)
    } else if months < 0 && days > 0 {
        (months + 1, days - DAYS_OF_MONTH)
    } else {
        (months, days)
    }
}

/// Both, with one sign for all parts.
pub(super) fn all(interval: Interval) -> Result<Interval> {
    let day = i128::from(DAY);
    let (mut months, mut days, mut micros) =
        (i128::from(interval.months), i128::from(interval.days), i128::from(interval.micros));
    (days, micros) = (days + micros / day, micros % day);
    (months, days) = (months + days / DAYS_OF_MONTH, days % DAYS_OF_MONTH);
    if months > 0 && (days < 0 || (days == 0 && micros < 0)) {
        (months, days) = (months - 1, days + DAYS_OF_MONTH);
    } else if months < 0 && (days > 0 || (days == 0 && micros > 0)) {
        (months, days) = (months + 1, days - DAYS_OF_MONTH);
    }
    if days > 0 && micros < 0 {
        (days, micros) = (days - 1, micros + day);
    } else if days < 0 && micros > 0 {
        (days, micros) = (days + 1, micros - day);
    }
    checked_interval(months, days, micros)
}
