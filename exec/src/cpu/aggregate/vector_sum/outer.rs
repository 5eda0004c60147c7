//! Sums of outer products, which are never made: `sum(outer_product(v, w))` needs `n × m` products of a row, each of which would be
//! written, split into levels and added to sums that no cache nearby holds.
//!
//! The rows of a group are taken in blocks of up to [`ROWS_MAX`]. Of a block, the vectors are packed into *panels* of a few
//! positions, row behind row. A *tile* of the result, [`DEPTH`] positions of the left panel by [`LANES`] of the right one, then stays
//! in registers while all rows of the block are added to it; only its sums go to the group.
//!
//! These sums are exact. A product is rounded to the type of the elements, as `outer_product` does, and split into at most
//! [`PARTS_MAX`] parts of [`PART_BITS`] bits by adding and subtracting a constant, as in [`VectorSums`]; each part is added without
//! rounding. The units of the parts are those of the tile's own magnitudes: how large and how small the elements of a column are in
//! the block says how many parts hold every bit of the products ([`part_count`]). Few parts do: one of reals and two of doubles if the
//! columns span some ten powers of two each. Where none would do, products go to the group one by one.
//!
//! NaN and infinities take no other way: the first part has what they add up to, and the other parts do not count.

use super::super::Input;
use super::{Exponents, Levels, Memory, RARE, SAMPLE, UNITS, add_row};
use crate::cpu::kernels::vector_rows::{Rows, Stored};
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::Vector;
use crate::partial::state::vector_sum::{Split, VectorSums};
use crate::{Error, Result};
use multiloop_planner::meter;

/// Rows of a block, at most.
const ROWS_MAX: usize = 1 << ROWS_BITS;
const ROWS_BITS: i32 = 8;

/// Rows of a block that are added one by one: it costs as much to add the sums of so few.
const ROWS_FEW: usize = 3;

/// Rows of a block from which on only one of the products `v[i] * v[j]` and `v[j] * v[i]` is made.
const ROWS_MIRRORED: usize = 32;

/// Elements that are packed together, unless a row alone has more.
const PACKED_MAX: usize = 1 << 16;

/// Positions of a left panel, and of a right one, of which the former divides the latter.
const DEPTH: usize = 2;
const LANES: usize = 8;

/// Bits of a part: so many more than its unit are a part's sum of [`ROWS_MAX`] products, and a double has 53.
const PART_BITS: i32 = 52 - ROWS_BITS;

/// Parts of a product, at most.
const PARTS_MAX: usize = 3;

/// The powers of two below which products of a tile are, for all constants to be normal numbers.
const TOPS: std::ops::RangeInclusive<i32> = -900..=900;

/// A panel of the sums of a tile: by position of the left panel, and of the right one.
type Sums = [[f64; LANES]; DEPTH];

/// How large the elements of a column are: 2^bottom or more, less than 2^top, but for zeros and what is no number.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    bottom: i32,
    top: i32,
}

/// The columns of a block, `WIDTH` of them a panel, whose rows lie one behind the other.
#[derive(Clone, Debug)]
struct Panels<T, const WIDTH: usize> {
    elements: Vec<[T; WIDTH]>,
    /// By panel.
    spans: Vec<[Span; WIDTH]>,
    rows: usize,
}

impl<T, const WIDTH: usize> Default for Panels<T, WIDTH> {
    fn default() -> Self {
        Panels { elements: Vec::new(), spans: Vec::new(), rows: 0 }
    }
}

/// Memory for a block: a few hundred kilobytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Block<T> {
    left: Panels<T, DEPTH>,
    right: Panels<T, LANES>,
    own: Vec<T>,
    other: Vec<T>,
}

/// The two vectors of each tuple.
#[derive(Clone, Copy)]
struct Factors<'a> {
    left: Rows<'a>,
    right: Rows<'a>,
    /// Whether these are the same vectors.
    are_same: bool,
}

/// Where sums go, and how they are split there.
#[derive(Clone, Copy)]
struct Target {
    group: usize,
    split: Split,
}

