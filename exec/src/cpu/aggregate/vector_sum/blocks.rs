//! Sums of blocks of rows: of up to [`ROWS_MAX`] vectors of one group, the numbers of a position are added up by themselves, in a few
//! operations each, and their sum goes to the levels of the group ([`VectorSums`]), as if it were a number.
//!
//! Added up are multiples of the last level's unit, which is seen while they are added: a number is one if adding and subtracting
//! the power of two whose last bit is there does not change it. Of so few that their sizes are 2^53 units together no sum is rounded.
//! Reals are such numbers as a rule. Doubles are split once before, so that each half has fewer bits than it takes to add
//! [`ROWS_MAX`] of them.
//!
//! Where some number is no such multiple, or they are too large together, the block is added row by row, which asks each number by
//! itself. Where that happens to several blocks in a row, some of the next ones are not tried, twice as many each time.
//!
//! [`VectorSums`]: crate::partial::state::vector_sum::VectorSums

use super::{Factor, Given, Levels};
use crate::cpu::kernels::vector_rows::{Reads, Stored};
use crate::cpu::simd::kernel::kernel;
use crate::partial::state::vector_sum::Split;

/// Rows of a block.
pub(super) const ROWS_MAX: usize = 64;

/// A sum counts as this many rows in its levels, and one of fewer is not worth it.
pub(super) const ROWS_MIN: usize = 16;

/// How large all numbers of a position may be together, in the levels' limit.
const SIZES: f64 = 8.0;

/// Rows that are added to the sums at once, so that these are loaded and stored once for them.
pub(super) const TOGETHER: usize = 4;

/// Positions side by side.
const LANES: usize = 8;

/// Of the number of blocks that are not tried in a row, at most.
const WAIT_BITS: u32 = 6;

/// From the limit of levels to the unit of a double's upper half: 2^27 smaller. The lower half is not larger than half of that, and a
/// multiple of a unit 2^48 times smaller, so that [`ROWS_MAX`] of them need 53 bits.
const HALF: f64 = (1u64 << 27) as f64;

/// The sums of some positions.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Of the numbers, or of their upper halves.
    total: [f64; LANES],
    /// Of their lower halves.
    lower: [f64; LANES],
    /// Of their sizes.
    sizes: [f64; LANES],
}

/// Memory for a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    sums: Vec<Sums>,
    /// Blocks that are not tried next.
    wait: u32,
    /// How many failed the last times that one was tried.
    failed: u32,
}

impl Block {
    pub(super) fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<Sums>()
    }

    /// Whether a block was tried, and the last one was added.
    #[cfg(test)]
    pub(super) fn has_added(&self) -> bool {
        !self.sums.is_empty() && self.failed == 0
    }

    /// Whether a block of so many rows is tried.
    pub(super) fn is_tried(&mut self, rows: usize) -> bool {
        let is_wait_over = self.wait == 0;
        self.wait = self.wait.saturating_sub(1);
        is_wait_over && rows >= ROWS_MIN
    }

    /// Adds vectors of one group, whose elements are stored as `S`, to its levels; false if nothing was added.
    pub(super) fn add<T: Stored, S: Stored, const LEVELS: usize>(
        &mut self,
        levels: Levels<'_, LEVELS>,
        split: &Split,
        (given, reads): (Given<'_>, Reads<S, T>),
        factor: impl Factor<T>,
        own: &mut [Vec<S>; TOGETHER],
    ) -> bool {
        debug_assert!((ROWS_MIN..=ROWS_MAX).contains(&given.pairs.len()), "rows of a block");
        self.sums.clear();
        self.sums.resize(levels.length.div_ceil(LANES), Sums::default());
        let bound = split.limit * SIZES;
        let is_exact = sums_of(&mut self.sums, Rounders::<LEVELS>::of(split), (given, reads), factor, own);
        // NaN is not less, either.
        if !is_exact || !self.sums.iter().all(|sums| sums.sizes.iter().all(|size| *size <= bound)) {
            // One that fails says nothing of the next one.
            self.wait = (1 << self.failed.min(WAIT_BITS)) - 1;
            self.failed = self.failed.saturating_add(1);
            return false;
        }
        self.failed = 0;
        settle(levels, given.pairs[0].1 as usize, split, &self.sums);
        true
    }
}

/// The constants that split numbers, and show whether these are multiples of a unit.
#[derive(Clone, Copy)]
struct Rounders<const LEVELS: usize> {
    /// To the unit of upper halves.
    half: f64,
    /// To the last unit, of numbers that are not negative: the power of two whose last bit that is.
    unit: f64,
}

impl<const LEVELS: usize> Rounders<LEVELS> {
    fn of(split: &Split) -> Self {
        // All are exact. A level's rounder is 1.5 times the power of two.
        let half = 1.5 * (split.limit / HALF) * (1u64 << 52) as f64;
        Rounders { half, unit: split.rounders[LEVELS - 1] / 1.5 }
    }
}

