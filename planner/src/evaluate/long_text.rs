//! Builder of texts that may become long: counts memory before it is taken, hears a cancel while the text grows, and refuses what is
//! longer than PostgreSQL's texts. With loops over the characters of texts that may be long.

use super::text::{BYTES_MAX, too_long};
use crate::error::Result;
use crate::meter::{self, Room};
use crate::value::Value;
use memchr::memmem::Finder;

/// Bytes that are copied at once.
const BLOCK: usize = 1 << 16;

/// A text that grows.
#[derive(Debug, Default)]
pub(super) struct LongText {
    text: String,
    room: Room,
}

impl LongText {
    /// An empty one with room for so many bytes.
    ///
    /// # Errors
    /// 54001 for more bytes than a text has, 53200, 57014.
    pub(super) fn with_room(bytes: usize) -> Result<Self> {
        let mut text = LongText::default();
        text.grow(bytes)?;
        Ok(text)
    }

    /// Makes room for so many bytes more.
    #[cold]
    fn grow(&mut self, more: usize) -> Result<()> {
        let needed = self.text.len().saturating_add(more);
        if needed > BYTES_MAX {
            return Err(too_long());
        }
        let wanted = needed.max(self.text.capacity().saturating_mul(2)).min(BYTES_MAX);
        meter::spend(self.text.len() / 8)?;
        self.room.hold(wanted)?;
        self.text.reserve_exact(wanted - self.text.len());
        Ok(())
    }

    /// Appends a text.
    ///
    /// # Errors
    /// As [`LongText::with_room`].
    #[inline]
    pub(super) fn push(&mut self, part: &str) -> Result<()> {
        if part.len() > self.text.capacity() - self.text.len() {
            self.grow(part.len())?;
        }
        if part.len() <= BLOCK {
            meter::spend(part.len())?;
            self.text.push_str(part);
            return Ok(());
        }
        meter::pieces(part).try_for_each(|piece| piece.map(|piece| self.text.push_str(piece)))
    }

    /// Appends characters, some of a piece of so many bytes that are spent already.
    ///
    /// # Errors
    /// As [`LongText::with_room`].
    pub(super) fn extend(&mut self, bytes: usize, characters: impl Iterator<Item = char>) -> Result<()> {
        if bytes > self.text.capacity() - self.text.len() {
            self.grow(bytes)?;
        }
        for character in characters {
            if character.len_utf8() > self.text.capacity() - self.text.len() {
                self.grow(character.len_utf8())?;
            }
            self.text.push(character);
        }
        Ok(())
    }

    /// Appends a text so many times.
    ///
    /// # Errors
    /// As [`LongText::with_room`].
    pub(super) fn repeat(&mut self, part: &str, times: usize) -> Result<()> {
        let bytes = part.len().saturating_mul(times);
        if bytes > self.text.capacity() - self.text.len() {
            self.grow(bytes)?;
        }
        let in_block = (BLOCK / part.len().max(1)).clamp(1, times.max(1));
        if in_block == 1 {
            return (0..times).try_for_each(|_| self.push(part));
        }
        let block = part.repeat(in_block);
        (0..times / in_block).try_for_each(|_| self.push(&block))?;
        self.push(&block[..part.len() * (times % in_block)])
    }

    /// The text as it is now.
    #[cfg(test)]
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The text.
    pub(super) fn value(self) -> Value {
        Value::text(self.text)
    }
}

/// A text of which each character becomes another one, or none; `ascii` does all bytes of a piece in ASCII at once.
pub(super) fn mapped(
    text: &str,
    ascii: Option<fn(&mut str)>,
    mut map: impl FnMut(char) -> Option<char>,
) -> Result<Value> {
    let mut out = LongText::with_room(text.len())?;
    for piece in meter::pieces(text) {
        let piece = piece?;
        match ascii.filter(|_| piece.is_ascii()) {
            Some(ascii) => {
                let mut piece = piece.to_owned();
                ascii(&mut piece);
                out.text.push_str(&piece);
            }
            None => {
                // What maps characters may take its time with them.
                meter::spend(piece.len().saturating_mul(8))?;
                out.extend(piece.len(), piece.chars().filter_map(&mut map))?;
            }
        }
    }
    Ok(out.value())
}

