//! What is kept of a reduction.

use crate::plan::register::Register;
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::multiloop::Reduction;
use multiloop_planner::types::DataType;
use serde::{Deserialize, Serialize};

/// How to make accumulators of an aggregate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AggregateKind {
    pub(crate) reduction: Reduction,
    pub(crate) distinct: bool,
    /// The argument's type and register; none for CountRows.
    pub(crate) argument: Option<(DataType, Register)>,
    pub(crate) data_type: DataType,
    /// Proven: an integer argument is one of these.
    pub(crate) grid: Option<Grid>,
}

impl AggregateKind {
    /// Whether equal arguments are to be left out, and that changes what the reduction gives.
    pub(crate) fn keeps_arguments(&self) -> bool {
        self.distinct && !self.reduction.properties().idempotent
    }
}
