//! The fallback for functions without a kernel: evaluated value by value.
//!
//! A kernel that meets anything unusual gives up; its function is done again here, through `evaluate`, which raises the
//! error that is due.

use super::Call;
use crate::Result;
use crate::cpu::vector::Vector;
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::meter;
use multiloop_planner::sequence::fraction;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::time::SystemTime;

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
        results.push(one(call.function, &values, call.types, call.result)?);
    }
    out.set_values(&results, call.register);
    Ok(())
}

/// Applies a function to one tuple's values.
pub(super) fn one(function: Function, values: &[Value], types: &[DataType], result: DataType) -> Result<Value> {
    match function {
        // What makes an identifier has arguments, and is no part of the session's sequence.
        Function::Random if values.is_empty() => return Ok(Value::Float(meter::draw().unwrap_or_else(random))),
        Function::Random => return Ok(Value::Float(random())),
        Function::SetSeed => return set_seed(&values[0]),
        _ => {}
    }
    if function == Function::Clock {
        return Ok(Value::Int(clock()));
    }
    evaluate(function, values, types, result)
}

/// `setseed(seed)`: an empty text, as of whatever gives nothing.
pub(crate) fn set_seed(seed: &Value) -> Result<Value> {
    let Value::Float(seed) = seed else { return Ok(Value::Null) };
    meter::seed(*seed)?;
    Ok(Value::text(""))
}

/// The time of the clock, in microseconds since 1970.
fn clock() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_micros()).ok()).unwrap_or(0)
}

/// A double in [0, 1) from a generator of the thread's own (SplitMix64), seeded by the standard library.
fn random() -> f64 {
    use std::cell::Cell;
    use std::hash::{BuildHasher, RandomState};
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(0));
    }
    STATE.with(|state| {
        let next = state.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        state.set(next);
        fraction(next)
    })
}