impl Sums {
    /// Adds numbers; whether they are no multiples of the last unit is in the bits of `odd`. What is infinite or no number, or too
    /// large for a rounder, shows in the sizes.
    #[inline(always)]
    fn add<const LEVELS: usize>(&mut self, numbers: [f64; LANES], rounders: Rounders<LEVELS>, odd: &mut [u64; LANES]) {
        for (lane, number) in numbers.into_iter().enumerate() {
            let size = number.abs();
            self.sizes[lane] += size;
            let (last, last_size) = if LEVELS == 3 {
                let upper = (number + rounders.half) - rounders.half;
                self.total[lane] += upper;
                (number - upper, (number - upper).abs())
            } else {
                (number, size)
            };
            let multiple = (last_size + rounders.unit) - rounders.unit;
            odd[lane] |= multiple.to_bits() ^ last_size.to_bits();
            if LEVELS == 3 {
                self.lower[lane] += last;
            } else {
                self.total[lane] += last;
            }
        }
    }
}

kernel! {
    /// Sums the numbers of each position; whether all of them are multiples of the last unit.
    fn sums_of[T: Stored, S: Stored, const LEVELS: usize, F: Factor<T>](
        sums: &mut [Sums],
        rounders: Rounders<LEVELS>,
        vectors: (Given<'_>, Reads<S, T>),
        factor: F,
        own: &mut [Vec<S>; TOGETHER],
    ) -> bool {
        let (given, reads) = vectors;
        let mut odd = [0; LANES];
        let whole = given.pairs.chunks_exact(TOGETHER);
        let rest = whole.remainder();
        for pairs in whole {
            let mut tuples = pairs.iter();
            let rows: [(&[S], T); TOGETHER] = own.each_mut().map(|own| {
                let tuple = tuples.next().map_or(0, |pair| pair.0 as usize);
                (given.rows.get::<S>(tuple, own), factor.of_row(tuple))
            });
            add_rows(sums, rows, reads, factor, rounders, &mut odd);
        }
        for &(tuple, _) in rest {
            let row = (given.rows.get::<S>(tuple as usize, &mut own[0]), factor.of_row(tuple as usize));
            add_rows(sums, [row], reads, factor, rounders, &mut odd);
        }
        odd.iter().fold(0, |all, odd| all | odd) == 0
    }
}

/// Adds some rows, each with its factor.
#[inline(always)]
fn add_rows<T: Stored, S: Stored, const LEVELS: usize, const COUNT: usize>(
    sums: &mut [Sums],
    rows: [(&[S], T); COUNT],
    reads: Reads<S, T>,
    factor: impl Factor<T>,
    rounders: Rounders<LEVELS>,
    odd: &mut [u64; LANES],
) {
    let mut odd_lanes = *odd;
    let number = |element: S, by: T| factor.apply(reads.read(element), by).double();
    let count = rows[0].0.len() / LANES;
    let chunks = rows.map(|(row, _)| &row.as_chunks::<LANES>().0[..count]);
    let (sums, rest) = sums.split_at_mut(count);
    for (at, to) in sums.iter_mut().enumerate() {
        let mut made = *to;
        for (chunks, &(_, by)) in chunks.iter().zip(&rows) {
            made.add(chunks[at].map(|element| number(element, by)), rounders, &mut odd_lanes);
        }
        *to = made;
    }
    if let [to] = rest {
        for (row, by) in rows {
            let mut elements = [S::ZERO; LANES];
            elements[..row.len() % LANES].copy_from_slice(&row[count * LANES..]);
            to.add(elements.map(|element| number(element, by)), rounders, &mut odd_lanes);
        }
    }
    *odd = odd_lanes;
}

kernel! {
    /// Adds sums, which are multiples of the last unit, to the levels of a group.
    fn settle[const LEVELS: usize](levels: Levels<'_, LEVELS>, group: usize, split: &Split, sums: &[Sums]) {
        let length = levels.length;
        let levels = &mut levels.all[group * LEVELS * length..][..LEVELS * length];
        for (at, sums) in sums.iter().enumerate() {
            let places = at * LANES..length.min((at + 1) * LANES);
            let numbers = [sums.total, sums.lower];
            for mut left in numbers.into_iter().take(if LEVELS == 3 { 2 } else { 1 }) {
                for level in 0..LEVELS {
                    let rounder = split.rounders[level];
                    let to = &mut levels[level * length..][places.clone()];
                    for (to, left) in to.iter_mut().zip(&mut left) {
                        let part = (*left + rounder) - rounder;
                        *to += part;
                        *left -= part;
                    }
                }
            }
        }
    }
}
