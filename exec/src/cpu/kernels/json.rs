//! JSON: casts of texts, and parts by keys, places and paths.
//!
//! A scan of each text finds the part (`planner/src/evaluate/json/scan.rs`), which becomes a slice of what texts share or is copied
//! into the arena; no value is boxed. A row that the scan does not know is evaluated as anywhere else, so that errors are raised there.

use super::{Call, fallback, is_valid, strict_nulls};
use crate::column::TextView;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use crate::{Error, Result};
use multiloop_planner::evaluate::array::Array;
use multiloop_planner::evaluate::json_scan::{self, Found, Step};
use multiloop_planner::function::{Function, JsonFunction};
use multiloop_planner::meter;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Does these functions of texts, if it can: false if not.
///
/// # Errors
/// Those of a row that is no JSON; 57014.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<bool> {
    let [json, rest @ ..] = arguments else { return Ok(false) };
    if call.register != Register::Text || !matches!(json.data, VectorData::Text(_) | VectorData::Code { .. }) {
        return Ok(false);
    }
    match call.function {
        Function::ReadAs(DataType::Json) => check(call, arguments, len, out).map(|()| true),
        Function::ReadAs(DataType::Jsonb) => normal(call, arguments, len, out).map(|()| true),
        Function::Json(function @ (JsonFunction::Member | JsonFunction::MemberText)) => {
            let Some(steps) = Steps::of(rest) else { return Ok(false) };
            parts(call, arguments, len, (steps, function == JsonFunction::MemberText), out).map(|()| true)
        }
        Function::Json(function @ (JsonFunction::Path | JsonFunction::PathText)) => {
            let Some(steps) = Steps::of_path(rest) else { return Ok(false) };
            parts(call, arguments, len, (steps, function == JsonFunction::PathText), out).map(|()| true)
        }
        _ => Ok(false),
    }
}

