//! Variance, from exact sums, so that neither cancellation nor the order of input shows.

use super::super::gather::Gathered;
use super::super::vector::VectorData;
use super::Input;
use crate::variance::Variance;
use crate::{Error, Result};
use multiloop_planner::evaluate;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Count, sum and sum of squares of each group.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    argument: DataType,
    sample: bool,
    states: Vec<Variance>,
}

impl Moments {
    /// For no groups.
    pub(crate) fn new(argument: DataType, sample: bool) -> Self {
        Moments { argument, sample, states: Vec::new() }
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.states.resize_with(groups, Variance::new);
    }

    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("variance of nothing")) };
        let number = |tuple: usize| match &vector.data {
            VectorData::F64(values) => Ok(values[vector.position(tuple)]),
            _ => {
                let value = vector.value(tuple, self.argument);
                match evaluate::cast(&value, self.argument, DataType::Double)? {
                    Value::Float(value) => Ok(value),
                    _ => Err(Error::internal("the variance of what is no number")),
                }
            }
        };
        let mut outcome = Ok(());
        input.each_valid(|tuple, group| match number(tuple) {
            Ok(value) => self.states[group].add(value),
            Err(error) => outcome = Err(error),
        });
        outcome
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        pairs.for_each(|(from, into)| self.states[into].merge(&other.states[from]));
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<Gathered> {
        let finish = |state: &Variance| match state.finish(self.sample)? {
            Some(variance) => evaluate::cast(&Value::Float(variance), DataType::Double, data_type),
            None => Ok(Value::Null),
        };
        let values = self.states.iter().map(finish).collect::<Result<Vec<Value>>>()?;
        Ok(Gathered::from_values(&values, data_type))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<Variance>() + self.states.iter().map(Variance::heap_bytes).sum::<usize>()
    }
}
