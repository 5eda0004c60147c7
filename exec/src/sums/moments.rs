//! Variance of doubles, the same to the last bit whatever the order of the numbers and however they were split.
//!
//! With n numbers, S their sum and Q the sum of their squares, the variance is (n Q - S²) / n² (of a sample:
//! / (n (n - 1))). The textbook warns of the difference, which cancels nearly all digits when the numbers are far
//! from zero and close to each other. It does no harm when its parts are exact:
//!
//! 1. S and Q are [`ExactSum`]s, Q two of them: the square of a double's mantissa has 106 bits, and its upper and its
//!    lower half are summed up apart, so that each sum stays in its window. Where a square may leave the range it is
//!    two doubles, the product and what its rounding lost (one fused multiply-add);
//! 2. at the end each is split into three doubles (159 bits of it);
//! 3. n Q - S² is the exact sum, again, of the exact products of these parts;
//! 4. only that sum is rounded, and then the division.
//!
//! To keep products in range the parts are scaled by a power of two that brings Q near one. Squares below 2^-960 lose
//! their low bits, squares beyond the doubles are an overflow, as in PostgreSQL.

use crate::sums::exact_sum::ExactSum;
use multiloop_planner::error::{Error, ErrorKind, Result};

/// Count, sum and sum of squares of doubles.
#[derive(Clone, Debug, Default)]
pub struct Variance {
    count: u64,
    sum: ExactSum,
    squares: ExactSum,
    /// Lower parts of squares.
    lower: ExactSum,
    overflowed: bool,
}

impl Variance {
    /// Of no numbers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one number.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum.add(value);
        if value.is_finite() && !has_square(value) {
            self.overflowed = true;
        } else if value.is_finite() {
            self.add_square(value, 1);
        }
    }

    /// Takes out a number that was added and has a square.
    pub(crate) fn remove(&mut self, value: f64) {
        self.count -= 1;
        self.sum.add(-value);
        self.add_square(value, -1);
    }

    /// Adds the square of a number that has one, so many times: once or minus once.
    #[inline]
    fn add_square(&mut self, value: f64, times: i64) {
        let bits = value.to_bits();
        let field = ((bits >> 52) & 0x7ff) as i32;
        if (623..=1423).contains(&field) {
            let mantissa = u128::from(bits & ((1 << 52) - 1) | (1 << 52));
            let square = mantissa * mantissa;
            let exponent = 2 * (field - 1075);
            self.squares.add_scaled(times * (square >> 53) as i64, exponent + 53);
            self.lower.add_scaled(times * (square & ((1 << 53) - 1)) as i64, exponent);
            return;
        }
        let (square, lost) = product(value, value);
        self.squares.add(times as f64 * square);
        self.lower.add(times as f64 * lost);
    }

    /// Adds numbers by their sum and by the sums of their squares' upper and lower 64 bits: units are 2^exponent, of
    /// squares 2^(2 exponent).
    pub(crate) fn add_integers(&mut self, count: u64, sum: i128, [high, low]: [i128; 2], exponent: i32) {
        self.count += count;
        self.sum.add_integer(sum, exponent);
        self.squares.add_integer(high, 2 * exponent + 64);
        self.lower.add_integer(low, 2 * exponent);
    }

    /// Adds the numbers of another one.
    pub fn merge(&mut self, other: &Variance) {
        self.count += other.count;
        self.sum.merge(&other.sum);
        self.squares.merge(&other.squares);
        self.lower.merge(&other.lower);
        self.overflowed |= other.overflowed;
    }

    /// The variance: None of no numbers (a sample: of one, too), NaN if one of them is NaN or infinite, 22003 if a
    /// square is beyond the doubles.
    pub fn finish(&self, sample: bool) -> Result<Option<f64>> {
        if self.count <= u64::from(sample) {
            return Ok(None);
        }
        if self.sum.is_special() {
            return Ok(Some(f64::NAN));
        }
        let overflow = || Error::new(ErrorKind::NumericOverflow, "value out of range: overflow");
        let mut squares = self.squares.clone();
        squares.merge(&self.lower);
        if self.overflowed || squares.total().is_infinite() {
            return Err(overflow());
        }
        // Exact: there are fewer than 2^53 rows.
        let count = self.count as f64;
        let divisor = if sample { count - 1.0 } else { count };
        let scale = halved_exponent(squares.total());
        let (sums, squares) = (parts(&self.sum, scale), parts(&squares, 2 * scale));
        let mut difference = ExactSum::new();
        for square in squares {
            add_product(&mut difference, count, square);
        }
        for left in sums {
            for right in sums {
                add_product(&mut difference, -left, right);
            }
        }
        let scaled = (difference.total() / count / divisor).max(0.0);
        let variance = scaled * power_of_two(scale) * power_of_two(scale);
        if variance.is_infinite() { Err(overflow()) } else { Ok(Some(variance)) }
    }

    /// Appends the sums as bytes.
    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.push(self.overflowed.into());
        [&self.sum, &self.squares, &self.lower].iter().for_each(|sum| sum.write_to(bytes));
    }

    /// Reads what [`Variance::write_to`] wrote, of at most so many numbers; None of other bytes.
    pub(crate) fn read_from(bytes: &mut &[u8], count_max: u64) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk()?;
        let (&overflowed, mut rest) = rest.split_first()?;
        let mut sum = || ExactSum::read_from(&mut rest);
        let (sum, squares, lower) = (sum()?, sum()?, sum()?);
        *bytes = rest;
        let count = u64::from_le_bytes(*count);
        (count <= count_max && overflowed <= 1).then_some(Variance {
            count,
            sum,
            squares,
            lower,
            overflowed: overflowed == 1,
        })
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.sum.heap_bytes() + self.squares.heap_bytes() + self.lower.heap_bytes()
    }
}

