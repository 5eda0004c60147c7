//! Elements that are texts: they are as long as they are, so that the one at a place is found from the one before it.
//!
//! Who takes an array apart asks for its elements one after the other: the last place is kept, and the next one is looked for
//! from there. An element that is a text as it stands is a slice of the array.

use super::fixed::Unnested;
use super::{END, ESCAPE, NULL, Places, VALUE, bytes, end_of, is_valid, lower_of, strict_nulls};
use crate::column::TextView;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use memchr::{memchr, memchr3};
use multiloop_planner::evaluate::array::ESCAPED;

/// Eights of bytes of a text that are looked at before `memchr` is called.
const SHORT: usize = 4;

/// How many marks of elements stand before a byte of an array. What stands behind it may be read.
#[inline(always)]
pub(super) fn marks(bytes: &[u8], end: usize) -> usize {
    const { assert!(VALUE | 1 == NULL, "one comparison finds both") };
    let is_mark = |byte: u8| byte | 1 == NULL;
    let mut count = 0;
    for start in (0..end).step_by(64) {
        let own = (end - start).min(64);
        count += match bytes[start..].first_chunk::<64>() {
            // In bytes, and of all 64: as many for all blocks, so that this is a few instructions without a jump.
            Some(block) => {
                let one = |(at, &byte): (usize, &u8)| u8::from(is_mark(byte) & ((at as u8) < own as u8));
                usize::from(block.iter().enumerate().map(one).sum::<u8>())
            }
            None => bytes[start..end].iter().filter(|&&byte| is_mark(byte)).count(),
        };
    }
    count
}

/// The elements of an array, one after the other.
#[derive(Default)]
struct Cursor {
    /// Where the array is: its first byte's address and how many it has.
    array: (usize, usize),
    /// How many elements lie before a byte.
    passed: i64,
    at: usize,
    /// Where the element that begins there ends; 0 where that is not known.
    end: usize,
    /// Whether it has escaped bytes; only where that end is known.
    is_escaped: bool,
}

impl Cursor {
    /// Where the element at a position begins and ends; none of NULL, and where there is none.
    #[inline]
    fn find(&mut self, array: &[u8], position: i64) -> Option<(usize, usize)> {
        let own = (array.as_ptr().addr(), array.len());
        if own != self.array || position < self.passed {
            *self = Cursor { array: own, ..Cursor::default() };
        }
        self.find_here(array, position)
    }

    /// The same in the array that the cursor is in, at a position that is not before it.
    #[inline]
    fn find_here(&mut self, array: &[u8], position: i64) -> Option<(usize, usize)> {
        if position < 0 {
            return None;
        }
        while self.passed < position {
            match array.get(self.at) {
                Some(&VALUE) => self.at = self.end_of_value(array),
                Some(&NULL) => self.at += 1,
                _ => return None,
            }
            (self.passed, self.end) = (self.passed + 1, 0);
        }
        if array.get(self.at) != Some(&VALUE) {
            return None;
        }
        self.end = self.end_of_value(array);
        Some((self.at + 1, self.end))
    }

    #[inline]
    fn end_of_value(&mut self, array: &[u8]) -> usize {
        if self.end > 0 {
            return self.end;
        }
        let start = self.at + 1;
        let end = first_below(array, start, ESCAPE + 1);
        self.is_escaped = array.get(end) == Some(&ESCAPE);
        if self.is_escaped { end_of_value(array, end) } else { end }
    }
}

/// The elements at positions that a nest goes over.
pub(in crate::cpu) fn unnested(asked: &Unnested<'_>, len: usize, out: &mut Vector) {
    let (arrays, mut texts) = (asked.arrays, out.take_text());
    let is_shared = arrays.is_shared();
    if let (true, Some(buffers)) = (is_shared, arrays.buffers()) {
        texts.set_buffers(buffers.clone());
    }
    let mut missing = Vec::new();
    // The array that the cursor is in, and the view of it.
    let (mut cursor, mut origin, mut array) = (Cursor::default(), None, &[][..]);
    let mut view = TextView::EMPTY;
    for (tuple, (&own, &position)) in asked.origins.iter().zip(asked.positions).enumerate().take(len) {
        let position = asked.first + i64::from(position);
        if origin != Some(own) || position < cursor.passed {
            (cursor, origin) = (Cursor::default(), Some(own));
            (array, view) = (arrays.bytes(own as usize), arrays.views()[own as usize]);
        }
        let Some((start, end)) = cursor.find_here(array, position) else {
            missing.push(tuple);
            texts.push_view(TextView::EMPTY);
            continue;
        };
        if cursor.is_escaped {
            texts.push(&plain(&array[start..end]));
        } else if is_shared {
            let (offset, length) = (view.offset + start as u32, (end - start) as u32);
            texts.push_view(TextView { offset, length, ..view });
        } else {
            texts.push(std::str::from_utf8(&array[start..end]).unwrap_or(""));
        }
    }
    let mut nulls = None;
    for tuple in missing {
        nulls.get_or_insert_with(|| Bitmap::new(len, true)).set(tuple, false);
    }
    out.set(len, VectorData::Text(texts), nulls);
}

