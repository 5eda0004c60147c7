//! The CPU backend, low to high: no folder imports one that stands after it.
//!
//! `simd` has the instructions, `vector` the values of a tile, `kernels` the functions over them. `keys` turns keys into
//! numbers, `table` numbers distinct ones, `groups` those of a reduction while its rows pass by; `index` finds them again
//! in a finished collection (`collections`). `aggregate` keeps what is reduced, `expression` computes the scalars of a
//! tile, `reduce` folds tiles into groups, `sort` orders rows, `window` says of each something by those around it. `multiloop` runs one loop, from its pieces to its collections.

pub(crate) mod aggregate;
pub mod collections;
pub mod expression;
pub(crate) mod groups;
pub(crate) mod index;
pub mod kernels;
pub mod keys;
pub(crate) mod multiloop;
pub mod pages;
pub(crate) mod reduce;
pub mod simd;
pub(crate) mod sort;
pub(crate) mod table;
pub mod vector;
pub(crate) mod window;

#[cfg(test)]
mod tests;
