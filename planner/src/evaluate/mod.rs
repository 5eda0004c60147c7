//! What every function means, value by value: the one place. Constant folding and the interpreter call it, and
//! so does any backend for a function that it has no kernel for.

use crate::error::{Error, Result};
use crate::function::Function;
use crate::types::DataType;
use crate::value::Value;

/// Applies a function to values of the given types. `result` is the type of the call. Lazy functions
/// (`And`, `Or`, `Case`, `Coalesce`) get all their arguments here; a caller for whom evaluating an argument may
/// fail handles their laziness itself. `Random` is the caller's business, too.
pub fn evaluate(function: Function, arguments: &[Value], types: &[DataType], result: DataType) -> Result<Value> {
    let _ = (function, arguments, types, result);
    Err(Error::internal("not built yet"))
}

/// `CAST(value AS to)`.
pub fn cast(value: &Value, from: DataType, to: DataType) -> Result<Value> {
    let _ = (value, from, to);
    Err(Error::internal("not built yet"))
}

/// The text of a value, as PostgreSQL prints it. Must not be NULL.
pub fn format(value: &Value, data_type: DataType) -> String {
    let _ = (value, data_type);
    String::new()
}

/// The value of a text, as PostgreSQL reads it (`'…'::type`).
pub fn parse(text: &str, data_type: DataType) -> Result<Value> {
    let _ = (text, data_type);
    Err(Error::internal("not built yet"))
}
