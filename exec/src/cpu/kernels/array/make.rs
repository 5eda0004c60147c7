//! Arrays made of elements, and of other arrays' elements.

use super::text::end_of_value;
use super::{END, ESCAPE, NULL, TAIL, VALUE, bytes, each_kind, end_of, escape, is_text, is_valid, strict_nulls};
use crate::Result;
use crate::column::TextView;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use multiloop_planner::evaluate::array::{Fixed, Form};
use multiloop_planner::meter;
use multiloop_planner::types::DataType;
use std::ops::Range;

/// Bytes that are copied without a look at whether the statement goes on, and without being counted.
const COPIED_MAX: usize = 1 << 26;

/// Bytes of elements that are joined without a look at whether the statement goes on.
const JOINED: usize = 1 << 16;

/// `ARRAY[a, b, …]`.
pub(super) fn make(form: Form, elements: &[&Vector], len: usize, out: &mut Vector) -> bool {
    if !elements.iter().all(|element| is_of(form, element)) || elements.is_empty() {
        return false;
    }
    let mut arrays = out.take_text();
    if let Form::Fixed(fixed) = form {
        let length = elements.len() * fixed.stride() + 1 + TAIL.len();
        if arrays.write_alike(len, length, |arrays| write_arrays(fixed, elements, length, arrays)) {
            out.set(len, VectorData::Text(arrays), None);
            return true;
        }
    }
    for tuple in 0..len {
        arrays.push_written(|array| {
            elements.iter().for_each(|element| push(form, element, tuple, array));
            array.push(END);
            array.extend_from_slice(TAIL.as_bytes());
        });
    }
    arrays.share();
    out.set(len, VectorData::Text(arrays), None);
    true
}

/// Arrays that are written at once.
const ROWS: usize = 64;

/// What stands behind the elements of an array of one dimension that counts from 1.
pub(super) const BEHIND: [u8; 10] = {
    let mut bytes = [END; 10];
    let (_, tail) = bytes.split_at_mut(1);
    tail.copy_from_slice(TAIL.as_bytes());
    bytes
};

/// An element of each of some arrays, as [`Fixed::word`] has it: the lower 64 bits, and the others.
struct Words {
    fronts: [u64; ROWS],
    backs: [u32; ROWS],
}

kernel! {
    /// Writes arrays of one length, some at a time: first a column's elements are spelled as words, many at once, and then these are put
    /// into their places. A word may have bytes behind its element, which the next one or the end is written over.
    fn write_arrays[](kind: Fixed, elements: &[&Vector], length: usize, arrays: &mut [u8]) {
        each_kind!(kind, KIND => {
            let mut words = Words { fronts: [0; ROWS], backs: [0; ROWS] };
            for (block, arrays) in arrays.chunks_mut(ROWS * length).enumerate() {
                let rows = block * ROWS..block * ROWS + arrays.len() / length;
                for (number, element) in elements.iter().enumerate() {
                    spell(KIND, element, rows.clone(), &mut words);
                    words.put(KIND, length, &mut arrays[number * KIND.stride()..]);
                }
                for array in arrays.chunks_exact_mut(length) {
                    if let Some(place) = array.last_chunk_mut() {
                        *place = BEHIND;
                    }
                }
            }
        });
    }
}

#[inline(always)]
fn spell(kind: Fixed, element: &Vector, rows: Range<usize>, words: &mut Words) {
    match &element.data {
        VectorData::Bool(bits) => {
            for (place, tuple) in rows.enumerate() {
                let key = u64::from(bits.get(element.position(tuple)));
                words.set(place, if element.is_null(tuple) { kind.word(NULL, 0) } else { kind.word(VALUE, key) });
            }
        }
        VectorData::I32(values) => {
            words.spell(kind, (element, values), rows, |value| kind.key_of_integer(i64::from(value)));
        }
        VectorData::I64(values) => words.spell(kind, (element, values), rows, |value| kind.key_of_integer(value)),
        VectorData::F64(values) => words.spell(kind, (element, values), rows, |value| kind.key_of_float(value)),
        _ => {}
    }
}

impl Words {
    #[inline(always)]
    fn set(&mut self, place: usize, word: u128) {
        (self.fronts[place], self.backs[place]) = (word as u64, (word >> 64) as u32);
    }

