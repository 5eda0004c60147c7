//! Intervals: words as PostgreSQL prints them, or microseconds, days and months.

use super::Form;
use super::datetime::put_time;
use crate::wire::room::Room;
use multiloop::arrow::array::types::IntervalMonthDayNano;
use multiloop::format::interval_style;
use multiloop::{Interval, IntervalStyle};

/// `1 year 2 mons 3 days 04:05:06.5`.
pub(super) struct Text;

/// An interval in another style.
pub(super) struct Styled(pub(super) IntervalStyle);

/// The three parts.
pub(super) struct Parts;

/// Arrow counts nanoseconds, SQL microseconds.
const NANOSECONDS: i64 = 1_000;

impl Form<IntervalMonthDayNano> for Text {
    fn put(&self, value: IntervalMonthDayNano, out: &mut Room<'_>) {
        let start = out.len();
        // A part behind a negative one shows its plus sign.
        let mut is_behind_negative = false;
        for (count, unit) in [(value.months / 12, "year"), (value.months % 12, "mon"), (value.days, "day")] {
            if count == 0 {
                continue;
            }
            if out.len() > start {
                out.push(b' ');
            }
            if is_behind_negative && count > 0 {
                out.push(b'+');
            }
            out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
            out.push(b' ');
            out.extend_from_slice(unit.as_bytes());
            if count != 1 {
                out.push(b's');
            }
            is_behind_negative = count < 0;
        }
        let micros = value.nanoseconds / NANOSECONDS;
        if out.len() > start && micros == 0 {
            return;
        }
        if out.len() > start {
            out.push(b' ');
        }
        if micros < 0 {
            out.push(b'-');
        } else if is_behind_negative {
            out.push(b'+');
        }
        put_time(micros.unsigned_abs(), out);
    }
}

impl Form<IntervalMonthDayNano> for Styled {
    fn put(&self, value: IntervalMonthDayNano, out: &mut Room<'_>) {
        let IntervalMonthDayNano { months, days, nanoseconds } = value;
        let interval = Interval { months, days, micros: nanoseconds / NANOSECONDS };
        out.extend_from_slice(interval_style::show(interval, self.0).as_bytes());
    }
}

impl Form<IntervalMonthDayNano> for Parts {
    fn put(&self, value: IntervalMonthDayNano, out: &mut Room<'_>) {
        out.extend_from_slice(&(value.nanoseconds / NANOSECONDS).to_be_bytes());
        out.extend_from_slice(&value.days.to_be_bytes());
        out.extend_from_slice(&value.months.to_be_bytes());
    }
}
