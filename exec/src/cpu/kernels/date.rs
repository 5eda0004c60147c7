//! Fields of dates, times and timestamps; timestamps truncated or moved by a constant interval; casts between all these.

use super::{Call, strict_nulls};
use crate::cpu::simd::kernel::{append, kernel};
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::evaluate::calendar::{DAY, HOUR, MINUTE, SECOND, checked_timestamp, start_of_date};
use multiloop_planner::evaluate::date::{add_interval, part_of, truncated};
use multiloop_planner::evaluate::moment::{bin, boundaries, bucket, last_day, wholes};
use multiloop_planner::function::{DatePart, Function, MomentFunction};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Interval;

/// Does EXTRACT, date_trunc, casts and what an interval is added to or taken from, if it can: false if not, or if a result
/// may be an error.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    match call.function {
        // The kernels make whole numbers of a scale's units.
        Function::Extract(part) if !call.result.is_float() => {
            plain_fields(call, part, arguments, len, out) || fields(call, part, arguments, len, out)
        }
        Function::Moment(function) => moment(call, function, arguments, len, out),
        Function::DateTrunc(_) | Function::AddInterval | Function::SubtractInterval => moved(call, arguments, len, out),
        Function::Cast | Function::AssignCast => cast(call, arguments, len, out),
        Function::TimestampDifference => differences(call, arguments, len, out),
        _ => false,
    }
}

/// The intervals between timestamps: days and the rest, both of one sign.
fn differences(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let (&[later, earlier], [DataType::Timestamp, DataType::Timestamp]) = (arguments, call.types) else { return false };
    let (VectorData::I64(to), VectorData::I64(from)) = (&later.data, &earlier.data) else { return false };
    if !are_plain(to) || !are_plain(from) {
        return false;
    }
    let mut intervals = out.take_interval();
    intervals.extend((0..len).map(|tuple| {
        let micros = to[later.position(tuple)] - from[earlier.position(tuple)];
        Interval { months: 0, days: (micros / DAY) as i32, micros: micros % DAY }
    }));
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, VectorData::Interval(intervals), nulls);
    true
}

/// Dates as timestamps, and timestamps as dates or times of day.
fn cast(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let mut values = out.take_i64();
    match (&arguments[0].data, call.types[0], call.result) {
        (VectorData::I32(days), DataType::Date, DataType::Timestamp) if days.iter().all(|day| DAYS.contains(day)) => {
            starts_of(days, &mut values);
        }
        (VectorData::I64(timestamps), DataType::Timestamp, DataType::Time) if are_plain(timestamps) => {
            times_of(timestamps, &mut values);
        }
        (VectorData::I64(timestamps), DataType::Timestamp, DataType::Date) if are_plain(timestamps) => {
            let mut days = Vec::with_capacity(len);
            days_of(timestamps, &mut days);
            return set_as(call, VectorData::I32(days), arguments, len, out);
        }
        _ => return false,
    }
    set_as(call, VectorData::I64(values), arguments, len, out)
}

/// Timestamps truncated, or moved by a constant.
fn moved(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let of_date = call.types[0] == DataType::Date;
    if arguments[0].constant || !(of_date || call.types[0] == DataType::Timestamp) {
        return false;
    }
    let mut starts = Vec::new();
    let timestamps = match &arguments[0].data {
        VectorData::I64(timestamps) if !of_date => Some(&timestamps[..]),
        VectorData::I32(days) if of_date && days.iter().all(|day| DAYS.contains(day)) => {
            starts_of(days, &mut starts);
            Some(&starts[..])
        }
        _ => None,
    };
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
    let is_plain = timestamps.is_some_and(|timestamps| match (call.function, interval) {
        (Function::DateTrunc(part), None) => are_plain(timestamps) && plain_truncated(part, timestamps, &mut values),
        (Function::AddInterval, Some(interval)) => plain_moved(timestamps, interval, 1, &mut values),
        (Function::SubtractInterval, Some(interval)) => plain_moved(timestamps, interval, -1, &mut values),
        _ => false,
    });
    if !is_plain {
        each(&arguments[0].data, one, &mut values);
    }
    set(call, values, &arguments[..1], len, out)
}

