//! A filter before a hash table that is not in the cache close by: a few bits of a word for each key. Most keys that are
//! not in the table are known not to be without a look at it.
//!
//! Source: Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007 (blocked; here a block is a
//! register, as in Lang, Neumann, Kemper, Boncz: Performance-Optimal Filtering, 2019).
//!
//! It takes a byte or two a key, and stands only before tables that outgrow the cache close by.

use crate::cpu::keys::integer::BLOCK;

/// Keys a word: eight bits for each.
const KEYS_PER_WORD: usize = 8;

/// The hashes that there are, and a few others.
#[derive(Debug)]
pub(crate) struct KeyFilter {
    /// A power of two of them, at most 2^32.
    words: Vec<u64>,
    /// How far the upper half of a hash is shifted to give its word.
    shift: u32,
}

impl KeyFilter {
    /// A filter of so many hashes.
    pub(crate) fn new(len: usize, hashes: impl Iterator<Item = u64>) -> Self {
        let mut filter = KeyFilter::with_room(len);
        let [mut all] = filter.parts(1).try_into().unwrap_or_else(|_| unreachable!("one part"));
        hashes.for_each(|hash| all.add(hash));
        filter
    }

    /// A filter for so many hashes, which has none yet.
    pub(crate) fn with_room(len: usize) -> Self {
        let words = (len / KEYS_PER_WORD).next_power_of_two();
        KeyFilter { words: vec![0; words], shift: 32 - words.trailing_zeros() }
    }

    /// The filter in parts, a power of two of them and no more than an eighth of the hashes: each takes the hashes whose
    /// highest bits say so.
    pub(crate) fn parts(&mut self, parts: usize) -> Vec<KeyFilterPart<'_>> {
        let (shift, len) = (self.shift, self.words.len() / parts);
        let part = |(part, words)| KeyFilterPart { words, first: part * len, shift };
        self.words.chunks_mut(len).enumerate().map(part).collect()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// For each of a block of hashes whether it may be among those that the filter was made of.
    #[inline(always)]
    pub(crate) fn may_have(&self, hashes: &[u64; BLOCK]) -> u64 {
        let mask = self.words.len() - 1;
        let (mut places, mut wanted) = ([0; BLOCK], [0; BLOCK]);
        for ((place_of, wanted), &hash) in places.iter_mut().zip(&mut wanted).zip(hashes) {
            (*place_of, *wanted) = (place(hash, self.shift) as u32, bits(hash));
        }
        // Eight bytes in turn, so that no step waits for the one before.
        let mut bytes = [0u64; 8];
        for at in 0..8 {
            for (part, byte) in bytes.iter_mut().enumerate() {
                let wanted = wanted[part * 8 + at];
                *byte |= u64::from(self.words[places[part * 8 + at] as usize & mask] & wanted == wanted) << at;
            }
        }
        (0..8).fold(0, |word, part| word | bytes[part] << (part * 8))
    }
}

/// Some words of a filter, side by side.
pub(crate) struct KeyFilterPart<'f> {
    words: &'f mut [u64],
    /// Where they begin.
    first: usize,
    shift: u32,
}

impl KeyFilterPart<'_> {
    /// Adds a hash, one of this part's.
    #[inline(always)]
    pub(crate) fn add(&mut self, hash: u64) {
        self.words[place(hash, self.shift) - self.first] |= bits(hash);
    }
}

/// The word of a hash: its highest bits say which, as they say which slot of a table it has.
#[inline(always)]
fn place(hash: u64, shift: u32) -> usize {
    (hash >> 32 >> shift) as usize
}

/// Three bits, of the part of a hash that its place has least of.
#[inline(always)]
fn bits(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partial::hash::{hash32, hash64};

    #[test]
    fn it_has_what_it_was_made_of_and_little_else() {
        let hashes: [fn(u64) -> u64; 2] = [hash64, |key| hash32(key as u32)];
        for (hash, len) in hashes.into_iter().flat_map(|hash| [0, 1, 7, 1_000, 200_000].map(|len| (hash, len))) {
            let filter = KeyFilter::new(len, (0..len as u64).map(hash));
            let passing = |first: u64| filter.may_have(&std::array::from_fn(|at| hash(first + at as u64)));
            assert!((0..len as u64 / 64).all(|block| passing(block * 64) == u64::MAX));
            let rest = (1 << (len % 64)) - 1;
            assert_eq!(passing(len as u64 / 64 * 64) & rest, rest);
            let others: u32 = (0..150).map(|block| passing((1 << 31) + block * 64).count_ones()).sum();
            assert!(others < 450, "{others} of 9600 pass a filter of {len}");
        }
    }
}
