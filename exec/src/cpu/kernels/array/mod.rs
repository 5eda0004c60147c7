//! Arrays, which are texts (`planner/src/evaluate/array/key.rs`).
//!
//! `fixed` finds elements that all have as many bytes and counts them, `text` those that are texts; `decode` makes many of them numbers at
//! once, and sums; `elements` takes many arrays apart; `probe` finds one among many, `search` looks for elements, `total` makes one value of all, `make` makes arrays of elements and of other arrays, `split` of the parts of a text, `row_text`
//! the texts that aggregates gather. What none of
//! them knows, like arrays of several dimensions where these count, is evaluated value by value.

mod decode;
pub(in crate::cpu) mod elements;
pub(in crate::cpu) mod fixed;
mod make;
mod probe;
mod row_text;
mod search;
mod split;
pub(in crate::cpu) mod text;
mod total;

#[cfg(test)]
mod tests;

use super::{Call, is_valid, strict_nulls};
use crate::Result;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::{Fixed, Form, MARKS, TAIL};
use multiloop_planner::function::{ArrayFunction, Function};

const END: u8 = MARKS[0];
const VALUE: u8 = MARKS[1];
const NULL: u8 = MARKS[2];
const ESCAPE: u8 = MARKS[3];

/// Calls what stands behind the arrow for the kind of elements, which is a constant there.
macro_rules! each_kind {
    ($fixed:expr, $kind:ident => $body:expr) => {
        match $fixed {
            Fixed::Boolean => each_kind!(@ Boolean, $kind => $body),
            Fixed::Small => each_kind!(@ Small, $kind => $body),
            Fixed::Integer => each_kind!(@ Integer, $kind => $body),
            Fixed::Long => each_kind!(@ Long, $kind => $body),
            Fixed::Real => each_kind!(@ Real, $kind => $body),
            Fixed::Double => each_kind!(@ Double, $kind => $body),
        }
    };
    (@ $name:ident, $kind:ident => $body:expr) => {{
        const $kind: Fixed = Fixed::$name;
        $body
    }};
}
use each_kind;

/// The same for the form of elements.
macro_rules! each_form {
    ($form:expr, $constant:ident => $body:expr) => {
        match $form {
            Form::Text => {
                const $constant: Form = Form::Text;
                $body
            }
            Form::Fixed(fixed) => each_kind!(fixed, KIND => {
                const $constant: Form = Form::Fixed(KIND);
                $body
            }),
        }
    };
}

/// Does the functions of arrays, if it can: false if not.
///
/// # Errors
/// 57014 where the statement is cancelled.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<bool> {
    use ArrayFunction as A;
    if let (Function::SortKey(order, element), &[value]) = (call.function, arguments) {
        return Ok(len > 0 && call.types == [element] && row_text::sort_key(call, order.into(), value, len, out));
    }
    let Function::Array(function, element) = call.function else { return Ok(false) };
    let Some(form) = Form::of(element) else { return Ok(false) };
    if len == 0 {
        return Ok(false);
    }
    match (function, arguments) {
        (A::Nth, [array, position]) => Ok(nth(form, call.register, (array, position, Places::Positions), len, out)),
        (A::Element, [array, subscript]) => {
            Ok(nth(form, call.register, (array, subscript, Places::Subscripts), len, out))
        }
        (A::Extract, [array, place]) => Ok(nth(form, call.register, (array, place, Places::FromEitherEnd), len, out)),
        (A::Cardinality, [array]) if call.register == Register::I32 && count_each(form, array, out) => Ok(true),
        (A::Cardinality, [array]) if call.register == Register::I32 && is_text(array) => {
            each_form!(form, FORM => measured(arguments, len, out, |bytes| Some(ends(FORM, bytes).1 as i32)));
            Ok(true)
        }
        (A::Length, [array, dimension]) if call.register == Register::I32 && is_text(array) && is_one(dimension) => {
            each_form!(form, FORM => measured(arguments, len, out, |bytes| length(FORM, bytes)));
            Ok(true)
        }
        (A::Any(comparison), [value, array]) => search::quantified((form, comparison, true), (value, array), len, out),
        (A::All(comparison), [value, array]) => search::quantified((form, comparison, false), (value, array), len, out),
        (A::HasElement, [array, value]) => search::has_element(form, (array, value), len, out),
        (A::Position, [array, value]) if call.register == Register::I32 => {
            search::position(form, (array, value), len, out)
        }
        (A::Contains, [all, some]) => search::contains((form, true), (all, some), len, out),
        (A::Overlaps, [all, some]) => search::contains((form, false), (all, some), len, out),
        (A::Total(total), [array]) => total::call((form, total), call, array, len, out),
        (A::Entry, [value]) if call.types == [element] => Ok(row_text::entry(form, value, len, out)),
        (A::Make, elements) => Ok(make::make(form, elements, len, out)),
        (A::Cast(to), [array]) => make::cast((form, element), to, array, len, out),
        (A::JoinPairs, [array]) if form == Form::Text => make::join_pairs(array, len, out),
        (A::OfEntries, [entries]) => Ok(make::of_entries(entries, len, out)),
        (A::Split, [text, separator]) => Ok(split::split(text, separator, len, out)),
        _ => Ok(false),
    }
}

