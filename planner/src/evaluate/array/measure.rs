//! Lists as vectors, chosen from, and side by side: what only DuckDB has.

use super::{Array, Arrays, ELEMENTS_MAX, too_large};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::{evaluate, mismatch};
use crate::function::{Function, ListFunction, RowFunction, SortKeyOrder};
use crate::meter::{self, Room};
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use std::cmp::Ordering;

/// The value of one of these functions that NULL arguments need not make NULL.
pub(super) fn apply_to_nulls(arrays: &Arrays, function: ListFunction) -> Result<Option<Value>> {
    Ok(Some(match function {
        ListFunction::Resize => arrays.resized()?,
        ListFunction::Zip => arrays.zipped(usize::max)?,
        ListFunction::ZipShortest => arrays.zipped(usize::min)?,
        _ => return Ok(None),
    }))
}

/// The value of one of these functions; none if it is another. No argument is NULL.
pub(super) fn apply(arrays: &Arrays, function: ListFunction) -> Result<Option<Value>> {
    Ok(Some(match function {
        ListFunction::GradeUp(order) => arrays.graded(order)?,
        ListFunction::Select => arrays.selected()?,
        ListFunction::Where => arrays.masked()?,
        ListFunction::InnerProduct => arrays.measured("list_inner_product", inner_product)?,
        ListFunction::Distance => arrays.measured("list_distance", distance)?,
        ListFunction::CosineSimilarity => arrays.measured("list_cosine_similarity", cosine)?,
        ListFunction::Resize | ListFunction::Zip | ListFunction::ZipShortest => return Ok(None),
    }))
}

/// How two elements are ordered, NULLs among them.
pub(super) fn ordering(order: SortKeyOrder) -> impl Fn(&Value, &Value) -> Ordering {
    let SortOrder { descending, nulls_first } = order.into();
    let null = if nulls_first { Ordering::Less } else { Ordering::Greater };
    move |a, b| match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => null,
        (false, true) => null.reverse(),
        _ if descending => b.compare(a),
        _ => a.compare(b),
    }
}

/// A sum of products, rounded as numbers of the type of the elements are.
fn sum(pairs: impl Iterator<Item = (f64, f64)>, is_real: bool) -> f64 {
    if is_real {
        return f64::from(pairs.fold(0f32, |sum, (a, b)| sum + a as f32 * b as f32));
    }
    pairs.fold(0.0, |sum, (a, b)| sum + a * b)
}

fn inner_product(a: &[f64], b: &[f64], is_real: bool) -> Option<f64> {
    Some(sum(a.iter().copied().zip(b.iter().copied()), is_real))
}

fn distance(a: &[f64], b: &[f64], is_real: bool) -> Option<f64> {
    let difference = |(a, b): (&f64, &f64)| if is_real { f64::from(*a as f32 - *b as f32) } else { a - b };
    let squares = sum(a.iter().zip(b).map(|pair| (difference(pair), difference(pair))), is_real);
    Some(root(squares, is_real))
}

fn root(value: f64, is_real: bool) -> f64 {
    if is_real { f64::from((value as f32).sqrt()) } else { value.sqrt() }
}

fn cosine(a: &[f64], b: &[f64], is_real: bool) -> Option<f64> {
    if a.is_empty() {
        return None;
    }
    let of = |a: &[f64], b: &[f64]| sum(a.iter().copied().zip(b.iter().copied()), is_real);
    let (product, squares) = (of(a, b), (of(a, a), of(b, b)));
    let similarity = if is_real {
        f64::from(product as f32 / (squares.0 as f32 * squares.1 as f32).sqrt())
    } else {
        product / (squares.0 * squares.1).sqrt()
    };
    // Rounding goes beyond what a cosine is; NaN stays.
    Some(similarity.clamp(-1.0, 1.0))
}

