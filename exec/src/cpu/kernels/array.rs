//! Arrays, which are texts (`planner/src/evaluate/array/key.rs`): an element at a place, how many there are, and the parts of a
//! text between separators.
//!
//! Who takes an array apart asks for its elements one after the other: the last place is kept, and the next one is looked for
//! from there. An element that is a text as it stands is a slice of the array.

use super::{Call, strict_nulls};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use memchr::memchr3;
use memchr::memmem::Finder;
use multiloop_planner::evaluate::array::{ESCAPED, Form, MARKS, TAIL};
use multiloop_planner::function::{ArrayFunction, Function};

const END: u8 = MARKS[0];
const VALUE: u8 = MARKS[1];
const NULL: u8 = MARKS[2];
const ESCAPE: u8 = MARKS[3];

/// Does the functions of arrays, if it can: false if not.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let Function::Array(function, element) = call.function else { return false };
    match (function, arguments) {
        (ArrayFunction::Nth, [array, position]) => match Form::of(element) {
            Some(form) => nth(form, call.register, (array, position), len, out),
            None => false,
        },
        (ArrayFunction::Cardinality, [array]) if Form::of(element).is_some() && call.register == Register::I32 => {
            let nulls = strict_nulls(arguments, len, out);
            let mut counts = out.take_i32();
            let count = |tuple| array.text(tuple).map_or(0, |text| count_of(text.as_bytes()));
            counts.extend((0..len).map(|tuple| if is_valid(&nulls, tuple) { count(tuple) } else { 0 }));
            out.set(len, VectorData::I32(counts), nulls);
            true
        }
        (ArrayFunction::Split, [text, separator]) => split(text, separator, len, out),
        _ => false,
    }
}

fn is_valid(nulls: &Option<Bitmap>, tuple: usize) -> bool {
    nulls.as_ref().is_none_or(|nulls| nulls.get(tuple))
}

/// How many elements an array has: each begins with one of two bytes that stand nowhere else.
fn count_of(array: &[u8]) -> i32 {
    let elements = array.iter().position(|&byte| byte == END).map_or(array, |end| &array[..end]);
    elements.iter().map(|&byte| i32::from(byte == VALUE || byte == NULL)).sum()
}

/// The elements of an array, one after the other.
struct Cursor {
    form: Form,
    /// Where the array is: its first byte's address and how many it has.
    array: (usize, usize),
    /// How many elements lie before a byte.
    passed: i64,
    at: usize,
}

impl Cursor {
    /// Where the element at a position begins and ends; none of NULL, and where there is none.
    #[inline]
    fn find(&mut self, array: &[u8], position: i64) -> Option<(usize, usize)> {
        let own = (array.as_ptr().addr(), array.len());
        if own != self.array || position < self.passed {
            (self.array, self.passed, self.at) = (own, 0, 0);
        }
        if position < 0 {
            return None;
        }
        while self.passed < position {
            match array.get(self.at) {
                Some(&VALUE) => self.at = self.end(array),
                Some(&NULL) => self.at += 1,
                _ => return None,
            }
            self.passed += 1;
        }
        (array.get(self.at) == Some(&VALUE)).then(|| (self.at + 1, self.end(array)))
    }

    /// Where the value that begins here ends.
    #[inline]
    fn end(&self, array: &[u8]) -> usize {
        let start = self.at + 1;
        match self.form {
            Form::Text => {
                let rest = &array[start..];
                // Most elements are short, and no text has the byte 0.
                let (near, far) = rest.split_at(rest.len().min(SHORT));
                let length = near.iter().position(|&byte| byte <= NULL);
                let length = length.or_else(|| Some(near.len() + memchr3(END, VALUE, NULL, far)?));
                start + length.unwrap_or(rest.len())
            }
            Form::Integer | Form::Float => (start + DIGITS).min(array.len()),
        }
    }
}

/// Digits of a number.
const DIGITS: usize = 16;

/// Bytes of a text that are looked at one by one.
const SHORT: usize = 16;

