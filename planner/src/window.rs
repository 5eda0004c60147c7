//! Windows: what a function may say of a row that sees the rows around it.
//!
//! Rows are put into partitions and, in each, in order; rows that the order does not tell apart are *peers*. Functions of
//! place ask where a row stands; the others, and all aggregates, go over its *frame*, a run of rows of its partition.
//! Relation and IR mean the same by these words.

use crate::types::DataType;
use serde::{Deserialize, Serialize};

/// The window functions that are no aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WindowFunction {
    /// The place in the partition, from 1.
    RowNumber,
    /// The place of the first peer.
    Rank,
    /// Which group of peers it is, from 1.
    DenseRank,
    /// `(rank - 1) / (rows - 1)`; 0 of one row.
    PercentRank,
    /// The share of rows that stand before it or are its peers.
    CumeDist,
    /// Which of n buckets as equal as can be, from 1. The first row whose n is not NULL says it for its partition; n below 1
    /// is an error (22014).
    Ntile,
    /// (value, offset, default): the value of so many rows before; the row's own default where there is no such row. NULL if
    /// the offset is.
    Lag,
    /// As `Lag`, of so many rows behind.
    Lead,
    /// The value of the frame's first row.
    FirstValue,
    /// The value of the frame's last row.
    LastValue,
    /// (value, n): the value of the frame's row n, from 1; n below 1 is an error (22016). NULL if n is.
    NthValue,
}

impl WindowFunction {
    /// All of them.
    pub const ALL: [WindowFunction; 11] = [
        WindowFunction::RowNumber,
        WindowFunction::Rank,
        WindowFunction::DenseRank,
        WindowFunction::PercentRank,
        WindowFunction::CumeDist,
        WindowFunction::Ntile,
        WindowFunction::Lag,
        WindowFunction::Lead,
        WindowFunction::FirstValue,
        WindowFunction::LastValue,
        WindowFunction::NthValue,
    ];

    /// Its name in SQL, and in the text form of programs.
    pub fn name(self) -> &'static str {
        match self {
            WindowFunction::RowNumber => "row_number",
            WindowFunction::Rank => "rank",
            WindowFunction::DenseRank => "dense_rank",
            WindowFunction::PercentRank => "percent_rank",
            WindowFunction::CumeDist => "cume_dist",
            WindowFunction::Ntile => "ntile",
            WindowFunction::Lag => "lag",
            WindowFunction::Lead => "lead",
            WindowFunction::FirstValue => "first_value",
            WindowFunction::LastValue => "last_value",
            WindowFunction::NthValue => "nth_value",
        }
    }

    /// The function of a name in lower case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// How many arguments it takes once those that may be left out are there.
    pub fn arity(self) -> usize {
        match self {
            WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumeDist => 0,
            WindowFunction::Ntile | WindowFunction::FirstValue | WindowFunction::LastValue => 1,
            WindowFunction::NthValue => 2,
            WindowFunction::Lag | WindowFunction::Lead => 3,
        }
    }

    /// The type that it gives, of a first argument of this type.
    pub fn data_type(self, argument: Option<DataType>) -> DataType {
        match self {
            WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => DataType::BigInt,
            WindowFunction::PercentRank | WindowFunction::CumeDist => DataType::Double,
            WindowFunction::Ntile => DataType::Integer,
            WindowFunction::Lag
            | WindowFunction::Lead
            | WindowFunction::FirstValue
            | WindowFunction::LastValue
            | WindowFunction::NthValue => argument.unwrap_or(DataType::Null),
        }
    }

    /// Whether it asks for nothing but a row's place, so that it is never NULL.
    pub fn is_place(self) -> bool {
        self.arity() == 0
    }

    /// Whether some arguments are an error.
    pub fn may_fail(self) -> bool {
        matches!(self, WindowFunction::Ntile | WindowFunction::NthValue)
    }
}

/// Which rows of its partition a row sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// What is counted.
    pub unit: FrameUnit,
    /// Where it begins.
    pub start: FrameBound,
    /// Where it ends; the bound is part of it.
    pub end: FrameBound,
}

/// What the bounds of a frame count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrameUnit {
    /// Rows.
    Rows,
    /// Groups of peers; the current row stands for its peers.
    Groups,
    /// Values of the order's key; the current row stands for its peers. There are no bounds at a distance.
    Range,
}

/// A bound of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FrameBound {
    /// The beginning of the partition.
    First,
    /// So many before the current row.
    Before(u64),
    /// The current row.
    Current,
    /// So many behind the current row.
    Behind(u64),
    /// The end of the partition.
    Last,
}

impl Frame {
    /// All rows of the partition.
    pub const WHOLE: Frame = Frame { unit: FrameUnit::Rows, start: FrameBound::First, end: FrameBound::Last };

    /// Whether it has all rows of the partition; without an order these are all peers.
    pub fn is_whole(self, all_peers: bool) -> bool {
        let peers = |bound| all_peers && bound == FrameBound::Current && self.unit != FrameUnit::Rows;
        (self.start == FrameBound::First || peers(self.start)) && (self.end == FrameBound::Last || peers(self.end))
    }
}

impl Default for Frame {
    /// All rows up to the current row's last peer.
    fn default() -> Self {
        Frame { unit: FrameUnit::Range, start: FrameBound::First, end: FrameBound::Current }
    }
}

#[cfg(test)]
mod tests {
    use super::WindowFunction;

    #[test]
    fn names_read_back() {
        for function in WindowFunction::ALL {
            assert_eq!(WindowFunction::named(function.name()), Some(function));
        }
        assert_eq!(WindowFunction::named("count"), None);
    }
}
