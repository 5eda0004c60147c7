//! What functions say of the rows of one partition, in time that grows as its rows do: the ends of frames only go on from row
//! to row, so where one of them stays, what a frame holds is what the one beside it held, and more. Frames that move at both
//! ends are gone over anew.

use crate::Result;
use crate::interpret::reduce::Accumulator;
use crate::workers::context::Context;
use multiloop_planner::evaluate::window::{Peers, Windowed};
use multiloop_planner::multiloop::{WindowCallee, WindowField};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use multiloop_planner::window::FrameBound;
use std::ops::Range;

/// Rows after which it is asked whether the statement was cancelled.
const CHECKED_ROWS: usize = 1 << 12;

/// Adds the values of a partition's rows. Arguments are given for all of these, with the first one's type.
pub(super) fn values_of(
    field: &WindowField,
    (arguments, data_type): (&[&[Value]], Option<DataType>),
    peers: &Peers,
    context: &Context,
    values: &mut Vec<Value>,
) -> Result<()> {
    let reduction = match &field.function {
        WindowCallee::Function(function) => {
            let windowed = Windowed::new(*function, arguments, peers, field.frame);
            for row in 0..peers.rows() {
                check(context, row)?;
                values.push(windowed.value(row)?);
            }
            return Ok(());
        }
        WindowCallee::Aggregate(reduction) => reduction,
    };
    let mut frames = Frames {
        empty: Accumulator::new(reduction, data_type),
        state: Accumulator::new(reduction, data_type),
        held: 0..0,
        value: None,
        argument: arguments.first().copied(),
        result: field.data_type,
        context,
    };
    let rows = peers.rows();
    if field.frame.end == FrameBound::Last && field.frame.start != FrameBound::First {
        let first = values.len();
        frames.held = rows..rows;
        for row in (0..rows).rev() {
            values.push(frames.value_of(peers.frame(field.frame, row))?);
        }
        values[first..].reverse();
        return Ok(());
    }
    (0..rows).try_for_each(|row| {
        values.push(frames.value_of(peers.frame(field.frame, row))?);
        Ok(())
    })
}

fn check(context: &Context, row: usize) -> Result<()> {
    if row.is_multiple_of(CHECKED_ROWS) { context.check() } else { Ok(()) }
}

/// An aggregate of one frame after the other. Reductions do not mind in which order rows come.
struct Frames<'a> {
    empty: Accumulator,
    state: Accumulator,
    /// The rows that the state holds.
    held: Range<usize>,
    /// Its value, if somebody has asked.
    value: Option<Value>,
    /// None of those that count rows.
    argument: Option<&'a [Value]>,
    result: DataType,
    context: &'a Context,
}

impl Frames<'_> {
    fn value_of(&mut self, frame: Range<usize>) -> Result<Value> {
        let holds_part = frame.start <= self.held.start && self.held.end <= frame.end;
        if !holds_part || self.held.is_empty() {
            self.state = self.empty.clone();
            self.value = None;
            self.held = frame.start..frame.start;
        }
        let before = frame.start..self.held.start;
        let behind = self.held.end..frame.end;
        if !before.is_empty() || !behind.is_empty() {
            self.value = None;
        }
        for row in before.chain(behind) {
            check(self.context, row)?;
            self.state.fold(self.argument.iter().map(|values| values[row].clone()).collect())?;
        }
        self.held = frame;
        if let Some(known) = &self.value {
            return Ok(known.clone());
        }
        Ok(self.value.insert(self.state.clone().finish(self.result)?).clone())
    }
}
