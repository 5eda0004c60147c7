//! Literals in the text form: exact, and readable for dates. A literal's type is Integer for digits, Text for a
//! quoted string, a decimal for digits with a point, Double with an exponent, unless `::type` follows.

use crate::evaluate;
use crate::numeric::Numeric;
use crate::types::DataType;
use crate::value::{Interval, Value};

const DAY_MICROS: i64 = 86_400_000_000;

/// The text of a literal, with its type where that is not the default.
pub(super) fn literal_text(value: &Value, data_type: DataType) -> String {
    match (value, data_type) {
        (Value::Null, DataType::Null) => "NULL".to_owned(),
        (Value::Boolean(true), _) => "TRUE".to_owned(),
        (Value::Boolean(false), _) => "FALSE".to_owned(),
        (Value::Int(value), DataType::Integer) => value.to_string(),
        (Value::Int(days), DataType::Date) => match date_text(*days) {
            Some(date) => format!("date '{date}'"),
            None => format!("{days}::date"),
        },
        (Value::Int(micros), DataType::Timestamp) => match date_text(micros.div_euclid(DAY_MICROS)) {
            Some(date) => format!("timestamp '{date} {}'", time_text(micros.rem_euclid(DAY_MICROS))),
            None => format!("{micros}::timestamp"),
        },
        (Value::Int(value), _) => format!("{value}::{data_type}"),
        (Value::Float(value), _) if !value.is_finite() => format!("'{value}'::{data_type}"),
        (Value::Float(value), DataType::Double) => format!("{value:e}"),
        (Value::Float(value), _) => format!("{value:e}::{data_type}"),
        (Value::Decimal(unscaled), _) => {
            let text = decimal_text(*unscaled, data_type.scale());
            if data_type.scale() > 0 && decimal_type(*unscaled, data_type.scale()) == data_type {
                text
            } else {
                format!("{text}::{data_type}")
            }
        }
        (Value::Numeric(number), _) => format!("'{number}'::numeric"),
        (Value::Text(text), DataType::Text) => quote(text),
        (Value::Text(text), _) => format!("{}::{data_type}", quote(text)),
        (Value::Interval(Interval { months, days, micros }), _) => format!("interval '{months} {days} {micros}'"),
        (vector @ Value::Vector(_), _) => format!("'{}'::{data_type}", evaluate::format(vector, data_type)),
        (Value::Null, _) => format!("NULL::{data_type}"),
    }
}

/// The shortest decimal type that holds an unscaled number of this scale.
pub(super) fn decimal_type(unscaled: i128, scale: u8) -> DataType {
    let digits = unscaled.unsigned_abs().checked_ilog10().map_or(1, |log| log as u8 + 1);
    DataType::decimal(digits.max(scale).clamp(1, 38), scale)
}

/// A literal with another type than its default, if it can have it.
pub(super) fn retype(value: Value, from: DataType, to: DataType) -> Option<Value> {
    match value {
        Value::Int(value) if to.is_decimal() && to.scale() == 0 => Some(Value::Decimal(value.into())),
        Value::Decimal(_) => (to.is_decimal() && to.scale() == from.scale()).then_some(value),
        Value::Text(text) if to == DataType::Numeric => Numeric::parse(&text).ok().map(Value::numeric),
        Value::Text(text) if to.is_vector() => evaluate::parse(&text, to).ok(),
        Value::Text(text) if to.is_float() => text.parse().ok().map(Value::Float),
        value => value.fits(to).then_some(value),
    }
}

/// The value of `date '…'`, `timestamp '…'` or `interval '…'`.
pub(super) fn typed_literal(data_type: DataType, text: &str) -> Option<Value> {
    match data_type {
        DataType::Date => date_of(text).map(Value::Int),
        DataType::Timestamp => {
            let (date, time) = text.split_once(' ').unwrap_or((text, "00:00:00"));
            let micros = date_of(date)?.checked_mul(DAY_MICROS)?.checked_add(time_of(time)?)?;
            Some(Value::Int(micros))
        }
        DataType::Interval => {
            let mut parts = text.split(' ');
            let (months, days, micros) = (parts.next()?, parts.next()?, parts.next()?);
            let interval =
                Interval { months: months.parse().ok()?, days: days.parse().ok()?, micros: micros.parse().ok()? };
            Some(Value::Interval(interval))
        }
        _ => None,
    }
}

/// A text in single quotes, quotes in it doubled, line ends and backslashes escaped (a program has one node a line).
fn quote(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\'', "''");
    format!("'{escaped}'")
}

fn decimal_text(unscaled: i128, scale: u8) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = usize::from(scale) + 1);
    let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
    let point = if scale == 0 { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

fn time_text(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    let fraction = micros % 1_000_000;
    let point = if fraction == 0 { String::new() } else { format!(".{fraction:06}") };
    format!("{:02}:{:02}:{:02}{point}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn time_of(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.split(':').map(|part| part.parse::<i64>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let micros: i64 = format!("{fraction:0<6}").parse().ok()?;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros)
}

/// Year, month and day, for years 0 to 9999 (Hinnant's days-to-civil).
fn date_text(days: i64) -> Option<String> {
    let shifted = days.checked_add(719_468)?;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_shifted + 2) / 5 + 1;
    let month = if month_shifted < 10 { month_shifted + 3 } else { month_shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (0..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

fn date_of(text: &str) -> Option<i64> {
    let mut parts = text.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_read_back() {
        for days in [-719_468, -1, 0, 59, 60, 10_470, 19_782, 2_932_896] {
            let text = date_text(days).expect("a year of four digits");
            assert_eq!(date_of(&text), Some(days), "{text}");
        }
        assert_eq!(date_text(10_471).as_deref(), Some("1998-09-02"));
        assert_eq!(date_text(i64::MAX), None);
    }

    #[test]
    fn decimals_show_their_scale() {
        assert_eq!(
            literal_text(&Value::Decimal(-5), DataType::decimal(2, 2)),
            "-0.05::decimal(2,2)".replace("::decimal(2,2)", "")
        );
        assert_eq!(literal_text(&Value::Decimal(5), DataType::decimal(15, 2)), "0.05::decimal(15,2)");
        assert_eq!(literal_text(&Value::Decimal(7), DataType::decimal(1, 0)), "7::decimal(1,0)");
        assert_eq!(literal_text(&Value::Decimal(i128::MIN), DataType::decimal(38, 0)).len(), 40 + 15);
    }
}
