//! Sums of vectors by group: each row's elements are split into the levels of its group (see [`VectorSums`]), several positions at
//! a time.

use super::Input;
use crate::column::vectors::{Block, Vectors};
use crate::cpu::kernels::vector_rows::{Rows, Stored};
use crate::cpu::simd::kernel::{kernel, vectorised};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::vector_sum::{Split, VectorSums};
use crate::{Error, Result};
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
    pub(super) fn update(&mut self, input: &Input<'_>, memory: &mut Memory) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("sum of nothing")) };
        // NULLs of no type.
        let Some(rows) = Rows::of(vector) else { return Ok(()) };
        memory.pairs.clear();
        input.each_valid(|tuple, group| memory.pairs.push((tuple as u32, group as u32)));
        if self.is_double() { self.add_all::<f64, 3>(rows, memory) } else { self.add_all::<f32, 2>(rows, memory) }
        Ok(())
    }

    fn add_all<T: Stored, const LEVELS: usize>(&mut self, rows: Rows<'_>, memory: &mut Memory) {
        let Memory { pairs, left } = memory;
        if pairs.is_empty() {
            return;
        }
        let mut own = Vec::new();
        let largest = largest::<T>(rows, pairs, &mut own);
        let split = self.split(largest, pairs.len() as u64);
        left.clear();
        let length = self.length();
        add_rows::<T, LEVELS>(Levels, &mut self.levels, length, &split, rows, pairs, &mut own, left);
        pairs.iter().for_each(|&(_, group)| self.seen[group as usize] = true);
        for &(tuple, group) in left.iter() {
            for (position, &element) in rows.get::<T>(tuple as usize, &mut own).iter().enumerate() {
                if !split.parts::<LEVELS>(element.double()).1 {
                    self.add_with(&split, group as usize, position, element.double());
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
        let vectors = if self.groups() == 0 {
            Vectors::new(length as usize)
        } else {
            Vectors::of_block(length as usize, block)
        };
        Ok(ColumnBuilder::from_vectors(vectors, Some(self.seen)))
    }
}

/// The largest magnitude among the finite elements.
fn largest<T: Stored>(rows: Rows<'_>, pairs: &[(u32, u32)], own: &mut Vec<T>) -> f64 {
    let mut largest = T::ZERO;
    for &(tuple, _) in pairs {
        let row = rows.get(tuple as usize, own);
        vectorised(|| {
            for &element in row {
                let magnitude = element.absolute();
                // Infinities and NaN are no numbers: their difference from themselves is none.
                let counts = (magnitude.double() > largest.double()) & (magnitude.minus(magnitude).double() == 0.0);
                largest = if counts { magnitude } else { largest };
            }
        });
    }
    largest.double()
}

/// How many levels there are, as an argument from which they are inferred.
#[derive(Clone, Copy)]
struct Levels<const LEVELS: usize>;

kernel! {
    /// Adds the vectors of tuples to the levels of their groups; those of which something is left are listed.
    fn add_rows[T: Stored, const LEVELS: usize](
        _count: Levels<LEVELS>,
        levels: &mut [f64],
        length: usize,
        split: &Split,
        rows: Rows<'_>,
        pairs: &[(u32, u32)],
        own: &mut Vec<T>,
        left: &mut Vec<(u32, u32)>,
    ) {
        for &(tuple, group) in pairs {
            let row = &rows.get::<T>(tuple as usize, own)[..length];
            let start = group as usize * LEVELS * length;
            let levels = &mut levels[start..start + LEVELS * length];
            if add_row::<T, LEVELS>(levels, split, row) > 0 {
                left.push((tuple, group));
            }
        }
    }
}

/// Adds a vector to the levels of a group; how many elements did not go into them.
#[inline(always)]
fn add_row<T: Stored, const LEVELS: usize>(levels: &mut [f64], split: &Split, row: &[T]) -> u64 {
    let length = row.len();
    let (high, lower) = levels.split_at_mut(length);
    let (middle, low) = lower.split_at_mut(length);
    let mut left = 0;
    for (at, element) in row.iter().enumerate() {
        let (parts, is_whole) = split.parts::<LEVELS>(element.double());
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
