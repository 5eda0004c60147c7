//! Sums and variances of NUMERIC: exact, whatever the digits.
//!
//! Variances of decimals and integers are NUMERICs, too. Where these are proven to be small enough a group takes half a line of
//! the cache, and a row three additions.

use crate::partial::keys::picked;
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
    pub(crate) states: States,
}

/// What is known of the groups, in one of two forms. When the narrow one may no longer do, states become wide, whatever they
/// are by then.
#[derive(Clone, Debug)]
pub(crate) enum States {
    /// Of `rows` integers at most, in units of 10^-scale: their sum, at most their number times `bound`, fits 64 bits.
    Narrow { moments: Vec<IntegerMoments>, bound: u64, scale: u32, rows: u64 },
    /// Of any numbers. `heap` are bytes that they hold elsewhere.
    Wide { sums: Vec<NumericSum>, heap: usize },
}

/// Count, sum and sum of squares of integers: the numbers of a sum that fits 64 bits have squares whose sum fits 127.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(32))]
pub(crate) struct IntegerMoments {
    pub(crate) count: u64,
    pub(crate) sum: i64,
    pub(crate) squares: u128,
}

impl IntegerMoments {
    /// The same as a state of any numbers.
    pub(crate) fn widened(self, scale: u32) -> NumericSum {
        // Of no numbers the scale is none of theirs.
        let scale = if self.count == 0 { 0 } else { scale };
        NumericSum::of_integers(self.count, scale, self.sum.into(), self.squares as i128)
    }
}

impl NumericSums {
    /// For no groups, of any numbers.
    pub(crate) fn new(asked: Asked) -> Self {
        NumericSums { asked, states: States::Wide { sums: Vec::new(), heap: 0 } }
    }

    /// For no groups: the variance of integers in units of 10^-scale that are proven to lie within `-bound` and `bound`.
    pub(crate) fn of_integers(sample: bool, bound: u64, scale: u32) -> Self {
        let states = States::Narrow { moments: Vec::new(), bound, scale, rows: 0 };
        NumericSums { asked: Asked::Variance { sample }, states }
    }

    /// Notes that so many rows are to be added.
    pub(crate) fn expect_rows(&mut self, more: u64) {
        let States::Narrow { bound, rows, .. } = &mut self.states else { return };
        *rows = rows.saturating_add(more);
        // Zeros have a bound of 0, and counts that fit no better.
        if rows.saturating_mul((*bound).max(1)) > i64::MAX as u64 {
            self.states = States::Wide { sums: self.widened(), heap: 0 };
        }
    }

    /// The states of any numbers.
    pub(crate) fn widened(&self) -> Vec<NumericSum> {
        match &self.states {
            States::Narrow { moments, scale, .. } => moments.iter().map(|moments| moments.widened(*scale)).collect(),
            States::Wide { sums, .. } => sums.clone(),
        }
    }

    pub(crate) fn groups(&self) -> usize {
        match &self.states {
            States::Narrow { moments, .. } => moments.len(),
            States::Wide { sums, .. } => sums.len(),
        }
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        match &mut self.states {
            States::Narrow { moments, .. } => moments.resize(groups, IntegerMoments::default()),
            States::Wide { sums, .. } => sums.resize_with(groups, NumericSum::default),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match &self.states {
            States::Narrow { moments, .. } => moments.capacity() * size_of::<IntegerMoments>(),
            States::Wide { sums, heap } => sums.capacity() * size_of::<NumericSum>() + heap,
        }
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let states = match &self.states {
            States::Narrow { moments, bound, scale, rows } => {
                States::Narrow { moments: picked(moments, groups), bound: *bound, scale: *scale, rows: *rows }
            }
            States::Wide { sums, .. } => {
                States::of_wide(groups.iter().map(|&group| sums[group as usize].clone()).collect())
            }
        };
        NumericSums { asked: self.asked, states }
    }

    /// Whether states of both can be merged: what is proven of the arguments is one proof.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let are_like = match (&self.states, &other.states) {
            (States::Narrow { bound, scale, .. }, States::Narrow { bound: their_bound, scale: their_scale, .. }) => {
                (bound, scale) == (their_bound, their_scale)
            }
            _ => true,
        };
        self.asked == other.asked && are_like
    }
}

impl States {
    pub(crate) fn of_wide(sums: Vec<NumericSum>) -> Self {
        States::Wide { heap: sums.iter().map(NumericSum::heap_bytes).sum(), sums }
    }
}
