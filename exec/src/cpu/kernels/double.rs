//! Functions of doubles, and casts between doubles, reals and integers. The functions are those that the definition
//! calls, so results agree to the last bit. A result that may be an error, or that the definition knows better (NaN,
//! infinities, zeros that may be an underflow), is left to `fallback`.

use super::exact::{Cut, EXACT, bound, narrowed, to_integer};
use super::{Call, Scratch, strict_nulls};
use crate::cpu::simd::kernel::vectorised;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::math_of;
use multiloop_planner::function::{Function, MathFunction};
use multiloop_planner::types::DataType;
use std::f64::consts::PI;

/// Does the function, if it can: false if not, or if a result needs a closer look.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, scratch: &mut Scratch, out: &mut Vector) -> bool {
    let casts = matches!(call.function, Function::Cast | Function::AssignCast);
    if casts && call.types[0].is_float() && call.result.is_integer() {
        return to_integers(call, arguments[0], len, out);
    }
    if call.register != Register::F64 {
        return false;
    }
    let mut values = out.take_f64();
    let done = match (arguments, arguments.first().map(|argument| &argument.data)) {
        ([argument], Some(VectorData::F64(from))) => {
            (if casts { between(call, from, &mut values) } else { unary(call.function, from, &mut values) }) && {
                spread(argument, len, &mut values);
                true
            }
        }
        ([argument], _) if casts && call.result == DataType::Real => {
            of_integers(call.types[0], argument, scratch, &mut values) && {
                spread(argument, len, &mut values);
                true
            }
        }
        ([a, b], Some(VectorData::F64(x))) => match &b.data {
            VectorData::F64(y) => {
                let at = |tuple: usize| (x[a.position(tuple)], y[b.position(tuple)]);
                binary(call, len, at, &mut values)
            }
            _ => false,
        },
        _ => false,
    };
    if done {
        let nulls = strict_nulls(arguments, len, out);
        out.set(len, VectorData::F64(values), nulls);
    }
    done
}

/// Gives every tuple the value of a constant.
fn spread(argument: &Vector, len: usize, values: &mut Vec<f64>) {
    if argument.constant {
        let value = values[0];
        values.resize(len, value);
    }
}

fn unary(function: Function, from: &[f64], out: &mut Vec<f64>) -> bool {
    use Function as F;
    /// All results are right.
    macro_rules! total {
        ($function:expr) => {{
            vectorised(|| out.extend(from.iter().map(|&a: &f64| $function(a))));
            true
        }};
    }
    /// Results are right if they are finite (and not zero, where `$odd` says so).
    macro_rules! finite {
        ($run:ident, $function:expr, $odd:expr) => {{
            let mut unusual = false;
            $run(|| {
                out.extend(from.iter().map(|&a: &f64| {
                    let value: f64 = $function(a);
                    unusual |= !value.is_finite() | $odd(value);
                    value
                }));
            });
            !unusual
        }};
    }
    let never = |_: f64| false;
    match function {
        F::Negate => total!(|a: f64| -a),
        F::Abs => total!(f64::abs),
        F::Sign => total!(|a: f64| f64::from(u8::from(a > 0.0)) - f64::from(u8::from(a < 0.0))),
        F::Ceil => total!(f64::ceil),
        F::Floor => total!(f64::floor),
        F::Round => total!(f64::round_ties_even),
        F::Truncate => total!(f64::trunc),
        F::SquareRoot => finite!(vectorised, f64::sqrt, never),
        F::Degrees => finite!(vectorised, |a: f64| a / (PI / 180.0), never),
        F::Radians => finite!(vectorised, |a: f64| a * (PI / 180.0), never),
        F::CubeRoot => finite!(plainly, f64::cbrt, never),
        F::Exp => finite!(plainly, f64::exp, |value: f64| value == 0.0),
        F::Ln => finite!(plainly, f64::ln, never),
        F::Log10 => finite!(plainly, f64::log10, never),
        F::Sin => finite!(plainly, f64::sin, never),
        F::Cos => finite!(plainly, f64::cos, never),
        F::Tan => finite!(plainly, f64::tan, never),
        F::Asin => finite!(plainly, f64::asin, never),
        F::Acos => finite!(plainly, f64::acos, never),
        F::Atan => finite!(plainly, f64::atan, never),
        F::Math(MathFunction::Sigmoid) => {
            out.extend(from.iter().map(|&a| math_of(MathFunction::Sigmoid, a)));
            true
        }
        // NaN where there is no value.
        F::Math(function) => finite!(plainly, |a: f64| math_of(function, a), never),
        _ => false,
    }
}

