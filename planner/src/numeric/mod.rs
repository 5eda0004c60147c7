//! PostgreSQL's NUMERIC: any number of digits before and behind the point, a display scale that is each value's own
//! (`3.10` is not shown as `3.1`), NaN and the infinities.
//!
//! A finite value is an integer and the number of its digits that stand behind the point. `arithmetic` has what
//! gives exact results, `scale` PostgreSQL's rules for how many digits a quotient, a root or a logarithm shows,
//! `transcendental` those functions, `key` the text as which a column stores values and by which they are told
//! apart and ordered, `sum` what aggregates keep. `small` computes what 128 bits hold without memory of its own,
//! `divisor` quotients of what 64 bits hold, and `double` casts of doubles.
//!
//! The engine has NUMERICs in two forms. *Decimals* of at most 38 digits, whose scale is in the type, are integers in
//! registers and columns. A *numeric* has any number of digits and a scale of its own, as a quotient, a root or one of
//! several decimals of different scales has; it is text that sorts as the numbers do (`key`).
//!
//! A tree of functions goes column by column, as integers of 128 bits with their scales where these hold the digits
//! (`exec/src/cpu/kernels/numeric_columns.rs`), else value by value, through `evaluate` if need be. Lowering compares,
//! groups, joins and orders numerics by their keys.
//! `relation/builder/expression/exact.rs` goes back to decimals where the scale does not show. A statement whose
//! decimals overflow is bound and run once more with numerics in their place (`engine/src/statement/mod.rs`). A column
//! declared as a bare `numeric` is stored as decimals if all its values show one scale (`exec/src/column/narrow.rs`): the snapshot's
//! fields say decimal then, and `Declared` in `catalog.rs` what was declared.

mod arithmetic;
pub mod divisor;
mod double;
pub mod key;
pub mod powers;
mod scale;
pub mod small;
pub mod sum;
#[cfg(test)]
mod tests;
mod transcendental;

use crate::error::{Error, ErrorKind, Result};
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// Digits behind the point that a value can have.
pub const SCALE_MAX: u32 = 16_383;

/// Digits before the point that a value can have.
const WHOLE_DIGITS_MAX: u64 = 131_072;

/// A number as NUMERIC holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Numeric {
    /// Less than every number.
    NegativeInfinity,
    /// A number: `unscaled` × 10^-`scale`.
    Finite {
        /// The digits.
        unscaled: BigInt,
        /// How many of them are shown behind the point.
        scale: u32,
    },
    /// Greater than every number.
    Infinity,
    /// Equal to itself, and greater than everything else.
    NaN,
}

use Numeric::{Finite, Infinity, NaN, NegativeInfinity};

impl Numeric {
    /// A number of so many digits behind the point.
    pub fn new(unscaled: impl Into<BigInt>, scale: u32) -> Self {
        Finite { unscaled: unscaled.into(), scale }
    }

    /// A whole number.
    pub fn from_integer(integer: impl Into<BigInt>) -> Self {
        Numeric::new(integer, 0)
    }

    /// Zero, shown with so many digits.
    pub fn zero(scale: u32) -> Self {
        Numeric::new(0, scale)
    }

    /// The number that a double's 15 leading digits make (a real's 6), as PostgreSQL casts it.
    pub fn from_double(value: f64, is_real: bool) -> Self {
        if value.is_nan() {
            return NaN;
        }
        if value.is_infinite() {
            return if value > 0.0 { Infinity } else { NegativeInfinity };
        }
        let text = if is_real { format!("{value:.5e}") } else { format!("{value:.14e}") };
        let (mantissa, exponent) = text.split_once('e').expect("{:e} prints an exponent");
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        let exponent: i64 = exponent.parse().expect("{:e} prints a number behind the e");
        parse_digits(mantissa, exponent).expect("a float's digits are a number")
    }

    /// The digits behind the point that are shown; None for what is not finite.
    pub fn scale(&self) -> Option<u32> {
        if let Finite { scale, .. } = self { Some(*scale) } else { None }
    }

