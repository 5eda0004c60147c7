//! Rows as text, in PostgreSQL's form, and values from it.

use crate::sight::Sight;
use arrow::array::{ArrayRef, RecordBatch};
use multiloop_exec::column::Column;
use multiloop_exec::column::arrow::{to_array, to_column_of};
use multiloop_exec::{Error, Result};
pub use multiloop_planner::evaluate::array::{Array, Bound};
use multiloop_planner::evaluate::bytes::to_hex;
pub use multiloop_planner::evaluate::check_length;
use multiloop_planner::evaluate::parse;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;

/// Hands over the values of a batch with these fields as a session sees them, row by row, each with its column; None is NULL.
pub fn text_of(
    fields: &[Field],
    batch: &RecordBatch,
    sight: &Sight,
    each: &mut dyn FnMut(usize, Option<String>),
) -> Result<()> {
    let columns = batch.columns().iter().zip(fields).map(|(array, field)| to_column_of(array, field));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    for row in 0..batch.num_rows() {
        for (index, (column, field)) in columns.iter().zip(fields).enumerate() {
            let text = || sight.text_of(&column.value(row, field.data_type), field.data_type);
            each(index, (!column.is_null(row)).then(text));
        }
    }
    Ok(())
}

/// The texts of an array of values of a type as a session sees them; None is NULL.
pub fn texts_of(array: &ArrayRef, data_type: DataType, sight: &Sight) -> Result<Vec<Option<String>>> {
    let column = to_column_of(array, &Field::new("", data_type, true))?;
    let text = |row: usize| (!column.is_null(row)).then(|| sight.text_of(&column.value(row, data_type), data_type));
    Ok((0..column.rows()).map(text).collect())
}

/// The value of a text, as PostgreSQL reads it (`'…'::type`); of types to which it matters ([`Sight::matters_to`]) in nobody's
/// sight.
///
/// Errors: 22P02 and its kin for text that is no value of the type.
pub fn value_of(text: &str, data_type: DataType) -> Result<Value> {
    parse(text, data_type)
}

/// The value of the bytes of a bytea or a uuid; none if a uuid has another number of them.
pub fn value_of_bytes(bytes: &[u8], data_type: DataType) -> Option<Value> {
    let digits = to_hex(bytes);
    if data_type == DataType::Uuid { parse(&digits, data_type).ok() } else { Some(Value::text(digits)) }
}

/// Values of a type as an Arrow array, as results and batches for tables have them.
///
/// Errors: XX000 for a value that is not of the type.
pub fn array_of(values: &[Value], data_type: DataType) -> Result<ArrayRef> {
    if values.iter().any(|value| !value.fits(data_type)) {
        return Err(Error::internal(format!("a value is not of type {data_type}")));
    }
    to_array(&Column::from_values(data_type, values), data_type)
}
