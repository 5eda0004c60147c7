//! Room for strings that are written one behind the other: an arena is made long enough for all of them first, so that a short
//! piece is copied as sixteen bytes, whatever its length, and nothing asks for memory on the way.

use super::{ARENA_MAX, TextVector};
use crate::column::TextView;

/// Bytes of a short piece, which is copied whole.
const SHORT: usize = 16;

/// Bytes behind the last string that a copy of a short piece may touch.
const SLACK: usize = 64;

/// Bytes of an arena, and where the next piece goes. Pieces are valid UTF-8, which the caller answers for.
pub(crate) struct Room<'r> {
    bytes: &'r mut [u8],
    at: usize,
}

impl Room<'_> {
    /// Writes sixteen bytes, of which so many count.
    ///
    /// # Panics
    /// If there is less room.
    #[inline(always)]
    pub(crate) fn put_short(&mut self, bytes: [u8; SHORT], length: usize) {
        self.bytes[self.at..self.at + SHORT].copy_from_slice(&bytes);
        self.at += length;
    }

    /// Writes so many bytes of others from a place on.
    ///
    /// # Panics
    /// If there are fewer, or less room.
    #[inline(always)]
    pub(crate) fn put(&mut self, from: &[u8], start: usize, length: usize) {
        match from.get(start..start + SHORT).and_then(<[u8]>::first_chunk) {
            Some(short) if length <= SHORT => self.put_short(*short, length),
            _ => self.put_long(&from[start..start + length]),
        }
    }

    fn put_long(&mut self, piece: &[u8]) {
        self.bytes[self.at..self.at + piece.len()].copy_from_slice(piece);
        self.at += piece.len();
    }
}

impl TextVector {
    /// Appends `len` strings, each of which `write` puts together from pieces, and which have at most `most` bytes together: false,
    /// and nothing is done, if these are more than an arena takes.
    ///
    /// # Panics
    /// If there are more bytes than that.
    pub(crate) fn push_put(&mut self, len: usize, most: usize, mut write: impl FnMut(usize, &mut Room<'_>)) -> bool {
        let start = self.arena.len();
        if start.saturating_add(most) > ARENA_MAX {
            return false;
        }
        self.arena.resize(start + most + SLACK, 0);
        let mut room = Room { bytes: &mut self.arena, at: start };
        self.views.reserve(len);
        for tuple in 0..len {
            let first = room.at;
            write(tuple, &mut room);
            let length = (room.at - first) as u32;
            self.views.push(TextView { buffer: TextView::ARENA, offset: first as u32, length });
        }
        let end = room.at;
        assert!(end <= start + most, "bug: strings are longer than was said");
        self.arena.truncate(end);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_all_lengths() {
        let all: String = ('a'..='z').cycle().take(70).collect();
        for length in 0..=all.len() {
            for start in [0, all.len() - length] {
                let mut texts = TextVector::default();
                texts.push("before");
                let done = texts.push_put(3, 3 * (2 * length + 1), |_, room| {
                    room.put(all.as_bytes(), start, length);
                    room.put_short(*b"-...............", 1);
                    room.put(all.as_bytes(), start, length);
                });
                assert!(done);
                texts.push("behind");
                let piece = &all[start..start + length];
                let expected = format!("{piece}-{piece}");
                let found: Vec<&str> = (0..texts.len()).map(|at| texts.get(at)).collect();
                assert_eq!(found, ["before", &expected, &expected, &expected, "behind"]);
            }
        }
        assert!(!TextVector::default().push_put(1, ARENA_MAX + 1, |_, _| ()));
    }
}
