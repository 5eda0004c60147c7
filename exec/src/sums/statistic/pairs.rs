//! Moments of pairs of numbers: covariance, correlation, regression.
//!
//! With n pairs the sums of x, y, x², y² and xy are exact ([`ExactSum`]: of a product the rounded one and what rounding lost), and
//! so are n Σxy - Σx Σy and the like, as integers of any size (`exact`). Only these are rounded, so neither cancellation nor the
//! order of the rows shows. Products below 2^-1074 lose their low bits; one beyond the doubles is an overflow, as in PostgreSQL.
//! Of numbers that are not finite only how many there are is kept: then what they are part of is NaN.

use super::chunk;
use super::exact::{Exact, scaled};
use crate::sums::exact_sum::ExactSum;
use multiloop_planner::error::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::statistic::PairMeasure;

fn overflow() -> Error {
    Error::new(ErrorKind::NumericOverflow, "value out of range: overflow")
}

/// The sums, of x, y, x², y², xy: of products the rounded ones and what was lost.
const SUMS: usize = 8;

/// Count and sums of pairs (y, x).
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    count: u64,
    /// Pairs whose x, or y, is not finite.
    special: [u64; 2],
    /// Pairs whose x², y², xy is beyond the doubles.
    beyond: [u64; 3],
    sums: [ExactSum; SUMS],
}

impl Pairs {
    /// Adds a pair once, or (-1) takes it out.
    pub(crate) fn add(&mut self, y: f64, x: f64, times: i64) {
        self.count = self.count.wrapping_add_signed(times);
        if !x.is_finite() || !y.is_finite() {
            for (special, value) in self.special.iter_mut().zip([x, y]) {
                *special = special.wrapping_add_signed(if value.is_finite() { 0 } else { times });
            }
        }
        let sign = times as f64;
        for (at, value) in [x, y].into_iter().enumerate().filter(|(_, value)| value.is_finite()) {
            self.sums[at].add(sign * value);
        }
        for (at, (a, b)) in [(x, x), (y, y), (x, y)].into_iter().enumerate() {
            if !a.is_finite() || !b.is_finite() {
                continue;
            }
            let product = a * b;
            if product.is_finite() {
                self.sums[2 + 2 * at].add(sign * product);
                self.sums[3 + 2 * at].add(sign * a.mul_add(b, -product));
            } else {
                self.beyond[at] = self.beyond[at].wrapping_add_signed(times);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Pairs) {
        self.count += other.count;
        self.special.iter_mut().zip(other.special).for_each(|(mine, theirs)| *mine += theirs);
        self.beyond.iter_mut().zip(other.beyond).for_each(|(mine, theirs)| *mine += theirs);
        self.sums.iter_mut().zip(&other.sums).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// n times the sum of the products of deviations, of x², y² or xy; None if a number is not finite.
    fn moment(&self, which: usize) -> Result<Option<Exact>> {
        let (left, right) = [(0, 0), (1, 1), (0, 1)][which];
        if self.special[left] + self.special[right] > 0 {
            return Ok(None);
        }
        if self.beyond[which] > 0 {
            return Err(overflow());
        }
        let products = self.sum(2 + 2 * which).plus(&self.sum(3 + 2 * which));
        Ok(Some(Exact::of_count(self.count).times(&products).minus(&self.sum(left).times(&self.sum(right)))))
    }

    fn sum(&self, at: usize) -> Exact {
        Exact::of_sum(&self.sums[at])
    }

    /// A measure; None where there is none.
    pub(crate) fn finish(&self, measure: PairMeasure) -> Result<Option<f64>> {
        use PairMeasure as M;
        let needed = u64::from(measure == M::CovarianceSample) + 1;
        if self.count < needed {
            return Ok(None);
        }
        let count = self.count as f64;
        let (which, divisor) = match measure {
            M::Sxx => (0, count),
            M::Syy => (1, count),
            M::Sxy => (2, count),
            M::CovariancePopulation => (2, count * count),
            M::CovarianceSample => (2, count * (count - 1.0)),
            M::Correlation | M::Slope | M::Intercept | M::R2 => return self.relation(measure),
        };
        let Some(moment) = self.moment(which)? else { return Ok(Some(f64::NAN)) };
        let (value, exponent) = moment.rounded();
        let value = scaled(value / divisor, exponent);
        if value.is_infinite() { Err(overflow()) } else { Ok(Some(value)) }
    }

    /// What relates y to x; None if all x (of a correlation all y, too) are alike.
    fn relation(&self, measure: PairMeasure) -> Result<Option<f64>> {
        use PairMeasure as M;
        let [xx, yy, xy] = [self.moment(0)?, self.moment(1)?, self.moment(2)?];
        if xx.as_ref().is_some_and(Exact::is_zero) {
            return Ok(None);
        }
        if yy.as_ref().is_some_and(Exact::is_zero) && matches!(measure, M::R2 | M::Correlation) {
            return Ok((measure == M::R2).then_some(1.0));
        }
        let needs_yy = matches!(measure, M::R2 | M::Correlation);
        let (Some(xx), Some(xy), true) = (xx, xy, !needs_yy || yy.is_some()) else { return Ok(Some(f64::NAN)) };
        let ratio = |(a, a_exponent): (f64, i64), (b, b_exponent): (f64, i64)| scaled(a / b, a_exponent - b_exponent);
        if measure == M::Slope {
            return Ok(Some(ratio(xy.rounded(), xx.rounded())));
        }
        if measure == M::Intercept {
            let above = self.sum(1).times(&xx).minus(&self.sum(0).times(&xy));
            return Ok(Some(ratio(above.rounded(), Exact::of_count(self.count).times(&xx).rounded())));
        }
        let count = self.count as f64;
        let part = |exact: &Exact| {
            let (value, exponent) = exact.rounded();
            (value / count, exponent)
        };
        let (xx, yy, xy) = (part(&xx), part(&yy.unwrap_or(Exact::of_count(1))), part(&xy));
        if measure == M::R2 {
            return Ok(Some(scaled((xy.0 * xy.0) / (xx.0 * yy.0), 2 * xy.1 - xx.1 - yy.1)));
        }
        // The root of an even power of two is one.
        let odd = (xx.1 + yy.1).rem_euclid(2);
        let root = (xx.0 * yy.0 * if odd == 1 { 2.0 } else { 1.0 }).sqrt();
        Ok(Some(scaled(xy.0 / root, xy.1 - (xx.1 + yy.1 - odd) / 2)))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.sums.iter().map(ExactSum::heap_bytes).sum()
    }

    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        let counts = [self.count].into_iter().chain(self.special).chain(self.beyond);
        counts.for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));
        self.sums.iter().for_each(|sum| sum.write_to(bytes));
    }

    pub(crate) fn read_from(bytes: &mut &[u8], count_max: u64) -> Option<Self> {
        let mut counts = [0; 6];
        for count in &mut counts {
            *count = u64::from_le_bytes(chunk(bytes)?);
        }
        let [count, special_x, special_y, beyond @ ..] = counts;
        if count > count_max || counts.iter().any(|&part| part > count) {
            return None;
        }
        let mut pairs = Pairs { count, special: [special_x, special_y], beyond, ..Pairs::default() };
        for sum in &mut pairs.sums {
            *sum = ExactSum::read_from(bytes)?;
        }
        Some(pairs)
    }
}
