//! Sums of the values that a mask has, with AVX-512's own masks. Elsewhere the compiler vectorises plain loops that
//! compare groups instead.

use super::vectorised;
use crate::cpu::bitmap::Bitmap;
use crate::cpu::level::Level;

/// An integer of which many are summed.
pub(crate) trait MaskedSum: Sized {
    /// Adds to the sum of each group the values of the tuples of its mask, of which every tuple is in one at most; each
    /// value is at most `bound` from 0. The sums fit 64 bits. With AVX-512, which [`sums_by_masks`] tells of, `groups` is
    /// not looked at.
    fn add_masked<'m>(
        values: &[Self],
        bound: u64,
        masks: impl Iterator<Item = (usize, &'m Bitmap)>,
        groups: &[u32],
        sums: &mut [i64],
    );
}

/// Whether masks alone do, and groups need not be known tuple by tuple.
pub(crate) fn sums_by_masks() -> bool {
    Level::get() == Level::Avx512
}

/// Groups whose values are summed in one pass over them.
#[cfg(target_arch = "x86_64")]
const AT_ONCE: usize = 4;

impl MaskedSum for i32 {
    fn add_masked<'m>(
        values: &[i32],
        bound: u64,
        masks: impl Iterator<Item = (usize, &'m Bitmap)>,
        groups: &[u32],
        sums: &mut [i64],
    ) {
        #[cfg(target_arch = "x86_64")]
        if Level::get() == Level::Avx512 {
            // SAFETY: the CPU has the features.
            return by_fours(masks, sums, |words| unsafe { sum_32(values, bound, words) });
        }
        for (group, _) in masks {
            let other = group as u32;
            let pairs = values.iter().zip(groups);
            sums[group] += if bound.saturating_mul(values.len() as u64) <= i32::MAX as u64 {
                // No sum of the tile's values leaves 32 bits: twice as many lanes.
                vectorised(|| {
                    i64::from(pairs.map(|(&value, &group)| if group == other { value } else { 0 }).sum::<i32>())
                })
            } else {
                vectorised(|| pairs.map(|(&value, &group)| if group == other { i64::from(value) } else { 0 }).sum())
            };
        }
    }
}

impl MaskedSum for i64 {
    fn add_masked<'m>(
        values: &[i64],
        _bound: u64,
        masks: impl Iterator<Item = (usize, &'m Bitmap)>,
        groups: &[u32],
        sums: &mut [i64],
    ) {
        #[cfg(target_arch = "x86_64")]
        if Level::get() == Level::Avx512 {
            // SAFETY: the CPU has the features.
            return by_fours(masks, sums, |words| unsafe { sum_64(values, words) });
        }
        for (group, _) in masks {
            let (other, pairs) = (group as u32, values.iter().zip(groups));
            sums[group] += vectorised(|| pairs.map(|(&v, &group)| if group == other { v } else { 0 }).sum::<i64>());
        }
    }
}

/// Adds what `sum` gives for the words of so many masks at once; in place of masks that there are not, an empty one.
#[cfg(target_arch = "x86_64")]
fn by_fours<'m>(
    masks: impl Iterator<Item = (usize, &'m Bitmap)>,
    sums: &mut [i64],
    sum: impl Fn(&[&[u64]]) -> [i64; AT_ONCE],
) {
    let masks: Vec<(usize, &Bitmap)> = masks.collect();
    for masks in masks.chunks(AT_ONCE) {
        let mut words: [&[u64]; AT_ONCE] = [&[]; AT_ONCE];
        words.iter_mut().zip(masks).for_each(|(words, (_, mask))| *words = mask.words());
        for (&(group, _), sum) in masks.iter().zip(sum(&words[..masks.len()])) {
            sums[group] += sum;
        }
    }
}

/// Words of a mask between two of which lanes of 32 bits cannot overflow; 0 if within a word they may.
#[cfg(target_arch = "x86_64")]
fn words_between(bound: u64) -> usize {
    // A lane takes four values of a word.
    (i32::MAX as u64 / 4).checked_div(bound).map_or(usize::MAX, |words| words as usize)
}

/// The sums of the values of each of some masks, four at most.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sum_32(values: &[i32], bound: u64, masks: &[&[u64]]) -> [i64; AT_ONCE] {
    let at_once = words_between(bound);
    match (masks, at_once) {
        (&[a], 1..) => padded(sums_32([a], values, at_once)),
        (&[a, b], 1..) => padded(sums_32([a, b], values, at_once)),
        (&[a, b, c], 1..) => padded(sums_32([a, b, c], values, at_once)),
        (&[a, b, c, d], 1..) => sums_32([a, b, c, d], values, at_once),
        (&[a], 0) => padded(wide_sums_32([a], values)),
        (&[a, b], 0) => padded(wide_sums_32([a, b], values)),
        (&[a, b, c], 0) => padded(wide_sums_32([a, b, c], values)),
        (&[a, b, c, d], 0) => wide_sums_32([a, b, c, d], values),
        _ => [0; AT_ONCE],
    }
}

