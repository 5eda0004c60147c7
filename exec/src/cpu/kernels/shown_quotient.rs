//! Division of integers and decimals whose quotient is a NUMERIC: as many digits as PostgreSQL shows (`select_div_scale`),
//! each tuple its own, in doubles, several at once. Both operands' digits are below 2^51 (see `exact`), else nothing is done.
//!
//! 1. The scale. PostgreSQL counts in digits of base 10000. With zeros behind them both operands have a multiple of four digits
//!    behind the point; the leading digit's place is then found by comparisons with 10^4, 10^8 and 10^12, the divisor's
//!    leading digit by a division, and whether the dividend's is no greater by one multiplication: both are below 10000, and
//!    such a number times 10^12 is a double.
//! 2. The quotient, as on paper (see `quotient`): first the dividend times the power of ten that its scale asks for, without
//!    the digits of the steps; then, a step for all tuples alike, what is left over times a power of ten.

use super::exact::{EXACT, EXACT_POWERS, POWERS_OF_TEN, largest, narrowed, to_double, to_integer};
use super::{Call, Scratch};
use crate::cpu::simd::kernel::{kernel, vectorised};
use crate::cpu::vector::Vector;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::numerics::NumericVector;
use multiloop_planner::types::DataType;

/// Tuples that are divided together, step by step.
const BLOCK: usize = 256;

/// Significant digits of a quotient, at least.
const SIGNIFICANT_MIN: i32 = 16;

/// A quotient's digits are below 2 * 10^20 where its scale is not an operand's: those of a whole number of this many digits
/// less, times the divisor, are below 2^51.
const DIGITS_MORE: u32 = 5;

/// Digits that 64 bits hold whatever they are.
const BEHIND_MAX: u32 = 18;

/// Steps that cost less than dividing one by one.
const STEPS_MAX: u32 = 9;

/// Makes `out` the quotients of two vectors; false if it did not, and `out` is anything: where operands have too many digits,
/// and where a divisor is 0.
pub(super) fn divide(
    call: &Call<'_>,
    (a, b): (&Vector, &Vector),
    (len, valid): (usize, Option<&Bitmap>),
    scratch: &mut Scratch,
    out: &mut NumericVector,
) -> bool {
    let &[a_type, b_type] = call.types else { return false };
    let is_exact = |data_type: DataType| data_type.is_decimal() || data_type.is_integer();
    if !is_exact(a_type) || !is_exact(b_type) || len == 0 {
        return false;
    }
    let (Some(x), Some(y)) = (narrowed(a, &mut scratch.left), narrowed(b, &mut scratch.right)) else { return false };
    let at = |values: &[i64], constant: bool, tuple: usize| values[if constant { 0 } else { tuple }];
    let zero = vectorised(|| y.iter().fold(false, |zero, &value| zero | (value == 0)));
    if zero && (0..len).any(|tuple| at(y, b.constant, tuple) == 0 && valid.is_none_or(|valid| valid.get(tuple))) {
        return false;
    }
    let largest = vectorised(|| (largest(x), largest(y).max(1)));
    let Some(division) = Division::new((a_type.scale(), b_type.scale()), largest) else { return false };
    division.run((x, a.constant), (y, b.constant), len, out) && {
        // At a NULL stands 0.
        if let Some(valid) = valid {
            (0..len).filter(|&tuple| !valid.get(tuple)).for_each(|tuple| _ = out.set(tuple, Default::default()));
        }
        true
    }
}

/// Whether each quotient of two vectors, rounded first to the digits that PostgreSQL shows and then to so few, is what it is rounded to
/// these at once. A quotient that lies on neither side of the middle of two such numbers is at least half a unit divided by the
/// divisor away from it; rounded to the digits that are shown, it moves less, if the divisor is less than 10 to the power of how
/// many more these are.
pub(crate) fn is_rounded_once(
    (a, b): (&Vector, &Vector),
    (a_type, b_type): (DataType, DataType),
    digits: u8,
    scratch: &mut Scratch,
) -> bool {
    let (Some(x), Some(y)) = (narrowed(a, &mut scratch.left), narrowed(b, &mut scratch.right)) else { return false };
    let largest = vectorised(|| (largest(x), largest(y).max(1)));
    let smallest = vectorised(|| y.iter().fold(u64::MAX, |smallest, value| smallest.min(value.unsigned_abs()))).max(1);
    let shown = scale_min((a_type.scale().into(), b_type.scale().into()), largest.0, smallest);
    let more = u32::try_from(shown - i32::from(digits)).ok().and_then(|more| 10u64.checked_pow(more.min(19)));
    more.is_some_and(|more| largest.1 < more)
}

