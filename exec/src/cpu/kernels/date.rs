//! Fields of dates, times and timestamps, and timestamps truncated or moved by a constant interval.

use super::{Call, strict_nulls};
use crate::cpu::simd::kernel::{append, kernel};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::calendar::checked_timestamp;
use multiloop_planner::evaluate::date::{add_interval, part_of, truncated};
use multiloop_planner::function::{DatePart, Function};
use multiloop_planner::types::DataType;

/// Does EXTRACT, date_trunc and what an interval is added to or taken from, if it can: false if not, or if a result may
/// be an error.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    match call.function {
        Function::Extract(part) => {
            fields_of_dates(call, arguments, len, out) || fields(call, part, arguments, len, out)
        }
        Function::DateTrunc(_) | Function::AddInterval | Function::SubtractInterval => moved(call, arguments, len, out),
        _ => false,
    }
}

/// Timestamps truncated, or moved by a constant.
fn moved(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let of_date = call.types[0] == DataType::Date;
    if arguments[0].constant || !(of_date || call.types[0] == DataType::Timestamp) {
        return false;
    }
    let interval = match arguments.get(1).map(|interval| (&interval.data, interval.constant, &interval.nulls)) {
        None => None,
        Some((VectorData::Interval(interval), true, None)) => interval.first().copied(),
        Some(_) => return false,
    };
    let one = |value: i64| {
        let timestamp = if of_date { checked_timestamp(value, 0).ok()? } else { value };
        match (call.function, interval) {
            (Function::DateTrunc(part), None) => truncated(timestamp, part).ok(),
            (Function::AddInterval, Some(interval)) => add_interval(timestamp, interval, 1).ok(),
            (Function::SubtractInterval, Some(interval)) => add_interval(timestamp, interval, -1).ok(),
            _ => None,
        }
    };
    let mut values = out.take_i64();
    each(&arguments[0].data, one, &mut values);
    set(call, values, &arguments[..1], len, out)
}

/// Appends what comes of integers, up to the first of which nothing does.
fn each(from: &VectorData, one: impl Fn(i64) -> Option<i64>, out: &mut Vec<i64>) {
    match from {
        VectorData::I32(values) => out.extend(values.iter().map_while(|&value| one(value.into()))),
        VectorData::I64(values) => out.extend(values.iter().map_while(|&value| one(value))),
        _ => {}
    }
}

/// Makes values the result, in its register: false if some are missing.
fn set(call: &Call<'_>, values: Vec<i64>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    if values.len() < len {
        return false;
    }
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, VectorData::I64(values), nulls);
    super::integer::coerce(out, call.register);
    true
}

/// Any field, from its millionths.
fn fields(call: &Call<'_>, part: DatePart, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let (of, scale) = (call.types[0], call.result.scale());
    if arguments[0].constant || scale > 6 || !matches!(of, DataType::Date | DataType::Time | DataType::Timestamp) {
        return false;
    }
    let unit = 10i64.pow(6 - u32::from(scale));
    let one = |value: i64| {
        let millionths = i64::try_from(part_of(value, of, part)?).ok()?;
        // Rounded half away from zero.
        let (quotient, rest) = (millionths / unit, millionths % unit);
        Some(if rest.abs() * 2 >= unit { quotient + millionths.signum() } else { quotient })
    };
    let mut values = out.take_i64();
    each(&arguments[0].data, one, &mut values);
    set(call, values, arguments, len, out)
}

/// A date's year, month or day after Christ, vectorised.
fn fields_of_dates(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let Function::Extract(part @ (DatePart::Year | DatePart::Month | DatePart::Day)) = call.function else {
        return false;
    };
    let VectorData::I32(days) = &arguments[0].data else { return false };
    let fits = call.types[0] == DataType::Date && call.result.scale() == 0 && !arguments[0].constant;
    // From 0001-01-01 to 9999-12-31, so that all intermediate values are small and positive.
    if !fits || !days.iter().all(|day| (-719_162..=2_932_896).contains(day)) {
        return false;
    }
    let nulls = strict_nulls(arguments, len, out);
    let data = match call.register {
        Register::I32 => {
            let mut values = out.take_i32();
            parts_of_days(part, days, &mut values);
            VectorData::I32(values)
        }
        Register::I64 => {
            let mut values = out.take_i64();
            values.extend(days.iter().map(|&day| i64::from(part_of_day(part, day))));
            VectorData::I64(values)
        }
        _ => {
            let mut values = out.take_i128();
            values.extend(days.iter().map(|&day| i128::from(part_of_day(part, day))));
            VectorData::I128(values)
        }
    };
    out.set(len, data, nulls);
    true
}

kernel! {
    fn parts_of_days[](part: DatePart, days: &[i32], out: &mut Vec<i32>) {
        match part {
            DatePart::Year => append(out, days, |day| part_of_day(DatePart::Year, day) as i32),
            DatePart::Month => append(out, days, |day| part_of_day(DatePart::Month, day) as i32),
            _ => append(out, days, |day| part_of_day(DatePart::Day, day) as i32),
        }
    }
}

/// A part of a day since 1970-01-01, after Christ. Years are counted from 1 March, so that the leap day ends one.
#[inline(always)]
fn part_of_day(part: DatePart, day: i32) -> u32 {
    let shifted = (day + 719_468) as u32;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    match part {
        DatePart::Year => era * 400 + year_of_era + u32::from(month >= 10),
        DatePart::Month => {
            if month < 10 {
                month + 3
            } else {
                month - 9
            }
        }
        _ => day_of_year - (153 * month + 2) / 5 + 1,
    }
}