fn nth(form: Form, register: Register, (array, position): (&Vector, &Vector), len: usize, out: &mut Vector) -> bool {
    let place = |tuple: usize| match &position.data {
        VectorData::I32(values) => Some(i64::from(values[position.position(tuple)])),
        VectorData::I64(values) => Some(values[position.position(tuple)]),
        _ => None,
    };
    if len == 0 || place(0).is_none() || !matches!(array.data, VectorData::Text(_) | VectorData::Code { .. }) {
        return false;
    }
    let mut cursor = Cursor { form, array: (0, 0), passed: 0, at: 0 };
    let nulls = strict_nulls(&[array, position], len, out);
    let mut found = Bitmap::new(len, true);
    // What begins and ends where the element of a tuple does.
    let mut find = |tuple: usize| {
        let bytes = array.text(tuple).filter(|_| is_valid(&nulls, tuple)).map(str::as_bytes);
        let part = bytes.and_then(|bytes| Some((bytes, cursor.find(bytes, place(tuple)?)?)));
        if part.is_none() {
            found.set(tuple, false);
        }
        part
    };
    let number =
        |part: Option<(&[u8], (usize, usize))>| part.map_or(0, |(bytes, (start, end))| hex(&bytes[start..end]));
    let data = match (form, register) {
        (Form::Text, Register::Text) => {
            let mut texts = out.take_text();
            elements_of(array, len, &mut texts, find);
            VectorData::Text(texts)
        }
        (Form::Integer, Register::I32) => {
            let mut values = out.take_i32();
            values.extend((0..len).map(|tuple| (number(find(tuple)) ^ SIGN) as i32));
            VectorData::I32(values)
        }
        (Form::Integer, Register::I64) => {
            let mut values = out.take_i64();
            values.extend((0..len).map(|tuple| (number(find(tuple)) ^ SIGN) as i64));
            VectorData::I64(values)
        }
        (Form::Float, Register::F64) => {
            let float = |ordered: u64| f64::from_bits(if ordered & SIGN != 0 { ordered ^ SIGN } else { !ordered });
            let mut values = out.take_f64();
            values.extend((0..len).map(|tuple| float(number(find(tuple)))));
            VectorData::F64(values)
        }
        _ => return false,
    };
    out.set(len, data, (!found.is_full()).then_some(found));
    true
}

/// The sign of a number, which is turned.
const SIGN: u64 = 1 << 63;

/// The number of hexadecimal digits.
fn hex(digits: &[u8]) -> u64 {
    let digit = |byte: u8| u64::from(if byte <= b'9' { byte & 0xF } else { (byte & 0xF) + 9 });
    digits.iter().fold(0, |number, &byte| number << 4 | digit(byte))
}

/// Appends the elements that are found: slices of what arrays share, copies of what only this vector has.
fn elements_of<'v>(
    array: &'v Vector,
    len: usize,
    texts: &mut TextVector,
    mut find: impl FnMut(usize) -> Option<(&'v [u8], (usize, usize))>,
) {
    let shared = match &array.data {
        VectorData::Text(arrays) => Some(arrays).filter(|arrays| arrays.is_shared()),
        _ => None,
    };
    if let Some(buffers) = shared.and_then(TextVector::buffers) {
        texts.set_buffers(buffers.clone());
    }
    for tuple in 0..len {
        let Some((bytes, (start, end))) = find(tuple) else {
            texts.push("");
            continue;
        };
        let content = &bytes[start..end];
        match shared {
            _ if content.iter().fold(false, |any, &byte| any | (byte == ESCAPE)) => texts.push(&plain(content)),
            Some(arrays) => {
                let view = arrays.views()[array.position(tuple)];
                texts.push_view(crate::column::TextView {
                    offset: view.offset + start as u32,
                    length: (end - start) as u32,
                    ..view
                });
            }
            None => texts.push(std::str::from_utf8(content).unwrap_or("")),
        }
    }
}

