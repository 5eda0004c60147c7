//! The collections and rows of enclosing blocks that a loop reads.

use multiloop_planner::multiloop::IndexId;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;

/// The fields of enclosing loops' rows that a nested block reads.
pub type Captured = FxHashMap<(IndexId, u32), Value>;

/// The values that a loop gets from around it.
#[derive(Clone, Copy, Debug)]
pub struct Bindings<'a> {
    /// `$1`, `$2`, ….
    pub parameters: &'a [Value],
    /// In a nested block the fields of enclosing rows.
    pub captured: &'a Captured,
}
