//! Sums of numerics and variances of what is exact, by states of two parts of each frame (`two_stacks`).

use super::cancel_check::CancelCheck;
use super::frames::Frames;
use super::two_stacks::{Mergeable, TwoStacks};
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

/// The arguments, in order.
struct Arguments<'a> {
    column: &'a ColumnBuilder,
    scale: u32,
    squares: bool,
}

impl Mergeable for Arguments<'_> {
    type State = NumericSum;

    fn empty(&self) -> NumericSum {
        NumericSum::default()
    }

    fn merge(&self, state: &mut NumericSum, other: &NumericSum) -> Result<()> {
        state.merge(other);
        Ok(())
    }

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
    let (mut values, mut cancelled) = (Vec::with_capacity(rows.len()), CancelCheck::new(context));
    let mut add = |state: NumericSum, count: usize| {
        cancelled.pass()?;
        let found = match variance {
            Some(sample) => state.variance(sample)?,
            None => state.total()?,
        };
        values.extend(std::iter::repeat_n(found.map_or(Value::Null, Value::numeric), count));
        Ok(())
    };
    let mut left = TwoStacks::new(&arguments);
    if frames.frame.exclude == Exclude::NoOthers {
        frames.each(rows, |seen, count| {
            left.move_to(seen)?;
            add(left.state()?, count)
        })?;
    } else {
        let mut right = TwoStacks::new(&arguments);
        frames.each_parts(rows, |parts| {
            left.move_to(parts.left)?;
            right.move_to(parts.right)?;
            let mut state = left.state()?;
            state.merge(&right.state()?);
            parts.own.into_iter().try_for_each(|row| arguments.add_to(&mut state, row))?;
            add(state, 1)
        })?;
    }
    Ok(ColumnBuilder::from_values(&values, DataType::Numeric))
}
