//! Sums of integers and decimals: exact, so that an overflow on the way is none.

use crate::partial::keys::picked;

/// Sums of integer-like values, a group each.
#[derive(Clone, Debug)]
pub(crate) struct IntegerSums {
    pub(crate) sums: Sums,
    /// Which groups have a value.
    pub(crate) seen: Vec<bool>,
}

/// A sum of `rows` values of at most `bound` is at most their product: while that fits 64 bits, so does the sum. When
/// it no longer does, sums become wide, whatever they are by then.
#[derive(Clone, Debug)]
pub(crate) enum Sums {
    /// 64 bits are enough for now.
    Narrow { sums: Vec<i64>, bound: u64, rows: u64 },
    /// The sum modulo 2^128, and how often 2^128 is to be added: only decimals of 38 digits get that far.
    Wide { low: Vec<i128>, high: Vec<i32> },
}

impl IntegerSums {
    /// Sums for no groups, of values that are proven to lie within `-bound` and `bound`.
    pub(crate) fn new(bound: Option<u64>) -> Self {
        let wide = Sums::Wide { low: Vec::new(), high: Vec::new() };
        let sums = bound.map_or(wide, |bound| Sums::Narrow { sums: Vec::new(), bound, rows: 0 });
        IntegerSums { sums, seen: Vec::new() }
    }

    /// Notes that so many rows are to be added.
    pub(crate) fn expect_rows(&mut self, more: u64) {
        let Sums::Narrow { bound, rows, .. } = &mut self.sums else { return };
        *rows = rows.saturating_add(more);
        if rows.saturating_mul(*bound) > i64::MAX as u64 {
            self.widen();
        }
    }

    /// Makes sums wide, whatever they are.
    pub(crate) fn widen(&mut self) {
        if let Sums::Narrow { sums, .. } = &self.sums {
            self.sums = Sums::Wide { low: sums.iter().map(|&sum| sum.into()).collect(), high: vec![0; sums.len()] };
        }
    }

    pub(crate) fn groups(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.seen.resize(groups, false);
        match &mut self.sums {
            Sums::Narrow { sums, .. } => sums.resize(groups, 0),
            Sums::Wide { low, high } => {
                low.resize(groups, 0);
                high.resize(groups, 0);
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let sums = match &self.sums {
            Sums::Narrow { sums, .. } => sums.capacity() * 8,
            Sums::Wide { low, high } => low.capacity() * 16 + high.capacity() * 4,
        };
        sums + self.seen.capacity()
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let sums = match &self.sums {
            Sums::Narrow { sums, bound, rows } => {
                Sums::Narrow { sums: picked(sums, groups), bound: *bound, rows: *rows }
            }
            Sums::Wide { low, high } => Sums::Wide { low: picked(low, groups), high: picked(high, groups) },
        };
        IntegerSums { sums, seen: picked(&self.seen, groups) }
    }

    /// Whether states of both can be merged: what is proven of the arguments is one proof.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (&self.sums, &other.sums) {
            (Sums::Narrow { bound: mine, .. }, Sums::Narrow { bound: theirs, .. }) => mine == theirs,
            _ => true,
        }
    }
}
