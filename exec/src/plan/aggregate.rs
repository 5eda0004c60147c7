//! The accumulator of a reduction, as the plan chooses it.

use crate::plan::register::Register;
use crate::plan::row_text::{Front, RowText};
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
    /// Whether values and sort keys are gathered in place of the texts of rows.
    pub(crate) gathers_values: bool,
}

impl AggregateKind {
    /// Whether it gathers the texts of all rows.
    pub(crate) fn gathers(&self) -> bool {
        matches!(self.reduction, Reduction::Gather(Gather::Arrived | Gather::Sorted | Gather::Distinct))
    }

    /// Whether it chooses one of all values.
    pub(crate) fn chooses(&self) -> bool {
        matches!(self.reduction, Reduction::Gather(Gather::One { .. }))
    }

    /// Whether values and keys may be gathered in place of such texts. Rows that stay in their order have no keys, and those that
    /// are told apart are so by their values alone.
    pub(crate) fn fits(&self, text: &RowText) -> bool {
        let is_key = |part: &Front| matches!(part, Front::Key { .. });
        let has_keys = text.entries.front.iter().any(is_key);
        match self.reduction {
            Reduction::Gather(Gather::Arrived) => text.entries.front.is_empty(),
            Reduction::Gather(Gather::Sorted) => true,
            Reduction::Gather(Gather::Distinct) => has_keys && text.keys.is_empty(),
            _ => false,
        }
    }

    /// Whether equal arguments are to be left out, and that changes what the reduction gives.
    pub(crate) fn keeps_arguments(&self) -> bool {
        // Texts that are told apart are best left out before they are sorted; values are, too, by what gathers them.
        let gathers = self.reduction == Reduction::Gather(Gather::Distinct);
        self.distinct && !self.gathers_values && (gathers || !self.reduction.properties().idempotent)
    }
}
