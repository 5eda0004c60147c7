//! Aggregates of frames value by value, for all others: where one end of the frames stays, a frame goes on from the one beside it.
//! Frames that move at both ends are computed anew.

use super::frames::{Frames, Parts};
use super::{SAID_BYTES, numerics};
use crate::Result;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::interpret::reduce::Accumulator;
use crate::workers::context::{Context, Reservation};
use multiloop_planner::meter;
use multiloop_planner::multiloop::{Reduction, WindowCallee, WindowField};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use multiloop_planner::window::{Exclude, FrameBound};
use std::ops::Range;

/// Rows after which it is asked whether the statement was cancelled.
const CHECKED_ROWS: usize = 1 << 12;

/// What an element of a vector costs that is added to a state, in the meter's units.
const ELEMENT_UNITS: usize = 16;

/// Bytes that a row takes while a function goes over it, whose argument is of this type.
pub(super) fn row_bytes(field: &WindowField, argument: Option<DataType>) -> usize {
    // Arguments of the frame are put in order, and rows that count are numbered.
    let numbers = if field.frame.ignore_nulls { 2 * size_of::<u32>() } else { 0 };
    let of_frame = field.frame.arity() * size_of::<Value>() + numbers;
    let of_function = match &field.function {
        WindowCallee::Aggregate(Reduction::Sum) if field.data_type == DataType::Numeric => numerics::ROW_BYTES,
        WindowCallee::Aggregate(Reduction::Variance { .. }) => numerics::ROW_BYTES,
        WindowCallee::Aggregate(Reduction::Single | Reduction::Gather(_) | Reduction::Statistic(_)) => {
            3 * size_of::<Value>()
        }
        _ => 0,
    };
    // Vectors are values in here: the argument, what it comes to, and the column that is made of it.
    let of_vectors = match (&field.function, argument.and_then(DataType::vector_of)) {
        (WindowCallee::Aggregate(_), Some((_, length))) => {
            3 * (size_of::<Value>() + length as usize * size_of::<f64>())
        }
        _ => 0,
    };
    of_frame + of_function.max(SAID_BYTES).max(of_vectors)
}

/// What an aggregate says of some rows; its argument is in order.
pub(super) fn general(
    (field, reduction): (&WindowField, &Reduction),
    (column, data_type): (&ColumnBuilder, DataType),
    seen: &Frames<'_>,
    rows: Range<usize>,
    context: &Context,
) -> Result<ColumnBuilder> {
    let mut frames = Vec::with_capacity(rows.len());
    if field.frame.exclude == Exclude::NoOthers {
        seen.each(rows, |seen, count| {
            frames.push((Parts { left: seen.clone(), own: None, right: seen.end..seen.end }, count));
            Ok(())
        })?;
    } else {
        seen.each_parts(rows, |parts| {
            frames.push((parts, 1));
            Ok(())
        })?;
    }
    let ranges = || frames.iter().flat_map(|(parts, _)| parts.ranges()).filter(|range| !range.is_empty());
    let first = ranges().map(|range| range.start).min().unwrap_or(0);
    let last = ranges().map(|range| range.end).max().unwrap_or(0);
    let vector = column.slice(first..last).into_vector();
    let row_units = data_type.vector_of().map_or(0, |(_, length)| length as usize * ELEMENT_UNITS);
    let argument = |row: usize| meter::spend(row_units).map(|()| vector.value(row, data_type));
    let mut state = States {
        empty: Accumulator::new(reduction, Some(data_type)),
        state: Accumulator::new(reduction, Some(data_type)),
        held: 0..0,
        arguments: (0..last - first).map(argument).collect::<Result<_>>()?,
        row_units,
        first,
        result: field.data_type,
        in_order: reduction.properties().order_sensitive,
        context,
        made: Reservation::new(&context.memory),
    };
    let mut values: Vec<Value> = Vec::new();
    let mut add = |(seen, count): (Parts, usize)| {
        let value = state.value_of(&seen)?;
        // Texts of several rows are one until the column is made, and so are vectors.
        let bytes = match &value {
            Value::Text(text) => text.len(),
            Value::Vector(elements) => size_of_val::<[f64]>(elements),
            _ => 0,
        };
        if bytes > 0 {
            state.made.add(bytes * (count + 1))?;
        }
        values.extend(std::iter::repeat_n(value, count));
        Ok(())
    };
    if field.frame.end == FrameBound::Last && !reduction.properties().order_sensitive {
        frames.into_iter().rev().try_for_each(&mut add)?;
        values.reverse();
    } else {
        frames.into_iter().try_for_each(&mut add)?;
    }
    Ok(ColumnBuilder::from_values(&values, field.data_type))
}

/// An aggregate of one frame after the other.
struct States<'a> {
    empty: Accumulator,
    state: Accumulator,
    /// The rows that the state holds.
    held: Range<usize>,
    /// Those from the first one on that is seen.
    arguments: Vec<Value>,
    /// What each costs to be added, in the meter's units; none but vectors cost anything worth it.
    row_units: usize,
    first: usize,
    result: DataType,
    /// Whether rows have to come in order.
    in_order: bool,
    context: &'a Context,
    /// What values take.
    made: Reservation,
}

impl States<'_> {
    fn value_of(&mut self, seen: &Parts) -> Result<Value> {
        if seen.own.is_some() || !seen.right.is_empty() {
            let mut state = self.empty.clone();
            for row in seen.ranges().into_iter().flatten() {
                self.fold(&mut state, row)?;
            }
            return state.finish(self.result);
        }
        let frame = seen.left.clone();
        let holds_part = frame.start <= self.held.start && self.held.end <= frame.end;
        let in_order = !self.in_order || frame.start == self.held.start;
        let mut state = if holds_part && in_order && !self.held.is_empty() {
            std::mem::replace(&mut self.state, self.empty.clone())
        } else {
            self.held = frame.start..frame.start;
            self.empty.clone()
        };
        for row in (frame.start..self.held.start).chain(self.held.end..frame.end) {
            self.fold(&mut state, row)?;
        }
        self.held = frame;
        self.state = state.clone();
        state.finish(self.result)
    }

    fn fold(&self, state: &mut Accumulator, row: usize) -> Result<()> {
        if row.is_multiple_of(CHECKED_ROWS) {
            self.context.check()?;
        }
        meter::spend(self.row_units)?;
        state.fold(vec![self.arguments[row - self.first].clone()])
    }
}
