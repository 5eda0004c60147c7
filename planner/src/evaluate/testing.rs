//! Typed values and checks for the tests of this folder.

use super::evaluate;
use crate::function::Function;
use crate::types::DataType;
use crate::value::Value;

/// A value and its type.
pub(super) type Typed = (Value, DataType);

/// NULL.
pub(super) const NULL: Typed = (Value::Null, DataType::Null);

pub(super) fn boolean(value: bool) -> Typed {
    (Value::Boolean(value), DataType::Boolean)
}

pub(super) fn integer(value: i64) -> Typed {
    (Value::Int(value), DataType::Integer)
}

pub(super) fn double(value: f64) -> Typed {
    (Value::Float(value), DataType::Double)
}

pub(super) fn text(value: &str) -> Typed {
    (Value::text(value), DataType::Text)
}

/// Checks a call's value; its type is the expected one's.
pub(super) fn expect_value(function: Function, arguments: Vec<Typed>, expected: Typed) {
    let (values, types): (Vec<_>, Vec<_>) = arguments.into_iter().unzip();
    let value = evaluate(function, &values, &types, expected.1);
    assert_eq!(value.as_ref(), Ok(&expected.0), "{function:?} of {values:?}");
}

/// Checks that a call fails with this SQLSTATE.
pub(super) fn expect_error(function: Function, arguments: Vec<Typed>, result: DataType, sqlstate: &str) {
    let (values, types): (Vec<_>, Vec<_>) = arguments.into_iter().unzip();
    let error = evaluate(function, &values, &types, result).expect_err(&format!("{function:?} of {values:?}"));
    assert_eq!(error.sqlstate(), sqlstate, "{function:?} of {values:?}: {error}");
}
