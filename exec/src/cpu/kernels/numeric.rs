//! Functions of NUMERICs, value by value: of texts, as columns have them, and in the tiles that have a value beyond what
//! `numeric_columns` does. Most numbers fit in 128 bits; what these do not hold, and every function that is not one of
//! the plain ones, is `evaluate`'s business.

use super::{Call, fallback, strict_nulls};
use crate::Result;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::numeric::key::key_of_encoded;
use multiloop_planner::numeric::powers::power_of_ten;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType};
use multiloop_planner::value::Value;
use std::cmp::Ordering;

/// A value that a function is applied to, or gives.
#[derive(Clone, Debug)]
enum Operand {
    /// A number (integer, decimal or numeric, as the type says) whose digits 128 bits hold.
    Number(SmallNumeric),
    /// Anything else.
    Other(Value),
}

impl Operand {
    /// The value of a tuple.
    fn of(vector: &Vector, tuple: usize, data_type: DataType) -> Operand {
        if vector.is_null(tuple) {
            return Operand::Other(Value::Null);
        }
        let number = match data_type {
            DataType::Numeric => vector.text(tuple).and_then(SmallNumeric::decode),
            DataType::Decimal { scale, .. } => {
                vector.integer(tuple).map(|unscaled| SmallNumeric::new(unscaled, scale.into()))
            }
            data_type if data_type.is_integer() => vector.integer(tuple).map(|unscaled| SmallNumeric::new(unscaled, 0)),
            _ => None,
        };
        number.map_or_else(|| Operand::Other(vector.value(tuple, data_type)), Operand::Number)
    }

    /// The value, of a type.
    fn value(&self, data_type: DataType) -> Value {
        match self {
            Operand::Other(value) => value.clone(),
            Operand::Number(number) => match data_type {
                DataType::Numeric => Value::numeric((*number).into()),
                DataType::Decimal { .. } => Value::Decimal(number.unscaled),
                _ => Value::Int(number.unscaled as i64),
            },
        }
    }
}

/// Whether a call is one of this file's.
pub(super) fn takes(function: Function, types: &[DataType], result: DataType) -> bool {
    // These pass a text on as it is.
    let passes_on = matches!(function, Function::Case | Function::Coalesce | Function::IsNull | Function::IsNotNull);
    !passes_on && (result == DataType::Numeric || types.contains(&DataType::Numeric))
}

/// Applies a function that is not lazy.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<()> {
    if let (Function::NumericKey, Register::Text, [Vector { data: VectorData::Text(numbers), constant: false, .. }]) =
        (call.function, call.register, arguments)
    {
        let mut keys = out.take_text();
        keys.slices_of(numbers, |number| (0, key_of_encoded(number).len()));
        let nulls = strict_nulls(arguments, len, out);
        out.set(len, VectorData::Text(keys), nulls);
        return Ok(());
    }
    let is_numeric = call.result == DataType::Numeric;
    let (mut texts, mut text, mut valid, mut values) = (out.take_text(), String::new(), Vec::new(), Vec::new());
    let mut operands = vec![Operand::Other(Value::Null); arguments.len()];
    for tuple in 0..len {
        for ((operand, &argument), &data_type) in operands.iter_mut().zip(arguments).zip(call.types) {
            if !argument.constant || tuple == 0 {
                *operand = Operand::of(argument, tuple, data_type);
            }
        }
        let found = apply(call, &operands)?;
        if is_numeric {
            text.clear();
            match &found {
                Operand::Number(number) => number.encode_into(&mut text),
                Operand::Other(Value::Numeric(number)) => number.encode_into(&mut text),
                Operand::Other(_) => {}
            }
            texts.push(&text);
            valid.push(!text.is_empty());
        } else {
            values.push(found.value(call.result));
        }
    }
    if !is_numeric {
        out.set_values(&values, call.register);
        return Ok(());
    }
    let nulls = valid.contains(&false).then(|| {
        let mut nulls = out.take_nulls();
        nulls.fill(len, |tuple| valid[tuple]);
        nulls
    });
    out.set(len, VectorData::Text(texts), nulls);
    Ok(())
}

fn apply(call: &Call<'_>, operands: &[Operand]) -> Result<Operand> {
    let narrow = match operands {
        [Operand::Number(a)] => of_one(call.function, *a, call.result),
        [Operand::Number(a), Operand::Number(b)] => of_two(call.function, *a, *b, call.result),
        _ => None,
    };
    if let Some(found) = narrow {
        return Ok(found);
    }
    let arguments: Vec<Value> =
        operands.iter().zip(call.types).map(|(operand, &data_type)| operand.value(data_type)).collect();
    fallback::one(call.function, &arguments, call.types, call.result).map(Operand::Other)
}

