//! Masks of one bit a value, with AVX-512's own: a compare of 64 bytes is one instruction and gives its bits, and bits
//! become positions 16 at a time. Elsewhere the compiler vectorises plain loops.

use super::{fill_truth_of, fill_truth_of_pairs};
use crate::cpu::simd::kernel::prefetch;
use crate::cpu::simd::level::Level;
use crate::cpu::vector::bitmap::Bitmap;

/// An unsigned integer as wide as a column's values.
pub(crate) trait Lane: Copy + PartialOrd + TryFrom<i128> + TryFrom<u64> {
    /// The distance from another one, around the end.
    fn distance(self, from: Self) -> Self;

    /// The sum, around the end.
    fn plus(self, other: Self) -> Self;

    /// Makes `bits` whether values lie at most `span` above `base`, around the end.
    fn within(values: &[Self], base: Self, span: Self, bits: &mut Bitmap);

    /// Makes `bits` whether values plus `more`, or the largest there is, are less than others.
    fn less(values: &[Self], more: Self, others: &[Self], bits: &mut Bitmap);
}

/// An integer with AVX-512's instructions for it, and the function that compares two slices, if it has one.
macro_rules! lane {
    ($type:ty, $signed:ty, $lanes:literal, $avx512:ident, $set:ident, $sub:ident, $compare:ident $(, $less:ident)?) => {
        impl Lane for $type {
            #[inline(always)]
            fn distance(self, from: Self) -> Self {
                self.wrapping_sub(from)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn within(values: &[Self], base: Self, span: Self, bits: &mut Bitmap) {
                #[cfg(target_arch = "x86_64")]
                if Level::get() == Level::Avx512 {
                    // SAFETY: the CPU has the features.
                    unsafe { $avx512(values, base, span, bits) };
                    return;
                }
                fill_truth_of(values, bits, |value| value.wrapping_sub(base) <= span);
            }

            fn less(values: &[Self], more: Self, others: &[Self], bits: &mut Bitmap) {
                $(
                    #[cfg(target_arch = "x86_64")]
                    if Level::get() == Level::Avx512 {
                        // SAFETY: the CPU has the features.
                        unsafe { $less(values, more, others, bits) };
                        return;
                    }
                )?
                let less = |a: $type, b| a.saturating_add(more) < b;
                fill_truth_of_pairs(values, others, bits, less);
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn $avx512(values: &[$type], base: $type, span: $type, bits: &mut Bitmap) {
            use std::arch::x86_64::{_mm512_loadu_si512, $compare, $set, $sub};
            let (low, most) = ($set(base as $signed), $set(span as $signed));
            let (blocks, rest) = values.as_chunks::<64>();
            bits.fill_words(values.len(), |word| {
                let Some(block) = blocks.get(word) else {
                    let holds = |(at, value): (usize, &$type)| u64::from(value.wrapping_sub(base) <= span) << at;
                    return rest.iter().enumerate().map(holds).fold(0, |word, bit| word | bit);
                };
                let mut word = 0u64;
                for part in 0..64 / $lanes {
                    // SAFETY: the block has 64 values, of which a part's are read.
                    let lanes = unsafe { _mm512_loadu_si512(block.as_ptr().add(part * $lanes).cast()) };
                    prefetch(block.as_ptr().wrapping_add(part * $lanes));
                    word |= u64::from($compare($sub(lanes, low), most)) << (part * $lanes);
                }
                word
            });
        }
    };
}

lane!(u8, i8, 64, within_8, _mm512_set1_epi8, _mm512_sub_epi8, _mm512_cmple_epu8_mask, less_8);
lane!(u16, i16, 32, within_16, _mm512_set1_epi16, _mm512_sub_epi16, _mm512_cmple_epu16_mask, less_16);
lane!(u32, i32, 16, within_32, _mm512_set1_epi32, _mm512_sub_epi32, _mm512_cmple_epu32_mask);
lane!(u64, i64, 8, within_64, _mm512_set1_epi64, _mm512_sub_epi64, _mm512_cmple_epu64_mask);

/// Defines [`Lane::less`] for AVX-512.
macro_rules! less {
    ($name:ident, $type:ty, $signed:ty, $lanes:literal, $set:ident, $add:ident, $compare:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn $name(values: &[$type], more: $type, others: &[$type], bits: &mut Bitmap) {
            use std::arch::x86_64::{_mm512_loadu_si512, $add, $compare, $set};
            let added = $set(more as $signed);
            let ((blocks, rest), (other_blocks, other_rest)) = (values.as_chunks::<64>(), others.as_chunks::<64>());
            bits.fill_words(values.len(), |word| {
                let (Some(block), Some(other)) = (blocks.get(word), other_blocks.get(word)) else {
                    let pairs = rest.iter().zip(other_rest).enumerate();
                    let holds = pairs.map(|(at, (a, b))| u64::from(a.saturating_add(more) < *b) << at);
                    return holds.fold(0, |word, bit| word | bit);
                };
                let mut word = 0u64;
                for part in 0..64 / $lanes {
                    // SAFETY: the blocks have 64 values, of which a part's are read.
                    let (a, b) = unsafe {
                        let a = _mm512_loadu_si512(block.as_ptr().add(part * $lanes).cast());
                        (a, _mm512_loadu_si512(other.as_ptr().add(part * $lanes).cast()))
                    };
                    prefetch(block.as_ptr().wrapping_add(part * $lanes));
                    prefetch(other.as_ptr().wrapping_add(part * $lanes));
                    word |= u64::from($compare($add(a, added), b)) << (part * $lanes);
                }
                word
            });
        }
    };
}

less!(less_8, u8, i8, 64, _mm512_set1_epi8, _mm512_adds_epu8, _mm512_cmplt_epu8_mask);
less!(less_16, u16, i16, 32, _mm512_set1_epi16, _mm512_adds_epu16, _mm512_cmplt_epu16_mask);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_what_a_loop_over_the_values_gives() {
        for len in [0, 1, 63, 64, 65, 127, 128, 1000] {
            let bytes: Vec<u8> = (0..len).map(|at| (at * 7 % 256) as u8).collect();
            for (base, span) in [(0, 255), (0, 0), (3, 100), (250, 20), (255, 254)] {
                check(&bytes, base, span);
                let words: Vec<u16> = bytes.iter().map(|&byte| u16::from(byte) * 257).collect();
                check(&words, u16::from(base) * 257, u16::from(span) * 257);
                let words: Vec<u32> = bytes.iter().map(|&byte| u32::from(byte) << 24).collect();
                check(&words, u32::from(base) << 24, u32::from(span) << 24);
                let words: Vec<u64> = bytes.iter().map(|&byte| u64::from(byte) << 56).collect();
                check(&words, u64::from(base) << 56, u64::from(span) << 56);
            }
        }
    }

    fn check<T: Lane + std::fmt::Debug>(values: &[T], base: T, span: T) {
        let mut bits = Bitmap::default();
        T::within(values, base, span, &mut bits);
        assert_eq!(bits.len(), values.len());
        for (at, &value) in values.iter().enumerate() {
            assert_eq!(bits.get(at), value.distance(base) <= span, "{value:?} from {base:?} by {span:?}");
        }
        let others: Vec<T> = values.iter().rev().copied().collect();
        T::less(values, span, &others, &mut bits);
        for (at, (&value, &other)) in values.iter().zip(&others).enumerate() {
            // The sum is less, unless it went around the end.
            let sum = value.plus(span);
            assert_eq!(bits.get(at), sum >= value && sum < other, "{value:?} plus {span:?} and {other:?}");
        }
        T::within(values, base, span, &mut bits);
        let mut positions = vec![7];
        bits.push_positions(&mut positions);
        let ones = (0..values.len() as u32).filter(|&at| bits.get(at as usize));
        assert_eq!(positions, std::iter::once(7).chain(ones).collect::<Vec<u32>>());
        assert!(bits.words().iter().map(|word| word.count_ones()).sum::<u32>() as usize == bits.count_ones());
    }
}
