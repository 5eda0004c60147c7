//! The parts of a text between separators as an array of texts.

use super::{END, ESCAPE, VALUE, is_text, is_valid, strict_nulls};
use crate::cpu::vector::{Vector, VectorData};
use memchr::memmem::Finder;
use multiloop_planner::evaluate::array::TAIL;

/// `string_to_array` by a separator that is known and not empty, of texts none of which has to be escaped.
pub(super) fn split(text: &Vector, separator: &Vector, len: usize, out: &mut Vector) -> bool {
    let separator =
        separator.text(0).filter(|text| separator.constant && separator.nulls.is_none() && !text.is_empty());
    let Some(separator) = separator else { return false };
    if text.constant || !is_text(text) {
        return false;
    }
    let nulls = strict_nulls(&[text], len, out);
    let finder = Finder::new(separator);
    let mut arrays = out.take_text();
    for tuple in 0..len {
        let text = if is_valid(&nulls, tuple) { text.text(tuple).unwrap_or("") } else { "" };
        if text.bytes().fold(false, |any, byte| any | (byte <= ESCAPE)) {
            return false;
        }
        // What is appended are whole texts and ASCII.
        arrays.push_written(|array| {
            if text.is_empty() {
                return array.push(END);
            }
            array.push(VALUE);
            if let &[separator] = separator.as_bytes() {
                // Where it stands an element begins.
                array.extend(text.bytes().map(|byte| if byte == separator { VALUE } else { byte }));
            } else {
                let mut start = 0;
                for at in finder.find_iter(text.as_bytes()) {
                    array.extend_from_slice(&text.as_bytes()[start..at]);
                    array.push(VALUE);
                    start = at + separator.len();
                }
                array.extend_from_slice(&text.as_bytes()[start..]);
            }
            array.push(END);
            array.extend_from_slice(TAIL.as_bytes());
        });
    }
    // Elements are going to be slices of them.
    arrays.share();
    out.set(len, VectorData::Text(arrays), nulls);
    true
}
