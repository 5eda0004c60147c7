//! The fallback for functions without a kernel: evaluated value by value.
//!
//! A kernel that meets anything unusual gives up; its function is done again here, through `evaluate`, which raises the
//! error that is due.

use super::Call;
use crate::Result;
use crate::cpu::vector::Vector;
use multiloop_planner::evaluate::{evaluate, next_values, volatile};
use multiloop_planner::function::{Function, UserFunction};
use multiloop_planner::meter::Room;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Applies any function that is not lazy.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<()> {
    call_checked(call, arguments, len, || Ok(()), out)
}

/// The same, with a look before each value at whether to go on.
pub fn call_checked(
    call: &Call<'_>,
    arguments: &[&Vector],
    len: usize,
    check: impl Fn() -> Result<()>,
    out: &mut Vector,
) -> Result<()> {
    if let Function::User(function) = call.function {
        check()?;
        return user(function, call, arguments, len, out);
    }
    if call.function == Function::NextValue && arguments.iter().all(|argument| argument.constant) {
        check()?;
        let values: Vec<Value> =
            arguments.iter().zip(call.types).map(|(argument, &of)| argument.value(0, of)).collect();
        if let Some(drawn) = next_values(call.function, &values, len)? {
            out.set_values(&drawn.into_iter().map(Value::Int).collect::<Vec<_>>(), call.register);
            return Ok(());
        }
    }
    let mut results = Vec::with_capacity(len);
    // What values there are is not known before they are made: texts and vectors count while they are more and more.
    let (mut bytes, mut room) = (0usize, Room::default());
    let mut values = vec![Value::Null; arguments.len()];
    for (at, argument) in arguments.iter().enumerate() {
        if argument.constant {
            values[at] = argument.value(0, call.types[at]);
        }
    }
    for tuple in 0..len {
        check()?;
        for (at, argument) in arguments.iter().enumerate() {
            if !argument.constant {
                values[at] = argument.value(tuple, call.types[at]);
            }
        }
        let value = one(call.function, &values, call.types, call.result)?;
        bytes += match &value {
            Value::Text(text) => text.len(),
            Value::Vector(elements) => size_of_val::<[f64]>(elements),
            _ => 0,
        };
        room.hold(bytes)?;
        results.push(value);
    }
    out.set_values(&results, call.register);
    Ok(())
}

/// Applies a function that a program registered, once to all tuples.
fn user(function: UserFunction, call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<()> {
    // Values stand beside the vectors, and once more as arrays.
    let mut room = Room::default();
    let texts = arguments.iter().map(|argument| text_bytes(argument, len)).sum::<usize>();
    room.hold(texts.saturating_mul(2))?;
    let values = |(argument, &of): (&&Vector, &DataType)| -> Vec<Value> {
        if argument.constant {
            return vec![argument.value(0, of); len];
        }
        (0..len).map(|tuple| argument.value(tuple, of)).collect()
    };
    let values = arguments.iter().zip(call.types).map(values).collect();
    out.set_values(&function.definition()?.values(values, len)?, call.register);
    Ok(())
}

/// Bytes of a vector's strings. Vectors of elements count before they get here (`expression/growth.rs`).
fn text_bytes(vector: &Vector, len: usize) -> usize {
    let each = |tuple: usize| if vector.is_null(tuple) { 0 } else { vector.text(tuple).map_or(0, str::len) };
    if vector.constant { each(0) } else { (0..len).map(each).sum() }
}

/// Applies a function to one tuple's values.
pub(super) fn one(function: Function, values: &[Value], types: &[DataType], result: DataType) -> Result<Value> {
    match volatile(function, values)? {
        Some(value) => Ok(value),
        None => evaluate(function, values, types, result),
    }
}
