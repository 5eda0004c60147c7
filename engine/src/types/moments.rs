//! Days and times: what all of them have. `date`, `time` and `timestamp` have what is each one's own.

use crate::parameters::{Parameter, ToParameter};
use crate::row::{FromSql, ValueRef};
use crate::sight::Sight;
use crate::{DataType, Error, ErrorKind, Result, Value};
use std::fmt;
use std::str::FromStr;

macro_rules! moments {
    ($($(#[$doc:meta])* $name:ident($of:ty) $sql:ident $value:ident $count:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub(super) $of);

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
