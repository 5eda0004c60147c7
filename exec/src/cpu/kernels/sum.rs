//! Sums of the values that a mask has, with AVX-512's own masks. Elsewhere the compiler vectorises plain loops that
//! compare groups instead.

use super::vectorised;
use crate::cpu::bitmap::Bitmap;
use crate::cpu::level::Level;

/// An integer of which many are summed.
pub(crate) trait MaskedSum: Sized {
    /// The sum of the values of a mask's tuples, which are those of a group; each is at most `bound` from 0. The sum
    /// fits 64 bits. With AVX-512, which [`sums_by_masks`] tells of, `groups` is not looked at.
    fn masked_sum(values: &[Self], bound: u64, tuples: &Bitmap, groups: &[u32], group: u32) -> i64;
}

/// Whether masks alone do, and groups need not be known tuple by tuple.
pub(crate) fn sums_by_masks() -> bool {
    Level::get() == Level::Avx512
}

impl MaskedSum for i32 {
    fn masked_sum(values: &[i32], bound: u64, tuples: &Bitmap, groups: &[u32], group: u32) -> i64 {
        #[cfg(target_arch = "x86_64")]
        if Level::get() == Level::Avx512 {
            // SAFETY: the CPU has the features.
            return unsafe { sum_32(values, bound, tuples.words()) };
        }
        let _ = tuples;
        let pairs = values.iter().zip(groups);
        if bound.saturating_mul(values.len() as u64) <= i32::MAX as u64 {
            // No sum of the tile's values leaves 32 bits: twice as many lanes.
            return vectorised(|| {
                i64::from(pairs.map(|(&value, &other)| if other == group { value } else { 0 }).sum::<i32>())
            });
        }
        vectorised(|| pairs.map(|(&value, &other)| if other == group { i64::from(value) } else { 0 }).sum())
    }
}

impl MaskedSum for i64 {
    fn masked_sum(values: &[i64], _bound: u64, tuples: &Bitmap, groups: &[u32], group: u32) -> i64 {
        #[cfg(target_arch = "x86_64")]
        if Level::get() == Level::Avx512 {
            // SAFETY: the CPU has the features.
            return unsafe { sum_64(values, tuples.words()) };
        }
        let _ = tuples;
        vectorised(|| values.iter().zip(groups).map(|(&value, &other)| if other == group { value } else { 0 }).sum())
    }
}

/// Words of a mask between two of which lanes of 32 bits cannot overflow; 0 if within a word they may.
#[cfg(target_arch = "x86_64")]
fn words_between(bound: u64) -> usize {
    // A lane takes four values of a word.
    (i32::MAX as u64 / 4).checked_div(bound).map_or(usize::MAX, |words| words as usize)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sum_32(values: &[i32], bound: u64, words: &[u64]) -> i64 {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_castsi512_si256, _mm512_cvtepi32_epi64, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
        _mm512_mask_add_epi32, _mm512_mask_add_epi64, _mm512_reduce_add_epi64, _mm512_setzero_si512,
    };
    let (blocks, rest) = values.as_chunks::<64>();
    let at_once = words_between(bound);
    let zero = _mm512_setzero_si512();
    let mut sums = [zero; 2];
    for (blocks, words) in blocks.chunks(at_once.max(1)).zip(words.chunks(at_once.max(1))) {
        let mut lanes = [zero; 2];
        for (block, &word) in blocks.iter().zip(words) {
            for part in 0..4 {
                // SAFETY: the block has the 16 values.
                let values = unsafe { _mm512_loadu_si512(block.as_ptr().add(part * 16).cast()) };
                let mask = (word >> (part * 16)) as u16;
                if at_once > 0 {
                    lanes[part % 2] = _mm512_mask_add_epi32(lanes[part % 2], mask, lanes[part % 2], values);
                } else {
                    let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(values));
                    let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(values));
                    sums[0] = _mm512_mask_add_epi64(sums[0], mask as u8, sums[0], low);
                    sums[1] = _mm512_mask_add_epi64(sums[1], (mask >> 8) as u8, sums[1], high);
                }
            }
        }
        for lanes in lanes {
            sums[0] = _mm512_add_epi64(sums[0], _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes)));
            sums[1] = _mm512_add_epi64(sums[1], _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(lanes)));
        }
    }
    let sum = _mm512_reduce_add_epi64(_mm512_add_epi64(sums[0], sums[1]));
    sum.wrapping_add(sum_rest(rest, words, blocks.len()))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sum_64(values: &[i64], words: &[u64]) -> i64 {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_loadu_si512, _mm512_mask_add_epi64, _mm512_reduce_add_epi64, _mm512_setzero_si512,
    };
    let (blocks, rest) = values.as_chunks::<64>();
    let mut sums = [_mm512_setzero_si512(); 4];
    for (block, &word) in blocks.iter().zip(words) {
        for part in 0..8 {
            // SAFETY: the block has the 8 values.
            let values = unsafe { _mm512_loadu_si512(block.as_ptr().add(part * 8).cast()) };
            let sum = &mut sums[part % 4];
            *sum = _mm512_mask_add_epi64(*sum, (word >> (part * 8)) as u8, *sum, values);
        }
    }
    let sums = _mm512_add_epi64(_mm512_add_epi64(sums[0], sums[1]), _mm512_add_epi64(sums[2], sums[3]));
    _mm512_reduce_add_epi64(sums).wrapping_add(sum_rest(rest, words, blocks.len()))
}

/// The sum of what stands behind the whole words.
#[cfg(target_arch = "x86_64")]
fn sum_rest<T: Copy + Into<i64>>(rest: &[T], words: &[u64], blocks: usize) -> i64 {
    let word = words.get(blocks).copied().unwrap_or(0);
    let chosen = rest.iter().enumerate().filter(|(at, _)| word >> at & 1 == 1);
    chosen.map(|(_, &value)| value.into()).fold(0, i64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_of_the_masks_values() {
        // All as far out as they may be, of both signs, and mixed.
        let all: [fn(i64, i64) -> i64; 3] =
            [|bound, _| bound, |bound, _| -bound, |bound, at| (at * 7_919) % (bound + 1)];
        for len in [0, 1, 15, 64, 65, 127, 8192] {
            let groups: Vec<u32> = (0..len).map(|at| (at * 7 % 3) as u32).collect();
            let mut mask = Bitmap::default();
            mask.fill(len, |at| groups[at] == 1);
            let expected = |values: &[i64]| (0..len).filter(|&at| groups[at] == 1).map(|at| values[at]).sum::<i64>();
            for bound in [0, 1, 1_000, 100_000, 1 << 22, (1 << 29) - 1, 1 << 29, i64::from(i32::MAX), 1 << 49] {
                for value in all {
                    let values: Vec<i64> = (0..len as i64).map(|at| value(bound, at)).collect();
                    let sum = i64::masked_sum(&values, bound as u64, &mask, &groups, 1);
                    assert_eq!(sum, expected(&values), "{len} values within {bound}");
                    if bound <= i32::MAX.into() {
                        let narrow: Vec<i32> = values.iter().map(|&value| value as i32).collect();
                        let sum = i32::masked_sum(&narrow, bound as u64, &mask, &groups, 1);
                        assert_eq!(sum, expected(&values), "{len} narrow values within {bound}");
                    }
                }
            }
        }
    }
}
