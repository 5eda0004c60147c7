//! Literals: numbers, strings, typed strings, intervals, parameters.
//!
//! A number without point and exponent is an integer, a bigint or a decimal, whichever is the first to hold it.
//! One with a point or an exponent is a decimal of just its digits: `1.5` is decimal(2,1); one of more than 38 digits
//! is numeric.

use super::{exact, fold};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate;
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;
use std::sync::Arc;

/// Parameters that a statement may have, as in PostgreSQL's protocol.
const PARAMETERS_MAX: u32 = 65_535;

impl Builder<'_> {
    /// `$number`, from 1; 42P02 where no statement can have so many.
    pub fn parameter(&mut self, number: u32) -> Result<Expression> {
        if let Some(arguments) = &self.arguments {
            let argument = (number as usize).checked_sub(1).and_then(|index| arguments.get(index));
            let unknown = || Error::new(ErrorKind::UnknownParameter, format!("there is no parameter ${number}"));
            return argument.cloned().ok_or_else(unknown);
        }
        if !(1..=PARAMETERS_MAX).contains(&number) {
            return Err(Error::new(ErrorKind::UnknownParameter, format!("there is no parameter ${number}")));
        }
        if self.parameters.len() < number as usize {
            self.parameters.resize(number as usize, None);
        }
        let index = number - 1;
        let data_type = self.parameters[index as usize].unwrap_or(DataType::Null);
        if data_type != DataType::Null
            && let Some(value) = self.catalog.value_of_parameter(index as usize)
        {
            return Ok(Expression::constant(value, data_type));
        }
        Ok(Expression::new(ExpressionKind::Parameter(index), data_type))
    }

    /// How the session writes intervals.
    pub fn interval_style(&self) -> crate::function::IntervalStyle {
        self.catalog.interval_style()
    }

    /// A number as it is written, perhaps with a sign: an integer, a decimal of just its digits or a numeric.
    pub fn number(&self, text: &str) -> Result<Expression> {
        number(text)
    }
}

/// A string in quotes: its type is what it meets.
pub fn text(text: &str) -> Expression {
    unknown(Value::text(text))
}

/// NULL, of no type yet.
pub fn null() -> Expression {
    unknown(Value::Null)
}

/// A literal whose type is not known yet.
pub(super) fn unknown(value: Value) -> Expression {
    Expression::new(ExpressionKind::Constant(value), DataType::Null)
}

/// The text of a string literal of unknown type.
pub(super) fn unknown_text(expression: &Expression) -> Option<&Arc<str>> {
    match fold::constant(expression) {
        Some(Value::Text(text)) if expression.data_type == DataType::Null => Some(text),
        _ => None,
    }
}

/// A number as it stands in the text.
pub(super) fn number(text: &str) -> Result<Expression> {
    let text = text.replace('_', "");
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text.as_str(), None),
    };
    if exponent.is_none()
        && let Ok(integer) = mantissa.parse::<i64>()
    {
        let data_type = if i32::try_from(integer).is_ok() { DataType::Integer } else { DataType::BigInt };
        return Ok(Expression::constant(Value::Int(integer), data_type));
    }
    let shift = exponent.map_or(Ok(0), str::parse);
    if let Some(decimal) = shift.ok().and_then(|shift| exact_decimal(mantissa, shift)) {
        return Ok(decimal);
    }
    exact::wide_literal(&text)
}

/// `mantissa × 10^exponent` as a decimal of just its digits, if 38 are enough. The mantissa is digits, perhaps with
/// a sign in front and a point among them.
fn exact_decimal(mantissa: &str, exponent: i64) -> Option<Expression> {
    let (negative, mantissa) = match mantissa.strip_prefix(['-', '+']) {
        Some(rest) => (mantissa.starts_with('-'), rest),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut unscaled: i128 = 0;
    for digit in digits() {
        unscaled = unscaled.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    let mut scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    if unscaled == 0 {
        scale = scale.clamp(0, DECIMAL_DIGITS_MAX.into());
    }
    if scale < 0 {
        let factor = 10i128.checked_pow(u32::try_from(-scale).ok()?)?;
        unscaled = unscaled.checked_mul(factor)?;
        scale = 0;
    }
    let scale = u8::try_from(scale).ok()?;
    let precision = digits_of(unscaled).max(scale).max(1);
    if precision > DECIMAL_DIGITS_MAX {
        return None;
    }
    let value = Value::Decimal(if negative { -unscaled } else { unscaled });
    Some(Expression::constant(value, DataType::decimal(precision, scale)))
}

/// Decimal digits of a number, at least one.
pub(super) fn digits_of(number: i128) -> u8 {
    evaluate::decimal::digits_of(number.unsigned_abs())
}

/// A literal that meets a decimal: an integer, or a string that reads as a number, becomes a decimal of just its
/// digits, so that neither digits before the point are made up nor digits after it lost; numeric if these are too many.
/// All else is as it was.
///
/// Errors: 22P02 for a string that is no number.
pub(super) fn as_decimal_literal(expression: Expression) -> Result<Expression> {
    let position = expression.position;
    if let Some(text) = unknown_text(&expression) {
        let trimmed = text.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
        let (mantissa, exponent) = trimmed.split_once(['e', 'E']).unwrap_or((trimmed, "0"));
        let decimal = exponent.parse().ok().and_then(|exponent| exact_decimal(mantissa, exponent));
        let literal = decimal.map_or_else(|| exact::wide_literal(text), Ok);
        return literal.map(|literal| literal.at(position)).map_err(|error| error.at(position));
    }
    match fold::constant(&expression) {
        Some(Value::Int(integer)) if expression.data_type.is_integer() => {
            let integer = i128::from(*integer);
            Ok(decimal_constant(integer, 0, position))
        }
        _ => Ok(expression),
    }
}

/// A text of no known type that meets a decimal, likewise; all else is as it was.
pub(in crate::relation::builder) fn text_as_decimal(expression: Expression) -> Result<Expression> {
    if unknown_text(&expression).is_some() { as_decimal_literal(expression) } else { Ok(expression) }
}

/// A decimal literal of just its digits.
pub(super) fn decimal_constant(unscaled: i128, scale: u8, position: Option<Position>) -> Expression {
    let precision = digits_of(unscaled).max(scale).min(DECIMAL_DIGITS_MAX);
    Expression::constant(Value::Decimal(unscaled), DataType::decimal(precision, scale)).at(position)
}
