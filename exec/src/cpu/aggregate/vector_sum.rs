//! Sums of vectors by group: each row's elements are split into the levels of its group (see [`VectorSums`]), several positions at
//! a time.

mod outer;

use super::Input;
use crate::column::vectors::{Block, Vectors};
use crate::cpu::kernels::vector_rows::{Reads, Rows, Stored};
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::state::vector_sum::{Split, VectorSums};
use crate::{Error, Result};
use multiloop_planner::evaluate::vector::Element;
use multiloop_planner::meter;
use multiloop_planner::types::DataType;

/// Elements that are added between two looks at the statement.
const PIECE: usize = 1 << 16;

/// Elements that are looked at to know how large they usually are, at most.
const SAMPLE: usize = 1 << 12;

/// One element in so many may be larger than is usual.
const RARE: usize = 64;

/// What it costs to add an element by itself, in the meter's units.
const UNITS: usize = 16;

/// Memory for a tile.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The tuples that count, and their groups.
    pairs: Vec<(u32, u32)>,
    /// Those of them whose vectors did not go whole into levels.
    left: Vec<(u32, u32)>,
    /// For outer products.
    reals: outer::Block<f32>,
    doubles: outer::Block<f64>,
}

impl Memory {
    /// Bytes of what is packed for outer products.
    pub(super) fn bytes(&self) -> usize {
        self.reals.bytes() + self.doubles.bytes()
    }

    /// Sets the tuples for which there is a value, and one of a second argument, too.
    fn set_pairs(&mut self, input: &Input<'_>, second: Option<&Vector>) {
        let pairs = &mut self.pairs;
        pairs.clear();
        match second {
            None => input.each_valid(|tuple, group| pairs.push((tuple as u32, group as u32))),
            Some(second) => input.each_valid(|tuple, group| {
                if !second.is_null(tuple) {
                    pairs.push((tuple as u32, group as u32));
                }
            }),
        }
    }
}

impl VectorSums {
    /// Adds vectors, each times its number if there are numbers.
    pub(super) fn update(&mut self, input: &Input<'_>, numbers: Option<&Vector>, memory: &mut Memory) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("sum of nothing")) };
        // NULLs of no type.
        let Some(rows) = Rows::of(vector) else { return Ok(()) };
        memory.set_pairs(input, numbers);
        let factors = match numbers.map(|numbers| (numbers, &numbers.data)) {
            None => None,
            Some((numbers, VectorData::F64(values))) => Some((numbers, &values[..])),
            Some(_) => return Err(Error::internal("vectors times what is no double")),
        };
        match (self.is_double(), factors) {
            (false, None) => self.add_all::<f32, 2>(rows, |_, element| element, memory),
            (true, None) => self.add_all::<f64, 3>(rows, |_, element| element, memory),
            (false, Some((numbers, values))) => {
                let number = |tuple: usize| f32::of(values[numbers.position(tuple)]);
                self.add_all::<f32, 2>(rows, |tuple, element| element.times(number(tuple)), memory)
            }
            (true, Some((numbers, values))) => {
                let number = |tuple: usize| values[numbers.position(tuple)];
                self.add_all::<f64, 3>(rows, |tuple, element| element.times(number(tuple)), memory)
            }
        }
    }

    /// Adds what is made of the elements of some tuples to their groups.
    fn add_all<T: Stored, const LEVELS: usize>(
        &mut self,
        rows: Rows<'_>,
        of: impl Fn(usize, T) -> T + Copy,
        memory: &mut Memory,
    ) -> Result<()> {
        let Memory { pairs, left, .. } = memory;
        let (mut own, mut own_reals) = (Vec::new(), Vec::new());
        let length = self.length();
        for pairs in pairs.chunks((PIECE / length).max(1)) {
            meter::spend(pairs.len() * length)?;
            let split = match self.split(pairs.len() as u64)? {
                Some(split) => split,
                None => self.split_for(usual::<T>(rows, pairs, of, &mut own))?,
            };
            left.clear();
            let levels = Levels::<LEVELS> { all: &mut self.levels, length };
            let given = Given { rows, pairs };
            match rows.are_reals(pairs.iter().map(|&(tuple, _)| tuple as usize)) {
                true => add_rows(levels, &split, (given, Reads::<f32, T>::NEW), of, &mut own_reals, left),
                false => add_rows(levels, &split, (given, Reads::<T, T>::NEW), of, &mut own, left),
            }
            pairs.iter().for_each(|&(_, group)| self.seen[group as usize] = true);
            if left.is_empty() {
                continue;
            }
            // Where more than a few are too large, the units change for all that comes.
            let are_many = left.len() * RARE > pairs.len();
            let wider = self.split_for(if are_many { usual::<T>(rows, pairs, of, &mut own) } else { None })?;
            for &(tuple, group) in left.iter() {
                for (position, &element) in rows.get::<T>(tuple as usize, &mut own).iter().enumerate() {
                    let element = of(tuple as usize, element).double();
                    if !split.parts::<LEVELS>(element).1 {
                        meter::spend(UNITS)?;
                        self.add_with(&wider, group as usize, position, element);
                    }
                }
            }
        }
        Ok(())
    }