/// The smallest scale that quotients show.
fn scale_min(scales: (i32, i32), largest_dividend: u64, smallest_divisor: u64) -> i32 {
    // Zero has the weight 0, and counts as less than every divisor.
    let weight_max = weight(largest_dividend, scales.0).max(-1) - weight(smallest_divisor, scales.1);
    (SIGNIFICANT_MIN - 4 * weight_max).max(scales.0).max(scales.1)
}

/// How two vectors are divided.
struct Division {
    scales: (i32, i32),
    /// What makes the digits behind the point a multiple of four.
    padding: (f64, f64),
    /// So many steps behind the first one, each of so many digits at most.
    steps: u32,
    digits: u32,
}

/// The exponent of 10000 of a number's leading digit, which is not zero.
fn weight(magnitude: u64, scale: i32) -> i32 {
    (magnitude.max(1).ilog10() as i32 - scale).div_euclid(4)
}

impl Division {
    /// None where operands, of these largest magnitudes, or quotients have too many digits.
    fn new(scales: (u8, u8), largest: (u64, u64)) -> Option<Self> {
        let scales = (i32::from(scales.0), i32::from(scales.1));
        let padding = |scale: i32| 10u64.pow((-scale).rem_euclid(4) as u32);
        let padded =
            |magnitude: u64, scale: i32| magnitude.checked_mul(padding(scale)).filter(|&padded| padded < EXACT);
        padded(largest.0, scales.0)?;
        padded(largest.1, scales.1)?;
        let digits_max = ((EXACT - 1) / largest.1).ilog10();
        let wanted = DIGITS_MORE + largest.1.ilog10() + 1;
        let steps = wanted.checked_div(digits_max)? + u32::from(!wanted.is_multiple_of(digits_max));
        let digits = wanted.div_ceil(steps);
        let padding = (padding(scales.0) as f64, padding(scales.1) as f64);
        (steps <= STEPS_MAX).then_some(Division { scales, padding, steps, digits })
    }

    fn run(&self, x: (&[i64], bool), y: (&[i64], bool), len: usize, out: &mut NumericVector) -> bool {
        let mut block = Block::new();
        let constant = |(values, constant): (&[i64], bool)| if constant { [values[0]; BLOCK] } else { [0; BLOCK] };
        let (x_constant, y_constant) = (constant(x), constant(y));
        out.clear();
        for start in (0..len).step_by(BLOCK) {
            let count = BLOCK.min(len - start);
            let x = if x.1 { &x_constant[..count] } else { &x.0[start..start + count] };
            let y = if y.1 { &y_constant[..count] } else { &y.0[start..start + count] };
            let (scale_min, scale_max) = block.scales(self, x, y);
            let shift_min = scale_min + self.scales.1 - self.scales.0;
            let digits = self.digits.min(shift_min.unsigned_abs().min(BEHIND_MAX) / self.steps);
            let (step, unit) = (10u64.pow(digits), 10u64.pow(digits * self.steps));
            if shift_min < 0 || !block.scale_dividends(self, digits * self.steps, (scale_min, scale_max), count) {
                return false;
            }
            block.divide(count);
            (0..self.steps).for_each(|_| block.step(step, count));
            block.round(count);
            let numbers =
                block.whole.iter().zip(&block.behind).zip(x.iter().zip(y)).map(|((&whole, &behind), (x, y))| {
                    let magnitude = u128::from(whole as u64) * u128::from(unit) + u128::from(behind);
                    (magnitude, i128::from((x ^ y) >> 63))
                });
            let scales = block.scale[..count].iter().map(|&scale| scale as u8);
            out.append(numbers, scales, (scale_min as u8, scale_max as u8));
        }
        true
    }
}

