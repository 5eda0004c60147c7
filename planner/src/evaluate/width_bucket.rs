//! `width_bucket`: which of some buckets of one width a number is in.

use super::{Call, mismatch};
use crate::error::{Error, ErrorKind, Result};
use crate::numeric::Numeric;
use crate::types::DataType;
use crate::value::Value;
use std::cmp::Ordering;

fn invalid_bucket(message: &str) -> Error {
    Error::new(ErrorKind::InvalidWidthBucket, message)
}

/// The count of buckets, and the one behind the last.
fn bucket_count(count: i64) -> Result<(i64, i64)> {
    if count <= 0 {
        return Err(invalid_bucket("count must be greater than zero"));
    }
    let behind = count + 1;
    if behind > i64::from(i32::MAX) {
        return Err(Error::new(ErrorKind::NumericOverflow, "integer out of range"));
    }
    Ok((count, behind))
}

/// Which of `count` buckets of one width from `low` to `high` holds a value, from 1; 0 before the first, count + 1 behind the last.
pub(super) fn of_doubles(call: &Call) -> Result<i64> {
    let (value, low, high) = (call.float(0)?, call.float(1)?, call.float(2)?);
    let count = call.int(3)?;
    if count <= 0 {
        return Err(invalid_bucket("count must be greater than zero"));
    }
    if value.is_nan() || low.is_nan() || high.is_nan() {
        return Err(invalid_bucket("operand, lower bound, and upper bound cannot be NaN"));
    }
    if low.is_infinite() || high.is_infinite() {
        return Err(invalid_bucket("lower and upper bounds must be finite"));
    }
    let place = |part: f64, whole: f64, halved: (f64, f64)| {
        // Half of each where the difference is no double.
        let share = if whole.is_finite() { part / whole } else { halved.0 / halved.1 };
        (share * count as f64) as i64 + 1
    };
    let before_behind = |place: i64| place.min(count);
    match low.partial_cmp(&high) {
        Some(Ordering::Less) => {
            if value < low {
                return Ok(0);
            }
            if value >= high {
                return bucket_count(count).map(|(_, behind)| behind);
            }
            let halved = (value / 2.0 - low / 2.0, high / 2.0 - low / 2.0);
            Ok(before_behind(place(value - low, high - low, halved)))
        }
        Some(Ordering::Greater) => {
            if value > low {
                return Ok(0);
            }
            if value <= high {
                return bucket_count(count).map(|(_, behind)| behind);
            }
            let halved = (low / 2.0 - value / 2.0, low / 2.0 - high / 2.0);
            Ok(before_behind(place(low - value, low - high, halved)))
        }
        _ => Err(invalid_bucket("lower bound cannot equal upper bound")),
    }
}

pub(super) fn of_numerics(call: &Call) -> Result<i64> {
    let numeric = |at: usize| match &call.arguments[at] {
        Value::Numeric(value) => Ok((**value).clone()),
        other => Err(mismatch(other, DataType::Numeric)),
    };
    let (value, low, high) = (numeric(0)?, numeric(1)?, numeric(2)?);
    let count = call.int(3)?;
    if count <= 0 {
        return Err(invalid_bucket("count must be greater than zero"));
    }
    if value.is_nan() || low.is_nan() || high.is_nan() {
        return Err(invalid_bucket("operand, lower bound, and upper bound cannot be NaN"));
    }
    if low.scale().is_none() || high.scale().is_none() {
        return Err(invalid_bucket("lower and upper bounds must be finite"));
    }
    let order = low.compare(&high);
    if order.is_eq() {
        return Err(invalid_bucket("lower bound cannot equal upper bound"));
    }
    let is_before = if order.is_lt() { value.compare(&low).is_lt() } else { value.compare(&low).is_gt() };
    if is_before {
        return Ok(0);
    }
    let is_behind = if order.is_lt() { value.compare(&high).is_ge() } else { value.compare(&high).is_le() };
    if is_behind {
        return bucket_count(count).map(|(_, behind)| behind);
    }
    let way = value.subtract(&low)?.multiply(&Numeric::from_integer(count))?;
    let place = way.divide_truncated(&high.subtract(&low)?)?.to_string();
    Ok(place.parse::<i64>().unwrap_or(0).min(count - 1) + 1)
}
