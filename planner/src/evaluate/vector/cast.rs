//! Casts to vectors: from arrays of numbers, and from vectors of other elements; and from vectors to arrays.
//!
//! Rounding an element to a real is IEEE's: a number too large for one is infinite, one too small zero. Vectors have no overflow.

use super::text::{ELEMENT_UNITS, null_element, wrong_length};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::array::Array;
use crate::evaluate::{Call, cast, mismatch};
use crate::function::{ArrayFunction, Function};
use crate::meter;
use crate::types::DataType;
use crate::value::Value;

/// A vector as one of a type.
///
/// # Errors
/// 22000 if the type's length is another.
pub(in crate::evaluate) fn cast_vector(elements: &[f64], of: DataType, length: u32) -> Result<Value> {
    if elements.len() != length as usize {
        return Err(wrong_length(length, elements.len()));
    }
    meter::spend(elements.len())?;
    Ok(Value::Vector(elements.iter().map(|&element| rounded(element, of)).collect()))
}

/// The nearest value of the elements' type.
fn rounded(element: f64, of: DataType) -> f64 {
    if of == DataType::Real { f64::from(element as f32) } else { element }
}

/// Casts between vectors and arrays, whose elements are of the type beside the function; none for other functions.
pub(in crate::evaluate) fn apply(call: &Call) -> Result<Option<Value>> {
    match (call.function, call.arguments) {
        (Function::Array(ArrayFunction::ToVector, element), [Value::Text(array)]) => {
            let Some((of, length)) = call.result.vector_of() else { return Ok(None) };
            to_vector(array, element, of, length).map(Some)
        }
        (Function::Array(ArrayFunction::OfVector, element), [Value::Vector(elements)]) => {
            meter::spend(elements.len() * ELEMENT_UNITS)?;
            to_array(elements, element).map(Some)
        }
        _ => Ok(None),
    }
}

/// The array of a vector's elements, as reals or doubles.
pub(in crate::evaluate) fn to_array(elements: &[f64], element: DataType) -> Result<Value> {
    meter::spend(elements.len())?;
    let elements = elements.iter().map(|&value| Value::Float(rounded(value, element))).collect::<Vec<_>>();
    Ok(Value::text(Array::of(elements).encode(element)))
}

/// The vector of an array of numbers.
pub(in crate::evaluate) fn to_vector(array: &str, element: DataType, of: DataType, length: u32) -> Result<Value> {
    let array = Array::decode(array, element).ok_or_else(|| Error::internal("no array in its place"))?;
    if array.bounds.len() > 1 {
        return Err(Error::new(ErrorKind::InvalidArray, "a vector is made of an array of one dimension"));
    }
    if array.elements.len() != length as usize {
        return Err(wrong_length(length, array.elements.len()));
    }
    meter::spend(array.elements.len() * ELEMENT_UNITS)?;
    let number = |value: &Value| match value {
        Value::Null => Err(null_element()),
        Value::Float(float) => Ok(rounded(*float, of)),
        value => {
            let cast = match cast::cast_value(value, element, of) {
                // Beyond the reals: as the doubles of an array are rounded.
                Err(error) if of == DataType::Real && error.kind() == ErrorKind::NumericOverflow => {
                    cast::cast_value(value, element, DataType::Double)
                }
                cast => cast,
            };
            match cast? {
                Value::Float(float) => Ok(rounded(float, of)),
                other => Err(mismatch(&other, of)),
            }
        }
    };
    Ok(Value::Vector(array.elements.iter().map(number).collect::<Result<_>>()?))
}