/// A function of one number; None if it is for `evaluate`.
fn of_one(function: Function, a: SmallNumeric, result: DataType) -> Option<Operand> {
    use Function as F;
    match function {
        F::Cast => cast(a, result),
        F::NarrowUp | F::NarrowDown | F::NarrowSame => narrow(function, a, result).map(Operand::Number),
        _ if result != DataType::Numeric => None,
        F::Negate => a.negate().map(Operand::Number),
        F::Abs => a.abs().map(Operand::Number),
        F::Ceil => a.ceil().map(Operand::Number),
        F::Floor => a.floor().map(Operand::Number),
        F::Round => a.round(0).map(Operand::Number),
        F::Truncate => a.truncate(0).map(Operand::Number),
        F::SquareRoot => a.square_root().map(Operand::Number),
        F::DeviationOf => a.deviation().map(Operand::Number),
        _ => None,
    }
}

/// A function of two numbers; None if it is for `evaluate`.
fn of_two(function: Function, a: SmallNumeric, b: SmallNumeric, result: DataType) -> Option<Operand> {
    use Function as F;
    let truth = |holds: fn(Ordering) -> bool| a.compare(b).map(|order| Operand::Other(Value::Boolean(holds(order))));
    match function {
        F::Equal | F::IsNotDistinct => truth(Ordering::is_eq),
        F::NotEqual | F::IsDistinct => truth(Ordering::is_ne),
        F::Less => truth(Ordering::is_lt),
        F::LessEqual => truth(Ordering::is_le),
        F::Greater => truth(Ordering::is_gt),
        F::GreaterEqual => truth(Ordering::is_ge),
        _ if result != DataType::Numeric => None,
        F::Average if b.unscaled == 0 => Some(Operand::Other(Value::Null)),
        F::Add => a.checked_add(b).map(Operand::Number),
        F::Subtract => a.checked_subtract(b).map(Operand::Number),
        F::Multiply => a.checked_multiply(b).map(Operand::Number),
        F::Divide | F::Average => a.checked_divide(b).map(Operand::Number),
        F::Round => a.round(digits(b)?).map(Operand::Number),
        F::Truncate => a.truncate(digits(b)?).map(Operand::Number),
        _ => None,
    }
}

/// Digits to which a number is rounded: an integer.
pub(super) fn digits(number: SmallNumeric) -> Option<u32> {
    if number.scale == 0 { u32::try_from(number.unscaled).ok() } else { None }
}

/// The cast to a type, of what it holds.
fn cast(number: SmallNumeric, to: DataType) -> Option<Operand> {
    match to {
        DataType::Numeric => Some(Operand::Number(number)),
        DataType::Double => Some(Operand::Other(Value::Float(number.to_double()?))),
        to => integer_at(number.round(to.scale().into())?, to).map(Operand::Number),
    }
}

/// An integer or decimal of the type's scale, if the type has room for it.
#[inline]
pub(super) fn integer_at(number: SmallNumeric, to: DataType) -> Option<SmallNumeric> {
    let (low, high) = if to.is_integer() || to.is_decimal() { to.integer_bounds()? } else { return None };
    (low..=high).contains(&number.unscaled).then_some(number)
}

/// The decimal next to a number, or the last one on its side.
#[inline]
pub(super) fn narrow(function: Function, number: SmallNumeric, to: DataType) -> Option<SmallNumeric> {
    let DataType::Decimal { precision, scale } = to else { return None };
    let limit = power_of_ten(precision.into())? - i128::from(precision < DECIMAL_DIGITS_MAX);
    let units = match number.scale.checked_sub(scale.into()) {
        Some(0) => number.unscaled,
        Some(more) => {
            let power = power_of_ten(more)?;
            let down = match (i64::try_from(number.unscaled), i64::try_from(power)) {
                (Ok(unscaled), Ok(power)) => unscaled.div_euclid(power).into(),
                _ => number.unscaled.div_euclid(power),
            };
            match function {
                Function::NarrowUp if down * power != number.unscaled => down + 1,
                // What lies beyond the bound is the bound on its side.
                Function::NarrowSame if down * power != number.unscaled && down >= -limit => limit,
                _ => down,
            }
        }
        None => {
            let factor = power_of_ten(u32::from(scale) - number.scale)?;
            number.unscaled.checked_mul(factor).unwrap_or(limit * number.unscaled.signum())
        }
    };
    Some(SmallNumeric::new(units.clamp(-limit, limit), scale.into()))
}
