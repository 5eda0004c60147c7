//! Sums of floats: exact until they are correctly rounded at the end, so that the order of the rows does not show.
//!
//! A group's sum is an integer of 128 bits in units that all groups share, plus, where ever something did not fit it, an
//! [`ExactSum`]. The first numbers say what the units are: data of one magnitude need nothing else.

use crate::partial::keys::picked;
use crate::sums::exact_sum::ExactSum;

/// Sums of floats, a group each.
#[derive(Clone, Debug, Default)]
pub(crate) struct FloatSums {
    /// Of each group a part of its sum, in units of 2^unit; all 0 while there is no unit.
    pub(crate) windows: Vec<i128>,
    pub(crate) unit: Option<i32>,
    /// How many numbers any window has taken, at most.
    pub(crate) rows: u64,
    /// The rest of the sums; empty if there is none.
    pub(crate) rest: Vec<ExactSum>,
    /// Bytes that the rest holds elsewhere.
    pub(crate) rest_heap: usize,
    /// Which groups have a value.
    pub(crate) seen: Vec<bool>,
}

/// Bits of the largest number that a window takes.
pub(crate) const NUMBER_BITS: u32 = 84;

/// So many of these do not overflow it.
const ROWS_MAX: u64 = 1 << (126 - NUMBER_BITS);

impl FloatSums {
    /// Sums, of groups that have a value.
    pub(crate) fn of_exact(rest: Vec<ExactSum>, seen: Vec<bool>) -> Self {
        let rest_heap = rest.iter().map(ExactSum::heap_bytes).sum();
        FloatSums { windows: vec![0; rest.len()], rest, rest_heap, seen, ..FloatSums::default() }
    }

    /// Sums that stand in windows alone, each with a bit to spare.
    pub(crate) fn of_windows(windows: Vec<i128>, unit: i32, seen: Vec<bool>) -> Self {
        // As many as there may be: whoever adds something makes room first.
        FloatSums { windows, unit: Some(unit), rows: ROWS_MAX, seen, ..FloatSums::default() }
    }

    pub(crate) fn groups(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.windows.resize(groups, 0);
        self.seen.resize(groups, false);
        if !self.rest.is_empty() {
            let dropped = self.rest.iter().skip(groups);
            self.rest_heap -= dropped.map(ExactSum::heap_bytes).sum::<usize>();
            self.rest.resize_with(groups, ExactSum::default);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let rest = self.rest.capacity() * size_of::<ExactSum>() + self.rest_heap;
        self.windows.capacity() * size_of::<i128>() + self.seen.capacity() + rest
    }

    /// Notes that windows are to take so many numbers more.
    pub(crate) fn expect_rows(&mut self, more: u64) {
        if self.rows.saturating_add(more) > ROWS_MAX {
            for group in 0..self.windows.len() {
                let window = self.window(group);
                self.change_rest(group, |rest| rest.merge(&window));
                self.windows[group] = 0;
            }
            self.rows = 0;
        }
        self.rows = self.rows.saturating_add(more);
    }

    /// What the window of a group has.
    fn window(&self, group: usize) -> ExactSum {
        self.unit.map_or_else(ExactSum::new, |unit| ExactSum::of_window(self.windows[group], unit))
    }

    /// The sum of a group.
    pub(crate) fn sum(&self, group: usize) -> ExactSum {
        let mut sum = self.window(group);
        if let Some(rest) = self.rest.get(group) {
            sum.merge(rest);
        }
        sum
    }

    /// Changes the rest of a group's sum.
    pub(crate) fn change_rest(&mut self, group: usize, change: impl FnOnce(&mut ExactSum)) {
        if self.rest.is_empty() {
            self.rest.resize_with(self.windows.len(), ExactSum::default);
        }
        let rest = &mut self.rest[group];
        let before = rest.heap_bytes();
        change(rest);
        self.rest_heap = self.rest_heap + rest.heap_bytes() - before;
    }

    /// Adds groups of others to its own.
    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        self.expect_rows(other.rows);
        self.unit = self.unit.or(other.unit);
        let are_alike = self.unit == other.unit;
        for (from, into) in pairs {
            if are_alike {
                self.windows[into] += other.windows[from];
            } else if other.windows[from] != 0 {
                self.change_rest(into, |rest| rest.merge(&other.window(from)));
            }
            if let Some(theirs) = other.rest.get(from).filter(|theirs| !theirs.is_nothing()) {
                self.change_rest(into, |rest| rest.merge(theirs));
            }
            self.seen[into] |= other.seen[from];
        }
    }

    /// Adds consecutive groups of others behind its own while all have windows of one unit alone; false if they have not.
    pub(crate) fn append(&mut self, other: &Self, groups: std::ops::Range<usize>) -> bool {
        let is_alike = self.unit.is_none_or(|unit| other.unit == Some(unit)) && other.unit.is_some();
        if !is_alike || !self.rest.is_empty() || !other.rest.is_empty() {
            return false;
        }
        self.unit = other.unit;
        self.rows = self.rows.max(other.rows);
        self.windows.extend_from_slice(&other.windows[groups.clone()]);
        self.seen.extend_from_slice(&other.seen[groups]);
        true
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let rest: Vec<ExactSum> = match self.rest.is_empty() {
            true => Vec::new(),
            false => groups.iter().map(|&group| self.rest[group as usize].clone()).collect(),
        };
        FloatSums {
            windows: picked(&self.windows, groups),
            unit: self.unit,
            rows: self.rows,
            rest_heap: rest.iter().map(ExactSum::heap_bytes).sum(),
            rest,
            seen: picked(&self.seen, groups),
        }
    }
}
