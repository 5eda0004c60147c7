//! LIKE with `%` and `_` on bytes: a start, an end, and strings between them in order and without overlap, in each of which
//! some bytes may be any.
//!
//! As a string between two `%` may stand anywhere behind the one before it, its leftmost place is never worse than another.
//! `_` is a character: one byte in a text that is ASCII, and others are asked of the pattern. Where nothing but `_` stands
//! between two `%`, it may as well stand at the end of what comes before, because `%_` and `_%` are one.
//!
//! The first string between two `%` is searched for in many rows at once, whose bytes lie behind each other, and a hit is
//! mapped back to the row in which it lies.

use super::search::{Needle, up_to};
use crate::cpu::vector::bitmap::Bitmap;
use multiloop_planner::evaluate::like::LikePattern;

/// A pattern of LIKE.
pub(crate) struct Wildcards {
    start: Needle,
    middle: Vec<Needle>,
    /// None if the start is all.
    end: Option<Needle>,
    /// The pattern, if it has a `_`.
    pattern: Option<LikePattern>,
}

impl Wildcards {
    /// What matches a pattern, in its case.
    pub(crate) fn new(pattern: LikePattern) -> Self {
        let mut segments: Vec<Vec<Option<u8>>> = pattern.segments().collect();
        let has_any = segments.iter().flatten().any(Option::is_none);
        let end = if segments.len() > 1 { segments.pop() } else { None };
        let mut kept: Vec<Vec<Option<u8>>> = Vec::with_capacity(segments.len());
        for segment in segments {
            match kept.last_mut() {
                Some(last) if segment.iter().all(Option::is_none) => last.extend(segment),
                _ => kept.push(segment),
            }
        }
        let mut needles = kept.iter().map(|segment| Needle::of(segment));
        Wildcards {
            start: needles.next().unwrap_or_else(|| Needle::of(&[])),
            middle: needles.collect(),
            end: end.map(|end| Needle::of(&end)),
            pattern: has_any.then_some(pattern),
        }
    }

    /// What holds a text.
    pub(crate) fn containing(text: &str) -> Self {
        let middle = if text.is_empty() { Vec::new() } else { vec![Needle::new(text)] };
        Wildcards { start: Needle::new(""), middle, end: Some(Needle::new("")), pattern: None }
    }

    /// What texts are asked of which bytes do not tell.
    pub(crate) fn pattern(&self) -> Option<&LikePattern> {
        self.pattern.as_ref()
    }

    /// Whether a text matches, if its bytes tell.
    pub(crate) fn tell(&self, bytes: &[u8]) -> Option<bool> {
        (self.pattern.is_none() || bytes.is_ascii()).then(|| self.matches(bytes))
    }

    fn matches(&self, bytes: &[u8]) -> bool {
        self.between(bytes).is_some_and(|between| found(between, &self.middle))
    }

    /// The bytes behind the start and before the end, if they are there.
    #[inline]
    fn between<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        if !self.start.starts(bytes) {
            return None;
        }
        let rest = &bytes[self.start.len()..];
        let Some(end) = &self.end else { return rest.is_empty().then_some(rest) };
        let (rest, last) = rest.split_at_checked(rest.len().checked_sub(end.len())?)?;
        end.starts(last).then_some(rest)
    }

    /// Marks the rows that match, by their ends in some bytes; false if bytes do not tell of all of them.
    pub(crate) fn tell_rows(&self, offsets: &[i32], bytes: &[u8], bits: &mut Bitmap) -> bool {
        if self.pattern.is_some() && !bytes.is_ascii() {
            return false;
        }
        let (len, start) = (offsets.len() - 1, offsets[0] as usize);
        match self.middle.split_first() {
            Some((first, rest)) => self.find_rows(offsets, bytes, (first, rest), bits),
            None => bits.fill(len, |row| {
                self.matches(&bytes[offsets[row] as usize - start..offsets[row + 1] as usize - start])
            }),
        }
        true
    }

    fn find_rows(&self, offsets: &[i32], bytes: &[u8], (first, rest): (&Needle, &[Needle]), bits: &mut Bitmap) {
        bits.reset(offsets.len() - 1, false);
        let base = offsets[0] as usize;
        let mut row = 0;
        first.each(bytes, |hit| {
            row += rows_before(&offsets[row + 1..], base + hit);
            let (start, end) = (offsets[row] as usize - base, offsets[row + 1] as usize - base);
            if hit < start + self.start.len() {
                // It overlaps what stands at the start of its row.
                return (hit + 1).max((start + self.start.len()).min(end));
            }
            if hit + first.len() > end {
                // It lies across a border of rows; another may begin within it.
                return hit + 1;
            }
            if let Some(between) = self.between(&bytes[start..end])
                && let Some(behind) = between.get(hit + first.len() - start - self.start.len()..)
                && found(behind, rest)
            {
                bits.set(row, true);
            }
            // The leftmost hit is never worse than another of the same row.
            end
        });
    }
}

