//! Floats: the shortest digits that read back as the same number, set as PostgreSQL sets them (`extra_float_digits` of
//! one and more), or their bits.

use super::Form;
use crate::wire::room::Room;

/// The shortest digits.
pub(super) struct Shortest;

/// The bits, the highest first.
pub(super) struct Bits;

/// Exponents from here on are written as such in a double, and in a real.
const DOUBLE_EXPONENT: i32 = 15;
const REAL_EXPONENT: i32 = 6;

impl Form<f64> for Shortest {
    fn put(&self, value: f64, out: &mut Room<'_>) {
        if value.is_finite() {
            place(zmij::Buffer::new().format_finite(value), DOUBLE_EXPONENT, out);
        } else {
            special(value, out);
        }
    }

    fn is_plain(&self) -> bool {
        true
    }
}

impl Form<f32> for Shortest {
    fn put(&self, value: f32, out: &mut Room<'_>) {
        if value.is_finite() {
            place(zmij::Buffer::new().format_finite(value), REAL_EXPONENT, out);
        } else {
            special(value.into(), out);
        }
    }

    fn is_plain(&self) -> bool {
        true
    }
}

impl Form<f64> for Bits {
    fn put(&self, value: f64, out: &mut Room<'_>) {
        out.put(value.to_be_bytes());
    }
}

impl Form<f32> for Bits {
    fn put(&self, value: f32, out: &mut Room<'_>) {
        out.put(value.to_be_bytes());
    }
}

fn special(value: f64, out: &mut Room<'_>) {
    out.extend_from_slice(if value.is_nan() {
        b"NaN"
    } else if value > 0.0 {
        b"Infinity"
    } else {
        b"-Infinity"
    });
}

/// Digits with a point somewhere and perhaps an exponent, in PostgreSQL's form: plain for exponents from -4 to below
/// `exponent_max`, else one digit before the point and an exponent with its sign and at least two digits.
fn place(printed: &str, exponent_max: i32, out: &mut Room<'_>) {
    let printed = match printed.strip_prefix('-') {
        Some(rest) => {
            out.push(b'-');
            rest
        }
        None => printed,
    };
    let (mantissa, exponent) = printed.split_once('e').unwrap_or((printed, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = [0u8; 400];
    let mut count = 0;
    for digit in whole.bytes().chain(fraction.bytes()).take(digits.len()) {
        digits[count] = digit;
        count += 1;
    }
    // The exponent of the first digit that is not zero.
    let zeros = digits[..count].iter().take_while(|&&digit| digit == b'0').count();
    let exponent = exponent.parse::<i32>().unwrap_or(0) + whole.len() as i32 - 1 - zeros as i32;
    let digits = &digits[zeros..count];
    let digits = &digits[..digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1)];
    let Some((first, others)) = digits.split_first() else { return out.push(b'0') };
    if !(-4..exponent_max).contains(&exponent) {
        out.push(*first);
        if !others.is_empty() {
            out.push(b'.');
            out.extend_from_slice(others);
        }
        let sign = if exponent < 0 { b'-' } else { b'+' };
        out.extend_from_slice(&[b'e', sign]);
        if exponent.abs() < 10 {
            out.push(b'0');
        }
        out.digits(exponent.unsigned_abs().into());
    } else if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.fill(exponent.unsigned_abs() as usize - 1, b'0');
        out.extend_from_slice(digits);
    } else {
        let whole = exponent as usize + 1;
        out.extend_from_slice(&digits[..whole.min(digits.len())]);
        if digits.len() <= whole {
            out.fill(whole - digits.len(), b'0');
        } else {
            out.push(b'.');
            out.extend_from_slice(&digits[whole..]);
        }
    }
}
