//! Days and times.

use crate::parameters::{Parameter, ToParameter};
use crate::row::{FromSql, ValueRef};
use crate::sight::Sight;
use crate::{DataType, Error, ErrorKind, Result, Value};
use multiloop_planner::evaluate::calendar;
use std::fmt;
use std::str::FromStr;

/// Microseconds of a second, and seconds of a day.
const SECOND: i64 = 1_000_000;
const DAY_SECONDS: i64 = 86_400;

macro_rules! moments {
    ($($(#[$doc:meta])* $name:ident($of:ty) $sql:ident $value:ident $count:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name($of);

        impl fmt::Display for $name {
            /// As PostgreSQL shows it, in UTC.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&Sight::default().text_of(&Value::Int(self.0.into()), DataType::$sql))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self}")
            }
        }

        impl FromStr for $name {
            type Err = Error;

            /// As PostgreSQL reads it, in UTC where nothing else is said: 22007 or 22008 for what is none.
            fn from_str(text: &str) -> Result<Self> {
                match Sight::default().value_of(text, DataType::$sql)? {
                    Value::Int(value) => <$of>::try_from(value).map($name).map_err(|_| unreadable(text)),
                    _ => Err(unreadable(text)),
                }
            }
        }

        impl FromSql<'_> for $name {
            #[inline]
            fn from_sql(value: ValueRef<'_>) -> Result<Self> {
                match value {
                    ValueRef::$value(value) => Ok($name(value)),
                    other => Err(other.mismatch::<Self>()),
                }
            }

            fn takes(data_type: DataType) -> bool {
                data_type == DataType::$sql
            }
        }

        impl ToParameter for $name {
            fn to_parameter(&self) -> Parameter {
                (Value::Int(self.0.into()), DataType::$sql).to_parameter()
            }

            fn sql_type() -> DataType {
                DataType::$sql
            }
        })*
    };
}

#[cold]
fn unreadable(text: &str) -> Error {
    Error::new(ErrorKind::InvalidDatetime, format!("\"{text}\" is not such a value"))
}

moments! {
    /// A day of the Gregorian calendar, or one of SQL's infinities.
    ///
    /// ```
    /// use multiloop::{Date, date};
    ///
    /// let day = date!(1998-09-02);
    /// assert_eq!((day.year(), day.month(), day.day()), (1998, 9, 2));
    /// assert_eq!("1998-09-02".parse::<Date>()?, day);
    /// assert_eq!(Date::new(2026, 2, 29), None);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    Date(i32) Date Date days;
    /// A time of a day, to the microsecond.
    ///
    /// ```
    /// use multiloop::Time;
    ///
    /// assert_eq!(Time::new(9, 30, 0.5), "09:30:00.5".parse().ok());
    /// ```
    Time(i64) Time Time micros;
    /// A day and a time without a time zone, to the microsecond, or one of SQL's infinities.
    ///
    /// ```
    /// use multiloop::{Timestamp, date};
    ///
    /// let noon: Timestamp = "1998-09-02 12:00".parse()?;
    /// assert_eq!((noon.date(), noon.micros() % 86_400_000_000), (date!(1998-09-02), 43_200_000_000));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    Timestamp(i64) Timestamp Timestamp micros;
    /// An instant, to the microsecond, or one of SQL's infinities.
    ///
    /// ```
    /// use multiloop::TimestampTz;
    ///
    /// let instant: TimestampTz = "1970-01-01 01:00+01".parse()?;
    /// assert_eq!(instant.micros(), 0);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    TimestampTz(i64) TimestampTz TimestampTz micros;
}

impl Date {
    /// A day; None if it is not in the calendar, or not a date of SQL (4713 BC to 5874897 AD).
    pub const fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        const MONTH_DAYS: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        if year < -4712
            || year > 5_874_897
            || month < 1
            || month > 12
            || day < 1
            || day > MONTH_DAYS[month as usize - 1]
        {
            return None;
        }
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        if month == 2 && day == 29 && !is_leap {
            return None;
        }
        // Years from March on, so that a leap day is their last (H. Hinnant, chrono-compatible date algorithms).
        let shifted = year as i64 - (month <= 2) as i64;
        let era = shifted.div_euclid(400);
        let of_era = shifted - era * 400;
        let from_march = (month as i64 + 9) % 12;
        let of_year = (153 * from_march + 2) / 5 + day as i64 - 1;
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
        Some(Date(days as i32))
    }

    /// So many days after 1970-01-01.
    pub const fn from_days(days: i32) -> Self {
        Date(days)
    }

    /// Days since 1970-01-01; the least and the greatest number are the infinities.
    pub const fn days(self) -> i32 {
        self.0
    }

    fn civil(self) -> calendar::Civil {
        calendar::civil_from_days(self.0.into())
    }

    /// The year; 0 is 1 BC.
    pub fn year(self) -> i32 {
        self.civil().year as i32
    }

    /// The month, from 1.
    pub fn month(self) -> u32 {
        self.civil().month as u32
    }

    /// The day of the month, from 1.
    pub fn day(self) -> u32 {
        self.civil().day as u32
    }

    /// So many days later; None beyond what a date holds.
    #[must_use]
    pub fn checked_add_days(self, days: i32) -> Option<Self> {
        let is_finite = self.0 != i32::MIN && self.0 != i32::MAX;
        self.0.checked_add(days).filter(|_| is_finite).map(Date)
    }
}

impl Time {
    /// A time; None if there is none such.
    pub fn new(hour: u32, minute: u32, second: f64) -> Option<Self> {
        if hour > 23 || minute > 59 || !(0.0..60.0).contains(&second) {
            return None;
        }
        let micros = (second * SECOND as f64).round() as i64;
        Some(Time((i64::from(hour) * 3_600 + i64::from(minute) * 60) * SECOND + micros))
    }

    /// So many microseconds after midnight; None beyond a day.
    pub fn from_micros(micros: i64) -> Option<Self> {
        (0..=DAY_SECONDS * SECOND).contains(&micros).then_some(Time(micros))
    }

    /// Microseconds since midnight.
    pub const fn micros(self) -> i64 {
        self.0
    }
}

impl Timestamp {
    /// So many microseconds after 1970-01-01 00:00.
    pub const fn from_micros(micros: i64) -> Self {
        Timestamp(micros)
    }

    /// Microseconds since 1970-01-01 00:00; the least and the greatest number are the infinities.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Its day.
    pub fn date(self) -> Date {
        match self.0 {
            i64::MIN => Date(i32::MIN),
            i64::MAX => Date(i32::MAX),
            micros => Date(micros.div_euclid(DAY_SECONDS * SECOND) as i32),
        }
    }
}

impl TimestampTz {
    /// So many microseconds after 1970-01-01 00:00 UTC.
    pub const fn from_micros(micros: i64) -> Self {
        TimestampTz(micros)
    }

    /// Microseconds since 1970-01-01 00:00 UTC; the least and the greatest number are the infinities.
    pub const fn micros(self) -> i64 {
        self.0
    }
}
