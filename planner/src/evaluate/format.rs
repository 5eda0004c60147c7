//! Values as text, as PostgreSQL prints them.

use super::calendar::{
    Civil, HOUR, MINUTE, SECOND, civil_from_days, is_infinite_date, is_infinite_timestamp, split_timestamp,
};
use super::decimal::power_of_ten;
use crate::types::DataType;
use crate::value::{Interval, Value};
use std::fmt::Write;

/// The text of a value as a result shows it; empty for NULL.
pub(super) fn format_value(value: &Value, data_type: DataType) -> String {
    match (value, data_type) {
        (Value::Null, _) => String::new(),
        (value, logical) if logical.is_logical() => super::logical::show(value, logical, super::UTC),
        (Value::Boolean(value), _) => if *value { "t" } else { "f" }.to_owned(),
        (Value::Int(days), DataType::Date) => format_date(*days),
        (Value::Int(micros), DataType::Time) => format_time(*micros),
        (Value::Int(micros), DataType::Timestamp) => format_timestamp(*micros),
        (Value::Int(value), _) => value.to_string(),
        (Value::Float(value), DataType::Real) => format_real(*value as f32),
        (Value::Float(value), _) => format_double(*value),
        (Value::Decimal(value), data_type) => format_decimal(*value, data_type.scale()),
        (Value::Text(text), DataType::BPCHAR) => text.to_string(),
        (Value::Numeric(number), _) => number.to_string(),
        (Value::Text(text), DataType::Char(length)) => pad(text, length as usize),
        (Value::Text(text), _) => text.to_string(),
        (Value::Interval(interval), _) => format_interval(*interval),
        (Value::Vector(elements), vector) => {
            let (of, _) = vector.vector_of().unwrap_or((DataType::Double, 0));
            super::vector::text::show(elements, of)
        }
    }
}

/// Blanks up to a char's length. A formatting width would not do: it ends at 65,535.
fn pad(text: &str, length: usize) -> String {
    let missing = length.saturating_sub(text.chars().count());
    text.to_owned() + &" ".repeat(missing)
}

/// All digits of the scale are shown: 1.50.
pub fn format_decimal(value: i128, scale: u8) -> String {
    let digits = value.unsigned_abs();
    let sign = if value < 0 { "-" } else { "" };
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    let unit = power_of_ten(scale).unsigned_abs();
    format!("{sign}{}.{:0width$}", digits / unit, digits % unit, width = usize::from(scale))
}

/// The shortest text that reads back as this double.
pub fn format_double(value: f64) -> String {
    special_float(value).unwrap_or_else(|| place_point(&format!("{value:e}"), 15))
}

/// The shortest text that reads back as this real.
pub fn format_real(value: f32) -> String {
    special_float(f64::from(value)).unwrap_or_else(|| place_point(&format!("{value:e}"), 6))
}

fn special_float(value: f64) -> Option<String> {
    if value.is_nan() {
        Some("NaN".to_owned())
    } else if value.is_infinite() {
        Some(if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned())
    } else {
        None
    }
}

/// From Rust's `1.25e-7` to PostgreSQL's form: plain digits for exponents from -4 to below `exponent_max`,
/// else an exponent with a sign and at least two digits.
fn place_point(scientific: &str, exponent_max: i32) -> String {
    let (mantissa, exponent) = scientific.split_once('e').expect("{:e} prints an exponent");
    let exponent: i32 = exponent.parse().expect("{:e} prints a number behind the e");
    if !(-4..exponent_max).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        format!("{sign}{digits:0<whole$}")
    } else {
        format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
    }
}

/// `1998-12-01`, and ` BC` behind years before 1.
pub fn format_date(days: i64) -> String {
    if is_infinite_date(days) {
        return infinity(days);
    }
    let (text, suffix) = date_and_era(days);
    text + suffix
}

fn infinity(value: i64) -> String {
    if value > 0 { "infinity" } else { "-infinity" }.to_owned()
}

fn date_and_era(days: i64) -> (String, &'static str) {
    let Civil { year, month, day } = civil_from_days(days);
    let (year, suffix) = if year > 0 { (year, "") } else { (1 - year, " BC") };
    (format!("{year:04}-{month:02}-{day:02}"), suffix)
}

/// `04:05:06.5`, without trailing zeros.
pub fn format_time(micros: i64) -> String {
    let mut text = String::new();
    write_time(&mut text, micros.unsigned_abs());
    text
}

/// `1998-12-01 04:05:06.5`.
pub fn format_timestamp(micros: i64) -> String {
    if is_infinite_timestamp(micros) {
        return infinity(micros);
    }
    let (days, time) = split_timestamp(micros);
    let (date, suffix) = date_and_era(days);
    format!("{date} {}{suffix}", format_time(time))
}

fn write_time(text: &mut String, micros: u64) {
    let (hour, minute, second) = (HOUR.unsigned_abs(), MINUTE.unsigned_abs(), SECOND.unsigned_abs());
    write!(text, "{:02}:{:02}:{:02}", micros / hour, micros % hour / minute, micros % minute / second)
        .expect("a String can be written to");
    let fraction = micros % second;
    if fraction != 0 {
        let digits = format!("{fraction:06}");
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
}

/// `1 year 2 mons 3 days 04:05:06.5`. A part behind a negative one shows its plus sign.
pub fn format_interval(interval: Interval) -> String {
    let mut text = String::new();
    let mut after_negative = false;
    let parts = [(interval.months / 12, "year"), (interval.months % 12, "mon"), (interval.days, "day")];
    for (count, unit) in parts {
        if count == 0 {
            continue;
        }
        let space = if text.is_empty() { "" } else { " " };
        let plus = if after_negative && count > 0 { "+" } else { "" };
        let plural = if count == 1 { "" } else { "s" };
        write!(text, "{space}{plus}{count} {unit}{plural}").expect("a String can be written to");
        after_negative = count < 0;
    }
    if text.is_empty() || interval.micros != 0 {
        if !text.is_empty() {
            text.push(' ');
        }
        if interval.micros < 0 {
            text.push('-');
        } else if after_negative {
            text.push('+');
        }
        write_time(&mut text, interval.micros.unsigned_abs());
    }
    text
}
