//! Sums of intervals, each unit by itself.

use crate::partial::keys::picked;

/// Sums of months, days and microseconds, a group each.
#[derive(Clone, Debug, Default)]
pub(crate) struct IntervalSums {
    pub(crate) sums: Vec<[i128; 3]>,
    /// Which groups have a value.
    pub(crate) seen: Vec<bool>,
}

impl IntervalSums {
    pub(crate) fn groups(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, [0; 3]);
        self.seen.resize(groups, false);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sums.capacity() * 48 + self.seen.capacity()
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        IntervalSums { sums: picked(&self.sums, groups), seen: picked(&self.seen, groups) }
    }
}
