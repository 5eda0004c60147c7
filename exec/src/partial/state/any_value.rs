//! First and Single: the argument of one row.

use crate::column::column_builder::ColumnBuilder;
use multiloop_planner::types::DataType;

/// No argument yet.
pub(crate) const NONE: u32 = u32::MAX;

/// The argument of one row of each group.
#[derive(Clone, Debug)]
pub(crate) struct AnyValue {
    pub(crate) data_type: DataType,
    /// Whether a second row is an error.
    pub(crate) single: bool,
    /// For each group the position of its argument, or [`NONE`].
    pub(crate) positions: Vec<u32>,
    pub(crate) arguments: ColumnBuilder,
    /// How many arguments.
    pub(crate) rows: u32,
}

impl AnyValue {
    pub(crate) fn groups(&self) -> usize {
        self.positions.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.positions.resize(groups, NONE);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.positions.capacity() * 4 + self.arguments.bytes()
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let mut rows = Vec::new();
        let position = |&group: &u32| match self.positions[group as usize] {
            NONE => NONE,
            position => {
                rows.push(position);
                rows.len() as u32 - 1
            }
        };
        let positions = groups.iter().map(position).collect();
        AnyValue {
            data_type: self.data_type,
            single: self.single,
            positions,
            arguments: self.arguments.take(&rows),
            rows: rows.len() as u32,
        }
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.data_type, self.single) == (other.data_type, other.single) && self.arguments.is_like(&other.arguments)
    }
}
