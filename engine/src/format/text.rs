//! Rows as text, in PostgreSQL's form, and values from it.

use arrow::array::{ArrayRef, RecordBatch};
use multiloop_exec::column::Column;
use multiloop_exec::column::arrow::{to_array, to_column_of};
use multiloop_exec::{Error, Result};
use multiloop_planner::evaluate::{format, parse};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;

/// Hands over the values of a batch with these fields, row by row, each with its column; None is NULL.
pub fn text_of(fields: &[Field], batch: &RecordBatch, each: &mut dyn FnMut(usize, Option<String>)) -> Result<()> {
    let columns = batch.columns().iter().zip(fields).map(|(array, field)| to_column_of(array, field));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    for row in 0..batch.num_rows() {
        for (index, (column, field)) in columns.iter().zip(fields).enumerate() {
            let text = (!column.is_null(row)).then(|| format(&column.value(row, field.data_type), field.data_type));
            each(index, text);
        }
    }
    Ok(())
}

/// The value of a text, as PostgreSQL reads it (`'…'::type`).
///
/// Errors: 22P02 and its kin for text that is no value of the type.
pub fn value_of(text: &str, data_type: DataType) -> Result<Value> {
    parse(text, data_type)
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
