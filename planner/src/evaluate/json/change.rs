//! What is made of values of JSON: changed at a path, put together, without parts, as pretty text; what contains what.

use super::{Json, Parser, append_json_text};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::Call;
use crate::evaluate::array::Array;
use crate::function::JsonbFunction;
use crate::meter;
use crate::numeric::Numeric;
use crate::stack;
use crate::types::DataType;
use crate::value::Value;

/// A JSON text as a tree.
pub(super) fn tree(text: &str) -> Result<Json> {
    Parser { text, at: 0, depth: 0, keeps: true, signs: false }.whole()
}

/// The text of a tree.
pub(super) fn text_of(json: Json) -> Value {
    let mut out = String::new();
    json.write(&mut out);
    Value::text(out)
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidParameter, message.into())
}

/// The value of one of these functions; none if it is another. No argument is NULL.
pub(super) fn apply(function: JsonbFunction, call: &Call) -> Result<Option<Value>> {
    use JsonbFunction as J;
    let first = || tree(call.text(0)?);
    let texts = |at: usize| Ok::<_, Error>(Array::decode(call.text(at)?, DataType::Text).unwrap_or_default().elements);
    Ok(Some(match function {
        J::Contains => {
            let is_contained = contains(&first()?, &tree(call.text(1)?)?);
            meter::settle()?;
            Value::Boolean(is_contained)
        }
        J::HasAny | J::HasAll => {
            let json = first()?;
            let mut keys = texts(1)?.into_iter().filter(|key| !key.is_null());
            let has = |key: Value| matches!(&key, Value::Text(key) if has_key(&json, key));
            Value::Boolean(if function == J::HasAny { keys.any(has) } else { keys.all(has) })
        }
        J::Concatenate => text_of(concatenated(first()?, tree(call.text(1)?)?)),
        J::WithoutKey => text_of(without(first()?, &[call.text(1)?])?),
        J::WithoutKeys => {
            let keys = texts(1)?;
            let keys: Vec<&str> =
                keys.iter().filter_map(|key| if let Value::Text(key) = key { Some(&**key) } else { None }).collect();
            text_of(without(first()?, &keys)?)
        }
        J::WithoutElement => text_of(without_element(first()?, call.int(1)?)?),
        J::WithoutPath => {
            let json = first()?;
            if json.is_scalar() {
                return Err(invalid("cannot delete path in scalar"));
            }
            text_of(Change { path: &texts(1)?, kind: Kind::Delete, new: None }.whole(json)?)
        }
        J::Set | J::Insert => {
            let json = first()?;
            if json.is_scalar() {
                return Err(invalid("cannot set path in scalar"));
            }
            let flag = call.arguments[3].is_true();
            let kind = match (function, flag) {
                (J::Set, true) => Kind::Create,
                (J::Set, false) => Kind::Replace,
                (_, true) => Kind::InsertAfter,
                (_, false) => Kind::InsertBefore,
            };
            text_of(Change { path: &texts(1)?, kind, new: Some(tree(call.text(2)?)?) }.whole(json)?)
        }
        J::StripNulls => text_of(without_nulls(first()?)),
        J::Pretty => {
            let mut out = String::new();
            pretty(&first()?.sorted(), 0, &mut out);
            Value::text(out)
        }
        J::AsNumber | J::AsBoolean => return scalar(function, &first()?, call).map(Some),
        _ => return Ok(None),
    }))
}

/// The number or boolean that a value is; the second argument is the name of the type that is asked for.
fn scalar(function: JsonbFunction, json: &Json, call: &Call) -> Result<Value> {
    let what = json.kind();
    match (function, json) {
        (JsonbFunction::AsNumber, Json::Plain(digits)) if what == "number" => {
            Ok(Value::numeric(Numeric::parse(digits)?))
        }
        (JsonbFunction::AsBoolean, Json::Plain(word)) if what == "boolean" => Ok(Value::Boolean(word == "true")),
        _ => Err(invalid(format!("cannot cast jsonb {what} to type {}", call.text(1)?))),
    }
}

