//! The results that a backend other than the CPU hands back.

use crate::collections::held::Held;
use crate::collections::rows::RowSet;
use crate::partial::PartialGroups;
use std::sync::Arc;

/// What a generator gave.
#[derive(Debug)]
pub(crate) enum Given {
    /// The rows of a Collect; of a top-k in order; of a Reduce the one that it has.
    Rows(RowSet),
    /// Of a BucketCollect its rows in any order, each with its key's fields first.
    Members(RowSet),
    /// Of a BucketReduce a row for each group, each key once: the fields of the key that are read (`keys_read`), then the
    /// aggregates.
    Groups(RowSet),
    /// Of a Reduce or BucketReduce what is known of its groups, by consecutive ranges of the rows, in the order of these; one
    /// at least. Places of first rows and pieces of clustered rows are numbered over all ranges.
    Partial(Vec<PartialGroups>),
    /// What the backend keeps, until somebody asks for it on the host.
    Held(Arc<dyn Held>),
}
