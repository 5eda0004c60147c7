//! Any and All: three-valued OR and AND over all arguments.

use super::Input;
use crate::cpu::vector::builder::Gathered;
use crate::{Error, Result};
use multiloop_planner::types::DataType;

/// Bits that say what was seen.
const DECISIVE: u8 = 1;
const NULL: u8 = 2;

/// For each group whether the decisive value (TRUE for Any, FALSE for All) and whether NULL was seen.
#[derive(Clone, Debug)]
pub(crate) struct Logic {
    decisive: bool,
    seen: Vec<u8>,
}

impl Logic {
    /// For no groups; TRUE decides Any, FALSE decides All.
    pub(crate) fn new(decisive: bool) -> Self {
        Logic { decisive, seen: Vec::new() }
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.seen.resize(groups, 0);
    }

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

    /// Whether nothing can change what a group has.
    pub(crate) fn is_decided(&self, group: usize) -> bool {
        self.seen[group] & DECISIVE != 0
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        pairs.for_each(|(from, into)| self.seen[into] |= other.seen[from]);
    }

    pub(crate) fn finish(self, _: DataType) -> Result<Gathered> {
        let values = self.seen.iter().map(|seen| (seen & DECISIVE != 0) == self.decisive).collect();
        let valid = self.seen.iter().map(|seen| seen & DECISIVE != 0 || seen & NULL == 0).collect();
        Ok(Gathered::from_bools(values, Some(valid)))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.seen.capacity()
    }
}
