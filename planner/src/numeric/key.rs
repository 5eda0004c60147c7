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
use super::powers;
use super::small::{SmallNumeric, multiplied};
use crate::error::{Error, Result};
use crate::meter;
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// The exponent that stands for 10^0.
const EXPONENT_ZERO: i64 = 500_000;

/// Digits of an exponent in the text.
const EXPONENT_DIGITS: usize = 6;

/// Digits of a scale in the text.
const SCALE_DIGITS: usize = 5;

/// Digits that 64 bits hold whatever they are.
const U64_DIGITS: usize = 19;

/// Digits of a number of 128 bits, at most.
const DIGITS_MAX: usize = 39;

/// Bytes of the text of a number of so many digits.
const TEXT_MAX: usize = DIGITS_MAX + EXPONENT_DIGITS + SCALE_DIGITS + 2;

/// Bytes of most numbers' text.
const TEXT_BYTES: usize = 32;

impl Numeric {
    /// The text that a column stores.
    pub fn encode(&self) -> String {
        let mut text = String::with_capacity(TEXT_BYTES);
        self.encode_into(&mut text);
        text
    }

    /// Appends the text that a column stores.
    pub fn encode_into(&self, text: &mut String) {
        match self {
            NegativeInfinity => text.push('A'),
            Infinity => text.push('E'),
            NaN => text.push('F'),
            Finite { unscaled, scale } => match unscaled.magnitude().to_u128() {
                Some(small) => encode_small(unscaled.sign(), small, *scale, text),
                None => {
                    let digits = unscaled.magnitude().to_str_radix(10);
                    encode_finite(unscaled.sign(), digits.as_bytes(), *scale, text);
                }
            },
        }
    }