    #[inline(always)]
    fn spell<T: Copy>(
        &mut self,
        kind: Fixed,
        (element, values): (&Vector, &[T]),
        rows: Range<usize>,
        key: impl Fn(T) -> u64,
    ) {
        if element.nulls.is_none() && !element.constant {
            let places = self.fronts.iter_mut().zip(&mut self.backs);
            for ((front, back), &value) in places.zip(&values[rows]) {
                let word = kind.word(VALUE, key(value));
                (*front, *back) = (word as u64, (word >> 64) as u32);
            }
            return;
        }
        for (place, tuple) in rows.enumerate() {
            let is_null = element.is_null(tuple);
            let word =
                if is_null { kind.word(NULL, 0) } else { kind.word(VALUE, key(values[element.position(tuple)])) };
            self.set(place, word);
        }
    }

    /// Writes them to the front of each array; the last one may be shorter by the elements before.
    #[inline(always)]
    fn put(&self, kind: Fixed, length: usize, arrays: &mut [u8]) {
        for ((array, front), back) in arrays.chunks_mut(length).zip(&self.fronts).zip(&self.backs) {
            if kind.stride() > 8 {
                let Some(place) = array.first_chunk_mut::<12>() else { break };
                place[..8].copy_from_slice(&front.to_le_bytes());
                place[8..].copy_from_slice(&back.to_le_bytes());
            } else {
                let Some(place) = array.first_chunk_mut::<8>() else { break };
                *place = front.to_le_bytes();
            }
        }
    }
}

/// Whether a vector has elements of a form.
pub(super) fn is_of(form: Form, vector: &Vector) -> bool {
    match (form, &vector.data) {
        (Form::Text, VectorData::Text(_) | VectorData::Code { .. }) => true,
        (Form::Fixed(Fixed::Boolean), data) => matches!(data, VectorData::Bool(_)),
        (Form::Fixed(fixed), VectorData::I32(_) | VectorData::I64(_)) => !fixed.is_float(),
        (Form::Fixed(fixed), VectorData::F64(_)) => fixed.is_float(),
        _ => false,
    }
}

/// Appends the element that a tuple has.
#[inline]
pub(super) fn push(form: Form, vector: &Vector, tuple: usize, array: &mut Vec<u8>) {
    let position = vector.position(tuple);
    let is_null = vector.is_null(tuple);
    match form {
        Form::Text if is_null => array.push(NULL),
        Form::Text => {
            array.push(VALUE);
            escape(vector.text(tuple).unwrap_or(""), array);
        }
        Form::Fixed(fixed) if is_null => fixed.push(None, array),
        Form::Fixed(fixed) => fixed.push(
            Some(match &vector.data {
                VectorData::Bool(bits) => u64::from(bits.get(position)),
                VectorData::I32(values) => fixed.key_of_integer(values[position].into()),
                VectorData::I64(values) => fixed.key_of_integer(values[position]),
                VectorData::F64(values) => fixed.key_of_float(values[position]),
                _ => 0,
            }),
            array,
        ),
    }
}

/// What a number is among elements of another kind that has all of its values.
fn widened(from: Fixed, to: Fixed) -> Option<fn(Fixed, Fixed, u64) -> u64> {
    use Fixed as F;
    Some(match (from, to) {
        (F::Small, F::Integer | F::Long) | (F::Integer, F::Long) => {
            |from, to, key| to.key_of_integer(from.integer(key))
        }
        (F::Small | F::Integer, F::Double) | (F::Small, F::Real) => {
            |from, to, key| to.key_of_float(from.integer(key) as f64)
        }
        (F::Real, F::Double) => |from, to, key| to.key_of_float(from.float(key)),
        _ => return None,
    })
}

