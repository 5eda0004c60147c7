//! Timestamps, without a time zone and with one: moments of a calendar, and instants.

use super::{Date, Time, out_of_range, read};
use crate::{DataType, Error, Interval, Result};
use multiloop_planner::evaluate::calendar::{DAY, TIMESTAMP_BEYOND, TIMESTAMP_MIN};
use multiloop_planner::evaluate::date::add_interval;
use multiloop_planner::evaluate::format::format_timestamp;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

/// A date and a time of day in microseconds, or one of the infinities: SQL's `timestamp`, which is of no time zone. The first one
/// is in 4714 BC, the last one in the year 294247.
///
/// ```
/// use multiloop::{Timestamp, date, time, timestamp};
///
/// let start = timestamp!(1998-09-02 12:30);
/// assert_eq!(start, Timestamp::try_new(date!(1998-09-02), time!(12:30))?);
/// assert_eq!((start.date(), start.time()), (date!(1998-09-02), time!(12:30)));
/// assert_eq!("1998-09-02T12:30".parse::<Timestamp>()?, start);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// An instant in microseconds, or one of the infinities: SQL's `timestamptz`. It is printed in UTC; sessions print it in their time
/// zone.
///
/// ```
/// use multiloop::{TimestampTz, timestamp};
///
/// let start: TimestampTz = "1998-09-02 12:30+02".parse()?;
/// assert_eq!(start.to_string(), "1998-09-02 10:30:00+00");
/// assert_eq!(start, timestamp!(1998-09-02 10:30).at_utc());
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimestampTz(i64);

/// Whether microseconds are a timestamp, finite or not.
const fn is_timestamp(micros: i64) -> bool {
    micros == i64::MIN || micros == i64::MAX || (micros >= TIMESTAMP_MIN && micros < TIMESTAMP_BEYOND)
}

macro_rules! of_micros {
    ($timestamp:ident, $what:literal, $data_type:expr) => {
        impl $timestamp {
            /// `infinity`: later than all others.
            pub const INFINITY: $timestamp = $timestamp(i64::MAX);
            /// `-infinity`: earlier than all others.
            pub const NEG_INFINITY: $timestamp = $timestamp(i64::MIN);

            #[doc = concat!("So many microseconds after ", $what, ", or before; None if there is no such timestamp.")]
            /// The least and the greatest number are the infinities.
            pub const fn from_micros(micros: i64) -> Option<Self> {
                if is_timestamp(micros) { Some($timestamp(micros)) } else { None }
            }

            /// What a column has, which has been checked.
            pub(crate) const fn of_column(micros: i64) -> Self {
                $timestamp(micros)
            }

            #[doc = concat!("The microseconds since ", $what, "; of the infinities the least and the greatest number.")]
            pub const fn to_micros(self) -> i64 {
                self.0
            }

            /// Whether it is a moment, none of the infinities.
            pub const fn is_finite(self) -> bool {
                self.0 != i64::MIN && self.0 != i64::MAX
            }

            /// The microseconds from another one to this one; None if one of them is infinite, or there are too many.
            pub const fn micros_since(self, other: Self) -> Option<i64> {
                if self.is_finite() && other.is_finite() { self.0.checked_sub(other.0) } else { None }
            }
        }

        impl fmt::Debug for $timestamp {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        /// As PostgreSQL reads it (22007 and 22008 for what is none); `now` and its kin are none without a session. An instant
        /// whose text says no time zone is in UTC.
        impl FromStr for $timestamp {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                $timestamp::from_micros(read(text, $data_type)?).ok_or_else(|| out_of_range("timestamp", text))
            }
        }
    };
}

of_micros!(Timestamp, "1970-01-01 00:00", DataType::Timestamp);
of_micros!(TimestampTz, "1970-01-01 00:00 UTC", DataType::TimestampTz);

impl Timestamp {
    /// The timestamp of a day and a time. That of an infinite date is infinite.
    ///
    /// # Errors
    /// 22008 beyond the last timestamp, in the year 294247.
    pub fn try_new(date: Date, time: Time) -> Result<Self> {
        Timestamp::checked(date, time).ok_or_else(|| out_of_range("timestamp", format_args!("{date} {time}")))
    }

    /// As [`Timestamp::try_new`], for constants; None beyond the last timestamp.
    pub const fn checked(date: Date, time: Time) -> Option<Self> {
        if !date.is_finite() {
            return Some(if date.to_days() > 0 { Timestamp::INFINITY } else { Timestamp::NEG_INFINITY });
        }
        match (date.to_days() as i64).checked_mul(DAY) {
            Some(midnight) => match midnight.checked_add(time.to_micros()) {
                // Neither is an infinity that a sum happens to be.
                Some(micros) if micros != i64::MIN && micros != i64::MAX => Timestamp::from_micros(micros),
                _ => None,
            },
            None => None,
        }
    }

