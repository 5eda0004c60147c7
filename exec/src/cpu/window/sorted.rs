//! The rows of a window, in the order of its partitions and keys.

use super::layout::Layout;
use crate::cpu::vector::builder::ColumnBuilder;
use multiloop_planner::types::DataType;

/// The rows of a window, in order.
pub(super) struct Sorted<'a> {
    /// Where each stands in the columns.
    pub(super) rows: &'a [u32],
    pub(super) layout: &'a Layout,
    /// The fields that were read, in order, and their columns.
    pub(super) fields: &'a [usize],
    pub(super) columns: &'a [ColumnBuilder],
    /// The types of all fields.
    pub(super) types: &'a [DataType],
    /// Whether the first key of their order goes down.
    pub(super) descending: bool,
}

impl<'a> Sorted<'a> {
    /// The column of a field that was read.
    pub(super) fn column(&self, field: u32) -> &'a ColumnBuilder {
        &self.columns[self.fields.partition_point(|&other| other < field as usize)]
    }
}
