//! Between Arrow and our columns: which SQL type an Arrow type stands for, arrays in (`import`), results out
//! (`export`); structs with their fields (`structs`), lists as arrays (`lists`), lists of a fixed size as vectors (`vectors`), and maps as JSON (`json`).

mod export;
mod import;
mod json;
mod lists;
pub(in crate::column) mod logical;
mod numeric;
mod structs;
#[cfg(test)]
mod tests;
mod vectors;

pub(crate) use export::{batch_of, to_array_as};
pub use export::{to_array, to_record_batch, to_record_batch_as};
pub(in crate::column) use import::{copies, too_much_text};
pub use import::{first_wrong_row, to_column, to_column_of};
pub use vectors::{are_alike as are_vectors_and_arrays, fields_of_batches};

use crate::column::Chunk;
use crate::{Error, Result};
use ::arrow::datatypes::{DataType as Arrow, Field as ArrowField, IntervalUnit, Schema, SchemaRef, TimeUnit};
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType, Field, Nested, NestedType};
use std::sync::Arc;

/// The SQL fields of an Arrow schema. Columns of a type that has no SQL type here are an error (0A000) that names
/// the column.
pub fn fields_of(schema: &Schema) -> Result<Vec<Field>> {
    schema.fields().iter().map(|field| field_of(field)).collect()
}

/// The SQL field of an Arrow field; see [`fields_of`].
pub fn field_of(field: &ArrowField) -> Result<Field> {
    let data_type = type_of(field.data_type(), field.name())?;
    // A field of nothing but NULL may say that it has none.
    let nullable = field.is_nullable() || *field.data_type() == Arrow::Null;
    Ok(Field::new(field.name(), logical::marked_type(field, data_type), nullable))
}

/// The SQL type of a column of an Arrow type: that of its values, and a vector where lists of a fixed size have floats.
fn type_of(arrow: &Arrow, column: &str) -> Result<DataType> {
    match vectors::type_of_vectors(arrow) {
        Some(vector) => Ok(vector),
        None => type_of_values(arrow, column),
    }
}

/// The narrowest SQL type that holds every value of an Arrow type. Timestamps with a time zone are instants, lists arrays, maps
/// JSON. Lists of a fixed size are arrays, too, as within structs and lists.
fn type_of_values(arrow: &Arrow, column: &str) -> Result<DataType> {
    Ok(match arrow {
        Arrow::Boolean => DataType::Boolean,
        Arrow::Int8 | Arrow::UInt8 | Arrow::Int16 => DataType::SmallInt,
        Arrow::UInt16 | Arrow::Int32 => DataType::Integer,
        Arrow::UInt32 | Arrow::Int64 => DataType::BigInt,
        Arrow::UInt64 => DataType::decimal(20, 0),
        Arrow::Float16 | Arrow::Float32 => DataType::Real,
        Arrow::Float64 => DataType::Double,
        Arrow::Decimal32(precision, scale)
        | Arrow::Decimal64(precision, scale)
        | Arrow::Decimal128(precision, scale)
            if (1..=DECIMAL_DIGITS_MAX).contains(precision) && (0..=*precision as i8).contains(scale) =>
        {
            DataType::decimal(*precision, *scale as u8)
        }
        // A column of nothing but NULL has the type that PostgreSQL gives an untyped NULL in a table: text.
        Arrow::Null | Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View => DataType::Text,
        Arrow::Date32 | Arrow::Date64 => DataType::Date,
        Arrow::Time32(_) | Arrow::Time64(_) => DataType::Time,
        Arrow::Timestamp(_, None) => DataType::Timestamp,
        Arrow::Timestamp(_, Some(_)) => DataType::TimestampTz,
        Arrow::Binary | Arrow::LargeBinary | Arrow::BinaryView | Arrow::FixedSizeBinary(_) => DataType::Bytea,
        Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) => {
            logical::type_of_list(item, column)?
        }
        Arrow::Interval(_) => DataType::Interval,
        // As the JSON of an object: what is in it is asked for by its name.
        Arrow::Struct(fields) if let Some(of) = structs::type_of_struct(fields, column) => of,
        Arrow::Struct(_) | Arrow::Map(..) => {
            json::check(arrow, column)?;
            DataType::Json
        }
        Arrow::Dictionary(_, values) => type_of_values(values, column)?,
        _ => return Err(Error::unsupported(format!("column \"{column}\": Arrow type {arrow} is"))),
    })
}

