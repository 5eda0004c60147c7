//! Arrays: elements of one type in up to six dimensions, whose subscripts may begin anywhere.
//!
//! `key` (with `fixed`) is the text that stands for an array wherever programs run, `text` the form that people read and write. `make`, `search`,
//! `list` (with `spread`), `measure`, `percentiles` and `dimensions` have the functions.

mod dimensions;
mod fixed;
mod key;
mod list;
mod make;
mod measure;
mod numbers;
mod percentiles;
mod search;
mod spread;
mod text;

use super::Call;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{ArrayFunction, Function};
use crate::meter;
use crate::types::DataType;
use crate::value::Value;
pub use fixed::Fixed;
pub use key::{ESCAPED, Form, MARKS, TAIL};
pub(super) use key::{bare, end_parts, is_end, push_part, skip_part, take_part};
pub(super) use numbers::{read_numbers, show_numbers};
pub(super) use text::{read, show};

/// Dimensions of an array, at most.
pub const DIMENSIONS_MAX: usize = 6;

/// Elements of an array, at most: as many as PostgreSQL has room for.
const ELEMENTS_MAX: usize = (1 << 27) - 1;

/// The subscripts of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The first.
    pub lower: i32,
    /// How many, at least one.
    pub length: usize,
}

impl Bound {
    /// The last subscript.
    pub fn upper(self) -> i64 {
        i64::from(self.lower) + self.length as i64 - 1
    }

    /// Subscripts from 1 on.
    fn from_one(length: usize) -> Self {
        Bound { lower: 1, length }
    }
}

/// An array. One without elements has no dimensions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Array {
    /// Its dimensions, the outermost first.
    pub bounds: Vec<Bound>,
    /// Its elements, those of the innermost dimension next to each other.
    pub elements: Vec<Value>,
}

impl Array {
    /// An array of one dimension, counted from 1.
    pub fn of(elements: Vec<Value>) -> Self {
        let bounds = if elements.is_empty() { Vec::new() } else { vec![Bound::from_one(elements.len())] };
        Array { bounds, elements }
    }

    /// The array if it is not too large (54000 in PostgreSQL, 54001 here); one without elements has no dimensions.
    pub(super) fn checked(bounds: Vec<Bound>, elements: Vec<Value>) -> Result<Self> {
        if elements.is_empty() {
            return Ok(Array::default());
        }
        if bounds.len() > DIMENSIONS_MAX {
            return Err(too_many_dimensions(bounds.len()));
        }
        if elements.len() > ELEMENTS_MAX {
            return Err(too_large());
        }
        if let Some(bound) = bounds.iter().find(|bound| bound.upper() > i64::from(i32::MAX) - 1) {
            let message = format!("array lower bound is too large: {}", bound.lower);
            return Err(Error::new(ErrorKind::ArraySubscript, message));
        }
        Ok(Array { bounds, elements })
    }

    /// Walks over the elements as brackets show them: `bracket` for each that opens or closes, with commas between.
    pub(super) fn nest(
        &self,
        out: &mut String,
        bracket: &mut dyn FnMut(&mut String, bool),
        element: &mut dyn FnMut(&mut String, &Value),
    ) {
        if self.elements.is_empty() {
            bracket(out, true);
            return bracket(out, false);
        }
        self.nest_level(0, &self.elements, out, bracket, element);
    }

    fn nest_level(
        &self,
        level: usize,
        elements: &[Value],
        out: &mut String,
        bracket: &mut dyn FnMut(&mut String, bool),
        element: &mut dyn FnMut(&mut String, &Value),
    ) {
        let Some(bound) = self.bounds.get(level) else { return elements.iter().for_each(|value| element(out, value)) };
        bracket(out, true);
        for (at, part) in elements.chunks((elements.len() / bound.length).max(1)).enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            self.nest_level(level + 1, part, out, bracket, element);
        }
        bracket(out, false);
    }
}

/// 54000 for an array of more elements than there may be.
fn too_large() -> Error {
    let message = format!("array size exceeds the maximum allowed ({ELEMENTS_MAX})");
    Error::new(ErrorKind::TooComplex, message)
}

fn too_many_dimensions(count: usize) -> Error {
    let message = format!("number of array dimensions ({count}) exceeds the maximum allowed ({DIMENSIONS_MAX})");
    Error::new(ErrorKind::TooComplex, message)
}