    /// Its day.
    pub fn date(self) -> Date {
        match self.0 {
            i64::MAX => Date::INFINITY,
            i64::MIN => Date::NEG_INFINITY,
            micros => Date::of_column(micros.div_euclid(DAY) as i32),
        }
    }

    /// Its time of day; midnight of the infinities.
    pub const fn time(self) -> Time {
        if self.is_finite() { Time::of_column(self.0.rem_euclid(DAY)) } else { Time::MIDNIGHT }
    }

    /// The year; 0 is 1 BC. Of the infinities it is the least and the greatest number.
    pub fn year(self) -> i32 {
        self.date().year()
    }

    /// The month, from 1 to 12; 0 of the infinities.
    pub fn month(self) -> u32 {
        self.date().month()
    }

    /// The day of the month, from 1 to 31; 0 of the infinities.
    pub fn day(self) -> u32 {
        self.date().day()
    }

    /// The hour, from 0 to 23.
    pub const fn hour(self) -> u32 {
        self.time().hour()
    }

    /// The minute, from 0 to 59.
    pub const fn minute(self) -> u32 {
        self.time().minute()
    }

    /// The second, from 0 to 59.
    pub const fn second(self) -> u32 {
        self.time().second()
    }

    /// The microseconds of the second, from 0 to 999,999.
    pub const fn microsecond(self) -> u32 {
        self.time().microsecond()
    }

    /// The moment an interval later, as SQL adds it: months first, then days, then the rest. None where there is none.
    ///
    /// ```
    /// use multiloop::{Interval, timestamp};
    ///
    /// let month = Interval { months: 1, ..Interval::default() };
    /// assert_eq!(timestamp!(2024-01-31 12:00).checked_add(month), Some(timestamp!(2024-02-29 12:00)));
    /// ```
    pub fn checked_add(self, interval: Interval) -> Option<Self> {
        add_interval(self.0, interval, 1).ok().and_then(Timestamp::from_micros)
    }

    /// The moment an interval earlier, as SQL subtracts it. None where there is none.
    pub fn checked_sub(self, interval: Interval) -> Option<Self> {
        add_interval(self.0, interval, -1).ok().and_then(Timestamp::from_micros)
    }

    /// The instant at which clocks in UTC show it.
    pub const fn at_utc(self) -> TimestampTz {
        TimestampTz(self.0)
    }
}

impl TimestampTz {
    /// This instant.
    ///
    /// ```
    /// assert!(multiloop::TimestampTz::now().is_finite());
    /// ```
    pub fn now() -> Self {
        SystemTime::now().try_into().unwrap_or_default()
    }

    /// What clocks in UTC show.
    pub const fn in_utc(self) -> Timestamp {
        Timestamp(self.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_timestamp(self.0))
    }
}

impl fmt::Display for TimestampTz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use multiloop_planner::evaluate::{UTC, format_in};
        f.pad(&format_in(&crate::Value::Int(self.0), DataType::TimestampTz, UTC))
    }
}

/// The beginning of the day; 22008 beyond the last timestamp.
impl TryFrom<Date> for Timestamp {
    type Error = Error;

    fn try_from(date: Date) -> Result<Self> {
        Timestamp::try_new(date, Time::MIDNIGHT)
    }
}

/// The instant, without what is less than a microsecond; 22008 for one that is no timestamp.
impl TryFrom<SystemTime> for TimestampTz {
    type Error = Error;

    fn try_from(time: SystemTime) -> Result<Self> {
        let micros = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_micros()).ok(),
            // Rounded down, as what is after is.
            Err(before) => i64::try_from(before.duration().as_nanos().div_ceil(1_000)).ok().map(|micros| -micros),
        };
        let found = micros.and_then(TimestampTz::from_micros).filter(|found| found.is_finite());
        found.ok_or_else(|| out_of_range("timestamp", "a system time"))
    }
}

/// The instant; 22008 for the infinities, and where the system has no such time.
impl TryFrom<TimestampTz> for SystemTime {
    type Error = Error;

    fn try_from(timestamp: TimestampTz) -> Result<Self> {
        let length = Duration::from_micros(timestamp.0.unsigned_abs());
        let found = match timestamp.0 {
            0.. => SystemTime::UNIX_EPOCH.checked_add(length),
            _ => SystemTime::UNIX_EPOCH.checked_sub(length),
        };
        found.filter(|_| timestamp.is_finite()).ok_or_else(|| out_of_range("system time", timestamp))
    }
}
