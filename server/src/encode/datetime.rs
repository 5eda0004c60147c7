//! Dates, times and timestamps: ISO 8601 as PostgreSQL prints it, or days and microseconds since 2000-01-01, which is
//! where its own calendar begins.

use super::{Cells, Form};
use crate::wire::room::{Room, eight_digits};
use multiloop::arrow::array::{Array as _, StringArray};
use multiloop::format::time_with_zone;
use multiloop::{DataType, Sight, Value, Zone};

/// Days from 1970-01-01, where ours begins, to 2000-01-01.
pub(crate) const EPOCH_DAYS: i32 = 10_957;

/// The days 0001-01-01 and 9999-12-31.
const FIRST_NEAR: i32 = -719_162;
const LAST_NEAR: i32 = 2_932_896;

/// Microseconds between the two.
pub(crate) const EPOCH_MICROS: i64 = EPOCH_DAYS as i64 * DAY;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// `1998-12-01`.
pub(super) struct DateText;

/// Days.
pub(super) struct DateDays;

/// `04:05:06.5`.
pub(super) struct TimeText;

/// `1998-12-01 04:05:06.5`.
pub(super) struct TimestampText;

/// Microseconds.
pub(super) struct TimestampMicros;

/// `1998-12-01 04:05:06.5+01`, as clocks in a zone show it.
pub(super) struct InstantText {
    pub(super) zone: Zone,
}

impl Form<i32> for DateText {
    fn put(&self, days: i32, out: &mut Room<'_>) {
        match days {
            i32::MAX => out.extend_from_slice(b"infinity"),
            i32::MIN => out.extend_from_slice(b"-infinity"),
            _ => {
                let era = put_date(days.into(), out);
                out.extend_from_slice(era);
            }
        }
    }

    fn is_plain(&self) -> bool {
        true
    }
}

impl Form<i32> for DateDays {
    fn put(&self, days: i32, out: &mut Room<'_>) {
        // The infinities are the same numbers there.
        let days = if matches!(days, i32::MAX | i32::MIN) { days } else { days.saturating_sub(EPOCH_DAYS) };
        out.put(days.to_be_bytes());
    }

    fn field(&self, days: i32, out: &mut Room<'_>) {
        out.put(4i32.to_be_bytes());
        self.put(days, out);
    }
}

impl Form<i64> for TimeText {
    fn put(&self, micros: i64, out: &mut Room<'_>) {
        put_time(micros.unsigned_abs(), out);
    }
}

impl Form<i64> for TimestampText {
    fn put(&self, micros: i64, out: &mut Room<'_>) {
        match micros {
            i64::MAX => out.extend_from_slice(b"infinity"),
            i64::MIN => out.extend_from_slice(b"-infinity"),
            _ => {
                let era = put_date(micros.div_euclid(DAY), out);
                out.push(b' ');
                put_time(micros.rem_euclid(DAY).unsigned_abs(), out);
                out.extend_from_slice(era);
            }
        }
    }

    fn is_plain(&self) -> bool {
        true
    }
}

impl Form<i64> for InstantText {
    fn put(&self, instant: i64, out: &mut Room<'_>) {
        if matches!(instant, i64::MAX | i64::MIN) {
            return TimestampText.put(instant, out);
        }
        // What the zone's clocks cannot show is shown in UTC.
        let local = self.zone.local(instant).map(|local| (local, self.zone.offset_at(instant)));
        let (local, offset) = local.unwrap_or((instant, 0));
        let era = put_date(local.div_euclid(DAY), out);
        out.push(b' ');
        put_time(local.rem_euclid(DAY).unsigned_abs(), out);
        put_offset(offset, out);
        out.extend_from_slice(era);
    }
}

impl Form<i64> for TimestampMicros {
    fn put(&self, micros: i64, out: &mut Room<'_>) {
        let micros = if matches!(micros, i64::MAX | i64::MIN) { micros } else { micros.saturating_sub(EPOCH_MICROS) };
        out.put(micros.to_be_bytes());
    }

    fn field(&self, micros: i64, out: &mut Room<'_>) {
        out.put(8i32.to_be_bytes());
        self.put(micros, out);
    }
}

/// Year, month and day of a day near 1970, by a few multiplications of 32 bits: Neri and Schneider, "Euclidean affine functions and
/// their application to calendar algorithms" (2022), figure 12. Years begin in March, so that the day that some have ends them.
fn civil_near(days: i32) -> (u32, u32, u32) {
    /// 400 years, by so many days and years of which days and years are positive.
    const SHIFT: u32 = 82;
    let days = (days as u32).wrapping_add(719_468 + 146_097 * SHIFT);
    let quarters = 4 * days + 3;
    let (century, of_century) = (quarters / 146_097, quarters % 146_097 / 4);
    let product = 2_939_745 * u64::from(4 * of_century + 3);
    let (year, of_year) = (100 * century + (product >> 32) as u32, product as u32 / 2_939_745 / 4);
    let months = 2_141 * of_year + 197_913;
    let (month, day) = (months >> 16, (months & 0xffff) / 2_141 + 1);
    let is_next = of_year >= 306;
    ((year + u32::from(is_next)).wrapping_sub(400 * SHIFT), if is_next { month - 12 } else { month }, day)
}

