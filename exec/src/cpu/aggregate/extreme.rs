//! Filling Min and Max.

use super::super::kernels::run_extreme::greatest_at;
use super::super::vector::{TextVector, Vector, VectorData};
use super::{Input, TileGroups};
use crate::cpu::groups::grouper::retain;
use crate::cpu::groups::runs::Runs;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::numerics::NumericVector;
use crate::partial::state::extreme::{Best, Extreme};
use crate::{Error, Result};
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Value, canonical_float_bits, compare_floats};
use std::cmp::Ordering;

/// Rows of a run from which on a loop for it alone takes less.
const LONG_RUN: usize = 64;

impl Extreme {
    /// Folds in some tuples. `of_runs` is memory for the best of each run.
    pub(crate) fn update(&mut self, input: &Input<'_>, of_runs: &mut Vec<i32>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("extreme of nothing")) };
        if self.take_at_once(input, vector, of_runs) {
            return Ok(());
        }
        let (largest, seen) = (self.largest, &mut self.seen);
        /// Takes every valid value of the slice that is better than the best of its group.
        macro_rules! take {
            ($best:ident, $values:ident, $type:ty) => {
                input.each_valid(|tuple, group| {
                    let value = <$type>::from($values[vector.position(tuple)]);
                    if !seen[group] || (if largest { value > $best[group] } else { value < $best[group] }) {
                        $best[group] = value;
                        seen[group] = true;
                    }
                })
            };
        }
        /// The same for narrow integers, without a branch.
        macro_rules! take_narrow {
            ($best:ident, $values:ident) => {{
                let mut take_all = |group: usize, values: &[_]| {
                    $best[group] = best_of($best[group], values, largest);
                    seen[group] |= !values.is_empty();
                };
                if input.is_dense() {
                    take_all(0, &$values[..input.len]);
                } else if let Some(runs) = input.dense_runs() {
                    runs.iter().for_each(|(group, run)| take_all(group, &$values[run]));
                } else if largest {
                    input.each_valid(|tuple, group| {
                        $best[group] = $best[group].max(i64::from($values[vector.position(tuple)]));
                        seen[group] = true;
                    })
                } else {
                    input.each_valid(|tuple, group| {
                        $best[group] = $best[group].min(i64::from($values[vector.position(tuple)]));
                        seen[group] = true;
                    })
                }
            }};
        }
        match (&mut self.best, &vector.data) {
            (Best::Narrow(best), VectorData::I32(values)) => take_narrow!(best, values),
            (Best::Narrow(best), VectorData::I64(values)) => take_narrow!(best, values),
            (Best::Wide(best), VectorData::I32(values)) => take!(best, values, i128),
            (Best::Wide(best), VectorData::I64(values)) => take!(best, values, i128),
            (Best::Wide(best), VectorData::I128(values)) => take!(best, values, i128),
            (Best::Floats(best), VectorData::F64(values)) => input.each_valid(|tuple, group| {
                let value = f64::from_bits(canonical_float_bits(values[vector.position(tuple)]));
                offer(&mut best[group], &mut seen[group], value, largest, |a, b| compare_floats(*a, *b));
            }),
            (Best::Values(best, data_type), _) => input.each_valid(|tuple, group| {
                if seen[group] && is_settled(&best[group], vector.text(tuple), largest) {
                    return;
                }
                let value = vector.value(tuple, *data_type);
                offer(&mut best[group], &mut seen[group], value, largest, compare_values);
            }),
            // NULLs of no type.
            _ => {}
        }
        Ok(())
    }

    /// Folds in tuples that are taken as a whole: long runs, one by one, and numerics that come as numbers. Whether they were.
    fn take_at_once(&mut self, input: &Input<'_>, vector: &Vector, of_runs: &mut Vec<i32>) -> bool {
        match (&vector.data, input.dense_runs()) {
            (VectorData::I32(values), Some(runs)) if runs.ends().len() * LONG_RUN > input.len => {
                self.take_runs(runs, &values[..input.len], of_runs)
            }
            (VectorData::Numerics(numbers), _) => {
                self.take_numerics(input, numbers);
                true
            }
            (VectorData::Text(texts), _) if matches!(input.groups, TileGroups::One) && !vector.constant => {
                self.take_texts(texts, vector.nulls.as_ref())
            }
            _ => false,
        }
    }

