//! Radix sort of 64-bit numbers. Many of them are split into parts by numbers between which a sample says that equally many
//! lie, so that neither skew nor outliers make one part large; each part, which fits the cache close by unless there are more
//! than some millions in all, is sorted digit by digit, by any worker.
//!
//! Sources: sample sort (Frazer, McKellar: Samplesort, 1970), with a search for the part without a branch (Sanders, Winkel: Super
//! Scalar Sample Sort, 2004); radix sort from the least significant digit (Knuth: TAOCP 3, 5.2.5).

use crate::Result;
use crate::cpu::simd::kernel::kernel;
use crate::partial::hash::hash64;
use crate::workers::schedule::Workers;

/// Numbers up to which comparing them is faster than to count digits.
const COMPARED: usize = 256;

/// Numbers up to which a digit has 8 bits: a larger digit's counts cost more than a pass.
const SHORT_DIGITS: usize = 1 << 11;

/// Bits of a digit, at most.
const DIGIT: u32 = 11;

/// Numbers that one worker sorts without splitting them; with what they are moved to they fit the L2 cache.
const ALONE: usize = 1 << 16;

/// Numbers that several workers do not share.
const SHARED: usize = 1 << 13;

/// Parts, at most.
const PARTS_MAX: usize = 256;

/// Numbers of a sample for each part.
const SAMPLE: usize = 32;

/// The numbers in order. None may be there twice, and those whose bits from `low` on are alike must be in order already.
pub(super) fn sort(mut numbers: Vec<u64>, low: u32, workers: Workers<'_>) -> Result<Vec<u64>> {
    let len = numbers.len();
    if numbers.is_sorted() {
        return Ok(numbers);
    }
    let most = if workers.is_one() { ALONE } else { SHARED };
    if len <= most {
        sort_alone(&mut numbers, low);
        return Ok(numbers);
    }
    let splitters = Splitters::new(&numbers, (len / (most / 2)).next_power_of_two().min(PARTS_MAX));
    let pieces: Vec<&[u64]> = numbers.chunks(most).collect();
    let pieces = workers.map(pieces, |piece| Ok(splitters.split(piece)))?;
    drop(numbers);
    let mut sorted = vec![0; len];
    let (mut rest, mut parts) = (&mut sorted[..], Vec::with_capacity(splitters.parts()));
    for part in 0..splitters.parts() {
        let (own, others) = rest.split_at_mut(pieces.iter().map(|piece| piece.part(part).len()).sum());
        parts.push((part, own));
        rest = others;
    }
    workers.map(parts, |(part, own): (usize, &mut [u64])| {
        let mut start = 0;
        for piece in &pieces {
            let numbers = piece.part(part);
            own[start..start + numbers.len()].copy_from_slice(numbers);
            start += numbers.len();
        }
        sort_alone(own, low);
        Ok(())
    })?;
    Ok(sorted)
}

/// Numbers by part, those of a part in the order in which they came.
struct Split {
    numbers: Vec<u64>,
    /// Where parts begin, and where the last one ends.
    starts: Vec<u32>,
}

impl Split {
    fn part(&self, part: usize) -> &[u64] {
        &self.numbers[self.starts[part] as usize..self.starts[part + 1] as usize]
    }
}

/// Numbers that parts begin with, but for the first, as a tree: behind node n are n + n and n + n + 1. There is no node 0.
struct Splitters {
    tree: Vec<u64>,
}

impl Splitters {
    /// For so many parts, a power of two.
    fn new(numbers: &[u64], parts: usize) -> Self {
        let step = (numbers.len() / (parts * SAMPLE)).max(1);
        // Anywhere in each step, so that what comes back again and again is met as often as it is there.
        let sampled = numbers.chunks(step).zip(0..).map(|(numbers, at)| numbers[hash64(at) as usize % numbers.len()]);
        let mut sample: Vec<u64> = sampled.collect();
        sample.sort_unstable();
        let mut tree = vec![0; parts];
        // Nodes of a level stand side by side, and split what the levels above have left.
        for level in 0..parts.trailing_zeros() {
            let nodes = 1 << level;
            for (at, node) in tree[nodes..2 * nodes].iter_mut().enumerate() {
                *node = sample[sample.len() * (2 * at + 1) / (2 * nodes)];
            }
        }
        Splitters { tree }
    }

    fn parts(&self) -> usize {
        self.tree.len()
    }

    fn split(&self, numbers: &[u64]) -> Split {
        let mut parts = vec![0u8; numbers.len()];
        find_parts(&self.tree, numbers, &mut parts);
        let mut starts = vec![0u32; self.parts() + 1];
        parts.iter().for_each(|&part| starts[usize::from(part) + 1] += 1);
        (0..self.parts()).for_each(|part| starts[part + 1] += starts[part]);
        let (mut next, mut split) = (starts.clone(), vec![0; numbers.len()]);
        for (&number, &part) in numbers.iter().zip(&parts) {
            let place = &mut next[usize::from(part)];
            split[*place as usize] = number;
            *place += 1;
        }
        Split { numbers: split, starts }
    }
}