/// Appends year, month and day; gives what stands behind them, and behind the time, in years before 1.
fn put_date(days: i64, out: &mut Room<'_>) -> &'static [u8] {
    // Years from 1 to 9999.
    if let Some(days) = i32::try_from(days).ok().filter(|days| (FIRST_NEAR..=LAST_NEAR).contains(days)) {
        let (year, month, day) = civil_near(days);
        let digits = eight_digits(u64::from(year * 10_000 + month * 100 + day));
        let [a, b, c, d, e, f, g, h] = digits.to_le_bytes();
        out.put([a, b, c, d, b'-', e, f, b'-', g, h]);
        return b"";
    }
    let (year, month, day) = civil(days);
    let (year, era) = if year > 0 { (year, b"".as_slice()) } else { (1 - year, b" BC".as_slice()) };
    if year < 10_000 {
        out.digits_of(year.unsigned_abs(), 4);
    } else {
        out.digits(year.unsigned_abs());
    }
    let ([a, b], [c, d]) = (pair(month), pair(day));
    out.put([b'-', a, b, b'-', c, d]);
    era
}

/// Year, month and day of the proleptic Gregorian calendar, in 64 bits. Years are counted from March, whose day 0 every
/// month's length follows from (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
fn civil(days: i64) -> (i64, u64, u64) {
    let from_march = days + 719_468;
    let era = from_march.div_euclid(146_097);
    let day_of_era = from_march.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month.unsigned_abs(), day.unsigned_abs())
}

/// Appends hours, minutes and seconds, and what of a fraction is not zero.
pub(super) fn put_time(micros: u64, out: &mut Room<'_>) {
    let (seconds, fraction) = (micros / SECOND.unsigned_abs(), micros % SECOND.unsigned_abs());
    let hours = seconds / 3_600;
    if hours < 100 {
        out.put(pair(hours));
    } else {
        // Of intervals only.
        out.digits(hours);
    }
    let ([a, b], [c, d]) = (pair(seconds / 60 % 60), pair(seconds % 60));
    out.put([b':', a, b, b':', c, d]);
    if fraction > 0 {
        out.push(b'.');
        let start = out.len();
        out.digits_of(fraction, 6);
        let zeros = out.written(start).iter().rev().take_while(|&&byte| byte == b'0').count();
        out.truncate(start + 6 - zeros);
    }
}

/// Times of day with an offset, in binary, of an array of their texts.
struct TimesWithZone(StringArray);

/// See [`TimesWithZone`].
pub(super) fn times_with_zone(array: StringArray) -> Box<dyn Cells> {
    Box::new(TimesWithZone(array))
}

impl Cells for TimesWithZone {
    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        // The engine has made the text of a time.
        let Ok(Value::Int(time)) = Sight::default().value_of(self.0.value(row), DataType::TimeTz) else { return };
        let (micros, east) = time_with_zone::decode(time);
        out.extend_from_slice(&micros.to_be_bytes());
        out.extend_from_slice(&(-east as i32).to_be_bytes());
    }
}

/// Appends an offset's seconds: `+00`, `-03:30`.
fn put_offset(seconds: i64, out: &mut Room<'_>) {
    out.push(if seconds < 0 { b'-' } else { b'+' });
    let seconds = seconds.unsigned_abs();
    out.put(pair(seconds / 3_600));
    if !seconds.is_multiple_of(3_600) {
        out.push(b':');
        out.put(pair(seconds / 60 % 60));
    }
    if !seconds.is_multiple_of(60) {
        out.push(b':');
        out.put(pair(seconds % 60));
    }
}

/// The two digits of a number below 100.
fn pair(number: u64) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}

#[cfg(test)]
mod tests {
    use super::{FIRST_NEAR, LAST_NEAR, civil, civil_near};

    #[test]
    fn days_are_the_same_either_way() {
        for days in FIRST_NEAR..=LAST_NEAR {
            let (year, month, day) = civil_near(days);
            assert_eq!((year.into(), month.into(), day.into()), civil(days.into()), "{days}");
        }
        assert_eq!((civil(FIRST_NEAR.into()), civil(LAST_NEAR.into())), ((1, 1, 1), (9_999, 12, 31)));
    }
}
