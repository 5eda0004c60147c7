//! Sums of vectors by group: each row's elements are split into the levels of its group (see [`VectorSums`]), several positions at
//! a time. Where many neighbouring rows are of one group, or are made neighbours, their elements are summed up first (`blocks`).

mod blocks;
mod outer;

use super::Input;
use crate::column::vectors::{Block, Vectors};
use crate::cpu::kernels::vector_rows::{Reads, Rows, Stored};
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::state::vector_sum::{Split, VectorSums};
use crate::{Error, Result};
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
    /// The pairs by group, and where the next one of each group goes.
    arranged: Vec<(u32, u32)>,
    places: Vec<u32>,
    block: blocks::Block,
    /// For outer products.
    reals: outer::Block<f32>,
    doubles: outer::Block<f64>,
}

impl Memory {
    /// Bytes of what grows with the vectors or with the groups.
    pub(super) fn bytes(&self) -> usize {
        self.reals.bytes() + self.doubles.bytes() + self.block.bytes() + self.places.capacity() * size_of::<u32>()
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
            (false, None) => self.add_all::<f32, 2>(rows, Alone, memory),
            (true, None) => self.add_all::<f64, 3>(rows, Alone, memory),
            (false, Some((numbers, values))) => self.add_all::<f32, 2>(rows, Times { numbers, values }, memory),
            (true, Some((numbers, values))) => self.add_all::<f64, 3>(rows, Times { numbers, values }, memory),
        }
    }

    /// Adds what a factor makes of the elements of some tuples to their groups.
    fn add_all<T: Stored, const LEVELS: usize>(
        &mut self,
        rows: Rows<'_>,
        factor: impl Factor<T>,
        memory: &mut Memory,
    ) -> Result<()> {
        let Memory { pairs, left, arranged, places, block, .. } = memory;
        let (mut own, mut own_reals) = (Own::<T>::default(), Own::<f32>::default());
        let length = self.length();
        for pairs in pairs.chunks((PIECE / length).max(1)) {
            meter::spend(pairs.len() * length)?;
            let split = match self.split(pairs.len() as u64)? {
                Some(split) => split,
                None => self.split_for(usual::<T>(rows, pairs, factor, &mut own[0]))?,
            };
            left.clear();
            let runs = runs(pairs, self.groups(), arranged, places);
            let levels = Levels::<LEVELS> { all: &mut self.levels, length };
            match rows.are_reals(pairs.iter().map(|&(tuple, _)| tuple as usize)) {
                true => {
                    let reads = Reads::<f32, T>::NEW;
                    add_runs(levels, &split, (rows, reads), runs, factor, (block, &mut own_reals), left);
                }
                false => {
                    let reads = Reads::<T, T>::NEW;
                    add_runs(levels, &split, (rows, reads), runs, factor, (block, &mut own), left);
                }
            }
            pairs.iter().for_each(|&(_, group)| self.seen[group as usize] = true);
            if left.is_empty() {
                continue;
            }
            // Where more than a few are too large, the units change for all that comes.
            let are_many = left.len() * RARE > pairs.len();
            let wider = self.split_for(if are_many { usual::<T>(rows, pairs, factor, &mut own[0]) } else { None })?;
            for &(tuple, group) in left.iter() {
                let by = factor.of_row(tuple as usize);
                for (position, &element) in rows.get::<T>(tuple as usize, &mut own[0]).iter().enumerate() {
                    let element = factor.apply(element, by).double();
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

/// What the elements of a row are multiplied by before they are added.
trait Factor<T>: Copy {
    /// That of a tuple.
    fn of_row(self, tuple: usize) -> T;
    /// An element with that of its row.
    fn apply(self, element: T, of_row: T) -> T;
}

/// Elements as they are.
#[derive(Clone, Copy)]
struct Alone;

/// Elements times numbers, which are rounded to their type.
#[derive(Clone, Copy)]
struct Times<'a> {
    numbers: &'a Vector,
    values: &'a [f64],
}

impl<T: Stored> Factor<T> for Alone {
    #[inline(always)]
    fn of_row(self, _: usize) -> T {
        T::ZERO
    }

    #[inline(always)]
    fn apply(self, element: T, _: T) -> T {
        element
    }
}

impl<T: Stored> Factor<T> for Times<'_> {
    #[inline(always)]
    fn of_row(self, tuple: usize) -> T {
        T::of(self.values[self.numbers.position(tuple)])
    }

    #[inline(always)]
    fn apply(self, element: T, of_row: T) -> T {
        element.times(of_row)
    }
}

/// The pairs in runs of one group, if these are long enough for blocks: as they come, or arranged by group. None if they are not.
fn runs<'a>(
    pairs: &'a [(u32, u32)],
    groups: usize,
    arranged: &'a mut Vec<(u32, u32)>,
    places: &mut Vec<u32>,
) -> (&'a [(u32, u32)], bool) {
    let changes = pairs.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    if (changes + 1) * blocks::ROWS_MIN <= pairs.len() {
        return (pairs, true);
    }
    if groups * blocks::ROWS_MIN > pairs.len() {
        return (pairs, false);
    }
    places.clear();
    places.resize(groups + 1, 0);
    pairs.iter().for_each(|&(_, group)| places[group as usize + 1] += 1);
    (0..groups).for_each(|group| places[group + 1] += places[group]);
    arranged.clear();
    arranged.resize(pairs.len(), (0, 0));
    for &pair in pairs {
        let place = &mut places[pair.1 as usize];
        arranged[*place as usize] = pair;
        *place += 1;
    }
    (&arranged[..], true)
}

/// Memory for vectors that are not of their type where they are.
type Own<T> = [Vec<T>; blocks::TOGETHER];

/// Adds the vectors of tuples to the levels of their groups, in blocks where these are in runs of one group; those of which something
/// is left are listed.
fn add_runs<T: Stored, S: Stored, const LEVELS: usize>(
    levels: Levels<'_, LEVELS>,
    split: &Split,
    (rows, reads): (Rows<'_>, Reads<S, T>),
    (pairs, are_runs): (&[(u32, u32)], bool),
    factor: impl Factor<T>,
    (block, own): (&mut blocks::Block, &mut Own<S>),
    left: &mut Vec<(u32, u32)>,
) {
    let Levels { all, length } = levels;
    if !are_runs {
        let levels = Levels::<LEVELS> { all, length };
        return add_rows(levels, split, (Given { rows, pairs }, reads), factor, &mut own[0], left);
    }
    // Blocks of a run are of one size, so that the last one is not too small.
    let rows_of = |run: &[(u32, u32)]| run.len().div_ceil(run.len().div_ceil(blocks::ROWS_MAX));
    let runs = pairs.chunk_by(|a, b| a.1 == b.1);
    for pairs in runs.flat_map(|run| run.chunks(rows_of(run))) {
        let vectors = (Given { rows, pairs }, reads);
        let levels = Levels::<LEVELS> { all: &mut *all, length };
        if block.is_tried(pairs.len()) && block.add(levels, split, vectors, factor, own) {
            continue;
        }
        let levels = Levels::<LEVELS> { all: &mut *all, length };
        add_rows(levels, split, vectors, factor, &mut own[0], left);
    }
}

/// The exponent below which elements are usually, so that at most one in [`RARE`] is not; none if all are zeros, or no numbers.
fn usual<T: Stored>(rows: Rows<'_>, pairs: &[(u32, u32)], factor: impl Factor<T>, own: &mut Vec<T>) -> Option<i32> {
    let mut exponents = Exponents::default();
    // A sample of them, spread over all.
    let step = (pairs.len() * rows.length()).div_ceil(SAMPLE).max(1);
    let mut next = 0;
    for (at, &(tuple, _)) in pairs.iter().enumerate() {
        let row = rows.get(tuple as usize, own);
        while let Some(&element) = row.get(next - at * row.len()) {
            exponents.count(factor.apply(element, factor.of_row(tuple as usize)).double());
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
    fn add_rows[T: Stored, S: Stored, const LEVELS: usize, F: Factor<T>](
        levels: Levels<'_, LEVELS>,
        split: &Split,
        vectors: (Given<'_>, Reads<S, T>),
        factor: F,
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
            let by = factor.of_row(tuple as usize);
            let number = |element| factor.apply(reads.read(element), by);
            if add_row::<T, S, LEVELS>(levels, places, split, row, number) > 0 {
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