    /// The number of a text that [`Numeric::encode`] made.
    pub fn decode(text: &str) -> Result<Numeric> {
        // Digits become a number by as many steps as they have words, squared.
        meter::spend((text.len() / 16).pow(2))?;
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

    /// Appends the digits that a number shows, of a text that [`Numeric::encode`] made; false, and nothing, of any other text.
    pub fn show_encoded(text: &str, shown: &mut String) -> bool {
        let special = match text {
            "A" => NegativeInfinity,
            "E" => Infinity,
            "F" => NaN,
            _ => return show_finite(text, shown).is_some(),
        };
        shown.push_str(&special.to_string());
        true
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

impl SmallNumeric {
    /// The text that a column stores.
    pub fn encode(self) -> String {
        let mut text = String::new();
        self.encode_into(&mut text);
        text
    }

    /// Appends the text that a column stores.
    pub fn encode_into(self, text: &mut String) {
        let sign = match self.unscaled.cmp(&0) {
            Ordering::Less => Sign::Minus,
            Ordering::Equal => Sign::NoSign,
            Ordering::Greater => Sign::Plus,
        };
        encode_small(sign, self.unscaled.unsigned_abs(), self.scale, text);
    }

    /// The number of a text that `encode` made; None of what is not finite, and of more digits than 128 bits hold.
    pub fn decode(text: &str) -> Option<Self> {
        let (key, [b' ', scale @ ..]) = text.as_bytes().split_last_chunk::<{ 1 + SCALE_DIGITS }>()? else {
            return None;
        };
        let scale = number_of(scale)? as u32;
        let (&kind, rest) = key.split_first()?;
        let mut complemented = [0; DIGITS_MAX + EXPONENT_DIGITS];
        let digits = match kind {
            b'B' => {
                let rest = rest.strip_suffix(b"~")?;
                let complemented = complemented.get_mut(..rest.len())?;
                complemented.iter_mut().zip(rest).for_each(|(digit, &from)| *digit = complement_of(from));
                &*complemented
            }
            b'C' => return Some(SmallNumeric::new(0, scale)),
            _ => rest,
        };
        let (exponent, digits) = digits.split_at_checked(EXPONENT_DIGITS)?;
        let exponent = number_of(exponent)? as i64 - EXPONENT_ZERO;
        let zeros = u32::try_from(exponent + i64::from(scale) - digits.len() as i64).ok()?;
        let (head, tail) = digits.split_at(digits.len().saturating_sub(U64_DIGITS));
        let mut magnitude = i128::from(number_of(tail)?);
        if !head.is_empty() {
            // 39 digits may be too many.
            let power = 10i128.pow(U64_DIGITS as u32);
            magnitude = i128::from(number_of(head)?).checked_mul(power)?.checked_add(magnitude)?;
        }
        if zeros > 0 {
            magnitude = multiplied(magnitude, powers::power_of_ten(zeros)?)?;
        }
        Some(SmallNumeric::new(if kind == b'B' { -magnitude } else { magnitude }, scale))
    }
}

/// The key of a text that [`Numeric::encode`] made: what stands before the blank.
pub fn key_of_encoded(text: &str) -> &str {
    match text.len().checked_sub(1 + SCALE_DIGITS) {
        Some(end) if text.as_bytes()[end] == b' ' => &text[..end],
        _ => text,
    }
}

/// The number, with as few digits behind the point as it needs, of a text that [`Numeric::key`] made; None of other texts, and
/// of numbers that are not finite.
pub fn number_of_key(key: &str) -> Option<Numeric> {
    let (kind, rest) = (key.as_bytes().first()?, key.get(1..)?);
    let digits = match kind {
        b'B' => complement(rest.strip_suffix('~')?),
        b'C' if rest.is_empty() => return Some(Numeric::zero(0)),
        b'D' => rest.to_owned(),
        _ => return None,
    };
    let (exponent, digits) = digits.split_at_checked(EXPONENT_DIGITS)?;
    if digits.is_empty() || digits.ends_with('0') || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let exponent = number_of(exponent.as_bytes())? as i64 - EXPONENT_ZERO;
    let scale = u32::try_from((digits.len() as i64 - exponent).max(0)).ok()?;
    let number = Numeric::decode(&format!("{key} {scale:0width$}", width = SCALE_DIGITS)).ok()?;
    // Other texts may be read, too, but are no keys.
    (number.key() == key).then_some(number)
}

/// As [`Numeric::show_encoded`], of a finite number: the digits are those of the text, the point stands where the exponent says.
fn show_finite(text: &str, shown: &mut String) -> Option<()> {
    let (key, scale) = text.split_once(' ')?;
    let scale = number_of(scale.as_bytes())? as usize;
    let (kind, rest) = (key.as_bytes().first()?, key.get(1..)?);
    let complemented: String;
    let (sign, rest) = match kind {
        b'B' => {
            complemented = complement(rest.strip_suffix('~')?);
            ("-", complemented.as_str())
        }
        b'C' => ("", "500000"),
        b'D' => ("", rest),
        _ => return None,
    };
    let (exponent, digits) = rest.split_at_checked(EXPONENT_DIGITS)?;
    let exponent = number_of(exponent.as_bytes())? as i64 - EXPONENT_ZERO;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let whole = usize::try_from(exponent).unwrap_or(0);
    let (before, behind) = digits.split_at(whole.min(digits.len()));
    let zeros = if behind.is_empty() { 0 } else { usize::try_from(-exponent).unwrap_or(0) };
    let padding = scale.checked_sub(zeros)?.checked_sub(behind.len())?;
    shown.push_str(sign);
    shown.push_str(if whole == 0 { "0" } else { before });
    push_zeros(whole - before.len(), shown);
    if scale > 0 {
        shown.push('.');
        push_zeros(zeros, shown);
        shown.push_str(behind);
        push_zeros(padding, shown);
    }
    Some(())
}

fn push_zeros(mut count: usize, text: &mut String) {
    const ZEROS: &str = "00000000000000000000000000000000";
    while count > 0 {
        let now = count.min(ZEROS.len());
        text.push_str(&ZEROS[..now]);
        count -= now;
    }
}

/// The number of at most [`U64_DIGITS`] digits.
fn number_of(digits: &[u8]) -> Option<u64> {
    if digits.len() > U64_DIGITS {
        return None;
    }
    let (eights, rest) = digits.as_chunks::<8>();
    let number = eights.iter().try_fold(0, |number, eight| Some(number * 100_000_000 + number_of_eight(*eight)?))?;
    rest.iter().try_fold(number, |number, &digit| digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0')))
}

/// The number of eight digits: those at even places make pairs with their neighbours, these fours, these all.
fn number_of_eight(digits: [u8; 8]) -> Option<u64> {
    let bytes = u64::from_le_bytes(digits);
    // A digit's upper half is 3, and stays so with 6 more.
    let (own, more) =
        (bytes & 0xF0F0_F0F0_F0F0_F0F0, bytes.wrapping_add(0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0);
    if own != 0x3030_3030_3030_3030 || more != own {
        return None;
    }
    let units = bytes & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = (units * 10 + (units >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    Some((fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF)
}

fn encode_small(sign: Sign, magnitude: u128, scale: u32, text: &mut String) {
    let mut buffer = [b'0'; DIGITS_MAX];
    let mut start = DIGITS_MAX;
    let mut put = |mut number: u64, end: usize| {
        let mut start = end;
        while number >= 10 {
            start -= 2;
            buffer[start..start + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
            number /= 100;
        }
        if number > 0 {
            start -= 1;
            buffer[start] = b'0' + number as u8;
        }
        start
    };
    let power = 10u128.pow(U64_DIGITS as u32);
    let mut rest = magnitude;
    let mut end = DIGITS_MAX;
    while rest > 0 {
        let (more, part) = if rest < power { (0, rest) } else { (rest / power, rest % power) };
        start = put(part as u64, end);
        (rest, end) = (more, end - U64_DIGITS.min(end));
    }
    encode_finite(sign, &buffer[start..], scale, text);
}

/// The digits of the numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < pairs.len() {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Of a number's digits: none, or the first is not 0.
fn encode_finite(sign: Sign, digits: &[u8], scale: u32, text: &mut String) {
    let exponent = places::<EXPONENT_DIGITS>((EXPONENT_ZERO + digits.len() as i64 - i64::from(scale)) as u64);
    let zeros = digits.iter().rev().take_while(|&&digit| digit == b'0').count();
    let significant = &digits[..digits.len() - zeros];
    match sign {
        Sign::NoSign => text.push('C'),
        Sign::Plus if significant.len() <= DIGITS_MAX => {
            // At once, as most are.
            let mut all = [b'D'; TEXT_MAX];
            let digits_end = 1 + EXPONENT_DIGITS + significant.len();
            all[1..=EXPONENT_DIGITS].copy_from_slice(&exponent);
            all[1 + EXPONENT_DIGITS..digits_end].copy_from_slice(significant);
            all[digits_end] = b' ';
            all[digits_end + 1..][..SCALE_DIGITS].copy_from_slice(&places::<SCALE_DIGITS>(scale.into()));
            return push_digits(&all[..digits_end + 1 + SCALE_DIGITS], text);
        }
        Sign::Plus => {
            text.push('D');
            push_digits(&exponent, text);
            push_digits(significant, text);
        }
        Sign::Minus => {
            text.push('B');
            text.extend(exponent.iter().chain(significant).map(|&digit| char::from(complement_of(digit))));
            text.push('~');
        }
    }
    text.push(' ');
    push_digits(&places::<SCALE_DIGITS>(scale.into()), text);
}

/// Appends digits as they are.
fn push_digits(digits: &[u8], text: &mut String) {
    text.push_str(std::str::from_utf8(digits).expect("digits are ASCII"));
}

/// A number in so many digits.
fn places<const N: usize>(mut number: u64) -> [u8; N] {
    let mut digits = [b'0'; N];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    digits
}

/// A digit's difference to nine.
fn complement_of(digit: u8) -> u8 {
    b'9'.wrapping_sub(digit).wrapping_add(b'0')
}

/// Each digit's difference to nine.
fn complement(digits: &str) -> String {
    digits.bytes().map(|digit| char::from(complement_of(digit))).collect()
}
