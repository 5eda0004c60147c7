//! Every function against PostgreSQL's own answers, which `tests/postgres.tsv` holds.

use super::{evaluate, format, parse};
use crate::function::{DatePart, Function, TrimSide};
use crate::types::DataType;
use crate::value::Value;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

#[test]
fn answers_are_postgresqls() {
    let mut wrong = Vec::new();
    let cases = include_str!("postgres.tsv").lines().filter(|line| !line.starts_with('#'));
    for line in cases {
        let fields: Vec<String> = line.split('\t').map(unescape).collect();
        let [function, result, expected, arguments @ ..] = fields.as_slice() else { panic!("too short: {line}") };
        let (function, result) = (read_function(function), read_type(result));
        let types: Vec<DataType> = arguments.iter().step_by(2).map(|name| read_type(name)).collect();
        let texts = arguments.iter().skip(1).step_by(2);
        let values: Vec<Value> = texts.zip(&types).map(|(text, data_type)| read_value(text, *data_type)).collect();
        let answer = match evaluate(function, &values, &types, result) {
            Ok(Value::Null) => "NULL".to_owned(),
            Ok(value) => format(&value, result),
            Err(error) => format!("!{}", error.sqlstate()),
        };
        if !same(&answer, expected, result) {
            wrong.push(format!("{line}\n    but here {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Equal, or doubles a few units in the last place apart: the mathematical functions are the platform's.
fn same(answer: &str, expected: &str, data_type: DataType) -> bool {
    if answer == expected {
        return true;
    }
    let both = (answer.parse::<f64>(), expected.parse::<f64>());
    let (true, (Ok(answer), Ok(expected))) = (data_type == DataType::Double, both) else { return false };
    (answer - expected).abs() <= expected.abs() * 4.0 * f64::EPSILON
}

fn unescape(field: &str) -> String {
    let mut text = String::new();
    let mut characters = field.chars();
    while let Some(c) = characters.next() {
        text.push(match c {
            '\\' => match characters.next().expect("an escape is complete") {
                't' => '\t',
                'n' => '\n',
                other => other,
            },
            other => other,
        });
    }
    text
}

fn named<'a, T: Deserialize<'a>>(name: &'a str) -> T {
    let deserializer: StrDeserializer<'a, Error> = name.into_deserializer();
    T::deserialize(deserializer).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn read_function(name: &str) -> Function {
    match name.split_once(' ') {
        Some(("Extract", part)) => Function::Extract(named::<DatePart>(part)),
        Some(("DateTrunc", part)) => Function::DateTrunc(named::<DatePart>(part)),
        Some(("Trim", side)) => Function::Trim(named::<TrimSide>(side)),
        _ => named(name),
    }
}

fn read_type(name: &str) -> DataType {
    let (name, modifiers) = name.trim_end_matches(')').split_once('(').unwrap_or((name, ""));
    let modifiers: Vec<u32> = modifiers.split(',').filter_map(|number| number.parse().ok()).collect();
    match (name, modifiers.as_slice()) {
        ("boolean", []) => DataType::Boolean,
        ("smallint", []) => DataType::SmallInt,
        ("integer", []) => DataType::Integer,
        ("bigint", []) => DataType::BigInt,
        ("real", []) => DataType::Real,
        ("double precision", []) => DataType::Double,
        ("numeric", [precision, scale]) => DataType::decimal(*precision as u8, *scale as u8),
        ("text", []) => DataType::Text,
        ("varchar", [length]) => DataType::Varchar(*length),
        ("char", [length]) => DataType::Char(*length),
        ("date", []) => DataType::Date,
        ("time", []) => DataType::Time,
        ("timestamp", []) => DataType::Timestamp,
        ("interval", []) => DataType::Interval,
        _ => panic!("no type {name}"),
    }
}

fn read_value(text: &str, data_type: DataType) -> Value {
    if text == "NULL" {
        return Value::Null;
    }
    parse(text, data_type).unwrap_or_else(|error| panic!("{text} as {data_type}: {error}"))
}