    /// The greatest power of ten that is no greater than a number that is finite and not zero.
    pub fn exponent(&self) -> Option<i32> {
        let Finite { unscaled, scale } = self else { return None };
        let exponent = i64::try_from(digits_of(unscaled)).ok()? - 1 - i64::from(*scale);
        if unscaled.is_zero() { None } else { i32::try_from(exponent).ok() }
    }

    /// Words of 64 bits that its digits take.
    pub fn words(&self) -> usize {
        if let Finite { unscaled, .. } = self { words(unscaled) } else { 1 }
    }

    /// Whether this is NaN.
    pub fn is_nan(&self) -> bool {
        *self == NaN
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self, Finite { unscaled, .. } if unscaled.is_zero())
    }

    /// -1, 0 or 1; none for NaN.
    pub fn signum(&self) -> Option<i32> {
        match self {
            NaN => None,
            Infinity => Some(1),
            NegativeInfinity => Some(-1),
            Finite { unscaled, .. } => Some(match unscaled.sign() {
                Sign::Minus => -1,
                Sign::NoSign => 0,
                Sign::Plus => 1,
            }),
        }
    }

    /// The order of SQL: by value, whatever the scales.
    pub fn compare(&self, other: &Numeric) -> Ordering {
        let rank = |numeric: &Numeric| match numeric {
            NegativeInfinity => 0,
            Finite { .. } => 1,
            Infinity => 2,
            NaN => 3,
        };
        match (self, other) {
            (Finite { unscaled: a, scale: a_scale }, Finite { unscaled: b, scale: b_scale }) => {
                match a_scale.cmp(b_scale) {
                    Ordering::Equal => a.cmp(b),
                    Ordering::Less => (a * power_of_ten(b_scale - a_scale)).cmp(b),
                    Ordering::Greater => a.cmp(&(b * power_of_ten(a_scale - b_scale))),
                }
            }
            _ => rank(self).cmp(&rank(other)),
        }
    }

    /// The nearest integer, half away from zero, if 128 bits hold it. Not finite: 0A000, as PostgreSQL has it.
    pub fn to_integer(&self, type_name: &str) -> Result<Option<i128>> {
        match self.round(0) {
            Finite { unscaled, .. } => Ok(unscaled.to_i128()),
            NaN => Err(Error::new(ErrorKind::Unsupported, format!("cannot convert NaN to {type_name}"))),
            _ => Err(Error::new(ErrorKind::Unsupported, format!("cannot convert infinity to {type_name}"))),
        }
    }

    /// The digits at a scale, half away from zero, if 128 bits hold them; None for what is not finite.
    pub fn unscaled_at(&self, scale: u8) -> Option<i128> {
        match self.round(scale.into()) {
            Finite { unscaled, .. } => unscaled.to_i128(),
            _ => None,
        }
    }

    /// The nearest double; infinite beyond the doubles.
    pub fn to_double(&self) -> f64 {
        match self {
            NaN => f64::NAN,
            Infinity => f64::INFINITY,
            NegativeInfinity => f64::NEG_INFINITY,
            Finite { unscaled, scale } => {
                format!("{unscaled}e-{scale}").parse().expect("digits and an exponent are a number")
            }
        }
    }

    /// The nearest real, as a double; infinite beyond the reals.
    pub fn to_real(&self) -> f64 {
        match self {
            Finite { unscaled, scale } => {
                let real: f32 = format!("{unscaled}e-{scale}").parse().expect("digits and an exponent are a number");
                f64::from(real)
            }
            other => other.to_double(),
        }
    }

    /// The number of a text, as PostgreSQL reads it.
    ///
    /// Errors: 22P02 for what is no number, 22003 for one beyond what NUMERIC holds.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid =
            || Error::new(ErrorKind::InvalidText, format!("invalid input syntax for type numeric: \"{text}\""));
        let trimmed = text.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
        let (negative, magnitude) = match trimmed.strip_prefix(['-', '+']) {
            Some(rest) => (trimmed.starts_with('-'), rest),
            None => (false, trimmed),
        };
        match magnitude.to_ascii_lowercase().as_str() {
            "nan" if magnitude.len() == trimmed.len() => return Ok(NaN),
            "inf" | "infinity" => return Ok(if negative { NegativeInfinity } else { Infinity }),
            _ => {}
        }
        let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().map_err(|_| invalid())?),
            None => (magnitude, 0),
        };
        if !mantissa.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Err(invalid());
        }
        if exponent.abs() > i64::from(i32::MAX / 2) {
            return Err(overflow());
        }
        let value = parse_digits(mantissa, exponent).ok_or_else(invalid)?.checked()?;
        Ok(if negative { value.negate() } else { value })
    }

    /// The value, if it has no more digits than NUMERIC can hold, else 22003.
    pub fn checked(self) -> Result<Self> {
        let Finite { unscaled, scale } = &self else { return Ok(self) };
        // Three bits hold less than a digit, so what passes here needs no count.
        if unscaled.bits() / 4 > WHOLE_DIGITS_MAX + u64::from(*scale)
            || (unscaled.bits() / 3 > WHOLE_DIGITS_MAX && digits_of(unscaled) > WHOLE_DIGITS_MAX + u64::from(*scale))
        {
            return Err(overflow());
        }
        Ok(if *scale > SCALE_MAX { self.round(SCALE_MAX.into()) } else { self })
    }
}

