//! What aggregates keep of numbers: exact, so that neither the order of rows nor how they were spread over workers shows.

use super::Numeric::{self, Finite, Infinity, NaN, NegativeInfinity};
use super::arithmetic::division_by_zero;
use super::{power_of_ten, scale};
use crate::error::Result;
use num_bigint::BigInt;

/// Count, sum and sum of squares.
#[derive(Clone, Debug, Default)]
pub struct NumericSum {
    count: u64,
    nans: u64,
    infinities: u64,
    negative_infinities: u64,
    /// In units of 10^-scale.
    sum: BigInt,
    /// In units of 10^-(2 scale).
    squares: BigInt,
    /// The largest that was added.
    scale: u32,
}

impl NumericSum {
    /// Adds a number; its square only if a variance is asked for.
    pub fn add(&mut self, value: &Numeric, squares: bool) {
        self.count += 1;
        match value {
            NaN => self.nans += 1,
            Infinity => self.infinities += 1,
            NegativeInfinity => self.negative_infinities += 1,
            Finite { unscaled, scale } => {
                self.widen(*scale);
                let scaled;
                let unscaled = if *scale == self.scale {
                    unscaled
                } else {
                    scaled = unscaled * power_of_ten(self.scale - scale);
                    &scaled
                };
                self.sum += unscaled;
                if squares {
                    self.squares += unscaled * unscaled;
                }
            }
        }
    }

    /// Counts in units of so many digits at least.
    fn widen(&mut self, scale: u32) {
        if scale > self.scale {
            let more = scale - self.scale;
            self.sum *= power_of_ten(more);
            self.squares *= power_of_ten(2 * more);
            self.scale = scale;
        }
    }

    /// Adds the numbers of another one.
    pub fn merge(&mut self, other: &NumericSum) {
        self.count += other.count;
        self.nans += other.nans;
        self.infinities += other.infinities;
        self.negative_infinities += other.negative_infinities;
        self.widen(other.scale);
        let less = self.scale - other.scale;
        self.sum += &other.sum * power_of_ten(less);
        self.squares += &other.squares * power_of_ten(2 * less);
    }

    /// The sum, of the largest scale; None of no numbers.
    pub fn total(&self) -> Result<Option<Numeric>> {
        if self.count == 0 {
            return Ok(None);
        }
        if self.nans > 0 || (self.infinities > 0 && self.negative_infinities > 0) {
            return Ok(Some(NaN));
        }
        if self.infinities > 0 {
            return Ok(Some(Infinity));
        }
        if self.negative_infinities > 0 {
            return Ok(Some(NegativeInfinity));
        }
        Numeric::new(self.sum.clone(), self.scale).checked().map(Some)
    }

    /// The variance, with PostgreSQL's digits: None of no numbers (a sample: of one, too).
    pub fn variance(&self, sample: bool) -> Result<Option<Numeric>> {
        if self.count <= u64::from(sample) {
            return Ok(None);
        }
        if self.nans + self.infinities + self.negative_infinities > 0 {
            return Ok(Some(NaN));
        }
        let dividend = BigInt::from(self.count) * &self.squares - &self.sum * &self.sum;
        if dividend.sign() != num_bigint::Sign::Plus {
            return Ok(Some(Numeric::zero(0)));
        }
        let dividend = Numeric::new(dividend, 2 * self.scale);
        let other = if sample { self.count - 1 } else { self.count };
        let divisor = Numeric::from_integer(BigInt::from(self.count) * other);
        if divisor.is_zero() {
            return Err(division_by_zero());
        }
        let to = scale::of_quotient(&dividend, &divisor);
        Ok(Some(dividend.divide_to(&divisor, to)))
    }

    /// Bytes on the heap, about.
    pub fn heap_bytes(&self) -> usize {
        (self.sum.bits() + self.squares.bits()) as usize / 8
    }
}