/// Counts between dates or timestamps, ends of months, and bins of a constant length and origin.
fn moment(call: &Call<'_>, function: MomentFunction, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    use MomentFunction as M;
    let of = call.types[0];
    let at = |position: usize, row: usize| {
        let vector = arguments[position];
        let row = if vector.constant { 0 } else { row };
        match &vector.data {
            VectorData::I32(values) => values.get(row).copied().map(i64::from),
            VectorData::I64(values) => values.get(row).copied(),
            _ => None,
        }
    };
    let mut values = out.take_i64();
    match function {
        M::Boundaries(part) => {
            values.extend((0..len).map_while(|row| boundaries(part, of, at(0, row)?, at(1, row)?)));
        }
        M::Wholes(part) => values.extend((0..len).map_while(|row| wholes(part, of, at(0, row)?, at(1, row)?))),
        M::StartOfDate if !arguments[0].constant => match &arguments[0].data {
            VectorData::I32(days) if days.iter().all(|day| DAYS.contains(day)) => starts_of(days, &mut values),
            other => each(other, |day| Some(start_of_date(day)), &mut values),
        },
        M::LastDay if !arguments[0].constant => each(&arguments[0].data, |value| last_day(value, of).ok(), &mut values),
        M::Micros if of == DataType::Date && !arguments[0].constant => {
            each(&arguments[0].data, |day| DAYS.contains(&i32::try_from(day).ok()?).then(|| day * DAY), &mut values);
        }
        M::Micros if of == DataType::Timestamp && !arguments[0].constant => {
            each(&arguments[0].data, |value| are_plain(&[value]).then_some(value), &mut values);
        }
        M::Bin | M::Bucket if !arguments[1].constant && arguments[0].constant && arguments[2].constant => {
            let (VectorData::Interval(width), None, Some(origin)) =
                (&arguments[0].data, &arguments[0].nulls, at(2, 0).filter(|_| arguments[2].nulls.is_none()))
            else {
                return false;
            };
            let Some(&width) = width.first() else { return false };
            let one = |value: i64| {
                if function == M::Bin { bin(width, value, origin).ok() } else { bucket(width, value, origin).ok() }
            };
            each(&arguments[1].data, one, &mut values);
        }
        _ => return false,
    }
    set(call, values, arguments, len, out)
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
    values.len() == len && set_as(call, VectorData::I64(values), arguments, len, out)
}

/// Makes values the result, in its register.
fn set_as(call: &Call<'_>, values: VectorData, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, values, nulls);
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

/// From 0001-01-01 to 9999-12-31 all intermediate values are small and positive.
const DAYS: std::ops::RangeInclusive<i32> = -719_162..=2_932_896;

/// Whether all timestamps lie on [`DAYS`].
fn are_plain(timestamps: &[i64]) -> bool {
    let (first, end) = (i64::from(*DAYS.start()) * DAY, (i64::from(*DAYS.end()) + 1) * DAY);
    timestamps.iter().all(|value| (first..end).contains(value))
}

/// A part of dates and timestamps after Christ that is a whole number, vectorised.
fn plain_fields(call: &Call<'_>, part: DatePart, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    if call.result.scale() != 0 || arguments[0].constant {
        return false;
    }
    let mut values = out.take_i32();
    let done = match (&arguments[0].data, call.types[0], part) {
        (VectorData::I32(days), DataType::Date, _) if days.iter().all(|day| DAYS.contains(day)) => {
            parts_of_days(part, days, &mut values)
        }
        (VectorData::I64(timestamps), DataType::Timestamp, DatePart::Hour | DatePart::Minute)
            if are_plain(timestamps) =>
        {
            parts_of_times(part, timestamps, &mut values);
            true
        }
        (VectorData::I64(timestamps), DataType::Timestamp, _) if are_plain(timestamps) => {
            let mut days = Vec::new();
            days_of(timestamps, &mut days);
            parts_of_days(part, &days, &mut values)
        }
        _ => false,
    };
    if !done {
        out.data = VectorData::I32(values);
        return false;
    }
    set_as(call, VectorData::I32(values), arguments, len, out)
}

