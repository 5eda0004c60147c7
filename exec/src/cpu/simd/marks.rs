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

/// Bytes at which who reads a string of JSON has to stop: quotes, backslashes and control characters.
#[derive(Debug, Default)]
pub struct Stops {
    words: Vec<u64>,
}

impl Stops {
    /// Finds those of a text, in place of those of the text before.
    pub fn find(&mut self, bytes: &[u8]) {
        self.words.clear();
        self.words.resize(bytes.len().div_ceil(WORD), 0);
        mark_stops(bytes, &mut self.words);
    }

    /// The first at or behind a place, if there is one.
    #[inline(always)]
    pub fn next(&self, at: usize) -> Option<usize> {
        let mut index = at / WORD;
        let rest = self.words.get(index)? >> (at % WORD);
        if rest != 0 {
            return Some(at + rest.trailing_zeros() as usize);
        }
        loop {
            index += 1;
            let word = *self.words.get(index)?;
            if word != 0 {
                return Some(index * WORD + word.trailing_zeros() as usize);
            }
        }
    }
}

kernel! {
    /// Sets a bit for each byte at which a string of JSON stops.
    fn mark_stops [](bytes: &[u8], words: &mut [u64]) -> () {
        let (blocks, rest) = bytes.as_chunks::<WORD>();
        for (word, block) in words.iter_mut().zip(blocks) {
            *word = stops_of(block);
        }
        if let (false, Some(word)) = (rest.is_empty(), words.last_mut()) {
            let mut block = [b' '; WORD];
            block[..rest.len()].copy_from_slice(rest);
            *word = stops_of(&block);
        }
    }
}

#[inline(always)]
fn stops_of(block: &[u8; WORD]) -> u64 {
    let mut hits = [0u8; WORD];
    for (hit, &byte) in hits.iter_mut().zip(block) {
        *hit = if (byte == b'"') | (byte == b'\\') | (byte < b' ') { u8::MAX } else { 0 };
    }
    pack(&hits)
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

    #[test]
    fn strings_stop() {
        let mut stops = Stops::default();
        for len in [0, 1, 5, 63, 64, 65, 127, 128, 129, 1000] {
            for step in [1, 2, 3, 7, 64, 99, 700] {
                let byte = |at: usize| if at % step == step - 1 { b"\"\\\n\0\x1f"[at / step % 5] } else { 0xe9 };
                let text: Vec<u8> = (0..len).map(byte).collect();
                stops.find(&text);
                let is_stop = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
                for from in 0..=len + 1 {
                    let next = text.get(from..).and_then(|text| text.iter().position(is_stop)).map(|at| from + at);
                    assert_eq!(stops.next(from), next, "{len} {step} {from}");
                }
            }
        }
    }
}