/// What the numbers of elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Places {
    /// Positions from 0, whatever the dimensions.
    Positions,
    /// Subscripts of arrays of one dimension.
    Subscripts,
    /// Positions from 1, or from the end.
    FromEitherEnd,
}

fn nth(
    form: Form,
    register: Register,
    (array, place, places): (&Vector, &Vector, Places),
    len: usize,
    out: &mut Vector,
) -> bool {
    if !is_text(array) {
        return false;
    }
    match form {
        Form::Fixed(fixed) => fixed::nth((fixed, places), register, (array, place), len, out),
        Form::Text if register == Register::Text => text::nth(places, (array, place), len, out),
        Form::Text => false,
    }
}

fn is_text(vector: &Vector) -> bool {
    matches!(vector.data, VectorData::Text(_) | VectorData::Code { .. })
}

/// Whether an argument is the constant 1.
fn is_one(vector: &Vector) -> bool {
    vector.constant && !vector.is_null(0) && vector.integer(0) == Some(1)
}

/// The bytes of the array of a tuple.
#[inline]
fn bytes(array: &Vector, tuple: usize) -> &[u8] {
    array.text(tuple).map_or(&[], str::as_bytes)
}

/// Bytes from the array of a tuple on, as far as there are, and how many are its own.
#[inline(always)]
fn bytes_from(array: &Vector, tuple: usize) -> (&[u8], usize) {
    match &array.data {
        VectorData::Text(texts) => {
            let (buffer, start, length) = texts.place(array.position(tuple));
            (&buffer[start..], length)
        }
        _ => {
            let bytes = bytes(array, tuple);
            (bytes, bytes.len())
        }
    }
}

/// Bytes from the array of a tuple on, and how many its elements have.
#[inline(always)]
fn elements_of(array: &Vector, tuple: usize) -> (&[u8], usize) {
    let (bytes, length) = bytes_from(array, tuple);
    (bytes, end_of(&bytes[..length]))
}

/// Where the elements of an array end. What stands behind it is short.
#[inline(always)]
fn end_of(array: &[u8]) -> usize {
    match array.len().checked_sub(TAIL.len() + 1) {
        Some(end) if array[end] == END => end,
        _ => far_end_of(array),
    }
}

#[cold]
fn far_end_of(array: &[u8]) -> usize {
    array.iter().rposition(|&byte| byte == END).unwrap_or(0)
}

/// Where the elements of an array end, and how many there are.
#[inline(always)]
fn ends(form: Form, array: &[u8]) -> (usize, usize) {
    let end = end_of(array);
    match form {
        Form::Fixed(fixed) => (end, end / fixed.stride()),
        // An element begins with one of two bytes that stand nowhere else.
        Form::Text => (end, text::marks(array, end)),
    }
}

