//! Variance: keeps the arguments of each group and goes over them twice, in an order of their own, so that neither
//! cancellation nor the order of input shows.

use super::super::gather::Gathered;
use super::super::vector::VectorData;
use super::Input;
use crate::{Error, Result};
use multiloop_planner::types::DataType;

/// The arguments of each group.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    argument: DataType,
    sample: bool,
    values: Vec<Vec<f64>>,
}

impl Moments {
    /// For no groups.
    pub(crate) fn new(argument: DataType, sample: bool) -> Self {
        Moments { argument, sample, values: Vec::new() }
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.values.resize(groups, Vec::new());
    }

    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("variance of nothing")) };
        let unit = 10f64.powi(i32::from(self.argument.scale()));
        input.each_valid(|tuple, group| {
            let value = match &vector.data {
                VectorData::F64(values) => values[vector.position(tuple)],
                _ => vector.integer(tuple).unwrap_or(0) as f64 / unit,
            };
            self.values[group].push(value);
        });
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        pairs.for_each(|(from, into)| self.values[into].extend_from_slice(&other.values[from]));
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<Gathered> {
        if !data_type.is_float() {
            return Err(Error::unsupported(format!("a variance of type {data_type} is")));
        }
        let (mut results, mut valid) = (Vec::new(), Vec::new());
        for mut values in self.values {
            values.sort_unstable_by(f64::total_cmp);
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
            let divisor = if self.sample { count - 1.0 } else { count };
            valid.push(divisor > 0.0);
            results.push(if divisor > 0.0 { squares / divisor } else { 0.0 });
        }
        Ok(Gathered::from_floats(results, Some(valid)))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.values.iter().map(|values| values.capacity() * 8 + 24).sum()
    }
}
