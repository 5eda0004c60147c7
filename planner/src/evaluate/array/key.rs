//! Arrays as text that sorts as they do.
//!
//! PostgreSQL compares arrays element by element in the order in which they lie, a NULL being greater than any value, then by
//! the number of elements, of dimensions, by their lengths and their lower bounds. So the text is
//!
//! * for each element a byte 2 and what its value sorts by, or a byte 3 for NULL, and in its place as many bytes as values have
//!   if all have as many;
//! * a byte 1, which is less than both: the shorter array comes first;
//! * of an array with elements the number of its dimensions, of more than one their lengths, then all lower bounds, each in
//!   eight digits.
//!
//! | element | text |
//! |---|---|
//! | booleans, whole numbers, dates and times, oids, enums, floats | as many digits of six bits as its type needs (`fixed.rs`) |
//! | decimals and numerics | the text that a column stores: what it sorts by, then its scale (`numeric/key.rs`) |
//! | intervals | their length in 32 digits, the sign bit turned, then months and days, in 8 each |
//! | text and what it carries | its bytes; those up to 4 as a byte 4 and another |
//!
//! Numerics of different scales, and intervals of different forms, can be equal and have different texts: comparisons ask for
//! [`Array::key`], which leaves scale and form out.

use super::fixed::Fixed;
use super::{Array, Bound};
use crate::meter::{self, Room};
use crate::numeric::Numeric;
use crate::types::DataType;
use crate::value::{Interval, Value};
use std::fmt::Write;
use std::str::Chars;

const END: char = '\u{1}';
pub(super) const VALUE: char = '\u{2}';
pub(super) const NULL: char = '\u{3}';
const ESCAPE: char = '\u{4}';

/// The bytes that are no part of an element's text: what ends an array, and what stands before a value, for NULL, and before a
/// byte that is one of these.
pub const MARKS: [u8; 4] = [END as u8, VALUE as u8, NULL as u8, ESCAPE as u8];

/// Added to an escaped byte, so that what stands for it is printable.
pub const ESCAPED: u8 = b'@';

/// What stands behind the end of an array of one dimension that has elements and counts from 1.
pub const TAIL: &str = "180000001";

/// What an element's text is, of those that are taken apart without this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Its bytes, some of them escaped.
    Text,
    /// So many digits.
    Fixed(Fixed),
}

impl Form {
    /// That of elements of a type.
    pub fn of(element: DataType) -> Option<Form> {
        if element.carrier().is_text() { Some(Form::Text) } else { Fixed::of(element).map(Form::Fixed) }
    }
}

const SIGN_128: u128 = 1 << 127;
const SIGN_32: u32 = 1 << 31;

impl Array {
    /// The text that stands for the array; its elements are values of `element` or NULL.
    pub fn encode(&self, element: DataType) -> String {
        self.encode_with(element, false)
    }

    /// The text by which it is compared.
    pub(super) fn key(&self, element: DataType) -> String {
        self.encode_with(element, true)
    }

    fn encode_with(&self, element: DataType, bare: bool) -> String {
        let mut text = match Fixed::of(element) {
            Some(fixed) => self.fixed_elements(fixed),
            None => self.other_elements(element, bare),
        };
        text.push(END);
        if !self.bounds.is_empty() {
            text.push(char::from(b'0' + self.bounds.len() as u8));
            if self.bounds.len() > 1 {
                self.bounds.iter().for_each(|bound| put(&mut text, format_args!("{:08x}", bound.length)));
            }
            let turned = |lower: i32| lower as u32 ^ SIGN_32;
            self.bounds.iter().for_each(|bound| put(&mut text, format_args!("{:08x}", turned(bound.lower))));
        }
        text
    }