/// The first subscript of an array of one dimension.
#[inline(always)]
fn lower_of(array: &[u8], end: usize) -> Option<i64> {
    let behind = array.get(end + 1..).filter(|behind| behind.len() == TAIL.len())?;
    // As arrays of one length, which are compared without a call.
    const ONE: &[u8; 9] = TAIL.as_bytes().first_chunk().expect("it has nine bytes");
    if behind.first_chunk() == Some(ONE) {
        return Some(1);
    }
    let digits = std::str::from_utf8(behind.strip_prefix(b"1")?).ok()?;
    u32::from_str_radix(digits, 16).ok().map(|turned| (turned ^ 1 << 31) as i32).map(i64::from)
}

/// The length of the first dimension; none of an empty array.
#[inline(always)]
fn length(form: Form, array: &[u8]) -> Option<i32> {
    let (end, count) = ends(form, array);
    match array.get(end + 1..) {
        None | Some([]) => None,
        Some([b'1', ..]) => Some(count as i32),
        Some(behind) => {
            let digits = std::str::from_utf8(behind.get(1..9)?).ok()?;
            u32::from_str_radix(digits, 16).ok().map(|length| length as i32)
        }
    }
}

/// Makes `out` how many elements each array has; false if it did nothing.
fn count_each(form: Form, array: &Vector, out: &mut Vector) -> bool {
    let (VectorData::Text(texts), false) = (&array.data, array.constant) else { return false };
    let mut counts = out.take_i32();
    match form {
        Form::Fixed(fixed) => count_fixed(fixed, texts, &mut counts),
        Form::Text => count_texts(texts, &mut counts),
    }
    out.set(texts.len(), VectorData::I32(counts), array.nulls.clone());
    true
}

kernel! {
    fn count_fixed[](kind: Fixed, texts: &TextVector, counts: &mut Vec<i32>) {
        each_kind!(kind, KIND => {
            counts.extend((0..texts.len()).map(|tuple| {
                let (buffer, start, length) = texts.place(tuple);
                (end_of(&buffer[start..start + length]) / KIND.stride()) as i32
            }));
        });
    }
}

kernel! {
    fn count_texts[](texts: &TextVector, counts: &mut Vec<i32>) {
        counts.extend((0..texts.len()).map(|tuple| {
            let (buffer, start, length) = texts.place(tuple);
            let bytes = &buffer[start..];
            text::marks(bytes, end_of(&bytes[..length])) as i32
        }));
    }
}

/// A number of each array, where there is one.
#[inline(always)]
fn measured(arguments: &[&Vector], len: usize, out: &mut Vector, measure: impl Fn(&[u8]) -> Option<i32>) {
    let mut nulls = strict_nulls(arguments, len, out);
    let mut counts = out.take_i32();
    counts.reserve(len);
    for tuple in 0..len {
        let (bytes, length) = bytes_from(arguments[0], tuple);
        let count = if is_valid(&nulls, tuple) { measure(&bytes[..length]) } else { None };
        if count.is_none() && is_valid(&nulls, tuple) {
            nulls.get_or_insert_with(|| Bitmap::new(len, true)).set(tuple, false);
        }
        counts.push(count.unwrap_or(0));
    }
    out.set(len, VectorData::I32(counts), nulls);
}

/// Appends a text as an element has it.
pub(super) fn escape(text: &str, key: &mut Vec<u8>) {
    if text.bytes().fold(true, |none, byte| none & (byte > ESCAPE)) {
        return key.extend_from_slice(text.as_bytes());
    }
    for byte in text.bytes() {
        match byte {
            byte if byte <= ESCAPE => key.extend([ESCAPE, byte + multiloop_planner::evaluate::array::ESCAPED]),
            byte => key.push(byte),
        }
    }
}
