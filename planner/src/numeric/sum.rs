//! What aggregates keep of numbers: exact, so that neither the order of rows nor how they were spread over workers shows.

use super::Numeric::{self, Finite, Infinity, NaN, NegativeInfinity};
use super::arithmetic::division_by_zero;
use super::small::{SmallNumeric, multiplied};
use super::{SCALE_MAX, power_of_ten, powers, scale};
use crate::error::Result;
use num_bigint::BigInt;

/// Count, sum and sum of squares: in one line of the cache, since groups come in any order.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub struct NumericSum {
    count: u64,
    /// The largest that was added.
    scale: u32,
    /// In units of 10^-scale; as long as 128 bits hold it and `squares`.
    sum: i128,
    /// In units of 10^-(2 scale).
    squares: i128,
    /// The rest.
    wide: Option<Box<Wide>>,
}

/// What 128 bits do not hold, in the same units, and what is not finite.
#[derive(Clone, Debug, Default)]
struct Wide {
    nans: u64,
    infinities: u64,
    negative_infinities: u64,
    sum: BigInt,
    squares: BigInt,
}

impl NumericSum {
    /// Of so many integers in units of 10^-scale, by their sum and the sum of their squares.
    pub fn of_integers(count: u64, scale: u32, sum: i128, squares: i128) -> Self {
        NumericSum { count, scale, sum, squares, wide: None }
    }

    /// Adds a number; its square only if a variance is asked for.
    pub fn add(&mut self, value: &Numeric, squares: bool) {
        if let Some(small) = value.small() {
            return self.add_small(small, squares);
        }
        self.count += 1;
        if let Finite { unscaled, scale } = value {
            self.widen(*scale);
            self.add_wide(unscaled * power_of_ten(self.scale - scale), squares);
            return;
        }
        let wide = self.wide.get_or_insert_default();
        match value {
            Infinity => wide.infinities += 1,
            NegativeInfinity => wide.negative_infinities += 1,
            _ => wide.nans += 1,
        }
    }

    /// As [`NumericSum::add`].
    #[inline]
    pub fn add_small(&mut self, value: SmallNumeric, squares: bool) {
        self.count += 1;
        if value.scale != self.scale {
            self.widen(value.scale);
        }
        let less = self.scale - value.scale;
        let Some(unscaled) = (if less == 0 { Some(value.unscaled) } else { scaled_up(value.unscaled, less) }) else {
            return self.add_wide(BigInt::from(value.unscaled) * power_of_ten(less), squares);
        };
        let square = if squares { multiplied(unscaled, unscaled) } else { Some(0) };
        let sums = square.and_then(|square| Some((self.sum.checked_add(unscaled)?, self.squares.checked_add(square)?)));
        match sums {
            Some(sums) => (self.sum, self.squares) = sums,
            None => self.add_wide(unscaled.into(), squares),
        }
    }

    /// Adds what so many numbers of a scale add up to.
    pub fn add_sum(&mut self, sum: SmallNumeric, count: u64) {
        if count > 0 {
            self.add_small(sum, false);
            self.count += count - 1;
        }
    }

    /// Adds a number in units of the scale.
    #[cold]
    fn add_wide(&mut self, unscaled: BigInt, squares: bool) {
        let wide = self.spill();
        if squares {
            wide.squares += &unscaled * &unscaled;
        }
        wide.sum += unscaled;
    }

    /// Makes room in the 128 bits.
    fn spill(&mut self) -> &mut Wide {
        let wide = self.wide.get_or_insert_default();
        wide.sum += std::mem::take(&mut self.sum);
        wide.squares += std::mem::take(&mut self.squares);
        wide
    }

    /// Counts in units of so many digits at least.
    fn widen(&mut self, scale: u32) {
        if scale <= self.scale {
            return;
        }
        let more = scale - self.scale;
        self.scale = scale;
        match (scaled_up(self.sum, more), scaled_up(self.squares, 2 * more)) {
            (Some(sum), Some(squares)) if self.wide.is_none() => (self.sum, self.squares) = (sum, squares),
            _ => {
                let wide = self.spill();
                wide.sum *= power_of_ten(more);
                wide.squares *= power_of_ten(2 * more);
            }
        }
    }

    /// Adds the numbers of another one.
    pub fn merge(&mut self, other: &NumericSum) {
        self.count += other.count;
        self.widen(other.scale);
        let less = self.scale - other.scale;
        if other.wide.is_none()
            && let (Some(sum), Some(squares)) = (scaled_up(other.sum, less), scaled_up(other.squares, 2 * less))
            && let (Some(sum), Some(squares)) = (self.sum.checked_add(sum), self.squares.checked_add(squares))
        {
            (self.sum, self.squares) = (sum, squares);
            return;
        }
        let (sum, squares) = other.sums();
        let wide = self.spill();
        wide.sum += sum * power_of_ten(less);
        wide.squares += squares * power_of_ten(2 * less);
        if let Some(other) = &other.wide {
            wide.nans += other.nans;
            wide.infinities += other.infinities;
            wide.negative_infinities += other.negative_infinities;
        }
    }