/// The way to a part.
enum Steps<'a> {
    /// One step, of each row its own.
    Key(&'a Vector),
    Place(&'a Vector),
    /// The steps of a path: in arrays they are numbers.
    Path(Vec<String>),
}

impl<'a> Steps<'a> {
    fn of(arguments: &[&'a Vector]) -> Option<Self> {
        let &[step] = arguments else { return None };
        match &step.data {
            VectorData::Text(_) | VectorData::Code { .. } => Some(Steps::Key(step)),
            VectorData::I32(_) | VectorData::I64(_) => Some(Steps::Place(step)),
            _ => None,
        }
    }

    /// A path that is the same for all rows, and has no NULL among its steps.
    fn of_path(arguments: &[&Vector]) -> Option<Self> {
        let &[path] = arguments else { return None };
        if !path.constant || path.is_null(0) {
            return None;
        }
        let steps = Array::decode(path.text(0)?, DataType::Text)?.elements.into_iter();
        let text = |step| if let Value::Text(step) = step { Some(step.to_string()) } else { None };
        steps.map(text).collect::<Option<Vec<String>>>().map(Steps::Path)
    }

    /// The part of a row's text.
    #[inline]
    fn find(&self, json: &str, tuple: usize) -> Found {
        match self {
            Steps::Key(keys) => json_scan::part(json, Step::Key(keys.text(tuple).unwrap_or(""))),
            Steps::Place(places) => match places.integer(tuple).map(i64::try_from) {
                Some(Ok(place)) => json_scan::part(json, Step::At(place)),
                _ => Found::Unknown,
            },
            Steps::Path(steps) => {
                let trimmed = json.trim_start_matches([' ', '\t', '\n', '\r']);
                let mut part = json.len() - trimmed.len()..json.trim_end_matches([' ', '\t', '\n', '\r']).len();
                if part.is_empty() {
                    return Found::Unknown;
                }
                for step in steps {
                    let within = &json[part.clone()];
                    let step = match within.starts_with('[') {
                        true => match step.parse() {
                            Ok(place) => Step::At(place),
                            Err(_) => return Found::Nowhere,
                        },
                        false => Step::Key(step),
                    };
                    match json_scan::part(within, step) {
                        Found::At(inner) => part = part.start + inner.start..part.start + inner.end,
                        other => return other,
                    }
                }
                Found::At(part)
            }
        }
    }
}

/// The value of one row, as it is defined.
fn defined(call: &Call<'_>, arguments: &[&Vector], tuple: usize) -> Result<Option<String>> {
    let values: Vec<Value> =
        arguments.iter().zip(call.types).map(|(argument, &of)| argument.value(tuple, of)).collect();
    match fallback::one(call.function, &values, call.types, call.result)? {
        Value::Null => Ok(None),
        Value::Text(text) => Ok(Some(text.to_string())),
        _ => Err(Error::internal("a text that is none")),
    }
}

/// Texts as json: themselves, if they are.
fn check(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<()> {
    let json = arguments[0];
    let nulls = strict_nulls(arguments, len, out);
    let mut texts = out.take_text();
    for tuple in (0..len).filter(|&tuple| is_valid(&nulls, tuple)) {
        let text = json.text(tuple).unwrap_or("");
        meter::spend(text.len())?;
        if !json_scan::is_json(text) {
            defined(call, arguments, tuple)?;
        }
    }
    match &json.data {
        VectorData::Text(all) if !json.constant => texts.copy_from(all),
        _ => (0..len).for_each(|tuple| texts.push(json.text(tuple).unwrap_or(""))),
    }
    out.set(len, VectorData::Text(texts), nulls);
    Ok(())
}

/// Texts as jsonb: their normal form.
fn normal(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<()> {
    let nulls = strict_nulls(arguments, len, out);
    let mut texts = out.take_text();
    let mut written = Vec::new();
    for tuple in 0..len {
        if !is_valid(&nulls, tuple) {
            texts.push("");
            continue;
        }
        let text = arguments[0].text(tuple).unwrap_or("");
        meter::spend(text.len().saturating_mul(4))?;
        written.clear();
        let is_known = json_scan::append_normal(text, &mut written);
        match std::str::from_utf8(&written) {
            Ok(normal) if is_known => texts.push(normal),
            _ => texts.push(&defined(call, arguments, tuple)?.unwrap_or_default()),
        }
    }
    out.set(len, VectorData::Text(texts), nulls);
    Ok(())
}

/// The parts that steps lead to, as they are written or as texts; NULL where there are none.
fn parts(
    call: &Call<'_>,
    arguments: &[&Vector],
    len: usize,
    (steps, as_text): (Steps<'_>, bool),
    out: &mut Vector,
) -> Result<()> {
    let json = arguments[0];
    let nulls = strict_nulls(arguments, len, out);
    let mut found = Bitmap::new(len, true);
    let mut texts = out.take_text();
    let shared = match &json.data {
        VectorData::Text(all) => Some(all).filter(|all| !json.constant && all.is_shared()),
        _ => None,
    };
    if let Some(buffers) = shared.and_then(TextVector::buffers) {
        texts.set_buffers(buffers.clone());
    }
    for tuple in 0..len {
        let text = if is_valid(&nulls, tuple) { json.text(tuple) } else { None };
        let Some(text) = text else {
            found.set(tuple, false);
            texts.push("");
            continue;
        };
        meter::spend(text.len())?;
        let part = match steps.find(text, tuple) {
            Found::At(part) if as_text => match json_scan::characters(&text[part.clone()]) {
                Found::At(inner) => Found::At(part.start + inner.start..part.start + inner.end),
                other => other,
            },
            other => other,
        };
        match (part, shared) {
            (Found::At(part), Some(all)) => {
                let view = all.views()[tuple];
                texts.push_view(TextView {
                    offset: view.offset + part.start as u32,
                    length: part.len() as u32,
                    ..view
                });
            }
            (Found::At(part), None) => texts.push(&text[part]),
            (part, _) => {
                let value = if part == Found::Unknown { defined(call, arguments, tuple)? } else { None };
                found.set(tuple, value.is_some());
                texts.push(value.as_deref().unwrap_or(""));
            }
        }
    }
    out.set(len, VectorData::Text(texts), (!found.is_full()).then_some(found));
    Ok(())
}
