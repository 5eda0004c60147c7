//! Sums of the values, or of a column's offsets, that a mask has, with AVX-512's own masks. Elsewhere the
//! compiler vectorises plain loops, which compare groups instead.

use crate::cpu::simd::kernel::vectorised;
use crate::cpu::simd::level::Level;
use crate::cpu::vector::bitmap::Bitmap;

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

/// An offset of a column's values, of which many are summed. Groups are masks alone only where [`sums_by_masks`] says so.
pub(crate) trait MaskedOffsets: Copy + Into<i64> {
    /// Adds to the sum of each group the offsets of the tuples of its mask.
    fn add_masked<'m>(offsets: &[Self], masks: impl Iterator<Item = (usize, &'m Bitmap)>, sums: &mut [i64]);
}

macro_rules! masked_offsets {
    ($type:ty, $avx512:ident) => {
        impl MaskedOffsets for $type {
            fn add_masked<'m>(offsets: &[$type], masks: impl Iterator<Item = (usize, &'m Bitmap)>, sums: &mut [i64]) {
                for (group, mask) in masks {
                    let words = &mask.words()[..offsets.len().div_ceil(64)];
                    #[cfg(target_arch = "x86_64")]
                    if Level::get() == Level::Avx512 {
                        // SAFETY: the CPU has the features.
                        sums[group] = sums[group].wrapping_add(unsafe { $avx512(offsets, words) });
                        continue;
                    }
                    let blocks = offsets.chunks(64).zip(words);
                    let of_block = |(block, &word): (&[$type], &u64)| {
                        let each = block.iter().enumerate();
                        each.map(|(at, &offset)| i64::from(offset) * (word >> at & 1) as i64).sum::<i64>()
                    };
                    sums[group] = sums[group].wrapping_add(blocks.map(of_block).sum());
                }
            }
        }
    };
}

masked_offsets!(u8, sum_offsets_8);
masked_offsets!(u16, sum_offsets_16);

/// The sum of offsets that a mask has: distances from 0 of eight bytes at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn sum_offsets_8(offsets: &[u8], words: &[u64]) -> i64 {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_loadu_si512, _mm512_maskz_mov_epi8, _mm512_reduce_add_epi64, _mm512_sad_epu8,
        _mm512_setzero_si512,
    };
    let (blocks, rest) = offsets.as_chunks::<64>();
    let zero = _mm512_setzero_si512();
    let mut sum = zero;
    for (block, &word) in blocks.iter().zip(words) {
        // SAFETY: the block has 64 bytes.
        let offsets = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(_mm512_maskz_mov_epi8(word, offsets), zero));
    }
    _mm512_reduce_add_epi64(sum) + sum_rest(rest, words, blocks.len())
}

/// As [`sum_offsets_8`]: sums of pairs, of what is left of offsets when 2^15 is taken away from each.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
fn sum_offsets_16(offsets: &[u16], words: &[u64]) -> i64 {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_add_epi64, _mm512_loadu_si512, _mm512_madd_epi16, _mm512_maskz_sub_epi16,
        _mm512_reduce_add_epi64, _mm512_set1_epi16, _mm512_setzero_si512,
    };
    let (blocks, rest) = offsets.as_chunks::<64>();
    let (half, one) = (_mm512_set1_epi16(i16::MIN), _mm512_set1_epi16(1));
    let mut sum = _mm512_setzero_si512();
    let mut taken = 0;
    let bits = words[..blocks.len()].chunks(1 << 12);
    // A lane takes two pairs of a block, each of which is at most 2^16 from 0.
    for (blocks, words) in blocks.chunks(1 << 12).zip(bits) {
        let mut lanes = _mm512_setzero_si512();
        for (block, &word) in blocks.iter().zip(words) {
            for part in 0..2 {
                // SAFETY: the block has twice 32 offsets.
                let offsets = unsafe { _mm512_loadu_si512(block.as_ptr().add(part * 32).cast()) };
                let near = _mm512_maskz_sub_epi16((word >> (part * 32)) as u32, offsets, half);
                lanes = _mm512_add_epi32(lanes, _mm512_madd_epi16(near, one));
            }
            taken += i64::from(word.count_ones());
        }
        sum = _mm512_add_epi64(sum, widened(lanes));
    }
    _mm512_reduce_add_epi64(sum) + (taken << 15) + sum_rest(rest, words, blocks.len())
}

/// Adds to the sum of each group its tuples' values, picked one by one.
pub(crate) fn add_listed<'l, T: Copy + Into<i64>>(
    values: &[T],
    lists: impl Iterator<Item = (usize, &'l [u32])>,
    sums: &mut [i64],
) {
    for (group, list) in lists {
        let picked = list.iter().map(|&tuple| values[tuple as usize].into());
        sums[group] = picked.fold(sums[group], i64::wrapping_add);
    }
}

