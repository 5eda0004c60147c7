//! Sums of vectors, position by position: exact until they are correctly rounded at the end, as sums of floats are, so that neither
//! the order of the rows nor how they were spread shows.
//!
//! The sum of a position is split into *levels* of [`LEVEL_BITS`] bits below a power of two that all groups share (a number has a
//! part in each: reproducible summation of Demmel and Nguyen, "Parallel Reproducible Summation", 2015, Algorithm 6, where all bits
//! are kept). A level is a double that counts a multiple of its unit, so that adding to it is exact for [`ROWS_MAX`] rows, and
//! vectorises. What the levels cannot take whole, because it is too large, has bits below the last unit, or is no number, goes to an
//! [`ExactSum`] of the position: of data of one magnitude next to nothing.

use crate::Result;
use crate::sums::exact_sum::ExactSum;
use multiloop_planner::meter;
use rustc_hash::FxHashMap;

/// Bits of a level.
const LEVEL_BITS: i32 = 25;

/// So many rows fill a level's double: 2^25 times as much are 53 bits.
const ROWS_MAX: u64 = 1 << (52 - LEVEL_BITS);

/// Levels, at most.
const LEVELS_MAX: usize = 3;

/// The powers of two below which levels may begin: all units are doubles, and so is what rounds to them.
const TOP_MIN: i32 = -960;
const TOP_MAX: i32 = 960;

/// Tops are multiples of this, so that workers whose first numbers differ a little have the same.
const TOP_STEP: i32 = 8;

/// What it costs to split a number by itself, or to add it to a rest, in the meter's units.
const UNITS: usize = 16;

/// Sums of vectors of one length, a group each.
#[derive(Clone, Debug)]
pub(crate) struct VectorSums {
    length: usize,
    /// How many levels there are: real's 24 bits need two, double precision's 53 three.
    level_count: usize,
    /// By group, level, position.
    pub(crate) levels: Vec<f64>,
    /// What is in levels is less than 2^top; none while there is nothing.
    top: Option<i32>,
    /// How many numbers any level has taken, at most.
    rows: u64,
    /// The rest of the sums, by group and position.
    rest: FxHashMap<(u32, u32), ExactSum>,
    rest_heap: usize,
    /// Which groups have a value.
    pub(crate) seen: Vec<bool>,
}

/// How numbers are split into levels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    /// Adding this rounds to a multiple of a level's unit.
    pub(crate) rounders: [f64; LEVELS_MAX],
    /// What is to be split is less.
    pub(crate) limit: f64,
}

/// 2 to an exponent of a normal number.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Split {
    fn below(top: i32) -> Self {
        // A double of this magnitude has its last bit where the level's unit is.
        let rounder = |level: usize| 1.5 * power(top - LEVEL_BITS * (level as i32 + 1) + 52);
        Split { rounders: [rounder(0), rounder(1), rounder(2)], limit: power(top) }
    }

    /// The parts of a number, one a level; none if they are not all of it.
    #[inline(always)]
    pub(crate) fn parts<const LEVELS: usize>(&self, number: f64) -> ([f64; LEVELS], bool) {
        let (mut parts, mut left) = ([0.0; LEVELS], number);
        for (part, rounder) in parts.iter_mut().zip(self.rounders) {
            *part = (left + rounder) - rounder;
            left -= *part;
        }
        // NaN is not less; nor are infinities.
        (parts, (left == 0.0) & (number.abs() < self.limit))
    }
}

impl VectorSums {
    /// Of no groups.
    pub(crate) fn new(length: usize, is_double: bool) -> Self {
        VectorSums {
            length,
            level_count: if is_double { 3 } else { 2 },
            levels: Vec::new(),
            top: None,
            rows: 0,
            rest: FxHashMap::default(),
            rest_heap: 0,
            seen: Vec::new(),
        }
    }

    /// Sums of groups that have a value, by group and position.
    pub(crate) fn of_exact(length: usize, is_double: bool, sums: Vec<ExactSum>, seen: Vec<bool>) -> Self {
        let mut all = VectorSums::new(length, is_double);
        all.resize(seen.len());
        all.seen = seen;
        for (at, sum) in sums.into_iter().enumerate().filter(|(_, sum)| !sum.is_nothing()) {
            all.change_rest((at / length) as u32, (at % length) as u32, |rest| rest.merge(&sum));
        }
        all
    }

