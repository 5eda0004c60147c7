//! Access to members of JSON objects, elements of arrays, and paths of both.
//!
//! A part is a piece of the text that it is in, so a json's stays as it was written and a jsonb's stays in its form.

use super::Parser;
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::array::Array;
use crate::evaluate::{Call, mismatch};
use crate::function::JsonFunction;
use crate::types::DataType;
use crate::value::Value;

/// A step into a value.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Key(&'a str),
    /// Counted from 0, or, negative, from the end.
    At(i64),
}

/// The value of one of these functions; none if it is another. No argument is NULL.
pub(super) fn apply(function: JsonFunction, call: &Call) -> Result<Option<Value>> {
    use JsonFunction as J;
    let json = call.text(0)?;
    let whole = |part: &str| Value::text(part);
    Ok(Some(match function {
        J::Member => member(json, step(call)?)?.map_or(Value::Null, whole),
        J::MemberText => member(json, step(call)?)?.map_or(Ok(Value::Null), text_of)?,
        J::Path => path(json, call)?.map_or(Value::Null, whole),
        J::PathText => path(json, call)?.map_or(Ok(Value::Null), text_of)?,
        J::HasKey => Value::Boolean(has_key(json, call.text(1)?)?),
        J::Length => Value::Int(length(json)?),
        _ => return Ok(None),
    }))
}

fn step<'a>(call: &Call<'a>) -> Result<Step<'a>> {
    match &call.arguments[1] {
        Value::Text(key) => Ok(Step::Key(key)),
        Value::Int(at) => Ok(Step::At(*at)),
        other => Err(mismatch(other, DataType::Text)),
    }
}

pub(super) fn trimmed(json: &str) -> &str {
    json.trim_matches([' ', '\t', '\n', '\r'])
}

/// Hands over the keys, none in an array, and the values of what is directly in a value. Of a scalar there are none.
pub(super) fn each<'a>(json: &'a str, visit: &mut dyn FnMut(Option<String>, &'a str)) -> Result<()> {
    let mut parser = Parser { text: json, at: 0, depth: 0, keeps: false, signs: false };
    parser.skip_blanks();
    let (is_object, close) = match json.as_bytes().get(parser.at) {
        Some(b'{') => (true, b'}'),
        Some(b'[') => (false, b']'),
        _ => return Ok(()),
    };
    parser.at += 1;
    if parser.accept(close) {
        return Ok(());
    }
    loop {
        parser.skip_blanks();
        let key = if is_object {
            parser.keeps = true;
            let key = parser.string()?;
            parser.keeps = false;
            parser.expect(b':')?;
            parser.skip_blanks();
            Some(key)
        } else {
            None
        };
        let start = parser.at;
        parser.value()?;
        visit(key, &json[start..parser.at]);
        if parser.accept(close) {
            return Ok(());
        }
        parser.expect(b',')?;
    }
}

/// The part that a step leads to. Of equal keys the last is meant.
pub(super) fn member<'a>(json: &'a str, step: Step) -> Result<Option<&'a str>> {
    let is_array = trimmed(json).starts_with('[');
    match step {
        Step::Key(wanted) => {
            let mut found = None;
            each(json, &mut |key, value| {
                if key.as_deref() == Some(wanted) {
                    found = Some(value);
                }
            })?;
            Ok(found)
        }
        Step::At(_) if !is_array => Ok(None),
        Step::At(at) => {
            let mut elements = Vec::new();
            each(json, &mut |_, value| elements.push(value))?;
            let at = if at < 0 { at.saturating_add(elements.len() as i64) } else { at };
            Ok(usize::try_from(at).ok().and_then(|at| elements.get(at).copied()))
        }
    }
}

/// What the keys and places of an array of texts lead to, one after the other; none if one of them is NULL.
fn path<'a>(json: &'a str, call: &Call) -> Result<Option<&'a str>> {
    let steps = Array::decode(call.text(1)?, DataType::Text).unwrap_or_default();
    let mut part = trimmed(json);
    for step in &steps.elements {
        let Value::Text(step) = step else { return Ok(None) };
        let step = match part.starts_with('[') {
            true => match step.parse() {
                Ok(at) => Step::At(at),
                Err(_) => return Ok(None),
            },
            false => Step::Key(step),
        };
        match member(part, step)? {
            Some(inner) => part = inner,
            None => return Ok(None),
        }
    }
    Ok(Some(part))
}

/// The part that a path of DuckDB's leads to: `$.key[place]…`, `/key/place…`, or a key.
///
/// # Errors
/// 0A000 for wildcards and the like.
pub(super) fn step_of_duck<'a>(json: &'a str, path: &str) -> Result<Option<&'a str>> {
    let mut part = trimmed(json);
    for step in duck_steps(path)? {
        let step = match (&step, part.starts_with('[')) {
            (DuckStep::Key(key), true) => match key.parse() {
                Ok(at) => Step::At(at),
                Err(_) => return Ok(None),
            },
            (DuckStep::Key(key), false) => Step::Key(key),
            (DuckStep::At(at), _) => Step::At(*at),
        };
        match member(part, step)? {
            Some(inner) => part = inner,
            None => return Ok(None),
        }
    }
    Ok(Some(part))
}

