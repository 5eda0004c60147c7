//! Objects that are written like the ones before: what stands in front of a key's value, from the value before it on, is compared as
//! a whole, blanks and all.
//!
//! Whoever writes objects writes them alike: behind a value come a comma, the next key and a colon, byte for byte as in the object
//! before. Where they do, one compare of a few words is all that the key costs. So it is within values that are objects or arrays:
//! of the last one of a key it is known what stands between its scalars ([`Shape`]).

use super::quick;
use multiloop_exec::cpu::simd::marks::Stops;

/// Words that are compared at once, at most. What is longer is read.
const WORDS_MAX: usize = 8;

/// Scalars of a shape, at most.
const SCALARS_MAX: usize = 64;

/// Bytes that stand between values.
#[derive(Clone, Debug)]
struct Front {
    /// Words, and which of their bits count.
    words: [(u64, u64); WORDS_MAX],
    bytes: usize,
    /// Whether it begins with the brace of the object.
    opens: bool,
}

impl Front {
    /// None of what is long, or spans lines: that is looked at each time, as it may have to be on one.
    fn of(text: &[u8], opens: bool) -> Option<Front> {
        if text.len() > WORDS_MAX * 8 || text.contains(&b'\n') {
            return None;
        }
        let mut words = [(0, 0); WORDS_MAX];
        for (place, part) in words.iter_mut().zip(text.chunks(8)) {
            let (mut word, mut bits) = ([0; 8], [0; 8]);
            word[..part.len()].copy_from_slice(part);
            bits[..part.len()].fill(u8::MAX);
            *place = (u64::from_le_bytes(word), u64::from_le_bytes(bits));
        }
        Some(Front { words, bytes: text.len(), opens })
    }

    /// Where it ends, if it stands here.
    #[inline(always)]
    fn behind(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let count = self.bytes.div_ceil(8);
        let here = bytes.get(at..at + count * 8)?;
        let (mut number, mut other) = (0, 0);
        while number < count {
            let word = u64::from_le_bytes(*here.get(number * 8..)?.first_chunk()?);
            let (known, bits) = self.words[number];
            other |= (word ^ known) & bits;
            number += 1;
        }
        (other == 0).then_some(at + self.bytes)
    }
}

/// What stands between the scalars of an object or an array: in front of each, and behind the last.
#[derive(Clone, Debug, Default)]
struct Shape {
    between: Vec<Front>,
}

impl Shape {
    /// The shape of a value whose text is JSON; none of one that is large.
    fn of(text: &[u8]) -> Option<Shape> {
        let (mut between, mut from, mut at) = (Vec::new(), 0, 0);
        while at < text.len() {
            let end = match text[at] {
                b'"' => {
                    let end = string_end(text, at + 1)?;
                    let behind = text[end..].iter().position(|byte| !byte.is_ascii_whitespace())?;
                    if text[end + behind] == b':' {
                        at = end;
                        continue;
                    }
                    end
                }
                b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => {
                    at += 1;
                    continue;
                }
                _ => at + text[at..].iter().position(|byte| b",]} \t\r\n".contains(byte))?,
            };
            if between.len() >= SCALARS_MAX {
                return None;
            }
            between.push(Front::of(&text[from..at], false)?);
            (from, at) = (end, end);
        }
        between.push(Front::of(&text[from..], false)?);
        Some(Shape { between })
    }

    /// Where a value of this shape ends whose scalars are as most are, if one stands here.
    #[inline]
    fn behind(&self, bytes: &[u8], mut at: usize, stops: &Stops) -> Option<usize> {
        let (last, fronts) = self.between.split_last()?;
        for front in fronts {
            at = quick::scalar(bytes, front.behind(bytes, at)?, stops)?;
        }
        last.behind(bytes, at)
    }
}

/// Where a string ends whose characters begin here, with its quote.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// What has stood in front of the values of keys, and what shape these had, by the numbers of the keys.
#[derive(Debug, Default)]
pub(super) struct Track {
    fronts: Vec<Option<Front>>,
    shapes: Vec<Shape>,
}

impl Track {
    /// Of so many keys.
    pub(super) fn new(keys: usize) -> Track {
        let mut track = Track::default();
        track.widen(keys);
        track
    }