    pub(crate) fn groups(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    pub(crate) fn is_double(&self) -> bool {
        self.level_count == 3
    }

    /// Whether levels are not all.
    pub(crate) fn has_rest(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Doubles of a group.
    pub(crate) fn stride(&self) -> usize {
        self.level_count * self.length
    }

    /// Bytes of so many groups, whose rest is empty.
    pub(crate) fn bytes_of(&self, groups: usize) -> usize {
        groups.saturating_mul(self.stride() * size_of::<f64>() + 1)
    }

    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.length, self.level_count) == (other.length, other.level_count)
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        if groups < self.groups() && !self.rest.is_empty() {
            for group in groups as u32..self.groups() as u32 {
                for position in 0..self.length as u32 {
                    let rest = self.rest.remove(&(group, position));
                    self.rest_heap -= rest.map_or(0, |rest| rest.heap_bytes());
                }
            }
        }
        self.levels.resize(groups * self.stride(), 0.0);
        self.seen.resize(groups, false);
    }

    pub(crate) fn bytes(&self) -> usize {
        let rest = self.rest.capacity() * (size_of::<((u32, u32), ExactSum)>() + 1) + self.rest_heap;
        self.levels.capacity() * size_of::<f64>() + self.seen.capacity() + rest
    }

    /// How numbers are split, after making room for so many more; none before the first one.
    ///
    /// # Errors
    /// 57014 if the statement was cancelled.
    pub(crate) fn split(&mut self, more: u64) -> Result<Option<Split>> {
        if self.rows.saturating_add(more) > ROWS_MAX {
            self.empty_full_levels()?;
            self.rows = ROWS_MAX / 2;
        }
        self.rows = self.rows.saturating_add(more);
        Ok(self.top.map(Split::below))
    }

    /// How numbers are split of which those that are not unusually large are less than 2^exponent; none says nothing.
    ///
    /// # Errors
    /// 57014 if the statement was cancelled.
    pub(crate) fn split_for(&mut self, exponent: Option<i32>) -> Result<Split> {
        // There is a bit to spare.
        let top = |exponent: i32| exponent.saturating_add(TOP_STEP).div_euclid(TOP_STEP) * TOP_STEP;
        match (self.top, exponent.map(top).filter(|top| *top <= TOP_MAX).map(|top| top.max(TOP_MIN))) {
            (None, Some(top)) => self.top = Some(top),
            (Some(now), Some(top)) if now < top => {
                self.top = Some(top);
                self.raise(Split::below(top))?;
            }
            _ => {}
        }
        Ok(Split::below(self.top.unwrap_or(TOP_MIN)))
    }

    /// Moves what is in levels to others, whose units are larger.
    fn raise(&mut self, split: Split) -> Result<()> {
        self.rows = self.rows.saturating_add(LEVELS_MAX as u64);
        let (stride, length) = (self.stride(), self.length);
        for group in 0..self.groups() {
            meter::spend(stride * UNITS)?;
            for position in 0..length {
                let place = |level: usize| group * stride + level * length + position;
                let mut parts = [0.0; LEVELS_MAX];
                for (level, part) in parts.iter_mut().enumerate().take(self.level_count) {
                    *part = std::mem::take(&mut self.levels[place(level)]);
                }
                for part in parts.into_iter().filter(|part| *part != 0.0) {
                    self.add_with(&split, group, position, part);
                }
            }
        }
        Ok(())
    }

