//! Year, month and day of dates.

use super::{Call, strict_nulls, vectorised};
use crate::cpu::vector::{Register, Vector, VectorData};
use multiloop_planner::function::{DatePart, Function};
use multiloop_planner::types::DataType;

/// Does EXTRACT of a date's year, month or day after Christ: false for all else.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
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
            vectorised(|| values.extend(days.iter().map(|&day| part_of(part, day) as i32)));
            VectorData::I32(values)
        }
        Register::I64 => {
            let mut values = out.take_i64();
            values.extend(days.iter().map(|&day| i64::from(part_of(part, day))));
            VectorData::I64(values)
        }
        _ => {
            let mut values = out.take_i128();
            values.extend(days.iter().map(|&day| i128::from(part_of(part, day))));
            VectorData::I128(values)
        }
    };
    out.set(len, data, nulls);
    true
}

/// A part of a day since 1970-01-01, after Christ. Years are counted from 1 March, so that the leap day ends one.
#[inline(always)]
fn part_of(part: DatePart, day: i32) -> u32 {
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
