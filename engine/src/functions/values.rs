//! Values on their way to a function of the program, and back.
//!
//! Plans hold values in the form of the types that carry others ([`Value`]). A function is given arrays of Arrow's types for the
//! declared ones, as results have them, or Rust's values, which are made of these as fields of rows are.

use crate::parameters::Parameter;
use crate::row::{Column, ValueRef};
use crate::sight::Sight;
use crate::{DataType, Error, ErrorKind, Field, Result, Value};
use arrow::array::{Array as _, ArrayRef};
use arrow::datatypes::Field as ArrowField;
use multiloop_exec::column::Column as ExecColumn;
use multiloop_exec::column::arrow::{are_vectors_and_arrays, arrow_type, field_of, to_array, to_column_of};
use multiloop_planner::evaluate::{UTC, admit};

/// Values of each parameter as arrays of the parameters' types.
pub(super) fn arrays(arguments: &[Vec<Value>], types: &[DataType]) -> Result<Vec<ArrayRef>> {
    arguments.iter().zip(types).map(|(values, &of)| array(values, of)).collect()
}

/// The values of a parameter, one a row.
pub(super) enum Cells<'v> {
    /// Those that need no array to be what a closure is given.
    Plain(&'v [Value], DataType),
    Column(Column),
}

impl<'v> Cells<'v> {
    /// Those of a parameter of this type.
    pub(super) fn new(values: &'v [Value], of: DataType) -> Result<Self> {
        use DataType as T;
        let is_plain = matches!(
            of,
            T::Boolean
                | T::SmallInt
                | T::Integer
                | T::BigInt
                | T::Real
                | T::Double
                | T::Decimal { .. }
                | T::Text
                | T::Date
                | T::Timestamp
                | T::Interval
        );
        Ok(if is_plain { Cells::Plain(values, of) } else { Cells::Column(Column::new(&array(values, of)?, of)) })
    }

    /// The value of a row.
    pub(super) fn value(&self, row: usize) -> ValueRef<'_> {
        match self {
            Cells::Plain(values, of) => plain(&values[row], *of),
            Cells::Column(column) => column.value(row),
        }
    }
}

/// A value of a type whose carrier it is itself.
fn plain(value: &Value, of: DataType) -> ValueRef<'_> {
    match (value, of) {
        (Value::Boolean(value), _) => ValueRef::Boolean(*value),
        (Value::Int(value), DataType::SmallInt) => i16::try_from(*value).map_or(ValueRef::Other, ValueRef::SmallInt),
        (Value::Int(value), DataType::Integer) => i32::try_from(*value).map_or(ValueRef::Other, ValueRef::Integer),
        (Value::Int(value), DataType::Date) => i32::try_from(*value).map_or(ValueRef::Other, ValueRef::Date),
        (Value::Int(value), DataType::Timestamp) => ValueRef::Timestamp(*value),
        (Value::Int(value), _) => ValueRef::BigInt(*value),
        (Value::Float(value), DataType::Real) => ValueRef::Real(*value as f32),
        (Value::Float(value), _) => ValueRef::Double(*value),
        (Value::Decimal(unscaled), of) => ValueRef::Decimal { unscaled: *unscaled, scale: of.scale() },
        (Value::Text(text), _) => ValueRef::Text(text),
        (Value::Interval(value), _) => ValueRef::Interval(*value),
        (Value::Null, _) => ValueRef::Null,
        (Value::Numeric(_) | Value::Vector(_), _) => ValueRef::Other,
    }
}

/// The values of each parameter, for a closure over values.
pub(super) fn cells<'v>(arguments: &'v [Vec<Value>], types: &[DataType]) -> Result<Vec<Cells<'v>>> {
    arguments.iter().zip(types).map(|(values, &of)| Cells::new(values, of)).collect()
}

/// Values as an array of their type.
fn array(values: &[Value], of: DataType) -> Result<ArrayRef> {
    to_array(&ExecColumn::from_values(of, values), of)
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
                || are_vectors_and_arrays(of, to)
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
    let made = value.value_as(to, sight)?;
    if let Some(made) = made.as_ref().filter(|_| value.is_given_as_it_is()) {
        return Ok(admit(made, to, UTC)?.unwrap_or_else(|| made.clone()));
    }
    made.ok_or_else(|| {
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