/// Words of 64 bits that a number has: a product takes about as many steps as both factors' words multiplied.
fn words(value: &BigInt) -> usize {
    value.bits() as usize / 64 + 1
}

/// 22003 for a number of too many digits.
pub fn overflow() -> Error {
    Error::new(ErrorKind::NumericOverflow, "value overflows numeric format")
}

/// `digits[.digits]`, perhaps with a minus, times 10^exponent; None for anything else.
fn parse_digits(mantissa: &str, exponent: i64) -> Option<Numeric> {
    let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut unscaled = BigInt::parse_bytes(digits.as_bytes(), 10)?;
    let mut scale = fraction.len() as i64 - exponent;
    if scale < 0 {
        if !unscaled.is_zero() {
            // What is beyond every limit need not be computed to be refused.
            unscaled *= power_of_ten(u32::try_from(-scale).ok()?.min(2 * WHOLE_DIGITS_MAX as u32));
        }
        scale = 0;
    }
    if scale > i64::from(SCALE_MAX) {
        let dropped = u32::try_from(scale).ok()? - SCALE_MAX;
        unscaled = if u64::from(dropped) > digits_of(&unscaled) {
            BigInt::zero()
        } else {
            divide_rounded(&unscaled, &power_of_ten(dropped))
        };
        scale = SCALE_MAX.into();
    }
    Some(Numeric::new(if negative { -unscaled } else { unscaled }, scale as u32))
}

/// 10^exponent.
pub(crate) fn power_of_ten(exponent: u32) -> BigInt {
    if exponent <= 38 { BigInt::from(10i128.pow(exponent)) } else { BigInt::from(10u8).pow(exponent) }
}

/// Decimal digits; of zero one.
fn digits_of(value: &BigInt) -> u64 {
    match value.magnitude().to_u128() {
        Some(small) => u64::from(small.checked_ilog10().unwrap_or(0)) + 1,
        None => value.magnitude().to_str_radix(10).len() as u64,
    }
}

/// Quotient rounded half away from zero. The divisor is not zero.
fn divide_rounded(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    let quotient = dividend / divisor;
    let remainder = dividend - &quotient * divisor;
    if (remainder.abs() << 1u8) < divisor.abs() {
        return quotient;
    }
    if (dividend.sign() == Sign::Minus) == (divisor.sign() == Sign::Minus) { quotient + 1 } else { quotient - 1 }
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unscaled, scale) = match self {
            NaN => return f.write_str("NaN"),
            Infinity => return f.write_str("Infinity"),
            NegativeInfinity => return f.write_str("-Infinity"),
            Finite { unscaled, scale } => (unscaled, *scale as usize),
        };
        let sign = if unscaled.sign() == Sign::Minus { "-" } else { "" };
        let digits = unscaled.magnitude().to_str_radix(10);
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let zeros = (scale + 1).saturating_sub(digits.len());
        let digits = "0".repeat(zeros) + &digits;
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

impl From<Numeric> for String {
    fn from(numeric: Numeric) -> Self {
        numeric.to_string()
    }
}

impl TryFrom<String> for Numeric {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Numeric::parse(&text)
    }
}
