//! The crate `chrono`. What is less than a microsecond is cut.

use super::super::{Date, Time, Timestamp, TimestampTz, out_of_range};
use super::{by_own_type, has_months};
use crate::{DataType, Error, FromSql, Interval, Parameter, Result, ToParameter, Value, ValueRef};
use ::chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Timelike as _, Utc};
use multiloop_planner::evaluate::calendar::{DAY, SECOND};

/// Days from chrono's first one, 0001-01-01 being 1, to 1970-01-01.
const EPOCH: i32 = 719_163;

fn days_of(date: NaiveDate) -> i32 {
    date.num_days_from_ce() - EPOCH
}

// Values beyond SQL's are handed over, too: the statement refuses them.
by_own_type! {
    NaiveDate, Date, value => (Value::Int(days_of(*value).into()), DataType::Date);
    NaiveTime, Time, value => Time::from(*value);
    NaiveDateTime, Timestamp, value => (Value::Int(value.and_utc().timestamp_micros()), DataType::Timestamp);
    DateTime<Utc>, TimestampTz, value => (Value::Int(value.timestamp_micros()), DataType::TimestampTz);
}

/// 22008 for a day before SQL's first one.
impl TryFrom<NaiveDate> for Date {
    type Error = Error;

    fn try_from(date: NaiveDate) -> Result<Self> {
        let found = Date::from_days(days_of(date));
        if found.is_finite() { Ok(found) } else { Err(out_of_range("date", date)) }
    }
}

/// 22008 for the infinities, and for years that chrono does not have.
impl TryFrom<Date> for NaiveDate {
    type Error = Error;

    fn try_from(date: Date) -> Result<Self> {
        let days = date.days().checked_add(EPOCH).filter(|_| date.is_finite());
        days.and_then(NaiveDate::from_num_days_from_ce_opt).ok_or_else(|| out_of_range("chrono::NaiveDate", date))
    }
}

/// A leap second is that of the next minute.
impl From<NaiveTime> for Time {
    fn from(time: NaiveTime) -> Self {
        let micros = i64::from(time.num_seconds_from_midnight()) * SECOND + i64::from(time.nanosecond() / 1_000);
        Time::from_micros(micros).unwrap_or(Time::MAX)
    }
}

/// 22008 for 24:00:00.
impl TryFrom<Time> for NaiveTime {
    type Error = Error;

    fn try_from(time: Time) -> Result<Self> {
        NaiveTime::from_hms_micro_opt(time.hour(), time.minute(), time.second(), time.microsecond())
            .ok_or_else(|| out_of_range("chrono::NaiveTime", time))
    }
}

/// 22008 for a moment before SQL's first one.
impl TryFrom<NaiveDateTime> for Timestamp {
    type Error = Error;

    fn try_from(moment: NaiveDateTime) -> Result<Self> {
        let found = Timestamp::from_micros(moment.and_utc().timestamp_micros());
        if found.is_finite() { Ok(found) } else { Err(out_of_range("timestamp", moment)) }
    }
}

/// 22008 for the infinities, and for years that chrono does not have.
impl TryFrom<Timestamp> for NaiveDateTime {
    type Error = Error;

    fn try_from(timestamp: Timestamp) -> Result<Self> {
        let found = DateTime::from_timestamp_micros(timestamp.micros()).filter(|_| timestamp.is_finite());
        found.map(|found| found.naive_utc()).ok_or_else(|| out_of_range("chrono::NaiveDateTime", timestamp))
    }
}

/// 22008 for an instant before SQL's first one.
impl<Z: TimeZone> TryFrom<DateTime<Z>> for TimestampTz {
    type Error = Error;

    fn try_from(instant: DateTime<Z>) -> Result<Self> {
        let found = TimestampTz::from_micros(instant.timestamp_micros());
        if found.is_finite() { Ok(found) } else { Err(out_of_range("timestamp", instant.naive_utc())) }
    }
}

/// 22008 for the infinities, and for years that chrono does not have.
impl TryFrom<TimestampTz> for DateTime<Utc> {
    type Error = Error;

    fn try_from(timestamp: TimestampTz) -> Result<Self> {
        let found = DateTime::from_timestamp_micros(timestamp.micros()).filter(|_| timestamp.is_finite());
        found.ok_or_else(|| out_of_range("chrono::DateTime", timestamp))
    }
}

/// Of an interval without months, whose days have 24 hours.
impl FromSql<'_> for TimeDelta {
    fn from_sql(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Interval(Interval { months: 0, days, micros }) => {
                let days = TimeDelta::try_days(days.into());
                let sum = days.and_then(|days| days.checked_add(&TimeDelta::microseconds(micros)));
                sum.ok_or_else(|| out_of_range("chrono::TimeDelta", "an interval"))
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
impl ToParameter for TimeDelta {
    fn to_parameter(&self) -> Parameter {
        let interval = match self.num_microseconds() {
            Some(micros) => Interval { micros, ..Interval::default() },
            None => {
                let rest = *self - TimeDelta::days(self.num_days());
                let days = self.num_days().clamp(i32::MIN.into(), i32::MAX.into()) as i32;
                Interval { days, micros: rest.num_microseconds().unwrap_or(DAY), ..Interval::default() }
            }
        };
        interval.to_parameter()
    }

    fn sql_type() -> DataType {
        DataType::Interval
    }
}