impl Json {
    /// What `jsonb_typeof` calls it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Json::Plain(word) => match word.as_str() {
                "null" => "null",
                "true" | "false" => "boolean",
                _ => "number",
            },
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Json::Plain(_) | Json::String(_))
    }

    fn is_null(&self) -> bool {
        matches!(self, Json::Plain(word) if word == "null")
    }

    /// The same with the keys of its objects in order, each once, of equal ones the last.
    pub(super) fn sorted(self) -> Json {
        match self {
            Json::Array(elements) => {
                Json::Array(elements.into_iter().map(|element| stack::more(|| element.sorted())).collect())
            }
            Json::Object(mut fields) => {
                super::sort_fields(&mut fields);
                Json::Object(fields.into_iter().map(|(key, value)| (key, stack::more(|| value.sorted()))).collect())
            }
            scalar => scalar,
        }
    }

    /// A field of an object; of equal ones the last.
    pub(super) fn field(&self, key: &str) -> Option<&Json> {
        let Json::Object(fields) = self else { return None };
        fields.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

/// Whether a text is a key of an object, a string of an array, or the string that the value is.
fn has_key(json: &Json, key: &str) -> bool {
    match json {
        Json::Object(_) => json.field(key).is_some(),
        Json::Array(elements) => elements.iter().any(|element| matches!(element, Json::String(text) if text == key)),
        Json::String(text) => text == key,
        Json::Plain(_) => false,
    }
}

/// Whether scalars are equal: numbers by their value.
pub(super) fn are_equal_scalars(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::String(a), Json::String(b)) => a == b,
        (Json::Plain(a), Json::Plain(b)) if a == b => true,
        (Json::Plain(x), Json::Plain(y)) if a.kind() == "number" && b.kind() == "number" => {
            match (Numeric::parse(x), Numeric::parse(y)) {
                (Ok(x), Ok(y)) => x.compare(&y).is_eq(),
                _ => false,
            }
        }
        _ => false,
    }
}

/// `a @> b`. A scalar is contained in an array that has it.
fn contains(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(_), scalar) if scalar.is_scalar() => has_within(a, std::slice::from_ref(scalar)),
        _ => contains_within(a, b),
    }
}

fn contains_within(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Object(_), Json::Object(fields)) => fields.iter().all(|(key, _)| {
            // Of equal keys the last counts.
            match (a.field(key), b.field(key)) {
                (Some(mine), Some(theirs)) => stack::more(|| contains_within(mine, theirs)),
                _ => false,
            }
        }),
        (Json::Array(_), Json::Array(elements)) => has_within(a, elements),
        _ => are_equal_scalars(a, b),
    }
}

/// Whether an array has an element for each of these that is the same or contains it.
fn has_within(array: &Json, wanted: &[Json]) -> bool {
    let Json::Array(elements) = array else { return false };
    wanted.iter().all(|wanted| {
        elements.iter().any(|element| {
            // Who is told to end has no answer.
            !meter::goes_on(16)
                || (element.is_scalar() == wanted.is_scalar() && stack::more(|| contains_within(element, wanted)))
        })
    })
}

/// `a || b`: fields of both objects, or the elements of both; what is no array is an element.
fn concatenated(a: Json, b: Json) -> Json {
    match (a, b) {
        (Json::Object(mut fields), Json::Object(more)) => {
            fields.extend(more);
            Json::Object(fields)
        }
        (a, b) => {
            let elements = |json: Json| if let Json::Array(elements) = json { elements } else { vec![json] };
            let mut all = elements(a);
            all.extend(elements(b));
            Json::Array(all)
        }
    }
}

/// An object without keys, an array without strings.
fn without(json: Json, keys: &[&str]) -> Result<Json> {
    match json {
        Json::Object(mut fields) => {
            fields.retain(|(key, _)| !keys.contains(&key.as_str()));
            Ok(Json::Object(fields))
        }
        Json::Array(mut elements) => {
            elements.retain(|element| !matches!(element, Json::String(text) if keys.contains(&text.as_str())));
            Ok(Json::Array(elements))
        }
        _ => Err(invalid("cannot delete from scalar")),
    }
}

/// An array without the element at a place from 0, or, negative, from the end.
fn without_element(json: Json, at: i64) -> Result<Json> {
    match json {
        Json::Array(mut elements) => {
            let at = if at < 0 { at.saturating_add(elements.len() as i64) } else { at };
            if let Some(at) = usize::try_from(at).ok().filter(|at| *at < elements.len()) {
                elements.remove(at);
            }
            Ok(Json::Array(elements))
        }
        Json::Object(_) => Err(invalid("cannot delete from object using integer index")),
        _ => Err(invalid("cannot delete from scalar")),
    }
}

/// What happens at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What is there is replaced, what is not is made.
    Create,
    Replace,
    Delete,
    InsertBefore,
    InsertAfter,
}

/// A change at a path.
struct Change<'a> {
    path: &'a [Value],
    kind: Kind,
    new: Option<Json>,
}