    /// The sums, rounded to the elements' type of a vector; infinities where they are beyond it.
    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let Some((of, length)) = data_type.vector_of().filter(|(_, length)| *length as usize == self.length()) else {
            return Err(Error::internal(format!("a sum of vectors as {data_type}")));
        };
        let block = match of {
            DataType::Real => Block::F32(self.all_rounded(true, |sum| sum as f32)?.into()),
            _ => Block::F64(self.all_rounded(false, |sum| sum)?.into()),
        };
        let vectors =
            if self.groups() == 0 { Vectors::new(length as usize) } else { Vectors::of_block(length as usize, block) };
        Ok(ColumnBuilder::from_vectors(vectors, Some(self.seen)))
    }

    /// All sums by group and position.
    fn all_rounded<T>(&self, is_real: bool, of: impl Fn(f64) -> T) -> Result<Vec<T>> {
        let mut all = Vec::with_capacity(self.groups() * self.length());
        for group in 0..self.groups() {
            meter::spend(self.length() * if self.has_rest() { UNITS } else { 1 })?;
            all.extend((0..self.length()).map(|position| of(self.rounded(group, position, is_real))));
        }
        Ok(all)
    }
}

/// The exponent below which elements are usually, so that at most one in [`RARE`] is not; none if all are zeros, or no numbers.
fn usual<T: Stored>(rows: Rows<'_>, pairs: &[(u32, u32)], of: impl Fn(usize, T) -> T, own: &mut Vec<T>) -> Option<i32> {
    let mut exponents = Exponents::default();
    // A sample of them, spread over all.
    let step = (pairs.len() * rows.length()).div_ceil(SAMPLE).max(1);
    let mut next = 0;
    for (at, &(tuple, _)) in pairs.iter().enumerate() {
        let row = rows.get(tuple as usize, own);
        while let Some(&element) = row.get(next - at * row.len()) {
            exponents.count(of(tuple as usize, element).double());
            next += step;
        }
    }
    exponents.usual()
}

/// How many numbers have each exponent, but for zeros and what is no number.
struct Exponents {
    counts: [u32; 2048],
    all: usize,
}

impl Default for Exponents {
    fn default() -> Self {
        Exponents { counts: [0; 2048], all: 0 }
    }
}

impl Exponents {
    fn count(&mut self, number: f64) {
        let exponent = (number.to_bits() >> 52) as usize & 0x7ff;
        if number != 0.0 && exponent < 0x7ff {
            self.counts[exponent] += 1;
            self.all += 1;
        }
    }

    /// The exponent below which all but one number in [`RARE`] are; none of no numbers.
    fn usual(&self) -> Option<i32> {
        let mut above = 0;
        let exponent = self.counts.iter().rposition(|&counted| {
            above += counted as usize;
            above > self.all / RARE
        });
        exponent.filter(|_| self.all > 0).map(|exponent| exponent as i32 - 1023 + 1)
    }
}

/// The levels of all groups, by group, level and position.
struct Levels<'a, const LEVELS: usize> {
    all: &'a mut [f64],
    /// Positions.
    length: usize,
}

/// Vectors and the groups that they go to, by tuple.
#[derive(Clone, Copy)]
struct Given<'a> {
    rows: Rows<'a>,
    pairs: &'a [(u32, u32)],
}

kernel! {
    /// Adds the vectors of tuples, whose elements are stored as `S`, to the levels of their groups; those of which something is left
    /// are listed.
    fn add_rows[T: Stored, S: Stored, const LEVELS: usize, F: Fn(usize, T) -> T + Copy](
        levels: Levels<'_, LEVELS>,
        split: &Split,
        vectors: (Given<'_>, Reads<S, T>),
        of: F,
        own: &mut Vec<S>,
        left: &mut Vec<(u32, u32)>,
    ) {
        let (given, reads) = vectors;
        let stride = LEVELS * levels.length;
        for &(tuple, group) in given.pairs {
            let row = &given.rows.get::<S>(tuple as usize, own)[..levels.length];
            let start = group as usize * stride;
            let levels = &mut levels.all[start..start + stride];
            let places = (row.len(), 0);
            if add_row::<T, S, LEVELS>(levels, places, split, row, |element| of(tuple as usize, reads.read(element))) > 0 {
                left.push((tuple, group));
            }
        }
    }
}

/// Adds a row of elements to the levels of a group, which has so many positions, from a position on; how many elements did not go
/// into them.
#[inline(always)]
fn add_row<T: Stored, S: Stored, const LEVELS: usize>(
    levels: &mut [f64],
    (length, start): (usize, usize),
    split: &Split,
    row: &[S],
    of: impl Fn(S) -> T,
) -> u64 {
    let (high, lower) = levels.split_at_mut(length);
    let (middle, low) = lower.split_at_mut(length);
    let places = start..start + row.len();
    let (high, middle) = (&mut high[places.clone()], &mut middle[places.clone()]);
    let low = if LEVELS == 3 { &mut low[places] } else { low };
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
