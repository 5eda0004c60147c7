//! Functions of NUMERICs over whole vectors: numbers whose digits 128 bits hold, with their scales, to such numbers, to
//! integers, doubles and truths. A vector with any other number, and whatever fails, is left to `numeric`, value by value.
//!
//! Scales are each value's own, as PostgreSQL shows them: a quotient has more digits behind the point the smaller it is.

use super::numeric::{digits, integer_at, narrow};
use super::{Call, Scratch, shown_quotient, strict_nulls};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::numerics::NumericVector;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::divisor::Divisor;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::DataType;
use std::cmp::Ordering;

/// Whether a call may be one of this file's.
pub(crate) fn takes(function: Function, types: &[DataType], result: DataType) -> bool {
    use Function as F;
    let is_exact = |data_type: &DataType| data_type.is_exact() || data_type.is_integer();
    match (function, types) {
        (F::Cast, [DataType::Double]) => result.is_exact(),
        (F::Cast, [DataType::Numeric]) => is_exact(&result) || result == DataType::Double,
        (F::Cast, [from]) => is_exact(from) && result == DataType::Numeric,
        (F::NarrowUp | F::NarrowDown | F::NarrowSame, [DataType::Numeric]) => result.is_decimal(),
        (F::Negate | F::Abs | F::Ceil | F::Floor | F::Round | F::Truncate | F::SquareRoot | F::DeviationOf, [from]) => {
            is_exact(from) && result == DataType::Numeric
        }
        (F::Add | F::Subtract | F::Multiply | F::Divide | F::Average | F::Round | F::Truncate, [a, b]) => {
            is_exact(a) && is_exact(b) && result == DataType::Numeric
        }
        (F::Greatest | F::Least, [DataType::Numeric, DataType::Numeric]) => result == DataType::Numeric,
        (_, [a, b]) => holds(function).is_some() && is_exact(a) && is_exact(b) && types.contains(&DataType::Numeric),
        _ => false,
    }
}

/// When a comparison is true, if the function is one.
fn holds(function: Function) -> Option<fn(Ordering) -> bool> {
    use Function as F;
    Some(match function {
        F::Equal | F::IsNotDistinct => Ordering::is_eq,
        F::NotEqual | F::IsDistinct => Ordering::is_ne,
        F::Less => Ordering::is_lt,
        F::LessEqual => Ordering::is_le,
        F::Greater => Ordering::is_gt,
        F::GreaterEqual => Ordering::is_ge,
        _ => return None,
    })
}

/// Applies a function to vectors of `len` tuples; false if it did nothing.
pub(crate) fn call(
    call: &Call<'_>,
    arguments: &[&Vector],
    len: usize,
    scratch: &mut Scratch,
    out: &mut Vector,
) -> bool {
    let nulls = strict_nulls(arguments, len, out);
    // NULLs are compared.
    if nulls.is_some() && matches!(call.function, Function::IsDistinct | Function::IsNotDistinct) {
        return false;
    }
    let is_extreme = matches!(call.function, Function::Greatest | Function::Least);
    let nulls = if is_extreme { either(arguments, len, nulls) } else { nulls };
    if let (Function::Divide | Function::Average, &[a, b]) = (call.function, arguments) {
        let mut quotients = out.take_numerics();
        if shown_quotient::divide(call, (a, b), (len, nulls.as_ref()), scratch, &mut quotients) {
            out.set(len, VectorData::Numerics(quotients), nulls);
            return true;
        }
        out.data = VectorData::Numerics(quotients);
    }
    let tuples = Tuples { len, valid: nulls.as_ref() };
    let (mut left, mut right) = (scratch.left.take_numerics(), scratch.right.take_numerics());
    let data = match (arguments, call.types) {
        ([a], &[DataType::Double]) => of_doubles(call, a, &tuples, out),
        (&[a], &[from]) => numbers(a, from, &mut left).and_then(|a| of_one(call, &a, &tuples, out)),
        (&[a, b], &[a_type, b_type]) => {
            numbers(a, a_type, &mut left).zip(numbers(b, b_type, &mut right)).and_then(|(x, y)| {
                if is_extreme {
                    extreme(call, (a, &x), (b, &y), &tuples, out)
                } else {
                    of_two(call, &x, &y, &tuples, out)
                }
            })
        }
        _ => None,
    };
    scratch.left.set(left.len(), VectorData::Numerics(left), None);
    scratch.right.set(right.len(), VectorData::Numerics(right), None);
    let Some(data) = data else { return false };
    out.set(len, data, nulls);
    true
}