    /// Whether its values are numerics, which may come as numbers.
    pub(crate) fn is_of_numerics(&self) -> bool {
        matches!(self.best, Best::Values(_, DataType::Numeric))
    }

    fn take_numerics(&mut self, input: &Input<'_>, numbers: &NumericVector) {
        let Best::Values(best, _) = &mut self.best else { return };
        let (largest, seen) = (self.largest, &mut self.seen);
        let worse = if largest { Ordering::Less } else { Ordering::Greater };
        let constant = input.vector.is_some_and(|vector| vector.constant);
        let small = |best: &Value| if let Value::Numeric(best) = best { best.small() } else { None };
        // Numbers of few groups are asked for again and again.
        let mut known: Vec<Option<SmallNumeric>> = Vec::new();
        if best.len() <= input.len {
            known.extend(best.iter().map(small));
        }
        input.each_valid(|tuple, group| {
            let number = numbers.get(if constant { 0 } else { tuple });
            let best_known = known.get(group).copied().unwrap_or_else(|| small(&best[group]));
            if seen[group] && best_known.and_then(|best| number.compare(best)) == Some(worse) {
                return;
            }
            let value = Value::numeric(number.into());
            offer(&mut best[group], &mut seen[group], value, largest, compare_values);
            if let Some(known) = known.get_mut(group) {
                *known = small(&best[group]);
            }
        });
    }

    /// Takes the best string for the only group; false if values are no strings. Most are no better by their first bytes.
    fn take_texts(&mut self, texts: &TextVector, valid: Option<&Bitmap>) -> bool {
        let Best::Values(best, data_type) = &mut self.best else { return false };
        if !data_type.is_text() {
            return false;
        }
        let (largest, mut found) = (self.largest, None);
        let mut own = match &best[0] {
            Value::Text(best) if self.seen[0] => Some(&**best),
            _ => None,
        };
        let mut front = own.map_or(0, |own| front_of(own.as_bytes(), 0, own.len()));
        for tuple in 0..texts.len() {
            if valid.is_some_and(|valid| !valid.get(tuple)) {
                continue;
            }
            let (buffer, start, length) = texts.place(tuple);
            let other = front_of(buffer, start, length);
            let is_worse = if largest { other < front } else { other > front };
            if own.is_some_and(|own| is_worse || is_no_better(own, texts.get(tuple), largest)) {
                continue;
            }
            (own, found, front) = (Some(texts.get(tuple)), Some(tuple), other);
        }
        if let Some(tuple) = found {
            (best[0], self.seen[0]) = (Value::text(texts.get(tuple)), true);
        }
        true
    }

    /// Takes the best value of each run; false if what is best is no narrow integer.
    fn take_runs(&mut self, runs: &Runs, values: &[i32], of_runs: &mut Vec<i32>) -> bool {
        let Best::Narrow(best) = &mut self.best else { return false };
        of_runs.clear();
        greatest_at(values, if self.largest { 0 } else { -1 }, runs.lasts().words(), of_runs);
        for ((group, _), &value) in runs.iter().zip(&*of_runs) {
            let (best, value) = (&mut best[group], i64::from(value));
            *best = if self.largest { value.max(*best) } else { value.min(*best) };
            self.seen[group] = true;
        }
        true
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        let (largest, seen) = (self.largest, &mut self.seen);
        let pairs = pairs.filter(|&(from, _)| other.seen[from]);
        match (&mut self.best, &other.best) {
            (Best::Narrow(mine), Best::Narrow(theirs)) => {
                pairs.for_each(|(from, into)| offer(&mut mine[into], &mut seen[into], theirs[from], largest, Ord::cmp));
            }
            (Best::Wide(mine), Best::Wide(theirs)) => {
                pairs.for_each(|(from, into)| offer(&mut mine[into], &mut seen[into], theirs[from], largest, Ord::cmp));
            }
            (Best::Floats(mine), Best::Floats(theirs)) => pairs.for_each(|(from, into)| {
                offer(&mut mine[into], &mut seen[into], theirs[from], largest, |a, b| compare_floats(*a, *b));
            }),
            (Best::Values(mine, _), Best::Values(theirs, _)) => pairs.for_each(|(from, into)| {
                offer(&mut mine[into], &mut seen[into], theirs[from].clone(), largest, compare_values);
            }),
            _ => return Err(Error::internal("merged extremes of two forms")),
        }
        Ok(())
    }

