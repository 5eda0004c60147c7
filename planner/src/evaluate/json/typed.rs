//! JSON as a value of a type: objects as structs, arrays as arrays, scalars as their texts are read.

use super::{Json, Parser, unsigned_zero};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::array::{Array, Bound};
use crate::evaluate::vector::text::{null_element, read, wrong_length};
use crate::evaluate::{logical, mismatch, structure};
use crate::meter;
use crate::stack;
use crate::types::DataType;
use crate::value::Value;
use std::borrow::Cow;

/// The value of a JSON text. Zeros that are floats keep their sign.
///
/// # Errors
/// 22P02 for JSON of another shape, whatever reading a scalar gives.
pub(in crate::evaluate) fn typed(text: &str, of: DataType, zone: &str) -> Result<Value> {
    // An array of numbers is the vector's text. As JSON a number is a NUMERIC, which has no negative zero.
    if let Some((element, length)) = of.vector_of() {
        match read(&without_quotes(text), element, length) {
            Err(error) if error.kind() == ErrorKind::InvalidText => {}
            vector => return vector,
        }
    }
    let json = Parser { text, at: 0, depth: 0, keeps: true, signs: true }.whole()?;
    value_of(&json, of, zone)
}

fn value_of(json: &Json, of: DataType, zone: &str) -> Result<Value> {
    meter::spend(32)?;
    let wrong = |what: &str| {
        let message = format!("{what} of JSON cannot be cast to type {of}");
        Err(Error::new(ErrorKind::InvalidText, message))
    };
    match json {
        Json::Plain(word) if word == "null" => Ok(Value::Null),
        json if matches!(of, DataType::Json | DataType::Jsonb) => {
            let mut text = String::new();
            json.clone().write(&mut text);
            Ok(Value::text(text))
        }
        Json::Object(members) => {
            let Some(fields) = of.struct_fields() else { return wrong("an object") };
            let field = |(name, of): &(String, DataType)| {
                let same = members.iter().rev().find(|(key, _)| key == name);
                let member = same.or_else(|| members.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name)));
                member.map_or(Ok(Value::Null), |(_, json)| stack::more(|| value_of(json, *of, zone)))
            };
            Ok(Value::text(structure::encode(&fields.iter().map(field).collect::<Result<Vec<_>>>()?, fields)))
        }
        Json::Array(elements) if let Some((of, length)) = of.vector_of() => vector(elements, of, length, zone),
        Json::Array(_) => {
            let Some(element) = of.element().filter(|_| !of.is_zero_based()) else { return wrong("an array") };
            let (mut lengths, mut elements) = (Vec::new(), Vec::new());
            level(json, element, zone, 0, &mut lengths, &mut elements)?;
            let bounds = lengths.into_iter().map(|length| Bound { lower: 1, length }).collect();
            Ok(Value::text(Array::checked(bounds, elements)?.encode(element)))
        }
        Json::Plain(text) | Json::String(text) => {
            if of.struct_fields().is_some() || of.element().is_some() {
                return wrong("a scalar");
            }
            let is_number = matches!(json, Json::Plain(_)) && !matches!(of, DataType::Real | DataType::Double);
            logical::read(if is_number { unsigned_zero(text) } else { text }, of, zone)
        }
    }
}

/// An array whose elements have no quotes around them; the same text if only some of an element is in quotes.
fn without_quotes(array: &str) -> Cow<'_, str> {
    let within = array.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let Some(within) = within.filter(|within| within.contains('"')) else { return Cow::Borrowed(array) };
    let plain = |element: &str| {
        let element = element.trim();
        match element.strip_prefix('"') {
            Some(rest) => rest.strip_suffix('"').filter(|rest| !rest.contains(['"', '\\'])).map(str::to_owned),
            None => Some(element.to_owned()).filter(|element| !element.contains('"')),
        }
    };
    match within.split(',').map(plain).collect::<Option<Vec<_>>>() {
        Some(elements) => Cow::Owned(format!("[{}]", elements.join(","))),
        None => Cow::Borrowed(array),
    }
}

/// The vector of an array of numbers. The texts NaN and Infinity are numbers, too: JSON has no others of them.
fn vector(elements: &[Json], of: DataType, length: u32, zone: &str) -> Result<Value> {
    if elements.len() != length as usize {
        return Err(wrong_length(length, elements.len()));
    }
    let mut values = Vec::with_capacity(elements.len());
    for element in elements {
        values.push(match value_of(element, of, zone)? {
            Value::Float(value) => value,
            Value::Null => return Err(null_element()),
            other => return Err(mismatch(&other, of)),
        });
    }
    Ok(Value::vector(values))
}

/// The elements of an array of arrays, all of one length.
fn level(
    json: &Json,
    element: DataType,
    zone: &str,
    depth: usize,
    lengths: &mut Vec<usize>,
    elements: &mut Vec<Value>,
) -> Result<()> {
    let ragged = || Err(Error::new(ErrorKind::InvalidText, "arrays of JSON within an array are not of one length"));
    let Json::Array(parts) = json else { return ragged() };
    if lengths.len() == depth {
        if !elements.is_empty() {
            return ragged();
        }
        lengths.push(parts.len());
    }
    if lengths[depth] != parts.len() {
        return ragged();
    }
    for part in parts {
        match part {
            Json::Array(_) if !matches!(element, DataType::Json | DataType::Jsonb) => {
                stack::more(|| level(part, element, zone, depth + 1, lengths, elements))?;
            }
            _ if lengths.len() > depth + 1 => return ragged(),
            scalar => elements.push(stack::more(|| value_of(scalar, element, zone))?),
        }
    }
    Ok(())
}