impl VectorSums {
    /// Adds the outer products of vectors with others.
    pub(in crate::cpu::aggregate) fn update_outer(
        &mut self,
        input: &Input<'_>,
        right: &Vector,
        memory: &mut Memory,
    ) -> Result<()> {
        let Some(left) = input.vector else { return Err(Error::internal("products of nothing")) };
        // NULLs of no type.
        let (Some(rows), Some(others)) = (Rows::of(left), Rows::of(right)) else { return Ok(()) };
        if rows.length() * others.length() != self.length() {
            return Err(Error::internal("outer products of another length"));
        }
        memory.set_pairs(input, Some(right));
        if !memory.pairs.is_sorted_by_key(|pair| pair.1) {
            memory.pairs.sort_unstable_by_key(|pair| pair.1);
        }
        let factors = Factors { left: rows, right: others, are_same: std::ptr::eq(left, right) };
        match self.is_double() {
            false => self.add_outer::<f32, 2>(factors, &memory.pairs, &mut memory.reals),
            true => self.add_outer::<f64, 3>(factors, &memory.pairs, &mut memory.doubles),
        }
    }

    /// Adds the outer products of tuples to their groups, which are in order.
    fn add_outer<T: Stored, const LEVELS: usize>(
        &mut self,
        factors: Factors<'_>,
        pairs: &[(u32, u32)],
        block: &mut Block<T>,
    ) -> Result<()> {
        let packed = factors.left.length().next_multiple_of(DEPTH) + factors.right.length().next_multiple_of(LANES);
        let rows_max = (PACKED_MAX / packed).clamp(1, ROWS_MAX);
        for pairs in pairs.chunk_by(|a, b| a.1 == b.1) {
            let group = pairs[0].1 as usize;
            self.seen[group] = true;
            for pairs in pairs.chunks(rows_max) {
                // Each position gets the sums of all parts.
                let split = match self.split(PARTS_MAX.max(ROWS_FEW) as u64)? {
                    Some(split) => split,
                    None => self.split_for(block.usual(factors, pairs))?,
                };
                let target = Target { group, split };
                let large = match pairs.len() {
                    0..=ROWS_FEW => self.add_few::<T, LEVELS>(factors, pairs, target, block)?,
                    _ => self.add_block::<T, LEVELS>(factors, pairs, target, block)?,
                };
                // Where more than a few are too large, the units change for all that comes.
                if large * RARE > self.length() {
                    self.split_for(block.usual(factors, pairs))?;
                }
            }
        }
        Ok(())
    }

    /// Adds the products of each tuple by itself; how many were too large for the levels.
    fn add_few<T: Stored, const LEVELS: usize>(
        &mut self,
        factors: Factors<'_>,
        pairs: &[(u32, u32)],
        target: Target,
        block: &mut Block<T>,
    ) -> Result<usize> {
        let mut large = 0;
        for &(tuple, _) in pairs {
            meter::spend(self.length())?;
            let left = factors.left.get::<T>(tuple as usize, &mut block.own);
            let right = factors.right.get::<T>(tuple as usize, &mut block.other);
            let length = self.length();
            let levels = Levels::<LEVELS> { all: self.group_levels(target.group), length };
            if add_products(levels, &target.split, left, right) == 0 {
                continue;
            }
            for (row, &a) in left.iter().enumerate() {
                for (column, &b) in right.iter().enumerate() {
                    let product = a.times(b).double();
                    if !target.split.parts::<LEVELS>(product).1 {
                        meter::spend(UNITS)?;
                        large += usize::from(product.abs() >= target.split.limit);
                        self.add_to_rest(target.group, row * right.len() + column, product);
                    }
                }
            }
        }
        Ok(large)
    }

