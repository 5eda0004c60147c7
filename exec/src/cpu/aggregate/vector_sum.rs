//! Sums of vectors by group: each row's elements are split into the levels of its group (see [`VectorSums`]), several positions at
//! a time.

use super::Input;
use crate::column::vectors::{Block, Vectors};
use crate::cpu::kernels::vector_rows::{Rows, Stored};
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::state::vector_sum::{Split, VectorSums};
use crate::{Error, Result};
use multiloop_planner::evaluate::vector::Element;
use multiloop_planner::types::DataType;

/// Memory for a tile.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The tuples that count, and their groups.
    pairs: Vec<(u32, u32)>,
    /// Those of them whose vectors did not go whole into levels.
    left: Vec<(u32, u32)>,
}

impl VectorSums {
    /// Adds vectors, each times its number if there are numbers.
    pub(super) fn update(&mut self, input: &Input<'_>, numbers: Option<&Vector>, memory: &mut Memory) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("sum of nothing")) };
        // NULLs of no type.
        let Some(rows) = Rows::of(vector) else { return Ok(()) };
        let Memory { pairs, .. } = memory;
        pairs.clear();
        match numbers {
            None => input.each_valid(|tuple, group| pairs.push((tuple as u32, group as u32))),
            Some(numbers) => input.each_valid(|tuple, group| {
                if !numbers.is_null(tuple) {
                    pairs.push((tuple as u32, group as u32));
                }
            }),
        }
        let factors = match numbers.map(|numbers| (numbers, &numbers.data)) {
            None => None,
            Some((numbers, VectorData::F64(values))) => Some((numbers, &values[..])),
            Some(_) => return Err(Error::internal("vectors times what is no double")),
        };
        match (self.is_double(), factors) {
            (false, None) => self.add_all::<f32, 2>(rows, |_, element| element, memory),
            (true, None) => self.add_all::<f64, 3>(rows, |_, element| element, memory),
            (false, Some((numbers, values))) => {
                self.add_all::<f32, 2>(
                    rows,
                    |tuple, element| element.times(f32::of(values[numbers.position(tuple)])),
                    memory,
                );
            }
            (true, Some((numbers, values))) => {
                self.add_all::<f64, 3>(rows, |tuple, element| element.times(values[numbers.position(tuple)]), memory);
            }
        }
        Ok(())
    }

    /// Adds what is made of the elements of some tuples to their groups.
    #[inline(always)]
    fn add_all<T: Stored, const LEVELS: usize>(
        &mut self,
        rows: Rows<'_>,
        of: impl Fn(usize, T) -> T + Copy,
        memory: &mut Memory,
    ) {
        let Memory { pairs, left } = memory;
        if pairs.is_empty() {
            return;
        }
        let mut own = Vec::new();
        let length = self.length();
        let split = match self.split(pairs.len() as u64) {
            Some(split) => split,
            None => {
                let largest = largest::<T>(rows, pairs, of, &mut own, |_| true);
                self.split_for(largest)
            }
        };
        left.clear();
        add_rows::<T, LEVELS, _>(Levels, &mut self.levels, length, &split, rows, pairs, of, &mut own, left);
        pairs.iter().for_each(|&(_, group)| self.seen[group as usize] = true);
        if left.is_empty() {
            return;
        }
        let is_left = |element: T| !split.parts::<LEVELS>(element.double()).1;
        let largest = largest::<T>(rows, left, of, &mut own, is_left);
        // What is larger than what was seen before changes the units for all that comes.
        let wider = self.split_for(largest);
        for &(tuple, group) in left.iter() {
            for (position, &element) in rows.get::<T>(tuple as usize, &mut own).iter().enumerate() {
                let element = of(tuple as usize, element);
                if is_left(element) {
                    self.add_with(&wider, group as usize, position, element.double());
                }
            }
        }
    }

    /// The sums, rounded to the elements' type of a vector; infinities where they are beyond it.
    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let Some((of, length)) = data_type.vector_of().filter(|(_, length)| *length as usize == self.length()) else {
            return Err(Error::internal(format!("a sum of vectors as {data_type}")));
        };
        let each = |is_real: bool| {
            let sums = &self;
            let positions = move |group: usize| (0..length as usize).map(move |position| (group, position));
            (0..self.groups()).flat_map(positions).map(move |(group, position)| sums.rounded(group, position, is_real))
        };
        let block = match of {
            DataType::Real => Block::F32(each(true).map(|sum| sum as f32).collect()),
            _ => Block::F64(each(false).collect()),
        };
        let vectors =
            if self.groups() == 0 { Vectors::new(length as usize) } else { Vectors::of_block(length as usize, block) };
        Ok(ColumnBuilder::from_vectors(vectors, Some(self.seen)))
    }
}

/// The largest magnitude among the finite elements that count.
fn largest<T: Stored>(
    rows: Rows<'_>,
    pairs: &[(u32, u32)],
    of: impl Fn(usize, T) -> T,
    own: &mut Vec<T>,
    counts: impl Fn(T) -> bool,
) -> f64 {
    let mut largest = 0.0;
    for &(tuple, _) in pairs {
        for &element in rows.get(tuple as usize, own) {
            let element = of(tuple as usize, element);
            let magnitude = element.double().abs();
            if magnitude > largest && magnitude.is_finite() && counts(element) {
                largest = magnitude;
            }
        }
    }
    largest
}

/// How many levels there are, as an argument from which they are inferred.
#[derive(Clone, Copy)]
struct Levels<const LEVELS: usize>;

kernel! {
    /// Adds the vectors of tuples to the levels of their groups; those of which something is left are listed.
    fn add_rows[T: Stored, const LEVELS: usize, F: Fn(usize, T) -> T + Copy](
        _count: Levels<LEVELS>,
        levels: &mut [f64],
        length: usize,
        split: &Split,
        rows: Rows<'_>,
        pairs: &[(u32, u32)],
        of: F,
        own: &mut Vec<T>,
        left: &mut Vec<(u32, u32)>,
    ) {
        for &(tuple, group) in pairs {
            let row = &rows.get::<T>(tuple as usize, own)[..length];
            let start = group as usize * LEVELS * length;
            let levels = &mut levels[start..start + LEVELS * length];
            if add_row::<T, LEVELS>(levels, split, row, |element| of(tuple as usize, element)) > 0 {
                left.push((tuple, group));
            }
        }
    }
}

/// Adds a vector to the levels of a group; how many elements did not go into them.
#[inline(always)]
fn add_row<T: Stored, const LEVELS: usize>(levels: &mut [f64], split: &Split, row: &[T], of: impl Fn(T) -> T) -> u64 {
    let length = row.len();
    let (high, lower) = levels.split_at_mut(length);
    let (middle, low) = lower.split_at_mut(length);
    let mut left = 0;
    for (at, &element) in row.iter().enumerate() {
        let (parts, is_whole) = split.parts::<LEVELS>(of(element).double());
        let part = |level: usize| if is_whole { parts[level] } else { 0.0 };
        high[at] += part(0);
        middle[at] += part(1);
        if LEVELS == 3 {
            low[at] += part(2);
        }
        left += u64::from(!is_whole);
    }
    left
}

#[cfg(test)]
mod tests;
