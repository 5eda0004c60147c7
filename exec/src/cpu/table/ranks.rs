//! Sets of codes that know the rank of each: a bit a code, and before every 64 of them how many keys there are so far.
//! That is a bit and a half a code, so millions of codes stay in the cache.
//!
//! Source: rank over bit vectors (Jacobson: Space-efficient Static Trees and Graphs, 1989), with one level of counts.

use crate::Result;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::simd::parallel_fill::{padded, written};
use crate::cpu::vector::rows::NO_GROUP;
use crate::workers::schedule::Workers;
use std::mem::MaybeUninit;

/// Codes of a word.
const WORD: u64 = 64;

/// Words that one worker counts at a time.
const PIECE: usize = 1 << 14;

/// Keys among the codes below a size. A key's group is its rank.
#[derive(Clone, Debug)]
pub(crate) struct Ranks {
    /// Of every 64 codes which are keys. The code `size` has its bit, too, which is never set.
    keys: Vec<u64>,
    /// How many keys there are before each word.
    before: Vec<u32>,
    size: u64,
}

impl Ranks {
    /// No keys; codes lie below `size`. To be counted.
    pub(crate) fn new(size: u64) -> Self {
        Ranks { keys: vec![0; (size / WORD + 1) as usize], before: Vec::new(), size }
    }

    /// Makes a code a key; ranks are right again after `count`.
    #[inline]
    pub(crate) fn set(&mut self, code: u64) {
        self.keys[(code / WORD) as usize] |= 1 << (code % WORD);
    }

    /// Counts the keys before each word; gives how many there are.
    pub(crate) fn count(&mut self) -> Result<u32> {
        let (before, count) = ones_before(&self.keys, None)?;
        self.before = before;
        Ok(count)
    }

    /// The ranks of the codes whose bits are set, which lie below `size`, and how many they are.
    pub(crate) fn of_words(keys: Vec<u64>, size: u64, workers: Workers<'_>) -> Result<(Self, u32)> {
        debug_assert_eq!(keys.len() as u64, size / WORD + 1, "a bit for each code and the one behind the last");
        let (before, count) = ones_before(&keys, Some(workers))?;
        Ok((Ranks { keys, before, size }, count))
    }

    /// The ranks of parts of a range of codes, each a whole number of words but the last, one behind the other.
    pub(crate) fn concat<'a>(parts: impl Iterator<Item = &'a Ranks> + Clone, workers: Workers<'_>) -> Result<Self> {
        let size = parts.clone().map(|part| part.size).sum();
        let used = |part: &'a Ranks| &part.keys[..part.size.div_ceil(WORD) as usize];
        let mut pieces: Vec<(usize, &[u64])> = parts.map(|part| (used(part).len(), used(part))).collect();
        let words: usize = pieces.iter().map(|(words, _)| words).sum();
        pieces.push(((size / WORD + 1) as usize - words, &[]));
        Ok(Ranks::of_words(written(pieces, Some(workers), padded)?, size, workers)?.0)
    }

    /// The ranks of keys that come in order, in parts: the bits of each, and the word that they begin at. The last word of a
    /// part may be the first one of the next.
    pub(crate) fn of_sorted(size: u64, parts: &[(usize, Vec<u64>)], workers: Workers<'_>) -> Result<Self> {
        let all = (size / WORD + 1) as usize;
        let mut pieces: Vec<(usize, &[u64])> = Vec::with_capacity(parts.len() + 1);
        pieces.push((parts.first().map_or(all, |(first, _)| *first), &[]));
        let mut shared = Vec::new();
        for (number, (first, words)) in parts.iter().enumerate() {
            // Words from the next part's first one on are that part's, and get what this one has of them afterwards.
            let end = parts.get(number + 1).map_or(all, |(next, _)| *next);
            let (own, later) = words.split_at((end - first).min(words.len()));
            shared.extend(later.iter().enumerate().map(|(at, &word)| (end + at, word)));
            pieces.push((end - first, own));
        }
        let mut keys = written(pieces, Some(workers), padded)?;
        shared.into_iter().for_each(|(at, word)| keys[at] |= word);
        Ok(Ranks::of_words(keys, size, workers)?.0)
    }

    /// Bytes held for so many codes.
    pub(crate) fn bytes(size: u64) -> usize {
        (size / WORD + 1) as usize * 12
    }

    /// The group of a code, [`NO_GROUP`] if it is no key.
    #[inline]
    pub(crate) fn group(&self, code: u64) -> u32 {
        let at = (code / WORD) as usize;
        let (keys, bit) = (self.keys[at], 1u64 << (code % WORD));
        if keys & bit == 0 { NO_GROUP } else { self.before[at] + (keys & (bit - 1)).count_ones() }
    }

    /// The rank of a key.
    #[inline(always)]
    pub(crate) fn rank(&self, key: u32) -> u32 {
        let (at, bit) = (key as usize / WORD as usize, 1u64 << (u64::from(key) % WORD));
        self.before[at] + (self.keys[at] & (bit - 1)).count_ones()
    }

    /// A bit a code, and one that is not set for the code behind the last.
    pub(crate) fn bits(&self) -> &[u64] {
        &self.keys
    }
}

