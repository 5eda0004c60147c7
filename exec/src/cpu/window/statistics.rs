//! Statistics of frames. Of some of them rows can be taken out again (`sliding`); of the others states can be merged, and a frame
//! is two parts (`two_stacks`).

use super::cancel_check::CancelCheck;
use super::frames::Frames;
use super::sliding::{State, slide};
use super::two_stacks::{Mergeable, TwoStacks};
use crate::Result;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::sums::statistic::Summary;
use crate::sums::statistic::distinct::hash;
use crate::sums::statistic::sliding::SlidingSketch;
use crate::workers::context::{Context, Reservation};
use multiloop_planner::evaluate::statistic::Statistic;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use multiloop_planner::window::Exclude;
use std::ops::Range;

/// What a statistic says of some rows; its argument is in order.
pub(super) fn statistics(
    (kind, result): (Statistic, DataType),
    (column, data_type): (&ColumnBuilder, DataType),
    frames: &Frames<'_>,
    rows: Range<usize>,
    context: &Context,
) -> Result<ColumnBuilder> {
    let vector = column.slice(0..column.len()).into_vector();
    let value_of = |row: usize| vector.value(row, data_type);
    let mut values = Vec::with_capacity(rows.len());
    let mut made = Reservation::new(&context.memory);
    let mut push = |value: Option<Value>, count: usize| {
        let value = value.unwrap_or(Value::Null);
        if let Value::Text(text) = &value {
            made.add(text.len() * (count + 1))?;
        }
        values.extend(std::iter::repeat_n(value, count));
        Ok(())
    };
    if kind == Statistic::DistinctEstimate {
        let hash_of = |row: usize| (!column.is_null(row)).then(|| hash(&value_of(row)));
        slide(frames, rows, Estimates { hash_of, sketch: SlidingSketch::new() }, context, push)?;
        return Ok(ColumnBuilder::from_values(&values, result));
    }
    let value_of = |row: usize| (!column.is_null(row)).then(|| value_of(row));
    let state = Summary::new(kind);
    if state.gives_back() {
        let state = GivesBack { kind, result, value_of, state, failed: Ok(()), context };
        slide(frames, rows, state, context, push)?;
        return Ok(ColumnBuilder::from_values(&values, result));
    }
    let summaries = Summaries { kind, value_of };
    let (mut left, mut right) = (TwoStacks::new(&summaries), TwoStacks::new(&summaries));
    let (mut cancelled, mut held) = (CancelCheck::new(context), Reservation::new(&context.memory));
    let mut check = |left: &TwoStacks<'_, _>| {
        if cancelled.pass()? {
            held = Reservation::new(&context.memory);
            held.add(left.kept() * size_of::<Summary>())?;
        }
        Ok::<_, crate::Error>(())
    };
    if frames.frame.exclude == Exclude::NoOthers {
        frames.each(rows, |seen, count| {
            check(&left)?;
            left.move_to(seen)?;
            push(Some(left.state()?.finish(kind, result)?), count)
        })?;
    } else {
        frames.each_parts(rows, |parts| {
            check(&left)?;
            left.move_to(parts.left)?;
            right.move_to(parts.right)?;
            let mut state = left.state()?;
            parts.own.into_iter().try_for_each(|row| summaries.add_to(&mut state, row))?;
            state.merge(kind, &right.state()?)?;
            push(Some(state.finish(kind, result)?), 1)
        })?;
    }
    Ok(ColumnBuilder::from_values(&values, result))
}

/// Estimates of how many values there are.
struct Estimates<H> {
    /// The hash of a row's value; none of NULL.
    hash_of: H,
    sketch: SlidingSketch,
}

impl<H: Fn(usize) -> Option<u64>> State for Estimates<H> {
    type Value = Value;

    fn clear(&mut self) {
        self.sketch = SlidingSketch::new();
    }

    fn add(&mut self, row: usize) {
        if let Some(hash) = (self.hash_of)(row) {
            self.sketch.add(hash);
        }
    }

    fn remove(&mut self, rows: Range<usize>) {
        rows.filter_map(&self.hash_of).for_each(|hash| self.sketch.remove(hash));
    }

    fn value(&self) -> Result<Option<Value>> {
        Ok(Some(Value::Int(self.sketch.estimate())))
    }
}

/// A statistic of which rows can be taken out.
struct GivesBack<'a, V> {
    kind: Statistic,
    result: DataType,
    /// The value of a row; none of NULL.
    value_of: V,
    state: Summary,
    failed: Result<()>,
    context: &'a Context,
}

impl<V: Fn(usize) -> Option<Value>> State for GivesBack<'_, V> {
    type Value = Value;

    fn clear(&mut self) {
        self.state = Summary::new(self.kind);
    }

    fn add(&mut self, row: usize) {
        if let Some(value) = (self.value_of)(row)
            && let Err(error) = self.state.add(self.kind, &value, row as u64)
        {
            self.failed = Err(error);
        }
    }

    fn remove(&mut self, rows: Range<usize>) {
        for value in rows.filter_map(&self.value_of) {
            if let Err(error) = self.state.remove(self.kind, &value) {
                self.failed = Err(error);
            }
        }
    }

    fn value(&self) -> Result<Option<Value>> {
        self.failed.clone()?;
        // Of counts an answer goes over all of them.
        self.context.check()?;
        self.state.finish(self.kind, self.result).map(Some)
    }
}

/// Summaries of rows that cannot be taken out of one.
struct Summaries<V> {
    kind: Statistic,
    /// The value of a row; none of NULL.
    value_of: V,
}

impl<V: Fn(usize) -> Option<Value>> Mergeable for Summaries<V> {
    type State = Summary;

    fn empty(&self) -> Summary {
        Summary::new(self.kind)
    }

    fn add_to(&self, state: &mut Summary, row: usize) -> Result<()> {
        match (self.value_of)(row) {
            Some(value) => state.add(self.kind, &value, row as u64),
            None => Ok(()),
        }
    }

    fn merge(&self, state: &mut Summary, other: &Summary) -> Result<()> {
        state.merge(self.kind, other)
    }
}