/// What a function of arrays is applied to.
struct Arrays<'a> {
    call: &'a Call<'a>,
    element: DataType,
}

impl Arrays<'_> {
    /// An argument as an array; none of NULL.
    fn array(&self, at: usize) -> Result<Option<Array>> {
        if self.call.arguments[at].is_null() {
            return Ok(None);
        }
        self.known(at).map(Some)
    }

    /// An argument that is not NULL as an array.
    ///
    /// What cannot fail may be asked of places that are NULL, where an empty text stands: of it nothing is wanted.
    fn known(&self, at: usize) -> Result<Array> {
        let text = self.call.text(at)?;
        if text.is_empty() {
            return Ok(Array::default());
        }
        let array = Array::decode(text, self.element);
        meter::settle()?;
        array.ok_or_else(|| Error::new(ErrorKind::DataCorrupted, format!("no array of {} in its place", self.element)))
    }

    fn value(&self, at: usize) -> &Value {
        &self.call.arguments[at]
    }

    fn encoded(&self, array: &Array) -> Value {
        Value::text(array.encode(self.element))
    }
}

/// An array whose elements are cast, NULL where that fails: TRY_CAST, as DuckDB has it.
pub(super) fn attempt_cast(call: &Call, from: DataType, to: DataType) -> Result<Value> {
    Arrays { call, element: from }.cast(to, true)
}

/// The value of a function that NULL arguments need not make NULL.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    use ArrayFunction as A;
    let Function::Array(function, element) = call.function else { return Ok(None) };
    let arrays = Arrays { call, element };
    Ok(Some(match function {
        A::Entry => Value::text(key::entry(&call.arguments[0], element)),
        A::Make => {
            arrays.encoded(&Array::checked(vec![Bound::from_one(call.arguments.len())], call.arguments.to_vec())?)
        }
        A::MakeOfArrays => arrays.make_of_arrays()?,
        A::Append => arrays.append()?,
        A::Prepend => arrays.prepend()?,
        A::Concatenate => arrays.concatenate()?,
        A::Remove => arrays.remove()?,
        A::Replace => arrays.replace()?,
        A::Position => arrays.position()?,
        A::Positions => arrays.positions()?,
        A::Any(comparison) => arrays.quantified(comparison, true)?,
        A::All(comparison) => arrays.quantified(comparison, false)?,
        A::Join => arrays.join()?,
        A::Split => arrays.split()?,
        function => return list::apply_to_nulls(&arrays, function),
    }))
}

/// The value, if the function is one of arrays. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use ArrayFunction as A;
    let Function::Array(function, element) = call.function else { return Ok(None) };
    let arrays = Arrays { call, element };
    let count = |count: Option<i64>| count.map_or(Value::Null, Value::Int);
    Ok(Some(match function {
        A::Element => arrays.element_at()?,
        A::Slice => arrays.slice()?,
        A::Contains => Value::Boolean(arrays.contains()?),
        A::Overlaps => Value::Boolean(arrays.overlaps()?),
        A::Length => count(arrays.bound(1)?.map(|bound| bound.length as i64)),
        A::Lower => count(arrays.bound(1)?.map(|bound| bound.lower.into())),
        A::Upper => count(arrays.bound(1)?.map(Bound::upper)),
        A::DimensionCount => count(Some(arrays.known(0)?.bounds.len() as i64).filter(|count| *count > 0)),
        A::Dimensions => arrays.dimensions()?,
        A::Cardinality => Value::Int(Array::count(call.text(0)?, element) as i64),
        A::Nth => {
            let position = usize::try_from(call.int(1)?).unwrap_or(usize::MAX);
            Array::nth(call.text(0)?, element, position).unwrap_or(Value::Null)
        }
        A::OfEntries => Value::text(key::of_entries(call.text(0)?)),
        A::OfArrays => arrays.of_arrays()?,
        A::JoinPairs => arrays.join_pairs()?,
        A::Mode => arrays.mode()?,
        A::Key => Value::text(arrays.known(0)?.key(element)),
        A::Cast(to) => arrays.cast(to, false)?,
        A::Percentiles { continuous } => arrays.percentiles(continuous)?,
        function => return list::apply(&arrays, function),
    }))
}