/// Appends timestamps that are moved by an interval, `sign` times; false if these or what they become are not all plain.
fn plain_moved(timestamps: &[i64], interval: Interval, sign: i64, out: &mut Vec<i64>) -> bool {
    let ends = timestamps.iter().fold(None, |ends: Option<(i64, i64)>, &value| {
        Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    let Some((low, high)) = ends else { return true };
    // The later a timestamp is, the later is what it becomes, and what it is on the way.
    let months = Interval { days: 0, micros: 0, ..interval };
    let is_plain = |value: i64, interval: Interval| {
        are_plain(&[value]) && add_interval(value, interval, sign).is_ok_and(|moved| are_plain(&[moved]))
    };
    if ![low, high].iter().all(|&end| is_plain(end, months) && is_plain(end, interval)) {
        return false;
    }
    // Each may be beyond 64 bits, what they come to is not.
    let rest = i64::from(interval.days).wrapping_mul(DAY).wrapping_add(interval.micros).wrapping_mul(sign);
    match interval.months {
        0 => shifted(timestamps, rest, out),
        months => shifted_by_months(timestamps, sign as i32 * months, rest, out),
    }
    true
}

kernel! {
    fn shifted[](timestamps: &[i64], by: i64, out: &mut Vec<i64>) {
        append(out, timestamps, |value| value + by)
    }
}

kernel! {
    fn shifted_by_months[](timestamps: &[i64], months: i32, by: i64, out: &mut Vec<i64>) {
        out.resize(timestamps.len(), 0);
        // No closure, which would be too large to be made one with the loop.
        for (moved, &value) in out.iter_mut().zip(timestamps) {
            *moved = shifted_by(value, months) + by;
        }
    }
}

/// A timestamp moved by months, to the last day of one that has fewer.
#[inline(always)]
fn shifted_by(timestamp: i64, months: i32) -> i64 {
    let (year, month, day) = civil(timestamp.div_euclid(DAY) as i32);
    let all = (year * 12 + month - 1).wrapping_add_signed(months);
    let (year, month) = (all / 12, all % 12 + 1);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = if month == 2 { 28 + u32::from(is_leap) } else { 30 + (month + (month >> 3)) % 2 };
    i64::from(day_of(year, month, day.min(last))) * DAY + timestamp.rem_euclid(DAY)
}

kernel! {
    fn starts_of[](days: &[i32], out: &mut Vec<i64>) {
        append(out, days, |day| i64::from(day) * DAY)
    }
}

kernel! {
    fn times_of[](timestamps: &[i64], out: &mut Vec<i64>) {
        append(out, timestamps, |value| value.rem_euclid(DAY))
    }
}

kernel! {
    fn days_of[](timestamps: &[i64], out: &mut Vec<i32>) {
        append(out, timestamps, |value| value.div_euclid(DAY) as i32)
    }
}

kernel! {
    fn parts_of_times[](part: DatePart, timestamps: &[i64], out: &mut Vec<i32>) {
        match part {
            DatePart::Hour => append(out, timestamps, |value| (value.rem_euclid(DAY) / HOUR) as i32),
            _ => append(out, timestamps, |value| (value.rem_euclid(HOUR) / MINUTE) as i32),
        }
    }
}

kernel! {
    /// Appends a part of each day; false if it is none of these.
    fn parts_of_days[](part: DatePart, days: &[i32], out: &mut Vec<i32>) -> bool {
        match part {
            DatePart::Year => append(out, days, |day| part_of_day(DatePart::Year, day) as i32),
            DatePart::Quarter => append(out, days, |day| part_of_day(DatePart::Month, day).div_ceil(3) as i32),
            DatePart::Month => append(out, days, |day| part_of_day(DatePart::Month, day) as i32),
            DatePart::Day => append(out, days, |day| part_of_day(DatePart::Day, day) as i32),
            DatePart::DayOfWeek => append(out, days, |day| ((weekday(day) + 1) % 7) as i32),
            DatePart::IsoDayOfWeek => append(out, days, |day| (weekday(day) + 1) as i32),
            _ => return false,
        }
        true
    }
}

kernel! {
    /// Appends timestamps cut to a unit; false if it is none of these.
    fn plain_truncated[](part: DatePart, timestamps: &[i64], out: &mut Vec<i64>) -> bool {
        match part {
            DatePart::Year => append(out, timestamps, |value| {
                let day = value.div_euclid(DAY) as i32;
                let before = i64::from(part_of_day(DatePart::Year, day)) - 1;
                let leap_days = before / 4 - before / 100 + before / 400;
                (365 * before + leap_days + i64::from(*DAYS.start())) * DAY
            }),
            DatePart::Quarter => append(out, timestamps, |value| {
                let (year, month, _) = civil(value.div_euclid(DAY) as i32);
                i64::from(day_of(year, month - (month - 1) % 3, 1)) * DAY
            }),
            DatePart::Month => append(out, timestamps, |value| {
                let day = value.div_euclid(DAY) as i32;
                (i64::from(day) + 1 - i64::from(part_of_day(DatePart::Day, day))) * DAY
            }),
            DatePart::Week => append(out, timestamps, |value| {
                let day = value.div_euclid(DAY) as i32;
                (i64::from(day) - i64::from(weekday(day))) * DAY
            }),
            DatePart::Day => append(out, timestamps, |value| value - value.rem_euclid(DAY)),
            DatePart::Hour => append(out, timestamps, |value| value - value.rem_euclid(HOUR)),
            DatePart::Minute => append(out, timestamps, |value| value - value.rem_euclid(MINUTE)),
            DatePart::Second => append(out, timestamps, |value| value - value.rem_euclid(SECOND)),
            _ => return false,
        }
        true
    }
}

/// The day of a week from Monday, which is 0, on. So 0001-01-01 was.
#[inline(always)]
fn weekday(day: i32) -> u32 {
    (day - *DAYS.start()) as u32 % 7
}

/// A part of a day since 1970-01-01, after Christ.
#[inline(always)]
fn part_of_day(part: DatePart, day: i32) -> u32 {
    let (year, month, day) = civil(day);
    match part {
        DatePart::Year => year,
        DatePart::Month => month,
        _ => day,
    }
}

/// From 0000-03-01 to 1970-01-01.
const DAYS_FROM_MARCH: i32 = 719_468;

/// Year, month and day of a day since 1970-01-01, after Christ. Years are counted from 1 March, so that the leap day ends one.
#[inline(always)]
fn civil(day: i32) -> (u32, u32, u32) {
    let shifted = (day + DAYS_FROM_MARCH) as u32;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let year = era * 400 + year_of_era + u32::from(month >= 10);
    (year, if month < 10 { month + 3 } else { month - 9 }, day_of_year - (153 * month + 2) / 5 + 1)
}

/// The day since 1970-01-01 that [`civil`] gives this for.
#[inline(always)]
fn day_of(year: u32, month: u32, day: u32) -> i32 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year / 400, year % 400);
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1;
    (era * 146_097 + day_of_era) as i32 - DAYS_FROM_MARCH
}

