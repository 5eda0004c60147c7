//! The order of jsonb: a text that sorts as PostgreSQL orders its values, and the shortest of equal ones.
//!
//! Objects come behind arrays, these behind booleans, numbers, strings and null. Of two objects or arrays the one of more
//! fields or elements comes behind, else the first that differ decide. A scalar that is no part of an array is ordered as an array
//! of it, before such an array; so an array without elements comes before all else.

use super::Json;
use super::change::{text_of, tree};
use crate::error::Result;
use crate::evaluate::Call;
use crate::function::JsonbFunction;
use crate::numeric::Numeric;
use crate::stack;
use crate::value::Value;

/// Ends what has no length of its own: less than every letter that is in it.
const END: char = '\u{1}';

/// Before a letter that is not greater than itself.
const ESCAPE: char = '\u{2}';

/// The value of one of these functions; none if it is another. No argument is NULL.
pub(super) fn apply(function: JsonbFunction, call: &Call) -> Result<Option<Value>> {
    let text = call.text(0)?;
    Ok(Some(match function {
        // Only what stands behind a point can be left out.
        JsonbFunction::Shortest if !text.contains('.') => call.arguments[0].clone(),
        JsonbFunction::Shortest => text_of(shortened(tree(text)?)),
        JsonbFunction::SortKey => {
            let mut key = String::with_capacity(text.len() + 16);
            match tree(text)?.sorted() {
                Json::Object(fields) => object(&fields, &mut key),
                Json::Array(elements) => {
                    key.push('A');
                    count(elements.len(), &mut key);
                    key.push('1');
                    elements.iter().for_each(|element| value(element, &mut key));
                }
                scalar => {
                    key.push('A');
                    count(1, &mut key);
                    key.push('0');
                    value(&scalar, &mut key);
                }
            }
            Value::text(key)
        }
        _ => return Ok(None),
    }))
}

/// Numbers without zeros at the end of their fractions.
fn shortened(json: Json) -> Json {
    match json {
        Json::Plain(text) if text.contains('.') => match Numeric::parse(&text) {
            Ok(number) => Json::Plain(number.trim_scale().to_string()),
            Err(_) => Json::Plain(text),
        },
        Json::Array(elements) => {
            Json::Array(elements.into_iter().map(|element| stack::more(|| shortened(element))).collect())
        }
        Json::Object(fields) => {
            Json::Object(fields.into_iter().map(|(key, value)| (key, stack::more(|| shortened(value)))).collect())
        }
        other => other,
    }
}

fn count(number: usize, key: &mut String) {
    key.push_str(&format!("{number:08x}"));
}

fn string(text: &str, key: &mut String) {
    for letter in text.chars() {
        if letter <= ESCAPE {
            key.push(ESCAPE);
        }
        key.push(letter);
    }
    key.push(END);
}

fn object(fields: &[(String, Json)], key: &mut String) {
    key.push('O');
    count(fields.len(), key);
    for (name, field) in fields {
        string(name, key);
        value(field, key);
    }
}

/// A part of an array or an object.
fn value(json: &Json, key: &mut String) {
    match json {
        Json::Plain(word) => match word.as_str() {
            "null" => key.push('0'),
            "false" => key.push_str("30"),
            "true" => key.push_str("31"),
            digits => {
                key.push('2');
                key.push_str(&Numeric::parse(digits).map(|number| number.key()).unwrap_or_default());
                key.push(END);
            }
        },
        Json::String(text) => {
            key.push('1');
            string(text, key);
        }
        Json::Array(elements) => {
            key.push('4');
            count(elements.len(), key);
            elements.iter().for_each(|element| stack::more(|| value(element, key)));
        }
        Json::Object(fields) => {
            key.push('5');
            stack::more(|| object(fields, key));
        }
    }
}
