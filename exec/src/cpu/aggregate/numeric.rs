//! Filling sums and variances of NUMERIC.

use super::super::vector::{Vector, VectorData};
use super::integer_moments::add_moments;
use super::{Input, TileGroups};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::numerics::NumericVector;
use crate::partial::state::numeric_sum::{Asked, NumericSums, States};
use crate::{Error, Result};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::numeric::sum::NumericSum;
use multiloop_planner::types::DataType;

impl NumericSums {
    /// Folds in some tuples, whose argument has this type.
    pub(crate) fn update(&mut self, input: &Input<'_>, argument: DataType) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("a sum of nothing")) };
        self.expect_rows(input.len as u64);
        let squares = self.asked != Asked::Sum;
        let (sums, heap) = match &mut self.states {
            States::Narrow { moments, bound, .. } => return add_moments(moments, *bound, input),
            States::Wide { sums, heap } => (sums, heap),
        };
        let scale = u32::from(argument.scale());
        let mut add = |group: usize, unscaled: i128| {
            change(&mut sums[group], heap, |state| state.add_small(SmallNumeric::new(unscaled, scale), squares));
        };
        match &vector.data {
            VectorData::I32(values) => {
                input.each_valid(|tuple, group| add(group, values[vector.position(tuple)].into()));
            }
            VectorData::I64(values) => {
                input.each_valid(|tuple, group| add(group, values[vector.position(tuple)].into()));
            }
            VectorData::I128(values) => input.each_valid(|tuple, group| add(group, values[vector.position(tuple)])),
            VectorData::Numerics(numbers) => add_numbers(sums, heap, squares, input, vector, numbers),
            _ => return add_texts(sums, heap, squares, input, vector),
        }
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        self.expect_rows(if let States::Narrow { rows, .. } = other.states { rows } else { u64::MAX });
        match (&mut self.states, &other.states) {
            (States::Narrow { moments, .. }, States::Narrow { moments: theirs, .. }) => {
                pairs.for_each(|(from, into)| moments[into].merge(theirs[from]));
            }
            (States::Wide { sums, heap }, States::Narrow { moments: theirs, scale, .. }) => {
                pairs.for_each(|(from, into)| {
                    change(&mut sums[into], heap, |state| state.merge(&theirs[from].widened(*scale)));
                });
            }
            (States::Wide { sums, heap }, States::Wide { sums: theirs, .. }) => {
                pairs.for_each(|(from, into)| change(&mut sums[into], heap, |state| state.merge(&theirs[from])));
            }
            (States::Narrow { .. }, States::Wide { .. }) => unreachable!("made wide above"),
        }
    }

    pub(crate) fn finish(self) -> Result<ColumnBuilder> {
        let (mut column, asked) = (ColumnBuilder::from_numerics(Vec::with_capacity(self.groups()), None), self.asked);
        let mut finish = |state: &NumericSum| -> Result<()> {
            let small = match asked {
                Asked::Variance { sample } => state.small_variance(sample),
                Asked::Sum => state.small_total(),
            };
            match (small, asked) {
                (Some(small), _) => column.append_small(Some(small)),
                (None, Asked::Variance { sample }) => column.append_numeric(state.variance(sample)?.as_ref()),
                (None, Asked::Sum) => column.append_numeric(state.total()?.as_ref()),
            }
            Ok(())
        };
        match &self.states {
            States::Narrow { moments, scale, .. } => {
                moments.iter().try_for_each(|moments| finish(&moments.widened(*scale)))?;
            }
            States::Wide { sums, .. } => sums.iter().try_for_each(finish)?,
        }
        Ok(column)
    }
}

/// Adds numbers that stand as texts.
fn add_texts(
    sums: &mut [NumericSum],
    heap: &mut usize,
    squares: bool,
    input: &Input<'_>,
    vector: &Vector,
) -> Result<()> {
    let mut failed = None;
    input.each_valid(|tuple, group| {
        if failed.is_some() {
            return;
        }
        let text = vector.text(tuple).unwrap_or_default();
        match SmallNumeric::decode(text) {
            Some(small) => change(&mut sums[group], heap, |state| state.add_small(small, squares)),
            None => match Numeric::decode(text) {
                Ok(number) => change(&mut sums[group], heap, |state| state.add(&number, squares)),
                Err(error) => failed = Some(error),
            },
        }
    });
    failed.map_or(Ok(()), Err)
}

/// Changes a group's state, and counts the memory that it takes.
#[inline]
fn change(state: &mut NumericSum, heap: &mut usize, change: impl FnOnce(&mut NumericSum)) {
    let before = state.heap_bytes();
    change(state);
    *heap = *heap + state.heap_bytes() - before;
}

/// Adds numbers with scales. Those of one group are first added up by scale, of which there are few.
fn add_numbers(
    states: &mut [NumericSum],
    heap: &mut usize,
    squares: bool,
    input: &Input<'_>,
    vector: &Vector,
    numbers: &NumericVector,
) {
    if squares || !matches!(input.groups, TileGroups::One) {
        return input.each_valid(|tuple, group| {
            let number = numbers.get(vector.position(tuple));
            change(&mut states[group], heap, |state| state.add_small(number, squares));
        });
    }
    let (mut sums, mut at): (Vec<(u32, i128, u64)>, usize) = (Vec::new(), 0);
    input.each_valid(|tuple, _| {
        let number = numbers.get(vector.position(tuple));
        if sums.get(at).is_none_or(|sum| sum.0 != number.scale) {
            at = sums.iter().position(|sum| sum.0 == number.scale).unwrap_or_else(|| {
                sums.push((number.scale, 0, 0));
                sums.len() - 1
            });
        }
        let sum = &mut sums[at];
        match sum.1.checked_add(number.unscaled) {
            Some(more) => (sum.1, sum.2) = (more, sum.2 + 1),
            None => change(&mut states[0], heap, |state| state.add_small(number, false)),
        }
    });
    for (scale, sum, count) in sums {
        change(&mut states[0], heap, |state| state.add_sum(SmallNumeric::new(sum, scale), count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of integers that are all 0 take in groups of any numbers.
    #[test]
    fn zeros_and_numbers_are_merged() {
        let asked = Asked::Variance { sample: false };
        let mut zeros = NumericSums::of_integers(false, 0, 2);
        zeros.resize(1);
        zeros.expect_rows(2);
        if let States::Narrow { moments, .. } = &mut zeros.states {
            moments[0].count = 2;
        }
        let mut numbers = NumericSums::new(asked);
        numbers.resize(1);
        if let States::Wide { sums, .. } = &mut numbers.states {
            sums[0].add_small(SmallNumeric::new(30, 1), true);
        }
        zeros.merge(&numbers, std::iter::once((0, 0)));
        let States::Wide { sums, .. } = &zeros.states else { panic!("they are of any numbers") };
        let variance = sums[0].variance(false).expect("it has one").expect("of three");
        assert_eq!(variance.compare(&Numeric::from_integer(2)), std::cmp::Ordering::Equal);
    }
}
