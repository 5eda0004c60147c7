//! Builds the texts that list aggregates keep of each row: its sort key and its value (`planner/src/evaluate/gather.rs`), of
//! numbers and texts.

use super::Call;
use super::array::escape;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::{Fixed, Form, MARKS};
use multiloop_planner::evaluate::gather::{DOWN_END, UP_END};
use multiloop_planner::function::{ArrayFunction, Function};
use multiloop_planner::types::SortOrder;

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
        (Form::Fixed(fixed), VectorData::I32(values)) if !fixed.is_float() => {
            numbers((order, fixed), argument, texts, len, |tuple| fixed.key_of_integer(values[tuple].into()))
        }
        (Form::Fixed(fixed), VectorData::I64(values)) if !fixed.is_float() => {
            numbers((order, fixed), argument, texts, len, |tuple| fixed.key_of_integer(values[tuple]))
        }
        (Form::Fixed(fixed), VectorData::F64(values)) if fixed.is_float() => {
            numbers((order, fixed), argument, texts, len, |tuple| fixed.key_of_float(values[tuple]))
        }
        (Form::Fixed(Fixed::Boolean), VectorData::Bool(values)) => {
            numbers((order, Fixed::Boolean), argument, texts, len, |tuple| values.get(tuple).into())
        }
        (Form::Text, VectorData::Text(_) | VectorData::Code { .. }) => {
            each(order, argument, texts, (len, 0), |tuple, key| {
                key.push(VALUE);
                escape(argument.text(tuple).unwrap_or(""), key);
            })
        }
        _ => return false,
    };
    out.set(len, VectorData::Text(texts), None);
    true
}

const VALUE: u8 = MARKS[1];
const NULL: u8 = MARKS[2];

const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";

/// Appends a byte in hexadecimal digits.
#[inline]
pub(in crate::cpu) fn push_digits(byte: u8, key: &mut Vec<u8>) {
    key.extend([HEXADECIMAL[usize::from(byte >> 4)], HEXADECIMAL[usize::from(byte & 15)]]);
}

fn numbers(
    (order, fixed): (Option<SortOrder>, Fixed),
    argument: &Vector,
    texts: TextVector,
    len: usize,
    key_of: impl Fn(usize) -> u64,
) -> TextVector {
    each(order, argument, texts, (len, fixed.digits()), |tuple, key| fixed.push(Some(key_of(tuple)), key))
}

/// A key, or an element, of each value. `push` appends its mark and its text; NULL has so many bytes behind its own.
fn each(
    order: Option<SortOrder>,
    argument: &Vector,
    mut texts: TextVector,
    (len, filling): (usize, usize),
    push: impl Fn(usize, &mut Vec<u8>),
) -> TextVector {
    let mut own = Vec::new();
    for tuple in 0..len {
        let is_null = argument.is_null(tuple);
        // What is written is whole texts and ASCII.
        texts.push_written(|key| match order {
            None if is_null => {
                key.push(NULL);
                key.resize(key.len() + filling, b'@');
            }
            None => push(tuple, key),
            Some(order) if is_null => key.push(if order.nulls_first { b'1' } else { b'3' }),
            Some(SortOrder { descending: false, .. }) => {
                let start = key.len();
                push(tuple, key);
                key[start] = b'2';
                key.push(UP_END as u8);
            }
            Some(_) => {
                own.clear();
                push(tuple, &mut own);
                key.push(b'2');
                own[1..].iter().for_each(|&byte| push_digits(!byte, key));
                key.push(DOWN_END as u8);
            }
        });
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
            (&narrow[1..], DataType::SmallInt, Register::I32),
            (&floats[..5], DataType::Real, Register::F64),
            (&[Value::Boolean(true), Value::Boolean(false)], DataType::Boolean, Register::Bool),
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