/// The Arrow type of a result column of this SQL type.
pub fn arrow_type(data_type: DataType) -> Arrow {
    match data_type {
        DataType::Boolean => Arrow::Boolean,
        DataType::SmallInt => Arrow::Int16,
        DataType::Integer => Arrow::Int32,
        DataType::BigInt => Arrow::Int64,
        DataType::Real => Arrow::Float32,
        DataType::Double => Arrow::Float64,
        DataType::Decimal { precision, scale } => Arrow::Decimal128(precision, scale as i8),
        DataType::Null | DataType::Text | DataType::Varchar(_) | DataType::Char(_) | DataType::Numeric => Arrow::Utf8,
        DataType::Date => Arrow::Date32,
        DataType::Time => Arrow::Time64(TimeUnit::Microsecond),
        DataType::Timestamp => Arrow::Timestamp(TimeUnit::Microsecond, None),
        DataType::Interval => Arrow::Interval(IntervalUnit::MonthDayNano),
        DataType::Nested(nested) => nested_arrow_type(nested),
        logical => logical::arrow_type_of(logical),
    }
}

/// Elements and fields may be NULL.
fn nested_arrow_type(nested: Nested) -> Arrow {
    let element = |of: &DataType| Arc::new(ArrowField::new("item", arrow_type(*of), true));
    match nested.get() {
        NestedType::List(of) => logical::list_of(arrow_type(*of), *of),
        NestedType::Enum { .. } | NestedType::ZeroBased(_) | NestedType::Row { .. } => Arrow::Utf8,
        NestedType::Vector(of, length) => Arrow::FixedSizeList(element(of), *length as i32),
        NestedType::Struct(fields) => {
            let field = |(name, of): &(String, DataType)| {
                ArrowField::new(name, arrow_type(*of), true).with_metadata(logical::metadata_of(*of))
            };
            Arrow::Struct(fields.iter().map(field).collect())
        }
    }
}

/// The Arrow schema of a result with these fields.
pub fn schema_of(fields: &[Field]) -> SchemaRef {
    let field = |field: &Field| {
        let arrow = ArrowField::new(&field.name, arrow_type(field.data_type), field.nullable);
        arrow.with_metadata(logical::metadata_of(field.data_type))
    };
    Arc::new(Schema::new(fields.iter().map(field).collect::<Vec<_>>()))
}

/// Whether the Arrow type of a column depends on its values: that of arrays.
pub fn has_lists(data_type: DataType) -> bool {
    structs::has_lists(data_type)
}

/// The Arrow schema of a result with these fields and rows; field by field the place of its column in the chunks. Arrays are
/// lists as deep as all of them are, or their texts.
pub fn schema_of_rows(fields: &[Field], chunks: &[Arc<Chunk>], places: impl Iterator<Item = usize>) -> SchemaRef {
    let schema = schema_of(fields);
    if !fields.iter().any(|field| structs::has_lists(field.data_type)) {
        return schema;
    }
    let shaped = schema.fields().iter().zip(fields).zip(places).map(|((arrow, field), place)| {
        let arrow = arrow.as_ref().clone();
        match structs::has_lists(field.data_type) {
            true => arrow.with_data_type(structs::shape(field.data_type, chunks, place)),
            false => arrow,
        }
    });
    Arc::new(Schema::new(shaped.collect::<Vec<_>>()))
}
