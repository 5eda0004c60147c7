//! What times of day have of their own: hours and their parts.

use super::Time;
use multiloop_planner::evaluate::calendar::{DAY, HOUR, MINUTE, SECOND};

impl Time {
    /// 00:00:00.
    pub const MIDNIGHT: Time = Time(0);
    /// 24:00:00, the end of a day.
    pub const MAX: Time = Time(DAY);

    /// A time; None if there is none such.
    ///
    /// ```
    /// use multiloop::{Time, time};
    ///
    /// assert_eq!(Time::new(12, 30, 0.5), Some(time!(12:30:00.5)));
    /// assert_eq!(Time::new(24, 0, 0.5), None);
    /// ```
    pub fn new(hour: u32, minute: u32, second: f64) -> Option<Self> {
        if hour > 24 || minute > 59 || !(0.0..60.0).contains(&second) {
            return None;
        }
        let micros = (second * SECOND as f64).round() as i64;
        Time::from_micros(i64::from(hour) * HOUR + i64::from(minute) * MINUTE + micros)
    }

    /// A time of whole seconds and microseconds; None if there is none such.
    ///
    /// ```
    /// use multiloop::{Time, time};
    ///
    /// const START: Option<Time> = Time::from_hms_micro(12, 30, 5, 250_000);
    /// assert_eq!(START, Some(time!(12:30:05.25)));
    /// ```
    pub const fn from_hms_micro(hour: u32, minute: u32, second: u32, micros: u32) -> Option<Self> {
        if hour > 24 || minute > 59 || second > 59 || micros as i64 >= SECOND {
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

    /// Microseconds since midnight.
    pub const fn micros(self) -> i64 {
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