    fn fixed_elements(&self, fixed: Fixed) -> String {
        let mut bytes = Vec::with_capacity(self.elements.len() * fixed.stride() + TAIL.len() + 1);
        for some in self.elements.chunks(PIECE) {
            if !meter::goes_on(some.len() * 8) {
                break;
            }
            some.iter().for_each(|value| fixed.push(fixed.key_of(value), &mut bytes));
        }
        ascii(bytes)
    }

    fn other_elements(&self, element: DataType, bare: bool) -> String {
        let mut text = String::with_capacity(self.elements.len() * 17 + TAIL.len() + 1);
        for value in &self.elements {
            if !meter::goes_on(16) {
                break;
            }
            text.push(if value.is_null() { NULL } else { VALUE });
            encode_value(value, element, bare, &mut text);
        }
        text
    }

    /// Where the elements of a text end: its last byte 1, as there is none in its bounds.
    fn end_of(text: &str) -> Option<usize> {
        text.as_bytes().iter().rposition(|&byte| byte == END as u8)
    }

    /// How many dimensions the array of a text has, and whether all of them count from 1; none of an empty one.
    pub fn shape(text: &str) -> Option<(usize, bool)> {
        let (_, bounds) = text.rsplit_once(END)?;
        let count = bounds.bytes().next().map(|digit| usize::from(digit - b'0'))?;
        let lowers = bounds.get(bounds.len().checked_sub(8 * count)?..)?;
        let one = &TAIL.as_bytes()[1..];
        Some((count, lowers.as_bytes().chunks(8).all(|lower| lower == one)))
    }

    /// The elements of the array of a text, which have a fixed width; none if it has several dimensions.
    pub fn fixed_elements_of(text: &str) -> Option<&[u8]> {
        let end = Array::end_of(text)?;
        let behind = text.len() - end - 1;
        (behind == 0 || behind == TAIL.len()).then(|| &text.as_bytes()[..end])
    }

    /// How many elements the array of a text has that [`Array::encode`] made.
    pub(super) fn count(text: &str, element: DataType) -> usize {
        match (Fixed::of(element), Array::end_of(text)) {
            (Some(fixed), Some(end)) => end / fixed.stride(),
            _ => {
                let (mut letters, mut count) = (text.chars(), 0);
                while skip_part(&mut letters, element).is_some() {
                    count += 1;
                    if !meter::goes_on(16) {
                        break;
                    }
                }
                count
            }
        }
    }

    /// The element at a position of a text that [`Array::encode`] made; none behind the last.
    pub(super) fn nth(text: &str, element: DataType, position: usize) -> Option<Value> {
        if let Some(fixed) = Fixed::of(element) {
            let start = position.checked_mul(fixed.stride())?;
            let key = fixed.checked(text.as_bytes().get(start..)?)?;
            return Some(key.map_or(Value::Null, |key| fixed.value(key)));
        }
        let mut letters = text.chars();
        for _ in 0..position {
            skip_part(&mut letters, element)?;
        }
        take_part(&mut letters, element)
    }

    /// The array of a text that [`Array::encode`] made of elements of this type; none of another text.
    pub fn decode(text: &str, element: DataType) -> Option<Array> {
        let (elements, rest) = match Fixed::of(element) {
            Some(fixed) => decode_fixed(text, fixed)?,
            None => decode_others(text, element)?,
        };
        let Some(digit) = rest.bytes().next() else {
            return elements.is_empty().then(Array::default);
        };
        let count = usize::from(digit.checked_sub(b'0')?);
        let lengths = if count > 1 { count } else { 0 };
        let number = |at: usize| u32::from_str_radix(rest.get(1 + 8 * at..9 + 8 * at)?, 16).ok();
        let bound = |at: usize| {
            let length = if lengths > 0 { number(at)? as usize } else { elements.len() };
            Some(Bound { lower: (number(lengths + at)? ^ SIGN_32) as i32, length })
        };
        let bounds: Vec<Bound> = (0..count).map(bound).collect::<Option<_>>()?;
        let held = bounds.iter().try_fold(1usize, |held, bound| held.checked_mul(bound.length));
        (!elements.is_empty() && held == Some(elements.len())).then_some(Array { bounds, elements })
    }
}

