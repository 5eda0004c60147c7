//! Functions of integers that are one instruction or two: absolute value, sign, bits, days added to a date, casts to
//! boolean.

use super::exact::{Cut, narrowed};
use super::{Call, Scratch, fill_truth_of, strict_nulls};
use crate::cpu::simd::kernel::{append, append_pairs, kernel};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::calendar::{DAYS_MAX, DAYS_MIN};
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// Does the function, if it can: false if not, or if a result may be an error.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, scratch: &mut Scratch, out: &mut Vector) -> bool {
    let Scratch { left, right } = scratch;
    let booleans = matches!(call.function, Function::Cast | Function::AssignCast) && call.result == DataType::Boolean;
    let integers = matches!(call.register, Register::I32 | Register::I64 | Register::I128);
    match arguments {
        [a] if booleans && call.types[0].is_integer() && !a.constant => {
            let Some(values) = narrowed(a, left) else { return false };
            let mut bits = out.take_bool();
            fill_truth_of(values, &mut bits, |value| value != 0);
            let nulls = strict_nulls(arguments, len, out);
            out.set(len, VectorData::Bool(bits), nulls);
            true
        }
        [Vector { data: VectorData::Bool(truth), constant: false, .. }]
            if matches!(call.function, Function::Cast | Function::AssignCast) && call.result.is_integer() =>
        {
            let mut values = out.take_i32();
            values.extend((0..len).map(|tuple| i32::from(truth.get(tuple))));
            let nulls = strict_nulls(arguments, len, out);
            out.set(len, VectorData::I32(values), nulls);
            super::integer::coerce(out, call.register);
            true
        }
        [a] if integers => {
            let Some(values) = narrowed(a, left) else { return false };
            unary(call, (values, a.constant), len, out) && finish(arguments, len, out)
        }
        [a, b] if integers && knows(call.function) => {
            let (Some(x), Some(y)) = (narrowed(a, left), narrowed(b, right)) else { return false };
            binary(call, (x, a.constant), (y, b.constant), len, out) && finish(arguments, len, out)
        }
        _ => false,
    }
}

fn knows(function: Function) -> bool {
    use Function as F;
    matches!(
        function,
        F::BitAnd | F::BitOr | F::BitXor | F::ShiftLeft | F::ShiftRight | F::DateAddDays | F::DateSubtractDays
    )
}

/// Sets the validity of values that are there.
fn finish(arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    out.nulls = strict_nulls(arguments, len, out);
    true
}

/// Computes into the register and checks every result that may leave its bounds.
macro_rules! into_register {
    ($register:expr, $len:expr, $out:expr, |$values:ident| $run:expr) => {{
        let data = match $register {
            Register::I32 => {
                let mut $values = $out.take_i32();
                $run;
                VectorData::I32($values)
            }
            Register::I64 => {
                let mut $values = $out.take_i64();
                $run;
                VectorData::I64($values)
            }
            _ => {
                let mut $values = $out.take_i128();
                $run;
                VectorData::I128($values)
            }
        };
        let nulls = $out.nulls.take();
        $out.set($len, data, None);
        // Its memory is used again.
        $out.nulls = nulls;
    }};
}

fn unary(call: &Call<'_>, (a, constant): Operand<'_>, len: usize, out: &mut Vector) -> bool {
    let Some((_, high)) = call.result.integer_bounds() else { return false };
    let high = i64::try_from(high).unwrap_or(i64::MAX);
    let scale = call.result.scale();
    if scale > 18 {
        return false;
    }
    let unit = 10i64.pow(scale.into());
    let mut failed = false;
    macro_rules! run {
        ($function:expr) => {
            into_register!(call.register, len, out, |values| map((a, constant), len, &mut values, $function))
        };
    }
    match call.function {
        Function::Abs => run!(|a: i64| {
            let value = a.wrapping_abs();
            failed |= (value < 0) | (value > high);
            value
        }),
        Function::Sign => run!(|a: i64| a.signum() * unit),
        Function::BitNot => run!(|a: i64| !a),
        _ => return false,
    }
    !failed
}

/// Integers, and whether one stands for all tuples.
type Operand<'a> = (&'a [i64], bool);

kernel! {
    fn map[T: Cut](operand: Operand<'_>, len: usize, out: &mut Vec<T>, function: impl FnMut(i64) -> i64) {
        let mut each = function;
        match operand {
            (a, true) => out.resize(len, T::cut(each(a[0]))),
            (a, false) => append(out, a, |a| T::cut(each(a))),
        }
    }
}

fn binary(call: &Call<'_>, a: Operand<'_>, b: Operand<'_>, len: usize, out: &mut Vector) -> bool {
    use Function as F;
    let mut failed = false;
    macro_rules! run {
        ($function:expr) => {
            into_register!(call.register, len, out, |values| map_pairs([a, b], len, &mut values, $function))
        };
    }
    // What is added to an infinity may lead to a date.
    let mut date = |from: i64, days: i64| {
        failed |= !(DAYS_MIN..=DAYS_MAX).contains(&days) || !(DAYS_MIN..=DAYS_MAX).contains(&from);
        days
    };
    match (call.function, call.result) {
        (F::BitAnd, _) => run!(|a: i64, b: i64| a & b),
        (F::BitOr, _) => run!(|a: i64, b: i64| a | b),
        (F::BitXor, _) => run!(|a: i64, b: i64| a ^ b),
        (F::ShiftLeft, DataType::BigInt) => run!(|a: i64, b: i64| a.wrapping_shl(b as u32)),
        (F::ShiftLeft, DataType::SmallInt) => {
            run!(|a: i64, b: i64| i64::from((a as i32).wrapping_shl(b as u32) as i16));
        }
        (F::ShiftLeft, _) => run!(|a: i64, b: i64| i64::from((a as i32).wrapping_shl(b as u32))),
        (F::ShiftRight, DataType::BigInt) => run!(|a: i64, b: i64| a.wrapping_shr(b as u32)),
        (F::ShiftRight, _) => run!(|a: i64, b: i64| i64::from((a as i32).wrapping_shr(b as u32))),
        (F::DateAddDays, _) => run!(|a: i64, b: i64| date(a, a.saturating_add(b))),
        _ => run!(|a: i64, b: i64| date(a, a.saturating_sub(b))),
    }
    !failed
}

kernel! {
    fn map_pairs[T: Cut](
        operands: [Operand<'_>; 2],
        len: usize,
        out: &mut Vec<T>,
        function: impl FnMut(i64, i64) -> i64,
    ) {
        let mut each = function;
        match operands {
            [(a, false), (b, false)] => append_pairs(out, a, b, |a, b| T::cut(each(a, b))),
            [(a, false), (b, true)] => append(out, a, |a| T::cut(each(a, b[0]))),
            [(a, true), (b, false)] => append(out, b, |b| T::cut(each(a[0], b))),
            [(a, true), (b, true)] => out.resize(len, T::cut(each(a[0], b[0]))),
        }
    }
}
