//! A filter before a hash table that is not in the cache close by: a few bits of a word for each key. Most keys that are
//! not in the table are known not to be without a look at it.
//!
//! Source: Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007 (blocked; here a block is a
//! register, as in Lang, Neumann, Kemper, Boncz: Performance-Optimal Filtering, 2019).

/// Keys a word: eight bits for each.
const KEYS_PER_WORD: usize = 8;

/// The hashes that there are, and a few others.
#[derive(Debug)]
pub(super) struct KeyFilter {
    /// A power of two of them.
    words: Vec<u64>,
}

impl KeyFilter {
    /// A filter of so many hashes.
    pub(super) fn new(len: usize, hashes: impl Iterator<Item = u64>) -> Self {
        let mut words = vec![0; (len / KEYS_PER_WORD).next_power_of_two()];
        let mask = words.len() - 1;
        hashes.for_each(|hash| words[place(hash, mask)] |= bits(hash));
        KeyFilter { words }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// False if a hash is not among those it was made of.
    #[inline(always)]
    pub(super) fn may_have(&self, hash: u64) -> bool {
        let bits = bits(hash);
        self.words[place(hash, self.words.len() - 1)] & bits == bits
    }
}

#[inline(always)]
fn place(hash: u64, mask: usize) -> usize {
    (hash >> 24) as usize & mask
}

/// Three bits, of the part of a hash that its place has least of.
#[inline(always)]
fn bits(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63)
}

#[cfg(test)]
mod tests {
    use super::super::table::hash64;
    use super::*;

    #[test]
    fn it_has_what_it_was_made_of_and_little_else() {
        for len in [0, 1, 7, 1_000, 200_000] {
            let filter = KeyFilter::new(len, (0..len as u64).map(hash64));
            assert!((0..len as u64).all(|key| filter.may_have(hash64(key))));
            let others = (0..10_000).filter(|key| filter.may_have(hash64(1 << 40 | key))).count();
            assert!(others < 1_000, "{others} of 10000 pass a filter of {len}");
        }
    }
}