/// Where one of the arguments is not NULL; none if that is everywhere. `nulls` is where both are not.
fn either(arguments: &[&Vector], len: usize, nulls: Option<Bitmap>) -> Option<Bitmap> {
    let mut either = nulls?;
    either.fill(len, |tuple| arguments.iter().any(|argument| !argument.is_null(tuple)));
    (!either.is_full()).then_some(either)
}

/// GREATEST and LEAST: of equal numbers the first, and what is not NULL.
fn extreme(
    call: &Call<'_>,
    (a_vector, a): (&Vector, &Numbers<'_>),
    (b_vector, b): (&Vector, &Numbers<'_>),
    tuples: &Tuples<'_>,
    out: &mut Vector,
) -> Option<VectorData> {
    let better = if call.function == Function::Greatest { Ordering::Greater } else { Ordering::Less };
    tuples.numerics(out, |tuple| {
        let (x, y) = (a.get(tuple), b.get(tuple));
        let takes_second = a_vector.is_null(tuple) || (!b_vector.is_null(tuple) && y.compare(x)? == better);
        Some(if takes_second { y } else { x })
    })
}

/// The numbers of a vector.
struct Numbers<'v> {
    unscaled: &'v [i128],
    scales: &'v [u8],
    /// One number stands for all.
    constant: bool,
}

impl Numbers<'_> {
    #[inline(always)]
    fn get(&self, tuple: usize) -> SmallNumeric {
        let position = if self.constant { 0 } else { tuple };
        SmallNumeric::new(self.unscaled[position], self.scales[position].into())
    }
}

/// The numbers of a vector, if 128 bits hold all of them.
fn numbers<'v>(vector: &'v Vector, data_type: DataType, held: &'v mut NumericVector) -> Option<Numbers<'v>> {
    let scale = data_type.scale();
    let numbers: &NumericVector = match &vector.data {
        VectorData::Numerics(numbers) => numbers,
        VectorData::I32(values) => {
            held.fill(values.iter().map(|&value| value.into()), scale);
            held
        }
        VectorData::I64(values) => {
            held.fill(values.iter().map(|&value| value.into()), scale);
            held
        }
        VectorData::I128(values) => {
            held.fill(values.iter().copied(), scale);
            held
        }
        VectorData::Text(_) | VectorData::Code { .. } => {
            let len = if vector.constant { 1 } else { vector.len };
            held.zeros(len);
            for tuple in (0..len).filter(|&tuple| !vector.is_null(tuple)) {
                if !held.set(tuple, SmallNumeric::decode(vector.text(tuple)?)?) {
                    return None;
                }
            }
            held
        }
        _ => return None,
    };
    Some(Numbers { unscaled: numbers.unscaled(), scales: numbers.scales(), constant: vector.constant })
}

/// For which tuples there is a result.
struct Tuples<'t> {
    len: usize,
    valid: Option<&'t Bitmap>,
}

impl Tuples<'_> {
    /// What a function gives for each tuple, put where it belongs; false once it gives none.
    #[inline(always)]
    fn each<R>(&self, value: impl Fn(usize) -> Option<R>, mut put: impl FnMut(usize, R) -> bool) -> bool {
        match self.valid {
            None => (0..self.len).all(|tuple| value(tuple).is_some_and(|value| put(tuple, value))),
            Some(valid) => {
                (0..self.len).all(|tuple| !valid.get(tuple) || value(tuple).is_some_and(|value| put(tuple, value)))
            }
        }
    }

    #[inline(always)]
    fn numerics(&self, out: &mut Vector, value: impl Fn(usize) -> Option<SmallNumeric>) -> Option<VectorData> {
        let mut numbers = out.take_numerics();
        numbers.zeros(self.len);
        self.each(value, |tuple, number| numbers.set(tuple, number)).then_some(VectorData::Numerics(numbers))
    }

    /// Integers that the register of the call holds: it is proven to hold whatever the type does.
    #[inline(always)]
    fn integers(
        &self,
        register: Register,
        out: &mut Vector,
        value: impl Fn(usize) -> Option<SmallNumeric>,
    ) -> Option<VectorData> {
        macro_rules! run {
            ($take:ident, $variant:ident, $type:ty) => {{
                let mut values = out.$take();
                values.resize(self.len, 0);
                let put = |tuple: usize, number: SmallNumeric| {
                    values[tuple] = number.unscaled as $type;
                    true
                };
                self.each(value, put).then_some(VectorData::$variant(values))
            }};
        }
        match register {
            Register::I32 => run!(take_i32, I32, i32),
            Register::I64 => run!(take_i64, I64, i64),
            Register::I128 => run!(take_i128, I128, i128),
            _ => None,
        }
    }
}

