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

    /// Whether IGNORE NULLS says something of it.
    pub fn may_ignore_nulls(self) -> bool {
        use WindowFunction as W;
        matches!(self, W::Lag | W::Lead | W::FirstValue | W::LastValue | W::NthValue)
    }

    /// Whether some arguments are an error.
    pub fn may_fail(self) -> bool {
        matches!(self, WindowFunction::Ntile | WindowFunction::NthValue)
    }
}

/// Which rows of its partition a row sees.
///
/// Bounds may be arguments, which stand behind those of the function: `argument(n)` of a frame is the function's argument
/// `arity + n`. Of a RANGE with such bounds the first one is the row's key, of which bounds are values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// What is counted.
    pub unit: FrameUnit,
    /// Where it begins.
    pub start: FrameBound,
    /// Where it ends; the bound is part of it.
    pub end: FrameBound,
    /// Which of these rows are left out.
    pub exclude: Exclude,
    /// IGNORE NULLS: rows count only where the function's first argument is not NULL. Of lag and lead, which have no frame, this
    /// is said of all rows.
    pub ignore_nulls: bool,
}

/// What the bounds of a frame count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrameUnit {
    /// Rows.
    Rows,
    /// Groups of peers; the current row stands for its peers.
    Groups,
    /// Values of the order's key; the current row stands for its peers. Bounds at a distance are of [`FrameBound::Key`].
    Range,
}

/// A bound of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FrameBound {
    /// The beginning of the partition.
    First,
    /// So many before the current row.
    Before(u64),
    /// As many before the current row as this argument of the frame says, which is a bigint, not negative.
    BeforeArgument(u8),
    /// The rows whose keys are not before (of an end: not behind) this argument of the frame, and not NULL; of a row whose key is
    /// NULL its peers.
    Key(u8),
    /// The current row.
    Current,
    /// So many behind the current row.
    Behind(u64),
    /// As `BeforeArgument`, behind.
    BehindArgument(u8),
    /// The end of the partition.
    Last,
}

impl FrameBound {
    /// The argument of the frame that it is.
    pub fn argument(self) -> Option<u8> {
        match self {
            FrameBound::BeforeArgument(argument) | FrameBound::BehindArgument(argument) | FrameBound::Key(argument) => {
                Some(argument)
            }
            FrameBound::First
            | FrameBound::Before(_)
            | FrameBound::Current
            | FrameBound::Behind(_)
            | FrameBound::Last => None,
        }
    }
}

/// Rows of a frame that do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Exclude {
    /// None.
    NoOthers,
    /// The current row.
    CurrentRow,
    /// The current row and its peers.
    Group,
    /// The peers of the current row, not itself.
    Ties,
}

impl Exclude {
    /// All of them.
    pub const ALL: [Exclude; 4] = [Exclude::NoOthers, Exclude::CurrentRow, Exclude::Group, Exclude::Ties];

    /// The words behind EXCLUDE, in lower case.
    pub fn words(self) -> &'static str {
        match self {
            Exclude::NoOthers => "no others",
            Exclude::CurrentRow => "current row",
            Exclude::Group => "group",
            Exclude::Ties => "ties",
        }
    }
}

impl Frame {
    /// All rows of the partition.
    pub const WHOLE: Frame = Frame::of(FrameUnit::Rows, FrameBound::First, FrameBound::Last);

    /// All rows between two bounds.
    pub const fn of(unit: FrameUnit, start: FrameBound, end: FrameBound) -> Self {
        Frame { unit, start, end, exclude: Exclude::NoOthers, ignore_nulls: false }
    }

    /// Whether it has all rows of the partition; without an order these are all peers.
    pub fn is_whole(self, all_peers: bool) -> bool {
        let peers = |bound| all_peers && bound == FrameBound::Current && self.unit != FrameUnit::Rows;
        self.exclude == Exclude::NoOthers
            && (self.start == FrameBound::First || peers(self.start))
            && (self.end == FrameBound::Last || peers(self.end))
    }

    /// How many arguments it has.
    pub fn arity(self) -> usize {
        let arguments = [self.start, self.end].into_iter().filter_map(FrameBound::argument);
        arguments.max().map_or(0, |last| usize::from(last) + 1)
    }
}

impl Default for Frame {
    /// All rows up to the current row's last peer.
    fn default() -> Self {
        Frame::of(FrameUnit::Range, FrameBound::First, FrameBound::Current)
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