impl Change<'_> {
    fn whole(&self, json: Json) -> Result<Json> {
        let is_empty = match &json {
            Json::Object(fields) => fields.is_empty(),
            Json::Array(elements) => elements.is_empty(),
            _ => false,
        };
        let has_nothing = is_empty && matches!(self.kind, Kind::Delete | Kind::Replace);
        if self.path.is_empty() || has_nothing { Ok(json) } else { self.at(json, 0) }
    }

    fn makes(&self) -> bool {
        matches!(self.kind, Kind::Create | Kind::InsertBefore | Kind::InsertAfter)
    }

    fn new_value(&self) -> Json {
        self.new.clone().unwrap_or_else(|| Json::Plain("null".to_owned()))
    }

    /// The change within a value that a part of the path has led to.
    fn at(&self, json: Json, level: usize) -> Result<Json> {
        let Some(Value::Text(step)) = self.path.get(level) else {
            let message = format!("path element at position {} is null", level + 1);
            return Err(Error::new(ErrorKind::NullNotAllowed, message));
        };
        let is_last = level + 1 == self.path.len();
        match json {
            Json::Object(fields) => self.in_object(fields, step, level, is_last),
            Json::Array(elements) => self.in_array(elements, step, level, is_last),
            scalar => Ok(scalar),
        }
    }

    fn in_object(&self, mut fields: Vec<(String, Json)>, key: &str, level: usize, is_last: bool) -> Result<Json> {
        super::sort_fields(&mut fields);
        let Some(at) = fields.iter().position(|(name, _)| name == key) else {
            if is_last && self.makes() {
                fields.push((key.to_owned(), self.new_value()));
            }
            return Ok(Json::Object(fields));
        };
        if !is_last {
            let value = std::mem::replace(&mut fields[at].1, Json::Array(Vec::new()));
            fields[at].1 = stack::more(|| self.at(value, level + 1))?;
            return Ok(Json::Object(fields));
        }
        match self.kind {
            Kind::InsertBefore | Kind::InsertAfter => {
                let hint = "Try using the function jsonb_set to replace key value.";
                return Err(invalid("cannot replace existing key").with_hint(hint));
            }
            Kind::Delete => drop(fields.remove(at)),
            Kind::Create | Kind::Replace => fields[at].1 = self.new_value(),
        }
        Ok(Json::Object(fields))
    }

    fn in_array(&self, mut elements: Vec<Json>, step: &str, level: usize, is_last: bool) -> Result<Json> {
        let Ok(place) = step.trim().parse::<i32>() else {
            let message = format!("path element at position {} is not an integer: \"{step}\"", level + 1);
            return Err(Error::new(ErrorKind::InvalidText, message));
        };
        let place = i64::from(place);
        let place = if place < 0 { place + elements.len() as i64 } else { place };
        let found = usize::try_from(place).ok().filter(|at| *at < elements.len());
        let Some(at) = found else {
            if is_last && self.makes() {
                // Before the first, or behind the last.
                let at = if place < 0 { 0 } else { elements.len() };
                elements.insert(at, self.new_value());
            }
            return Ok(Json::Array(elements));
        };
        if !is_last {
            let value = std::mem::replace(&mut elements[at], Json::Array(Vec::new()));
            elements[at] = stack::more(|| self.at(value, level + 1))?;
            return Ok(Json::Array(elements));
        }
        match self.kind {
            Kind::Create | Kind::Replace => elements[at] = self.new_value(),
            Kind::Delete => drop(elements.remove(at)),
            Kind::InsertBefore => elements.insert(at, self.new_value()),
            Kind::InsertAfter => elements.insert(at + 1, self.new_value()),
        }
        Ok(Json::Array(elements))
    }
}

/// Without the fields that are null.
fn without_nulls(json: Json) -> Json {
    match json {
        Json::Object(fields) => {
            // Of equal keys the last counts, null or not.
            let mut fields = fields;
            super::sort_fields(&mut fields);
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            Json::Object(fields.map(|(key, value)| (key, stack::more(|| without_nulls(value)))).collect())
        }
        Json::Array(elements) => {
            Json::Array(elements.into_iter().map(|element| stack::more(|| without_nulls(element))).collect())
        }
        scalar => scalar,
    }
}

/// A field or an element a line, four blanks further in for each level.
fn pretty(json: &Json, level: usize, out: &mut String) {
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("    ", level));
    };
    match json {
        Json::Plain(text) => out.push_str(text),
        Json::String(text) => append_json_text(text, out),
        Json::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(out, level + 1);
                stack::more(|| pretty(element, level + 1, out));
            }
            line(out, level);
            out.push(']');
        }
        Json::Object(fields) => {
            out.push('{');
            for (at, (key, value)) in fields.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(out, level + 1);
                append_json_text(key, out);
                out.push_str(": ");
                stack::more(|| pretty(value, level + 1, out));
            }
            line(out, level);
            out.push('}');
        }
    }
}
