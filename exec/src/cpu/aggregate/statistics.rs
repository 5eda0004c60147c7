//! Filling statistics.

use super::Input;
use crate::column::order_key::{float_key, text_order};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::state::statistics::{Statistics, clamped, order_of};
use crate::{Error, Result};
use multiloop_planner::evaluate::statistic::{Nth, Statistic};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

impl Statistics {
    /// Folds in some tuples, of which the first is at this place; the next place.
    pub(crate) fn update(&mut self, input: &Input<'_>, argument: DataType, place: u64) -> Result<u64> {
        let Some(vector) = input.vector else { return Err(Error::internal("a statistic of nothing")) };
        if let Statistic::Nth(nth) = self.kind {
            self.update_nth(input, (vector, argument), nth)?;
            return Ok(place + input.len as u64);
        }
        let (kind, mut failed) = (self.kind, Ok(()));
        input.each_valid(|tuple, group| {
            if failed.is_ok() {
                let value = vector.value(tuple, argument);
                failed = self.change(group, |state| state.add(kind, &value, place + tuple as u64));
            }
        });
        failed.map(|()| place + input.len as u64)
    }

    /// Folds in values of which the first ones in an order are wanted: most come behind the last that their group has, and are passed
    /// over by a comparison of numbers.
    fn update_nth(&mut self, input: &Input<'_>, (vector, argument): (&Vector, DataType), nth: Nth) -> Result<()> {
        let flip = if nth.descending { -1 } else { 0 };
        let (kind, mut failed) = (self.kind, Ok(()));
        /// Takes every value that may be wanted: the number of each in the order.
        macro_rules! take {
            ($order:expr) => {{
                let order = $order;
                input.each_valid(|tuple, group| {
                    if order(vector.position(tuple)) ^ flip <= self.limits[group] && failed.is_ok() {
                        let value = vector.value(tuple, argument);
                        failed = self.change(group, |state| state.add(kind, &value, 0));
                    }
                })
            }};
        }
        match &vector.data {
            VectorData::I32(values) => take!(|at: usize| i64::from(values[at])),
            VectorData::I64(values) => take!(|at: usize| values[at]),
            VectorData::I128(values) => take!(|at: usize| clamped(values[at])),
            VectorData::F64(values) => take!(|at: usize| float_key(values[at])),
            VectorData::Text(texts) if argument != DataType::Numeric => {
                take!(|at: usize| text_order(texts.bytes(at)));
            }
            VectorData::Code { codes, dictionary } if argument != DataType::Numeric => {
                take!(|at: usize| text_order(dictionary.get(codes[at]).as_bytes()));
            }
            _ => take!(|at: usize| order_of(&vector.value(at, argument))),
        }
        failed
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        let kind = self.kind;
        for (from, into) in pairs {
            self.change(into, |state| state.merge(kind, &other.states[from]))?;
        }
        Ok(())
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let finish = |state: &crate::sums::statistic::Summary| state.finish(self.kind, data_type);
        let values = self.states.iter().map(finish).collect::<Result<Vec<Value>>>()?;
        Ok(ColumnBuilder::from_values(&values, data_type))
    }
}