/// Offsets as the integers that have their bits.
pub(crate) fn as_signed(offsets: &[u32]) -> &[i32] {
    // SAFETY: both are 32 bits, aligned alike, and any bits are a value of both.
    unsafe { std::slice::from_raw_parts(offsets.as_ptr().cast(), offsets.len()) }
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
    let mut masks = masks.peekable();
    while masks.peek().is_some() {
        let (mut groups, mut words, mut count) = ([0; AT_ONCE], [&[][..]; AT_ONCE], 0);
        for (group, mask) in masks.by_ref().take(AT_ONCE) {
            (groups[count], words[count]) = (group, mask.words());
            count += 1;
        }
        for (&group, sum) in groups[..count].iter().zip(sum(&words[..count])) {
            sums[group] = sums[group].wrapping_add(sum);
        }
    }
}

/// Words of a mask within which lanes are to be widened at most once: halves, twice as many lanes, are quicker then.
#[cfg(target_arch = "x86_64")]
const WORDS_MIN: usize = 8;

/// Words of a mask between two of which lanes of 32 bits cannot overflow; 0 if within a word they may.
#[cfg(target_arch = "x86_64")]
fn words_between(bound: u64) -> usize {
    // There are two registers of lanes, so that a lane takes two values of a word.
    (i32::MAX as u64 / 2).checked_div(bound).map_or(usize::MAX, |words| words as usize)
}

/// The sums of the values of each of some masks, four at most.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sum_32(values: &[i32], bound: u64, masks: &[&[u64]]) -> [i64; AT_ONCE] {
    let at_once = words_between(bound);
    if at_once >= WORDS_MIN {
        match *masks {
            [a] => padded(sums_32([a], values, at_once)),
            [a, b] => padded(sums_32([a, b], values, at_once)),
            [a, b, c] => padded(sums_32([a, b, c], values, at_once)),
            [a, b, c, d] => sums_32([a, b, c, d], values, at_once),
            _ => [0; AT_ONCE],
        }
    } else {
        match *masks {
            [a] => padded(sums_of_halves([a], values)),
            [a, b] => padded(sums_of_halves([a, b], values)),
            [a, b, c] => padded(sums_of_halves([a, b, c], values)),
            [a, b, c, d] => sums_of_halves([a, b, c, d], values),
            _ => [0; AT_ONCE],
        }
    }
}

fn padded<const N: usize>(sums: [i64; N]) -> [i64; AT_ONCE] {
    std::array::from_fn(|at| sums.get(at).copied().unwrap_or(0))
}

/// A block's bits of a mask, for one register of lanes after the other. The lanes' own masks are then loaded where they
/// lie, which takes fewer instructions than to shift them out of a word.
#[cfg(target_arch = "x86_64")]
fn bits_of_16_lanes(words: &[u64]) -> &[[u16; 4]] {
    // SAFETY: a word is as large as the four, needs no less alignment, and any bits are a value of both.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
}

/// As [`bits_of_16_lanes`].
#[cfg(target_arch = "x86_64")]
fn bits_of_8_lanes(words: &[u64]) -> &[[u8; 8]] {
    // SAFETY: a word is as large as the eight, needs no less alignment, and any bits are a value of both.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
}

/// Sums of which no lane overflows within so many blocks.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sums_32<const N: usize>(masks: [&[u64]; N], values: &[i32], at_once: usize) -> [i64; N] {
    use std::arch::x86_64::{_mm512_add_epi64, _mm512_loadu_si512, _mm512_mask_add_epi32, _mm512_setzero_si512};
    let (blocks, rest) = values.as_chunks::<64>();
    let bits = masks.map(|words| &bits_of_16_lanes(words)[..blocks.len()]);
    let zero = _mm512_setzero_si512();
    let mut sums = [zero; N];
    let mut first = 0;
    for blocks in blocks.chunks(at_once) {
        let bits = bits.map(|bits| &bits[first..first + blocks.len()]);
        let mut lanes = [[zero; 2]; N];
        for (at, block) in blocks.iter().enumerate() {
            for part in 0..4 {
                // SAFETY: the block has the 16 values.
                let values = unsafe { _mm512_loadu_si512(block.as_ptr().add(part * 16).cast()) };
                for (lanes, bits) in lanes.iter_mut().zip(&bits) {
                    let lanes = &mut lanes[part % 2];
                    *lanes = _mm512_mask_add_epi32(*lanes, bits[at][part], *lanes, values);
                }
            }
        }
        first += blocks.len();
        for (sum, lanes) in sums.iter_mut().zip(lanes) {
            for lanes in lanes {
                *sum = _mm512_add_epi64(*sum, widened(lanes));
            }
        }
    }
    with_rest(sums, masks, rest, blocks.len())
}

