//! Division of decimals: `a * 10^shift / b`, rounded half away from zero, where the scales give the shift.
//!
//! The scaled dividend seldom fits 64 bits, so the quotient is computed as on paper: first of the dividend as it is,
//! then of what is left over, times a power of ten, and so on: with divisors below `d`, a step may have as many digits
//! as keep `d` times its power of ten within the numbers at hand. These are doubles, eight at once, if operands are
//! below 2^51 (see `exact`) and a few steps are enough; else 128-bit integers.

use super::exact::{EXACT, largest, narrowed, to_double, to_integer};
use super::{Call, Scratch, strict_nulls};
use crate::cpu::simd::kernel::vectorised;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::decimal;
use multiloop_planner::function::Function;

/// Values that are divided together, step by step.
const BLOCK: usize = 256;
/// Digits behind the dividend's own that fit 64 bits.
const SHIFT_MAX: u8 = 18;
/// More steps than this cost as much as wide integers.
const STEPS_MAX: usize = 4;

/// Does the division, if it can: false if not, or if a result may be an error.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, scratch: &mut Scratch, out: &mut Vector) -> bool {
    let (Function::Divide, &[a, b], true) = (call.function, arguments, call.result.is_decimal()) else { return false };
    let (from, by, to) = (call.types[0].scale(), call.types[1].scale(), call.result.scale());
    let (Some(shift), Some((_, high))) = ((to + by).checked_sub(from), call.result.integer_bounds()) else {
        return false;
    };
    if shift > 38 || !call.types.iter().all(|data_type| data_type.is_decimal()) {
        return false;
    }
    let nulls = strict_nulls(arguments, len, out);
    let Scratch { left, right } = scratch;
    let division = Division { shift, high: high.unsigned_abs(), valid: nulls.as_ref(), len };
    macro_rules! run {
        ($take:ident, $variant:ident) => {{
            let mut values = out.$take();
            let done = match (narrowed(a, left), narrowed(b, right)) {
                (Some(x), Some(y)) => division.narrow((x, a.constant), (y, b.constant), &mut values),
                _ => division.wide(|tuple| Some((a.integer(tuple)?, b.integer(tuple)?)), &mut values),
            };
            if !done {
                return false;
            }
            VectorData::$variant(values)
        }};
    }
    let data = match call.register {
        Register::I32 => run!(take_i32, I32),
        Register::I64 => run!(take_i64, I64),
        _ => run!(take_i128, I128),
    };
    out.set(len, data, nulls);
    true
}

/// An integer that holds the quotient.
trait Quotient: Copy {
    fn of(value: i128) -> Self;
}

impl Quotient for i32 {
    #[inline(always)]
    fn of(value: i128) -> Self {
        value as i32
    }
}

impl Quotient for i64 {
    #[inline(always)]
    fn of(value: i128) -> Self {
        value as i64
    }
}

impl Quotient for i128 {
    #[inline(always)]
    fn of(value: i128) -> Self {
        value
    }
}

/// Some quotients on their way. Each loop is a kernel of its own: small enough to be inlined where it is vectorised.
struct Block {
    /// Quotients of the dividends as they are.
    whole: [i64; BLOCK],
    /// All digits behind them, so far.
    behind: [u64; BLOCK],
    /// What is left over.
    rest: [f64; BLOCK],
    divisors: [f64; BLOCK],
}

impl Block {
    fn new() -> Self {
        Block { whole: [0; BLOCK], behind: [0; BLOCK], rest: [0.0; BLOCK], divisors: [1.0; BLOCK] }
    }

    fn divide(&mut self, x: &[i64], y: &[i64]) {
        vectorised(|| {
            let out = self.whole.iter_mut().zip(&mut self.behind).zip(self.rest.iter_mut().zip(&mut self.divisors));
            for (((whole, behind), (rest, divisor)), (&x, &y)) in out.zip(x.iter().zip(y)) {
                let dividend = to_double(x.wrapping_abs());
                *divisor = to_double(y.wrapping_abs().max(1));
                let quotient = (dividend / *divisor).trunc();
                *whole = to_integer(quotient);
                *behind = 0;
                *rest = dividend - quotient * *divisor;
            }
        });
    }

    fn step(&mut self, step: u64, count: usize) {
        let factor = step as f64;
        vectorised(|| {
            let out = self.behind.iter_mut().zip(&mut self.rest).zip(&self.divisors).take(count);
            for ((behind, rest), &divisor) in out {
                let dividend = *rest * factor;
                let quotient = (dividend / divisor).trunc();
                *rest = dividend - quotient * divisor;
                *behind = behind.wrapping_mul(step).wrapping_add(to_integer(quotient) as u64);
            }
        });
    }

