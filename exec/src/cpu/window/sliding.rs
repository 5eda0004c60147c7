//! Sliding aggregates, whose rows can be removed again: what a frame has and the last one had not is added, and what it lacks is
//! removed. Each row comes and goes once a partition, however wide frames are.

use super::cancel_check::CancelCheck;
use super::frames::{Frames, Parts};
use crate::Result;
use crate::interpret::reduce::sum_of_intervals;
use crate::sums::exact_sum::ExactSum;
use crate::sums::integer_sum::IntegerSum;
use crate::sums::moments::{Variance, has_square};
use crate::workers::context::Context;
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Interval, Value};
use multiloop_planner::window::Exclude;
use std::ops::Range;

/// What is known of the rows of a frame.
pub(super) trait State {
    type Value;
    /// Forgets all rows.
    fn clear(&mut self);
    /// Takes in a row that it has not.
    fn add(&mut self, row: usize);
    /// Takes out some rows that it has.
    fn remove(&mut self, rows: Range<usize>);
    /// The aggregate; none for NULL.
    fn value(&self) -> Result<Option<Self::Value>>;
}

/// Gives the aggregate of each row's frame, with how many rows one behind the other have it.
pub(super) fn slide<S: State>(
    frames: &Frames<'_>,
    rows: Range<usize>,
    mut state: S,
    context: &Context,
    mut each: impl FnMut(Option<S::Value>, usize) -> Result<()>,
) -> Result<()> {
    if frames.frame.exclude != Exclude::NoOthers {
        return slide_parts(frames, rows, state, context, each);
    }
    let (mut held, mut cancelled) = (0..0, CancelCheck::new(context));
    frames.each(rows, |seen, count| {
        cancelled.pass()?;
        // What is left of a frame may be less than what has to go. Frames whose bounds are arguments may go back.
        let goes_back = seen.start < held.start || seen.end < held.end;
        if goes_back || seen.start >= held.end || seen.start - held.start > seen.len() {
            state.clear();
            held = seen.start..seen.start;
        } else if seen.start > held.start {
            state.remove(held.start..seen.start);
        }
        (held.end.max(seen.start)..seen.end).for_each(|row| state.add(row));
        held = seen;
        each(state.value()?, count)
    })
}

/// The same where rows are excluded.
fn slide_parts<S: State>(
    frames: &Frames<'_>,
    rows: Range<usize>,
    mut state: S,
    context: &Context,
    mut each: impl FnMut(Option<S::Value>, usize) -> Result<()>,
) -> Result<()> {
    let (mut held, mut cancelled) = ([0..0, 0..0], CancelCheck::new(context));
    frames.each_parts(rows, |parts| {
        cancelled.pass()?;
        let Parts { left, own, right } = parts;
        for (held, to) in held.iter_mut().zip([left, right]) {
            let goes_back = to.start < held.start || to.end < held.end;
            if goes_back || to.start >= held.end {
                state.remove(held.clone());
                *held = to.start..to.start;
            } else {
                state.remove(held.start..to.start);
            }
            (held.end.max(to.start)..to.end).for_each(|row| state.add(row));
            *held = to;
        }
        own.into_iter().for_each(|row| state.add(row));
        let value = state.value()?;
        own.into_iter().for_each(|row| state.remove(row..row + 1));
        each(value, 1)
    })
}

/// The values of a column in order; those of rows that are not NULL count.
#[derive(Clone, Copy)]
pub(super) struct Values<'a, T> {
    pub(super) values: &'a [T],
    pub(super) valid: Option<&'a [bool]>,
}

impl<T: Copy> Values<'_, T> {
    #[inline(always)]
    pub(super) fn get(&self, row: usize) -> Option<T> {
        self.valid.is_none_or(|valid| valid[row]).then(|| self.values[row])
    }
}

/// How many rows are not NULL.
pub(super) struct Count<'a> {
    pub(super) valid: &'a [bool],
    pub(super) count: i64,
}

impl State for Count<'_> {
    type Value = i64;

    fn clear(&mut self) {
        self.count = 0;
    }

    #[inline(always)]
    fn add(&mut self, row: usize) {
        self.count += i64::from(self.valid[row]);
    }

    #[inline(always)]
    fn remove(&mut self, rows: Range<usize>) {
        rows.for_each(|row| self.count -= i64::from(self.valid[row]));
    }

    fn value(&self) -> Result<Option<i64>> {
        Ok(Some(self.count))
    }
}

