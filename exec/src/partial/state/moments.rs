//! Variance of floats, from exact sums, so that neither cancellation nor the order of the rows shows.

use crate::sums::moments::Variance;

/// Count, sum and sum of squares of each group.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    /// Whether the rows are a sample.
    pub(crate) sample: bool,
    pub(crate) states: Vec<Variance>,
}

impl Moments {
    /// For no groups.
    pub(crate) fn new(sample: bool) -> Self {
        Moments { sample, states: Vec::new() }
    }

    pub(crate) fn groups(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.states.resize_with(groups, Variance::new);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<Variance>() + self.states.iter().map(Variance::heap_bytes).sum::<usize>()
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let states = groups.iter().map(|&group| self.states[group as usize].clone()).collect();
        Moments { sample: self.sample, states }
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.sample == other.sample
    }
}