/// Whether strings are found, one behind the other.
fn found(mut bytes: &[u8], strings: &[Needle]) -> bool {
    for string in strings {
        let Some(at) = string.find(bytes) else { return false };
        bytes = &bytes[at + string.len()..];
    }
    true
}

/// How many rows, given by their ends, end at or before a byte.
fn rows_before(ends: &[i32], byte: usize) -> usize {
    let (near, _) = ends[..ends.len().min(NEAR)].as_chunks();
    let before = up_to(near, byte as i32);
    if before < 16 * near.len() {
        return before;
    }
    let ends = &ends[before..];
    let ended = |at: usize| ends.get(at).is_some_and(|&end| end as usize <= byte);
    let mut step = 1;
    while ended(step) {
        step *= 2;
    }
    let (low, high) = (step / 2, step.min(ends.len()));
    before + low + ends[low..high].partition_point(|&end| end as usize <= byte)
}

/// Rows that are looked at together before a hit counts as far away.
const NEAR: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of all lengths, in rows behind each other, of few characters.
    fn texts(characters: &[char]) -> Vec<String> {
        let mut texts = vec![String::new(), "b".repeat(200) + "a-b"];
        for len in 1..5_u32 {
            for mut number in 0..(characters.len() as u32).pow(len) {
                let mut text = String::new();
                for _ in 0..len {
                    text.push(characters[number as usize % characters.len()]);
                    number /= characters.len() as u32;
                }
                texts.push(text);
            }
        }
        texts
    }

    #[test]
    fn bytes_tell_what_patterns_do() {
        let patterns = [
            "", "%", "_", "%%", "%_", "_%", "%_%", "__", "%__%_%", "a_", "_a", "a_b", "%a_b%", "%a%_%b", "a%b",
            "a%b%a", "a%_b", "_%b_%_", "%ab%", "a%a", "ab%b", "%a_%_b%", "%a%b%", "_a%b_", "b%_%_", "%ä_%", "a_ä%",
            "ä%ä", "%\\%_%", "a\\_%",
        ];
        for characters in [&['a', 'b', '%'][..], &['a', 'b', 'ä'], &['a', '_', '\u{301}'], &['ä', 'a', '日', '🦀']]
        {
            let texts = texts(characters);
            let all = texts.concat();
            let mut offsets = vec![0];
            texts.iter().for_each(|text| offsets.push(offsets[offsets.len() - 1] + text.len() as i32));
            for text in patterns {
                let pattern = LikePattern::new(text, None).unwrap();
                let wildcards = Wildcards::new(pattern.clone());
                for text in &texts {
                    let told = wildcards.tell(text.as_bytes());
                    assert_eq!(
                        told.unwrap_or_else(|| pattern.matches(text)),
                        pattern.matches(text),
                        "{pattern:?} {text}"
                    );
                    assert!(told.is_some() || !text.is_ascii());
                }
                // From a row in the middle on, too.
                for first in [0, 5] {
                    let mut bits = Bitmap::default();
                    let bytes = &all.as_bytes()[offsets[first] as usize..];
                    if wildcards.tell_rows(&offsets[first..], bytes, &mut bits) {
                        let told: Vec<bool> = (0..texts.len() - first).map(|row| bits.get(row)).collect();
                        let expected: Vec<bool> = texts[first..].iter().map(|text| pattern.matches(text)).collect();
                        assert_eq!(told, expected, "{pattern:?}");
                    }
                }
            }
        }
        assert_eq!(Wildcards::containing("").tell(b""), Some(true));
        assert_eq!(Wildcards::containing("b").tell("äb".as_bytes()), Some(true));
    }
}
