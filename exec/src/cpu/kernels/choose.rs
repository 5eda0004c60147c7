//! NULLIF, greatest and least.

use super::integer::{coerce, widened};
use super::{Call, Scratch, compare};
use crate::cpu::simd::kernel::vectorised;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::function::Function;

/// Does the function, if it can: false if not.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, scratch: &mut Scratch, out: &mut Vector) -> bool {
    match call.function {
        Function::NullIf => null_if(call, arguments[0], arguments[1], len, scratch, out),
        Function::Greatest => extreme::<true>(call, arguments, len, scratch, out),
        Function::Least => extreme::<false>(call, arguments, len, scratch, out),
        _ => false,
    }
}

/// The first argument, NULL where the second equals it.
fn null_if(call: &Call<'_>, a: &Vector, b: &Vector, len: usize, scratch: &mut Scratch, out: &mut Vector) -> bool {
    let mut nulls = out.take_nulls();
    if a.constant || !compare::truth(a, b, len, [true, false, true], scratch, &mut nulls) {
        return false;
    }
    // Now the positions that differ: those where the second is NULL count as such.
    if let Some(valid) = &b.nulls {
        let mut invalid = Bitmap::default();
        if b.constant {
            invalid.reset(len, !valid.get(0));
        } else {
            invalid.copy_from(valid);
            invalid.invert();
        }
        nulls.or(&invalid);
    }
    if let Some(valid) = &a.nulls {
        nulls.and(valid);
    }
    copy(a, out);
    coerce(out, call.register);
    out.nulls = (!nulls.is_full()).then_some(nulls);
    true
}

/// Makes `out` the values of a vector, in the memory it has; all are valid.
fn copy(from: &Vector, out: &mut Vector) {
    macro_rules! copied {
        ($take:ident, $variant:ident, $values:expr) => {{
            let mut values = out.$take();
            values.extend_from_slice($values);
            VectorData::$variant(values)
        }};
    }
    let data = match &from.data {
        VectorData::I32(values) => copied!(take_i32, I32, values),
        VectorData::I64(values) => copied!(take_i64, I64, values),
        VectorData::I128(values) => copied!(take_i128, I128, values),
        VectorData::F64(values) => copied!(take_f64, F64, values),
        other => other.clone(),
    };
    out.set(from.len, data, None);
}

/// The greatest or least of the arguments that are not NULL.
fn extreme<const GREATEST: bool>(
    call: &Call<'_>,
    arguments: &[&Vector],
    len: usize,
    scratch: &mut Scratch,
    out: &mut Vector,
) -> bool {
    macro_rules! run {
        ($take:ident, $variant:ident, $better:expr) => {{
            let mut best = out.$take();
            let mut valid: Option<Bitmap> = None;
            for (at, argument) in arguments.iter().enumerate() {
                let argument = widened(argument, call.register, &mut scratch.left);
                let VectorData::$variant(values) = &argument.data else { return false };
                // The scratch vector has no NULLs: they are the argument's.
                let nulls = arguments[at].nulls.as_ref();
                if at == 0 {
                    begin(values, (argument.constant, nulls), len, &mut best, &mut valid);
                } else {
                    let better = $better;
                    fold(values, (argument.constant, nulls), &mut best, &mut valid, better);
                }
            }
            out.set(len, VectorData::$variant(best), valid.filter(|valid| !valid.is_full()));
            true
        }};
    }
    match call.register {
        Register::I32 => run!(take_i32, I32, |a: i32, b: i32| if GREATEST { a > b } else { a < b }),
        Register::I64 => run!(take_i64, I64, |a: i64, b: i64| if GREATEST { a > b } else { a < b }),
        Register::I128 => run!(take_i128, I128, |a: i128, b: i128| if GREATEST { a > b } else { a < b }),
        // NaN is greater than all else.
        Register::F64 => run!(take_f64, F64, |a: f64, b: f64| if GREATEST {
            (a > b) | (a.is_nan() & !b.is_nan())
        } else {
            (a < b) | (!a.is_nan() & b.is_nan())
        }),
        _ => false,
    }
}

/// The first argument.
fn begin<T: Copy>(
    values: &[T],
    (constant, nulls): (bool, Option<&Bitmap>),
    len: usize,
    best: &mut Vec<T>,
    valid: &mut Option<Bitmap>,
) {
    if constant {
        best.resize(len, values[0]);
        *valid = nulls.map(|nulls| Bitmap::new(len, nulls.get(0)));
    } else {
        best.extend_from_slice(values);
        *valid = nulls.cloned();
    }
}

/// One more argument. Where nothing was valid so far it is the best.
fn fold<T: Copy>(
    values: &[T],
    (constant, nulls): (bool, Option<&Bitmap>),
    best: &mut [T],
    valid: &mut Option<Bitmap>,
    better: impl Fn(T, T) -> bool,
) {
    if constant && nulls.is_some_and(|nulls| !nulls.get(0)) {
        return;
    }
    let nulls = nulls.filter(|_| !constant);
    if nulls.is_none() && valid.is_none() {
        vectorised(|| {
            if constant {
                let value = values[0];
                best.iter_mut().for_each(|best| *best = if better(value, *best) { value } else { *best });
            } else {
                let pairs = best.iter_mut().zip(values);
                pairs.for_each(|(best, &value)| *best = if better(value, *best) { value } else { *best });
            }
        });
        return;
    }
    let seen = valid.take();
    for (at, best) in best.iter_mut().enumerate() {
        let value = values[if constant { 0 } else { at }];
        let known = seen.as_ref().is_none_or(|seen| seen.get(at));
        if nulls.is_none_or(|nulls| nulls.get(at)) && (!known || better(value, *best)) {
            *best = value;
        }
    }
    // NULL is only what was NULL so far and is here.
    *valid = seen.zip(nulls).map(|(mut seen, nulls)| {
        seen.or(nulls);
        seen
    });
}
