//! Sets of codes that know the rank of each: a bit a code, and before every 64 of them how many keys there are so far.
//! That is a bit and a half a code, so millions of codes stay in the cache.
//!
//! Source: rank over bit vectors (Jacobson: Space-efficient Static Trees and Graphs, 1989), with one level of counts.

use super::super::level::Level;
use super::super::probe::{self, word};
use super::table::NO_GROUP;

/// Codes of a word.
const WORD: u64 = 64;

/// Keys among the codes below a size. A key's group is its rank.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    /// Of every 64 codes which are keys. The code `size` has its bit, too, which is never set.
    keys: Vec<u64>,
    /// How many keys there are before each word.
    before: Vec<u32>,
    size: u64,
}

impl Ranks {
    /// No keys; codes lie below `size`.
    pub(super) fn new(size: u64) -> Self {
        let words = (size / WORD + 1) as usize;
        Ranks { keys: vec![0; words], before: vec![0; words], size }
    }

    /// Makes a code a key; ranks are right again after `count`.
    #[inline]
    pub(super) fn set(&mut self, code: u64) {
        self.keys[(code / WORD) as usize] |= 1 << (code % WORD);
    }

    /// Counts the keys before each word; gives how many there are.
    pub(super) fn count(&mut self) -> u32 {
        let mut groups = 0;
        for (before, keys) in self.before.iter_mut().zip(&self.keys) {
            *before = groups;
            groups += keys.count_ones();
        }
        groups
    }

    /// The ranks of the codes whose bits are set, which lie below `size`, and how many they are.
    pub(super) fn of_words(keys: Vec<u64>, size: u64) -> (Self, u32) {
        debug_assert_eq!(keys.len() as u64, size / WORD + 1, "a bit for each code and the one behind the last");
        let mut all = Ranks { before: vec![0; keys.len()], keys, size };
        let count = all.count();
        (all, count)
    }

    /// The ranks of parts of a range of codes, each a whole number of words but the last, one behind the other.
    pub(super) fn concat<'a>(parts: impl Iterator<Item = &'a Ranks> + Clone) -> Self {
        let mut all = Ranks::new(parts.clone().map(|part| part.size).sum());
        let mut words = all.keys.iter_mut();
        for part in parts {
            let used = part.size.div_ceil(WORD) as usize;
            words.by_ref().zip(&part.keys[..used]).for_each(|(to, from)| *to = *from);
        }
        all.count();
        all
    }

    /// The ranks of keys that come in order, in parts: the bits of each, and the word that they begin at. A word may be in two.
    pub(super) fn of_sorted(size: u64, parts: &[(usize, Vec<u64>)]) -> Self {
        let mut all = Ranks::new(size);
        for (first, words) in parts {
            all.keys[*first..first + words.len()].iter_mut().zip(words).for_each(|(to, from)| *to |= from);
        }
        all.count();
        all
    }

    /// Bytes held for so many codes.
    pub(super) fn bytes(size: u64) -> usize {
        (size / WORD + 1) as usize * 12
    }

    /// The group of a code, [`NO_GROUP`] if it is no key.
    #[inline]
    pub(super) fn group(&self, code: u64) -> u32 {
        let at = (code / WORD) as usize;
        let (keys, bit) = (self.keys[at], 1u64 << (code % WORD));
        if keys & bit == 0 { NO_GROUP } else { self.before[at] + (keys & (bit - 1)).count_ones() }
    }

    /// Which codes of a block are keys.
    #[inline(always)]
    pub(super) fn mask(&self, codes: &probe::Codes) -> u64 {
        let keys = &self.keys[..];
        #[cfg(target_arch = "x86_64")]
        if Level::get() == Level::Avx512 {
            // SAFETY: the CPU has the feature.
            return unsafe { mask_16(keys, codes) };
        }
        word(codes, |code| keys[(u64::from(code) / WORD) as usize] >> (u64::from(code) % WORD) & 1)
    }
}

/// Which codes are keys, 16 at a time. Codes that come clustered find their bits in one register, others gather them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn mask_16(keys: &[u64], codes: &probe::Codes) -> u64 {
    use std::arch::x86_64::{
        _mm512_cmplt_epu32_mask, _mm512_loadu_si512, _mm512_mask_i32gather_epi32, _mm512_permutexvar_epi32,
        _mm512_rolv_epi32, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srli_epi32, _mm512_sub_epi32,
        _mm512_test_epi32_mask,
    };
    let halves = u32::try_from(keys.len() * 2).unwrap_or(u32::MAX);
    let (one, end) = (_mm512_set1_epi32(1), _mm512_set1_epi32(halves as i32));
    // The 16 halves of words from the first code's on, if there are so many.
    let first = codes[0] / 32;
    let window = first.checked_add(16).filter(|&behind| behind <= halves).map(|_| {
        // SAFETY: the halves are there.
        unsafe { _mm512_loadu_si512(keys.as_ptr().cast::<u32>().add(first as usize).cast()) }
    });
    let first = _mm512_set1_epi32(first as i32);
    (0..probe::BLOCK / 16).fold(0, |word, part| {
        // SAFETY: a block has the 16 codes.
        let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().add(part * 16).cast()) };
        let places = _mm512_srli_epi32::<5>(codes);
        let near = _mm512_sub_epi32(places, first);
        let found = match window {
            Some(window) if _mm512_cmplt_epu32_mask(near, _mm512_set1_epi32(16)) == u16::MAX => {
                _mm512_permutexvar_epi32(near, window)
            }
            _ => {
                let there = _mm512_cmplt_epu32_mask(places, end);
                let (nothing, keys) = (_mm512_setzero_si512(), keys.as_ptr());
                // SAFETY: only halves of words that are there are read; their number fits, as 5 bits of a code's 32 are
                // gone.
                unsafe { _mm512_mask_i32gather_epi32::<4>(nothing, there, places, keys.cast()) }
            }
        };
        // A rotation by a code counts the lowest five bits of it only.
        word | u64::from(_mm512_test_epi32_mask(found, _mm512_rolv_epi32(one, codes))) << (part * 16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_what_groups_say() {
        for (size, step) in [(1, 1), (64, 3), (1_000, 7), (100_000, 5), (1 << 20, 1 << 12)] {
            let mut ranks = Ranks::new(size);
            (0..size).step_by(step).for_each(|code| ranks.set(code));
            ranks.count();
            // Clustered, spread, and both; the last one is out of range.
            let patterns: [fn(u64, u64) -> u64; 4] = [
                |at, _| at / 3,
                |at, size| at * 7_919 % (size + 1),
                |at, size| size - at.min(size),
                |at, size| {
                    if at == 40 { size } else { at * 4 }
                },
            ];
            for pattern in patterns {
                for start in [0, size / 2, size.saturating_sub(300)] {
                    let code = |at: usize| (start + pattern(at as u64, size)).min(size) as u32;
                    let codes: probe::Codes = std::array::from_fn(code);
                    let groups = codes.iter().map(|&code| ranks.group(code.into()));
                    let expected =
                        groups.enumerate().fold(0, |word, (at, group)| word | u64::from(group != NO_GROUP) << at);
                    assert_eq!(ranks.mask(&codes), expected, "{size} codes, every {step}th, from {start}");
                }
            }
        }
    }
}
