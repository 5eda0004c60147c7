//! Dates, times and timestamps, in ISO 8601 and in the usual other spellings. Months come before days
//! (PostgreSQL's default, `DateStyle` MDY). A time zone counts for an instant and for a time with a zone; else it is read and
//! left out.

use super::fault::out_of_range;
use super::reading::{Around, DATE, Reading};
use super::word::Named;
use crate::error::Result;
use crate::evaluate::calendar::{DATE_INFINITY, DAY, checked_date, split_timestamp};
use crate::evaluate::time_with_zone;
use crate::evaluate::zone::with_zone;
use crate::value::Value;

/// A date; a time behind it is left out.
pub(super) fn parse_date(text: &str, around: Around<'_>) -> Result<Value> {
    let reading = Reading::of(text, "date", around)?;
    let days = match reading.named {
        Some(Named::Epoch) => 0,
        Some(Named::Infinity) => DATE_INFINITY,
        Some(_) => i32::MIN.into(),
        None => checked_date(reading.days()).map_err(|_| out_of_range("date", text))?,
    };
    Ok(Value::Int(days))
}

/// A time of day; a date in front of it is left out.
pub(super) fn parse_time(text: &str, around: Around<'_>) -> Result<Value> {
    let reading = Reading::of_time(text, "time", around)?;
    Ok(Value::Int(reading.micros()))
}

/// A time of day with the offset of its zone; where it says none it is the session's.
pub(super) fn parse_time_with_zone(text: &str, around: Around<'_>) -> Result<Value> {
    let reading = Reading::of_time(text, "time with time zone", around)?;
    let days = if reading.has(DATE) { reading.days() } else { today(around)? };
    let seconds = reading.zone.seconds(days.saturating_mul(DAY).saturating_add(reading.micros()), around)?;
    Ok(Value::Int(time_with_zone::encode(reading.micros(), seconds)))
}

/// The day that it is, in the session's zone; where nobody says the time, by the clock.
fn today(around: Around<'_>) -> Result<i64> {
    let now = around.now.unwrap_or_else(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_micros()).unwrap_or_default()
    });
    with_zone(around.zone, |zone| zone.local(now)).map(|local| split_timestamp(local).0)
}

/// A date and perhaps a time.
pub(super) fn parse_timestamp(text: &str, around: Around<'_>) -> Result<Value> {
    let reading = Reading::of(text, "timestamp", around)?;
    if let Some(special) = reading.special() {
        return Ok(Value::Int(special));
    }
    reading.timestamp(0).map(Value::Int).ok_or_else(|| out_of_range("timestamp", text))
}

/// A date and perhaps a time, as an instant: of an offset or a zone in the text, else of this zone.
pub(super) fn parse_instant(text: &str, around: Around<'_>) -> Result<Value> {
    let reading = Reading::of(text, "timestamp with time zone", around)?;
    if let Some(special) = reading.special() {
        return Ok(Value::Int(special));
    }
    let local = reading.days().saturating_mul(DAY).saturating_add(reading.micros());
    let seconds = reading.zone.seconds(local, around)?;
    reading.timestamp(seconds).map(Value::Int).ok_or_else(|| out_of_range("timestamp", text))
}
