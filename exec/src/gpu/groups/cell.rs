//! Cells: what a table has of an aggregate.

use super::distinct::check_distinct;
use crate::column::Dictionary;
use crate::gpu::columns::Carried;
use crate::gpu::columns::reach::Reach;
use crate::gpu::stop::{Done, decline};
use crate::plan::aggregate::AggregateKind;
use crate::plan::register::Register;
use crate::plan::tree::AggregatePlan;
use multiloop_planner::multiloop::Reduction;
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// Why a sum of floats is left to the processors.
pub(crate) const FAR_FLOATS: &str = "floats that lie too far apart";

/// What a table has of an aggregate.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) kind: CellKind,
    /// Whether its words have 32 bits, not 64.
    pub(crate) narrow: bool,
    /// The flag of groups that have an argument, if not all have one and its word does not tell it.
    pub(crate) flag: Option<u32>,
    /// Whether groups of which the word is zero have no argument, though others have one.
    pub(crate) is_null_at_zero: bool,
    pub(crate) data_type: DataType,
    /// Of a sum how far from zero it is, at most.
    pub(crate) most: u128,
    /// Of a sum of floats what is known of them: it is one of integers, each of which counts the lowest bit of all.
    pub(crate) reach: Option<Reach>,
    /// Whether what the rows of a block sum up to may not fit 64 bits.
    pub(crate) is_wide_in_block: bool,
    pub(crate) argument: Option<(DataType, Register)>,
    /// Of text what its codes are of.
    pub(crate) dictionary: Option<Arc<Dictionary>>,
    /// Of text that is carried where it is.
    pub(crate) carried: Option<Arc<Carried>>,
}

/// Kinds of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    Count,
    /// Proven: no argument is further from zero than `bound`. `wide` if the sum of all may not fit 64 bits.
    Sum {
        bound: u128,
        wide: bool,
    },
    Extreme {
        largest: bool,
    },
    /// The argument of any row.
    Value,
    /// Flags: that the decisive value came, and, in the next one, that NULL did.
    Logic {
        decisive: bool,
    },
}

impl Cell {
    /// The cell of an aggregate over so many tuples at most, whose own flags begin with one; of a sum of floats by what is known of these.
    pub(crate) fn of(plan: &AggregatePlan, tuples: u128, flag: u32, reach: Option<Reach>) -> Done<Self> {
        let AggregateKind { reduction, argument, data_type, grid, .. } = &plan.kind;
        if plan.kind.keeps_arguments() {
            check_distinct(&plan.kind)?;
        }
        let is_whole = matches!(argument, Some((_, Register::I32 | Register::I64 | Register::I128)));
        let mut most = 0;
        let is_float = matches!(argument, Some((_, Register::F64)));
        let is_word = is_float || matches!(argument, Some((_, Register::I32 | Register::I64)));
        let kind = match reduction {
            Reduction::CountRows | Reduction::Count => CellKind::Count,
            Reduction::Sum if is_whole => {
                let bound = grid.map(|grid| grid.low.unsigned_abs().max(grid.high.unsigned_abs()));
                let bound = match (bound, argument) {
                    (Some(bound), _) => bound,
                    (None, Some((_, Register::I32))) => 1 << 31,
                    (None, Some((_, Register::I64))) => 1 << 63,
                    _ => 1 << 127,
                };
                most = match bound.checked_mul(tuples) {
                    Some(all) if all <= i128::MAX as u128 => all,
                    _ => return decline("a sum beyond 128 bits"),
                };
                CellKind::Sum { bound, wide: most > i64::MAX as u128 }
            }
            Reduction::Sum if is_float => {
                let bits = reach.unwrap_or_default().bits();
                let bound = if bits < 127 { 1 << bits } else { u128::MAX };
                // A bit is to spare.
                most = match bound.checked_mul(tuples) {
                    Some(all) if all <= 1 << 126 => all,
                    _ => return decline(FAR_FLOATS),
                };
                CellKind::Sum { bound, wide: most > i64::MAX as u128 }
            }
            Reduction::Min | Reduction::Max if is_word => CellKind::Extreme { largest: *reduction == Reduction::Max },
            Reduction::First if is_word || matches!(argument, Some((_, Register::Bool | Register::Text))) => {
                CellKind::Value
            }
            Reduction::Any | Reduction::All => CellKind::Logic { decisive: *reduction == Reduction::Any },
            other => return decline(format!("{other:?} of {argument:?}")),
        };
        let narrow = match kind {
            CellKind::Count => tuples <= u32::MAX.into(),
            CellKind::Extreme { .. } | CellKind::Value => !matches!(argument, Some((_, Register::I64 | Register::F64))),
            CellKind::Sum { .. } | CellKind::Logic { .. } => false,
        };
        Ok(Cell {
            kind,
            narrow,
            flag: Some(flag),
            is_null_at_zero: false,
            data_type: *data_type,
            most,
            reach: if is_float && matches!(kind, CellKind::Sum { .. }) {
                Some(reach.unwrap_or_default())
            } else {
                None
            },
            is_wide_in_block: false,
            argument: *argument,
            dictionary: None,
            carried: None,
        })
    }

    /// Whether its word is not zero once an argument came.
    pub(super) fn is_told(&self, kind: &AggregateKind) -> bool {
        let (least, most) = match self.narrow {
            true => (i32::MIN.into(), i32::MAX.into()),
            false => (i128::from(i64::MIN), i128::from(i64::MAX)),
        };
        match (self.kind, kind.grid) {
            _ if kind.keeps_arguments() => false,
            (CellKind::Count, _) => true,
            (CellKind::Extreme { .. }, _) if self.is_of_floats() => true,
            (CellKind::Sum { wide: false, .. }, Some(grid)) => grid.low > 0 || grid.high < 0,
            (CellKind::Extreme { largest: true }, Some(grid)) => grid.low > least,
            (CellKind::Extreme { largest: false }, Some(grid)) => grid.high < most,
            _ => false,
        }
    }

    /// Whether its arguments are floats.
    pub(crate) fn is_of_floats(&self) -> bool {
        matches!(self.argument, Some((_, Register::F64)))
    }

    /// Words that a group has of it in the table.
    pub(crate) fn words(&self) -> usize {
        match self.kind {
            CellKind::Count | CellKind::Extreme { .. } | CellKind::Value => 1,
            CellKind::Sum { wide, .. } => 1 + usize::from(wide),
            CellKind::Logic { .. } => 0,
        }
    }

    /// Words of 32 bits that a group has of it in a block's memory.
    pub(crate) fn shared_words(&self) -> usize {
        match self.kind {
            CellKind::Count => 1,
            CellKind::Sum { .. } if self.is_wide_in_block => 4,
            CellKind::Sum { .. } => 2,
            CellKind::Extreme { .. } => 2 - usize::from(self.narrow),
            CellKind::Value | CellKind::Logic { .. } => 0,
        }
    }

    /// Flags that it takes.
    pub(crate) fn flags(&self) -> u32 {
        match self.kind {
            CellKind::Count => 0,
            CellKind::Logic { .. } => 2,
            _ => 1,
        }
    }
}
