//! What functions of lists make of all elements.

use serde::{Deserialize, Serialize};

/// What `list_sum` and its kin make of the elements that are not NULL; of none of them NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ListTotal {
    /// A numeric of exact numbers, a double of floats.
    Sum,
    /// A double.
    Average,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// A double.
    Product,
    /// The first that is not NULL.
    AnyValue,
    /// How many: never NULL.
    Count,
    /// How many different ones: never NULL.
    CountDistinct,
    /// Whether all are true.
    All,
    /// Whether some is true.
    Any,
    /// A double.
    Median,
    /// The one that is there most often, of several the first.
    Mode,
}

impl ListTotal {
    /// Every total.
    pub const ALL: [ListTotal; 12] = [
        ListTotal::Sum,
        ListTotal::Average,
        ListTotal::Min,
        ListTotal::Max,
        ListTotal::Product,
        ListTotal::AnyValue,
        ListTotal::Count,
        ListTotal::CountDistinct,
        ListTotal::All,
        ListTotal::Any,
        ListTotal::Median,
        ListTotal::Mode,
    ];
}
