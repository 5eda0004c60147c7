//! A backend's view of what a loop reads.

use crate::Result;
use crate::collections::held::Held;
use crate::collections::rows::RowSet;
use crate::column::Dictionary;
use crate::plan::key_layout::KeyLayout;
use crate::workers::context::Context;
use crate::workers::schedule::Workers;
use arrow::buffer::BooleanBuffer;
use multiloop_planner::multiloop::{CollectionId, ScalarId};
use multiloop_planner::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// Rows by key: bucket b has the key in row b of `keys`, and the rows of `members` from `starts[b]` to `starts[b + 1]`.
#[derive(Debug)]
pub(crate) struct Grouped {
    pub(crate) keys: RowSet,
    pub(crate) starts: Vec<u32>,
    pub(crate) members: RowSet,
}

/// What a loop reads from around it. What could not be made gives its error to whoever asks.
pub(crate) trait Inputs: Sync {
    /// What a device keeps of a collection, if a device made it. Another device than the one that did asks for its rows.
    fn held(&self, id: CollectionId) -> Result<Option<Arc<dyn Held>>>;

    /// A collection as rows on the host; of groups the keys' fields come first, of buckets there are no others.
    fn rows(&self, id: CollectionId) -> Result<RowSet>;

    /// A collection as buckets on the host.
    fn buckets(&self, id: CollectionId) -> Result<Grouped>;

    /// For each field of groups what a lookup gives that finds nothing.
    fn empty(&self, id: CollectionId) -> Result<Vec<Value>>;

    /// How the keys of a generator of the loop become codes, now that its tables are at hand: as the plan says, and text of one
    /// dictionary by that, short text by its bytes.
    #[allow(dead_code, reason = "the device of the tests has keys as values")]
    fn layout(&self, generator: usize) -> Result<KeyLayout>;

    /// The rows of which a tuple of the loop may come, by chunk of its outermost collection; all of one that a device holds are
    /// chunk 0. Only where the outermost index goes over rows.
    fn chunks(&self) -> Result<Vec<(usize, Range<usize>)>>;

    /// The same by the numbers of rows over all chunks, as few ranges as may be.
    fn ranges(&self) -> Result<Vec<Range<usize>>>;

    /// How many outermost rows there are in all, if these are a part of the loop's: others go over the rest, and what is made of all
    /// parts is put together.
    fn rows_in_all(&self) -> Option<u64> {
        None
    }

    /// The value of a scalar of the loop that reads no index.
    fn ground(&self, scalar: ScalarId) -> Result<Value>;

    /// A condition of the loop that reads one column, which is text: for each code of a dictionary, and behind these for NULL,
    /// whether it is TRUE. None of another condition, or one that may fail.
    #[allow(dead_code, reason = "the device of the tests has text as values")]
    fn over_dictionary(&self, condition: ScalarId, dictionary: &Arc<Dictionary>) -> Result<Option<BooleanBuffer>>;

    /// The values of the statement's parameters.
    fn parameters(&self) -> &[Value];

    /// Whether somebody looks at how the loop runs (EXPLAIN ANALYZE).
    fn takes_notes(&self) -> bool;

    /// Notes something for who looks.
    fn note(&self, what: String);

    /// Notes what was compiled for the loop (EXPLAIN (CODE)).
    fn note_code(&self, code: String);

    /// What the statement shares: cancellation, memory, progress.
    fn context(&self) -> &Context;

    /// Who works for the statement.
    fn workers(&self) -> Workers<'_>;
}
