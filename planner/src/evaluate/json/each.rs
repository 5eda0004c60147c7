//! The fields of an object as rows, its keys, and objects of texts; a json's without its nulls. Parts are pieces of the text that
//! they are in.

use super::member::{each, step_of_duck, text_of, trimmed};
use super::{append_json_text, check};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::array::Array;
use crate::evaluate::{Call, row};
use crate::function::JsonbFunction;
use crate::stack;
use crate::types::DataType;
use crate::value::Value;

/// The value of one of these functions; none if it is another. No argument is NULL.
pub(super) fn apply(function: JsonbFunction, call: &Call) -> Result<Option<Value>> {
    use JsonbFunction as J;
    let json = call.text(0)?;
    Ok(Some(match function {
        J::Each => fields(json, false, "jsonb_each")?,
        J::EachText => fields(json, true, "jsonb_each_text")?,
        J::EachOfJson => fields(json, false, "")?,
        J::EachTextOfJson => fields(json, true, "")?,
        J::Keys => keys(json, "jsonb_object_keys")?,
        J::KeysOfJson => keys(json, "json_object_keys")?,
        J::StripNullsOfJson => {
            let mut out = String::with_capacity(json.len());
            strip_nulls(trimmed(json), &mut out)?;
            Value::text(out)
        }
        J::ObjectOfTexts => object_of_texts(json)?,
        J::ObjectOfKeys => object_of_keys(json, call.text(1)?)?,
        J::IsValid => Value::Boolean(check(json).is_ok()),
        J::Extract => step_of_duck(json, call.text(1)?)?.map_or(Value::Null, Value::text),
        J::ExtractText => step_of_duck(json, call.text(1)?)?.map_or(Ok(Value::Null), text_of)?,
        _ => return Ok(None),
    }))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidParameter, message)
}

/// Rows of a key and a value. `name` is the function's that is to be in the error for what is no object; json's have another.
fn fields(json: &str, as_texts: bool, name: &str) -> Result<Value> {
    let what = trimmed(json).bytes().next();
    if what != Some(b'{') {
        return Err(match (name.is_empty(), what) {
            (false, _) => invalid(format!("cannot call {name} on a non-object")),
            (true, Some(b'[')) => invalid("cannot deconstruct an array as an object".to_owned()),
            (true, _) => invalid("cannot deconstruct a scalar".to_owned()),
        });
    }
    let mut rows = Vec::new();
    let mut failed = None;
    each(json, &mut |key, value| {
        let key = key.unwrap_or_default();
        let value = match as_texts {
            false => Ok(Value::text(value)),
            true => text_of(value),
        };
        match value {
            Ok(value) => rows.push(Value::text(row::of_pair(&key, &value))),
            Err(error) => failed = Some(error),
        }
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok(Value::text(Array::of(rows).encode(DataType::Text))),
    }
}

fn keys(json: &str, name: &str) -> Result<Value> {
    match trimmed(json).bytes().next() {
        Some(b'{') => {}
        Some(b'[') => return Err(invalid(format!("cannot call {name} on an array"))),
        _ => return Err(invalid(format!("cannot call {name} on a scalar"))),
    }
    let mut keys = Vec::new();
    each(json, &mut |key, _| keys.push(Value::text(key.unwrap_or_default())))?;
    Ok(Value::text(Array::of(keys).encode(DataType::Text)))
}

/// A json without blanks, and without the fields of objects that are null.
fn strip_nulls(json: &str, out: &mut String) -> Result<()> {
    let is_object = json.starts_with('{');
    if !is_object && !json.starts_with('[') {
        match text_of(json)? {
            Value::Text(text) if json.starts_with('"') => append_json_text(&text, out),
            _ => out.push_str(json),
        }
        return Ok(());
    }
    let mut parts = Vec::new();
    each(json, &mut |key, value| parts.push((key, value)))?;
    parts.retain(|(key, value)| key.is_none() || *value != "null");
    out.push(if is_object { '{' } else { '[' });
    for (at, (key, value)) in parts.into_iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        if let Some(key) = key {
            append_json_text(&key, out);
            out.push(':');
        }
        stack::more(|| strip_nulls(value, out))?;
    }
    out.push(if is_object { '}' } else { ']' });
    Ok(())
}

fn subscripts(message: &str) -> Error {
    Error::new(ErrorKind::ArraySubscript, message)
}

/// An object of pairs of a key and a text, which may be NULL.
fn object<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Result<Value> {
    let mut out = String::from("{");
    for (at, (key, value)) in pairs.enumerate() {
        let Value::Text(key) = key else {
            return Err(Error::new(ErrorKind::NullNotAllowed, "null value not allowed for object key"));
        };
        out.push_str(if at > 0 { ", " } else { "" });
        append_json_text(key, &mut out);
        out.push_str(" : ");
        match value {
            Value::Text(text) => append_json_text(text, &mut out),
            _ => out.push_str("null"),
        }
    }
    out.push('}');
    Ok(Value::text(out))
}

fn object_of_texts(texts: &str) -> Result<Value> {
    let array = Array::decode(texts, DataType::Text).unwrap_or_default();
    match &array.bounds[..] {
        [] | [_] if array.elements.len().is_multiple_of(2) => {}
        [_] => return Err(subscripts("array must have even number of elements")),
        [_, columns] if columns.length == 2 => {}
        [_, _] => return Err(subscripts("array must have two columns")),
        _ => return Err(subscripts("wrong number of array subscripts")),
    }
    object(array.elements.chunks_exact(2).map(|pair| (&pair[0], &pair[1])))
}

fn object_of_keys(keys: &str, values: &str) -> Result<Value> {
    let decode = |texts: &str| Array::decode(texts, DataType::Text).unwrap_or_default();
    let (keys, values) = (decode(keys), decode(values));
    if keys.bounds.len() > 1 || values.bounds.len() != keys.bounds.len() {
        return Err(subscripts("wrong number of array subscripts"));
    }
    if keys.elements.len() != values.elements.len() {
        return Err(subscripts("mismatched array dimensions"));
    }
    object(keys.elements.iter().zip(&values.elements))
}
