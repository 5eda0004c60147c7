//! Expressions: the scalars of one loop, compiled once, evaluated tile by tile.
//!
//! `node` compiles the scalars into numbered nodes, each with the register that its value range asks for. Evaluation
//! is on demand, so only tuples that reach an expression evaluate it: `evaluate` walks the nodes and the tile's
//! levels, `choice` does the lazy functions, `filter` the conditions. `fused` compares columns in their physical
//! form, `load` brings columns into registers, `memo` evaluates functions of few values once for each of them, `member_values` costly
//! expressions of few members of buckets once for each of these,
//! `dictionary` does so for conditions on columns in their physical form, `list` has lists of constants as sets
//! (`constant_set`), `numeric` evaluates trees of functions of NUMERICs at once, `rounded_quotient` quotients that are rounded to
//! few digits; `flat_concat` takes nested `||` as one, `json_fields` several fields of
//! a JSON text; `estimate` decides comparisons of quotients and roots by doubles. `nested` evaluates blocks, `interchange` those over
//! few rows for many that ask; `unnested` takes arrays apart. `chunk_test` asks conditions of
//! whole chunks.

mod choice;
pub(super) mod chunk_test;
mod constant_set;
mod dictionary;
mod element;
pub mod environment;
mod estimate;
mod evaluate;
pub mod filter;
mod flat_concat;
pub(super) mod fold;
mod fused;
mod growth;
pub(crate) mod interchange;
mod json_fields;
mod lanes;
mod list;
pub mod load;
mod member_values;
mod memo;
mod nested;
mod numeric;
mod own_groups;
mod rounded_estimate;
mod rounded_quotient;
pub mod tile;
mod unnested;

use super::kernels::Scratch;
use crate::cpu::vector::bitmap::Bitmap;
pub(crate) use growth::Held;
use list::List;
use member_values::MemberValues;
use memo::Memo;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;

/// What evaluation remembers from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    /// By node: results of functions of few values.
    memos: FxHashMap<u32, Memo>,
    /// By node: values of expressions of one bucket's members.
    members: FxHashMap<u32, MemberValues>,
    /// By node: lists of constants as sets; none of a list that is no set.
    lists: FxHashMap<u32, Option<List>>,
    /// By node: results of nested blocks, by what they capture.
    nested: FxHashMap<u32, FxHashMap<Vec<Value>, Value>>,
    scratch: Scratch,
    origins: Vec<u32>,
    positions: Vec<u32>,
    /// Of filters.
    mask: Bitmap,
    bits: Bitmap,
}

impl Caches {
    /// Forgets what is remembered of some nodes.
    fn forget(&mut self, numbers: &[u32]) {
        for number in numbers {
            self.memos.remove(number);
            self.members.remove(number);
            self.lists.remove(number);
        }
    }
}

#[cfg(test)]
mod tests;
