//! Skewness and kurtosis, of exact sums of the first four powers.
//!
//! With n numbers and the sums S1 to S4 of their powers, the central moments are those of integers (`exact`):
//!
//! ```text
//! n² m2 = n S2 - S1²
//! n³ m3 = n² S3 - 3 n S2 S1 + 2 S1³
//! n⁴ m4 = n³ S4 - 4 n² S3 S1 + 6 n S2 S1² - 3 S1⁴
//! ```
//!
//! Only these are rounded. Of numbers that are not finite, and of those whose fourth power is beyond the doubles, how many there
//! are is kept: then the result is NaN, or an error (22003).

use super::chunk;
use super::exact::{Exact, scaled};
use crate::sums::exact_sum::ExactSum;
use multiloop_planner::error::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::statistic::Statistic;

/// Count and sums of powers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    count: u64,
    special: u64,
    beyond: u64,
    /// Of the first to the fourth power.
    sums: [ExactSum; 4],
}

/// The product of two doubles: rounded, and what rounding lost.
fn product(a: f64, b: f64) -> [f64; 2] {
    let rounded = a * b;
    [rounded, a.mul_add(b, -rounded)]
}

impl Shape {
    /// Adds a number once, or (-1) takes it out.
    pub(crate) fn add(&mut self, value: f64, times: i64) {
        self.count = self.count.wrapping_add_signed(times);
        if !value.is_finite() {
            self.special = self.special.wrapping_add_signed(times);
            return;
        }
        let [square, lost] = product(value, value);
        if !(square * square).is_finite() {
            self.beyond = self.beyond.wrapping_add_signed(times);
            return;
        }
        let sign = times as f64;
        let [first, second, third, fourth] = &mut self.sums;
        first.add(sign * value);
        [square, lost].into_iter().for_each(|part| second.add(sign * part));
        [product(square, value), product(lost, value)].into_iter().flatten().for_each(|part| third.add(sign * part));
        let middle = product(square, lost);
        let parts = [product(square, square), middle, middle, product(lost, lost)];
        parts.into_iter().flatten().for_each(|part| fourth.add(sign * part));
    }

    pub(crate) fn merge(&mut self, other: &Shape) {
        self.count += other.count;
        self.special += other.special;
        self.beyond += other.beyond;
        self.sums.iter_mut().zip(&other.sums).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// Skewness or kurtosis; None of too few numbers, and of equal ones.
    pub(crate) fn finish(&self, kind: Statistic) -> Result<Option<f64>> {
        let needed = match kind {
            Statistic::Skewness => 3,
            Statistic::Kurtosis => 4,
            _ => 2,
        };
        if self.count < needed {
            return Ok(None);
        }
        if self.special > 0 {
            return Ok(Some(f64::NAN));
        }
        if self.beyond > 0 {
            return Err(Error::new(ErrorKind::NumericOverflow, "value out of range: overflow"));
        }
        let n = Exact::of_count(self.count);
        let [s1, s2, s3, s4] = [0, 1, 2, 3].map(|at| Exact::of_sum(&self.sums[at]));
        let square = s1.times(&s1);
        let m2 = n.times(&s2).minus(&square);
        if m2.is_zero() {
            return Ok(None);
        }
        let (m2, m2_exponent) = m2.rounded();
        let count = self.count as f64;
        if kind == Statistic::Skewness {
            let m3 = n.times(&n).times(&s3).minus(&n.times(&s2).times(&s1).times_integer(3));
            let (m3, m3_exponent) = m3.plus(&square.times(&s1).times_integer(2)).rounded();
            // m2 to the power of 3/2, whose exponent is to be even.
            let odd = m2_exponent.rem_euclid(2);
            let root = (m2 * if odd == 1 { 2.0 } else { 1.0 }).sqrt();
            let even = (m2_exponent - odd) / 2;
            let ratio = scaled(m3 / (m2 * root), m3_exponent - m2_exponent - even);
            return Ok(Some((count * (count - 1.0)).sqrt() / (count - 2.0) * ratio));
        }
        let square_n = n.times(&n);
        let m4 = square_n.times(&n).times(&s4).minus(&square_n.times(&s3).times(&s1).times_integer(4));
        let m4 = m4.plus(&n.times(&s2).times(&square).times_integer(6)).minus(&square.times(&square).times_integer(3));
        let (m4, m4_exponent) = m4.rounded();
        let ratio = scaled(m4 / (m2 * m2), m4_exponent - 2 * m2_exponent);
        Ok(Some(match kind {
            Statistic::Kurtosis => {
                let spread = (count + 1.0) * ratio - 3.0 * (count - 1.0);
                (count - 1.0) * spread / ((count - 2.0) * (count - 3.0))
            }
            _ => ratio - 3.0,
        }))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.sums.iter().map(ExactSum::heap_bytes).sum()
    }

    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        [self.count, self.special, self.beyond].iter().for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));
        self.sums.iter().for_each(|sum| sum.write_to(bytes));
    }

    pub(crate) fn read_from(bytes: &mut &[u8], count_max: u64) -> Option<Self> {
        let mut count = || chunk(bytes).map(u64::from_le_bytes);
        let (count, special, beyond) = (count()?, count()?, count()?);
        if count > count_max || special > count || beyond > count {
            return None;
        }
        let mut shape = Shape { count, special, beyond, ..Shape::default() };
        for sum in &mut shape.sums {
            *sum = ExactSum::read_from(bytes)?;
        }
        Some(shape)
    }
}
