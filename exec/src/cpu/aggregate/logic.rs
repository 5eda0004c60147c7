//! Filling Any and All.

use super::Input;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::logic::{DECISIVE, Logic, NULL};
use crate::{Error, Result};
use multiloop_planner::types::DataType;

impl Logic {
    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("any or all of nothing")) };
        input.each(|tuple, group| {
            let bits = match (vector.is_null(tuple), vector.is_true(tuple) == self.decisive) {
                (true, _) => NULL,
                (false, true) => DECISIVE,
                (false, false) => 0,
            };
            self.seen[group] |= bits;
        });
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        pairs.for_each(|(from, into)| self.seen[into] |= other.seen[from]);
    }

    pub(crate) fn finish(self, _: DataType) -> Result<ColumnBuilder> {
        let values = self.seen.iter().map(|seen| (seen & DECISIVE != 0) == self.decisive).collect();
        let valid = self.seen.iter().map(|seen| seen & DECISIVE != 0 || seen & NULL == 0).collect();
        Ok(ColumnBuilder::from_bools(values, Some(valid)))
    }
}