    /// Moves to the rest what is in levels that are half full.
    fn empty_full_levels(&mut self) -> Result<()> {
        let Some(top) = self.top else { return Ok(()) };
        let (stride, length) = (self.stride(), self.length);
        for group in 0..self.groups() {
            meter::spend(stride)?;
            for level in 0..self.level_count {
                let half = power(top - LEVEL_BITS * (level as i32 + 1)) * (1u64 << 51) as f64;
                for position in 0..length {
                    let part = &mut self.levels[group * stride + level * length + position];
                    if part.abs() >= half {
                        let part = std::mem::take(part);
                        self.change_rest(group as u32, position as u32, |rest| rest.add(part));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a number to a position of a group.
    pub(crate) fn add_with(&mut self, split: &Split, group: usize, position: usize, number: f64) {
        let (parts, is_whole) = match self.level_count {
            2 => {
                let ([high, low], is_whole) = split.parts::<2>(number);
                ([high, low, 0.0], is_whole)
            }
            _ => split.parts::<3>(number),
        };
        if !is_whole {
            return self.change_rest(group as u32, position as u32, |rest| rest.add(number));
        }
        let place = group * self.stride() + position;
        for (level, part) in parts.into_iter().enumerate().take(self.level_count) {
            self.levels[place + level * self.length] += part;
        }
    }

    /// The levels of a group, by level and position.
    pub(crate) fn group_levels(&mut self, group: usize) -> &mut [f64] {
        let stride = self.stride();
        &mut self.levels[group * stride..][..stride]
    }

    /// Adds a number to the rest of a position of a group.
    pub(crate) fn add_to_rest(&mut self, group: usize, position: usize, number: f64) {
        self.change_rest(group as u32, position as u32, |rest| rest.add(number));
    }

    fn change_rest(&mut self, group: u32, position: u32, change: impl FnOnce(&mut ExactSum)) {
        let rest = self.rest.entry((group, position)).or_default();
        let before = rest.heap_bytes();
        change(rest);
        self.rest_heap = self.rest_heap + rest.heap_bytes() - before;
    }

    /// The parts of a position's sum that levels have, the largest first.
    fn parts(&self, group: usize, position: usize) -> [f64; LEVELS_MAX] {
        let place = group * self.stride() + position;
        let mut parts = [0.0; LEVELS_MAX];
        for (level, part) in parts.iter_mut().enumerate().take(self.level_count) {
            *part = self.levels[place + level * self.length];
        }
        parts
    }

    /// The sum of a position of a group.
    pub(crate) fn sum(&self, group: usize, position: usize) -> ExactSum {
        let mut sum = self.rest.get(&(group as u32, position as u32)).cloned().unwrap_or_default();
        self.parts(group, position).into_iter().filter(|part| *part != 0.0).for_each(|part| sum.add(part));
        sum
    }

    /// The same, rounded to double precision or (for reals) single precision.
    pub(crate) fn rounded(&self, group: usize, position: usize, is_real: bool) -> f64 {
        if self.rest.is_empty() {
            let [high, middle, low] = self.parts(group, position);
            // Of two doubles a sum is rounded once; of more, if all but the last were exact.
            let (tail, lost) = two_sum(middle, low);
            let (total, error) = two_sum(high, tail);
            match (lost == 0.0, is_real, error == 0.0) {
                (true, false, _) => return total,
                (true, true, true) => return f64::from(total as f32),
                _ => {}
            }
        }
        self.sum(group, position).rounded(is_real)
    }

    /// Adds groups of others to its own.
    ///
    /// # Errors
    /// 57014 if the statement was cancelled.
    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        debug_assert!(self.is_like(other), "sums of vectors of one type");
        if self.top.is_none() {
            self.top = other.top;
        }
        let split = self.split(other.rows.saturating_add(LEVELS_MAX as u64))?.unwrap_or_else(|| Split::below(TOP_MIN));
        let (stride, length, are_alike) = (self.stride(), self.length, self.top == other.top);
        for (from, into) in pairs {
            meter::spend(if are_alike && other.rest.is_empty() { stride } else { stride * UNITS })?;
            self.seen[into] |= other.seen[from];
            let theirs = &other.levels[from * stride..(from + 1) * stride];
            if are_alike {
                let mine = &mut self.levels[into * stride..(into + 1) * stride];
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
            } else {
                for (at, &part) in theirs.iter().enumerate().filter(|(_, part)| **part != 0.0) {
                    self.add_with(&split, into, at % length, part);
                }
            }
            if other.rest.is_empty() {
                continue;
            }
            for position in 0..length as u32 {
                if let Some(theirs) = other.rest.get(&(from as u32, position)) {
                    self.change_rest(into as u32, position, |rest| rest.merge(theirs));
                }
            }
        }
        Ok(())
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let stride = self.stride();
        let mut taken = VectorSums::new(self.length, self.is_double());
        (taken.top, taken.rows) = (self.top, self.rows);
        for (number, &group) in groups.iter().enumerate() {
            let start = group as usize * stride;
            taken.levels.extend_from_slice(&self.levels[start..start + stride]);
            taken.seen.push(self.seen[group as usize]);
            if self.rest.is_empty() {
                continue;
            }
            for position in 0..self.length as u32 {
                if let Some(rest) = self.rest.get(&(group, position)) {
                    taken.change_rest(number as u32, position, |own| own.merge(rest));
                }
            }
        }
        taken
    }
}

/// The rounded sum and what it lacks of the exact one (Knuth's TwoSum; both are finite).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}
