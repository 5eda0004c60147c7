//! The group numbers of the tuples of a tile: one for each, or runs, or a mask for each of few groups.

use super::runs::Runs;
use crate::cpu::groups::masks::Present;
use crate::cpu::keys::duplicates::DuplicateRuns;

/// The groups of a tile's tuples.
#[derive(Debug, Default)]
pub(crate) struct Assigned {
    /// For each tuple its group.
    pub(crate) groups: Vec<u32>,
    /// Which groups there are, if they are few and that is known.
    pub(crate) present: Present,
    /// Of rows whose groups come in runs.
    pub(crate) runs: Runs,
    /// Whether there are runs, and no number for each tuple.
    pub(crate) has_runs: bool,
    /// Memory for runs of alike neighbours, and the code of each.
    pub(super) duplicates: DuplicateRuns,
    pub(super) firsts: Vec<u32>,
    /// Whether groups of clustered rows may wait for their codes.
    pub(crate) may_wait: bool,
    /// The first group that waits for its code: it has the tuple behind its rows in its place.
    pub(crate) waits: Option<usize>,
}

impl Assigned {
    /// If neighbours are alike, `groups` are those of their runs.
    pub(super) fn take_duplicates(&mut self, duplicates: &DuplicateRuns) {
        self.has_runs = duplicates.any();
        if self.has_runs {
            self.runs.set(duplicates, &mut self.groups);
        }
    }
}
