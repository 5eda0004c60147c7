//! Filling sums and variances of NUMERIC.

use super::super::vector::{Vector, VectorData};
use super::Input;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::numeric_sum::{Asked, NumericSums};
use crate::{Error, Result};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::numeric::sum::NumericSum;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

impl NumericSums {
    /// Folds in some tuples, whose argument has this type.
    pub(crate) fn update(&mut self, input: &Input<'_>, argument: DataType) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("a sum of nothing")) };
        let squares = self.asked != Asked::Sum;
        let scale = u32::from(argument.scale());
        let mut add = |group: usize, unscaled: i128| {
            self.change(group, |state| state.add_small(SmallNumeric::new(unscaled, scale), squares));
        };
        match &vector.data {
            VectorData::I32(values) => {
                input.each_valid(|tuple, group| add(group, values[vector.position(tuple)].into()));
            }
            VectorData::I64(values) => {
                input.each_valid(|tuple, group| add(group, values[vector.position(tuple)].into()));
            }
            VectorData::I128(values) => input.each_valid(|tuple, group| add(group, values[vector.position(tuple)])),
            _ => return self.update_texts(input, vector),
        }
        Ok(())
    }

    /// Of numbers that stand as texts.
    fn update_texts(&mut self, input: &Input<'_>, vector: &Vector) -> Result<()> {
        let squares = self.asked != Asked::Sum;
        let mut failed = None;
        input.each_valid(|tuple, group| {
            let text = vector.text(tuple).unwrap_or_default();
            match SmallNumeric::decode(text) {
                Some(small) => self.change(group, |state| state.add_small(small, squares)),
                None => match Numeric::decode(text) {
                    Ok(number) => self.change(group, |state| state.add(&number, squares)),
                    Err(error) => failed = Some(error),
                },
            }
        });
        failed.map_or(Ok(()), Err)
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        pairs.for_each(|(from, into)| self.change(into, |state| state.merge(&other.states[from])));
    }

    /// Changes a group's state, and counts the memory that it takes.
    #[inline]
    fn change(&mut self, group: usize, change: impl FnOnce(&mut NumericSum)) {
        let state = &mut self.states[group];
        let before = state.heap_bytes();
        change(state);
        self.heap = self.heap + state.heap_bytes() - before;
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let finish = |state: &NumericSum| {
            let found = match self.asked {
                Asked::Sum => state.total()?,
                Asked::Variance { sample } => state.variance(sample)?,
            };
            Ok(found.map_or(Value::Null, Value::numeric))
        };
        let values = self.states.iter().map(finish).collect::<Result<Vec<Value>>>()?;
        Ok(ColumnBuilder::from_values(&values, data_type))
    }
}