    /// The best of some groups in a row; none if they are not narrow.
    pub(crate) fn peek(&self, groups: std::ops::Range<usize>) -> Option<ColumnBuilder> {
        let Best::Narrow(best) = &self.best else { return None };
        Some(ColumnBuilder::from_i64(best[groups.clone()].to_vec(), Some(self.seen[groups].to_vec())))
    }

    /// Of some groups in a row, which are narrow, leaves only those at these positions.
    pub(crate) fn retain(&mut self, groups: std::ops::Range<usize>, kept: &[u32]) {
        if let Best::Narrow(best) = &mut self.best {
            retain(best, groups.clone(), kept);
            retain(&mut self.seen, groups, kept);
        }
    }

    pub(crate) fn finish(self, _: DataType) -> Result<ColumnBuilder> {
        let valid = Some(self.seen);
        Ok(match self.best {
            Best::Narrow(best) => ColumnBuilder::from_i64(best, valid),
            Best::Wide(best) => ColumnBuilder::from_i128(best, valid),
            Best::Floats(best) => ColumnBuilder::from_floats(best, valid),
            Best::Values(best, DataType::Numeric) => {
                let mut column = ColumnBuilder::from_numerics(Vec::with_capacity(best.len()), None);
                for value in &best {
                    column.append_numeric(if let Value::Numeric(number) = value { Some(number) } else { None });
                }
                column
            }
            Best::Values(best, data_type) => ColumnBuilder::from_values(&best, data_type),
        })
    }
}

fn offer<T>(best: &mut T, seen: &mut bool, value: T, largest: bool, compare: impl Fn(&T, &T) -> Ordering) {
    let better = if largest { Ordering::Greater } else { Ordering::Less };
    if !*seen || compare(&value, best) == better {
        *best = value;
        *seen = true;
    }
}

/// Whether a string is no better than the best so far, found without making a value of it.
fn is_settled(best: &Value, text: Option<&str>, largest: bool) -> bool {
    let (Value::Text(best), Some(text)) = (best, text) else { return false };
    is_no_better(best, text, largest)
}

/// Whether a string is no better than another.
#[inline]
fn is_no_better(best: &str, text: &str, largest: bool) -> bool {
    if let (Some(first), Some(best_first)) = (text.as_bytes().first_chunk::<8>(), best.as_bytes().first_chunk::<8>())
        && first != best_first
    {
        return (u64::from_be_bytes(*first) < u64::from_be_bytes(*best_first)) == largest;
    }
    if largest { text.as_bytes() <= best.as_bytes() } else { text.as_bytes() >= best.as_bytes() }
}

/// The first eight bytes of a string as a number that is in their order: zeros, which no string has, behind its end.
#[inline(always)]
fn front_of(bytes: &[u8], start: usize, length: usize) -> u64 {
    let rest = &bytes[start..];
    if let (Some(eight), true) = (rest.first_chunk(), length >= 8) {
        return u64::from_be_bytes(*eight);
    }
    let mut eight = [0; 8];
    let own = &rest[..length.min(8)];
    eight[..own.len()].copy_from_slice(own);
    u64::from_be_bytes(eight)
}

/// SQL's order, with an order among equal values that differ.
fn compare_values(a: &Value, b: &Value) -> Ordering {
    a.compare(b).then_with(|| a.compare_forms(b))
}

/// The best of some values and one before them.
fn best_of<T: Copy + Ord + Into<i64>>(before: i64, values: &[T], largest: bool) -> i64 {
    match values.first() {
        Some(&first) if largest => greatest(values, first).into().max(before),
        Some(&first) => least(values, first).into().min(before),
        None => before,
    }
}

kernel! {
    fn greatest[T: Copy + Ord](values: &[T], first: T) -> T {
        values.iter().fold(first, |best, &value| best.max(value))
    }
}

kernel! {
    fn least[T: Copy + Ord](values: &[T], first: T) -> T {
        values.iter().fold(first, |best, &value| best.min(value))
    }
}
