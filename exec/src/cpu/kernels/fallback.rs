//! The fallback for functions without a kernel: evaluated value by value.
//!
//! A kernel that meets anything unusual gives up; its function is done again here, through `evaluate`, which raises the
//! error that is due.

use super::Call;
use crate::Result;
use crate::cpu::vector::Vector;
use multiloop_planner::evaluate::{evaluate, volatile};
use multiloop_planner::function::Function;
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
    let mut results = Vec::with_capacity(len);
    // What values there are is not known before they are made: texts count while they are more and more.
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
        if let Value::Text(text) = &value {
            bytes += text.len();
            room.hold(bytes)?;
        }
        results.push(value);
    }
    out.set_values(&results, call.register);
    Ok(())
}

/// Applies a function to one tuple's values.
pub(super) fn one(function: Function, values: &[Value], types: &[DataType], result: DataType) -> Result<Value> {
    match volatile(function, values)? {
        Some(value) => Ok(value),
        None => evaluate(function, values, types, result),
    }
}
