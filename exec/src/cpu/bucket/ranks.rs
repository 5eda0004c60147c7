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

/// Which codes are keys, 16 at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn mask_16(keys: &[u64], codes: &probe::Codes) -> u64 {
    use std::arch::x86_64::{
        _mm512_cmplt_epu32_mask, _mm512_loadu_si512, _mm512_mask_i32gather_epi32, _mm512_rolv_epi32, _mm512_set1_epi32,
        _mm512_setzero_si512, _mm512_srli_epi32, _mm512_test_epi32_mask,
    };
    let halves = u32::try_from(keys.len() * 2).unwrap_or(u32::MAX);
    let (one, end) = (_mm512_set1_epi32(1), _mm512_set1_epi32(halves as i32));
    (0..probe::BLOCK / 16).fold(0, |word, part| {
        // SAFETY: a block has the 16 codes.
        let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().add(part * 16).cast()) };
        let places = _mm512_srli_epi32::<5>(codes);
        let there = _mm512_cmplt_epu32_mask(places, end);
        // SAFETY: only halves of words that are there are read; their number fits, as 5 bits of a code's 32 are gone.
        let found =
            unsafe { _mm512_mask_i32gather_epi32::<4>(_mm512_setzero_si512(), there, places, keys.as_ptr().cast()) };
        // A rotation by a code counts the lowest five bits of it only.
        word | u64::from(_mm512_test_epi32_mask(found, _mm512_rolv_epi32(one, codes))) << (part * 16)
    })
}
