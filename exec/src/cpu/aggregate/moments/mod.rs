//! Filling variances of floats.

use super::super::kernels::exact_blocks::add_moments;
use super::super::kernels::{self, Call, Scratch};
use super::super::vector::{Vector, VectorData};
use super::{Input, TileGroups};
use crate::cpu::groups::masks::Present;
use crate::cpu::simd::kernel::prefetch_here;
use crate::cpu::vector::bitmap::{Bitmap, each_one};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::moments::Moments;
use crate::plan::register::Register;
use crate::sums::moments::Variance;
use crate::technique::Technique;
use crate::{Error, Result};
use multiloop_planner::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Groups beyond which their states are not in the cache close by.
const FAR_GROUPS: usize = 1 << 13;

/// How many values ahead their states are asked for.
const PREFETCH_VALUES: usize = 16;

/// Values of a run from which on they are worth being a block.
const BLOCK_MIN: usize = 32;

impl Moments {
    /// Folds in some tuples, whose argument has this type. `doubles` is memory for arguments as doubles.
    pub(crate) fn update(&mut self, input: &Input<'_>, argument: DataType, doubles: &mut Vector) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("variance of nothing")) };
        let vector = if matches!(vector.data, VectorData::F64(_)) {
            vector
        } else {
            let types = [argument];
            let call = Call {
                function: Function::Cast,
                types: &types,
                result: DataType::Double,
                register: Register::F64,
                checked: true,
            };
            kernels::call(&call, &[vector], input.len, &mut Scratch::default(), doubles)?;
            doubles
        };
        let input = Input { vector: Some(vector), ..*input };
        if let VectorData::F64(values) = &vector.data {
            match input.groups {
                TileGroups::One if vector.nulls.is_none() && !vector.constant => {
                    self.change(0, |state| add_moments(state, values));
                }
                TileGroups::Each(_, Some(present)) | TileGroups::Masks(present) if !vector.constant => {
                    self.add_masked(values, present, vector.nulls.as_ref());
                }
                TileGroups::Runs(runs) if vector.nulls.is_none() && !vector.constant => {
                    for (group, run) in runs.iter() {
                        self.change(group, |state| match &values[run] {
                            few if few.len() < BLOCK_MIN => few.iter().for_each(|&value| state.add(value)),
                            many => add_moments(state, many),
                        });
                    }
                }
                TileGroups::Each(groups, _) if self.groups() > FAR_GROUPS && Technique::Prefetch.is_on() => {
                    input.each_valid(|tuple, group| {
                        if let Some(&next) = groups.get(tuple + PREFETCH_VALUES) {
                            let next = self.states.as_ptr().wrapping_add(next as usize);
                            prefetch_here(next);
                            prefetch_here(next.cast::<u8>().wrapping_add(size_of::<Variance>() - 1));
                        }
                        self.change(group, |state| state.add(values[vector.position(tuple)]));
                    });
                }
                _ => input.each_valid(|tuple, group| {
                    self.change(group, |state| state.add(values[vector.position(tuple)]));
                }),
            }
        }
        Ok(())
    }

    /// Adds what each of some groups has, by its tuples: put together they are blocks.
    fn add_masked(&mut self, values: &[f64], present: &Present, valid: Option<&Bitmap>) {
        let mut own = Vec::with_capacity(values.len());
        for (group, tuples) in present.iter() {
            own.clear();
            for (place, &word) in tuples.words().iter().enumerate() {
                let word = valid.map_or(word, |valid| word & valid.words()[place]);
                each_one(word, |at| own.push(values[place * 64 + at]));
            }
            self.change(group, |state| add_moments(state, &own));
        }
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        pairs.for_each(|(from, into)| self.change(into, |state| state.merge(&other.states[from])));
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let finish = |state: &Variance| match state.finish(self.sample)? {
            Some(variance) => evaluate::cast(&Value::Float(variance), DataType::Double, data_type),
            None => Ok(Value::Null),
        };
        let values = self.states.iter().map(finish).collect::<Result<Vec<Value>>>()?;
        Ok(ColumnBuilder::from_values(&values, data_type))
    }
}

#[cfg(test)]
mod tests;