/// A text without what its escaped bytes stand behind.
fn plain(content: &[u8]) -> String {
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

/// `string_to_array` by a separator that is known and not empty, of texts none of which has to be escaped.
fn split(text: &Vector, separator: &Vector, len: usize, out: &mut Vector) -> bool {
    let separator =
        separator.text(0).filter(|text| separator.constant && separator.nulls.is_none() && !text.is_empty());
    let Some(separator) = separator else { return false };
    if text.constant || !matches!(text.data, VectorData::Text(_) | VectorData::Code { .. }) {
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

#[cfg(test)]
mod tests {
    use super::super::{Scratch, fallback};
    use super::*;
    use multiloop_planner::evaluate::array::Array;
    use multiloop_planner::types::DataType;
    use multiloop_planner::value::Value;

    /// What a function gives here, if it does, is what its definition does.
    fn check(
        function: ArrayFunction,
        element: DataType,
        rows: [&[Value]; 2],
        types: [DataType; 2],
        result: DataType,
    ) -> bool {
        let register = crate::cpu::vector::builder::register_of(result);
        let function = Function::Array(function, element);
        let vectors = [0, 1].map(|at| {
            let mut vector = Vector::default();
            let register = crate::cpu::vector::builder::register_of(types[at]);
            if rows[at].len() == 1 {
                vector.set_constant(rows[0].len(), &rows[at][0], register);
            } else {
                vector.set_values(rows[at], register);
            }
            vector
        });
        let len = rows[0].len();
        let count = if types[1] == DataType::Null { 1 } else { 2 };
        let call = Call { function, types: &types[..count], result, register, checked: true };
        let arguments: Vec<&Vector> = vectors[..count].iter().collect();
        let (mut found, mut expected) = (Vector::default(), Vector::default());
        let done = super::call(&call, &arguments, len, &mut found);
        super::super::call(&call, &arguments, len, &mut Scratch::default(), &mut found).unwrap();
        fallback::call(&call, &arguments, len, &mut expected).unwrap();
        for tuple in 0..len {
            assert_eq!(found.value(tuple, result), expected.value(tuple, result), "{function:?} {tuple}");
        }
        done
    }

    #[test]
    fn elements_in_any_order() {
        let array = |values: &[Value], element| Value::text(Array::of(values.to_vec()).encode(element));
        let of = |element: DataType, values: &[Value], result: DataType| {
            let arrays: Vec<Value> = (0..=values.len())
                .map(|len| array(&values[..len], element))
                .chain([Value::Null])
                .flat_map(|array| vec![array; values.len() + 3])
                .collect();
            let places =
                [0, 1, 2, 3, 4, 5, 0, 2, 1, -1, 7, i64::MAX, 3].map(Value::Int).into_iter().chain([Value::Null]);
            let places: Vec<Value> = places.cycle().take(arrays.len()).collect();
            let types = [DataType::Text, DataType::BigInt];
            assert!(check(ArrayFunction::Nth, element, [&arrays, &places], types, result));
            let types = [DataType::Text, DataType::Null];
            assert!(check(ArrayFunction::Cardinality, element, [&arrays, &places], types, DataType::Integer));
        };
        let texts = ["", "a", "ä\u{1}b", "\u{4}", "long, long", "\u{2}\u{3}"].map(Value::text);
        of(DataType::Text, &[&texts[..], &[Value::Null], &texts[..2]].concat(), DataType::Text);
        let integers = [i64::MIN, -1, 0, 255, i64::MAX].map(Value::Int);
        of(DataType::BigInt, &[&[Value::Null], &integers[..]].concat(), DataType::BigInt);
        let floats = [f64::NEG_INFINITY, -1.5, 0.0, 2.5, f64::NAN].map(Value::Float);
        of(DataType::Double, &[&floats[..], &[Value::Null]].concat(), DataType::Double);
    }

    #[test]
    fn parts_of_texts() {
        let texts = ["", " ", "a b", "  a", "b  ", "äö ü", "abcabc"].map(Value::text);
        let rows = [&texts[..], &[Value::Null]].concat();
        let types = [DataType::Text, DataType::Text];
        let of = |rows: &[Value], separator: Value| {
            check(ArrayFunction::Split, DataType::Text, [rows, &[separator]], types, DataType::Text)
        };
        for separator in [" ", "  ", "ö", "bc", "abc"] {
            assert!(of(&rows, Value::text(separator)));
        }
        assert!(!of(&rows, Value::text("")) && !of(&rows, Value::Null));
        assert!(!of(&[Value::text("a b"), Value::text("\u{3} b")], Value::text(" ")));
    }
}
