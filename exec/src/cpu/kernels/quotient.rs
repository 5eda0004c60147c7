//! Division of decimals: `a * 10^shift / b`, rounded half away from zero, where the scales give the shift.
//!
//! The scaled dividend seldom fits 64 bits, so the quotient is computed as on paper: first of the dividend as it is,
//! then of what is left over, times a power of ten, and so on: with divisors below `d`, a step may have as many digits
//! as keep `d` times its power of ten within the numbers at hand. These are doubles, eight at once, if operands are
//! below 2^51 (see `exact`) and a few steps are enough; else 128-bit integers.

use super::exact::{EXACT, largest, narrowed, to_double, to_integer};
use super::{Call, Scratch, strict_nulls, vectorised};
use crate::cpu::bitmap::Bitmap;
use crate::cpu::vector::{Register, Vector, VectorData};
use multiloop_planner::evaluate::decimal;
use multiloop_planner::function::Function;

/// Values that are divided together, step by step.
const BLOCK: usize = 128;
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
                vectorised(|| self.in_steps::<T, false>(a, b, &steps, out))
            }
            Some(steps) => vectorised(|| self.in_steps::<T, true>(a, b, &steps, out)),
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

    #[inline(always)]
    fn in_steps<T: Quotient, const CHECKED: bool>(
        &self,
        a: (&[i64], bool),
        b: (&[i64], bool),
        steps: &[u64],
        out: &mut Vec<T>,
    ) -> bool {
        let unit = 10u128.pow(self.shift.into());
        let constant = |(values, constant): (&[i64], bool)| if constant { [values[0]; BLOCK] } else { [0; BLOCK] };
        let (a_constant, b_constant) = (constant(a), constant(b));
        let mut failed = false;
        for start in (0..self.len).step_by(BLOCK) {
            let count = BLOCK.min(self.len - start);
            let x = if a.1 { &a_constant[..count] } else { &a.0[start..start + count] };
            let y = if b.1 { &b_constant[..count] } else { &b.0[start..start + count] };
            // Quotients of the dividends as they are, all digits behind them, what is left over, divisors.
            let (mut whole, mut behind) = ([0i64; BLOCK], [0u64; BLOCK]);
            let (mut rest, mut divisors) = ([0f64; BLOCK], [0f64; BLOCK]);
            for at in 0..count {
                let (dividend, divisor) = (to_double(x[at].abs()), to_double(y[at].abs().max(1)));
                let quotient = (dividend / divisor).trunc();
                whole[at] = to_integer(quotient);
                rest[at] = dividend - quotient * divisor;
                divisors[at] = divisor;
            }
            for &step in steps {
                let factor = step as f64;
                for at in 0..count {
                    let dividend = rest[at] * factor;
                    let quotient = (dividend / divisors[at]).trunc();
                    rest[at] = dividend - quotient * divisors[at];
                    behind[at] = behind[at].wrapping_mul(step).wrapping_add(to_integer(quotient) as u64);
                }
            }
            for at in 0..count {
                behind[at] += u64::from(rest[at] + rest[at] >= divisors[at]);
            }
            out.extend((0..count).map(|at| {
                let magnitude = whole[at] as u64 as u128 * (unit as u64 as u128) + u128::from(behind[at]);
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
