//! Several fields of JSON texts, which may have to be JSON first, found in one scan of each text.
//!
//! 1. Each text is scanned once, for all fields (`planner/src/evaluate/json/scan/fields.rs`): where each stands is kept.
//! 2. Each field becomes a vector: slices of what texts share, or copies in an arena, whose length is known by then.
//!
//! A row that the scan does not know is evaluated as it is defined. If that fails nothing is done: the functions are then applied one
//! by one to all rows, and raise their error in their order.

use super::fallback;
use crate::Result;
use crate::column::TextView;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use multiloop_planner::evaluate::json_scan::{self, Field, Spot, Step};
use multiloop_planner::function::{Function, JsonFunction};
use multiloop_planner::meter;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Bytes that are passed between two looks at the statement.
const LOOK_BYTES: usize = 1 << 14;

/// A field of each row.
#[derive(Debug, Default)]
struct Places {
    /// Where it stands in its row's text.
    spans: Vec<(u32, u32)>,
    /// Whether there is one; none if there is in each row.
    missing: Option<Bitmap>,
    /// By row, in order: what stands nowhere as it is.
    made: Vec<(usize, String)>,
}

impl Places {
    #[inline(always)]
    fn set(&mut self, tuple: usize, len: usize, spot: Spot) {
        match spot {
            Spot::At(start, end) => self.spans.push((start, end - start)),
            _ => {
                self.missing.get_or_insert_with(|| Bitmap::new(len, true)).set(tuple, false);
                self.spans.push((0, 0));
            }
        }
    }

    fn set_value(&mut self, tuple: usize, len: usize, value: &Value) {
        match value {
            Value::Text(text) => {
                self.made.push((tuple, text.to_string()));
                self.spans.push((0, 0));
            }
            _ => self.set(tuple, len, Spot::Nowhere),
        }
    }

    /// The strings.
    fn write(self, json: &TextVector, out: &mut Vector) -> bool {
        let len = json.len();
        let mut texts = out.take_text();
        let mut made = self.made.iter().peekable();
        let shared = json.buffers().filter(|_| made.peek().is_none() && json.is_shared());
        if let Some(buffers) = shared {
            texts.set_buffers(buffers.clone());
            texts.extend_views(json.views().iter().zip(&self.spans).map(|(view, &(start, length))| TextView {
                offset: view.offset + start,
                length,
                ..*view
            }));
        } else {
            let found = self.spans.iter().map(|&(_, length)| length as usize).sum::<usize>();
            let most = found + self.made.iter().map(|(_, text)| text.len()).sum::<usize>();
            let done = texts.push_put(len, most, |tuple, room| match made.next_if(|(at, _)| *at == tuple) {
                Some((_, text)) => room.put(text.as_bytes(), 0, text.len()),
                None => {
                    let ((bytes, first, _), (start, length)) = (json.place(tuple), self.spans[tuple]);
                    room.put(bytes, first + start as usize, length as usize);
                }
            });
            if !done {
                return false;
            }
        }
        out.set(len, VectorData::Text(texts), self.missing);
        true
    }
}

/// What texts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON, or jsonb.
    Known,
    /// Anything, of which a json is wanted.
    Json,
    /// Anything, of which a jsonb is wanted.
    Jsonb,
}

/// Makes `outs`, one for each of `fields`, these fields of texts: false, and then `outs` are anything, if some row fails, or if it is to
/// be a jsonb and has a form of its own.
///
/// # Errors
/// 57014.
pub(crate) fn find(json: &Vector, form: Form, fields: &[Field<'_>], outs: &mut [Vector]) -> Result<bool> {
    let VectorData::Text(texts) = &json.data else { return Ok(false) };
    let len = texts.len();
    let mut places: Vec<Places> = Vec::new();
    places.resize_with(fields.len(), Places::default);
    places.iter_mut().for_each(|places| places.spans.reserve_exact(len));
    let mut spots = vec![Spot::Nowhere; fields.len()];
    let mut passed = 0;
    for tuple in 0..len {
        if json.is_null(tuple) {
            places.iter_mut().for_each(|places| places.set(tuple, len, Spot::Nowhere));
            continue;
        }
        let text = texts.get(tuple);
        passed += text.len();
        if passed >= LOOK_BYTES {
            meter::spend(std::mem::take(&mut passed))?;
        }
        let is_known = json_scan::fields(text, fields, form == Form::Jsonb, &mut spots);
        if is_known && spots.iter().all(|&spot| spot != Spot::Unknown) {
            for (places, &spot) in places.iter_mut().zip(&spots) {
                places.set(tuple, len, spot);
            }
            continue;
        }
        let is_json = || defined(Function::ReadAs(DataType::Json), &[Value::text(text)]).map(|json| json.is_some());
        if form == Form::Jsonb || (form == Form::Json && !is_known && !is_json()?) {
            return Ok(false);
        }
        for ((field, &spot), places) in fields.iter().zip(&spots).zip(&mut places) {
            if is_known && spot != Spot::Unknown {
                places.set(tuple, len, spot);
                continue;
            }
            let step = match field.step() {
                Step::Key(key) => Value::text(key),
                Step::At(place) => Value::Int(place),
            };
            let function = if field.is_text() { JsonFunction::MemberText } else { JsonFunction::Member };
            let Some(value) = defined(Function::Json(function), &[Value::text(text), step])? else { return Ok(false) };
            places.set_value(tuple, len, &value);
        }
    }
    Ok(places.into_iter().zip(outs).all(|(places, out)| places.write(texts, out)))
}

/// The value of a function for one row; none if it fails.
///
/// # Errors
/// 57014.
fn defined(function: Function, values: &[Value]) -> Result<Option<Value>> {
    let (step, result) = match (function, values.get(1)) {
        (_, Some(Value::Int(_))) => (DataType::BigInt, DataType::Text),
        (Function::ReadAs(json), _) => (DataType::Text, json),
        _ => (DataType::Text, DataType::Text),
    };
    let value = fallback::one(function, values, &[DataType::Text, step], result);
    meter::settle()?;
    Ok(value.ok())
}
