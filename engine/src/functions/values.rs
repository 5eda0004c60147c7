//! Values on their way to a function of the program, and back.
//!
//! Plans hold values in the form of the types that carry others ([`Value`]). A function is given arrays of Arrow's types for the
//! declared ones, as results have them, or Rust's values, which are made of these as fields of rows are.

use crate::parameters::Parameter;
use crate::row::Column as Cells;
use crate::sight::Sight;
use crate::{DataType, Error, ErrorKind, Field, Result, Value};
use arrow::array::{Array as _, ArrayRef};
use arrow::datatypes::Field as ArrowField;
use multiloop_exec::column::Column;
use multiloop_exec::column::arrow::{arrow_type, field_of, to_array, to_column_of};

/// Values of each parameter as arrays of the parameters' types.
pub(super) fn arrays(arguments: &[Vec<Value>], types: &[DataType]) -> Result<Vec<ArrayRef>> {
    let array = |(values, &of): (&Vec<Value>, &DataType)| to_array(&Column::from_values(of, values), of);
    arguments.iter().zip(types).map(array).collect()
}

/// The same as fields of rows.
pub(super) fn cells(arguments: &[Vec<Value>], types: &[DataType]) -> Result<Vec<Cells>> {
    let arrays = arrays(arguments, types)?;
    Ok(arrays.iter().zip(types).map(|(array, &of)| Cells::new(array, of)).collect())
}

/// The values of an array that a function gave as those of its declared type.
///
/// # Errors
/// 42804 for an array of another type, 22008 and its kin for values outside the type's range.
pub(super) fn of_array(array: &ArrayRef, to: DataType, signature: &str) -> Result<Vec<Value>> {
    let given = field_of(&ArrowField::new("value", array.data_type().clone(), true));
    let is_it = match given {
        Ok(field) => {
            let of = field.data_type;
            of == to
                || *array.data_type() == arrow_type(to)
                || (of.is_text() && to.is_text())
                || (of.is_decimal() && to.is_decimal() && of.scale() == to.scale())
                || (of.is_exact() && to == DataType::Numeric)
        }
        Err(_) => false,
    };
    if !is_it {
        let message = format!("function {signature} gave an array of {}, which is none of {to}", array.data_type());
        return Err(Error::new(ErrorKind::TypeMismatch, message));
    }
    let column = to_column_of(array, &Field::new("value", to, true))?;
    Ok((0..column.rows()).map(|row| column.value(row, to.carrier())).collect())
}

/// A value that a function gave as one of its declared type.
///
/// # Errors
/// 42804 if it is none.
pub(super) fn of_parameter(value: &Parameter, to: DataType, sight: &Sight, signature: &str) -> Result<Value> {
    value.value_as(to, sight)?.ok_or_else(|| {
        let own = match value.own_type(DataType::Null) {
            DataType::Null => DataType::Text,
            own => own,
        };
        let message = format!("function {signature} gave a value of type {own}, which is none of {to}");
        Error::new(ErrorKind::TypeMismatch, message)
    })
}

/// The type of a Rust type's values, where it has to have one.
pub(super) fn settled(of: DataType) -> DataType {
    if of == DataType::Null { DataType::Text } else { of }
}

/// An error for a type that no parameter or value of a function is declared as: those with a length, which calls do not keep.
pub(super) fn check_type(of: DataType, what: &str) -> Result<()> {
    let has_length = of.is_text() && !of.is_logical() && of != DataType::Text && of != DataType::VARCHAR;
    if of == DataType::Null || has_length || of.of_any_length() != of {
        let message = format!("{what} cannot be of type {of}");
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    }
    Ok(())
}
