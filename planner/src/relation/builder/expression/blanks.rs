//! The blanks at the end of a char, which do not count where chars are compared.
//!
//! A char(n) is stored without them, so it compares as it is. A char of free length (what a CASE or a UNION makes of chars of
//! different lengths) keeps those that each value came with, because a result shows them; so does a varchar. Whatever compares,
//! sorts or groups such values as chars asks for them without blanks here. As text, which a char becomes for functions of
//! strings, it has none either.

use super::coercion::{Coercion, cast};
use super::vector::with_cast_hint;
use super::{fold, jsonb_function, structure};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, TrimSide};
use crate::relation::Expression;
use crate::types::DataType;

/// A string without blanks at its end, of type `to`.
fn trimmed(value: Expression, to: DataType) -> Expression {
    let position = value.position;
    fold::call(Function::Trim(TrimSide::Trailing), vec![value], to).at(position)
}

/// What stands for a value where values are sorted, grouped or told apart: a char of free length without its blanks, a
/// jsonb without needless digits, a struct with its fields in one form, anything else as it is.
pub(crate) fn key(value: Expression) -> Expression {
    match value.data_type {
        DataType::BPCHAR => trimmed(value, DataType::BPCHAR),
        DataType::Jsonb => jsonb_function::group_key(value),
        of if of.is_of_structs() => structure::compared(value),
        _ => value,
    }
}

/// [`key`] of a value that is ordered, or only told apart from others.
///
/// # Errors
/// 42883 for a json, which is neither.
pub(crate) fn checked_key(value: Expression, orders: bool) -> Result<Expression> {
    let (of, position) = (value.data_type, value.position);
    if !of.has_equality() {
        return Err(no_key(of, orders).at(position));
    }
    if of.fields().is_some() && (orders || !super::composite::is_shown_alike(of)) {
        let what =
            if orders { "an order of rows within an aggregate is" } else { "telling rows of such fields apart is" };
        return Err(Error::unsupported(what).at(position));
    }
    if orders && of == DataType::Jsonb {
        return Ok(jsonb_function::order_key(value));
    }
    Ok(key(value))
}

/// The error (42883) for values of a type that cannot be ordered, or not be told apart.
pub(super) fn no_key(of: DataType, orders: bool) -> Error {
    let what = if orders { "an ordering" } else { "an equality" };
    let message = format!("could not identify {what} operator for type {of}");
    with_cast_hint(Error::new(ErrorKind::UnknownFunction, message), of)
}

/// A string as an argument of a function of strings.
pub(super) fn as_text(value: Expression) -> Expression {
    if value.data_type == DataType::BPCHAR { trimmed(value, DataType::Text) } else { value }
}

/// Two strings as PostgreSQL compares them: char with char or varchar as char, any other two as text.
pub(super) fn comparable(left: Expression, right: Expression) -> (Expression, Expression) {
    let is_char = |side: &Expression| matches!(side.data_type, DataType::Char(_));
    let chars = is_char(&left) || is_char(&right);
    let side = |side: Expression| match side.data_type {
        DataType::Varchar(_) if chars => trimmed(side, DataType::Text),
        _ => as_text(side),
    };
    (side(left), side(right))
}

/// A cast from a string to a string: a char loses its blanks on the way to text or varchar, and gets them on the way to a char
/// of free length.
pub(super) fn cast_text(value: Expression, to: DataType, coercion: Coercion) -> Expression {
    match (value.data_type, to) {
        (DataType::BPCHAR, DataType::Text | DataType::Varchar(_)) => cast(as_text(value), to, coercion),
        (DataType::Char(length), DataType::BPCHAR) => cast(super::pattern::pad(value, length), to, coercion),
        _ => {
            let function = if coercion == Coercion::Assignment { Function::AssignCast } else { Function::Cast };
            fold::call(function, vec![value], to)
        }
    }
}