/// Where the value that begins here ends.
#[inline]
pub(super) fn end_of_value(array: &[u8], start: usize) -> usize {
    first_below(array, start, ESCAPE)
}

/// The first byte from a place on that is less than a limit, which is that of marks, or one more.
#[inline]
fn first_below(array: &[u8], start: usize, limit: u8) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let rest = &array[start..];
    // Most elements are short, and no text has the byte 0.
    let (eights, _) = rest.as_chunks::<8>();
    for (number, eight) in eights.iter().take(SHORT).enumerate() {
        let word = u64::from_le_bytes(*eight);
        // Bytes that borrow and had no highest bit; above the first one others may borrow, too.
        let less = word.wrapping_sub(ONES * u64::from(limit)) & !word & (ONES << 7);
        if less != 0 {
            return start + number * 8 + less.trailing_zeros() as usize / 8;
        }
    }
    let near = eights.len().min(SHORT) * 8;
    let mark = memchr3(END, VALUE, NULL, &rest[near..]).map_or(rest.len(), |far| near + far);
    let escape = if limit > ESCAPE { memchr(ESCAPE, &rest[near..mark]) } else { None };
    start + escape.map_or(mark, |far| near + far)
}

/// The texts at places.
pub(super) fn nth(places: Places, (array, place): (&Vector, &Vector), len: usize, out: &mut Vector) -> bool {
    if !matches!(place.data, VectorData::I32(_) | VectorData::I64(_)) {
        return false;
    }
    let number = |tuple: usize| match &place.data {
        VectorData::I32(values) => i64::from(values[place.position(tuple)]),
        VectorData::I64(values) => values[place.position(tuple)],
        _ => -1,
    };
    let mut cursor = Cursor::default();
    let nulls = strict_nulls(&[array, place], len, out);
    let mut found = Bitmap::new(len, true);
    let mut texts = out.take_text();
    elements_of(array, len, &mut texts, |tuple| {
        let part = Some(tuple).filter(|&tuple| is_valid(&nulls, tuple)).and_then(|tuple| {
            let bytes = bytes(array, tuple);
            let range = cursor.find(bytes, position(places, bytes, number(tuple))?)?;
            Some((bytes, range, cursor.is_escaped))
        });
        if part.is_none() {
            found.set(tuple, false);
        }
        part
    });
    out.set(len, VectorData::Text(texts), (!found.is_full()).then_some(found));
    true
}

/// The position of an element that has this number.
#[inline]
fn position(places: Places, array: &[u8], number: i64) -> Option<i64> {
    match places {
        Places::Positions => Some(number),
        Places::Subscripts => number.checked_sub(lower_of(array, end_of(array))?),
        Places::FromEitherEnd if number > 0 => Some(number - 1),
        Places::FromEitherEnd if number == 0 => None,
        Places::FromEitherEnd => number.checked_add(marks(array, end_of(array)) as i64),
    }
}

/// Appends the elements that are found, in an array from one byte to another, and with escaped bytes or without: slices of what arrays share, copies of what only this vector has.
fn elements_of<'v>(
    array: &'v Vector,
    len: usize,
    texts: &mut TextVector,
    mut find: impl FnMut(usize) -> Option<(&'v [u8], (usize, usize), bool)>,
) {
    let shared = match &array.data {
        VectorData::Text(arrays) => Some(arrays).filter(|arrays| arrays.is_shared()),
        _ => None,
    };
    if let Some(buffers) = shared.and_then(TextVector::buffers) {
        texts.set_buffers(buffers.clone());
    }
    for tuple in 0..len {
        let Some((bytes, (start, end), is_escaped)) = find(tuple) else {
            texts.push("");
            continue;
        };
        let content = &bytes[start..end];
        match shared {
            _ if is_escaped => texts.push(&plain(content)),
            Some(arrays) => {
                let view = arrays.views()[array.position(tuple)];
                texts.push_view(TextView { offset: view.offset + start as u32, length: (end - start) as u32, ..view });
            }
            None => texts.push(std::str::from_utf8(content).unwrap_or("")),
        }
    }
}

/// A text without what its escaped bytes stand behind.
pub(super) fn plain(content: &[u8]) -> String {
    let mut plain = Vec::with_capacity(content.len());
    let mut bytes = content.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            ESCAPE => plain.extend(bytes.next().map(|byte| byte.wrapping_sub(ESCAPED))),
            byte => plain.push(byte),
        }
    }
    String::from_utf8(plain).unwrap_or_default()
}
