//! Execution: columns, the interpreter that is the specification, and the CPU backend.
//!
//! Read in this order: `column` holds tables; `context` is what a running statement shares (memory limit,
//! cancellation, progress); `interpret` runs any program row by row; `topology`, `pool` and `schedule` are the
//! workers; `cpu` runs programs tile by tile on them, with the techniques of `technique`. Both backends sum with `exact_sum`, `integer_sum` and `variance`.

pub mod column;
pub mod context;
pub mod cpu;
pub mod exact_sum;
pub mod integer_sum;
pub mod interpret;
pub mod pool;
pub mod schedule;
pub mod technique;
pub mod topology;
pub mod variance;

pub use multiloop_planner::error::{Error, ErrorKind, Result};