    /// Adds the products of a block of tuples, tile by tile; how many sums were too large for the levels.
    fn add_block<T: Stored, const LEVELS: usize>(
        &mut self,
        factors: Factors<'_>,
        pairs: &[(u32, u32)],
        target: Target,
        block: &mut Block<T>,
    ) -> Result<usize> {
        let width = factors.right.length();
        let is_mirrored = factors.are_same && pairs.len() >= ROWS_MIRRORED;
        meter::spend(pairs.len() * (factors.left.length() + width))?;
        let Block { left, right, own, .. } = block;
        left.pack(factors.left, pairs, own);
        right.pack(factors.right, pairs, own);
        let mut large = 0;
        for (place, right) in right.iter().enumerate() {
            let column = place * LANES;
            for (place, left) in left.iter().enumerate() {
                let row = place * DEPTH;
                let diagonal = row / LANES * LANES;
                if is_mirrored && column < diagonal {
                    continue;
                }
                meter::spend(pairs.len() * 4)?;
                let corner = (row, column);
                let mirrored = is_mirrored && column > diagonal;
                large += self.add_tile::<T, LEVELS>((left, right), (corner, width), mirrored, target)?;
            }
        }
        Ok(large)
    }

    /// Adds the products of two panels to the positions from a corner on; how many sums were too large for the levels.
    fn add_tile<T: Stored, const LEVELS: usize>(
        &mut self,
        (left, right): (Panel<'_, T, DEPTH>, Panel<'_, T, LANES>),
        (corner, width): ((usize, usize), usize),
        mirrored: bool,
        target: Target,
    ) -> Result<usize> {
        let height = self.length() / width;
        let rows = corner.0..height.min(corner.0 + DEPTH);
        let columns = corner.1..width.min(corner.1 + LANES);
        let Some((part_count, rounders)) = rounders::<T>(left.spans, right.spans) else {
            for (row, a) in rows.clone().zip(0..) {
                for (column, b) in columns.clone().zip(0..) {
                    meter::spend(left.elements.len() * UNITS)?;
                    for (left, right) in left.elements.iter().zip(right.elements) {
                        let product = left[a].times(right[b]).double();
                        self.add_to_rest(target.group, row * width + column, product);
                        if mirrored {
                            self.add_to_rest(target.group, column * width + row, product);
                        }
                    }
                }
            }
            return Ok(0);
        };
        let mut sums = [[[0.0; LANES]; DEPTH]; PARTS_MAX];
        match part_count {
            1 => sums[..1].copy_from_slice(&sums_of::<T, 1>(left.elements, right.elements, &rounders)),
            2 => sums[..2].copy_from_slice(&sums_of::<T, 2>(left.elements, right.elements, &rounders)),
            _ => sums = sums_of::<T, PARTS_MAX>(left.elements, right.elements, &rounders),
        }
        let mut large = 0;
        for part in 0..part_count {
            if part > 0 {
                // Beside what is no number there is nothing more.
                let [first, others @ ..] = &mut sums;
                for (first, others) in first.as_flattened().iter().zip(others[part - 1].as_flattened_mut()) {
                    *others = if first.is_finite() { *others } else { 0.0 };
                }
            }
            for (row, a) in rows.clone().zip(0..) {
                let numbers = &sums[part][a][..columns.len()];
                large += self.add_numbers::<LEVELS>(target, row * width + columns.start, numbers)?;
            }
            if mirrored {
                for (column, b) in columns.clone().zip(0..) {
                    let numbers: [f64; DEPTH] = std::array::from_fn(|a| sums[part][a][b]);
                    large += self.add_numbers::<LEVELS>(target, column * width + rows.start, &numbers[..rows.len()])?;
                }
            }
        }
        Ok(large)
    }

    /// Adds numbers to neighbouring positions of a group; how many were too large for the levels.
    fn add_numbers<const LEVELS: usize>(&mut self, target: Target, at: usize, numbers: &[f64]) -> Result<usize> {
        if numbers.iter().all(|number| *number == 0.0) {
            return Ok(0);
        }
        let length = self.length();
        let levels = self.group_levels(target.group);
        if add_row::<f64, f64, LEVELS>(levels, (length, at), &target.split, numbers, |number| number) == 0 {
            return Ok(0);
        }
        let mut large = 0;
        for (position, &number) in (at..).zip(numbers) {
            if !target.split.parts::<LEVELS>(number).1 {
                meter::spend(UNITS)?;
                large += usize::from(number.abs() >= target.split.limit);
                self.add_to_rest(target.group, position, number);
            }
        }
        Ok(large)
    }
}