kernel! {
    /// The parts of numbers: one step a level of the tree, all of them without a branch.
    fn find_parts[](tree: &[u64], numbers: &[u64], parts: &mut [u8]) {
        let levels = tree.len().trailing_zeros();
        for (part, &number) in parts.iter_mut().zip(numbers) {
            let mut node = 1;
            for _ in 0..levels {
                node = 2 * node + usize::from(number >= tree[node]);
            }
            *part = (node - tree.len()) as u8;
        }
    }
}

/// As [`sort`], here and without splitting them.
pub(super) fn sort_alone(numbers: &mut [u64], low: u32) {
    if numbers.len() <= COMPARED {
        return numbers.sort_unstable();
    }
    let differ = differing_bits(numbers) >> low << low;
    if differ == 0 {
        return;
    }
    let (low, high) = (differ.trailing_zeros(), u64::BITS - differ.leading_zeros());
    let most = if numbers.len() <= SHORT_DIGITS { 8 } else { DIGIT };
    let passes = (high - low).div_ceil(most);
    let digit = (high - low).div_ceil(passes);
    let mut other = vec![0; numbers.len()];
    let (mut from, mut to) = (&mut *numbers, &mut other[..]);
    for pass in 0..passes {
        move_by_digit(from, to, low + pass * digit, digit);
        (from, to) = (to, from);
    }
    if passes % 2 == 1 {
        to.copy_from_slice(from);
    }
}

kernel! {
    /// The bits in which some numbers differ.
    fn differing_bits[](numbers: &[u64]) -> u64 {
        let first = numbers.first().copied().unwrap_or_default();
        numbers.iter().fold(0, |all, number| all | (number ^ first))
    }
}

/// Moves numbers to another slice of their length, by a digit of so many bits from bit `low` on; those of one digit stay in
/// their order.
fn move_by_digit(from: &[u64], to: &mut [u64], low: u32, digit: u32) {
    let mask = (1 << digit) - 1;
    let digit_of = |number: u64| (number >> low & mask) as usize;
    let mut counts = [0u32; 1 << DIGIT];
    let counts = &mut counts[..1 << digit];
    from.iter().for_each(|&number| counts[digit_of(number)] += 1);
    let mut start = 0;
    for count in &mut *counts {
        (*count, start) = (start, start + *count);
    }
    for &number in from {
        let place = &mut counts[digit_of(number)];
        to[*place as usize] = number;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;

    /// Sorts keys of any kind with their places in the lowest bits, by some numbers of workers.
    fn check(len: usize, low: u32, key: impl Fn(u64) -> u64) {
        let numbers: Vec<u64> = (0..len as u64).map(|at| key(at) << low | at).collect();
        let mut expected = numbers.clone();
        expected.sort_unstable();
        let context = Context::new(Memory::new(usize::MAX));
        for threads in [1, 3] {
            let pool = Pool::new(threads).unwrap();
            let workers = Workers { pool: Some(&pool), context: &context };
            assert!(sort(numbers.clone(), low, workers).unwrap() == expected, "{len} numbers, {threads} threads");
        }
    }

    #[test]
    fn numbers_come_in_order() {
        let mixed = |at: u64| at.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for len in
            [0, 1, 2, COMPARED, COMPARED + 1, SHORT_DIGITS, SHORT_DIGITS + 1, SHARED + 1, ALONE, ALONE + 1, 300_000]
        {
            let low = 20;
            check(len, low, |at| mixed(at) >> 20);
            check(len, low, |at| mixed(at) >> 60);
            check(len, low, |at| mixed(at) >> 63 << 43);
            check(len, low, |_| 7);
            check(len, low, |at| at);
            check(len, low, |at| (1 << 44) - 1 - at);
            // Nearly all alike, some far away; one out of order; a power law.
            check(len, low, |at| if at % 1_000 == 3 { mixed(at) >> 20 } else { 5 });
            check(len, low, |at| if at == len as u64 / 2 { 0 } else { at });
            check(len, low, |at| 1 << (mixed(at) >> 58).min(43));
            check(len, low, |at| at % 10);
        }
        for bits in [13, 14, 16, 17] {
            let len = 1 << bits;
            check(len - 1, bits, |at| mixed(at) >> bits);
            check(len, bits, |at| mixed(at) >> bits);
            check(len + 1, bits + 1, |at| mixed(at) >> (bits + 1));
        }
    }

    #[test]
    fn parts_are_of_a_size() {
        let (len, parts) = (1 << 18, 64);
        for period in [1, 2, 7, 10, 64, 128, 1 << 12, len] {
            let numbers: Vec<u64> = (0..len).map(|at| (at % period) << 18 | at).collect();
            let split = Splitters::new(&numbers, parts).split(&numbers);
            let longest = (0..parts).map(|part| split.part(part).len()).max();
            assert!(longest < Some(4 * len as usize / parts), "{longest:?} of {len}, again and again after {period}");
        }
    }
}
