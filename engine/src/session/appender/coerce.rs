//! A value as a column stores it: what fits is checked and kept, the rest is cast as INSERT casts it.
//!
//! A text is a literal: it is read as the column's type, whatever that is. A number goes into a column of numbers of any kind, and
//! everything into text. A [`Value::Decimal`] has no scale of its own, so it fits decimals alone and is theirs.

use crate::sight::Sight;
use crate::{DataType, Error, ErrorKind, Result, Value};
use multiloop_planner::evaluate::{admit, check_length, evaluate};
use multiloop_planner::function::Function;
use multiloop_planner::types::{Field, VECTOR_LENGTH_MAX};
use std::borrow::Cow;

/// The value as the column has it.
///
/// # Errors
/// 42804 for a value of a kind that INSERT does not take there; 22003, 22001, 22P02 and the like for one that is no value of the
/// type.
pub(super) fn coerced<'v>(value: &'v Value, field: &Field, sight: &Sight) -> Result<Cow<'v, Value>> {
    let to = field.data_type;
    if let Value::Text(text) = value {
        // Of bytes a value is their digits, which a literal of these is not.
        if !value.fits(to) || to == DataType::Bytea {
            return sight.value_of(text, to).map(Cow::Owned);
        }
        check_length(text, to)?;
    }
    if value.fits(to) || matches!(value, Value::Decimal(_)) {
        let admitted = admit(value, to, sight.time_zone())?;
        return Ok(admitted.map_or(Cow::Borrowed(value), Cow::Owned));
    }
    let from = match value {
        Value::Int(_) if to.is_numeric() || to.is_text() => DataType::BigInt,
        Value::Float(_) if to.is_numeric() || to.is_text() => DataType::Double,
        Value::Numeric(_) if to.is_numeric() || to.is_text() => DataType::Numeric,
        Value::Boolean(_) if to.is_text() => DataType::Boolean,
        Value::Interval(_) if to.is_text() || to == DataType::Time => DataType::Interval,
        Value::Vector(elements) if to.is_text() && check_vector(elements.len()) => {
            DataType::vector(DataType::Double, elements.len() as u32)
        }
        _ => return Err(of_other_kind(value, field)),
    };
    let cast = evaluate(Function::AssignCast, std::slice::from_ref(value), &[from], to)?;
    if cast.fits(to) { Ok(Cow::Owned(cast)) } else { Err(of_other_kind(value, field)) }
}

/// Whether a vector may be so long.
fn check_vector(length: usize) -> bool {
    (1..=VECTOR_LENGTH_MAX as usize).contains(&length)
}

/// The error for a value of a kind that no cast takes into a column.
fn of_other_kind(value: &Value, field: &Field) -> Error {
    let kind = match value {
        Value::Null => "unknown",
        Value::Boolean(_) => "boolean",
        Value::Int(_) => "bigint",
        Value::Float(_) => "double precision",
        Value::Decimal(_) | Value::Numeric(_) => "numeric",
        Value::Text(_) => "text",
        Value::Interval(_) => "interval",
        Value::Vector(_) => "vector",
    };
    let Field { name, data_type, .. } = field;
    Error::new(
        ErrorKind::TypeMismatch,
        format!("column \"{name}\" is of type {data_type} but the value is of type {kind}"),
    )
}
