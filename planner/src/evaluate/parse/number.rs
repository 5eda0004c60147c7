//! Integers, decimals and floats.

use super::{invalid, is_blank};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::decimal;
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;

/// An optional sign and digits.
pub(super) fn parse_integer(text: &str, data_type: DataType) -> Result<Value> {
    let trimmed = text.trim_matches(is_blank);
    let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid(text, &data_type.to_string()));
    }
    let (low, high) = data_type.integer_bounds().expect("integer types have bounds");
    match trimmed.parse::<i64>() {
        Ok(value) if (low..=high).contains(&i128::from(value)) => Ok(Value::Int(value)),
        _ => {
            let message = format!("value \"{text}\" is out of range for type {data_type}");
            Err(Error::new(ErrorKind::NumericOverflow, message))
        }
    }
}

/// A float, or `NaN`, `Infinity`, `inf` in any case. A number too large, or too small to differ from zero, is
/// an error.
pub(super) fn parse_float(text: &str, data_type: DataType) -> Result<Value> {
    let trimmed = text.trim_matches(is_blank);
    let parsed =
        if data_type == DataType::Real { trimmed.parse::<f32>().map(f64::from) } else { trimmed.parse::<f64>() };
    let value = parsed.map_err(|_| invalid(text, &data_type.to_string()))?;
    let written_as_digits = trimmed.bytes().any(|byte| byte.is_ascii_digit());
    let mantissa = trimmed.split(['e', 'E']).next().unwrap_or(trimmed);
    let is_zero = !mantissa.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    if written_as_digits && (value.is_infinite() || (value == 0.0 && !is_zero)) {
        let message = format!("\"{trimmed}\" is out of range for type {data_type}");
        return Err(Error::new(ErrorKind::NumericOverflow, message));
    }
    Ok(Value::Float(value))
}

/// Digits with an optional point and exponent, rounded half away from zero to the type's scale.
pub(in crate::evaluate) fn parse_decimal(text: &str, data_type: DataType) -> Result<Value> {
    let trimmed = text.trim_matches(is_blank);
    let (negative, unsigned) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    if trimmed.eq_ignore_ascii_case("nan") {
        return Err(decimal::nan());
    }
    if ["infinity", "inf"].iter().any(|special| unsigned.eq_ignore_ascii_case(special)) {
        return Err(Error::new(ErrorKind::NumericOverflow, "numeric field overflow")
            .with_detail("A decimal of so many digits cannot be infinite."));
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent).ok_or_else(|| invalid(text, "numeric"))?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid(text, "numeric"));
    }
    // The unscaled value is the first `kept` digits, zeros behind the last; the digit after them rounds.
    let kept = (whole.len() as i64).saturating_add(exponent).saturating_add(i64::from(data_type.scale()));
    let magnitude = round_digits(digits().map(|byte| byte - b'0'), kept);
    decimal::checked(magnitude.map(|magnitude| if negative { -magnitude } else { magnitude }), data_type)
}

/// An exponent; one of absurd size counts as a billion.
fn parse_exponent(text: &str) -> Option<i64> {
    const LARGE: i64 = 1_000_000_000;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse::<i64>().unwrap_or(LARGE).min(LARGE);
    Some(if text.starts_with('-') { -size } else { size })
}

/// The number that the first `kept` digits make, zeros behind the last one there is, rounded half up by the next;
/// None if it has more than 38 digits.
fn round_digits(mut digits: impl Iterator<Item = u8>, kept: i64) -> Option<i128> {
    let limit = decimal::power_of_ten(DECIMAL_DIGITS_MAX);
    let mut value = 0i128;
    let mut taken = 0i64;
    while taken < kept {
        match digits.next() {
            Some(digit) => value = value.checked_mul(10)?.checked_add(digit.into())?,
            None if value == 0 => return Some(0),
            None => value = value.checked_mul(10)?,
        }
        if value >= limit {
            return None;
        }
        taken += 1;
    }
    let round_up = kept >= 0 && digits.next().is_some_and(|digit| digit >= 5);
    Some(value + i128::from(round_up))
}
