//! Vectors as text: `[1,2.5,-3e-05,NaN,Infinity]`, each element as PostgreSQL shows a real or a double. Blanks may stand around
//! each. What is no such text is 22P02, one of another length than the type says 22000.

use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::{format, parse};
use crate::meter;
use crate::types::DataType;
use crate::value::Value;

/// What an element costs that is shown or read, in the meter's units.
pub(super) const ELEMENT_UNITS: usize = 64;

/// The text of a vector, whose elements are of this type.
pub(in crate::evaluate) fn show(elements: &[f64], of: DataType) -> String {
    let mut text = String::with_capacity(2 + 4 * elements.len());
    text.push('[');
    if !meter::goes_on(elements.len() * ELEMENT_UNITS) {
        return text;
    }
    for (position, element) in elements.iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        text.push_str(&match of {
            DataType::Real => format::format_real(*element as f32),
            _ => format::format_double(*element),
        });
    }
    text.push(']');
    text
}

/// The vector of `length` elements that a text says.
///
/// # Errors
/// 22P02, 22004 for a NULL among the elements, 22003 for a number beyond the elements' type, 22000 for another length.
pub(in crate::evaluate) fn read(text: &str, of: DataType, length: u32) -> Result<Value> {
    let wrong = || parse::invalid(text, "vector");
    let within = text.trim_matches(parse::is_blank).strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let within = within.ok_or_else(wrong)?;
    if within.trim_matches(parse::is_blank).is_empty() {
        return Err(wrong_length(length, 0));
    }
    let mut count = 1;
    for piece in meter::pieces(within) {
        count += piece?.bytes().filter(|byte| *byte == b',').count();
    }
    if count != length as usize {
        return Err(wrong_length(length, count));
    }
    meter::spend(count * ELEMENT_UNITS)?;
    let mut elements = Vec::with_capacity(count);
    for element in within.split(',') {
        let trimmed = element.trim_matches(parse::is_blank);
        if trimmed.eq_ignore_ascii_case("null") {
            return Err(null_element());
        }
        match parse::parse_value(trimmed, of) {
            Ok(Value::Float(float)) => elements.push(float),
            Err(error) if error.kind() == ErrorKind::NumericOverflow => return Err(error),
            _ => return Err(wrong()),
        }
    }
    Ok(Value::vector(elements))
}

/// 22000: a vector of another length is needed.
pub fn wrong_length(expected: u32, found: usize) -> Error {
    let plural = if expected == 1 { "" } else { "s" };
    Error::new(ErrorKind::VectorLength, format!("expected {expected} dimension{plural}, not {found}"))
}

/// 22004: vectors have no NULL within.
pub(in crate::evaluate) fn null_element() -> Error {
    Error::new(ErrorKind::NullNotAllowed, "a vector has no NULL elements")
}
