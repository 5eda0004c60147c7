//! The strings of a column one after the other, and their order by their first bytes: to compare two strings as two numbers takes
//! far less than to compare their bytes.

use super::{Column, ColumnData};
use std::cmp::Ordering;

/// Bytes that one number holds.
const HEAD: usize = 16;

/// A string, and its first 16 bytes as a number that compares as they do; what is missing is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headed<'a> {
    head: u128,
    text: &'a [u8],
}

impl<'a> Headed<'a> {
    /// The first `len` of some bytes; what stands behind these may be read, too.
    #[inline]
    pub(super) fn new(behind: &'a [u8], len: usize) -> Self {
        let text = &behind[..len];
        let head = match behind.first_chunk::<HEAD>() {
            // Shifted by all bits nothing is left.
            Some(head) if len < HEAD => {
                u128::from_be_bytes(*head) & u128::MAX.checked_shl(8 * (HEAD - len) as u32).unwrap_or(0)
            }
            Some(head) => u128::from_be_bytes(*head),
            None => {
                let mut head = [0; HEAD];
                head[..len].copy_from_slice(text);
                u128::from_be_bytes(head)
            }
        };
        Headed { head, text }
    }

    /// Its bytes.
    pub(super) fn text(self) -> &'a [u8] {
        self.text
    }
}

impl Ord for Headed<'_> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.head.cmp(&other.head).then_with(|| match self.text.len().max(other.text.len()) <= HEAD {
            // One is the other and zeros.
            true => self.text.len().cmp(&other.text.len()),
            false => self.text.cmp(other.text),
        })
    }
}

impl PartialOrd for Headed<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Headed<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head
            && self.text.len() == other.text.len()
            && (self.text.len() <= HEAD || self.text == other.text)
    }
}

impl Eq for Headed<'_> {}

/// Calls `f` with the row and the string of each row that is not NULL, in order; of a column that is no text with none.
#[inline]
pub(super) fn for_each_string<'a>(column: &'a Column, mut f: impl FnMut(usize, Headed<'a>)) {
    /// As above, with what gives the bytes from a row's string on, and how many are its.
    fn each<'a>(column: &Column, behind: impl Fn(usize) -> (&'a [u8], usize), mut f: impl FnMut(usize, Headed<'a>)) {
        let mut string = |row: usize| {
            let (behind, len) = behind(row);
            f(row, Headed::new(behind, len));
        };
        match &column.nulls {
            None => (0..column.rows()).for_each(string),
            Some(nulls) => nulls.valid_indices().for_each(&mut string),
        }
    }
    match &column.data {
        ColumnData::Text { offsets, bytes } => {
            let behind = |row: usize| {
                let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
                (&bytes[start..], end - start)
            };
            each(column, behind, f);
        }
        ColumnData::Views { views, buffers } => {
            let behind = |row: usize| {
                let view = views[row];
                (view.bytes_behind(&buffers[view.buffer as usize]), view.length as usize)
            };
            each(column, behind, f);
        }
        ColumnData::Dictionary8 { codes, dictionary } => {
            each(column, |row| dictionary.behind(codes[row].into()), &mut f)
        }
        ColumnData::Dictionary16 { codes, dictionary } => {
            each(column, |row| dictionary.behind(codes[row].into()), &mut f)
        }
        ColumnData::Dictionary32 { codes, dictionary } => each(column, |row| dictionary.behind(codes[row]), &mut f),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_order_strings_as_their_bytes_do() {
        let long = "0123456789abcdefgh";
        let mut texts: Vec<Vec<u8>> = (0..=long.len()).map(|len| long.as_bytes()[..len].to_vec()).collect();
        texts.extend(
            [&b"\0"[..], b"\0\0", b"a", b"a\0", b"a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", b"a\0b"].map(<[u8]>::to_vec),
        );
        texts.push([&[0xC3, 0xA9][..], &[b'x'; 20]].concat());
        texts.push([b'a', 0].into_iter().cycle().take(40).collect());
        for behind in ["", "zzzzzzzzzzzzzzzzzzzz", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"] {
            let with: Vec<(Vec<u8>, usize)> =
                texts.iter().map(|text| ([text, behind.as_bytes()].concat(), text.len())).collect();
            for (a, a_len) in &with {
                for (b, b_len) in &with {
                    let (x, y) = (Headed::new(a, *a_len), Headed::new(b, *b_len));
                    assert_eq!(x.cmp(&y), a[..*a_len].cmp(&b[..*b_len]), "{x:?} {y:?}");
                    assert_eq!(x == y, a[..*a_len] == b[..*b_len]);
                    assert_eq!(x.text(), &a[..*a_len]);
                }
            }
        }
    }
}
