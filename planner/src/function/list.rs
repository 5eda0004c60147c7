//! What functions of lists make of all elements.

use super::SortKeyOrder;
use serde::{Deserialize, Serialize};

/// What `list_sum` and its kin make of the elements that are not NULL; of none of them NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ListTotal {
    /// Of integers a decimal with as many digits as there can be, of other exact numbers a numeric, of floats a double.
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
    /// Of integers the bits that all have.
    BitAnd,
    /// The bits that some has.
    BitOr,
    /// The bits that an odd number of them has.
    BitXor,
    /// A double, and never NULL.
    Entropy,
    /// A double, of a sample.
    Kurtosis,
    /// A double, of all that there are.
    KurtosisOfAll,
    /// A double.
    Skewness,
    /// The median of the distances from the median: a double.
    MedianDeviation,
    /// A double.
    StandardError,
    /// A double, of a sample.
    Deviation,
    /// A double, of all that there are.
    DeviationOfAll,
    /// A double, of a sample.
    Variance,
    /// A double, of all that there are.
    VarianceOfAll,
}

impl ListTotal {
    /// Every total.
    pub const ALL: [ListTotal; 25] = [
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
        ListTotal::BitAnd,
        ListTotal::BitOr,
        ListTotal::BitXor,
        ListTotal::Entropy,
        ListTotal::Kurtosis,
        ListTotal::KurtosisOfAll,
        ListTotal::Skewness,
        ListTotal::MedianDeviation,
        ListTotal::StandardError,
        ListTotal::Deviation,
        ListTotal::DeviationOfAll,
        ListTotal::Variance,
        ListTotal::VarianceOfAll,
    ];
}

/// A function of lists that only DuckDB has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ListFunction {
    /// `list_grade_up(list)`: the places of the elements in their order.
    GradeUp(SortKeyOrder),
    /// `list_select(list, places)`: NULL for a place that it has not.
    Select,
    /// `list_where(list, booleans)`: the elements beside which is TRUE; NULL behind the last.
    Where,
    /// `list_resize(list, length[, value])`: cut, or filled with a value or NULLs; a NULL length is 0.
    Resize,
    /// `list_zip(list, …)` of lists of texts: rows of their elements, with NULLs behind the end of a shorter one. A NULL list is an
    /// empty one.
    Zip,
    /// The same as far as the shortest goes.
    ZipShortest,
    /// `list_inner_product(a, b)` of two lists of doubles or reals.
    InnerProduct,
    /// `list_distance(a, b)`.
    Distance,
    /// `list_cosine_similarity(a, b)`: NULL of empty lists.
    CosineSimilarity,
}

impl ListFunction {
    /// Those without parts.
    pub(super) const PLAIN: [ListFunction; 8] = [
        ListFunction::Select,
        ListFunction::Where,
        ListFunction::Resize,
        ListFunction::Zip,
        ListFunction::ZipShortest,
        ListFunction::InnerProduct,
        ListFunction::Distance,
        ListFunction::CosineSimilarity,
    ];
}
