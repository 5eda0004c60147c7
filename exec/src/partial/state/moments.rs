//! Variance of floats, from exact sums, so that neither cancellation nor the order of the rows shows.

use crate::sums::moments::Variance;

/// Count, sum and sum of squares of each group.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    /// Whether the rows are a sample.
    pub(crate) sample: bool,
    pub(crate) states: Vec<Variance>,
    /// Bytes that states hold elsewhere.
    heap: usize,
}

impl Moments {
    /// For no groups.
    pub(crate) fn new(sample: bool) -> Self {
        Moments::of(sample, Vec::new())
    }

    /// Of these states.
    pub(crate) fn of(sample: bool, states: Vec<Variance>) -> Self {
        Moments { sample, heap: states.iter().map(Variance::heap_bytes).sum(), states }
    }

    /// Changes a group's state, and counts the memory that it takes.
    #[inline(always)]
    pub(crate) fn change(&mut self, group: usize, change: impl FnOnce(&mut Variance)) {
        let state = &mut self.states[group];
        let before = state.heap_bytes();
        change(state);
        self.heap = self.heap + state.heap_bytes() - before;
    }

    pub(crate) fn groups(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.heap -= self.states.iter().skip(groups).map(Variance::heap_bytes).sum::<usize>();
        self.states.resize_with(groups, Variance::new);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<Variance>() + self.heap
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let states = groups.iter().map(|&group| self.states[group as usize].clone()).collect();
        Moments::of(self.sample, states)
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.sample == other.sample
    }
}
