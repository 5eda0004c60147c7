//! Kernels of JSON, and of casts between numbers and texts, against `evaluate`: shared and own texts, NULLs, constants, and texts
//! that are none.

use super::json_fields::{self, Form};
use super::{Call, Scratch, call};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::Array;
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::evaluate::json_scan::{Field, Step};
use multiloop_planner::function::{Function as F, JsonFunction as J};
use multiloop_planner::types::DataType as T;
use multiloop_planner::value::Value;

fn vector(values: &[Value], register: Register, shares: bool) -> Vector {
    let mut vector = Vector::default();
    vector.set_values(values, register);
    if let VectorData::Text(texts) = &mut vector.data
        && shares
    {
        texts.share();
    }
    vector
}

/// The kernel of all rows that do not fail beside their values, and of each that fails its error. The second argument is a constant
/// or each row's own.
fn check(function: F, values: &[Value], more: Option<(&[Value], T)>, (from, result): (T, T), registers: [Register; 2]) {
    let types: Vec<T> = [from].into_iter().chain(more.map(|(_, of)| of)).collect();
    let call_of = Call { function, types: &types, result, register: registers[1], checked: true };
    let row = |at: usize, constant: Option<&Value>| -> Vec<Value> {
        let second = more.map(|(more, _)| constant.unwrap_or(&more[at % more.len()]).clone());
        [values[at].clone()].into_iter().chain(second).collect()
    };
    let constants = more.map_or(vec![None], |(more, _)| [None].into_iter().chain(more.iter().map(Some)).collect());
    for constant in constants {
        let expected = |at: usize| evaluate(function, &row(at, constant), &types, result);
        let good: Vec<usize> = (0..values.len()).filter(|&at| expected(at).is_ok()).collect();
        for shares in [false, true] {
            let run = |rows: &[usize]| {
                let column = |place: usize, register: Register| {
                    let all: Vec<Value> = rows.iter().map(|&at| row(at, constant)[place].clone()).collect();
                    vector(&all, register, shares)
                };
                let mut vectors = vec![column(0, registers[0])];
                if let Some((_, of)) = more {
                    let register = if of == T::Integer { Register::I32 } else { Register::Text };
                    vectors.push(match constant {
                        Some(value) => {
                            let mut constant = Vector::default();
                            constant.set_constant(rows.len(), value, register);
                            constant
                        }
                        None => column(1, register),
                    });
                }
                let mut out = Vector::default();
                let vectors: Vec<&Vector> = vectors.iter().collect();
                call(&call_of, &vectors, rows.len(), &mut Scratch::default(), &mut out).map(|()| out)
            };
            let out = run(&good).expect("none of these fails");
            for (place, &at) in good.iter().enumerate() {
                let (found, wanted) = (out.value(place, result), expected(at).unwrap());
                let is_nan =
                    matches!((&found, &wanted), (Value::Float(a), Value::Float(b)) if a.is_nan() && b.is_nan());
                assert!(is_nan || found == wanted, "{function:?} of {:?}: {found:?} {wanted:?}", row(at, constant));
            }
            for at in (0..values.len()).filter(|at| !good.contains(at)) {
                let rows = [&good[..good.len().min(3)], &[at]].concat();
                assert_eq!(
                    run(&rows).unwrap_err().sqlstate(),
                    expected(at).unwrap_err().sqlstate(),
                    "{:?}",
                    values[at]
                );
            }
        }
    }
}

fn texts(texts: &[&str]) -> Vec<Value> {
    let mut values: Vec<Value> = texts.iter().map(|text| Value::text(*text)).collect();
    values.insert(1, Value::Null);
    values
}

const DOCUMENTS: [&str; 22] = [
    r#"{"q": 12, "c": "x"}"#,
    r#"{"a": {"b": [10, "é\n", {"c": null}]}, "q": "text", "a": [1, [2, 3], "\u0041"]}"#,
    r#"{"a": {"b": {"c": "deep"}}}"#,
    r#" {"q" : "with \" escapes" , "": "empty"} "#,
    r#"[1, "two", {"a": 3}, null, [4]]"#,
    " [ ] ",
    "{}",
    "\"q\"",
    "17",
    " null",
    r#"{"q": null}"#,
    r#"{"q": "null", "q": "\ud83d"}"#,
    r#"{"q": "\u0000"}"#,
    r#"{"q": 1e3, "b": -0, "a": -0.0, "q": 1.50}"#,
    r#"{"zz": 1, "a": 2, "b": 3, "a": {"y": 1, "x": 2, "y": 3}, "zz": []}"#,
    "",
    "{",
    "{\"q\": 1} x",
    "{q: 1}",
    "[1, 2",
    "\"\n\"",
    "nul",
];

#[test]
fn documents_are_read_and_looked_into() {
    let documents = texts(&DOCUMENTS);
    let registers = [Register::Text, Register::Text];
    check(F::ReadAs(T::Json), &documents, None, (T::Text, T::Json), registers);
    check(F::ReadAs(T::Jsonb), &documents, None, (T::Text, T::Jsonb), registers);
    let keys = texts(&["q", "a", "", "zz", "b"]);
    let places =
        [Value::Int(0), Value::Int(-1), Value::Null, Value::Int(2), Value::Int(9), Value::Int(i32::MIN.into())];
    let path = |steps: &[&str]| {
        let steps = steps.iter().map(|step| if *step == "-" { Value::Null } else { Value::text(*step) }).collect();
        Value::text(Array::of(steps).encode(T::Text))
    };
    let paths = [
        path(&["a", "b"]),
        path(&[]),
        Value::Null,
        path(&["a", "-1", "x"]),
        path(&["a", "b", "2", "c"]),
        path(&["2", "a"]),
        path(&["q", "-"]),
        path(&["a", "1", "0"]),
    ];
    for function in [J::Member, J::MemberText] {
        check(F::Json(function), &documents, Some((&keys[..], T::Text)), (T::Text, T::Text), registers);
        check(F::Json(function), &documents, Some((&places[..], T::Integer)), (T::Text, T::Text), registers);
    }
    for function in [J::Path, J::PathText] {
        check(F::Json(function), &documents, Some((&paths[..], T::Text)), (T::Text, T::Text), registers);
    }
}

