//! Aggregates of frames by values, whatever they are: where one end of the frames stays, what a frame holds is what the one
//! beside it held, and more. Frames that move at both ends are gone over anew.

use super::layout::Layout;
use super::numerics;
use crate::Result;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::interpret::reduce::Accumulator;
use crate::workers::context::Context;
use multiloop_planner::multiloop::{Reduction, WindowCallee, WindowField};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::ops::Range;

/// Rows after which it is asked whether the statement was cancelled.
const CHECKED_ROWS: usize = 1 << 12;

/// Bytes that a row takes while a function goes over it, if these are many.
pub(super) fn row_bytes(field: &WindowField) -> usize {
    match &field.function {
        WindowCallee::Aggregate(Reduction::Sum) if field.data_type == DataType::Numeric => numerics::ROW_BYTES,
        WindowCallee::Aggregate(Reduction::Variance { .. }) => numerics::ROW_BYTES,
        WindowCallee::Aggregate(Reduction::Single | Reduction::Gather(_)) => 2 * size_of::<Value>(),
        _ => 0,
    }
}

/// What an aggregate says of some rows; its argument is in order.
pub(super) fn general(
    (field, reduction): (&WindowField, &Reduction),
    (column, data_type): (&ColumnBuilder, DataType),
    layout: &Layout,
    rows: Range<usize>,
    context: &Context,
) -> Result<ColumnBuilder> {
    let mut frames = Vec::with_capacity(rows.len());
    layout.each_frame(field.frame, rows, |seen, count| {
        frames.push((seen, count));
        Ok(())
    })?;
    let first = frames.iter().map(|(seen, _)| seen.start).min().unwrap_or(0);
    let last = frames.iter().map(|(seen, _)| seen.end).max().unwrap_or(0);
    let vector = column.slice(first..last).into_vector();
    let mut state = States {
        empty: Accumulator::new(reduction, Some(data_type)),
        state: Accumulator::new(reduction, Some(data_type)),
        held: 0..0,
        arguments: (0..last - first).map(|row| vector.value(row, data_type)).collect(),
        first,
        result: field.data_type,
        context,
    };
    let mut values: Vec<Value> = Vec::new();
    let mut add = |(seen, count): (Range<usize>, usize)| {
        let value = state.value_of(seen)?;
        values.extend(std::iter::repeat_n(value, count));
        Ok(())
    };
    if field.frame.end == multiloop_planner::window::FrameBound::Last {
        frames.into_iter().rev().try_for_each(&mut add)?;
        values.reverse();
    } else {
        frames.into_iter().try_for_each(&mut add)?;
    }
    Ok(ColumnBuilder::from_values(&values, field.data_type))
}

/// An aggregate of one frame after the other. Reductions do not mind in which order rows come.
struct States<'a> {
    empty: Accumulator,
    state: Accumulator,
    /// The rows that the state holds.
    held: Range<usize>,
    /// Those from the first one on that is seen.
    arguments: Vec<Value>,
    first: usize,
    result: DataType,
    context: &'a Context,
}

impl States<'_> {
    fn value_of(&mut self, frame: Range<usize>) -> Result<Value> {
        let holds_part = frame.start <= self.held.start && self.held.end <= frame.end;
        if !holds_part || self.held.is_empty() {
            self.state = self.empty.clone();
            self.held = frame.start..frame.start;
        }
        for row in (frame.start..self.held.start).chain(self.held.end..frame.end) {
            if row.is_multiple_of(CHECKED_ROWS) {
                self.context.check()?;
            }
            self.state.fold(vec![self.arguments[row - self.first].clone()])?;
        }
        self.held = frame;
        self.state.clone().finish(self.result)
    }
}