enum DuckStep {
    Key(String),
    At(i64),
}

fn duck_steps(path: &str) -> Result<Vec<DuckStep>> {
    if let Some(pointer) = path.strip_prefix('/') {
        let plain = |key: &str| DuckStep::Key(key.replace("~1", "/").replace("~0", "~"));
        return Ok(pointer.split('/').map(plain).collect());
    }
    let Some(mut rest) = path.strip_prefix('$') else { return Ok(vec![DuckStep::Key(path.to_owned())]) };
    let wrong = || Error::new(ErrorKind::InvalidParameter, format!("invalid JSON path: \"{path}\""));
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('[') {
            let (inner, behind) = behind.split_once(']').ok_or_else(wrong)?;
            let at = inner.strip_prefix('#').unwrap_or(inner);
            if at.contains('*') {
                return Err(Error::unsupported("a wildcard in the path of json_extract is"));
            }
            steps.push(match at.trim_matches(['"', '\'']) {
                key if key.len() < at.len() => DuckStep::Key(key.to_owned()),
                at => DuckStep::At(at.parse().map_err(|_| wrong())?),
            });
            rest = behind;
            continue;
        }
        let behind = rest.strip_prefix('.').ok_or_else(wrong)?;
        let (key, behind) = match behind.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(wrong)?,
            None => behind.split_at(behind.find(['.', '[']).unwrap_or(behind.len())),
        };
        if key.contains('*') {
            return Err(Error::unsupported("a wildcard in the path of json_extract is"));
        }
        if key.is_empty() {
            return Err(wrong());
        }
        steps.push(DuckStep::Key(key.to_owned()));
        rest = behind;
    }
    Ok(steps)
}

/// A value as a text: a string's characters, NULL of null.
pub(super) fn text_of(json: &str) -> Result<Value> {
    match trimmed(json) {
        "null" => Ok(Value::Null),
        string if string.starts_with('"') => {
            Parser { text: string, at: 0, depth: 0, keeps: true, signs: false }.string().map(Value::text)
        }
        other => Ok(Value::text(other)),
    }
}

/// Whether a text is a key of an object, a string of an array, or the string that the value is.
fn has_key(json: &str, wanted: &str) -> Result<bool> {
    let is_it = |part: &str| part.starts_with('"') && text_of(part).is_ok_and(|text| text == Value::text(wanted));
    let mut found = is_it(trimmed(json));
    each(json, &mut |key, value| {
        found |= match key {
            Some(key) => key == wanted,
            None => is_it(value),
        };
    })?;
    Ok(found)
}

fn length(json: &str) -> Result<i64> {
    let what = match trimmed(json).bytes().next() {
        Some(b'[') => {
            let mut count = 0;
            each(json, &mut |_, _| count += 1)?;
            return Ok(count);
        }
        Some(b'{') => "non-array",
        _ => "scalar",
    };
    Err(Error::new(ErrorKind::InvalidParameter, format!("cannot get array length of a {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members() {
        let json = r#" {"a" : {"b":[1, "x",null]},"é":"\u00e9\n", "a\"": [1 , 2], "a":3}"#;
        for (step, part) in [
            (Step::Key("a"), Some("3")),
            (Step::Key("é"), Some(r#""\u00e9\n""#)),
            (Step::Key("a\""), Some("[1 , 2]")),
            (Step::Key("b"), None),
            (Step::At(0), None),
        ] {
            assert_eq!(member(json, step).unwrap(), part);
        }
        for (json, at, part) in [
            ("[1,[2],{\"a\":3}]", 1, Some("[2]")),
            ("[1,[2],{\"a\":3}]", -1, Some("{\"a\":3}")),
            ("[1]", 1, None),
            ("[1]", -2, None),
            ("[]", 0, None),
            ("\"x\"", 0, None),
            ("[1]", i64::MIN, None),
        ] {
            assert_eq!(member(json, Step::At(at)).unwrap(), part, "{json} -> {at}");
        }
        assert_eq!(text_of(r#""\u00e9\n""#).unwrap(), Value::text("é\n"));
        assert_eq!(text_of(" null").unwrap(), Value::Null);
        assert!(has_key("[\"a\",1]", "a").unwrap() && has_key("\"a\"", "a").unwrap() && !has_key("{}", "a").unwrap());
        assert_eq!(length("[1,[2,3],{}]").unwrap(), 3);
        assert_eq!(length("{}").unwrap_err().sqlstate(), "22023");
    }
}
