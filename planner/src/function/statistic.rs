//! The functions that statistics are fed with (`evaluate/statistic.rs`).

use serde::{Deserialize, Serialize};

/// A function of an aggregate's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StatisticFunction {
    /// (y, x), doubles: both as one value.
    Pair,
    /// (y, x), doubles: both as a text, the same for equal pairs.
    PairText,
    /// (double): itself; an error (22003) if it is not from 0 to 1.
    Fraction,
}

impl StatisticFunction {
    /// Every function.
    pub const ALL: [StatisticFunction; 3] =
        [StatisticFunction::Pair, StatisticFunction::PairText, StatisticFunction::Fraction];
}
