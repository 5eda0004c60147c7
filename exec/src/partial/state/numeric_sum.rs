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
}