/// Elements between two looks at whether to go on.
const PIECE: usize = 1 << 12;

/// The elements of a text, and what stands behind their end.
fn decode_fixed(text: &str, fixed: Fixed) -> Option<(Vec<Value>, &str)> {
    let end = Array::end_of(text)?;
    let count = end / fixed.stride();
    if !end.is_multiple_of(fixed.stride()) || !Room::default().holds(count * size_of::<Value>()) {
        return None;
    }
    let mut elements = Vec::with_capacity(count);
    for some in text.as_bytes()[..end].chunks(fixed.stride() * PIECE) {
        if !meter::goes_on(some.len() * 2) {
            return None;
        }
        for element in some.chunks_exact(fixed.stride()) {
            elements.push(fixed.checked(element)?.map_or(Value::Null, |key| fixed.value(key)));
        }
    }
    Some((elements, text.get(end + 1..)?))
}

fn decode_others(text: &str, element: DataType) -> Option<(Vec<Value>, &str)> {
    let mut letters = text.chars();
    let mut elements = Vec::new();
    let mut room = Room::default();
    loop {
        if elements.len().is_multiple_of(PIECE) && !room.holds(elements.len() * size_of::<Value>() * 2) {
            return None;
        }
        if !meter::goes_on(32) {
            return None;
        }
        match letters.next()? {
            END => return Some((elements, letters.as_str())),
            NULL => elements.push(Value::Null),
            VALUE => elements.push(decode_value(&mut letters, element)?),
            _ => return None,
        }
    }
}

/// A text of bytes that are ASCII.
fn ascii(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("marks and digits are ASCII")
}

/// An element as an array has it.
pub(super) fn entry(value: &Value, element: DataType) -> String {
    let mut text = String::new();
    push_part(value, element, &mut text);
    text
}

/// The array of elements that stand behind each other, counted from 1.
pub(super) fn of_entries(entries: &str) -> String {
    let mut text = String::with_capacity(entries.len() + 10);
    text.push_str(entries);
    text.push(END);
    if !entries.is_empty() {
        put(&mut text, format_args!("1{:08x}", 1 ^ SIGN_32));
    }
    text
}

/// Adds a value of a type to a text of several that sorts as they do, one after the other.
pub(in crate::evaluate) fn push_part(value: &Value, of: DataType, text: &mut String) {
    if let Some(fixed) = Fixed::of(of) {
        let mut bytes = Vec::with_capacity(fixed.stride());
        fixed.push(fixed.key_of(value), &mut bytes);
        return text.push_str(&ascii(bytes));
    }
    text.push(if value.is_null() { NULL } else { VALUE });
    encode_value(value, of, false, text);
}

/// Ends such a text.
pub(in crate::evaluate) fn end_parts(text: &mut String) {
    text.push(END);
}

/// Takes the first value off such a text; none where there is none of the type.
pub(in crate::evaluate) fn take_part(letters: &mut Chars<'_>, of: DataType) -> Option<Value> {
    if let Some(fixed) = Fixed::of(of) {
        let key = fixed.checked(letters.as_str().as_bytes())?;
        skip_bytes(letters, fixed.stride())?;
        return Some(key.map_or(Value::Null, |key| fixed.value(key)));
    }
    match letters.next()? {
        NULL => Some(Value::Null),
        VALUE => decode_value(letters, of),
        _ => None,
    }
}

/// Passes over the first value of such a text.
pub(in crate::evaluate) fn skip_part(letters: &mut Chars<'_>, of: DataType) -> Option<()> {
    match (letters.next()?, Fixed::of(of)) {
        (NULL | VALUE, Some(fixed)) => skip_bytes(letters, fixed.digits()),
        (NULL, None) => Some(()),
        (VALUE, None) => skip_value(letters, of),
        _ => None,
    }
}

