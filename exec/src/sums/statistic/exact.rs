//! Integers of any size times a power of two: in these the moments of exact sums are computed, and rounded once.

use crate::sums::exact_sum::ExactSum;
use num_bigint::{BigInt, BigUint, Sign};

/// `integer * 2^exponent`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exact {
    integer: BigInt,
    exponent: i64,
}

impl Exact {
    /// A number of rows.
    pub(crate) fn of_count(count: u64) -> Self {
        Exact { integer: BigInt::from(count), exponent: 0 }
    }

    /// A sum of finite numbers.
    pub(crate) fn of_sum(sum: &ExactSum) -> Self {
        let mut exact = Exact { integer: BigInt::ZERO, exponent: 0 };
        sum.each_part(|part, exponent| {
            let part = Exact { integer: BigInt::from(part), exponent: exponent.into() };
            exact = exact.plus(&part);
        });
        exact
    }

    pub(crate) fn plus(&self, other: &Exact) -> Self {
        if self.integer.sign() == Sign::NoSign {
            return other.clone();
        }
        if other.integer.sign() == Sign::NoSign {
            return self.clone();
        }
        let (low, high) = if self.exponent <= other.exponent { (self, other) } else { (other, self) };
        let up = (high.exponent - low.exponent) as u64;
        Exact { integer: &low.integer + (&high.integer << up), exponent: low.exponent }
    }

    pub(crate) fn minus(&self, other: &Exact) -> Self {
        self.plus(&other.times_integer(-1))
    }

    pub(crate) fn times(&self, other: &Exact) -> Self {
        Exact { integer: &self.integer * &other.integer, exponent: self.exponent + other.exponent }
    }

    pub(crate) fn times_integer(&self, factor: i64) -> Self {
        Exact { integer: &self.integer * factor, exponent: self.exponent }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.integer.sign() == Sign::NoSign
    }

    /// A double and an exponent whose product with a power of two it is, but for what rounding to 53 bits loses: the double is
    /// from 0.5 to 1, or 0.
    pub(crate) fn rounded(&self) -> (f64, i64) {
        let (sign, magnitude) = (self.integer.sign(), self.integer.magnitude());
        let bits = magnitude.bits();
        if bits == 0 {
            return (0.0, 0);
        }
        let double = nearest(magnitude, -(bits as i64));
        (if sign == Sign::Minus { -double } else { double }, self.exponent + bits as i64)
    }
}

/// The double next to `magnitude * 2^exponent`, ties to even; an infinity beyond all doubles.
pub(crate) fn nearest(magnitude: &BigUint, exponent: i64) -> f64 {
    let bits = magnitude.bits() as i64;
    if bits == 0 {
        return 0.0;
    }
    // The lowest bit that the double keeps: of subnormal numbers a fixed one.
    let lowest = (bits + exponent - 53).max(-1074);
    let dropped = lowest - exponent;
    let mut kept = if dropped > 0 { magnitude >> dropped as u64 } else { magnitude << (-dropped) as u64 };
    if dropped > 0 {
        let half = magnitude.bit(dropped as u64 - 1);
        let below = magnitude.trailing_zeros().is_some_and(|zeros| (zeros as i64) < dropped - 1);
        if half && (below || kept.bit(0)) {
            kept += 1u32;
        }
    }
    let kept = kept.iter_u64_digits().next().unwrap_or(0);
    scaled(kept as f64, lowest)
}

/// `value * 2^exponent`.
pub(crate) fn scaled(value: f64, exponent: i64) -> f64 {
    let (mut value, mut left) = (value, exponent.clamp(-4000, 4000) as i32);
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        value *= f64::from_bits(((i64::from(step) + 1023) as u64) << 52);
        left -= step;
    }
    value
}
