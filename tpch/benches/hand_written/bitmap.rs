//! One bit a key.

use crate::simd::BLOCK;

/// A set of small numbers.
pub(crate) struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    /// The keys (row + 1) of the rows of a table for which a condition holds; `block` gives 64 of them, the first
    /// row's lowest.
    #[inline(always)]
    pub(crate) fn of_keys(rows: usize, block: impl Fn(usize) -> u64) -> Self {
        let mut words = Vec::with_capacity(rows / BLOCK + 2);
        let mut carry = 0;
        for first in (0..rows).step_by(BLOCK) {
            let mask = block(first);
            words.push((mask << 1) | carry);
            carry = mask >> 63;
        }
        words.push(carry);
        Bitmap { words }
    }

    /// Some numbers below `end`.
    #[inline(always)]
    pub(crate) fn of_numbers(end: usize, numbers: &[u32]) -> Self {
        let mut words = vec![0; end.div_ceil(BLOCK)];
        numbers.iter().for_each(|&number| words[number as usize / 64] |= 1 << (number % 64));
        Bitmap { words }
    }

    /// Which of 64 numbers are in the set, of which none is beyond its end.
    #[inline(always)]
    pub(crate) fn test_block(&self, numbers: &[u32; BLOCK]) -> u64 {
        // Eight words in turn, so that no step waits for the one before.
        let mut words = [0u64; 8];
        for at in 0..8 {
            for (part, word) in words.iter_mut().enumerate() {
                let number = numbers[part * 8 + at];
                *word |= ((self.words[number as usize / 64] >> (number % 64)) & 1) << at;
            }
        }
        (0..8).fold(0, |mask, part| mask | (words[part] << (part * 8)))
    }
}
