//! Arrays made of elements, of other arrays and of texts.

use super::{Array, Arrays, Bound};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::logical;
use crate::evaluate::long_text::{LongText, Part};
use crate::evaluate::structure::cast_value;
use crate::meter::{self, Room};
use crate::types::DataType;
use crate::value::Value;

fn incompatible() -> Error {
    Error::new(ErrorKind::ArraySubscript, "cannot concatenate incompatible arrays")
}

impl Arrays<'_> {
    /// Arrays of the same dimensions as one of a dimension more; all empty, an empty one.
    pub(super) fn make_of_arrays(&self) -> Result<Value> {
        let mut parts = Vec::with_capacity(self.call.arguments.len());
        for at in 0..self.call.arguments.len() {
            parts.push(self.array(at)?.unwrap_or_default());
        }
        let first = parts.first().cloned().unwrap_or_default();
        if parts.iter().any(|part| part.bounds != first.bounds) {
            let message = "multidimensional arrays must have array expressions with matching dimensions";
            return Err(Error::new(ErrorKind::ArraySubscript, message));
        }
        let mut bounds = vec![Bound::from_one(parts.len())];
        bounds.extend(first.bounds);
        let elements = parts.into_iter().flat_map(|part| part.elements).collect();
        Ok(self.encoded(&Array::checked(bounds, elements)?))
    }

    /// Arrays that are the elements of an array of texts, as one of a dimension more.
    pub(super) fn of_arrays(&self) -> Result<Value> {
        let texts = Array::decode(self.call.text(0)?, DataType::Text).unwrap_or_default().elements;
        let mut bounds: Vec<Bound> = Vec::new();
        let (count, mut elements) = (texts.len(), Vec::new());
        for text in texts {
            let Value::Text(text) = text else {
                return Err(Error::new(ErrorKind::NullNotAllowed, "cannot accumulate null arrays"));
            };
            let part = Array::decode(&text, self.element).unwrap_or_default();
            if part.bounds.is_empty() {
                return Err(Error::new(ErrorKind::ArraySubscript, "cannot accumulate empty arrays"));
            }
            if bounds.is_empty() {
                bounds.clone_from(&part.bounds);
            } else if bounds != part.bounds {
                let message = "cannot accumulate arrays of different dimensionality";
                return Err(Error::new(ErrorKind::ArraySubscript, message));
            }
            elements.extend(part.elements);
        }
        bounds.insert(0, Bound::from_one(count));
        Ok(self.encoded(&Array::checked(bounds, elements)?))
    }

    /// An array of at most one dimension, empty for NULL.
    fn one_dimension(&self, at: usize) -> Result<Array> {
        let array = self.array(at)?.unwrap_or_default();
        if array.bounds.len() > 1 {
            let message = "argument must be empty or one-dimensional array";
            return Err(Error::new(ErrorKind::InvalidArray, message));
        }
        Ok(array)
    }

    pub(super) fn append(&self) -> Result<Value> {
        let array = self.one_dimension(0)?;
        let lower = array.bounds.first().map_or(1, |bound| bound.lower);
        let mut elements = array.elements;
        elements.push(self.value(1).clone());
        self.with_lower(lower, elements)
    }

    pub(super) fn prepend(&self) -> Result<Value> {
        let array = self.one_dimension(1)?;
        let lower = array.bounds.first().map_or(1, |bound| bound.lower);
        let mut elements = Vec::with_capacity(array.elements.len() + 1);
        elements.push(self.value(0).clone());
        elements.extend(array.elements);
        self.with_lower(lower, elements)
    }

    fn with_lower(&self, lower: i32, elements: Vec<Value>) -> Result<Value> {
        let bounds = vec![Bound { lower, length: elements.len() }];
        Ok(self.encoded(&Array::checked(bounds, elements)?))
    }

    /// Two arrays of as many dimensions behind each other, or one as an element of the other.
    pub(super) fn concatenate(&self) -> Result<Value> {
        let (left, right) = match (self.array(0)?, self.array(1)?) {
            (None, None) => return Ok(Value::Null),
            (Some(only), None) | (None, Some(only)) => return Ok(self.encoded(&only)),
            (Some(left), Some(right)) => (left, right),
        };
        if left.elements.is_empty() || right.elements.is_empty() {
            return Ok(self.encoded(if left.elements.is_empty() { &right } else { &left }));
        }
        let (l, r) = (left.bounds.len(), right.bounds.len());
        let (bounds, more) = match l as i64 - r as i64 {
            0 if left.bounds[1..] == right.bounds[1..] => (left.bounds, right.bounds[0].length),
            1 if left.bounds[1..] == right.bounds => (left.bounds, 1),
            -1 if left.bounds == right.bounds[1..] => (right.bounds, 1),
            _ => return Err(incompatible()),
        };
        let mut bounds = bounds;
        bounds[0].length += more;
        let elements = left.elements.into_iter().chain(right.elements).collect();
        Ok(self.encoded(&Array::checked(bounds, elements)?))
    }

    /// Each element cast, the text of one read; one that cannot be cast is NULL if it is an attempt.
    pub(super) fn cast(&self, to: DataType, is_attempt: bool) -> Result<Value> {
        let array = self.known(0)?;
        let from = self.element;
        let zone = if self.call.arguments.len() > 1 { self.call.text(1)? } else { logical::UTC };
        let cast = |value: &Value| {
            meter::spend(64)?;
            match cast_value(value, from, to, zone) {
                Err(error) if is_attempt && error.kind().fails_cast() => Ok(Value::Null),
                cast => cast,
            }
        };
        let elements = array.elements.iter().map(cast).collect::<Result<_>>()?;
        Ok(Value::text(Array { bounds: array.bounds, elements }.encode(to)))
    }

    /// The texts of all elements with a separator between them, of NULLs only if a text for them is given.
    pub(super) fn join(&self) -> Result<Value> {
        if self.value(1).is_null() {
            return Ok(Value::Null);
        }
        let Some(array) = self.array(0)? else { return Ok(Value::Null) };
        let separator = self.call.text(1)?;
        let null = self.optional_text(2)?;
        let zone = if self.call.arguments.len() > 3 { self.call.text(3)? } else { logical::UTC };
        let mut out = LongText::default();
        let mut is_first = true;
        for value in array.elements.iter().filter(|value| !value.is_null() || null.is_some()) {
            if !std::mem::take(&mut is_first) {
                out.push(separator)?;
            }
            match (value, null) {
                (Value::Null, null) => out.push(null.unwrap_or_default())?,
                (value, _) => out.push(&logical::show(value, self.element, zone))?,
            }
        }
        Ok(out.value())
    }

    /// The parts of a text between separators: all characters if that is NULL, the whole if it is empty.
    pub(super) fn split(&self) -> Result<Value> {
        if self.value(0).is_null() {
            return Ok(Value::Null);
        }
        let text = self.call.text(0)?;
        let null = self.optional_text(2)?;
        let (mut parts, mut room) = (Vec::new(), Room::default());
        let mut add = |part: &str| {
            // An element is a value and, of a text that is not NULL, an allocation of its own.
            if parts.len().is_multiple_of(1 << 10) {
                room.hold(parts.len() * 2 * size_of::<Value>() + text.len())?;
            }
            parts.push(if null == Some(part) { Value::Null } else { Value::text(part) });
            meter::spend(part.len() + 32)
        };
        match self.optional_text(1)? {
            _ if text.is_empty() => {}
            None => {
                let mut letter = [0; 4];
                text.chars().try_for_each(|c| add(c.encode_utf8(&mut letter)))?;
            }
            Some("") => add(text)?,
            Some(separator) => {
                let (separates, mut start) = (Part::new(separator), 0);
                while let Some(at) = separates.find(text, start)? {
                    add(&text[start..at])?;
                    start = at + separator.len();
                }
                add(&text[start..])?;
            }
        }
        Ok(self.encoded(&Array::of(parts)))
    }

    /// `string_agg`: of separators and texts in turn the texts, each but the first behind its separator.
    pub(super) fn join_pairs(&self) -> Result<Value> {
        let array = self.known(0)?;
        let mut joined = LongText::default();
        for (at, pair) in array.elements.chunks(2).enumerate() {
            if at > 0
                && let Some(Value::Text(separator)) = pair.first()
            {
                joined.push(separator)?;
            }
            if let Some(Value::Text(text)) = pair.get(1) {
                joined.push(text)?;
            }
        }
        Ok(joined.value())
    }

    /// A text that may be NULL, or not be there.
    fn optional_text(&self, at: usize) -> Result<Option<&str>> {
        match self.call.arguments.get(at) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.call.text(at).map(Some),
        }
    }
}
