//! The values of volatile functions: another one each time.

use crate::error::Result;
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
/// 22023 for a seed that is not from -1 to 1.
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
        _ => return Ok(None),
    }))
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