/// Takes so many bytes off a text.
fn skip_bytes(letters: &mut Chars<'_>, count: usize) -> Option<()> {
    *letters = letters.as_str().get(count..)?.chars();
    Some(())
}

/// Whether nothing but the end is left of such a text.
pub(in crate::evaluate) fn is_end(letters: &Chars<'_>) -> bool {
    let mut rest = letters.clone();
    rest.next() == Some(END) && rest.next().is_none()
}

/// What an element compares by.
pub(in crate::evaluate) fn bare(value: &Value, element: DataType) -> String {
    if let Some(fixed) = Fixed::of(element) {
        let mut bytes = Vec::with_capacity(fixed.stride());
        if let Some(key) = fixed.key_of(value) {
            fixed.push(Some(key), &mut bytes);
            bytes.remove(0);
        }
        return ascii(bytes);
    }
    let mut text = String::new();
    encode_value(value, element, true, &mut text);
    text
}

fn put(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a String can be written to");
}

/// Adds a value of a type without a fixed width.
fn encode_value(value: &Value, element: DataType, bare: bool, text: &mut String) {
    match value {
        Value::Null => {}
        Value::Boolean(_) | Value::Int(_) | Value::Float(_) => {
            debug_assert!(false, "{value:?} is no value of {element}");
        }
        Value::Decimal(unscaled) => {
            encode_number(&Numeric::new(*unscaled, element.scale().into()), bare, text);
        }
        Value::Numeric(number) => encode_number(number, bare, text),
        Value::Interval(interval) => {
            put(text, format_args!("{:032x}", interval.comparable_micros() as u128 ^ SIGN_128));
            if !bare {
                let (months, days) = (interval.months as u32 ^ SIGN_32, interval.days as u32 ^ SIGN_32);
                put(text, format_args!("{months:08x}{days:08x}"));
            }
        }
        // In no order, but with all their bits.
        Value::Vector(elements) => {
            meter::goes_on(elements.len());
            elements.iter().for_each(|element| put(text, format_args!("{:016x}", element.to_bits())));
        }
        Value::Text(content) => {
            meter::goes_on(content.len());
            for letter in content.chars() {
                if letter <= ESCAPE {
                    text.push(ESCAPE);
                    text.push(char::from(letter as u8 + ESCAPED));
                } else {
                    text.push(letter);
                }
            }
        }
    }
}

fn encode_number(number: &Numeric, bare: bool, text: &mut String) {
    if bare { text.push_str(&number.key()) } else { number.encode_into(text) }
}

/// The value of a type without a fixed width at the front of a text, which is taken off it; none where there is none.
fn decode_value(letters: &mut Chars<'_>, element: DataType) -> Option<Value> {
    Some(match element.carrier() {
        DataType::Decimal { scale, .. } => {
            Value::Decimal(Numeric::decode(until_marker(letters)).ok()?.unscaled_at(scale)?)
        }
        DataType::Numeric => Value::numeric(Numeric::decode(until_marker(letters)).ok()?),
        DataType::Interval => {
            let length = (digits(letters, 32)? ^ SIGN_128) as i128;
            let part = |number: u128| (number as u32 ^ SIGN_32) as i32;
            let (months, days) = (part(digits(letters, 8)?), part(digits(letters, 8)?));
            let rest = length.checked_sub(Interval { months, days, micros: 0 }.comparable_micros())?;
            Value::Interval(Interval { months, days, micros: i64::try_from(rest).ok()? })
        }
        vector if let Some((_, length)) = vector.vector_of() => {
            let element = |_| digits(letters, 16).map(|bits| f64::from_bits(bits as u64));
            Value::Vector((0..length).map(element).collect::<Option<_>>()?)
        }
        _ => {
            let content = until_marker(letters);
            if !content.contains(ESCAPE) {
                return Some(Value::text(content));
            }
            let mut plain = String::with_capacity(content.len());
            let mut escaped = content.chars();
            while let Some(letter) = escaped.next() {
                plain.push(match letter {
                    ESCAPE => char::from(u8::try_from(escaped.next()?).ok()?.checked_sub(ESCAPED)?),
                    letter => letter,
                });
            }
            Value::text(plain)
        }
    })
}