    /// Appends the sums as bytes.
    pub fn write_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.extend_from_slice(&self.scale.to_le_bytes());
        bytes.extend_from_slice(&self.sum.to_le_bytes());
        bytes.extend_from_slice(&self.squares.to_le_bytes());
        bytes.push(self.wide.is_some().into());
        let Some(wide) = &self.wide else { return };
        [wide.nans, wide.infinities, wide.negative_infinities]
            .iter()
            .for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));
        for sum in [&wide.sum, &wide.squares] {
            let digits = sum.to_signed_bytes_le();
            bytes.extend_from_slice(&(digits.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&digits);
        }
    }

    /// Reads what [`NumericSum::write_to`] wrote, of at most so many numbers; None of other bytes.
    pub fn read_from(bytes: &mut &[u8], count_max: u64) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk()?;
        let (scale, rest) = rest.split_first_chunk()?;
        let (sum, rest) = rest.split_first_chunk()?;
        let (squares, rest) = rest.split_first_chunk()?;
        let (&is_wide, mut rest) = rest.split_first()?;
        let (count, scale) = (u64::from_le_bytes(*count), u32::from_le_bytes(*scale));
        let (sum, squares) = (i128::from_le_bytes(*sum), i128::from_le_bytes(*squares));
        let mut wide = None;
        if is_wide == 1 {
            let mut number = || {
                let (number, behind) = rest.split_first_chunk()?;
                rest = behind;
                Some(u64::from_le_bytes(*number))
            };
            let (nans, infinities, negative_infinities) = (number()?, number()?, number()?);
            if [nans, infinities, negative_infinities].iter().any(|&each| each > count) {
                return None;
            }
            let mut digits = || {
                let (len, behind) = rest.split_first_chunk()?;
                let (digits, behind) = behind.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
                rest = behind;
                Some(BigInt::from_signed_bytes_le(digits))
            };
            let (sum, squares) = (digits()?, digits()?);
            wide = Some(Box::new(Wide { nans, infinities, negative_infinities, sum, squares }));
        }
        *bytes = rest;
        let is_sum = count <= count_max && scale <= SCALE_MAX && is_wide <= 1 && squares >= 0;
        is_sum.then_some(NumericSum { count, scale, sum, squares, wide })
    }

    /// Sum and sum of squares, in units of the scale.
    fn sums(&self) -> (BigInt, BigInt) {
        let (sum, squares) = (BigInt::from(self.sum), BigInt::from(self.squares));
        match &self.wide {
            Some(wide) => (sum + &wide.sum, squares + &wide.squares),
            None => (sum, squares),
        }
    }

    /// What numbers that are not finite make of the sum.
    fn special(&self) -> Option<Numeric> {
        let wide = self.wide.as_ref()?;
        match (wide.nans, wide.infinities, wide.negative_infinities) {
            (0, 0, 0) => None,
            (0, _, 0) => Some(Infinity),
            (0, 0, _) => Some(NegativeInfinity),
            _ => Some(NaN),
        }
    }

    /// The sum, of the largest scale; None of no numbers.
    pub fn total(&self) -> Result<Option<Numeric>> {
        if self.count == 0 {
            return Ok(None);
        }
        match self.special() {
            Some(special) => Ok(Some(special)),
            None => Numeric::new(self.sums().0, self.scale).checked().map(Some),
        }
    }

    /// The sum, if there is one and 128 bits hold it.
    pub fn small_total(&self) -> Option<SmallNumeric> {
        (self.count > 0 && self.wide.is_none()).then_some(SmallNumeric::new(self.sum, self.scale))
    }

    /// The variance, with PostgreSQL's digits: None of no numbers (a sample: of one, too).
    pub fn variance(&self, sample: bool) -> Result<Option<Numeric>> {
        if self.count <= u64::from(sample) {
            return Ok(None);
        }
        if self.special().is_some() {
            return Ok(Some(NaN));
        }
        if let Some(variance) = self.small_variance(sample) {
            return Ok(Some(variance.into()));
        }
        let others = if sample { self.count - 1 } else { self.count };
        let (sum, squares) = self.sums();
        let dividend = squares * self.count - &sum * &sum;
        if dividend.sign() != num_bigint::Sign::Plus {
            return Ok(Some(Numeric::zero(0)));
        }
        let dividend = Numeric::new(dividend, 2 * self.scale);
        let divisor = Numeric::from_integer(BigInt::from(self.count) * others);
        if divisor.is_zero() {
            return Err(division_by_zero());
        }
        let to = scale::of_quotient(&dividend, &divisor);
        Ok(Some(dividend.divide_to(&divisor, to)))
    }

    /// The variance, if there is one and 128 bits hold what it is made of.
    pub fn small_variance(&self, sample: bool) -> Option<SmallNumeric> {
        let others = self.count.checked_sub(sample.into()).filter(|&others| others > 0)?;
        if self.wide.is_some() {
            return None;
        }
        let count = i128::from(self.count);
        let dividend = count.checked_mul(self.squares)?.checked_sub(self.sum.checked_mul(self.sum)?)?;
        if dividend <= 0 {
            return Some(SmallNumeric::new(0, 0));
        }
        let divisor = SmallNumeric::new(count.checked_mul(others.into())?, 0);
        SmallNumeric::new(dividend, 2 * self.scale).checked_divide(divisor)
    }

    /// Bytes on the heap, about.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        let bytes = |wide: &Wide| size_of::<Wide>() + (wide.sum.bits() + wide.squares.bits()) as usize / 8;
        self.wide.as_deref().map_or(0, bytes)
    }
}

fn scaled_up(unscaled: i128, more: u32) -> Option<i128> {
    if unscaled == 0 { Some(0) } else { multiplied(unscaled, powers::power_of_ten(more)?) }
}
