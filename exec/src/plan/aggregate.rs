//! The accumulator of a reduction, as the plan chooses it.

use crate::plan::register::Register;
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::multiloop::{Gather, Reduction};
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
        // Texts that are told apart are best left out before they are sorted.
        let gathers = self.reduction == Reduction::Gather(Gather::Distinct);
        self.distinct && (gathers || !self.reduction.properties().idempotent)
    }
}