/// The same elements as a type that has all values of theirs.
pub(super) fn cast(
    (form, from): (Form, DataType),
    to: DataType,
    array: &Vector,
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let (Form::Fixed(own), Some(other)) = (form, Fixed::of(to)) else { return Ok(false) };
    let Some(wide) = widened(own, other).filter(|_| from.is_numeric() && to.is_numeric() && is_text(array)) else {
        return Ok(false);
    };
    let nulls = strict_nulls(&[array], len, out);
    let mut arrays = out.take_text();
    for tuple in 0..len {
        let array = if is_valid(&nulls, tuple) { bytes(array, tuple) } else { &[END] };
        meter::spend(array.len() / 4 + 1)?;
        let (elements, behind) = array.split_at(end_of(array));
        arrays.push_written(|cast| {
            cast.reserve(elements.len() / own.stride() * other.stride() + behind.len());
            each_kind!(own, KIND => for element in elements.chunks_exact(KIND.stride()) {
                let key = KIND.read(element).filter(|&(mark, _)| mark == VALUE).map(|(_, key)| wide(KIND, other, key));
                other.push(key, cast);
            });
            cast.extend_from_slice(behind);
        });
    }
    arrays.share();
    out.set(len, VectorData::Text(arrays), nulls);
    Ok(true)
}

/// Elements behind each other as an array: an end behind them. Where it stands there already, nothing is copied.
pub(super) fn of_entries(entries: &Vector, len: usize, out: &mut Vector) -> bool {
    let VectorData::Text(texts) = &entries.data else { return false };
    if entries.constant {
        return false;
    }
    let nulls = strict_nulls(&[entries], len, out);
    let end = [&[END], TAIL.as_bytes()].concat();
    let has_end = |tuple: usize| {
        let (buffer, start, length) = texts.place(tuple);
        !is_valid(&nulls, tuple) || (length > 0 && buffer[start + length..].starts_with(&end))
    };
    let mut arrays = out.take_text();
    if let Some(buffers) = texts.buffers()
        && texts.is_shared()
        && (0..len).all(has_end)
    {
        arrays.set_buffers(buffers.clone());
        for (tuple, view) in texts.views().iter().enumerate() {
            let more = if is_valid(&nulls, tuple) { end.len() as u32 } else { 0 };
            // What is added are the ASCII bytes that were looked at.
            arrays.push_view(TextView { length: view.length + more, ..*view });
        }
    } else if texts.views().iter().map(|view| view.length as usize).sum::<usize>() > COPIED_MAX {
        return false;
    } else {
        of_copies(texts, len, &end, &mut arrays);
    }
    out.set(len, VectorData::Text(arrays), nulls);
    true
}

fn of_copies(texts: &TextVector, len: usize, end: &[u8], arrays: &mut TextVector) {
    for tuple in 0..len {
        let entries = texts.bytes(tuple);
        arrays.push_written(|array| {
            array.extend_from_slice(entries);
            array.extend_from_slice(if entries.is_empty() { &end[..1] } else { end });
        });
    }
    arrays.share();
}

/// `string_agg`: of separators and texts in turn the texts, each but the first behind its separator. That is what stands behind the
/// first element, without marks.
pub(super) fn join_pairs(array: &Vector, len: usize, out: &mut Vector) -> Result<bool> {
    if !is_text(array) || array.constant {
        return Ok(false);
    }
    let nulls = strict_nulls(&[array], len, out);
    let elements = |tuple: usize| {
        let array = if is_valid(&nulls, tuple) { bytes(array, tuple) } else { &[END] };
        &array[..end_of(array)]
    };
    let mut joined = out.take_text();
    for tuple in 0..len {
        let elements = elements(tuple);
        let first = if elements.first() == Some(&VALUE) { end_of_value(elements, 1) } else { elements.len().min(1) };
        let pieces = elements[first..].chunks(JOINED);
        if !pieces.clone().all(|piece| meter::goes_on(piece.len() / 16) && !piece.contains(&ESCAPE)) {
            meter::settle()?;
            return Ok(false);
        }
        // Whole texts stay whole without the marks between them.
        joined.push_written(|text| {
            text.reserve(elements.len() - first);
            pieces.filter(|piece| meter::goes_on(piece.len())).for_each(|piece| without_marks(piece, text));
        });
        meter::settle()?;
    }
    out.set(len, VectorData::Text(joined), nulls);
    Ok(true)
}

kernel! {
    /// Appends bytes that are no marks of elements.
    fn without_marks[](elements: &[u8], text: &mut Vec<u8>) {
        let start = text.len();
        text.resize(start + elements.len(), 0);
        let mut at = start;
        for &byte in elements {
            text[at] = byte;
            at += usize::from(byte > NULL);
        }
        text.truncate(at);
    }
}
