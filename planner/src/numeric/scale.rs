//! How many digits behind the point PostgreSQL gives to what has no exact scale: at least 16 significant ones, as far as
//! they can be foreseen from the operands' leading digits. PostgreSQL counts in digits of base 10000, which shows in
//! its results, so this does, too.

use super::Numeric::{self, Finite};
use super::{digits_of, power_of_ten};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

/// Significant digits of a result, at least.
pub(super) const SIGNIFICANT_MIN: i64 = 16;

/// Digits behind the point that a function gives, at most.
pub(super) const SHOWN_MAX: i64 = 1_000;

/// Decimal digits in one of base 10000.
pub(super) const DIGITS: i64 = 4;

/// A scale between nothing and the most that is shown, and no less than the operands'.
pub(super) fn shown(wanted: i64, operands: &[&Numeric]) -> u32 {
    let own = operands.iter().filter_map(|operand| operand.scale()).max().unwrap_or(0);
    wanted.max(own.into()).clamp(0, SHOWN_MAX) as u32
}

/// The exponent of 10000 and the value of the leading base-10000 digit, both 0 for zero.
pub(super) fn leading(value: &Numeric) -> (i64, i64) {
    let Finite { unscaled, scale } = value else { return (0, 0) };
    if unscaled.is_zero() {
        return (0, 0);
    }
    let weight = (digits_of(unscaled) as i64 - i64::from(*scale) - 1).div_euclid(DIGITS);
    (weight, scaled_down(unscaled, *scale, weight).to_i64().unwrap_or(0))
}

/// The whole part of |value| / 10000^weight.
fn scaled_down(unscaled: &BigInt, scale: u32, weight: i64) -> BigInt {
    let shift = weight * DIGITS + i64::from(scale);
    let factor = power_of_ten(shift.unsigned_abs() as u32);
    let magnitude = BigInt::from(unscaled.magnitude().clone());
    if shift >= 0 { magnitude / factor } else { magnitude * factor }
}

/// `select_div_scale`.
pub(super) fn of_quotient(dividend: &Numeric, divisor: &Numeric) -> u32 {
    let ((weight_a, first_a), (weight_b, first_b)) = (leading(dividend), leading(divisor));
    let weight = weight_a - weight_b - i64::from(first_a <= first_b);
    shown(SIGNIFICANT_MIN - weight * DIGITS, &[dividend, divisor])
}

/// `estimate_ln_dweight`: the decimal exponent of a positive number's logarithm.
pub(super) fn weight_of_logarithm(value: &Numeric) -> i64 {
    let Finite { unscaled, scale } = value else { return 0 };
    if value.signum() != Some(1) {
        return 0;
    }
    let near_one = |low: i32, high: i32| {
        let at = |tenths: i32| Numeric::new(tenths, 1);
        value.compare(&at(low)).is_ge() && value.compare(&at(high)).is_le()
    };
    if near_one(9, 11) {
        // ln x is about x - 1 there.
        let rest = Numeric::new(unscaled - power_of_ten(*scale), *scale);
        let (weight, first) = leading(&rest);
        return if rest.is_zero() { 0 } else { weight * DIGITS + (first as f64).log10() as i64 };
    }
    let logarithm = approximate_logarithm(value);
    logarithm.abs().log10() as i64
}

/// The natural logarithm of a positive number, from its leading digits.
fn approximate_logarithm(value: &Numeric) -> f64 {
    let Finite { unscaled, scale } = value else { return 0.0 };
    let weight = leading(value).0 - 1;
    let digits = scaled_down(unscaled, *scale, weight).to_f64().unwrap_or(1.0);
    digits.ln() + (weight * DIGITS) as f64 * std::f64::consts::LN_10
}

/// The decimal logarithm of |value|, which is not zero, from 16 and more leading digits.
pub(super) fn decimal_exponent(value: &Numeric) -> f64 {
    let Finite { unscaled, scale } = value else { return 0.0 };
    let weight = leading(value).0 - 4;
    let digits = scaled_down(unscaled, *scale, weight).to_f64().unwrap_or(1.0);
    digits.log10() + (weight * DIGITS) as f64
}