    /// Half away from zero.
    fn round(&mut self, count: usize) {
        vectorised(|| {
            let out = self.behind.iter_mut().zip(&self.rest).zip(&self.divisors).take(count);
            for ((behind, &rest), &divisor) in out {
                *behind += u64::from(rest + rest >= divisor);
            }
        });
    }
}

struct Division<'a> {
    shift: u8,
    /// The largest magnitude of the result's type.
    high: u128,
    valid: Option<&'a Bitmap>,
    len: usize,
}

impl Division<'_> {
    fn is_valid(&self, tuple: usize) -> bool {
        self.valid.is_none_or(|valid| valid.get(tuple))
    }

    /// Divides what is in 64 bits. A divisor 0 under a NULL counts as 1.
    fn narrow<T: Quotient>(&self, a: (&[i64], bool), b: (&[i64], bool), out: &mut Vec<T>) -> bool {
        let zero = vectorised(|| b.0.iter().fold(false, |zero, &value| zero | (value == 0)));
        if zero && (0..self.len).any(|tuple| b.0[if b.1 { 0 } else { tuple }] == 0 && self.is_valid(tuple)) {
            return false;
        }
        let (dividend, divisor) = vectorised(|| (largest(a.0), largest(b.0).max(1)));
        match self.steps(dividend, divisor) {
            // A quotient is no larger than its scaled dividend.
            Some(steps) if u128::from(dividend) * 10u128.pow(self.shift.into()) <= self.high => {
                self.in_steps::<T, false>(a, b, &steps, out)
            }
            Some(steps) => self.in_steps::<T, true>(a, b, &steps, out),
            None => {
                let at = |(values, constant): (&[i64], bool), tuple: usize| values[if constant { 0 } else { tuple }];
                self.wide(|tuple| Some((at(a, tuple).into(), at(b, tuple).into())), out)
            }
        }
    }

    /// The powers of ten of the steps in doubles, if they are few.
    fn steps(&self, dividend: u64, divisor: u64) -> Option<Vec<u64>> {
        if dividend >= EXACT || divisor >= EXACT || self.shift > SHIFT_MAX {
            return None;
        }
        let digits = ((EXACT - 1) / divisor).ilog10() as u8;
        let mut steps = Vec::new();
        let mut left = self.shift;
        while left > 0 {
            if digits == 0 || steps.len() == STEPS_MAX {
                return None;
            }
            steps.push(10u64.pow(digits.min(left).into()));
            left -= digits.min(left);
        }
        Some(steps)
    }

    fn in_steps<T: Quotient, const CHECKED: bool>(
        &self,
        a: (&[i64], bool),
        b: (&[i64], bool),
        steps: &[u64],
        out: &mut Vec<T>,
    ) -> bool {
        let unit = 10u64.pow(self.shift.into());
        let mut block = Block::new();
        let constant = |(values, constant): (&[i64], bool)| if constant { [values[0]; BLOCK] } else { [0; BLOCK] };
        let (a_constant, b_constant) = (constant(a), constant(b));
        let mut failed = false;
        for start in (0..self.len).step_by(BLOCK) {
            let count = BLOCK.min(self.len - start);
            let x = if a.1 { &a_constant[..count] } else { &a.0[start..start + count] };
            let y = if b.1 { &b_constant[..count] } else { &b.0[start..start + count] };
            block.divide(x, y);
            steps.iter().for_each(|&step| block.step(step, count));
            block.round(count);
            out.extend((0..count).map(|at| {
                let magnitude = u128::from(block.whole[at] as u64) * u128::from(unit) + u128::from(block.behind[at]);
                failed |= CHECKED && magnitude > self.high;
                T::of(if (x[at] ^ y[at]) < 0 { -(magnitude as i128) } else { magnitude as i128 })
            }));
        }
        !failed
    }

    /// Divides one by one, as the definition does.
    fn wide<T: Quotient>(&self, at: impl Fn(usize) -> Option<(i128, i128)>, out: &mut Vec<T>) -> bool {
        let unit = 10u128.pow(self.shift.into());
        for tuple in 0..self.len {
            if !self.is_valid(tuple) {
                out.push(T::of(0));
                continue;
            }
            let Some((a, b)) = at(tuple).filter(|&(_, b)| b != 0) else { return false };
            let (dividend, divisor) = (a.unsigned_abs(), b.unsigned_abs());
            let magnitude = match dividend.checked_mul(unit) {
                Some(dividend) => {
                    let (quotient, rest) = (dividend / divisor, dividend % divisor);
                    Some(quotient + u128::from(rest >= divisor - rest))
                }
                None => decimal::divide(a, 0, b, 0, self.shift).map(i128::unsigned_abs),
            };
            let Some(magnitude) = magnitude.filter(|&magnitude| magnitude <= self.high) else { return false };
            out.push(T::of(if (a < 0) != (b < 0) { -(magnitude as i128) } else { magnitude as i128 }));
        }
        true
    }
}
