//! The crate `time`. What is less than a microsecond is cut.

use super::super::{Date, Time, Timestamp, TimestampTz, out_of_range};
use super::{by_own_type, has_months};
use crate::{DataType, Error, FromSql, Interval, Parameter, Result, ToParameter, Value, ValueRef};
use ::time::{Duration, OffsetDateTime, PrimitiveDateTime, UtcOffset};
use multiloop_planner::evaluate::calendar::DAY;

/// The Julian day of 1970-01-01.
const EPOCH: i32 = 2_440_588;

/// Nanoseconds of a microsecond.
const NANOS: i128 = 1_000;

fn days_of(date: ::time::Date) -> i32 {
    date.to_julian_day() - EPOCH
}

/// Microseconds since 1970 in UTC: years have up to six digits, so there are not too many of them.
fn micros_of(instant: OffsetDateTime) -> i64 {
    instant.unix_timestamp_nanos().div_euclid(NANOS).clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

fn instant_of(micros: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * NANOS).ok()
}

// Values beyond SQL's are handed over, too: the statement refuses them.
by_own_type! {
    ::time::Date, Date, value => (Value::Int(days_of(*value).into()), DataType::Date);
    ::time::Time, Time, value => Time::from(*value);
    PrimitiveDateTime, Timestamp, value => (Value::Int(micros_of(value.assume_utc())), DataType::Timestamp);
    OffsetDateTime, TimestampTz, value => (Value::Int(micros_of(*value)), DataType::TimestampTz);
}

/// 22008 for a day before SQL's first one.
impl TryFrom<::time::Date> for Date {
    type Error = Error;

    fn try_from(date: ::time::Date) -> Result<Self> {
        let found = Date::from_days(days_of(date));
        if found.is_finite() { Ok(found) } else { Err(out_of_range("date", date)) }
    }
}

/// 22008 for the infinities, and for years that `time` does not have.
impl TryFrom<Date> for ::time::Date {
    type Error = Error;

    fn try_from(date: Date) -> Result<Self> {
        let days = date.days().checked_add(EPOCH).filter(|_| date.is_finite());
        let found = days.and_then(|days| ::time::Date::from_julian_day(days).ok());
        found.ok_or_else(|| out_of_range("time::Date", date))
    }
}

impl From<::time::Time> for Time {
    fn from(time: ::time::Time) -> Self {
        let (hour, minute, second, micros) = time.as_hms_micro();
        Time::from_hms_micro(hour.into(), minute.into(), second.into(), micros).unwrap_or(Time::MAX)
    }
}

/// 22008 for 24:00:00.
impl TryFrom<Time> for ::time::Time {
    type Error = Error;

    fn try_from(time: Time) -> Result<Self> {
        let (hour, minute, second) = (time.hour() as u8, time.minute() as u8, time.second() as u8);
        ::time::Time::from_hms_micro(hour, minute, second, time.microsecond())
            .map_err(|_| out_of_range("time::Time", time))
    }
}

/// 22008 for a moment before SQL's first one.
impl TryFrom<PrimitiveDateTime> for Timestamp {
    type Error = Error;

    fn try_from(moment: PrimitiveDateTime) -> Result<Self> {
        let found = Timestamp::from_micros(micros_of(moment.assume_utc()));
        if found.is_finite() { Ok(found) } else { Err(out_of_range("timestamp", moment)) }
    }
}

/// 22008 for the infinities, and for years that `time` does not have.
impl TryFrom<Timestamp> for PrimitiveDateTime {
    type Error = Error;

    fn try_from(timestamp: Timestamp) -> Result<Self> {
        let found = instant_of(timestamp.micros()).filter(|_| timestamp.is_finite());
        let moment = found.map(|found| PrimitiveDateTime::new(found.date(), found.time()));
        moment.ok_or_else(|| out_of_range("time::PrimitiveDateTime", timestamp))
    }
}

/// 22008 for an instant before SQL's first one.
impl TryFrom<OffsetDateTime> for TimestampTz {
    type Error = Error;

    fn try_from(instant: OffsetDateTime) -> Result<Self> {
        let found = TimestampTz::from_micros(micros_of(instant));
        if found.is_finite() { Ok(found) } else { Err(out_of_range("timestamp", instant)) }
    }
}

/// In UTC; 22008 for the infinities, and for years that `time` does not have.
impl TryFrom<TimestampTz> for OffsetDateTime {
    type Error = Error;

    fn try_from(timestamp: TimestampTz) -> Result<Self> {
        let found = instant_of(timestamp.micros()).filter(|_| timestamp.is_finite());
        found
            .map(|found| found.to_offset(UtcOffset::UTC))
            .ok_or_else(|| out_of_range("time::OffsetDateTime", timestamp))
    }
}

/// Of an interval without months, whose days have 24 hours.
impl FromSql<'_> for Duration {
    fn from_sql(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Interval(Interval { months: 0, days, micros }) => {
                Ok(Duration::days(days.into()) + Duration::microseconds(micros))
            }
            ValueRef::Interval(_) => Err(has_months()),
            other => Err(other.mismatch::<Self>()),
        }
    }

    fn takes(data_type: DataType) -> bool {
        data_type == DataType::Interval
    }
}

/// An interval of microseconds; beyond these of days, too.
impl ToParameter for Duration {
    fn to_parameter(&self) -> Parameter {
        let interval = match i64::try_from(self.whole_microseconds()) {
            Ok(micros) => Interval { micros, ..Interval::default() },
            Err(_) => {
                let rest = self.whole_microseconds() % i128::from(DAY);
                let days = self.whole_days().clamp(i32::MIN.into(), i32::MAX.into()) as i32;
                Interval { days, micros: rest as i64, ..Interval::default() }
            }
        };
        interval.to_parameter()
    }

    fn sql_type() -> DataType {
        DataType::Interval
    }
}
