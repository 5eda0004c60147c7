//! The values of volatile functions: another one each time.

use crate::error::{Error, Result};
use crate::function::Function;
use crate::meter;
use crate::sequence::fraction;
use crate::value::Value;
use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

/// The value of a volatile function, which a thread evaluates by itself or draws from its session's sequence; none of any other
/// function.
///
/// # Errors
/// 22023 for a seed that is not from -1 to 1; those of sequences.
pub fn volatile(function: Function, arguments: &[Value]) -> Result<Option<Value>> {
    Ok(Some(match (function, arguments) {
        // What makes an identifier has arguments, and is no part of the session's sequence.
        (Function::Random, []) => Value::Float(meter::draw().unwrap_or_else(random)),
        (Function::Random, _) => Value::Float(random()),
        // An empty text, as of whatever gives nothing.
        (Function::SetSeed, [Value::Float(seed), ..]) => {
            meter::seed(*seed)?;
            Value::text("")
        }
        (Function::SetSeed, _) => Value::Null,
        (Function::Clock, _) => Value::Int(clock()),
        (function, arguments) if function.is_of_sequences() => of_sequence(function, arguments)?,
        _ => return Ok(None),
    }))
}

/// What a function of sequences gives.
fn of_sequence(function: Function, arguments: &[Value]) -> Result<Value> {
    if arguments.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let number = |value: i64| u32::try_from(value).unwrap_or(0);
    meter::with_counters(|counters| match (function, arguments) {
        (Function::NextValue, [Value::Int(sequence), rest @ ..]) => {
            let mut drawn = Vec::with_capacity(1);
            counters.next(number(*sequence), !rest.is_empty(), 1, &mut drawn)?;
            Ok(drawn.pop().map_or(Value::Null, Value::Int))
        }
        (Function::SetValue, [Value::Int(sequence), Value::Int(value), rest @ ..]) => {
            counters.set(number(*sequence), *value, rest != [Value::Boolean(false)])?;
            Ok(Value::Int(*value))
        }
        (Function::CurrentValue, [Value::Int(sequence)]) => counters.current(number(*sequence)).map(Value::Int),
        (Function::LastValue, []) => counters.last().map(Value::Int),
        _ => Err(Error::internal(format!("{function:?} of {arguments:?}"))),
    })
}

/// The next values of one sequence, of so many rows; none where the call is another.
///
/// # Errors
/// As of `nextval`.
pub fn next_values(function: Function, arguments: &[Value], rows: usize) -> Result<Option<Vec<i64>>> {
    let (Function::NextValue, [Value::Int(sequence), rest @ ..]) = (function, arguments) else { return Ok(None) };
    let mut drawn = Vec::with_capacity(rows);
    let sequence = u32::try_from(*sequence).unwrap_or(0);
    meter::with_counters(|counters| counters.next(sequence, !rest.is_empty(), rows, &mut drawn))?;
    Ok(Some(drawn))
}

/// The time of the clock, in microseconds since 1970.
fn clock() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_micros()).ok()).unwrap_or(0)
}

/// A double in [0, 1) from a generator of the thread's own (SplitMix64), seeded by the standard library.
fn random() -> f64 {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(0));
    }
    STATE.with(|state| {
        let next = state.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        state.set(next);
        fraction(next)
    })
}
