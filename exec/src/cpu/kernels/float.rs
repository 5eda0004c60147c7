//! Arithmetic of floats, and casts to double. A real is computed in double and rounded, which is the same as
//! computing in single precision. Results that may be an overflow, an underflow or a division by zero are left to
//! `fallback`, which knows.

use super::exact::{EXACT, largest, narrowed, to_double};
use super::{Call, Scratch, strict_nulls};
use crate::cpu::simd::kernel::{append, append_pairs, kernel, vectorised};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// Does the arithmetic, if it can: false if not, or if a result needs a closer look.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, scratch: &mut Scratch, out: &mut Vector) -> bool {
    use Function as F;
    let known = matches!(call.function, F::Cast | F::Add | F::Subtract | F::Multiply | F::Divide);
    if call.register != Register::F64 || !known {
        return false;
    }
    let mut values = out.take_f64();
    let done = match (call.function, arguments) {
        (Function::Cast, [argument]) if call.result == DataType::Double => {
            cast(argument, call.types[0], len, scratch, &mut values)
        }
        (Function::Add | Function::Subtract | Function::Multiply | Function::Divide, [a, b]) => {
            match (&a.data, &b.data) {
                (VectorData::F64(x), VectorData::F64(y)) => {
                    let operands = [(&x[..], a.constant), (&y[..], b.constant)];
                    binary(call, len, operands, &mut values)
                }
                _ => false,
            }
        }
        _ => false,
    };
    if !done {
        return false;
    }
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, VectorData::F64(values), nulls);
    true
}

/// Floats, and whether one stands for all tuples.
type Operand<'a> = (&'a [f64], bool);

kernel! {
    fn binary[](call: &Call<'_>, len: usize, operands: [Operand<'_>; 2], values: &mut Vec<f64>) -> bool {
        let [a, b] = operands;
        let real = call.result == DataType::Real;
        let rounded = |value: f64| if real { f64::from(value as f32) } else { value };
        let mut unusual = false;
        macro_rules! run {
            ($operation:expr, $odd:expr) => {{
                let mut each = |a: f64, b: f64| {
                    let value = rounded($operation(a, b));
                    unusual |= !value.is_finite() | $odd(a, b, value);
                    value
                };
                match (a, b) {
                    ((a, false), (b, false)) => append_pairs(values, a, b, each),
                    ((a, false), (b, true)) => append(values, a, |a| each(a, b[0])),
                    ((a, true), (b, false)) => append(values, b, |b| each(a[0], b)),
                    ((a, true), (b, true)) => values.resize(len, each(a[0], b[0])),
                }
            }};
        }
        match call.function {
            Function::Add => run!(|a: f64, b: f64| a + b, |_, _, _| false),
            Function::Subtract => run!(|a: f64, b: f64| a - b, |_, _, _| false),
            Function::Multiply => {
                run!(|a: f64, b: f64| a * b, |a: f64, b: f64, value: f64| (value == 0.0) & (a != 0.0) & (b != 0.0));
            }
            _ => run!(|a: f64, b: f64| a / b, |a: f64, b: f64, value: f64| (b == 0.0) | ((value == 0.0) & (a != 0.0))),
        }
        !unusual
    }
}

/// Integers and decimals that are exact in a double, divided by an exact power of ten: rounded once.
fn cast(argument: &Vector, from: DataType, len: usize, scratch: &mut Scratch, values: &mut Vec<f64>) -> bool {
    if from.scale() > 22 || !(from.is_integer() || from.is_decimal()) {
        return false;
    }
    let unit = 10f64.powi(from.scale().into());
    debug_assert_eq!(unit, 10i128.pow(from.scale().into()) as f64, "powers of ten up to 22 are exact");
    if let VectorData::I32(integers) = &argument.data {
        vectorised(|| values.extend(integers.iter().map(|&integer| f64::from(integer) / unit)));
    } else {
        let Some(integers) = narrowed(argument, &mut scratch.left) else { return false };
        let largest = vectorised(|| largest(integers));
        if from.is_decimal() && largest > 1 << f64::MANTISSA_DIGITS {
            return false;
        }
        if largest < EXACT {
            vectorised(|| values.extend(integers.iter().map(|&integer| to_double(integer) / unit)));
        } else {
            values.extend(integers.iter().map(|&integer| integer as f64 / unit));
        }
    }
    if argument.constant {
        let value = values[0];
        values.resize(len, value);
    }
    debug_assert_eq!(values.len(), len, "a value a tuple");
    true
}
