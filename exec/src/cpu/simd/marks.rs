//! Where bytes that mean something stand among others: delimiters, quotes and line ends of a text, say.

use super::kernel::{kernel, pack};
use super::positions::push_positions;

/// Bytes that one word tells of.
const WORD: usize = 64;

/// Finds bytes in text; keeps its memory for the next one.
#[derive(Debug, Default)]
pub struct Marks {
    words: Vec<u64>,
    positions: Vec<u32>,
}

impl Marks {
    /// The positions, in order, of all bytes that are one of these; the text is shorter than 4 GiB.
    pub fn of(&mut self, bytes: &[u8], marks: [u8; 4]) -> &[u32] {
        debug_assert!(u32::try_from(bytes.len()).is_ok(), "positions have 32 bits");
        self.words.clear();
        self.words.resize(bytes.len().div_ceil(WORD), 0);
        let count = mark(bytes, marks, &mut self.words);
        self.positions.clear();
        push_positions(&self.words, count, &mut self.positions);
        &self.positions
    }
}

kernel! {
    /// Sets a bit for each byte that is one of these; gives how many there are.
    fn mark [](bytes: &[u8], marks: [u8; 4], words: &mut [u64]) -> usize {
        let mut count = 0;
        let (blocks, rest) = bytes.as_chunks::<WORD>();
        for (word, block) in words.iter_mut().zip(blocks) {
            *word = word_of(block, marks);
            count += word.count_ones() as usize;
        }
        if let (false, Some(word)) = (rest.is_empty(), words.last_mut()) {
            let mut block = [0; WORD];
            block[..rest.len()].copy_from_slice(rest);
            *word = word_of(&block, marks) & ((1 << rest.len()) - 1);
            count += word.count_ones() as usize;
        }
        count
    }
}

#[inline(always)]
fn word_of(block: &[u8; WORD], [a, b, c, d]: [u8; 4]) -> u64 {
    let mut hits = [0u8; WORD];
    for (hit, &byte) in hits.iter_mut().zip(block) {
        *hit = if (byte == a) | (byte == b) | (byte == c) | (byte == d) { u8::MAX } else { 0 };
    }
    pack(&hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_found() {
        let mut marks = Marks::default();
        for len in [0, 1, 5, 63, 64, 65, 127, 128, 1000] {
            for step in [1, 2, 3, 7, 64, 99] {
                let byte = |at: usize| if at.is_multiple_of(step) { b",\n\"\\"[at / step % 4] } else { 0 };
                let text: Vec<u8> = (0..len).map(byte).collect();
                let expected: Vec<u32> = (0..len).step_by(step).map(|at| at as u32).collect();
                assert_eq!(marks.of(&text, *b",\n\"\\"), expected, "{len} {step}");
            }
        }
        // Zero bytes behind the end are none.
        assert_eq!(marks.of(b"a", [0; 4]), [0u32; 0]);
    }
}
