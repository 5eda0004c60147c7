//! Sums of floats: exact until they are correctly rounded at the end, so that the order of the rows does not show.

use crate::partial::keys::picked;
use crate::sums::exact_sum::ExactSum;

/// Sums of floats, a group each.
#[derive(Clone, Debug, Default)]
pub(crate) struct FloatSums {
    pub(crate) sums: Vec<ExactSum>,
    /// Which groups have a value.
    pub(crate) seen: Vec<bool>,
}

impl FloatSums {
    pub(crate) fn groups(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.sums.resize_with(groups, ExactSum::default);
        self.seen.resize(groups, false);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<ExactSum>() + self.sums.iter().map(ExactSum::heap_bytes).sum::<usize>()
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let sums = groups.iter().map(|&group| self.sums[group as usize].clone()).collect();
        FloatSums { sums, seen: picked(&self.seen, groups) }
    }
}
