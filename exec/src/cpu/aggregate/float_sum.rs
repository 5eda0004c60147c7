//! Sums of floats, correctly rounded from the exact sum: the order of the input does not show.

use super::super::gather::Gathered;
use super::super::vector::VectorData;
use super::Input;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::types::DataType;

/// A sum of floats as parts that do not overlap, smallest first, whose exact sum it is (Shewchuk, "Adaptive
/// Precision Floating-Point Arithmetic", 1997). Infinities and NaN are kept apart.
#[derive(Clone, Debug, Default)]
struct ExactSum {
    parts: Vec<f64>,
    special: f64,
}

impl ExactSum {
    fn add(&mut self, value: f64) {
        if !value.is_finite() {
            self.special += value;
            return;
        }
        let mut rest = value;
        let mut kept = 0;
        for at in 0..self.parts.len() {
            let (mut large, mut small) = (rest, self.parts[at]);
            if large.abs() < small.abs() {
                std::mem::swap(&mut large, &mut small);
            }
            let sum = large + small;
            let error = small - (sum - large);
            if error != 0.0 {
                self.parts[kept] = error;
                kept += 1;
            }
            rest = sum;
        }
        self.parts.truncate(kept);
        self.parts.push(rest);
    }

    fn value(&self) -> f64 {
        if self.special != 0.0 {
            return self.special;
        }
        let Some((&last, rest)) = self.parts.split_last() else { return 0.0 };
        let (mut high, mut low, mut at) = (last, 0.0, rest.len());
        while at > 0 && low == 0.0 {
            at -= 1;
            let (large, small) = (high, rest[at]);
            high = large + small;
            low = small - (high - large);
        }
        // A tie between two floats is decided by the sign of what is left.
        if at > 0 && ((low < 0.0 && rest[at - 1] < 0.0) || (low > 0.0 && rest[at - 1] > 0.0)) {
            let twice = low * 2.0;
            let rounded = high + twice;
            if rounded - high == twice {
                high = rounded;
            }
        }
        high
    }
}

/// Sums of floats, a group each.
#[derive(Clone, Debug, Default)]
pub(crate) struct FloatSums {
    sums: Vec<ExactSum>,
    seen: Vec<bool>,
}

impl FloatSums {
    pub(crate) fn resize(&mut self, groups: usize) {
        self.sums.resize_with(groups, ExactSum::default);
        self.seen.resize(groups, false);
    }

    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("sum of nothing")) };
        let VectorData::F64(values) = &vector.data else { return Ok(()) };
        input.each_valid(|tuple, group| {
            self.sums[group].add(values[vector.position(tuple)]);
            self.seen[group] = true;
        });
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        for (from, into) in pairs {
            let from_sum = &other.sums[from];
            from_sum.parts.iter().for_each(|&part| self.sums[into].add(part));
            self.sums[into].special += from_sum.special;
            self.seen[into] |= other.seen[from];
        }
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<Gathered> {
        let mut values = Vec::with_capacity(self.sums.len());
        for sum in &self.sums {
            let mut value = sum.value();
            let infinite = sum.special.is_infinite() || sum.special.is_nan();
            if data_type == DataType::Real {
                value = f64::from(value as f32);
            }
            if !infinite && !value.is_finite() {
                return Err(Error::new(ErrorKind::NumericOverflow, "value out of range: overflow"));
            }
            values.push(value);
        }
        Ok(Gathered::from_floats(values, Some(self.seen)))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<ExactSum>()
            + self.sums.iter().map(|sum| sum.parts.capacity() * 8).sum::<usize>()
    }
}