#[cfg(test)]
mod tests {
    use super::super::fallback;
    use super::*;
    use crate::plan::register::Register;
    use multiloop_planner::value::Value;

    /// Timestamps around the borders of units, from the first day to the last.
    fn timestamps() -> Vec<i64> {
        let leaps =
            (0..9999).step_by(97).flat_map(|year| [-719_162 + year * 365, -719_162 + year * 365 + 59 + year / 4]);
        let days = (-400..800).chain(leaps).chain([*DAYS.start(), *DAYS.end(), 11_016, 11_017, 19_782, 19_783]);
        let times = [0, 1, SECOND - 1, SECOND, MINUTE - 1, MINUTE, HOUR - 1, HOUR, 13 * HOUR + 59 * MINUTE, DAY - 1];
        days.flat_map(|day| times.map(|time| i64::from(day) * DAY + time))
            .filter(|value| are_plain(&[*value]))
            .collect()
    }

    #[test]
    fn fields_and_units_are_those_of_the_interpreter() {
        use DatePart as P;
        let timestamps = timestamps();
        let mut days = Vec::new();
        days_of(&timestamps, &mut days);
        for part in [P::Year, P::Quarter, P::Month, P::Day, P::DayOfWeek, P::IsoDayOfWeek, P::Hour, P::Minute] {
            let mut found = Vec::new();
            if matches!(part, P::Hour | P::Minute) {
                parts_of_times(part, &timestamps, &mut found);
            } else {
                assert!(parts_of_days(part, &days, &mut found));
            }
            for (&value, &found) in timestamps.iter().zip(&found) {
                let expected = part_of(value, DataType::Timestamp, part).map(|millionths| millionths / 1_000_000);
                assert_eq!(Some(i128::from(found)), expected, "{part:?} of {value}");
            }
        }
        for part in [P::Year, P::Quarter, P::Month, P::Week, P::Day, P::Hour, P::Minute, P::Second] {
            let mut found = Vec::new();
            assert!(plain_truncated(part, &timestamps, &mut found));
            for (&value, &found) in timestamps.iter().zip(&found) {
                assert_eq!(Ok(found), truncated(value, part).map_err(|error| error.to_string()), "{part:?} of {value}");
            }
        }
        assert!(!parts_of_days(P::Century, &days, &mut Vec::new()));
        assert!(!plain_truncated(P::Decade, &timestamps, &mut Vec::new()));
        assert!(!are_plain(&[i64::MAX]) && !are_plain(&[i64::MIN]) && are_plain(&[]));
    }

