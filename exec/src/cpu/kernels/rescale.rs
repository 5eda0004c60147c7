//! Integers and decimals at fewer digits: round, trunc, ceil and floor, and casts to a smaller scale. All are a division
//! by a power of ten, rounded in one of four ways, and perhaps a multiplication by another. Values below 2^51 are
//! divided as doubles (see `exact`), others as the definition does it.

use super::exact::{Cut, EXACT, bound, to_double, to_integer};
use super::integer::scale_up;
use super::{Call, Scratch, strict_nulls};
use crate::cpu::simd::kernel::vectorised;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::decimal;
use multiloop_planner::function::Function;

/// What becomes of the digits that are dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    HalfAway,
    TowardsZero,
    Up,
    Down,
}

struct Rescaling {
    rounding: Rounding,
    /// What values are divided by, and quotients multiplied by.
    down: i128,
    up: i128,
    bounds: (i128, i128),
}

/// Does the rounding, if it can: false if not, or if a result may be an error.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, scratch: &mut Scratch, out: &mut Vector) -> bool {
    let Some(bounds) = call.result.integer_bounds() else { return false };
    let rounding = match call.function {
        Function::Cast | Function::AssignCast | Function::Round => Rounding::HalfAway,
        Function::Truncate => Rounding::TowardsZero,
        Function::Ceil => Rounding::Up,
        Function::Floor => Rounding::Down,
        _ => return false,
    };
    let (from, to) = (call.types[0], call.result);
    let casts = matches!(call.function, Function::Cast | Function::AssignCast);
    let numbers = if casts {
        from.is_decimal() && (to.is_decimal() || to.is_integer())
    } else {
        from.is_decimal() && to.is_decimal() || from.is_integer() && to.is_integer()
    };
    let digits = match arguments.get(1) {
        _ if casts => Some(i128::from(to.scale())),
        None => Some(0),
        Some(digits) if digits.constant && !digits.is_null(0) => digits.integer(0),
        Some(_) => None,
    };
    let Some(digits) = digits.filter(|_| numbers).map(|digits| digits.min(to.scale().into())) else { return false };
    if digits >= from.scale().into() {
        return scale_up(call, arguments[0], to.scale() - from.scale(), len, bounds, scratch, out);
    }
    let (dropped, up) = (i128::from(from.scale()) - digits, i128::from(to.scale()) - digits);
    if dropped > 18 || up > dropped {
        return false;
    }
    let rescaling = Rescaling { rounding, down: 10i128.pow(dropped as u32), up: 10i128.pow(up as u32), bounds };
    rescaling.run(call.register, arguments[0], len, out)
}

impl Rescaling {
    fn run(&self, register: Register, argument: &Vector, len: usize, out: &mut Vector) -> bool {
        macro_rules! to {
            ($take:ident, $variant:ident, $values:expr, $largest:expr, $double:expr) => {{
                let mut values = out.$take();
                let small = u128::from(EXACT).saturating_sub(self.down.unsigned_abs());
                let done = if u128::from($largest) < small {
                    self.in_doubles($values, $double, &mut values)
                } else {
                    self.wide(argument, |value| value as _, &mut values)
                };
                if !done {
                    return false;
                }
                if argument.constant {
                    let value = values[0];
                    values.resize(len, value);
                }
                VectorData::$variant(values)
            }};
        }
        macro_rules! from {
            ($values:expr, $largest:expr, $double:expr) => {
                match register {
                    Register::I32 => to!(take_i32, I32, $values, $largest, $double),
                    Register::I64 => to!(take_i64, I64, $values, $largest, $double),
                    _ => to!(take_i128, I128, $values, $largest, $double),
                }
            };
        }
        let data = match &argument.data {
            VectorData::I32(values) => from!(values, 1u64 << 31, |value: i32| f64::from(value)),
            VectorData::I64(values) => {
                let largest = vectorised(|| super::exact::largest(values));
                from!(values, largest, to_double)
            }
            VectorData::I128(values) => {
                let largest = values.iter().fold(0, |largest: u128, value| largest.max(value.unsigned_abs()));
                from!(values, u64::try_from(largest).unwrap_or(u64::MAX), |value: i128| to_double(value as i64))
            }
            _ => return false,
        };
        let nulls = strict_nulls(&[argument], len, out);
        out.set(len, data, nulls);
        true
    }

    /// Magnitudes are less than 2^51 by as much as rounding may add.
    fn in_doubles<F: Copy, T: Cut>(&self, values: &[F], double: impl Fn(F) -> f64, out: &mut Vec<T>) -> bool {
        let (down, up) = (self.down as f64, self.up as f64);
        let (low, high) = (bound(self.bounds.0), bound(self.bounds.1));
        let mut failed = false;
        macro_rules! each {
            ($rounded:expr) => {
                vectorised(|| {
                    out.extend(values.iter().map(|&value| {
                        let result = $rounded(double(value)) * up;
                        failed |= (result < low) | (result > high);
                        T::cut(to_integer(result))
                    }))
                })
            };
        }
        // A power of ten is even.
        let half = down * 0.5;
        match self.rounding {
            Rounding::HalfAway => each!(|value: f64| ((value + half.copysign(value)) / down).trunc()),
            Rounding::TowardsZero => each!(|value: f64| (value / down).trunc()),
            Rounding::Up => each!(|value: f64| (value / down).ceil()),
            Rounding::Down => each!(|value: f64| (value / down).floor()),
        }
        !failed
    }

    fn wide<T>(&self, argument: &Vector, cut: impl Fn(i128) -> T, out: &mut Vec<T>) -> bool {
        let unit = self.down;
        for tuple in 0..argument.data.len() {
            if argument.is_null(tuple) {
                out.push(cut(0));
                continue;
            }
            let Some(value) = argument.integer(tuple) else { return false };
            let quotient = match self.rounding {
                Rounding::HalfAway => decimal::divide_rounded(value, unit),
                Rounding::TowardsZero => value / unit,
                Rounding::Up => value.div_euclid(unit) + i128::from(value.rem_euclid(unit) != 0),
                Rounding::Down => value.div_euclid(unit),
            };
            let within = |value: &i128| (self.bounds.0..=self.bounds.1).contains(value);
            let Some(result) = quotient.checked_mul(self.up).filter(within) else { return false };
            out.push(cut(result));
        }
        true
    }
}
