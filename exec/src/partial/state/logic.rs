//! Any and All: three-valued OR and AND over all arguments.

use crate::partial::keys::picked;

/// A bit of [`Logic::seen`]: the decisive value was met.
pub(crate) const DECISIVE: u8 = 1;
/// A bit of [`Logic::seen`]: NULL was met.
pub(crate) const NULL: u8 = 2;

/// For each group whether the decisive value (TRUE for Any, FALSE for All) and whether NULL was seen.
#[derive(Clone, Debug)]
pub(crate) struct Logic {
    pub(crate) decisive: bool,
    pub(crate) seen: Vec<u8>,
}

impl Logic {
    /// For no groups; TRUE decides Any, FALSE decides All.
    pub(crate) fn new(decisive: bool) -> Self {
        Logic { decisive, seen: Vec::new() }
    }

    pub(crate) fn groups(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.seen.resize(groups, 0);
    }

    /// Whether nothing can change what a group has.
    pub(crate) fn is_decided(&self, group: usize) -> bool {
        self.seen[group] & DECISIVE != 0
    }

    pub(crate) fn bytes(&self) -> usize {
        self.seen.capacity()
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        Logic { decisive: self.decisive, seen: picked(&self.seen, groups) }
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.decisive == other.decisive
    }
}
