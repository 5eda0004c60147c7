//! Sums and variances of NUMERIC: exact, whatever the digits.
//!
//! Sums are kept in units of one scale for all groups, as long as 128 bits hold them: a group takes 17 bytes, and a row, whatever
//! its scale, a multiplication and an addition. Variances of decimals and integers are NUMERICs, too. Where these are proven to be small enough a group takes half a line of
//! the cache, and a row three additions.

use crate::partial::keys::picked;
use multiloop_planner::numeric::powers;
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

/// What is known of the groups, in one of three forms. When a narrow or scaled one may no longer do, states become wide, whatever
/// they are by then.
#[derive(Clone, Debug)]
pub(crate) enum States {
    /// Of `rows` integers at most, in units of 10^-scale: their sum, at most their number times `bound`, fits 64 bits.
    Narrow { moments: Vec<IntegerMoments>, bound: u64, scale: u32, rows: u64 },
    /// Sums of numbers whose digits 128 bits hold.
    Scaled(ScaledSums),
    /// Of any numbers. `heap` are bytes that they hold elsewhere.
    Wide { sums: Vec<NumericSum>, heap: usize },
}

/// Sums in units of 10^-scale, the largest scale of a number so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScaledSums {
    pub(crate) sums: Vec<i128>,
    /// One more than the largest scale of a number of the group; 0 of a group without numbers.
    pub(crate) shown: Vec<u8>,
    pub(crate) scale: u8,
    /// No sum is greater than this, or less than its negative.
    pub(crate) bound: u128,
}

impl ScaledSums {
    /// Bounds of sums stay at or below this, so that two sums can be added.
    const BOUND_MAX: u128 = 1 << 126;

    /// Makes room for so many more numbers of at most this magnitude in units of 10^-scale; false if there may be none.
    pub(crate) fn expect(&mut self, scale: u8, magnitude: u128, count: usize) -> bool {
        if scale > self.scale && !self.rescale(scale) {
            return false;
        }
        let factor = powers::power_of_ten((self.scale - scale).into());
        let added = match factor {
            _ if magnitude == 0 => Some(0),
            Some(factor) => {
                magnitude.checked_mul(factor.unsigned_abs()).and_then(|each| each.checked_mul(count as u128))
            }
            None => None,
        };
        let Some(added) = added.filter(|&added| added <= Self::BOUND_MAX) else { return false };
        if self.bound + added > Self::BOUND_MAX {
            self.bound = self.largest();
        }
        self.bound += added;
        self.bound <= Self::BOUND_MAX
    }

    /// Counts in units of so many digits; false if a sum would have too many.
    fn rescale(&mut self, scale: u8) -> bool {
        let largest = self.largest();
        let factor = powers::power_of_ten((scale - self.scale).into()).or((largest == 0).then_some(1));
        let bound = factor.and_then(|factor| largest.checked_mul(factor.unsigned_abs()));
        let (Some(factor), Some(bound)) = (factor, bound.filter(|&bound| bound <= Self::BOUND_MAX)) else {
            return false;
        };
        self.sums.iter_mut().for_each(|sum| *sum *= factor);
        (self.scale, self.bound) = (scale, bound);
        true
    }

    /// Adds a group of other sums, whose scale is no larger, to a group; false if their sum has too many digits.
    pub(crate) fn merge(&mut self, other: &ScaledSums, from: usize, into: usize) -> bool {
        let sum = powers::power_of_ten((self.scale - other.scale).into())
            .and_then(|factor| self.sums[into].checked_add(other.sums[from].checked_mul(factor)?));
        let Some(sum) = sum.or((other.sums[from] == 0).then_some(self.sums[into])) else { return false };
        self.sums[into] = sum;
        self.shown[into] = self.shown[into].max(other.shown[from]);
        self.bound = self.bound.max(sum.unsigned_abs());
        true
    }

    /// The largest magnitude of a sum.
    fn largest(&self) -> u128 {
        self.sums.iter().fold(0, |largest, sum| largest.max(sum.unsigned_abs()))
    }

    /// A group's state of any numbers.
    pub(crate) fn widened(&self, group: usize) -> NumericSum {
        let Some(shown) = self.shown[group].checked_sub(1) else { return NumericSum::default() };
        // What a number of fewer digits adds is a multiple of this.
        let unit = powers::power_of_ten((self.scale - shown).into()).unwrap_or(1);
        NumericSum::of_integers(1, shown.into(), self.sums[group] / unit, 0)
    }
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
        let states = match asked {
            Asked::Sum => States::Scaled(ScaledSums::default()),
            Asked::Variance { .. } => States::Wide { sums: Vec::new(), heap: 0 },
        };
        NumericSums { asked, states }
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
            States::Scaled(scaled) => (0..scaled.sums.len()).map(|group| scaled.widened(group)).collect(),
            States::Wide { sums, .. } => sums.clone(),
        }
    }

    /// Makes the states those of any numbers.
    pub(crate) fn widen(&mut self) {
        if !matches!(self.states, States::Wide { .. }) {
            self.states = States::of_wide(self.widened());
        }
    }

    pub(crate) fn groups(&self) -> usize {
        match &self.states {
            States::Narrow { moments, .. } => moments.len(),
            States::Scaled(scaled) => scaled.sums.len(),
            States::Wide { sums, .. } => sums.len(),
        }
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        match &mut self.states {
            States::Narrow { moments, .. } => moments.resize(groups, IntegerMoments::default()),
            States::Scaled(scaled) => {
                scaled.sums.resize(groups, 0);
                scaled.shown.resize(groups, 0);
            }
            States::Wide { sums, .. } => sums.resize_with(groups, NumericSum::default),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match &self.states {
            States::Narrow { moments, .. } => moments.capacity() * size_of::<IntegerMoments>(),
            States::Scaled(scaled) => scaled.sums.capacity() * size_of::<i128>() + scaled.shown.capacity(),
            States::Wide { sums, heap } => sums.capacity() * size_of::<NumericSum>() + heap,
        }
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let states = match &self.states {
            States::Narrow { moments, bound, scale, rows } => {
                States::Narrow { moments: picked(moments, groups), bound: *bound, scale: *scale, rows: *rows }
            }
            States::Scaled(scaled) => States::Scaled(ScaledSums {
                sums: picked(&scaled.sums, groups),
                shown: picked(&scaled.shown, groups),
                ..*scaled
            }),
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
