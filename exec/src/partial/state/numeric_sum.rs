//! Sums and variances of NUMERIC: exact, whatever the digits.

use multiloop_planner::numeric::sum::NumericSum;

/// What is asked of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Sum,
    Variance { sample: bool },
}

/// Count, sum and perhaps sum of squares of each group.
#[derive(Clone, Debug)]
pub(crate) struct NumericSums {
    pub(crate) asked: Asked,
    pub(crate) states: Vec<NumericSum>,
    /// Bytes that states hold elsewhere.
    pub(crate) heap: usize,
}

impl NumericSums {
    /// For no groups.
    pub(crate) fn new(asked: Asked) -> Self {
        NumericSums { asked, states: Vec::new(), heap: 0 }
    }

    pub(crate) fn groups(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.states.resize_with(groups, NumericSum::default);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<NumericSum>() + self.heap
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let states: Vec<NumericSum> = groups.iter().map(|&group| self.states[group as usize].clone()).collect();
        NumericSums { asked: self.asked, heap: states.iter().map(NumericSum::heap_bytes).sum(), states }
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.asked == other.asked
    }
}