/// How many characters a text has.
pub(super) fn characters(text: &str) -> Result<i64> {
    if text.len() < BLOCK {
        meter::spend(text.len() / 8)?;
        return Ok(text.chars().count() as i64);
    }
    meter::pieces(text).try_fold(0, |count, piece| Ok(count + piece?.chars().count() as i64))
}

/// The byte at which a character begins, counted from 0; the text's end behind the last.
pub(super) fn byte_of(text: &str, character: i64) -> Result<usize> {
    let Some(mut left) = usize::try_from(character).ok().filter(|&left| left > 0) else { return Ok(0) };
    let mut start = 0;
    for piece in meter::pieces(text) {
        let piece = piece?;
        if let Some((at, _)) = piece.char_indices().nth(left) {
            return Ok(start + at);
        }
        (start, left) = (start + piece.len(), left - piece.chars().count());
    }
    Ok(start)
}

/// Looks for a text in others; see [`Part::find`].
pub(super) struct Part<'a> {
    finder: Finder<'a>,
    length: usize,
}

impl<'a> Part<'a> {
    /// For a text that is not empty.
    pub(super) fn new(part: &'a str) -> Self {
        Part { finder: Finder::new(part), length: part.len() }
    }

    /// The first byte from one on at which the text stands in another.
    pub(super) fn find(&self, text: &str, from: usize) -> Result<Option<usize>> {
        let bytes = text.as_bytes();
        let mut start = from;
        while start < bytes.len() {
            let end = bytes.len().min(start + BLOCK.max(self.length) + self.length - 1);
            meter::spend((end - start) / 4)?;
            if let Some(at) = self.finder.find(&bytes[start..end]) {
                return Ok(Some(start + at));
            }
            if end == bytes.len() {
                return Ok(None);
            }
            start = end + 1 - self.length;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_what_was_pushed() {
        let mut text = LongText::default();
        let long = "äb".repeat(BLOCK);
        text.push("x").expect("short");
        text.push(&long).expect("it fits");
        text.repeat("yz", 3 * BLOCK + 1).expect("it fits");
        text.repeat(&long, 2).expect("it fits");
        text.repeat("", 9).expect("nothing");
        assert_eq!(text.as_str(), format!("x{long}{}{long}{long}", "yz".repeat(3 * BLOCK + 1)));
        assert_eq!(text.repeat("x", BYTES_MAX).map_err(|error| error.sqlstate()), Err("54001"));
    }

    #[test]
    fn parts_are_found_where_windows_meet() {
        let part = "xyz";
        for before in [0, 1, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3] {
            let text = "x".repeat(before) + part + "x";
            assert_eq!(Part::new(part).find(&text, 0), Ok(Some(before)), "{before}");
            assert_eq!(Part::new(part).find(&text, before + 1), Ok(None));
            assert_eq!(Part::new(&text).find(&text, 0), Ok(Some(0)));
        }
        assert_eq!(Part::new("a").find("", 0), Ok(None));
    }

    #[test]
    fn characters_are_counted_across_pieces() {
        let text = "äx€".repeat(BLOCK);
        assert_eq!(characters(&text), Ok(3 * BLOCK as i64));
        let at = text.char_indices().nth(2 * BLOCK + 1).map(|(at, _)| at);
        assert_eq!(byte_of(&text, 2 * BLOCK as i64 + 1).ok(), at);
        assert_eq!(byte_of(&text, i64::MAX), Ok(text.len()));
        assert_eq!(byte_of(&text, -3), Ok(0));
    }
}
