//! Numbers as text that sorts as they do. It is how a column stores them, and its key, the part in front of the blank,
//! is the same for numbers that are equal: `3.1` and `3.10` differ behind it alone.
//!
//! | number | text |
//! |---|---|
//! | -Infinity | `A` |
//! | negative | `B`, the exponent's and each digit's difference to nines, `~` |
//! | 0 | `C` |
//! | positive | `D`, the exponent in six digits (500000 is 0), the digits without zeros behind |
//! | Infinity, NaN | `E`, `F` |
//!
//! A number is 0.digits × 10^exponent. Behind the key of a finite number stand a blank, which is less than what may
//! go on with a key, and the scale in five digits, so that among equal ones the less precise comes first.

use super::Numeric::{self, Finite, Infinity, NaN, NegativeInfinity};
use super::power_of_ten;
use crate::error::{Error, Result};
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

/// The exponent that stands for 10^0.
const EXPONENT_ZERO: i64 = 500_000;

/// Digits of an exponent in the text.
const EXPONENT_DIGITS: usize = 6;

impl Numeric {
    /// The text that a column stores.
    pub fn encode(&self) -> String {
        let mut text = String::with_capacity(24);
        match self {
            NegativeInfinity => text.push('A'),
            Infinity => text.push('E'),
            NaN => text.push('F'),
            Finite { unscaled, scale } => {
                encode_finite(unscaled, *scale, &mut text);
                text.push(' ');
                text.push_str(&format!("{scale:05}"));
            }
        }
        text
    }

    /// The number of a text that [`Numeric::encode`] made.
    pub fn decode(text: &str) -> Result<Numeric> {
        let bug = || Error::internal(format!("\"{text}\" is no stored number"));
        let (key, scale) = text.split_once(' ').unwrap_or((text, ""));
        let mut rest = key.chars();
        let kind = rest.next().ok_or_else(bug)?;
        match kind {
            'A' => return Ok(NegativeInfinity),
            'E' => return Ok(Infinity),
            'F' => return Ok(NaN),
            _ => {}
        }
        let scale: u32 = scale.parse().map_err(|_| bug())?;
        let complemented: String;
        let digits = match kind {
            'B' => {
                complemented = complement(rest.as_str().trim_end_matches('~'));
                complemented.as_str()
            }
            'C' => return Ok(Numeric::zero(scale)),
            'D' => rest.as_str(),
            _ => return Err(bug()),
        };
        let (exponent, digits) = digits.split_at_checked(EXPONENT_DIGITS).ok_or_else(bug)?;
        let exponent = exponent.parse::<i64>().map_err(|_| bug())? - EXPONENT_ZERO;
        let zeros = exponent + i64::from(scale) - digits.len() as i64;
        let zeros = u32::try_from(zeros).map_err(|_| bug())?;
        let magnitude = match digits.parse::<i128>() {
            Ok(small) => BigInt::from(small),
            Err(_) => BigInt::parse_bytes(digits.as_bytes(), 10).ok_or_else(bug)?,
        };
        let magnitude = if zeros == 0 { magnitude } else { magnitude * power_of_ten(zeros) };
        Ok(Numeric::new(if kind == 'B' { -magnitude } else { magnitude }, scale))
    }

    /// The integer and the scale of a text that [`Numeric::encode`] made; None of what is not finite, and of more digits
    /// than 128 bits hold.
    pub fn decode_narrow(text: &str) -> Option<(i128, u32)> {
        let (key, scale) = text.split_once(' ')?;
        let scale: u32 = scale.parse().ok()?;
        let (kind, rest) = key.split_at_checked(1)?;
        let complemented: String;
        let digits = match kind {
            "B" => {
                complemented = complement(rest.trim_end_matches('~'));
                complemented.as_str()
            }
            "C" => return Some((0, scale)),
            _ => rest,
        };
        let (exponent, digits) = digits.split_at_checked(EXPONENT_DIGITS)?;
        let exponent = exponent.parse::<i64>().ok()? - EXPONENT_ZERO;
        let zeros = u32::try_from(exponent + i64::from(scale) - digits.len() as i64).ok()?;
        let magnitude = digits.parse::<i128>().ok()?.checked_mul(10i128.checked_pow(zeros)?)?;
        Some((if kind == "B" { -magnitude } else { magnitude }, scale))
    }

    /// The text by which numbers are told apart and ordered, whatever their scales.
    pub fn key(&self) -> String {
        let mut text = self.encode();
        if let Some(end) = text.find(' ') {
            text.truncate(end);
        }
        text
    }
}

fn encode_finite(unscaled: &BigInt, scale: u32, text: &mut String) {
    let digits = match unscaled.magnitude().to_u128() {
        Some(small) => small.to_string(),
        None => unscaled.magnitude().to_str_radix(10),
    };
    let exponent = EXPONENT_ZERO + digits.len() as i64 - i64::from(scale);
    let significant = digits.trim_end_matches('0');
    match unscaled.sign() {
        Sign::NoSign => text.push('C'),
        Sign::Plus => {
            text.push('D');
            text.push_str(&format!("{exponent:06}"));
            text.push_str(significant);
        }
        Sign::Minus => {
            text.push('B');
            text.push_str(&complement(&format!("{exponent:06}")));
            text.push_str(&complement(significant));
            text.push('~');
        }
    }
}

/// Each digit's difference to nine.
fn complement(digits: &str) -> String {
    digits.bytes().map(|digit| char::from(b'9'.wrapping_sub(digit).wrapping_add(b'0'))).collect()
}
