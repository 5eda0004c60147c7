//! Places of rows, PostgreSQL's `tid`: `(block,offset)`.
//!
//! A row of number n is in block n / 256, at the offset n % 256 + 1, and its place is carried by n itself, so that comparisons of places
//! are those of numbers. Pairs that no row has are carried by larger numbers, and come behind all rows.

use crate::error::{Error, ErrorKind, Result};

/// Rows of a block.
const BLOCK_ROWS: i64 = 256;

/// Rows of a table, at most, as far as their places go: those of tables that have been written anew begin with a multiple of this.
const EPOCH_ROWS: i64 = 1 << 32;

/// The place of the first row of a table that has been written anew so often, modulo 256.
pub(crate) fn first_of(epoch: u8) -> i64 {
    i64::from(epoch) * EPOCH_ROWS
}

/// What the pairs that no row has begin with.
const NO_ROW: i64 = 1 << 41;

/// What carries a pair.
pub fn of(block: u32, offset: u16) -> i64 {
    let (block, offset) = (i64::from(block), i64::from(offset));
    match (1..=BLOCK_ROWS).contains(&offset) {
        true => block * BLOCK_ROWS + offset - 1,
        false => NO_ROW + (block << 16) + offset,
    }
}

/// The pair that a number carries.
pub fn pair(place: i64) -> (u32, u16) {
    let (block, offset) = match place - NO_ROW {
        other @ 0.. => (other >> 16, other & 0xFFFF),
        _ => (place / BLOCK_ROWS, place % BLOCK_ROWS + 1),
    };
    (block as u32, offset as u16)
}

/// The text of a place.
pub(super) fn show(place: i64) -> String {
    let (block, offset) = pair(place);
    format!("({block},{offset})")
}

/// The place of a text.
///
/// # Errors
/// 22P02 for a text that is none.
pub(super) fn read(text: &str) -> Result<i64> {
    let inner = text.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let parts = inner.and_then(|inner| inner.split_once(','));
    let place =
        parts.and_then(|(block, offset)| Some(of(block.trim_start().parse().ok()?, offset.trim_start().parse().ok()?)));
    place.ok_or_else(|| Error::new(ErrorKind::InvalidText, format!("invalid input syntax for type tid: \"{text}\"")))
}

#[cfg(test)]
mod tests {
    use super::{of, pair, read, show};

    #[test]
    fn places_are_pairs() {
        for (text, place) in
            [("(0,1)", 0), ("(0,2)", 1), ("(0,256)", 255), ("(1,1)", 256), ("(4294967295,256)", (1 << 40) - 1)]
        {
            assert_eq!((read(text), show(place).as_str()), (Ok(place), text));
        }
        for (block, offset) in [(0, 0), (0, 257), (7, 65535), (u32::MAX, 0), (u32::MAX, u16::MAX)] {
            assert!(of(block, offset) >= 1 << 40);
            assert_eq!(pair(of(block, offset)), (block, offset));
        }
        for wrong in ["", "(0,1", "0,1", "(0)", "(-1,1)", "(0,65536)", "(a,1)"] {
            assert_eq!(read(wrong).map_err(|error| error.sqlstate()), Err("22P02"), "{wrong}");
        }
    }
}