/// One panel.
#[derive(Clone, Copy)]
struct Panel<'a, T, const WIDTH: usize> {
    elements: &'a [[T; WIDTH]],
    spans: &'a [Span; WIDTH],
}

impl<T: Stored, const WIDTH: usize> Panels<T, WIDTH> {
    fn bytes(&self) -> usize {
        self.elements.capacity() * size_of::<[T; WIDTH]>() + self.spans.capacity() * size_of::<[Span; WIDTH]>()
    }

    /// Packs the vectors of tuples. Behind the last position are zeros.
    fn pack(&mut self, rows: Rows<'_>, pairs: &[(u32, u32)], own: &mut Vec<T>) {
        let panels = rows.length().div_ceil(WIDTH);
        self.rows = pairs.len();
        self.elements.clear();
        self.elements.resize(panels * pairs.len(), [T::ZERO; WIDTH]);
        for (at, &(tuple, _)) in pairs.iter().enumerate() {
            let row = rows.get::<T>(tuple as usize, own);
            let places = self.elements[at..].iter_mut().step_by(pairs.len());
            for (place, elements) in places.zip(row.chunks(WIDTH)) {
                place[..elements.len()].copy_from_slice(elements);
            }
        }
        self.spans.clear();
        self.spans.extend(self.elements.chunks(pairs.len()).map(spans));
    }

    fn iter(&self) -> impl Iterator<Item = Panel<'_, T, WIDTH>> {
        let panels = self.elements.chunks(self.rows.max(1)).zip(&self.spans);
        panels.map(|(elements, spans)| Panel { elements, spans })
    }
}

impl<T: Stored> Block<T> {
    pub(super) fn bytes(&self) -> usize {
        let copied = (self.own.capacity() + self.other.capacity()) * size_of::<T>();
        self.left.bytes() + self.right.bytes() + copied
    }

    /// The exponent below which sums of these products usually are.
    fn usual(&mut self, factors: Factors<'_>, pairs: &[(u32, u32)]) -> Option<i32> {
        let Block { own, other, .. } = self;
        let width = factors.right.length();
        let all = factors.left.length() * width;
        let step = (pairs.len() * all).div_ceil(SAMPLE).max(1);
        let mut exponents = Exponents::default();
        let mut next = 0;
        for (at, &(tuple, _)) in pairs.iter().enumerate() {
            let left = factors.left.get::<T>(tuple as usize, own);
            let right = factors.right.get::<T>(tuple as usize, other);
            while next < (at + 1) * all {
                let place = next - at * all;
                exponents.count(left[place / width].times(right[place % width]).double());
                next += step;
            }
        }
        let sums = pairs.len().next_power_of_two().trailing_zeros() as i32;
        exponents.usual().map(|exponent| exponent + sums)
    }
}

/// What the elements of a panel's columns span.
fn spans<T: Stored, const WIDTH: usize>(rows: &[[T; WIDTH]]) -> [Span; WIDTH] {
    let (smallest, largest) = extremes(rows);
    std::array::from_fn(|column| match largest[column] > 0.0 {
        true => Span { bottom: exponent(smallest[column]), top: exponent(largest[column]) + 1 },
        false => Span::default(),
    })
}

/// The exponent of a positive number, that of the smallest one for those that are not normal.
fn exponent(number: f64) -> i32 {
    match (number.to_bits() >> 52) as i32 {
        0 => -1074,
        exponent => exponent - 1023,
    }
}