impl Arrays<'_> {
    /// The places of the elements in their order.
    fn graded(&self, order: SortKeyOrder) -> Result<Value> {
        let elements = self.list(0)?;
        let mut room = Room::default();
        room.hold(elements.len().saturating_mul(size_of::<usize>() + size_of::<Value>()))?;
        let compare = ordering(order);
        let mut places: Vec<usize> = (0..elements.len()).collect();
        places.sort_by(|&a, &b| {
            // What is left of a cancelled sort is no order, and nobody sees it.
            if meter::goes_on(8) { compare(&elements[a], &elements[b]) } else { Ordering::Equal }
        });
        meter::settle()?;
        let places = places.into_iter().map(|place| Value::Int(place as i64 + 1)).collect();
        Ok(Value::text(Array::of(places).encode(DataType::BigInt)))
    }

    /// The second argument, whose elements may not be NULL.
    fn beside(&self, of: DataType) -> Result<Vec<Value>> {
        let beside = Array::decode(self.call.text(1)?, of);
        meter::settle()?;
        let beside = beside.ok_or_else(|| mismatch(self.value(1), DataType::list(of)))?.elements;
        if beside.iter().any(Value::is_null) {
            let message = "NULLs are not allowed as list elements in the second input parameter";
            return Err(Error::new(ErrorKind::NullNotAllowed, message));
        }
        Ok(beside)
    }

    fn selected(&self) -> Result<Value> {
        let elements = self.known(0)?.elements;
        let place = |place: &Value| {
            let Value::Int(place) = place else { return Value::Null };
            let place = usize::try_from(*place).ok().and_then(|place| place.checked_sub(1));
            place.and_then(|place| elements.get(place)).cloned().unwrap_or(Value::Null)
        };
        let chosen = self.beside(DataType::BigInt)?.iter().map(place).collect();
        let chosen = self.encoded(&Array::of(chosen));
        meter::settle()?;
        Ok(chosen)
    }

    fn masked(&self) -> Result<Value> {
        let mut elements = self.known(0)?.elements.into_iter();
        let mut chosen = Vec::new();
        for is_chosen in self.beside(DataType::Boolean)? {
            let element = elements.next().unwrap_or(Value::Null);
            if is_chosen.is_true() {
                chosen.push(element);
            }
        }
        Ok(self.encoded(&Array::of(chosen)))
    }

    fn resized(&self) -> Result<Value> {
        let Some(array) = self.array(0)? else { return Ok(Value::Null) };
        let length = if self.value(1).is_null() { 0 } else { self.call.int(1)? };
        let Ok(length) = usize::try_from(length) else {
            let message = format!("a list cannot have {length} elements");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        };
        if length > ELEMENTS_MAX {
            return Err(too_large());
        }
        let filling = self.call.arguments.get(2).cloned().unwrap_or(Value::Null);
        let mut elements = array.elements;
        let each = size_of::<Value>() + if let Value::Text(text) = &filling { text.len() } else { 17 };
        let mut room = Room::default();
        room.hold(length.saturating_mul(each))?;
        elements.truncate(length);
        elements.reserve(length - elements.len());
        while elements.len() < length {
            meter::spend(8)?;
            elements.push(filling.clone());
        }
        Ok(self.encoded(&Array::of(elements)))
    }

    /// Rows of the elements of several lists.
    fn zipped(&self, length: fn(usize, usize) -> usize) -> Result<Value> {
        let mut lists = Vec::with_capacity(self.call.arguments.len());
        for at in 0..self.call.arguments.len() {
            lists.push(self.array(at)?.unwrap_or_default().elements);
        }
        let lengths = lists.iter().map(Vec::len);
        let length = lengths.reduce(length).unwrap_or(0);
        let (mut rows, mut room, mut bytes) = (Vec::new(), Room::default(), 0);
        let mut fields = vec![Value::Null; lists.len()];
        let types = vec![DataType::Text; lists.len()];
        for place in 0..length {
            for (field, list) in fields.iter_mut().zip(&lists) {
                *field = list.get(place).cloned().unwrap_or(Value::Null);
            }
            let row = evaluate(Function::Row(RowFunction::Make), &fields, &types, DataType::Text)?;
            bytes += 2 * size_of::<Value>() + if let Value::Text(text) = &row { 2 * text.len() } else { 0 };
            room.hold(bytes)?;
            rows.push(row);
        }
        Ok(Value::text(Array::of(rows).encode(DataType::Text)))
    }

    /// What two lists of as many numbers come to.
    fn measured(&self, name: &str, measure: fn(&[f64], &[f64], bool) -> Option<f64>) -> Result<Value> {
        let numbers = |at: usize, side: &str| {
            let elements = self.known(at)?.elements;
            meter::spend(elements.len() * 4)?;
            let number = |value: &Value| match value {
                Value::Float(number) => Ok(*number),
                Value::Null => {
                    let message = format!("{name}: {side} argument can not contain NULL values");
                    Err(Error::new(ErrorKind::NullNotAllowed, message))
                }
                other => Err(mismatch(other, DataType::Double)),
            };
            elements.iter().map(number).collect::<Result<Vec<f64>>>()
        };
        let (left, right) = (numbers(0, "left")?, numbers(1, "right")?);
        if left.len() != right.len() {
            let (l, r) = (left.len(), right.len());
            let message =
                format!("{name}: list dimensions must be equal, got left length '{l}' and right length '{r}'");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        Ok(measure(&left, &right, self.element == DataType::Real).map_or(Value::Null, Value::Float))
    }
}
