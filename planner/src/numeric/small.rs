//! Numbers whose digits 128 bits hold, without memory of their own: what most are. Each function gives what [`Numeric`]'s
//! of the same name gives, or None where the result, or something on the way to it, might not fit; then `Numeric`'s is
//! asked.

use super::powers::{log10, power_of_ten};
use super::scale::{DIGITS, SHOWN_MAX, SIGNIFICANT_MIN};
use super::{Numeric, SCALE_MAX};
use num_traits::ToPrimitive;
use std::cmp::Ordering;
use std::fmt;

/// Integers that a double holds exactly, and so many powers of ten: their quotient is the nearest double.
const EXACT_INTEGER_MAX: u128 = 1 << 53;
const EXACT_POWER_MAX: u32 = 22;

/// A finite number: `unscaled` × 10^-`scale`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmallNumeric {
    /// The digits.
    pub unscaled: i128,
    /// How many of them are shown behind the point.
    pub scale: u32,
}

/// The product, which takes less where 64 bits hold both.
#[inline]
pub(super) fn multiplied(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b),
    }
}

/// Quotient rounded half away from zero.
#[inline]
fn divide_rounded(dividend: i128, divisor: i128) -> Option<i128> {
    if let (Ok(magnitude), Ok(by @ 1..)) = (u64::try_from(dividend.unsigned_abs()), u64::try_from(divisor)) {
        let (quotient, remainder) = (magnitude / by, magnitude % by);
        let rounded = i128::from(quotient) + i128::from(remainder >= by - remainder);
        return Some(if dividend < 0 { -rounded } else { rounded });
    }
    let quotient = dividend.checked_div(divisor)?;
    let remainder = (dividend - quotient * divisor).unsigned_abs();
    // Twice the remainder has 129 bits.
    if remainder < divisor.unsigned_abs() - remainder {
        return Some(quotient);
    }
    quotient.checked_add(if (dividend < 0) == (divisor < 0) { 1 } else { -1 })
}

/// `dividend * 10^shift / divisor`, half up, where 128 bits do not hold the scaled dividend: digits are divided as on paper, as many at
/// once as what is left over has room for.
fn long_quotient(dividend: u128, shift: u32, divisor: u128) -> Option<u128> {
    let room = u128::MAX.checked_div(divisor)?.ilog10();
    let (mut quotient, mut rest, mut left) = (dividend / divisor, dividend % divisor, shift);
    while left > 0 {
        let digits = room.min(left);
        if digits == 0 {
            return None;
        }
        let power = 10u128.pow(digits);
        let scaled = rest * power;
        quotient = quotient.checked_mul(power)?.checked_add(scaled / divisor)?;
        rest = scaled % divisor;
        left -= digits;
    }
    quotient.checked_add(u128::from(rest >= divisor - rest))
}

/// The nearest integer to the root of `number * 10^digits`. Where 128 bits do not hold that, the root of what is less by some pairs of
/// digits is taken, and what is missing of it is found by one division: it is less than one digit of the root a pair.
fn long_root(number: u128, digits: u32) -> Option<u128> {
    for missing in 0..=ROOT_MISSING_MAX {
        let Some(scaled) =
            10u128.checked_pow(digits.checked_sub(2 * missing)?).and_then(|factor| number.checked_mul(factor))
        else {
            continue;
        };
        let root = scaled.isqrt();
        let power = 10u128.pow(missing);
        // What the square of the root lacks: at most twice the root, which has 64 bits.
        let lacking = (scaled - root * root) * power * power;
        let root = root * power;
        let mut more = if missing == 0 { 0 } else { lacking.checked_div(2 * root)? };
        while 2 * root * more + more * more > lacking {
            more -= 1;
        }
        let lacking = lacking - (2 * root * more + more * more);
        let root = root + more;
        return Some(root + u128::from(lacking > root));
    }
    None
}

/// Pairs of digits that a square may lack: with more, products would have more than 128 bits.
const ROOT_MISSING_MAX: u32 = 5;

impl SmallNumeric {
    /// A number of so many digits behind the point.
    #[inline]
    pub fn new(unscaled: i128, scale: u32) -> Self {
        SmallNumeric { unscaled, scale }
    }