/// The constants that split the products of two panels into parts, and how many parts have all of their bits; none if there are
/// none.
fn rounders<T: Stored>(left: &[Span; DEPTH], right: &[Span; LANES]) -> Option<(usize, Sums)> {
    let width = |spans: &[Span]| spans.iter().map(|span| span.top - span.bottom).max().unwrap_or(0);
    let part_count = part_count(width(left) + width(right), size_of::<T>() == size_of::<f32>())?;
    let mut rounders = [[0.0; LANES]; DEPTH];
    for (rounders, left) in rounders.iter_mut().zip(left) {
        for (rounder, right) in rounders.iter_mut().zip(right) {
            let top = left.top + right.top;
            if !TOPS.contains(&top) {
                return None;
            }
            // A double of this magnitude has its last bit where the first part's unit is.
            *rounder = 1.5 * f64::from_bits(((top - PART_BITS + 52 + 1023) as u64) << 52);
        }
    }
    Some((part_count, rounders))
}

/// How many parts have all bits of products that span so many powers of two, for sums of [`ROWS_MAX`] of them to be exact; none if
/// more than there may be.
///
/// Let the products be less than 2^top, and multiples of a unit: of 2^(top - span - digits + 1), where a number of the elements' type
/// has so many digits. Part `p` (from 1) is a multiple of 2^(top - p * PART_BITS), and at most 2^(top - (p - 1) * PART_BITS), so that
/// its sum of 2^ROWS_BITS needs 52 bits; what is left for the last part is a multiple of the products' own unit, and its sum has to
/// have 53 bits at most.
fn part_count(span: i32, is_real: bool) -> Option<usize> {
    let digits = if is_real { f32::MANTISSA_DIGITS } else { f64::MANTISSA_DIGITS } as i32;
    let bits = span + digits - 1;
    (1..=PARTS_MAX).find(|&parts| bits <= (parts as i32 - 1) * PART_BITS + 53 - ROWS_BITS)
}

kernel! {
    /// The smallest and the largest element of each column without their signs, but for zeros and what is no number: infinite and 0
    /// where there are no others.
    fn extremes[T: Stored, const WIDTH: usize](rows: &[[T; WIDTH]]) -> ([f64; WIDTH], [f64; WIDTH]) {
        let (mut smallest, mut largest) = ([f64::INFINITY; WIDTH], [0.0; WIDTH]);
        for row in rows {
            for (at, &element) in row.iter().enumerate() {
                let number = element.double().abs();
                let is_finite = number < f64::INFINITY;
                let low = if is_finite & (number > 0.0) { number } else { f64::INFINITY };
                let high = if is_finite { number } else { 0.0 };
                smallest[at] = if low < smallest[at] { low } else { smallest[at] };
                largest[at] = if high > largest[at] { high } else { largest[at] };
            }
        }
        (smallest, largest)
    }
}

kernel! {
    /// The sums of the parts of the products of two panels.
    fn sums_of[T: Stored, const PARTS: usize](left: &[[T; DEPTH]], right: &[[T; LANES]], rounders: &Sums) -> [Sums; PARTS] {
        /// From the unit of a part to that of the next one.
        const STEP: f64 = 1.0 / (1u64 << PART_BITS) as f64;
        let mut sums = [[[0.0; LANES]; DEPTH]; PARTS];
        for (left, right) in left.iter().zip(right) {
            for (a, rounders) in rounders.iter().enumerate() {
                for (b, &rounder) in rounders.iter().enumerate() {
                    let (mut rest, mut rounder) = (left[a].times(right[b]).double(), rounder);
                    for sums in &mut sums[..PARTS - 1] {
                        let part = (rest + rounder) - rounder;
                        sums[a][b] += part;
                        rest -= part;
                        rounder *= STEP;
                    }
                    sums[PARTS - 1][a][b] += rest;
                }
            }
        }
        sums
    }
}

kernel! {
    /// Adds the products of two vectors to the levels of their group; how many did not go into them.
    fn add_products[T: Stored, const LEVELS: usize](
        levels: Levels<'_, LEVELS>,
        split: &Split,
        left: &[T],
        right: &[T],
    ) -> u64 {
        let mut out = 0;
        for (row, &a) in left.iter().enumerate() {
            let places = (levels.length, row * right.len());
            out += add_row::<T, T, LEVELS>(levels.all, places, split, right, |b| a.times(b));
        }
        out
    }
}

#[cfg(test)]
mod tests;