/// Casts of doubles.
fn of_doubles(call: &Call<'_>, doubles: &Vector, tuples: &Tuples<'_>, out: &mut Vector) -> Option<VectorData> {
    let VectorData::F64(values) = &doubles.data else { return None };
    let at = |tuple: usize| values[doubles.position(tuple)];
    let (to, scale) = (call.result, call.result.scale().into());
    match to {
        DataType::Numeric => tuples.numerics(out, |tuple| SmallNumeric::from_double(at(tuple))),
        to => tuples.integers(call.register, out, |tuple| {
            integer_at(SmallNumeric::leading_of_double(at(tuple))?.round(scale)?, to)
        }),
    }
}

fn of_one(call: &Call<'_>, a: &Numbers<'_>, tuples: &Tuples<'_>, out: &mut Vector) -> Option<VectorData> {
    use Function as F;
    let (to, scale) = (call.result, call.result.scale().into());
    match call.function {
        F::Cast if to == DataType::Numeric => tuples.numerics(out, |tuple| Some(a.get(tuple))),
        F::Cast if to == DataType::Double => {
            let mut values = out.take_f64();
            values.resize(tuples.len, 0.0);
            let double = |tuple: usize| {
                let number = a.get(tuple);
                Some(number.to_double().unwrap_or_else(|| Numeric::from(number).to_double()))
            };
            let put = |tuple: usize, double: f64| {
                values[tuple] = double;
                true
            };
            tuples.each(double, put).then_some(VectorData::F64(values))
        }
        F::Cast => tuples.integers(call.register, out, |tuple| integer_at(a.get(tuple).round(scale)?, to)),
        F::NarrowUp | F::NarrowDown | F::NarrowSame => {
            tuples.integers(call.register, out, |tuple| narrow(call.function, a.get(tuple), to))
        }
        F::Negate => tuples.numerics(out, |tuple| a.get(tuple).negate()),
        F::Abs => tuples.numerics(out, |tuple| a.get(tuple).abs()),
        F::Ceil => tuples.numerics(out, |tuple| a.get(tuple).ceil()),
        F::Floor => tuples.numerics(out, |tuple| a.get(tuple).floor()),
        F::Round => tuples.numerics(out, |tuple| a.get(tuple).round(0)),
        F::Truncate => tuples.numerics(out, |tuple| a.get(tuple).truncate(0)),
        F::SquareRoot => tuples.numerics(out, |tuple| a.get(tuple).square_root()),
        F::DeviationOf => tuples.numerics(out, |tuple| a.get(tuple).deviation()),
        _ => None,
    }
}

fn of_two(
    call: &Call<'_>,
    a: &Numbers<'_>,
    b: &Numbers<'_>,
    tuples: &Tuples<'_>,
    out: &mut Vector,
) -> Option<VectorData> {
    use Function as F;
    if let Some(holds) = holds(call.function) {
        let mut bits = out.take_bool();
        bits.reset(tuples.len, false);
        let value = |tuple: usize| a.get(tuple).compare(b.get(tuple));
        let put = |tuple: usize, order: Ordering| {
            if holds(order) {
                bits.set(tuple, true);
            }
            true
        };
        return tuples.each(value, put).then_some(VectorData::Bool(bits));
    }
    match call.function {
        F::Add => tuples.numerics(out, |tuple| a.get(tuple).checked_add(b.get(tuple))),
        F::Subtract => tuples.numerics(out, |tuple| a.get(tuple).checked_subtract(b.get(tuple))),
        F::Multiply => tuples.numerics(out, |tuple| a.get(tuple).checked_multiply(b.get(tuple))),
        // Where it fails, and where an average is NULL, the divisor is 0, and there is none.
        F::Divide | F::Average if b.constant => {
            let divisor = if tuples.len > 0 { Divisor::new(b.get(0)) } else { None };
            tuples.numerics(out, |tuple| divisor.as_ref()?.divide(a.get(tuple)))
        }
        F::Divide | F::Average => tuples.numerics(out, |tuple| a.get(tuple).checked_divide(b.get(tuple))),
        F::Round => tuples.numerics(out, |tuple| a.get(tuple).round(digits(b.get(tuple))?)),
        F::Truncate => tuples.numerics(out, |tuple| a.get(tuple).truncate(digits(b.get(tuple))?)),
        _ => None,
    }
}
