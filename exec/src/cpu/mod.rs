//! The CPU backend.
//!
//! `run` executes a program: it compiles it (`plan`), and computes its collections one after the other (`stored`).
//! A loop is driven by `nest`, which takes tuples through the indices of a `tile`; `expression` computes scalars
//! of a tile in `vector`s with `kernels`; what generators make of them is kept by `sink`, `reduce` (with `bucket` and
//! `aggregate`) and `top_k`.

mod aggregate;
pub mod bitmap;
mod bucket;
mod chunked;
mod claims;
mod dealt;
pub mod expression;
mod gather;
mod gathered_column;
mod gathered_text;
mod having;
mod in_place;
pub mod kernels;
pub mod level;
mod lookup;
mod multiloop;
mod nest;
pub mod own_groups;
mod place;
mod plan;
pub mod probe;
mod reduce;
mod run;
mod sink;
mod skip;
mod sort;
mod statistics;
mod stored;
pub mod tile;
mod top_k;
mod variance;
pub mod vector;
mod wide_keys;
mod written;

pub use place::{Placement, place};
pub use run::{Output, run};
pub use statistics::LetStatistics;

#[cfg(test)]
mod tests;