/// Some quotients on their way. Each loop is a kernel of its own: small enough to be inlined where it is vectorised.
struct Block {
    dividends: [f64; BLOCK],
    divisors: [f64; BLOCK],
    /// About 1 / divisor.
    reciprocals: [f64; BLOCK],
    scale: [i64; BLOCK],
    /// The quotient's digits in front of those of the steps.
    whole: [i64; BLOCK],
    /// Those of the steps so far.
    behind: [u64; BLOCK],
    /// What is left over.
    rest: [f64; BLOCK],
}

/// Quotient and remainder of integers below 2^51: by the reciprocal the quotient is right, or wrong by one.
#[inline(always)]
fn divided(dividend: f64, divisor: f64, reciprocal: f64) -> (f64, f64) {
    let quotient = (dividend * reciprocal).trunc();
    let rest = dividend - quotient * divisor;
    let less = choose(rest < 0.0, 1.0, 0.0);
    let more = choose(rest >= divisor, 1.0, 0.0);
    (quotient + (more - less), rest - (more - less) * divisor)
}

/// The place of the leading base-10000 digit of an integer, and the value of a one there.
#[inline(always)]
fn place(integer: f64) -> (f64, f64) {
    let (one, two, three) = (integer >= 1e4, integer >= 1e8, integer >= 1e12);
    let place = choose(one, 1.0, 0.0) + choose(two, 1.0, 0.0) + choose(three, 1.0, 0.0);
    let power = choose(one, 1e4, 1.0) * choose(two, 1e4, 1.0) * choose(three, 1e4, 1.0);
    (place, power)
}

/// One of two numbers, without a branch.
#[inline(always)]
fn choose(condition: bool, then: f64, otherwise: f64) -> f64 {
    if condition { then } else { otherwise }
}

kernel! {
    /// The scales of quotients, no less than `own`; of each operand what makes its digits behind the point a multiple of four, and
    /// how many digits of base 10000 these are.
    fn show[](
        dividends: &[f64],
        divisors: &[f64],
        scales: &mut [i64],
        own: f64,
        dividend: (f64, f64),
        divisor: (f64, f64),
    ) {
        for (scale, (&x, &y)) in scales.iter_mut().zip(dividends.iter().zip(divisors)) {
            let (a, b) = (x * dividend.0, y * divisor.0);
            let ((a_place, a_power), (b_place, b_power)) = (place(a), place(b));
            let first = (b / b_power).trunc();
            let is_less = choose(a < (first + 1.0) * a_power, 1.0, 0.0);
            let a_weight = choose(a == 0.0, 0.0, a_place - dividend.1);
            let weight = a_weight - (b_place - divisor.1) - is_less;
            let shown = f64::from(SIGNIFICANT_MIN) - 4.0 * weight;
            *scale = to_integer(choose(shown > own, shown, own));
        }
    }
}

kernel! {
    /// Multiplies dividends with the factor of their scale.
    fn scale_all[](dividends: &mut [f64], scales: &[i64], factors: &[f64; 32], scale_min: i64) {
        for (dividend, &scale) in dividends.iter_mut().zip(scales) {
            *dividend *= factors[(scale - scale_min) as usize & 31];
        }
    }
}

kernel! {
    fn divide_all[](
        dividends: &[f64],
        divisors: &[f64],
        reciprocals: &[f64],
        whole: &mut [i64],
        rest: &mut [f64],
    ) {
        let operands = dividends.iter().zip(divisors.iter().zip(reciprocals));
        for ((whole, rest), (&dividend, (&divisor, &reciprocal))) in whole.iter_mut().zip(rest).zip(operands) {
            let (quotient, over) = divided(dividend, divisor, reciprocal);
            (*whole, *rest) = (to_integer(quotient), over);
        }
    }
}

kernel! {
    fn step_all[](rest: &mut [f64], divisors: &[f64], reciprocals: &[f64], behind: &mut [u64], step: u64) {
        let factor = step as f64;
        let operands = divisors.iter().zip(reciprocals);
        for ((rest, behind), (&divisor, &reciprocal)) in rest.iter_mut().zip(behind).zip(operands) {
            let (quotient, over) = divided(*rest * factor, divisor, reciprocal);
            *behind = behind.wrapping_mul(step).wrapping_add(to_integer(quotient) as u64);
            *rest = over;
        }
    }
}