/// Runs a kernel of calls to the standard library: there is nothing to vectorise.
fn plainly(kernel: impl FnOnce()) {
    kernel();
}

fn binary(call: &Call<'_>, len: usize, at: impl Fn(usize) -> (f64, f64), out: &mut Vec<f64>) -> bool {
    let mut unusual = false;
    macro_rules! run {
        ($function:expr, $odd:expr) => {
            out.extend((0..len).map(|tuple| {
                let (a, b) = at(tuple);
                let value: f64 = $function(a, b);
                unusual |= !value.is_finite() | $odd(a, b, value);
                value
            }))
        };
    }
    match call.function {
        Function::Power => run!(f64::powf, |a: f64, _, value: f64| value == 0.0 && a != 0.0),
        Function::Atan2 => run!(f64::atan2, |_, _, _| false),
        Function::Modulo if call.result == DataType::Double => run!(|a: f64, b: f64| a % b, |_, b, _| b == 0.0),
        Function::Modulo => {
            run!(|a: f64, b: f64| f64::from((a as f32) % (b as f32)), |_, b, _| b == 0.0);
        }
        _ => return false,
    }
    !unusual
}

/// Casts between double and real.
fn between(call: &Call<'_>, from: &[f64], out: &mut Vec<f64>) -> bool {
    if call.result == DataType::Double || call.types[0] == DataType::Real {
        out.extend_from_slice(from);
        return call.types[0].is_float();
    }
    let mut unusual = false;
    vectorised(|| {
        out.extend(from.iter().map(|&value| {
            let real = f64::from(value as f32);
            unusual |= !real.is_finite() | ((real == 0.0) & (value != 0.0));
            real
        }));
    });
    !unusual
}

/// Casts integers and decimals to real: a decimal by way of the nearest double, if that is not in the middle between
/// two reals, where it may have been rounded to.
fn of_integers(from: DataType, argument: &Vector, scratch: &mut Scratch, out: &mut Vec<f64>) -> bool {
    let Some(integers) = narrowed(argument, &mut scratch.left) else { return false };
    if from.is_integer() {
        out.extend(integers.iter().map(|&integer| f64::from(integer as f32)));
        return true;
    }
    if !from.is_decimal() || from.scale() > 22 {
        return false;
    }
    /// The bits of a double that a real does not have.
    const LOST: u64 = (1 << 29) - 1;
    let unit = 10f64.powi(from.scale().into());
    let mut unusual = false;
    out.extend(integers.iter().map(|&integer| {
        let double = integer as f64 / unit;
        unusual |= integer.unsigned_abs() > 1 << f64::MANTISSA_DIGITS || double.to_bits() & LOST == 1 << 28;
        f64::from(double as f32)
    }));
    !unusual
}

/// Casts to integers: the nearest, half to even.
fn to_integers(call: &Call<'_>, argument: &Vector, len: usize, out: &mut Vector) -> bool {
    let (VectorData::F64(from), Some((low, high))) = (&argument.data, call.result.integer_bounds()) else {
        return false;
    };
    macro_rules! to {
        ($take:ident, $variant:ident) => {{
            let mut values = out.$take();
            if !vectorised(|| rounded(from, (bound(low), bound(high)), &mut values)) {
                return false;
            }
            if argument.constant {
                let value = values[0];
                values.resize(len, value);
            }
            VectorData::$variant(values)
        }};
    }
    let data = match call.register {
        Register::I32 => to!(take_i32, I32),
        Register::I64 => to!(take_i64, I64),
        _ => to!(take_i128, I128),
    };
    let nulls = strict_nulls(&[argument], len, out);
    out.set(len, data, nulls);
    true
}

/// False if a value is NaN, out of bounds or large.
#[inline(always)]
fn rounded<T: Cut>(from: &[f64], (low, high): (f64, f64), out: &mut Vec<T>) -> bool {
    let exact = EXACT as f64;
    let mut usual = true;
    out.extend(from.iter().map(|&value| {
        let value = value.round_ties_even();
        usual &= (value >= low) & (value <= high) & (value.abs() < exact);
        T::cut(to_integer(value))
    }));
    usual
}
