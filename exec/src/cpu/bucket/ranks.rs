//! Sets of codes that know the rank of each: a bit a code, and before every 64 of them how many keys there are so far.
//! That is a bit and a half a code, so millions of codes stay in the cache.
//!
//! Source: rank over bit vectors (Jacobson: Space-efficient Static Trees and Graphs, 1989), with one level of counts.

use super::super::kernels::kernel;
use super::table::NO_GROUP;
use crate::Result;
use crate::schedule::Workers;

/// Codes of a word.
const WORD: u64 = 64;

/// Words that one worker counts at a time.
const PIECE: usize = 1 << 14;

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
        count(&mut self.before, &self.keys)
    }

    /// The ranks of the codes whose bits are set, which lie below `size`, and how many they are.
    pub(super) fn of_words(keys: Vec<u64>, size: u64, workers: Workers<'_>) -> Result<(Self, u32)> {
        debug_assert_eq!(keys.len() as u64, size / WORD + 1, "a bit for each code and the one behind the last");
        let mut all = Ranks { before: vec![0; keys.len()], keys, size };
        let count = all.count_by(workers)?;
        Ok((all, count))
    }

    /// The ranks of parts of a range of codes, each a whole number of words but the last, one behind the other.
    pub(super) fn concat<'a>(parts: impl Iterator<Item = &'a Ranks> + Clone, workers: Workers<'_>) -> Result<Self> {
        let mut all = Ranks::new(parts.clone().map(|part| part.size).sum());
        let mut words = all.keys.iter_mut();
        for part in parts {
            let used = part.size.div_ceil(WORD) as usize;
            words.by_ref().zip(&part.keys[..used]).for_each(|(to, from)| *to = *from);
        }
        all.count_by(workers)?;
        Ok(all)
    }

    /// The ranks of keys that come in order, in parts: the bits of each, and the word that they begin at. The last word of a
    /// part may be the first one of the next.
    pub(super) fn of_sorted(size: u64, parts: &[(usize, Vec<u64>)], workers: Workers<'_>) -> Result<Self> {
        let mut all = Ranks::new(size);
        let (mut work, mut shared) = (Vec::with_capacity(parts.len()), Vec::new());
        let (mut rest, mut start) = (&mut all.keys[..], 0);
        for (number, (first, words)) in parts.iter().enumerate() {
            // Words from the next part's first one on are that part's, and get what this one has of them afterwards.
            let end = parts.get(number + 1).map_or(usize::MAX, |(next, _)| *next).min(first + words.len());
            let (own, later) = words.split_at(end - first);
            shared.extend(later.iter().enumerate().map(|(at, &word)| (end + at, word)));
            let (_, from_first) = rest.split_at_mut(first - start);
            let (places, others) = from_first.split_at_mut(own.len());
            work.push((places, own));
            (rest, start) = (others, end);
        }
        workers.map(work, |(places, words): (&mut [u64], &[u64])| {
            places.copy_from_slice(words);
            Ok(())
        })?;
        shared.into_iter().for_each(|(at, word)| all.keys[at] |= word);
        all.count_by(workers)?;
        Ok(all)
    }

    /// As [`Ranks::count`], by many workers if there are.
    fn count_by(&mut self, workers: Workers<'_>) -> Result<u32> {
        if workers.is_one() || self.keys.len() <= PIECE {
            return Ok(self.count());
        }
        let pieces = self.keys.chunks(PIECE).zip(self.before.chunks_mut(PIECE)).collect();
        let counts = workers.map(pieces, |(words, before): (&[u64], &mut [u32])| Ok((count(before, words), before)))?;
        let (mut ones, mut pieces) = (0, Vec::with_capacity(counts.len()));
        for (count, before) in counts {
            pieces.push((ones, before));
            ones += count;
        }
        workers.map(pieces, |(ones, before): (u32, &mut [u32])| {
            before.iter_mut().for_each(|before| *before += ones);
            Ok(())
        })?;
        Ok(ones)
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

    /// The rank of a key.
    #[inline(always)]
    pub(super) fn rank(&self, key: u32) -> u32 {
        let (at, bit) = (key as usize / WORD as usize, 1u64 << (u64::from(key) % WORD));
        self.before[at] + (self.keys[at] & (bit - 1)).count_ones()
    }

    /// A bit a code, and one that is not set for the code behind the last.
    pub(super) fn bits(&self) -> &[u64] {
        &self.keys
    }
}

kernel! {
    /// Makes `before` how many ones there are before each word, and gives how many there are in all.
    fn count[](before: &mut [u32], words: &[u64]) -> u32 {
        let mut ones = 0;
        for (before, word) in before.iter_mut().zip(words) {
            *before = ones;
            ones += word.count_ones();
        }
        ones
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Context, Memory};
    use crate::pool::Pool;

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
            assert_eq!(ranks.count() as usize, 2 * (4 * step + 1));
            assert_eq!(ranks.before, before);
        }
    }

    #[test]
    fn ranks_count_the_keys_before() {
        for (size, step) in [(1, 1), (64, 3), (127, 126), (1_000, 7), (100_000, 5), (1 << 20, 1 << 12)] {
            let mut ranks = Ranks::new(size);
            (0..size).step_by(step).for_each(|code| ranks.set(code));
            assert_eq!(u64::from(ranks.count()), size.div_ceil(step as u64));
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
