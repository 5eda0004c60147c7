//! A backend's view of the collections that a loop reads.

use crate::Result;
use crate::collections::rows::RowSet;
use crate::workers::context::Context;
use multiloop_planner::multiloop::CollectionId;
use multiloop_planner::value::Value;

/// Where a collection lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Residence {
    /// In the memory of the processors.
    Host,
}

/// Rows by key: bucket b has the key in row b of `keys`, and the rows of `members` from `starts[b]` to `starts[b + 1]`.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "the one backend beside the processors is that of the tests"))]
pub(crate) struct Grouped {
    pub(crate) keys: RowSet,
    pub(crate) starts: Vec<u32>,
    pub(crate) members: RowSet,
}

/// What a loop reads from around it. What could not be made gives its error to whoever asks.
#[cfg_attr(not(test), expect(dead_code, reason = "the one backend beside the processors is that of the tests"))]
pub(crate) trait Inputs: Sync {
    /// Where a collection lives.
    fn residence(&self, id: CollectionId) -> Result<Residence>;

    /// A collection as rows; of groups the keys' fields come first, of buckets there are no others.
    fn rows(&self, id: CollectionId) -> Result<RowSet>;

    /// A collection as buckets.
    fn buckets(&self, id: CollectionId) -> Result<Grouped>;

    /// For each field of groups what a lookup gives that finds nothing.
    fn empty(&self, id: CollectionId) -> Result<Vec<Value>>;

    /// The values of the statement's parameters.
    fn parameters(&self) -> &[Value];

    /// What the statement shares: cancellation, memory, progress.
    fn context(&self) -> &Context;
}
