//! Times of day.

use super::{out_of_range, read};
use crate::{DataType, Error, Result};
use multiloop_planner::evaluate::calendar::{DAY, HOUR, MINUTE, SECOND};
use multiloop_planner::evaluate::format::format_time;
use std::fmt;
use std::str::FromStr;

/// A time of day in microseconds: SQL's `time`. The last one is 24:00:00.
///
/// ```
/// use multiloop::{Time, time};
///
/// assert_eq!(Time::try_new(12, 30, 5, 250_000)?, time!(12:30:05.25));
/// assert_eq!("12:30 pm".parse::<Time>()?.hour(), 12);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// 00:00:00.
    pub const MIDNIGHT: Time = Time(0);
    /// 24:00:00, the end of a day.
    pub const MAX: Time = Time(DAY);

    /// The time of hours, minutes, seconds and microseconds.
    ///
    /// # Errors
    /// 22008 if there is no such time.
    pub fn try_new(hour: u32, minute: u32, second: u32, micros: u32) -> Result<Self> {
        Time::checked(hour, minute, second, micros)
            .ok_or_else(|| out_of_range("time", format_args!("{hour:02}:{minute:02}:{second:02}.{micros:06}")))
    }

    /// As [`Time::try_new`], for constants; None if there is no such time.
    pub const fn checked(hour: u32, minute: u32, second: u32, micros: u32) -> Option<Self> {
        if minute > 59 || second > 59 || micros as i64 >= SECOND {
            return None;
        }
        Time::from_micros(hour as i64 * HOUR + minute as i64 * MINUTE + second as i64 * SECOND + micros as i64)
    }

    /// So many microseconds after midnight; None if a day has less.
    ///
    /// ```
    /// use multiloop::{Time, time};
    ///
    /// assert_eq!(Time::from_micros(60_000_000), Some(time!(00:01)));
    /// assert_eq!(Time::from_micros(-1), None);
    /// ```
    pub const fn from_micros(micros: i64) -> Option<Self> {
        if micros < 0 || micros > DAY { None } else { Some(Time(micros)) }
    }

    /// What a column has, which has been checked.
    pub(crate) const fn of_column(micros: i64) -> Self {
        Time(micros)
    }

    /// The microseconds since midnight.
    pub const fn to_micros(self) -> i64 {
        self.0
    }

    /// The hour, from 0 to 24.
    pub const fn hour(self) -> u32 {
        (self.0 / HOUR) as u32
    }

    /// The minute, from 0 to 59.
    pub const fn minute(self) -> u32 {
        (self.0 % HOUR / MINUTE) as u32
    }

    /// The second, from 0 to 59.
    pub const fn second(self) -> u32 {
        (self.0 % MINUTE / SECOND) as u32
    }

    /// The microseconds of the second, from 0 to 999,999.
    pub const fn microsecond(self) -> u32 {
        (self.0 % SECOND) as u32
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_time(self.0))
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// As PostgreSQL reads a time; 22007 and 22008 for what is none.
impl FromStr for Time {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Time::from_micros(read(text, DataType::Time)?).ok_or_else(|| out_of_range("time", text))
    }
}
