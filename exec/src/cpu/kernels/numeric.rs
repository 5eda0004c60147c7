//! Functions of NUMERICs, value by value. Most numbers fit in 128 bits; what these do not hold, and every function that is not
//! one of the plain ones, is `evaluate`'s business. A value is taken out of a vector once and put into one once, since a
//! column of numerics is text: between two functions of a tree stands an [`Operand`].

use super::{Call, fallback};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use crate::{Error, Result};
use multiloop_planner::error::Position;
use multiloop_planner::function::Function;
use multiloop_planner::numeric::powers::power_of_ten;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::cmp::Ordering;

/// A value that a function is applied to, or gives.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// A number (integer, decimal or numeric, as the type says) whose digits 128 bits hold.
    Number(SmallNumeric),
    /// Anything else.
    Other(Value),
}

/// Integers that a double holds exactly, and so many powers of ten: their quotient is the nearest double.
const EXACT_INTEGER_MAX: u128 = 1 << 53;
const EXACT_POWER_MAX: u32 = 22;

impl Operand {
    /// The value of a tuple.
    pub(crate) fn of(vector: &Vector, tuple: usize, data_type: DataType) -> Operand {
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

    fn number(&self) -> Option<SmallNumeric> {
        if let Operand::Number(number) = self { Some(*number) } else { None }
    }

    /// The value, of a type.
    pub(crate) fn value(&self, data_type: DataType) -> Value {
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
pub(crate) fn takes(function: Function, types: &[DataType], result: DataType) -> bool {
    // These pass a text on as it is.
    let passes_on = matches!(function, Function::Case | Function::Coalesce | Function::IsNull | Function::IsNotNull);
    !passes_on && (result == DataType::Numeric || types.contains(&DataType::Numeric))
}

/// A function of a tree.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) function: Function,
    /// By number: the leaves, then the steps before this one.
    pub(crate) arguments: Vec<usize>,
    pub(crate) types: Vec<DataType>,
    pub(crate) result: DataType,
    /// Where errors are.
    pub(crate) position: Option<Position>,
}

/// Applies a function that is not lazy.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<()> {
    let leaves: Vec<_> = arguments.iter().copied().zip(call.types.iter().copied()).collect();
    let step = Step {
        function: call.function,
        arguments: (0..leaves.len()).collect(),
        types: call.types.to_vec(),
        result: call.result,
        position: None,
    };
    tree(&leaves, &[step], len, call.register, out)
}

/// Applies the functions of a tree, the last of which gives the values of `out`.
pub(crate) fn tree(
    leaves: &[(&Vector, DataType)],
    steps: &[Step],
    len: usize,
    register: Register,
    out: &mut Vector,
) -> Result<()> {
    let Some(last) = steps.last() else { return Err(Error::internal("a tree without a function")) };
    let is_numeric = last.result == DataType::Numeric;
    let (mut texts, mut text, mut valid, mut values) = (out.take_text(), String::new(), Vec::new(), Vec::new());
    let mut operands = vec![Operand::Other(Value::Null); leaves.len() + steps.len()];
    for tuple in 0..len {
        for (operand, &(leaf, data_type)) in operands.iter_mut().zip(leaves) {
            if !leaf.constant || tuple == 0 {
                *operand = Operand::of(leaf, tuple, data_type);
            }
        }
        for (at, step) in steps.iter().enumerate() {
            operands[leaves.len() + at] = apply(step, &operands).map_err(|error| error.at(step.position))?;
        }
        let found = &operands[operands.len() - 1];
        if is_numeric {
            text.clear();
            match found {
                Operand::Number(number) => number.encode_into(&mut text),
                Operand::Other(Value::Numeric(number)) => number.encode_into(&mut text),
                Operand::Other(_) => {}
            }
            texts.push(&text);
            valid.push(!text.is_empty());
        } else {
            values.push(found.value(last.result));
        }
    }
    if !is_numeric {
        out.set_values(&values, register);
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

fn apply(step: &Step, operands: &[Operand]) -> Result<Operand> {
    let number = |at: usize| step.arguments.get(at).and_then(|&argument| operands[argument].number());
    let narrow = match (number(0), number(1)) {
        (Some(a), None) if step.arguments.len() == 1 => of_one(step.function, a, step.result),
        (Some(a), Some(b)) if step.arguments.len() == 2 => of_two(step.function, a, b, step.result),
        _ => None,
    };
    if let Some(found) = narrow {
        return Ok(found);
    }
    let arguments: Vec<Value> =
        step.arguments.iter().zip(&step.types).map(|(&at, &data_type)| operands[at].value(data_type)).collect();
    let value = fallback::one(step.function, &arguments, &step.types, step.result)?;
    // What comes after it may be narrow again.
    Ok(match &value {
        Value::Numeric(numeric) => numeric.small().map_or(Operand::Other(value), Operand::Number),
        Value::Decimal(unscaled) => Operand::Number(SmallNumeric::new(*unscaled, step.result.scale().into())),
        Value::Int(integer) if step.result.is_integer() => Operand::Number(SmallNumeric::new((*integer).into(), 0)),
        _ => Operand::Other(value),
    })
}

/// A function of one number; None if it is for `evaluate`.
fn of_one(function: Function, a: SmallNumeric, result: DataType) -> Option<Operand> {
    use Function as F;
    match function {
        F::Cast => cast(a, result),
        F::NarrowUp | F::NarrowDown => narrow(function, a, result),
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
fn digits(number: SmallNumeric) -> Option<u32> {
    if number.scale == 0 { u32::try_from(number.unscaled).ok() } else { None }
}

/// The cast to a type, of what it holds.
fn cast(number: SmallNumeric, to: DataType) -> Option<Operand> {
    match to {
        DataType::Numeric => Some(Operand::Number(number)),
        DataType::Decimal { precision, scale } => {
            let rounded = number.round(scale.into())?;
            let limit = power_of_ten(precision.into())?.unsigned_abs();
            (rounded.unscaled.unsigned_abs() < limit).then_some(Operand::Number(rounded))
        }
        DataType::Double => {
            let magnitude = number.unscaled.unsigned_abs();
            let is_exact = magnitude <= EXACT_INTEGER_MAX && number.scale <= EXACT_POWER_MAX;
            is_exact.then(|| {
                let float = number.unscaled as f64 / 10f64.powi(number.scale as i32);
                Operand::Other(Value::Float(float))
            })
        }
        to if to.is_integer() => {
            let (low, high) = to.integer_bounds()?;
            let rounded = number.round(0)?;
            (low..=high).contains(&rounded.unscaled).then_some(Operand::Number(rounded))
        }
        _ => None,
    }
}

/// The decimal next to a number.
fn narrow(function: Function, number: SmallNumeric, to: DataType) -> Option<Operand> {
    let DataType::Decimal { precision, scale } = to else { return None };
    let power = power_of_ten(number.scale.checked_sub(scale.into())?)?;
    let down = number.unscaled.div_euclid(power);
    let units = match function {
        Function::NarrowUp if number.unscaled.rem_euclid(power) != 0 => down + 1,
        _ => down,
    };
    let is_within = units.unsigned_abs() < power_of_ten(precision.into())?.unsigned_abs();
    is_within.then(|| Operand::Number(SmallNumeric::new(units, scale.into())))
}
