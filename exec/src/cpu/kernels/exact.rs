//! Integers that are computed as doubles, of which CPUs do eight at once where they divide 64-bit integers one by one.
//!
//! A double holds every integer below 2^53. The quotient of two such integers, rounded to a double, is on the same side
//! of every integer as the true quotient: a dividend `a` is at least `1 / b` away from the next multiple of `b`, which
//! is more than half a step of doubles of the quotient's size if `a < 2^53`. So `trunc`, `floor` and `ceil` of it are
//! exact, and what a quotient leaves over is computed exactly, too.

use super::integer::widened;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;

/// Below this, magnitudes are brought to doubles and back by adding [`MAGIC`], which vectorises on every CPU.
pub(super) const EXACT: u64 = 1 << 51;

/// 10^0 to 10^255, of which those below [`EXACT_POWERS`] are exact.
pub(crate) const POWERS_OF_TEN: [f64; 256] = {
    let mut powers = [1.0; 256];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10.0;
        exponent += 1;
    }
    powers
};

/// How many powers of ten doubles are: 5^22 has 52 bits.
pub(crate) const EXACT_POWERS: usize = 23;

/// 1.5 * 2^52: the low bits of its sum with an integer are that integer.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// The double of an integer between -2^51 and 2^51.
#[inline(always)]
pub(super) fn to_double(integer: i64) -> f64 {
    f64::from_bits(MAGIC.to_bits().wrapping_add(integer as u64)) - MAGIC
}

/// The integer of a double that is one, between -2^51 and 2^51. Of others it is any.
#[inline(always)]
pub(crate) fn to_integer(double: f64) -> i64 {
    (double + MAGIC).to_bits().wrapping_sub(MAGIC.to_bits()) as i64
}

/// The nearest integer of a double between -2^51 and 2^51, of two the even one. Of others it is any.
#[inline(always)]
pub(crate) fn nearest(double: f64) -> f64 {
    (double + MAGIC) - MAGIC
}

/// A bound as a double: exact, if results are below 2^52.
#[inline(always)]
pub(super) fn bound(value: i128) -> f64 {
    value.clamp(-(1 << 53), 1 << 53) as f64
}

/// The largest magnitude.
#[inline(always)]
pub(super) fn largest(values: &[i64]) -> u64 {
    values.iter().fold(0, |largest, value| largest.max(value.unsigned_abs()))
}

/// The values of an integer-like vector in 64 bits, if all fit. `scratch` holds them if they are not there already.
pub(super) fn narrowed<'a>(vector: &'a Vector, scratch: &'a mut Vector) -> Option<&'a [i64]> {
    match &vector.data {
        VectorData::I32(_) | VectorData::I64(_) => {}
        VectorData::I128(values) if values.iter().all(|&value| i64::try_from(value).is_ok()) => {}
        _ => return None,
    }
    match &widened(vector, Register::I64, scratch).data {
        VectorData::I64(values) => Some(values),
        _ => None,
    }
}

/// An integer of one of the registers.
pub(super) trait Cut: Copy {
    /// The low bits.
    fn cut(value: i64) -> Self;
}

impl Cut for i32 {
    #[inline(always)]
    fn cut(value: i64) -> Self {
        value as i32
    }
}

impl Cut for i64 {
    #[inline(always)]
    fn cut(value: i64) -> Self {
        value
    }
}

impl Cut for i128 {
    #[inline(always)]
    fn cut(value: i64) -> Self {
        value.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let most = EXACT as i64 - 1;
        for value in [0, 1, -1, 2, -2, 999_999_999_999, most, -most, most - 1] {
            assert_eq!(to_double(value), value as f64);
            assert_eq!(to_integer(value as f64), value);
        }
    }

    #[test]
    fn truncated_quotients_are_exact() {
        let most = EXACT as i64 - 1;
        for divisor in [1, 2, 3, 7, 10, 49, 1000, 1_000_003, 10_000_000_000, most - 1, most] {
            for near in [divisor, 2 * divisor, 3 * divisor, most / divisor * divisor, most] {
                for value in [near - 1, near, near + 1].into_iter().filter(|&value| value <= most) {
                    let quotient = to_integer((to_double(value) / to_double(divisor)).trunc());
                    assert_eq!(quotient, value / divisor, "{value} / {divisor}");
                    let below = to_integer((to_double(-value) / to_double(divisor)).floor());
                    assert_eq!(below, (-value).div_euclid(divisor), "-{value} / {divisor}");
                }
            }
        }
    }
}