/// Takes a value of a type without a fixed width off the front of a text.
fn skip_value(letters: &mut Chars<'_>, element: DataType) -> Option<()> {
    let length = match element.carrier() {
        DataType::Interval => 48,
        vector if let Some((_, length)) = vector.vector_of() => 16 * length as usize,
        _ => {
            until_marker(letters);
            return Some(());
        }
    };
    skip_bytes(letters, length)
}

/// What stands before the next element, or the end.
fn until_marker<'a>(letters: &mut Chars<'a>) -> &'a str {
    let rest = letters.as_str();
    let (content, behind) = rest.split_at(rest.find([END, VALUE, NULL]).unwrap_or(rest.len()));
    *letters = behind.chars();
    content
}

fn digits(letters: &mut Chars<'_>, count: usize) -> Option<u128> {
    let (digits, behind) = letters.as_str().split_at_checked(count)?;
    *letters = behind.chars();
    u128::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    /// Values of a type, in order; those next to each other may be equal.
    fn values(data_type: DataType) -> Vec<Value> {
        let texts: &[&str] = match data_type {
            DataType::Boolean => &["f", "t"],
            DataType::SmallInt => &["-32768", "-1", "0", "1", "32767"],
            DataType::Integer => &["-2147483648", "-1", "0", "7", "2147483647"],
            DataType::BigInt => &["-9223372036854775808", "-1", "0", "1", "9223372036854775807"],
            DataType::Real | DataType::Double => {
                &["-Infinity", "-1.5", "-1e-30", "0", "-0", "1e-30", "1.5", "1e30", "Infinity", "NaN"]
            }
            DataType::Decimal { .. } => &["-99999.99", "-1.50", "0", "0.01", "10", "99999.99"],
            DataType::Numeric => &[
                "-Infinity",
                "-1e40",
                "-1.5",
                "-1.50",
                "-0.001",
                "0",
                "0.00",
                "1e-50",
                "1",
                "1.0",
                "9",
                "10",
                "1e40",
                "Infinity",
                "NaN",
            ],
            DataType::Date => &["-infinity", "0044-03-15 BC", "1969-12-31", "2024-02-29", "infinity"],
            DataType::Time => &["00:00", "12:34:56.789", "24:00"],
            DataType::Interval => {
                &["-178000000 years", "-1 day", "00:00", "29 days", "1 month", "30 days", "720:00", "1 year"]
            }
            DataType::Timestamp | DataType::TimestampTz => {
                &["-infinity", "1969-12-31 23:59:59.999999", "2024-01-01", "infinity"]
            }
            DataType::Oid(_) => &["0", "1", "4294967295"],
            DataType::Uuid => &[
                "00000000-0000-0000-0000-000000000000",
                "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
            ],
            DataType::Bytea => &["", "\\x00", "\\x0001", "\\x01", "\\xff"],
            _ => &[
                "",
                "\u{1}",
                "\u{1}a",
                "\u{2}",
                "\u{3}\u{4}",
                "\u{4}",
                "\u{4}D",
                "\u{5}",
                " ",
                "a",
                "a\u{1}",
                "a\u{4}",
                "aa",
                "b",
                "é",
                "😀",
            ],
        };
        texts.iter().map(|text| crate::evaluate::parse(text, data_type).expect("it is one")).collect()
    }

    /// PostgreSQL's order of arrays.
    fn compare(a: &Array, b: &Array) -> Ordering {
        let elements = a.elements.iter().zip(&b.elements).map(|(a, b)| a.compare(b));
        let lengths = |array: &Array| array.bounds.iter().map(|bound| bound.length).collect::<Vec<_>>();
        let lowers = |array: &Array| array.bounds.iter().map(|bound| bound.lower).collect::<Vec<_>>();
        elements
            .fold(Ordering::Equal, Ordering::then)
            .then(a.elements.len().cmp(&b.elements.len()))
            .then(a.bounds.len().cmp(&b.bounds.len()))
            .then(lengths(a).cmp(&lengths(b)))
            .then(lowers(a).cmp(&lowers(b)))
    }

    #[test]
    fn texts_sort_as_arrays() {
        let types = [
            DataType::Boolean,
            DataType::SmallInt,
            DataType::Integer,
            DataType::BigInt,
            DataType::Real,
            DataType::Double,
            DataType::decimal(7, 2),
            DataType::Numeric,
            DataType::Text,
            DataType::Date,
            DataType::Time,
            DataType::Timestamp,
            DataType::TimestampTz,
            DataType::Interval,
            DataType::OID,
            DataType::Name,
            DataType::Uuid,
            DataType::Bytea,
        ];
        for data_type in types {
            let values = values(data_type);
            let mut all = vec![Array::default()];
            for first in values.iter().chain([&Value::Null]) {
                all.push(Array::of(vec![first.clone()]));
                for second in values.iter().chain([&Value::Null]) {
                    let elements = vec![first.clone(), second.clone()];
                    all.push(Array::of(elements.clone()));
                    let bounds = vec![Bound { lower: -2, length: 2 }];
                    all.push(Array { bounds, elements: elements.clone() });
                    for lengths in [[1, 2], [2, 1]] {
                        let bounds = lengths.map(|length| Bound { lower: 1, length }).to_vec();
                        all.push(Array { bounds, elements: elements.clone() });
                    }
                }
            }
            let texts: Vec<(String, String)> =
                all.iter().map(|array| (array.encode(data_type), array.key(data_type))).collect();
            for (array, (text, _)) in all.iter().zip(&texts) {
                let read = Array::decode(text, data_type).expect("it was made of an array");
                assert_eq!(read.bounds, array.bounds);
                assert_eq!(read.encode(data_type), *text, "{data_type} {array:?}");
                let same = read.elements.iter().zip(&array.elements).all(|(a, b)| a.compare(b).is_eq());
                assert!(same && read.elements.len() == array.elements.len(), "{data_type} {array:?}");
            }
            for (a, (text, key)) in all.iter().zip(&texts) {
                for (b, (other, other_key)) in all.iter().zip(&texts) {
                    let order = compare(a, b);
                    assert_eq!(key.cmp(other_key), order, "{data_type}: {a:?} and {b:?}");
                    // Of elements that are equal and look different the looks decide, which a key leaves out.
                    let mut pairs = a.elements.iter().zip(&b.elements);
                    if !pairs.any(|(a, b)| a.compare(b).is_eq() && a.compare_forms(b).is_ne()) {
                        assert_eq!(text.cmp(other), order, "{data_type}: {a:?} and {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn other_texts_are_no_arrays() {
        for element in [DataType::Integer, DataType::Text, DataType::Numeric, DataType::Interval, DataType::Boolean] {
            let text = Array::of(vec![Value::Null, Value::Null]).encode(element);
            for end in 0..text.len() {
                assert_eq!(Array::decode(&text[..end], element), None, "{element} {end}");
            }
            for other in ["", "x", "\u{1}1", "\u{1}080000001", "\u{2}\u{1}1é0000001", "\u{3}\u{1}99", "\u{3}\u{1}é"] {
                assert_eq!(Array::decode(other, element), None, "{element} {other:?}");
            }
        }
        assert_eq!(Array::decode("\u{2}\u{4}\u{1}180000001", DataType::Text), None);
    }
}
