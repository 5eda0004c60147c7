//! Filling statistics.

use super::Input;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::statistics::Statistics;
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

impl Statistics {
    /// Folds in some tuples, of which the first is at this place; the next place.
    pub(crate) fn update(&mut self, input: &Input<'_>, argument: DataType, place: u64) -> Result<u64> {
        let Some(vector) = input.vector else { return Err(Error::internal("a statistic of nothing")) };
        let (kind, mut failed) = (self.kind, Ok(()));
        input.each_valid(|tuple, group| {
            if failed.is_ok() {
                let value = vector.value(tuple, argument);
                failed = self.change(group, |state| state.add(kind, &value, place + tuple as u64));
            }
        });
        failed.map(|()| place + input.len as u64)
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
