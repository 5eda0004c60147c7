//! Positions of the bits of words.

use crate::cpu::simd::level::Level;

/// Appends the positions of the ones among the words, `count` of them.
pub(crate) fn push_positions(words: &[u64], count: usize, positions: &mut Vec<u32>) {
    positions.reserve(count + 16);
    #[cfg(target_arch = "x86_64")]
    if Level::get() == Level::Avx512 {
        let start = positions.len();
        // SAFETY: the CPU has the features, and there is room for 16 more than the ones.
        unsafe {
            push_positions_16(words, positions.as_mut_ptr().add(start));
            positions.set_len(start + count);
        }
        return;
    }
    for (index, &word) in words.iter().enumerate() {
        let base = (index * 64) as u32;
        if word == u64::MAX {
            positions.extend(base..base + 64);
            continue;
        }
        let mut rest = word;
        while rest != 0 {
            positions.push(base + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

/// # Safety
/// From `out` on there is room for all ones of the words and 15 more.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,bmi1,popcnt")]
pub(crate) unsafe fn push_positions_16(words: &[u64], mut out: *mut u32) {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_maskz_compress_epi32, _mm512_set1_epi32, _mm512_setr_epi32, _mm512_storeu_si512,
    };
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (index, &word) in words.iter().enumerate() {
        let ones = word.count_ones() as usize;
        if ones <= FEW {
            let mut rest = word;
            for at in 0..FEW {
                // SAFETY: there is room for 15 more than the ones. What is written behind them is written over.
                unsafe { out.add(at).write((index * 64) as u32 + rest.trailing_zeros()) };
                rest &= rest.wrapping_sub(1);
            }
            // SAFETY: these were written.
            out = unsafe { out.add(ones) };
            continue;
        }
        for part in 0..4 {
            let mask = (word >> (part * 16)) as u16;
            let base = _mm512_set1_epi32((index * 64 + part * 16) as i32);
            let chosen = _mm512_maskz_compress_epi32(mask, _mm512_add_epi32(lanes, base));
            // SAFETY: at most 15 values are written behind the ones so far, for which the caller left room.
            unsafe {
                _mm512_storeu_si512(out.cast(), chosen);
                out = out.add(mask.count_ones() as usize);
            }
        }
    }
}

/// Ones of a word up to which their positions are written one by one.
#[cfg(target_arch = "x86_64")]
pub(crate) const FEW: usize = 4;
