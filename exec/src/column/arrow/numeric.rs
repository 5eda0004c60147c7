//! NUMERIC columns: text that sorts as the numbers do inside, the digits that PostgreSQL shows outside. The field of a
//! result says so in its metadata.

use crate::column::ColumnData;
use crate::{Error, Result};
use ::arrow::array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Int16Type, Int32Type, Int64Type};
use ::arrow::array::{Array, ArrayRef, AsArray, StringArray, StringBuilder};
use ::arrow::compute::cast;
use ::arrow::datatypes::DataType as Arrow;
use multiloop_planner::numeric::Numeric;

/// The key of a field's metadata that names its SQL type where the Arrow type does not tell it.
pub(super) const TYPE_KEY: &str = "multiloop:type";

/// Numbers, in whatever form, as a column stores them.
pub(super) fn stored(array: &ArrayRef) -> Result<ColumnData> {
    let mut builder = StringBuilder::with_capacity(array.len(), array.len() * 16);
    let number = |row: usize| -> Result<Numeric> {
        Ok(match array.data_type() {
            Arrow::Utf8 => Numeric::parse(array.as_string::<i32>().value(row))?,
            Arrow::Int16 => Numeric::from_integer(array.as_primitive::<Int16Type>().value(row)),
            Arrow::Int32 => Numeric::from_integer(array.as_primitive::<Int32Type>().value(row)),
            Arrow::Int64 => Numeric::from_integer(array.as_primitive::<Int64Type>().value(row)),
            Arrow::Decimal32(_, scale) => scaled(array.as_primitive::<Decimal32Type>().value(row).into(), *scale),
            Arrow::Decimal64(_, scale) => scaled(array.as_primitive::<Decimal64Type>().value(row).into(), *scale),
            Arrow::Decimal128(_, scale) => scaled(array.as_primitive::<Decimal128Type>().value(row), *scale),
            other => return Err(Error::internal(format!("numbers as Arrow's {other}"))),
        })
    };
    for row in 0..array.len() {
        if array.is_null(row) {
            builder.append_value("");
        } else {
            builder.append_value(number(row)?.encode());
        }
    }
    let texts: StringArray = builder.finish();
    Ok(ColumnData::Text { offsets: texts.offsets().clone(), bytes: texts.values().clone() })
}

fn scaled(unscaled: i128, scale: i8) -> Numeric {
    Numeric::new(unscaled, scale.unsigned_abs().into())
}

/// An array of strings as one with 32-bit offsets; any other as it is.
pub(super) fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    match array.data_type() {
        Arrow::Dictionary(..) | Arrow::LargeUtf8 | Arrow::Utf8View => {
            cast(array, &Arrow::Utf8).map_err(|error| Error::internal(error.to_string()))
        }
        _ => Ok(array.clone()),
    }
}
