//! Builds the texts that list aggregates keep of each row: its sort key and its value (`planner/src/evaluate/gather.rs`), of
//! numbers and texts.

use super::Call;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::{ESCAPED, Form, MARKS};
use multiloop_planner::evaluate::gather::{DOWN_END, UP_END};
use multiloop_planner::function::{ArrayFunction, Function};
use multiloop_planner::types::SortOrder;
use multiloop_planner::value::canonical_float_bits;

/// Does the two functions, if it can: false if not.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let (order, element) = match call.function {
        Function::SortKey(order, element) => (Some(SortOrder::from(order)), element),
        Function::Array(ArrayFunction::Entry, element) => (None, element),
        _ => return false,
    };
    let (Some(form), &[argument]) = (Form::of(element), arguments) else { return false };
    if call.register != Register::Text || argument.constant {
        return false;
    }
    let texts = out.take_text();
    let texts = match (form, &argument.data) {
        (Form::Integer, VectorData::I32(values)) => {
            numbers(order, argument, texts, len, |tuple| i64::from(values[tuple]) as u64 ^ SIGN)
        }
        (Form::Integer, VectorData::I64(values)) => {
            numbers(order, argument, texts, len, |tuple| values[tuple] as u64 ^ SIGN)
        }
        (Form::Float, VectorData::F64(values)) => numbers(order, argument, texts, len, |tuple| {
            let bits = canonical_float_bits(values[tuple]);
            if bits & SIGN != 0 { !bits } else { bits | SIGN }
        }),
        (Form::Text, VectorData::Text(_) | VectorData::Code { .. }) => {
            each(order, argument, texts, len, |tuple, key| escape(argument.text(tuple).unwrap_or(""), key))
        }
        _ => return false,
    };
    out.set(len, VectorData::Text(texts), None);
    true
}

/// The sign of a number, which is turned.
const SIGN: u64 = 1 << 63;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends a byte in hexadecimal digits.
#[inline]
fn push_digits(byte: u8, key: &mut String) {
    key.push(char::from(DIGITS[usize::from(byte >> 4)]));
    key.push(char::from(DIGITS[usize::from(byte & 15)]));
}

fn numbers(
    order: Option<SortOrder>,
    argument: &Vector,
    texts: TextVector,
    len: usize,
    ordered: impl Fn(usize) -> u64,
) -> TextVector {
    each(order, argument, texts, len, |tuple, key| {
        ordered(tuple).to_be_bytes().into_iter().for_each(|byte| push_digits(byte, key));
    })
}

/// Appends a text as an element has it.
fn escape(text: &str, key: &mut String) {
    let escape = MARKS[3];
    if text.bytes().fold(true, |none, byte| none & (byte > escape)) {
        return key.push_str(text);
    }
    for letter in text.chars() {
        match u8::try_from(letter) {
            Ok(byte) if byte <= escape => key.extend([char::from(escape), char::from(byte + ESCAPED)]),
            _ => key.push(letter),
        }
    }
}

/// A key, or an element, of each value, whose text `push` appends.
fn each(
    order: Option<SortOrder>,
    argument: &Vector,
    mut texts: TextVector,
    len: usize,
    push: impl Fn(usize, &mut String),
) -> TextVector {
    let [_, value, null, _] = MARKS;
    let (mut key, mut own) = (String::new(), String::new());
    for tuple in 0..len {
        key.clear();
        match (order, argument.is_null(tuple)) {
            (None, true) => key.push(char::from(null)),
            (None, false) => {
                key.push(char::from(value));
                push(tuple, &mut key);
            }
            (Some(order), true) => key.push(if order.nulls_first { '1' } else { '3' }),
            (Some(SortOrder { descending: false, .. }), false) => {
                key.push('2');
                push(tuple, &mut key);
                key.push(UP_END);
            }
            (Some(_), false) => {
                own.clear();
                push(tuple, &mut own);
                key.push('2');
                own.bytes().for_each(|byte| push_digits(!byte, &mut key));
                key.push(DOWN_END);
            }
        }
        texts.push(&key);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::super::fallback;
    use super::*;
    use multiloop_planner::function::SortKeyOrder;
    use multiloop_planner::types::DataType;
    use multiloop_planner::value::Value;

    #[test]
    fn texts_are_those_of_the_definition() {
        let texts = ["", "a", "\u{1}", "ä\u{4}b\u{5}", "\u{3}\u{2}", "🦀"].map(Value::text);
        let integers = [i64::MIN, -1, 0, 1, 255, i64::MAX].map(Value::Int);
        let floats = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, f64::NAN, -f64::NAN].map(Value::Float);
        let narrow = [i64::from(i32::MIN), -1, 0, 7].map(Value::Int);
        for (values, element, register) in [
            (&texts[..], DataType::Text, Register::Text),
            (&integers, DataType::BigInt, Register::I64),
            (&floats, DataType::Double, Register::F64),
            (&narrow, DataType::Integer, Register::I32),
        ] {
            let mut vector = Vector::default();
            vector.set_values(&[values, &[Value::Null]].concat(), register);
            let len = vector.len;
            let orders = [(false, false), (false, true), (true, false), (true, true)];
            let keys = orders.map(|(descending, nulls_first)| {
                Function::SortKey(SortKeyOrder::from(SortOrder { descending, nulls_first }), element)
            });
            for function in keys.into_iter().chain([Function::Array(ArrayFunction::Entry, element)]) {
                let call = Call {
                    function,
                    types: &[element],
                    result: DataType::Text,
                    register: Register::Text,
                    checked: true,
                };
                let (mut found, mut expected) = (Vector::default(), Vector::default());
                assert!(super::call(&call, &[&vector], len, &mut found));
                fallback::call(&call, &[&vector], len, &mut expected).unwrap();
                for tuple in 0..len {
                    let value = |vector: &Vector| vector.value(tuple, DataType::Text);
                    assert_eq!(value(&found), value(&expected), "{function:?} {tuple}");
                }
            }
        }
    }
}
