//! Bitmaps: one bit a tuple, in words of 64, as conditions, booleans and validity are held.

use crate::cpu::simd::kernel::kernel;
use crate::cpu::simd::positions::push_positions;

/// Gives the positions of the ones in a word.
#[inline(always)]
pub(crate) fn each_one(mut word: u64, mut each: impl FnMut(usize)) {
    while word != 0 {
        each(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

kernel! {
    fn count_ones[](words: &[u64]) -> usize {
        words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

kernel! {
    fn count_common[](a: &[u64], b: &[u64]) -> usize {
        a.iter().zip(b).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }
}

/// One bit a position. Bits at and behind `len` in the last word are always 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// So many bits of one value.
    pub fn new(len: usize, value: bool) -> Self {
        let mut bitmap = Bitmap::default();
        bitmap.reset(len, value);
        bitmap
    }

    /// Makes this so many bits of one value, in the memory it has.
    pub fn reset(&mut self, len: usize, value: bool) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), if value { u64::MAX } else { 0 });
        self.len = len;
        self.clear_tail();
    }

    /// Makes this the bits that `bit` gives for 0 to `len`.
    pub fn fill(&mut self, len: usize, mut bit: impl FnMut(usize) -> bool) {
        self.words.clear();
        self.len = len;
        let mut start = 0;
        while start < len {
            let count = (len - start).min(64);
            let mut word = 0u64;
            for offset in 0..count {
                word |= u64::from(bit(start + offset)) << offset;
            }
            self.words.push(word);
            start += count;
        }
    }

    /// Makes this the words that `word` gives for 0 to `len / 64`, rounded up; bits behind `len` are dropped.
    pub fn fill_words(&mut self, len: usize, word: impl FnMut(usize) -> u64) {
        self.words.clear();
        self.words.extend((0..len.div_ceil(64)).map(word));
        self.len = len;
        self.clear_tail();
    }

    /// The memory for words, emptied; `set_words` gives it back.
    pub fn take_words(&mut self) -> Vec<u64> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words
    }

    /// The words.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Makes this so many bits, which are in these words.
    ///
    /// # Panics
    /// If there are not as many words as that takes.
    pub fn set_words(&mut self, len: usize, words: Vec<u64>) {
        assert_eq!(words.len(), len.div_ceil(64), "a word for every 64 bits");
        (self.words, self.len) = (words, len);
        self.clear_tail();
    }

    /// Makes this a copy of another.
    pub fn copy_from(&mut self, other: &Bitmap) {
        self.words.clear();
        self.words.extend_from_slice(&other.words);
        self.len = other.len;
    }

    /// How many bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bit at a position below `len`.
    pub fn get(&self, position: usize) -> bool {
        debug_assert!(position < self.len, "a bit beyond the bitmap");
        self.words[position / 64] >> (position % 64) & 1 == 1
    }

    /// Sets the bit at a position below `len`.
    pub fn set(&mut self, position: usize, value: bool) {
        debug_assert!(position < self.len, "a bit beyond the bitmap");
        let bit = 1u64 << (position % 64);
        if value {
            self.words[position / 64] |= bit;
        } else {
            self.words[position / 64] &= !bit;
        }
    }

    /// The words; bits behind `len` are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many bits are 1.
    pub fn count_ones(&self) -> usize {
        count_ones(&self.words)
    }

    /// How many bits are 1 in both. Both have one length.
    pub fn count_common(&self, other: &Bitmap) -> usize {
        count_common(&self.words, &other.words)
    }

    /// Whether a bit is 1 in both. Both have one length.
    pub fn meets(&self, other: &Bitmap) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// The position of the first bit that is 1.
    pub fn first_one(&self) -> Option<usize> {
        let at = self.words.iter().position(|&word| word != 0)?;
        Some(at * 64 + self.words[at].trailing_zeros() as usize)
    }

    /// Whether all bits are 1.
    pub fn is_full(&self) -> bool {
        self.count_ones() == self.len
    }

    /// Keeps the bits that are 1 in both. Both have one length.
    pub fn and(&mut self, other: &Bitmap) {
        self.combine(other, |a, b| a & b);
    }

    /// Keeps the bits that are 1 in this and 0 in the other. Both have one length.
    pub fn and_not(&mut self, other: &Bitmap) {
        self.combine(other, |a, b| a & !b);
    }

    /// Keeps the bits that are 1 in either. Both have one length.
    pub fn or(&mut self, other: &Bitmap) {
        self.combine(other, |a, b| a | b);
    }

    /// Turns every bit.
    pub fn invert(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        self.clear_tail();
    }

    /// Appends the positions of the ones, in order.
    pub fn push_positions(&self, positions: &mut Vec<u32>) {
        push_positions(&self.words, self.count_ones(), positions);
    }

    fn combine(&mut self, other: &Bitmap, operation: impl Fn(u64, u64) -> u64) {
        assert_eq!(self.len, other.len, "bitmaps of one length");
        for (mine, &theirs) in self.words.iter_mut().zip(&other.words) {
            *mine = operation(*mine, theirs);
        }
    }

    fn clear_tail(&mut self) {
        if !self.len.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1u64 << (self.len % 64)) - 1;
        }
    }
}