/// A sum of integers that is exact while it grows and shrinks.
pub(super) trait Total: Copy + Default {
    fn add(&mut self, value: i128);
    fn remove(&mut self, value: i128);
    fn sum(&self) -> IntegerSum;
    /// The total, if 128 bits hold it.
    fn total(&self) -> Option<i128>;
}

/// Of integers of 64 bits, whose sums 128 bits hold.
impl Total for i128 {
    #[inline(always)]
    fn add(&mut self, value: i128) {
        *self += value;
    }

    #[inline(always)]
    fn remove(&mut self, value: i128) {
        *self -= value;
    }

    fn sum(&self) -> IntegerSum {
        let mut sum = IntegerSum::new();
        sum.add(*self);
        sum
    }

    #[inline(always)]
    fn total(&self) -> Option<i128> {
        Some(*self)
    }
}

impl Total for IntegerSum {
    #[inline(always)]
    fn add(&mut self, value: i128) {
        IntegerSum::add(self, value);
    }

    #[inline(always)]
    fn remove(&mut self, value: i128) {
        IntegerSum::remove(self, value);
    }

    fn sum(&self) -> IntegerSum {
        *self
    }

    #[inline(always)]
    fn total(&self) -> Option<i128> {
        IntegerSum::total(self)
    }
}

/// Sums of integers, in a type.
pub(super) struct Integers<'a, T, S> {
    values: Values<'a, T>,
    sum: S,
    count: usize,
    data_type: DataType,
    /// What the type surely holds.
    low: i128,
    high: i128,
}

impl<'a, T, S: Total> Integers<'a, T, S> {
    pub(super) fn new(values: Values<'a, T>, data_type: DataType) -> Self {
        let (low, high) = data_type.integer_bounds().unwrap_or((0, 0));
        Integers { values, sum: S::default(), count: 0, data_type, low, high }
    }
}

impl<T: Copy + Into<i128>, S: Total> State for Integers<'_, T, S> {
    type Value = i128;

    fn clear(&mut self) {
        (self.sum, self.count) = (S::default(), 0);
    }

    #[inline(always)]
    fn add(&mut self, row: usize) {
        if let Some(value) = self.values.get(row) {
            self.sum.add(value.into());
            self.count += 1;
        }
    }

    #[inline(always)]
    fn remove(&mut self, rows: Range<usize>) {
        for value in rows.filter_map(|row| self.values.get(row)) {
            self.sum.remove(value.into());
            self.count -= 1;
        }
    }

    #[inline(always)]
    fn value(&self) -> Result<Option<i128>> {
        if self.count == 0 {
            return Ok(None);
        }
        if let Some(total) = self.sum.total().filter(|total| (self.low..=self.high).contains(total)) {
            return Ok(Some(total));
        }
        Ok(match self.sum.sum().finish(self.data_type)? {
            Value::Int(total) => Some(total.into()),
            Value::Decimal(total) => Some(total),
            _ => None,
        })
    }
}

/// Sums of floats, rounded once.
pub(super) struct Floats<'a> {
    values: Values<'a, f64>,
    /// Of those that are finite.
    sum: ExactSum,
    count: usize,
    /// How many are NaN, infinite and negative infinite.
    special: [usize; 3],
    data_type: DataType,
}

impl<'a> Floats<'a> {
    pub(super) fn new(values: Values<'a, f64>, data_type: DataType) -> Self {
        Floats { values, sum: ExactSum::new(), count: 0, special: [0; 3], data_type }
    }
}

/// Which of the numbers that are not finite.
fn kind(value: f64) -> usize {
    if value.is_nan() { 0 } else { 1 + usize::from(value < 0.0) }
}

impl State for Floats<'_> {
    type Value = f64;

    fn clear(&mut self) {
        (self.sum, self.count, self.special) = (ExactSum::new(), 0, [0; 3]);
    }

    #[inline(always)]
    fn add(&mut self, row: usize) {
        let Some(value) = self.values.get(row) else { return };
        self.count += 1;
        if value.is_finite() { self.sum.add(value) } else { self.special[kind(value)] += 1 }
    }

    #[inline(always)]
    fn remove(&mut self, rows: Range<usize>) {
        for value in rows.filter_map(|row| self.values.get(row)) {
            self.count -= 1;
            if value.is_finite() { self.sum.add(-value) } else { self.special[kind(value)] -= 1 }
        }
    }

    fn value(&self) -> Result<Option<f64>> {
        Ok(match self.special {
            _ if self.count == 0 => None,
            [0, 0, 0] => Some(self.sum.finish(self.data_type)?),
            [0, _, 0] => Some(f64::INFINITY),
            [0, 0, _] => Some(f64::NEG_INFINITY),
            _ => Some(f64::NAN),
        })
    }
}

