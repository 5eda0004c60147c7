//! Statistics of frames. Of some of them rows can be taken out again; of the others states can be merged, and a frame is two
//! parts, as that of numerics is (`numerics`): of each row of the first part there is a state of it and all behind it.

use super::frames::Frames;
use super::sliding::{State, slide};
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

/// Frames after which it is asked whether the statement was cancelled.
const CHECKED_FRAMES: usize = 1 << 12;

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
    let mut left = Stacks::new(kind, &value_of);
    let mut right = Stacks::new(kind, &value_of);
    let (mut seen_frames, mut held) = (0usize, Reservation::new(&context.memory));
    let mut check = |left: &Stacks<'_, _>| {
        seen_frames += 1;
        if seen_frames.is_multiple_of(CHECKED_FRAMES) {
            context.check()?;
            held = Reservation::new(&context.memory);
            held.add(left.first.len() * size_of::<Summary>())?;
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
            if let Some((row, value)) = parts.own.and_then(|row| Some((row, value_of(row)?))) {
                state.add(kind, &value, row as u64)?;
            }
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

/// The states of a frame's two parts.
struct Stacks<'a, V> {
    kind: Statistic,
    value_of: &'a V,
    /// Of each row of the first part, from the last to the first one, and all behind it.
    first: Vec<Summary>,
    second: Summary,
    /// The rows of both.
    held: Range<usize>,
}

impl<'a, V: Fn(usize) -> Option<Value>> Stacks<'a, V> {
    fn new(kind: Statistic, value_of: &'a V) -> Self {
        Stacks { kind, value_of, first: Vec::new(), second: Summary::new(kind), held: 0..0 }
    }

    fn add_to(&self, state: &mut Summary, row: usize) -> Result<()> {
        match (self.value_of)(row) {
            Some(value) => state.add(self.kind, &value, row as u64),
            None => Ok(()),
        }
    }

    fn move_to(&mut self, frame: Range<usize>) -> Result<()> {
        if frame.start >= self.held.end || frame.start < self.held.start || frame.end < self.held.end {
            self.first.clear();
            self.second = Summary::new(self.kind);
            self.held = frame.start..frame.start;
        }
        let gone = frame.start - self.held.start;
        if gone <= self.first.len() {
            self.first.truncate(self.first.len() - gone);
        } else {
            self.turn(frame.start..self.held.end)?;
        }
        let mut second = std::mem::replace(&mut self.second, Summary::new(self.kind));
        for row in self.held.end..frame.end {
            self.add_to(&mut second, row)?;
        }
        self.second = second;
        self.held = frame;
        Ok(())
    }

    /// Makes all rows the first part.
    fn turn(&mut self, rows: Range<usize>) -> Result<()> {
        self.first.clear();
        let mut state = Summary::new(self.kind);
        for row in rows.rev() {
            self.add_to(&mut state, row)?;
            self.first.push(state.clone());
        }
        self.second = Summary::new(self.kind);
        Ok(())
    }

    fn state(&self) -> Result<Summary> {
        let mut state = self.first.last().cloned().unwrap_or_else(|| Summary::new(self.kind));
        state.merge(self.kind, &self.second)?;
        Ok(state)
    }
}
