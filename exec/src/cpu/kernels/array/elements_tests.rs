//! Elements of many arrays behind each other, beside those of each array.

use super::super::tests::{arrays, kinds};
use super::*;
use crate::cpu::vector::builder::register_of;
use multiloop_planner::evaluate::array::Array;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Arrays, the same again and again, more elements than are taken at once; one of them has more on its own.
fn many(values: &[Value], element: DataType) -> Vec<Value> {
    let all = arrays(values, element);
    let long = Array::of(values.iter().cycle().take(2 * ELEMENTS + 5).cloned().collect());
    let mut many: Vec<Value> = all.iter().cycle().take(100 * all.len()).cloned().collect();
    many.insert(1000, Value::text(long.encode(element)));
    many
}

fn check(element: DataType, rows: &[Value], is_shared: bool) {
    let form = Form::of(element).unwrap();
    let (register, mut vector) = (register_of(element), Vector::default());
    assert!(fits(form, register), "{element}");
    vector.set_values(rows, Register::Text);
    if let (VectorData::Text(texts), true) = (&mut vector.data, is_shared) {
        texts.share();
    }
    let arrays = Arrays::of(&vector).unwrap();
    assert_eq!(arrays.is_shared(), is_shared);
    let (mut place, mut out, mut parents, mut found) = (Place::default(), Vector::default(), Vec::new(), Vec::new());
    loop {
        parents.clear();
        fill((form, register), &arrays, &mut place, Some(&mut parents), &mut out);
        assert_eq!(parents.len(), out.len);
        if out.len == 0 {
            break;
        }
        found.extend(parents.iter().enumerate().map(|(at, &parent)| (parent as usize, out.value(at, element))));
    }
    let of =
        |row: &Value| if let Value::Text(text) = row { Array::decode(text, element).unwrap().elements } else { vec![] };
    let expected: Vec<(usize, Value)> =
        rows.iter().enumerate().flat_map(|(row, array)| of(array).into_iter().map(move |value| (row, value))).collect();
    assert_eq!(found.len(), expected.len(), "{element}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{element}");
    }
    assert!(place.passed <= arrays.bytes());
}

#[test]
fn elements_behind_each_other() {
    for (element, values) in kinds().into_iter().filter(|(element, _)| *element != DataType::Boolean) {
        let rows = many(&values, element);
        check(element, &rows, false);
        check(element, &rows, true);
    }
}

#[test]
fn marks_among_bytes() {
    let mut bytes = vec![b'a'; 200];
    for at in [0, 1, 7, 63, 64, 127, 128, 190, 199] {
        bytes[at] = 1 + (at % 4) as u8;
    }
    for start in 0..=200 {
        let expected = bytes[start..].iter().take(64).enumerate().filter(|(_, byte)| **byte <= 4);
        let expected = expected.fold(0u64, |all, (at, _)| all | 1 << at);
        assert_eq!(special(&bytes, start), expected, "{start}");
    }
}