/// Variances of floats.
pub(super) struct Moments<'a> {
    values: Values<'a, f64>,
    sample: bool,
    /// Of numbers that have squares.
    state: Variance,
    /// How many have none, and how many are not finite.
    squareless: usize,
    special: usize,
}

impl<'a> Moments<'a> {
    pub(super) fn new(values: Values<'a, f64>, sample: bool) -> Self {
        Moments { values, sample, state: Variance::new(), squareless: 0, special: 0 }
    }
}

impl State for Moments<'_> {
    type Value = f64;

    fn clear(&mut self) {
        (self.state, self.squareless, self.special) = (Variance::new(), 0, 0);
    }

    fn add(&mut self, row: usize) {
        match self.values.get(row) {
            Some(value) if has_square(value) => self.state.add(value),
            Some(value) if value.is_finite() => self.squareless += 1,
            Some(_) => self.special += 1,
            None => {}
        }
    }

    fn remove(&mut self, rows: Range<usize>) {
        for value in rows.filter_map(|row| self.values.get(row)) {
            match value {
                _ if has_square(value) => self.state.remove(value),
                _ if value.is_finite() => self.squareless -= 1,
                _ => self.special -= 1,
            }
        }
    }

    fn value(&self) -> Result<Option<f64>> {
        if self.squareless + self.special == 0 {
            return self.state.finish(self.sample);
        }
        // What one of each says, and with a second one of no sample, is what all say.
        let mut state = self.state.clone();
        (0..self.squareless.min(2)).for_each(|_| state.add(f64::MAX));
        (0..self.special.min(2)).for_each(|_| state.add(f64::NAN));
        state.finish(self.sample)
    }
}

/// Sums of intervals: months, days and microseconds.
pub(super) struct Intervals<'a> {
    values: Values<'a, Interval>,
    sums: [i128; 3],
    count: usize,
}

impl<'a> Intervals<'a> {
    pub(super) fn new(values: Values<'a, Interval>) -> Self {
        Intervals { values, sums: [0; 3], count: 0 }
    }
}

fn parts(interval: Interval) -> [i128; 3] {
    [interval.months.into(), interval.days.into(), interval.micros.into()]
}

impl State for Intervals<'_> {
    type Value = Interval;

    fn clear(&mut self) {
        (self.sums, self.count) = ([0; 3], 0);
    }

    fn add(&mut self, row: usize) {
        let Some(value) = self.values.get(row) else { return };
        self.count += 1;
        self.sums.iter_mut().zip(parts(value)).for_each(|(sum, part)| *sum += part);
    }

    fn remove(&mut self, rows: Range<usize>) {
        for value in rows.filter_map(|row| self.values.get(row)) {
            self.count -= 1;
            self.sums.iter_mut().zip(parts(value)).for_each(|(sum, part)| *sum -= part);
        }
    }

    fn value(&self) -> Result<Option<Interval>> {
        if self.count == 0 {
            return Ok(None);
        }
        match sum_of_intervals(self.sums.map(|sum| sum.sum()))? {
            Value::Interval(interval) => Ok(Some(interval)),
            _ => Ok(None),
        }
    }
}

/// Three-valued OR and AND.
pub(super) struct Logic<'a> {
    values: Values<'a, bool>,
    /// What decides it.
    decisive: bool,
    decided: usize,
    unknown: usize,
}

impl<'a> Logic<'a> {
    pub(super) fn new(values: Values<'a, bool>, decisive: bool) -> Self {
        Logic { values, decisive, decided: 0, unknown: 0 }
    }
}

impl State for Logic<'_> {
    type Value = bool;

    fn clear(&mut self) {
        (self.decided, self.unknown) = (0, 0);
    }

    fn add(&mut self, row: usize) {
        match self.values.get(row) {
            Some(value) => self.decided += usize::from(value == self.decisive),
            None => self.unknown += 1,
        }
    }

    fn remove(&mut self, rows: Range<usize>) {
        for row in rows {
            match self.values.get(row) {
                Some(value) => self.decided -= usize::from(value == self.decisive),
                None => self.unknown -= 1,
            }
        }
    }

    fn value(&self) -> Result<Option<bool>> {
        Ok(match (self.decided, self.unknown) {
            (0, 0) => Some(!self.decisive),
            (0, _) => None,
            _ => Some(self.decisive),
        })
    }
}
