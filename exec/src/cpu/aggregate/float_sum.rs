//! Filling sums of floats.

use super::super::kernels::exact_blocks::add_all;
use super::super::vector::VectorData;
use super::{Input, TileGroups};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::float_sum::FloatSums;
use crate::sums::exact_sum::ExactSum;
use crate::{Error, Result};
use multiloop_planner::types::DataType;

impl FloatSums {
    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("sum of nothing")) };
        let VectorData::F64(values) = &vector.data else { return Ok(()) };
        if let (TileGroups::One, None, false) = (input.groups, &vector.nulls, vector.constant) {
            add_all(&mut self.sums[0], values);
            self.seen[0] |= !values.is_empty();
            return Ok(());
        }
        input.each_valid(|tuple, group| {
            self.sums[group].add(values[vector.position(tuple)]);
            self.seen[group] = true;
        });
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        for (from, into) in pairs {
            self.sums[into].merge(&other.sums[from]);
            self.seen[into] |= other.seen[from];
        }
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let finish = |(sum, &seen): (&ExactSum, &bool)| if seen { sum.finish(data_type) } else { Ok(0.0) };
        let values = self.sums.iter().zip(&self.seen).map(finish).collect::<Result<Vec<f64>>>()?;
        Ok(ColumnBuilder::from_floats(values, Some(self.seen)))
    }
}
