//! Sums of numerics and variances of what is exact: states that can be merged, though no row can be taken out of one.
//!
//! A frame's rows are two parts. Of the first one there is a state for each row: of it and all behind it in that part. Of the
//! second one there is one state, to which rows come. Where the first part has been left, the second one becomes the first. So
//! a row is merged once a partition, and a frame is one merge, however wide it is. (Known as two stacks: Tangwongsan, Hirzel,
//! Schneider: Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time, 2017, section 2.)

use super::frames::Frames;
use crate::Result;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::workers::context::Context;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::numeric::sum::NumericSum;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use multiloop_planner::window::Exclude;
use std::ops::Range;

/// Bytes that a row takes while frames go over it.
pub(super) const ROW_BYTES: usize = size_of::<NumericSum>() + size_of::<Value>();

/// Frames after which it is asked whether the statement was cancelled.
const CHECKED_FRAMES: usize = 1 << 12;

/// The arguments, in order.
struct Arguments<'a> {
    column: &'a ColumnBuilder,
    scale: u32,
    squares: bool,
}

impl Arguments<'_> {
    fn add_to(&self, state: &mut NumericSum, row: usize) -> Result<()> {
        if self.column.is_null(row) {
            return Ok(());
        }
        let unscaled = match &self.column.data {
            BuilderData::I32(values) => values[row].into(),
            BuilderData::I64(values) => values[row].into(),
            BuilderData::I128(values) => values[row],
            BuilderData::Numerics(values) => {
                state.add_small(values[row], self.squares);
                return Ok(());
            }
            _ => {
                let text = std::str::from_utf8(self.column.text(row)).unwrap_or_default();
                match SmallNumeric::decode(text) {
                    Some(number) => state.add_small(number, self.squares),
                    None => state.add(&Numeric::decode(text)?, self.squares),
                }
                return Ok(());
            }
        };
        state.add_small(SmallNumeric::new(unscaled, self.scale), self.squares);
        Ok(())
    }
}

/// The sum of each frame; of no sum the variance, of a sample or not.
pub(super) fn numerics(
    (frames, variance): (&Frames<'_>, Option<bool>),
    (column, data_type): (&ColumnBuilder, DataType),
    rows: Range<usize>,
    context: &Context,
) -> Result<ColumnBuilder> {
    let arguments = Arguments { column, scale: data_type.scale().into(), squares: variance.is_some() };
    let (mut values, mut count_frames) = (Vec::with_capacity(rows.len()), 0usize);
    let mut add = |state: NumericSum, count: usize| {
        count_frames += 1;
        if count_frames.is_multiple_of(CHECKED_FRAMES) {
            context.check()?;
        }
        let found = match variance {
            Some(sample) => state.variance(sample)?,
            None => state.total()?,
        };
        values.extend(std::iter::repeat_n(found.map_or(Value::Null, Value::numeric), count));
        Ok(())
    };
    let mut left = Stacks::new(&arguments);
    if frames.frame.exclude == Exclude::NoOthers {
        frames.each(rows, |seen, count| {
            left.move_to(seen)?;
            add(left.state(), count)
        })?;
    } else {
        let mut right = Stacks::new(&arguments);
        frames.each_parts(rows, |parts| {
            left.move_to(parts.left)?;
            right.move_to(parts.right)?;
            let mut state = left.state();
            state.merge(&right.state());
            parts.own.into_iter().try_for_each(|row| arguments.add_to(&mut state, row))?;
            add(state, 1)
        })?;
    }
    Ok(ColumnBuilder::from_values(&values, DataType::Numeric))
}

/// The states of a frame's two parts.
struct Stacks<'a> {
    arguments: &'a Arguments<'a>,
    /// Of each row of the first part, from the last to the first one, and all behind it.
    first: Vec<NumericSum>,
    second: NumericSum,
    /// The rows of both.
    held: Range<usize>,
}

impl<'a> Stacks<'a> {
    fn new(arguments: &'a Arguments<'a>) -> Self {
        Stacks { arguments, first: Vec::new(), second: NumericSum::default(), held: 0..0 }
    }

    fn move_to(&mut self, frame: Range<usize>) -> Result<()> {
        // Frames whose bounds are arguments may go back.
        if frame.start >= self.held.end || frame.start < self.held.start || frame.end < self.held.end {
            self.first.clear();
            self.second = NumericSum::default();
            self.held = frame.start..frame.start;
        }
        let gone = frame.start - self.held.start;
        if gone <= self.first.len() {
            self.first.truncate(self.first.len() - gone);
        } else {
            self.turn(frame.start..self.held.end)?;
        }
        (self.held.end..frame.end).try_for_each(|row| self.arguments.add_to(&mut self.second, row))?;
        self.held = frame;
        Ok(())
    }

    /// Makes all rows the first part.
    fn turn(&mut self, rows: Range<usize>) -> Result<()> {
        self.first.clear();
        let mut state = NumericSum::default();
        for row in rows.rev() {
            self.arguments.add_to(&mut state, row)?;
            self.first.push(state.clone());
        }
        self.second = NumericSum::default();
        Ok(())
    }

    fn state(&self) -> NumericSum {
        let mut state = self.second.clone();
        if let Some(first) = self.first.last() {
            state.merge(first);
        }
        state
    }
}
