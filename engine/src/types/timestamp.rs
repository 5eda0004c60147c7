//! What timestamps have of their own, those without a time zone and instants.

use super::{Date, Time, Timestamp, TimestampTz, out_of_range};
use crate::{Error, Interval, Result};
use multiloop_planner::evaluate::calendar::{DAY, TIMESTAMP_BEYOND, TIMESTAMP_MIN};
use multiloop_planner::evaluate::date::add_interval;
use std::time::{Duration, SystemTime};

macro_rules! of_micros {
    ($timestamp:ident, $what:literal) => {
        impl $timestamp {
            /// `infinity`: later than all others.
            pub const INFINITY: $timestamp = $timestamp(i64::MAX);
            /// `-infinity`: earlier than all others.
            pub const NEG_INFINITY: $timestamp = $timestamp(i64::MIN);

            #[doc = concat!("So many microseconds after ", $what, ", or before; an infinity beyond the last timestamp, or the first.")]
            pub const fn from_micros(micros: i64) -> Self {
                if micros < TIMESTAMP_MIN {
                    $timestamp::NEG_INFINITY
                } else if micros >= TIMESTAMP_BEYOND {
                    $timestamp::INFINITY
                } else {
                    $timestamp(micros)
                }
            }

            #[doc = concat!("Microseconds since ", $what, "; of the infinities the least and the greatest number.")]
            pub const fn micros(self) -> i64 {
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
    };
}

of_micros!(Timestamp, "1970-01-01 00:00");
of_micros!(TimestampTz, "1970-01-01 00:00 UTC");

impl Timestamp {
    /// A day and a time; None beyond the last timestamp, in the year 294247. Of an infinite date it is infinite.
    ///
    /// ```
    /// use multiloop::{Timestamp, date, time, timestamp};
    ///
    /// let start = Timestamp::new(date!(1998-09-02), time!(12:30)).expect("in range");
    /// assert_eq!(start, timestamp!(1998-09-02 12:30));
    /// assert_eq!((start.date(), start.time()), (date!(1998-09-02), time!(12:30)));
    /// ```
    pub const fn new(date: Date, time: Time) -> Option<Self> {
        if !date.is_finite() {
            return Some(if date.days() > 0 { Timestamp::INFINITY } else { Timestamp::NEG_INFINITY });
        }
        let Some(midnight) = (date.days() as i64).checked_mul(DAY) else { return None };
        match midnight.checked_add(time.micros()) {
            Some(micros) if micros >= TIMESTAMP_MIN && micros < TIMESTAMP_BEYOND => Some(Timestamp(micros)),
            _ => None,
        }
    }

    /// Its day.
    pub fn date(self) -> Date {
        match self.0 {
            i64::MAX => Date::INFINITY,
            i64::MIN => Date::NEG_INFINITY,
            micros => Date::from_days(micros.div_euclid(DAY) as i32),
        }
    }

    /// Its time of day; midnight of the infinities.
    pub const fn time(self) -> Time {
        if self.is_finite() { Time(self.0.rem_euclid(DAY)) } else { Time::MIDNIGHT }
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
        add_interval(self.0, interval, 1).ok().map(Timestamp::from_micros)
    }

    /// The moment an interval earlier, as SQL subtracts it. None where there is none.
    pub fn checked_sub(self, interval: Interval) -> Option<Self> {
        add_interval(self.0, interval, -1).ok().map(Timestamp::from_micros)
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

/// The beginning of the day; 22008 beyond the last timestamp.
impl TryFrom<Date> for Timestamp {
    type Error = Error;

    fn try_from(date: Date) -> Result<Self> {
        Timestamp::new(date, Time::MIDNIGHT).ok_or_else(|| out_of_range("timestamp", date))
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
        let found = micros.map(TimestampTz::from_micros).filter(|found| found.is_finite());
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