    #[test]
    fn differences_are_those_of_the_interpreter() {
        let all: Vec<i64> = timestamps().into_iter().filter(|&value| are_plain(&[value])).collect();
        let types = [DataType::Timestamp, DataType::Timestamp];
        let call = Call {
            function: Function::TimestampDifference,
            types: &types,
            result: DataType::Interval,
            register: Register::Interval,
            checked: true,
        };
        let value = |(at, &value): (usize, &i64)| if at % 7 == 3 { Value::Null } else { Value::Int(value) };
        let later: Vec<Value> = all.iter().enumerate().map(value).collect();
        let earlier: Vec<Value> = all.iter().rev().step_by(3).cycle().take(all.len()).enumerate().map(value).collect();
        let (mut a, mut b, mut one) = (Vector::default(), Vector::default(), Vector::default());
        a.set_values(&later, Register::I64);
        b.set_values(&earlier, Register::I64);
        one.set_constant(all.len(), &Value::Int(all[1]), Register::I64);
        for pair in [[&a, &b], [&b, &a], [&a, &one], [&one, &b]] {
            let (mut found, mut expected) = (Vector::default(), Vector::default());
            assert!(differences(&call, &pair, all.len(), &mut found));
            fallback::call(&call, &pair, all.len(), &mut expected).unwrap();
            for tuple in 0..all.len() {
                let of = |vector: &Vector| vector.value(tuple, DataType::Interval);
                assert_eq!(of(&found), of(&expected), "{tuple}");
            }
        }
        let mut far = Vector::default();
        far.set_values(&[Value::Int(i64::MAX)], Register::I64);
        assert!(!differences(&call, &[&far, &far], 1, &mut Vector::default()));
    }

    #[test]
    fn moved_timestamps_are_those_of_the_interpreter() {
        let all = timestamps();
        let interval = |months, days, micros| Interval { months, days, micros };
        let moves = [
            (0, 0, 0),
            (0, 1, -1),
            (1, 0, 0),
            (18, 0, 0),
            (-1, 0, 0),
            (-13, 31, -DAY),
            (1200, -365, 7),
            (48, 0, 3 * HOUR),
        ];
        let mut done = 0;
        for (months, days, micros) in moves {
            let interval = interval(months, days, micros);
            for sign in [1, -1] {
                // All at once, and around each: what is near the first and the last day may leave the plain ones.
                for part in all.chunks(all.len()).chain(all.chunks(97)) {
                    let mut found = Vec::new();
                    if !plain_moved(part, interval, sign, &mut found) {
                        continue;
                    }
                    done += 1;
                    for (&value, &found) in part.iter().zip(&found) {
                        assert_eq!(Ok(found), add_interval(value, interval, sign).map_err(|error| error.to_string()));
                    }
                    assert_eq!(part.len(), found.len());
                }
            }
        }
        assert!(done > 1_000, "{done}");
        let far =
            [interval(0, i32::MAX, 0), interval(i32::MAX, 0, 0), interval(0, 0, i64::MAX), interval(i32::MIN, 0, 0)];
        for interval in far {
            assert!(!plain_moved(&[0], interval, 1, &mut Vec::new()));
        }
        let apart = interval(0, 106_900_000, -9_200_000_000_000 * SECOND);
        let (first, mut found) = (i64::from(*DAYS.start()) * DAY, Vec::new());
        assert!(plain_moved(&[first], apart, 1, &mut found));
        assert_eq!(add_interval(first, apart, 1).ok(), found.first().copied());
        // What is not plain on the way only.
        assert!(!plain_moved(&[0], interval(200_000, i32::MIN / 400, 0), 1, &mut Vec::new()));
        assert!(plain_moved(&[], interval(1, 0, 0), 1, &mut Vec::new()));
    }
}
