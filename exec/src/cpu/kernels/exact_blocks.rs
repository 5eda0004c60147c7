//! Exact sums of doubles and of their squares, a block at a time: in most blocks nearly all values are of one magnitude.
//! Shifted to where the lowest bit of the smallest of these would be they are integers of 63 bits, which are added as
//! such; the values left over go to [`ExactSum`] one by one.

use crate::cpu::simd::kernel::{append, kernel, vectorised};
use crate::sums::exact_sum::ExactSum;
use crate::sums::moments::Variance;

/// Values in a block: so many halves of 63-bit integers have a sum of 64 bits.
const BLOCK: usize = 1024;
/// A double's 53 bits, shifted up by at most this, are a positive 64-bit integer.
pub(crate) const ROOM: u64 = 10;
/// Exponents (as they stand in a double) of blocks that are added as integers: their squares are far from all limits.
const EXPONENTS: std::ops::RangeInclusive<u64> = 623..=1423;
/// The exponent of a double's lowest bit, less the one that stands in it.
pub(crate) const LOWEST: i32 = -1075;
/// The exponent that stands in what is not finite, with room for a fraction behind it and none for a sign.
const NOT_FINITE: u64 = 0x7ff << 53;
const FRACTION: u64 = (1 << 52) - 1;

/// The magnitude of a value in units of `2^(base + LOWEST)`; 0 if it is not within reach.
#[inline(always)]
fn aligned(value: f64, base: u64) -> u64 {
    let bits = value.to_bits();
    let shift = ((bits >> 52) & 0x7ff).wrapping_sub(base);
    if shift <= ROOM { ((bits & FRACTION) | (1 << 52)) << shift } else { 0 }
}

/// The greatest exponent (as it stands in a double) among finite values.
pub(crate) fn top_exponent(values: &[f64]) -> u64 {
    let magnitude = |value: &f64| {
        let magnitude = value.to_bits() << 1;
        if magnitude < NOT_FINITE { magnitude } else { 0 }
    };
    vectorised(|| values.iter().fold(0, |top, value| top.max(magnitude(value)))) >> 53
}

/// A value in units of `2^(base + LOWEST)`; 0 if it is not within reach.
#[inline(always)]
fn number(value: f64, base: u64) -> i64 {
    let sign = value.to_bits() as i64 >> 63;
    (aligned(value, base) as i64 ^ sign) - sign
}

kernel! {
    /// Makes `numbers` the values in units of `2^(base + LOWEST)`, whose exponents are positive. Those that are not within
    /// reach are 0; how many that are not 0 there are of these.
    pub(crate) fn align[](values: &[f64], base: u64, numbers: &mut Vec<i64>) -> usize {
        numbers.clear();
        let mut left = 0u64;
        append(numbers, values, |value: f64| {
            let number = number(value, base);
            left += u64::from((number == 0) & (value.to_bits() << 1 != 0));
            number
        });
        left as usize
    }
}

/// The smallest exponent that is within reach in a block; none if its values are better added one by one.
fn base(block: &[f64]) -> Option<u64> {
    let top = vectorised(|| block.iter().fold(0, |top, value| top.max(value.to_bits() << 1))) >> 53;
    EXPONENTS.contains(&top).then(|| top - ROOM)
}

/// The sum of what is within reach, and whether all that is not is zero.
fn sum(block: &[f64], base: u64) -> (i128, bool) {
    let (high, low, left) = vectorised(|| {
        let (mut high, mut low, mut left) = (0i64, 0i64, 0u64);
        for &value in block {
            let number = number(value, base);
            high += number >> 32;
            low += number & 0xffff_ffff;
            left |= if number == 0 { value.to_bits() << 1 } else { 0 };
        }
        (high, low, left)
    });
    ((i128::from(high) << 32) + i128::from(low), left == 0)
}

/// The values that are not within reach.
fn left_over(block: &[f64], base: u64) -> impl Iterator<Item = f64> {
    block.iter().copied().filter(move |&value| aligned(value, base) == 0 && value != 0.0)
}

/// Adds values to a sum.
pub(crate) fn add_all(exact: &mut ExactSum, values: &[f64]) {
    for block in values.chunks(BLOCK) {
        let Some(base) = base(block) else {
            exact.add_all(block);
            continue;
        };
        let (total, complete) = sum(block, base);
        exact.add_integer(total, base as i32 + LOWEST);
        if !complete {
            left_over(block, base).for_each(|value| exact.add(value));
        }
    }
}

/// Adds values to those whose variance is asked.
pub(crate) fn add_moments(variance: &mut Variance, values: &[f64]) {
    for block in values.chunks(BLOCK) {
        let Some(base) = base(block) else {
            block.iter().for_each(|&value| variance.add(value));
            continue;
        };
        let (total, complete) = sum(block, base);
        // The upper and the lower halves of squares.
        let (mut high, mut low) = (0i128, 0i128);
        for &value in block {
            let magnitude = u128::from(aligned(value, base));
            let square = magnitude * magnitude;
            high += (square >> 64) as i128;
            low += i128::from(square as u64);
        }
        let mut count = block.len();
        if !complete {
            for value in left_over(block, base) {
                variance.add(value);
                count -= 1;
            }
        }
        variance.add_integers(count as u64, total, [high, low], base as i32 + LOWEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_add_what_single_values_add() {
        let nasty = [0.0, -0.0, 1.0, -1.0, 0.1, 3.7e5, -2.5e-3, 1e18, 1e-300, 5e-324, 1e150, -1e200, 123456.78];
        for len in [0, 1, 2, 1023, 1024, 1025, 5000] {
            for kinds in [1, 3, 5, 7, 8, 9, nasty.len()] {
                let value = |at: usize| nasty[at * 7919 % kinds] * (1.0 + (at % 97) as f64 / 64.0);
                let values: Vec<f64> = (0..len).map(value).collect();
                let (mut one, mut many) = (ExactSum::new(), ExactSum::new());
                values.iter().for_each(|&value| one.add(value));
                add_all(&mut many, &values);
                assert_eq!(one.total().to_bits(), many.total().to_bits(), "{len} of {kinds}");
                let (mut one, mut many) = (Variance::new(), Variance::new());
                values.iter().for_each(|&value| one.add(value));
                add_moments(&mut many, &values);
                let shown = |variance: &Variance| format!("{:?}", variance.finish(true));
                assert_eq!(shown(&one), shown(&many), "{len} of {kinds}");
            }
        }
        for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let (mut sum, mut variance) = (ExactSum::new(), Variance::new());
            add_all(&mut sum, &[1.0, special, 2.0]);
            add_moments(&mut variance, &[1.0, special, 2.0]);
            assert!(sum.is_special() && variance.finish(true).unwrap().unwrap().is_nan());
        }
    }
}