/// Texts that are numbers of some types, and some that are none.
const WRITTEN: [&str; 35] = [
    "0",
    "-0",
    "+7",
    "007",
    " 12\t",
    "",
    " ",
    "-",
    "+",
    "1 2",
    "1.5",
    "1e3",
    "12a",
    "é",
    "999999999",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "32767",
    "32768",
    "-32768",
    "-32769",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "99999999999999999999",
    "NaN",
    "inf",
    "-Infinity",
    "1e400",
    "1e-400",
    "0.1",
    "-0.0",
    "1_000",
];

#[test]
fn numbers_are_written_and_read() {
    let mut numbers: Vec<i64> =
        (0..19).flat_map(|power| [10i64.pow(power), 10i64.pow(power) - 1, 7 * 10i64.pow(power / 2)]).collect();
    numbers.extend(numbers.clone().iter().map(|number| -number));
    numbers.extend([i64::MIN, i64::MAX, 105, 1005, 10_010]);
    let ints = |most: i64| -> Vec<Value> {
        let some =
            numbers.iter().filter(|number| (-most - 1..=most).contains(*number)).map(|&number| Value::Int(number));
        [Value::Null].into_iter().chain(some).collect()
    };
    let to_text = |values: &[Value], from: T, register: Register| {
        for function in [F::Cast, F::AssignCast] {
            check(function, values, None, (from, T::Text), [register, Register::Text]);
            check(function, values, None, (from, T::Varchar(3)), [register, Register::Text]);
        }
    };
    to_text(&ints(i64::MAX), T::BigInt, Register::I64);
    to_text(&ints(i32::MAX.into()), T::Integer, Register::I32);
    to_text(&ints(i16::MAX.into()), T::SmallInt, Register::I32);
    let days: Vec<i64> = [-719_163, -719_162, -2_440_588, 0, -1, 11_016, 2_932_896, 2_932_897, i32::MAX.into()].into();
    let days: Vec<Value> = days.into_iter().chain((0..800).map(|at| at * 913)).map(Value::Int).collect();
    to_text(&days, T::Date, Register::I32);
    for scale in [0, 1, 2, 9, 18] {
        let decimals: Vec<Value> = numbers.iter().map(|&number| Value::Decimal(number.into())).collect();
        to_text(&decimals, T::decimal(38, scale), Register::I128);
    }
    to_text(&[Value::Decimal(i128::MAX / 3), Value::Decimal(-1)], T::decimal(38, 20), Register::I128);
    let mut written = texts(&WRITTEN);
    written.extend(numbers.iter().map(|number| Value::text(number.to_string())));
    for (to, register) in [
        (T::SmallInt, Register::I32),
        (T::Integer, Register::I32),
        (T::BigInt, Register::I64),
        (T::Double, Register::F64),
        (T::Real, Register::F64),
    ] {
        check(F::Cast, &written, None, (T::Text, to), [Register::Text, register]);
    }
}

/// Fields found together are what the functions give one by one; where one of these fails, nothing is found.
#[test]
fn fields_are_found_together() {
    let documents = texts(&DOCUMENTS);
    let keys = ["q", "a", "", "zz", "b"].map(Step::Key);
    let wanted: Vec<Field<'_>> = keys
        .into_iter()
        .chain([0, -1, 2, 9, i64::MIN].map(Step::At))
        .flat_map(|step| [false, true].map(|as_text| Field::new(step, as_text)))
        .collect();
    let expected = |document: &Value, field: &Field<'_>| {
        let json = evaluate(F::ReadAs(T::Json), std::slice::from_ref(document), &[T::Text], T::Json)?;
        let (step, of) = match field.step() {
            Step::Key(key) => (Value::text(key), T::Text),
            Step::At(place) => (Value::Int(place), T::BigInt),
        };
        let function = F::Json(if field.is_text() { J::MemberText } else { J::Member });
        evaluate(function, &[json, step], &[T::Text, of], T::Text)
    };
    for some in wanted.chunks(3).chain([&wanted[..]]) {
        let is_good = |document: &&Value| some.iter().all(|field| expected(document, field).is_ok());
        let good: Vec<Value> = documents.iter().filter(is_good).cloned().collect();
        for shares in [false, true] {
            let find = |values: &[Value]| {
                let mut outs = vec![Vector::default(); some.len()];
                let json = vector(values, Register::Text, shares);
                json_fields::find(&json, Form::Json, some, &mut outs).expect("nobody cancels").then_some(outs)
            };
            let outs = find(&good).expect("none of these fails");
            for (field, out) in some.iter().zip(outs) {
                for (at, document) in good.iter().enumerate() {
                    assert_eq!(out.value(at, T::Text), expected(document, field).unwrap(), "{field:?} of {document:?}");
                }
            }
            for bad in documents.iter().filter(|document| !is_good(document)) {
                assert!(find(&[&good[..2], std::slice::from_ref(bad)].concat()).is_none(), "{bad:?}");
            }
        }
    }
}