impl Block {
    fn new() -> Self {
        Block {
            dividends: [0.0; BLOCK],
            divisors: [1.0; BLOCK],
            reciprocals: [1.0; BLOCK],
            scale: [0; BLOCK],
            whole: [0; BLOCK],
            behind: [0; BLOCK],
            rest: [0.0; BLOCK],
        }
    }

    /// The operands as doubles, and the quotients' scales; the smallest and the largest of these.
    fn scales(&mut self, division: &Division, x: &[i64], y: &[i64]) -> (i32, i32) {
        let own = f64::from(division.scales.0.max(division.scales.1));
        let behind = |scale: i32| f64::from((scale + 3).div_euclid(4));
        let (x_behind, y_behind) = (behind(division.scales.0), behind(division.scales.1));
        let (x_padding, y_padding) = division.padding;
        let Block { dividends, divisors, reciprocals, scale, .. } = self;
        let operands = dividends.iter_mut().zip(divisors.iter_mut()).zip(reciprocals.iter_mut());
        vectorised(|| {
            for (((dividend, divisor), reciprocal), (&x, &y)) in operands.zip(x.iter().zip(y)) {
                *dividend = to_double(x.wrapping_abs());
                *divisor = to_double(y.wrapping_abs().max(1));
                *reciprocal = 1.0 / *divisor;
            }
        });
        let dividends = &dividends[..x.len()];
        show(dividends, divisors, scale, own, (x_padding, x_behind), (y_padding, y_behind));
        let scales = scale.iter().take(x.len());
        let (least, most) =
            vectorised(|| scales.fold((i64::MAX, 0), |(least, most), &scale| (least.min(scale), most.max(scale))));
        (least as i32, most as i32)
    }

    /// Multiplies each dividend with the power of ten that its scale asks for, but for the digits of the steps; false if one
    /// would have too many digits.
    fn scale_dividends(
        &mut self,
        division: &Division,
        behind: u32,
        (scale_min, scale_max): (i32, i32),
        count: usize,
    ) -> bool {
        let less = division.scales.1 - division.scales.0 - behind as i32;
        let Block { dividends, scale, .. } = self;
        let dividends = &mut dividends[..count];
        // Below 0 is none of them, either.
        let power = |scale: i32| POWERS_OF_TEN[..EXACT_POWERS].get((scale + less) as usize);
        match (power(scale_min), power(scale_max)) {
            (Some(&factor), Some(_)) if scale_min == scale_max => {
                vectorised(|| dividends.iter_mut().for_each(|dividend| *dividend *= factor));
            }
            (Some(_), Some(_)) => {
                let mut factors = [0.0; 32];
                for (factor, power) in factors.iter_mut().zip(&POWERS_OF_TEN[(scale_min + less) as usize..]) {
                    *factor = *power;
                }
                scale_all(dividends, scale, &factors, scale_min.into());
            }
            _ => {
                for (dividend, &scale) in
                    dividends.iter_mut().zip(scale.iter()).filter(|(dividend, _)| **dividend != 0.0)
                {
                    let Some(factor) = power(scale as i32) else { return false };
                    *dividend *= factor;
                }
            }
        }
        vectorised(|| dividends.iter().fold(true, |fits, &dividend| fits & (dividend < EXACT as f64)))
    }

    fn divide(&mut self, count: usize) {
        let Block { dividends, divisors, reciprocals, whole, behind, rest, .. } = self;
        divide_all(&dividends[..count], divisors, reciprocals, whole, rest);
        behind.fill(0);
    }

    fn step(&mut self, step: u64, count: usize) {
        let Block { divisors, reciprocals, behind, rest, .. } = self;
        step_all(&mut rest[..count], divisors, reciprocals, behind, step);
    }

