//! The functions that statistics are fed with (`evaluate/statistic.rs`).

use serde::{Deserialize, Serialize};

/// A function of an aggregate's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StatisticFunction {
    /// (y, x), doubles: both as one value.
    Pair,
    /// (double): itself; an error (22003) if it is not from 0 to 1.
    Fraction,
}

impl StatisticFunction {
    /// Every function.
    pub const ALL: [StatisticFunction; 2] = [StatisticFunction::Pair, StatisticFunction::Fraction];
}