    /// The digits at a scale that is not less than the own one.
    #[inline]
    fn at(self, scale: u32) -> Option<i128> {
        if scale == self.scale {
            Some(self.unscaled)
        } else {
            multiplied(self.unscaled, power_of_ten(scale - self.scale)?)
        }
    }

    /// As `Numeric::negate`.
    #[inline]
    pub fn negate(self) -> Option<Self> {
        Some(SmallNumeric::new(self.unscaled.checked_neg()?, self.scale))
    }

    /// As `Numeric::abs`.
    #[inline]
    pub fn abs(self) -> Option<Self> {
        Some(SmallNumeric::new(self.unscaled.checked_abs()?, self.scale))
    }

    /// As `Numeric::add`.
    #[inline]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Some(SmallNumeric::new(self.at(scale)?.checked_add(other.at(scale)?)?, scale))
    }

    /// As `Numeric::subtract`.
    #[inline]
    pub fn checked_subtract(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Some(SmallNumeric::new(self.at(scale)?.checked_sub(other.at(scale)?)?, scale))
    }

    /// As `Numeric::multiply`.
    #[inline]
    pub fn checked_multiply(self, other: Self) -> Option<Self> {
        let scale = self.scale + other.scale;
        let unscaled = multiplied(self.unscaled, other.unscaled)?;
        (scale <= SCALE_MAX).then(|| SmallNumeric::new(unscaled, scale))
    }

    /// As `Numeric::divide`, with 128 bits; None where they might not do.
    pub(super) fn divide_by(self, other: Self) -> Option<Self> {
        let ((weight_a, first_a), (weight_b, first_b)) = (self.leading()?, other.leading()?);
        let weight = weight_a - weight_b - i64::from(first_a <= first_b);
        let own = i64::from(self.scale.max(other.scale));
        let to = (SIGNIFICANT_MIN - weight * DIGITS).max(own).clamp(0, SHOWN_MAX) as u32;
        let shift = i64::from(to) + i64::from(other.scale) - i64::from(self.scale);
        let factor = power_of_ten(u32::try_from(shift.unsigned_abs()).ok()?)?;
        let quotient = if shift >= 0 {
            match self.unscaled.checked_mul(factor) {
                Some(scaled) => divide_rounded(scaled, other.unscaled)?,
                None => {
                    let magnitudes = (self.unscaled.unsigned_abs(), other.unscaled.unsigned_abs());
                    let quotient = i128::try_from(long_quotient(magnitudes.0, shift as u32, magnitudes.1)?).ok()?;
                    if (self.unscaled < 0) == (other.unscaled < 0) { quotient } else { -quotient }
                }
            }
        } else {
            divide_rounded(self.unscaled, other.unscaled.checked_mul(factor)?)?
        };
        Some(SmallNumeric::new(quotient, to))
    }

    /// As `Numeric::to_double`; None where 128 bits do not give enough digits.
    #[inline]
    pub fn to_double(self) -> Option<f64> {
        let magnitude = self.unscaled.unsigned_abs();
        if magnitude == 0 {
            return Some(0.0);
        }
        let power = power_of_ten(self.scale)?.unsigned_abs();
        if magnitude <= EXACT_INTEGER_MAX && self.scale <= EXACT_POWER_MAX {
            // Both are doubles, and their quotient is rounded once.
            return Some(self.unscaled as f64 / power as f64);
        }
        // Digits in front that the quotient has, too: 54 of them and whether there are more give the nearest double.
        let shift = magnitude.leading_zeros();
        let scaled = magnitude << shift;
        let (quotient, rest) = (scaled / power, scaled % power);
        if quotient >> 54 == 0 {
            return None;
        }
        let sticky = quotient | u128::from(rest != 0);
        let double = sticky as f64 / (1u128 << shift) as f64;
        Some(if self.unscaled < 0 { -double } else { double })
    }

    /// As `Numeric::square_root`; None where the number is negative.
    pub fn square_root(self) -> Option<Self> {
        let weight = (self.leading()?.0 + 1) * DIGITS / 2 - 1;
        let to = (SIGNIFICANT_MIN - weight).max(self.scale.into()).clamp(0, SHOWN_MAX) as u32;
        self.square_root_to(to)
    }

    /// As `Numeric::deviation`; None where the number is negative.
    pub fn deviation(self) -> Option<Self> {
        self.square_root_to(self.scale)
    }

    fn square_root_to(self, to: u32) -> Option<Self> {
        let root = long_root(u128::try_from(self.unscaled).ok()?, (2 * to).checked_sub(self.scale)?)?;
        Some(SmallNumeric::new(root as i128, to))
    }

    /// As `scale::leading`: the exponent of 10000 and the value of the leading base-10000 digit.
    fn leading(self) -> Option<(i64, i64)> {
        let magnitude = self.unscaled.unsigned_abs();
        let Some(exponent) = log10(magnitude) else { return Some((0, 0)) };
        let weight = (i64::from(exponent) - i64::from(self.scale)).div_euclid(DIGITS);
        let shift = weight * DIGITS + i64::from(self.scale);
        let factor = power_of_ten(u32::try_from(shift.unsigned_abs()).ok()?)?.unsigned_abs();
        let first = if shift >= 0 { magnitude / factor } else { magnitude.checked_mul(factor)? };
        Some((weight, first as i64))
    }

    /// As `Numeric::round`, to no fewer than 0 digits.
    #[inline]
    pub fn round(self, digits: u32) -> Option<Self> {
        self.cut(digits, divide_rounded)
    }

    /// As `Numeric::truncate`, to no fewer than 0 digits.
    #[inline]
    pub fn truncate(self, digits: u32) -> Option<Self> {
        self.cut(digits, |dividend, divisor| match (i64::try_from(dividend), i64::try_from(divisor)) {
            (Ok(dividend), Ok(divisor)) => dividend.checked_div(divisor).map(i128::from),
            _ => dividend.checked_div(divisor),
        })
    }

    /// As `Numeric::floor`.
    #[inline]
    pub fn floor(self) -> Option<Self> {
        self.cut(0, |dividend, divisor| match (i64::try_from(dividend), i64::try_from(divisor)) {
            (Ok(dividend), Ok(divisor)) => dividend.checked_div_euclid(divisor).map(i128::from),
            _ => Some(dividend.div_euclid(divisor)),
        })
    }

    /// As `Numeric::ceil`.
    #[inline]
    pub fn ceil(self) -> Option<Self> {
        self.negate()?.floor()?.negate()
    }

    #[inline]
    fn cut(self, digits: u32, divide: impl Fn(i128, i128) -> Option<i128>) -> Option<Self> {
        if digits > SCALE_MAX {
            return None;
        }
        let unscaled = if digits >= self.scale {
            self.at(digits)?
        } else {
            divide(self.unscaled, power_of_ten(self.scale - digits)?)?
        };
        Some(SmallNumeric::new(unscaled, digits))
    }

    /// As `Numeric::compare`.
    #[inline]
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let scale = self.scale.max(other.scale);
        Some(self.at(scale)?.cmp(&other.at(scale)?))
    }
}

/// As [`Numeric`]: all digits behind the point.
impl fmt::Display for SmallNumeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.unscaled < 0 { "-" } else { "" };
        let magnitude = self.unscaled.unsigned_abs();
        let scale = self.scale as usize;
        match power_of_ten(self.scale).map(i128::unsigned_abs) {
            _ if scale == 0 => write!(f, "{sign}{magnitude}"),
            Some(power) => write!(f, "{sign}{}.{:0scale$}", magnitude / power, magnitude % power),
            None => write!(f, "{sign}0.{magnitude:0scale$}"),
        }
    }
}

impl From<SmallNumeric> for Numeric {
    fn from(small: SmallNumeric) -> Self {
        Numeric::new(small.unscaled, small.scale)
    }
}

impl Numeric {
    /// The number, if it is finite and 128 bits hold its digits.
    pub fn small(&self) -> Option<SmallNumeric> {
        let Numeric::Finite { unscaled, scale } = self else { return None };
        Some(SmallNumeric::new(unscaled.to_i128()?, *scale))
    }
}
