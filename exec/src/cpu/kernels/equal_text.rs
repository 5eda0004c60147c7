//! Equality of a column's strings with one, or with those of a set, where the lengths tell of most that they differ: those are not read.
//!
//! Strings of a column lie one behind the other, so that their lengths come from offsets alone. Of those that may be equal (the
//! candidates, 64 to a word) the bytes are asked for some words ahead: a few strings of many, far apart, are nothing that the hardware
//! foresees.

use crate::column::order_key::text_order_at;
use crate::cpu::kernels::fill_truth;
use crate::cpu::simd::kernel::{prefetch_here, vectorised};
use crate::cpu::vector::bitmap::{Bitmap, each_one};

/// How many words of candidates ahead of those that are compared strings are asked for.
const WORDS_AHEAD: usize = 4;

/// Makes `bits` which strings, that begin and end at these offsets, pass a test; those of lengths that `may_be` refuses do not.
pub(crate) fn hold_of_lengths(
    (offsets, bytes): (&[i32], &[u8]),
    bits: &mut Bitmap,
    may_be: impl Fn(usize) -> bool,
    passes: impl Fn(usize, usize) -> bool,
) {
    let len = offsets.len() - 1;
    vectorised(|| fill_truth(len, bits, |row| may_be((offsets[row + 1] - offsets[row]) as usize)));
    let mut words = std::mem::take(bits).into_words();
    for number in 0..words.len() {
        if let Some(&later) = words.get(number + WORDS_AHEAD) {
            let first = (number + WORDS_AHEAD) * 64;
            each_one(later, |at| prefetch_here(bytes.as_ptr().wrapping_add(offsets[first + at] as usize)));
        }
        let word = &mut words[number];
        each_one(*word, |at| {
            let row = number * 64 + at;
            *word &= !(u64::from(!passes(offsets[row] as usize, offsets[row + 1] as usize)) << at);
        });
    }
    bits.set_words(len, words);
}

/// Makes `bits` which strings, that begin and end at these offsets, equal one; or differ from it.
pub(crate) fn hold_equal((offsets, bytes): (&[i32], &[u8]), (value, equal): (&[u8], bool), bits: &mut Bitmap) {
    let first = text_order_at(value, 0, value.len());
    let is = |start: usize, end: usize| {
        text_order_at(bytes, start, end - start) == first && (value.len() <= 8 || &bytes[start..end] == value)
    };
    hold_of_lengths((offsets, bytes), bits, |length| length == value.len(), is);
    if !equal {
        bits.invert();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_equal_by_their_bytes() {
        let words = [
            "",
            "a",
            "b",
            "\0",
            "ab",
            "usual",
            "usua\0",
            "é",
            "common name",
            "common nama",
            "12345678",
            "12345679",
            "123456789",
        ];
        let (mut offsets, mut bytes) = (vec![0i32], Vec::new());
        for at in 0..1000usize {
            bytes.extend_from_slice(words[at * at % 31 % words.len()].as_bytes());
            offsets.push(bytes.len() as i32);
        }
        let mut bits = Bitmap::default();
        for value in words.iter().chain(&["usuak", "another text", "\0\0"]) {
            for (range, equal) in [(0..1000, true), (0..1000, false), (7..8, true), (3..3, false), (1..514, false)] {
                let offsets = &offsets[range.start..=range.end];
                hold_equal((offsets, &bytes), (value.as_bytes(), equal), &mut bits);
                for row in 0..range.len() {
                    let text = &bytes[offsets[row] as usize..offsets[row + 1] as usize];
                    assert_eq!(bits.get(row), (text == value.as_bytes()) == equal, "{text:?} and {value:?}");
                }
                let expected = (0..range.len()).filter(|&row| bits.get(row)).count();
                assert_eq!(bits.count_ones(), expected);
            }
        }
    }
}