/// How many ones there are before each word, and how many in all; by many workers if there are.
fn ones_before(words: &[u64], workers: Option<Workers<'_>>) -> Result<(Vec<u32>, u32)> {
    let workers = workers.filter(|workers| !workers.is_one() && words.len() > PIECE);
    let pieces: Vec<&[u64]> = words.chunks(if workers.is_some() { PIECE } else { usize::MAX }).collect();
    let counts = match workers {
        Some(workers) => workers.map(pieces.clone(), |words| Ok(ones(words)))?,
        // What is behind the only piece nobody asks.
        None => vec![0],
    };
    let mut all = 0;
    let work = pieces.into_iter().zip(counts).map(|(words, count)| {
        all += count;
        (words.len(), (words, all - count))
    });
    let work = work.collect();
    let before = written(work, workers, |(words, before): (&[u64], u32), places| count(before, words, places))?;
    let all = before.last().zip(words.last()).map_or(0, |(before, word)| before + word.count_ones());
    Ok((before, all))
}

kernel! {
    /// How many ones there are.
    fn ones[](words: &[u64]) -> u32 {
        words.iter().map(|word| word.count_ones()).sum()
    }
}

kernel! {
    /// Writes how many ones there are before each word; so many are before the first.
    fn count['a](before: u32, words: &[u64], places: &'a mut [MaybeUninit<u32>]) -> &'a mut [u32] {
        let mut ones = before;
        assert_eq!(words.len(), places.len());
        places.iter_mut().zip(words).for_each(|(place, word)| {
            place.write(ones);
            ones += word.count_ones();
        });
        // SAFETY: each place has been written.
        unsafe { places.assume_init_mut() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;

    #[test]
    fn words_may_be_in_many_parts() {
        let context = Context::new(Memory::new(usize::MAX));
        let pool = Pool::new(3).unwrap();
        for pool in [Some(&pool), None] {
            let workers = Workers { pool, context: &context };
            let parts = [
                (1, vec![1 << 3]),
                (1, vec![1 << 5]),
                (1, vec![1 << 9, 0, 7]),
                (3, vec![1 << 8, 0]),
                (9, vec![u64::MAX]),
            ];
            let ranks = Ranks::of_sorted(700, &parts, workers).unwrap();
            let keys = [67, 69, 73, 192, 193, 194, 200].into_iter().chain(576..640);
            assert!(keys.clone().enumerate().all(|(rank, key)| ranks.group(key) == rank as u32));
            assert_eq!((0..700).filter(|&code| ranks.group(code) != NO_GROUP).count(), keys.count());
            // Many words, in parts and counted in pieces.
            let size = 3 * PIECE as u64 * WORD + 5;
            let step = 2 * PIECE / 3;
            let part = |at: usize| (at * step, vec![0b101; step + 1]);
            let mut ranks = Ranks::of_sorted(size, &(0..4).map(part).collect::<Vec<_>>(), workers).unwrap();
            let before = ranks.before.clone();
            assert_eq!(ranks.count().unwrap() as usize, 2 * (4 * step + 1));
            assert_eq!(ranks.before, before);
        }
    }

    #[test]
    fn ranks_count_the_keys_before() {
        for (size, step) in [(1, 1), (64, 3), (127, 126), (1_000, 7), (100_000, 5), (1 << 20, 1 << 12)] {
            let mut ranks = Ranks::new(size);
            (0..size).step_by(step).for_each(|code| ranks.set(code));
            assert_eq!(u64::from(ranks.count().unwrap()), size.div_ceil(step as u64));
            for code in (0..=size).step_by(if size > 1_000 { 97 } else { 1 }) {
                let is_key = code < size && code % step as u64 == 0;
                let rank = (code / step as u64) as u32;
                assert_eq!(ranks.group(code), if is_key { rank } else { NO_GROUP }, "{code} of {size}");
                assert_eq!(ranks.bits()[code as usize / 64] >> (code % 64) & 1 == 1, is_key);
                if is_key {
                    assert_eq!(ranks.rank(code as u32), rank);
                }
            }
        }
    }
}