fn padded<const N: usize>(sums: [i64; N]) -> [i64; AT_ONCE] {
    std::array::from_fn(|at| sums.get(at).copied().unwrap_or(0))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sums_32<const N: usize>(masks: [&[u64]; N], values: &[i32], at_once: usize) -> [i64; N] {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_castsi512_si256, _mm512_cvtepi32_epi64, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
        _mm512_mask_add_epi32, _mm512_reduce_add_epi64, _mm512_setzero_si512,
    };
    let (blocks, rest) = values.as_chunks::<64>();
    let masks = masks.map(|words| &words[..values.len().div_ceil(64)]);
    let zero = _mm512_setzero_si512();
    let mut sums = [zero; N];
    let mut first = 0;
    for blocks in blocks.chunks(at_once) {
        let mut lanes = [[zero; 2]; N];
        for (at, block) in blocks.iter().enumerate() {
            for part in 0..4 {
                // SAFETY: the block has the 16 values.
                let values = unsafe { _mm512_loadu_si512(block.as_ptr().add(part * 16).cast()) };
                for (lanes, words) in lanes.iter_mut().zip(&masks) {
                    let mask = (words[first + at] >> (part * 16)) as u16;
                    lanes[part % 2] = _mm512_mask_add_epi32(lanes[part % 2], mask, lanes[part % 2], values);
                }
            }
        }
        first += blocks.len();
        for (sum, lanes) in sums.iter_mut().zip(lanes) {
            for lanes in lanes {
                let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes));
                let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
                *sum = _mm512_add_epi64(*sum, _mm512_add_epi64(low, high));
            }
        }
    }
    std::array::from_fn(|at| _mm512_reduce_add_epi64(sums[at]).wrapping_add(sum_rest(rest, masks[at], blocks.len())))
}

/// As [`sum_32`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sum_64(values: &[i64], masks: &[&[u64]]) -> [i64; AT_ONCE] {
    match *masks {
        [a] => padded(sums_64([a], values)),
        [a, b] => padded(sums_64([a, b], values)),
        [a, b, c] => padded(sums_64([a, b, c], values)),
        [a, b, c, d] => sums_64([a, b, c, d], values),
        _ => [0; AT_ONCE],
    }
}

/// Defines the sums of the values of some masks in lanes of 64 bits, which eight of a block's values, from a pointer on,
/// are loaded into.
macro_rules! sums_of_lanes {
    ($name:ident, $type:ty, $values:ident => $load:expr) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        fn $name<const N: usize>(masks: [&[u64]; N], values: &[$type]) -> [i64; N] {
            use std::arch::x86_64::*;
            let (blocks, rest) = values.as_chunks::<64>();
            let masks = masks.map(|words| &words[..values.len().div_ceil(64)]);
            let mut sums = [[_mm512_setzero_si512(); 2]; N];
            for (at, block) in blocks.iter().enumerate() {
                for part in 0..8 {
                    // SAFETY: the block has the 8 values.
                    let values = unsafe {
                        let $values = block.as_ptr().add(part * 8);
                        $load
                    };
                    for (sums, words) in sums.iter_mut().zip(&masks) {
                        let sum = &mut sums[part % 2];
                        *sum = _mm512_mask_add_epi64(*sum, (words[at] >> (part * 8)) as u8, *sum, values);
                    }
                }
            }
            std::array::from_fn(|at| {
                let sum = _mm512_reduce_add_epi64(_mm512_add_epi64(sums[at][0], sums[at][1]));
                sum.wrapping_add(sum_rest(rest, masks[at], blocks.len()))
            })
        }
    };
}

sums_of_lanes!(sums_64, i64, values => _mm512_loadu_si512(values.cast()));
sums_of_lanes!(wide_sums_32, i32, values => _mm512_cvtepi32_epi64(_mm256_loadu_si256(values.cast())));

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
        for (len, count) in [(0, 1), (1, 2), (15, 3), (64, 4), (65, 5), (127, 9), (8192, 3), (33_000, 6)] {
            let groups: Vec<u32> = (0..len).map(|at| (at * 7 % (count + 1)) as u32).collect();
            // The last of them has no mask.
            let mut masks = vec![Bitmap::default(); count];
            masks.iter_mut().enumerate().for_each(|(group, mask)| mask.fill(len, |at| groups[at] as usize == group));
            let masks = || masks.iter().enumerate();
            let expected = |values: &[i64]| -> Vec<i64> {
                let of = |group: usize| (0..len).filter(|&at| groups[at] as usize == group).map(|at| values[at]).sum();
                (0..count).map(of).collect()
            };
            for bound in [0, 1, 1_000, 100_000, 1 << 22, (1 << 29) - 1, 1 << 29, i64::from(i32::MAX), 1 << 46] {
                for value in all {
                    let values: Vec<i64> = (0..len as i64).map(|at| value(bound, at)).collect();
                    let mut sums = vec![0; count];
                    i64::add_masked(&values, bound as u64, masks(), &groups, &mut sums);
                    assert_eq!(sums, expected(&values), "{len} values within {bound}");
                    if bound <= i32::MAX.into() {
                        let narrow: Vec<i32> = values.iter().map(|&value| value as i32).collect();
                        let mut sums = vec![0; count];
                        i32::add_masked(&narrow, bound as u64, masks(), &groups, &mut sums);
                        assert_eq!(sums, expected(&values), "{len} narrow values within {bound}");
                    }
                }
            }
        }
    }
}