/// Whether a number is finite, and its square is, too.
pub(crate) fn has_square(value: f64) -> bool {
    (value * value).is_finite()
}

/// The rounded product and what rounding lost.
fn product(a: f64, b: f64) -> (f64, f64) {
    let rounded = a * b;
    (rounded, if rounded.is_finite() { a.mul_add(b, -rounded) } else { 0.0 })
}

fn add_product(sum: &mut ExactSum, a: f64, b: f64) {
    let (rounded, lost) = product(a, b);
    sum.add(rounded);
    sum.add(lost);
}

/// The three doubles that a sum is made of, from large to small, times 2^-scale.
fn parts(sum: &ExactSum, scale: i32) -> [f64; 3] {
    let mut rest = sum.clone();
    [(); 3].map(|()| {
        let part = rest.total();
        rest.add(-part);
        scaled_down(part, scale)
    })
}

/// `value * 2^-scale`, by two factors: 2^-scale itself may be beyond the doubles.
fn scaled_down(value: f64, scale: i32) -> f64 {
    let half = -scale / 2;
    value * power_of_two(half) * power_of_two(-scale - half)
}

/// Half of a number's exponent: its root is about 2 to that.
fn halved_exponent(value: f64) -> i32 {
    if value == 0.0 { 0 } else { (((value.to_bits() >> 52) & 0x7ff) as i32 - 1023) / 2 }
}

/// 2^exponent, for an exponent from -1022 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variance(values: &[f64], sample: bool) -> Option<f64> {
        let mut state = Variance::new();
        values.iter().for_each(|value| state.add(*value));
        state.finish(sample).unwrap()
    }

    #[test]
    fn known_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(variance(&values, false), Some(4.0));
        assert_eq!(variance(&values, true), Some(32.0 / 7.0));
        assert_eq!(variance(&[], false), None);
        assert_eq!(variance(&[3.0], true), None);
        assert_eq!(variance(&[3.0], false), Some(0.0));
    }

    #[test]
    fn nothing_cancels() {
        assert_eq!(variance(&[0.1; 1000], true), Some(0.0));
        assert_eq!(variance(&[1e15 + 1.0, 1e15 + 2.0, 1e15 + 3.0], true), Some(1.0));
        assert_eq!(variance(&[1e150, 1e150, 1e150 + 1e134], false).map(|v| v > 0.0), Some(true));
        assert_eq!(variance(&[1e-150, 3e-150], false).map(|v| (v * 1e300).round()), Some(1.0));
    }

    #[test]
    fn order_and_partition_do_not_show() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from(i * i % 977) * 1.1 - 3e5).collect();
        let forward = variance(&values, true);
        let backward: Vec<f64> = values.iter().rev().copied().collect();
        assert_eq!(variance(&backward, true), forward);
        let mut merged = Variance::new();
        for chunk in values.chunks(33) {
            let mut part = Variance::new();
            chunk.iter().for_each(|value| part.add(*value));
            merged.merge(&part);
        }
        assert_eq!(merged.finish(true).unwrap(), forward);
    }

    #[test]
    fn what_was_added_can_be_removed() {
        let values = [1.0, 0.1, -1e150, 1e-150, 3.0, 1e100, -0.0, 1e-310, 7.5, 1e9, 0.3];
        for kept in 0..values.len() {
            let mut state = Variance::new();
            values.iter().for_each(|&value| state.add(value));
            values[..kept].iter().for_each(|&value| state.remove(value));
            let left = state.finish(false).unwrap().map(f64::to_bits);
            assert_eq!(left, variance(&values[kept..], false).map(f64::to_bits), "{kept}");
        }
    }

    #[test]
    fn what_has_no_variance() {
        assert!(variance(&[1.0, f64::NAN], false).unwrap().is_nan());
        assert!(variance(&[f64::INFINITY], false).unwrap().is_nan());
        let mut state = Variance::new();
        state.add(1e200);
        assert_eq!(state.finish(false).unwrap_err().sqlstate(), "22003");
    }
}