    /// Half away from zero.
    fn round(&mut self, count: usize) {
        vectorised(|| {
            for ((behind, &rest), &divisor) in self.behind.iter_mut().zip(&self.rest).zip(&self.divisors).take(count) {
                *behind += u64::from(rest + rest >= divisor);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::VectorData;
    use crate::plan::register::Register;
    use multiloop_planner::function::Function;
    use multiloop_planner::numeric::Numeric;
    use multiloop_planner::numeric::small::SmallNumeric;

    /// Numbers around powers of ten and of two, and some between, below a bound.
    fn magnitudes(bound: i64) -> Vec<i64> {
        let powers = (0..16).map(|power| 10i64.pow(power)).chain((0..51).map(|bit| 1i64 << bit));
        let near = powers.flat_map(|power| [power - 1, power, power + 1, power / 7 * 3 + 1, power / 3 * 2]);
        near.filter(|&value| value < bound).collect()
    }

    /// The quotients of some dividends by some divisors, which are those of `Numeric`, if they are found.
    fn check(a: &[i64], b: &[i64], scales: (u8, u8)) -> usize {
        let vector =
            |values: &[i64]| Vector { len: values.len(), data: VectorData::I64(values.to_vec()), ..Vector::default() };
        let types = [scales.0, scales.1].map(|scale| DataType::Decimal { precision: 38, scale });
        let (function, register) = (Function::Divide, Register::Text);
        let call = Call { function, types: &types, result: DataType::Numeric, register, checked: true };
        let (mut out, mut scratch) = (NumericVector::default(), Scratch::default());
        if !divide(&call, (&vector(a), &vector(b)), (a.len(), None), &mut scratch, &mut out) {
            return 0;
        }
        assert_eq!(out.len(), a.len());
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let (dividend, divisor) = (Numeric::new(a, scales.0.into()), Numeric::new(b, scales.1.into()));
            let expected = dividend.divide(&divisor).unwrap();
            assert_eq!(Numeric::from(out.get(at)).to_string(), expected.to_string(), "{dividend} / {divisor}");
        }
        a.len()
    }

    #[test]
    fn quotients_are_those_of_all_digits() {
        let (mut found, mut asked, mut state) = (0, 0, 1u64);
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for scales in
            [(0, 0), (2, 0), (0, 2), (2, 2), (1, 3), (4, 2), (3, 1), (6, 0), (0, 6), (12, 2), (2, 12), (30, 1)]
        {
            for bound in [100, 20_000, 10_000_000, 5_000_000_000, 1 << 51] {
                for divisor_bound in [12, 20_000, 10_000_000, 200_000_000, 1 << 51] {
                    let (a, b) = (magnitudes(bound), magnitudes(divisor_bound));
                    let mut pick = |values: &[i64]| values[random() % values.len()] * [1, -1][random() % 2];
                    let (a, b): (Vec<i64>, Vec<i64>) =
                        (0..700).map(|_| (pick(&a), pick(&b))).filter(|&(_, b)| b != 0).unzip();
                    asked += a.len();
                    found += check(&a, &b, scales);
                    // Blocks whose numbers are alike have room for more.
                    for (a, b) in a.chunks(3).zip(b.chunks(3)).take(100) {
                        found += check(a, b, scales);
                        asked += a.len();
                    }
                }
            }
        }
        assert!(found > asked / 5, "{found} of {asked}");
    }

    #[test]
    fn nulls_and_constants() {
        let types = [DataType::Decimal { precision: 15, scale: 2 }, DataType::BigInt];
        let (function, register) = (Function::Divide, Register::Text);
        let call = Call { function, types: &types, result: DataType::Numeric, register, checked: true };
        let a = Vector { len: 3, data: VectorData::I32(vec![100, -250, 7]), ..Vector::default() };
        let mut b = Vector { len: 3, data: VectorData::I64(vec![3, 0, 4]), ..Vector::default() };
        let (mut out, mut scratch) = (NumericVector::default(), Scratch::default());
        assert!(!divide(&call, (&a, &b), (3, None), &mut scratch, &mut out), "a divisor is 0");
        let mut valid = Bitmap::new(3, true);
        valid.set(1, false);
        assert!(divide(&call, (&a, &b), (3, Some(&valid)), &mut scratch, &mut out));
        let shown = |out: &NumericVector| (0..3).map(|at| out.get(at).to_string()).collect::<Vec<_>>();
        assert_eq!(shown(&out), ["0.33333333333333333333", "0", "0.01750000000000000000"]);
        assert_eq!(out.get(1), SmallNumeric::default());
        b.data = VectorData::I64(vec![-7]);
        b.constant = true;
        assert!(divide(&call, (&a, &b), (3, None), &mut scratch, &mut out));
        assert_eq!(shown(&out), ["-0.14285714285714285714", "0.35714285714285714286", "-0.01000000000000000000"]);
    }
}