    /// Makes it one of no fewer keys.
    pub(super) fn widen(&mut self, keys: usize) {
        if keys > self.fronts.len() {
            self.fronts.resize(keys, None);
            self.shapes.resize(keys, Shape::default());
        }
    }

    /// Where the value of a key begins, if what stands here is what stood in front of it before; `opens` says that here an object
    /// begins, which else has been begun.
    #[inline(always)]
    pub(super) fn value_of(&self, key: usize, bytes: &[u8], at: usize, opens: bool) -> Option<usize> {
        let front = self.fronts.get(key)?.as_ref()?;
        if front.opens == opens { front.behind(bytes, at) } else { None }
    }

    /// Notes what stands in front of a value.
    pub(super) fn learn(&mut self, key: usize, text: &[u8], opens: bool) {
        if let (Some(place), Some(front)) = (self.fronts.get_mut(key), Front::of(text, opens)) {
            *place = Some(front);
        }
    }

    /// Where an object or array ends, if it is of the shape that the last one of its key had.
    #[inline(always)]
    pub(super) fn nested(&self, key: usize, bytes: &[u8], at: usize, stops: &Stops) -> Option<usize> {
        self.shapes.get(key)?.behind(bytes, at, stops)
    }

    /// Notes the shape of a value, whose text is JSON.
    pub(super) fn learn_nested(&mut self, key: usize, text: &str) {
        if let Some(place) = self.shapes.get_mut(key) {
            *place = Shape::of(text.as_bytes()).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stood_there_is_known_again() {
        for key in ["", "a", "abcd", "abcde", "abcdefghijklmnop", &"x".repeat(60), &"x".repeat(61)] {
            let text = format!(",\"{key}\":");
            let mut track = Track::new(2);
            assert_eq!(track.value_of(1, text.as_bytes(), 0, false), None);
            track.learn(1, text.as_bytes(), false);
            let known = text.len() <= 64;
            let behind = format!("{text}17        ");
            let found = track.value_of(1, behind.as_bytes(), 0, false);
            assert_eq!(found, known.then_some(text.len()), "{key}");
            assert_eq!(track.value_of(1, behind.as_bytes(), 0, true), None);
            assert_eq!(track.value_of(0, behind.as_bytes(), 0, false), None);
            assert_eq!(track.value_of(2, behind.as_bytes(), 0, false), None);
            for at in 0..text.len() {
                let mut other = behind.clone().into_bytes();
                other[at] ^= 1;
                assert_eq!(track.value_of(1, &other, 0, false), None, "{key} {at}");
            }
        }
        let mut track = Track::new(1);
        track.learn(0, b",\n\"a\":", false);
        assert_eq!(track.value_of(0, b",\n\"a\":1         ", 0, false), None);
    }

    #[test]
    fn values_of_one_shape() {
        let behind = |first: &str, text: &str| {
            let mut track = Track::new(1);
            track.learn_nested(0, first);
            let padded = format!("{text}{}", " ".repeat(70));
            let mut stops = Stops::default();
            stops.find(padded.as_bytes());
            track.nested(0, padded.as_bytes(), 0, &stops)
        };
        for (first, text) in [
            ("{}", "{}"),
            ("[]", "[]"),
            ("[1]", "[-2.5]"),
            ("[1, \"a\"]", "[true, null]"),
            ("{\"a\":{\"b\" : [1,\"x\\\"\"]},\"c\":false}", "{\"a\":{\"b\" : [\"\",\"yy\"]},\"c\":7}"),
        ] {
            assert_eq!(behind(first, text), Some(text.len()), "{first} {text}");
        }
        for (first, text) in [
            ("[1]", "[1,2]"),
            ("[1,2]", "[1]"),
            ("[1]", "{1}"),
            ("[1]", "[01]"),
            ("[1]", "[1.]"),
            ("[1]", "[]"),
            ("[1]", "[x]"),
            ("[1]", "[truex]"),
            ("[1]", "[\"\n\"]"),
            ("[1]", "[\"\\x\"]"),
            ("[\n1]", "[\n1]"),
            ("{\"a\":1}", "{\"b\":1}"),
            ("{\"a\":1}", "{\"a\":1"),
        ] {
            assert_eq!(behind(first, text), None, "{first} {text}");
        }
    }
}
