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
}
