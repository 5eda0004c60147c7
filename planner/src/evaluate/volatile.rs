//! The values of volatile functions: another one each time.

use crate::function::Function;
use crate::value::Value;
use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

/// The value of a volatile function that a thread evaluates by itself; none of any other function.
pub fn volatile(function: Function) -> Option<Value> {
    match function {
        Function::Random => Some(Value::Float(random())),
        Function::Clock => Some(Value::Int(clock())),
        _ => None,
    }
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
        let seed = state.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        state.set(seed);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    })
}