/// Sums of any values: of their lower and their upper halves, which do not overflow lanes of 32 bits for long.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sums_of_halves<const N: usize>(masks: [&[u64]; N], values: &[i32]) -> [i64; N] {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_mask_add_epi32, _mm512_set1_epi32,
        _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srai_epi32,
    };
    let (blocks, rest) = values.as_chunks::<64>();
    let bits = masks.map(|words| &bits_of_16_lanes(words)[..blocks.len()]);
    let (zero, lower) = (_mm512_setzero_si512(), _mm512_set1_epi32(0xFFFF));
    let mut sums = [zero; N];
    let mut first = 0;
    // A lane takes four values of a block, of which no half is further than 2^16 from 0.
    for blocks in blocks.chunks(1 << 12) {
        let bits = bits.map(|bits| &bits[first..first + blocks.len()]);
        let mut lanes = [[zero; 2]; N];
        for (at, block) in blocks.iter().enumerate() {
            for part in 0..4 {
                // SAFETY: the block has the 16 values.
                let values = unsafe { _mm512_loadu_si512(block.as_ptr().add(part * 16).cast()) };
                let (low, high) = (_mm512_and_si512(values, lower), _mm512_srai_epi32::<16>(values));
                for (lanes, bits) in lanes.iter_mut().zip(&bits) {
                    let mask = bits[at][part];
                    lanes[0] = _mm512_mask_add_epi32(lanes[0], mask, lanes[0], low);
                    lanes[1] = _mm512_mask_add_epi32(lanes[1], mask, lanes[1], high);
                }
            }
        }
        first += blocks.len();
        for (sum, [low, high]) in sums.iter_mut().zip(lanes) {
            let high = _mm512_slli_epi64::<16>(widened(high));
            *sum = _mm512_add_epi64(*sum, _mm512_add_epi64(widened(low), high));
        }
    }
    with_rest(sums, masks, rest, blocks.len())
}

/// Sums of pairs of lanes of 32 bits, in 64.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn widened(lanes: std::arch::x86_64::__m512i) -> std::arch::x86_64::__m512i {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_castsi512_si256, _mm512_cvtepi32_epi64, _mm512_extracti64x4_epi64,
    };
    let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes));
    _mm512_add_epi64(low, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(lanes)))
}

/// The sums of the lanes, and of what stands behind so many whole blocks.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn with_rest<T: Copy + Into<i64>, const N: usize>(
    sums: [std::arch::x86_64::__m512i; N],
    masks: [&[u64]; N],
    rest: &[T],
    blocks: usize,
) -> [i64; N] {
    use std::arch::x86_64::_mm512_reduce_add_epi64;
    std::array::from_fn(|at| _mm512_reduce_add_epi64(sums[at]).wrapping_add(sum_rest(rest, masks[at], blocks)))
}

/// As [`sum_32`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn sum_64(values: &[i64], masks: &[&[u64]]) -> [i64; AT_ONCE] {
    match *masks {
        [a] => padded(sums_64([a], values)),
        [a, b] => padded(sums_64([a, b], values)),
        [a, b, c] => padded(sums_64([a, b, c], values)),
        [a, b, c, d] => sums_64([a, b, c, d], values),
        _ => [0; AT_ONCE],
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn sums_64<const N: usize>(masks: [&[u64]; N], values: &[i64]) -> [i64; N] {
    use std::arch::x86_64::{_mm512_add_epi64, _mm512_loadu_si512, _mm512_mask_add_epi64, _mm512_setzero_si512};
    let (blocks, rest) = values.as_chunks::<64>();
    let bits = masks.map(|words| &bits_of_8_lanes(words)[..blocks.len()]);
    let mut sums = [[_mm512_setzero_si512(); 2]; N];
    for (at, block) in blocks.iter().enumerate() {
        for part in 0..8 {
            // SAFETY: the block has the 8 values.
            let values = unsafe { _mm512_loadu_si512(block.as_ptr().add(part * 8).cast()) };
            for (sums, bits) in sums.iter_mut().zip(&bits) {
                let sum = &mut sums[part % 2];
                *sum = _mm512_mask_add_epi64(*sum, bits[at][part], *sum, values);
            }
        }
    }
    with_rest(sums.map(|[even, odd]| _mm512_add_epi64(even, odd)), masks, rest, blocks.len())
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
    fn sums_of_offsets_are_of_the_masks_offsets() {
        for len in [0, 1, 63, 64, 65, 8_192, 300_000] {
            for value in [|_| 0, |_| u16::MAX, |at: usize| (at * 7_919) as u16, |at: usize| (at % 3) as u16 + 32_766] {
                let wide: Vec<u16> = (0..len).map(value).collect();
                let narrow: Vec<u8> = wide.iter().map(|&offset| (offset >> 3) as u8).collect();
                let mut masks = vec![Bitmap::default(); 3];
                masks[0].fill(len, |_| true);
                masks[1].fill(len, |at| at % 5 < 2);
                masks[2].fill(len, |_| false);
                let sum = |offset: &dyn Fn(usize) -> i64, mask: &Bitmap| -> i64 {
                    (0..len).filter(|&at| mask.get(at)).map(offset).sum::<i64>() - 5
                };
                let mut sums = vec![-5; 3];
                u16::add_masked(&wide, masks.iter().enumerate(), &mut sums);
                let expected: Vec<i64> = masks.iter().map(|mask| sum(&|at| wide[at].into(), mask)).collect();
                assert_eq!(sums, expected, "{len} offsets");
                let mut sums = vec![-5; 3];
                u8::add_masked(&narrow, masks.iter().enumerate(), &mut sums);
                let expected: Vec<i64> = masks.iter().map(|mask| sum(&|at| narrow[at].into(), mask)).collect();
                assert_eq!(sums, expected, "{len} bytes");
            }
        }
    }

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
