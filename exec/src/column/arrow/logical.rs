//! Types that another carries, between Arrow's form and their carriers': bytes and hexadecimal digits, labels and their places,
//! lists and the text of an array.
//!
//! A list says neither where subscripts begin nor how many dimensions the next value has. So what an array column looks like is
//! seen from its values (`shape_of`): lists if all have one number of dimensions, counted from 1, else the texts of arrays.

use super::export::{integers, text, to_array, too_much_text, unexpected};
use super::{lists, structs};
use crate::column::Column;
use crate::{Error, ErrorKind, Result};
use ::arrow::array::types::{Int64Type, TimestampMicrosecondType, UInt32Type};
use ::arrow::array::{
    Array as _, ArrayRef, AsArray, BinaryBuilder, FixedSizeBinaryBuilder, ListArray, NullBufferBuilder, StringArray,
    StringBuilder,
};
use ::arrow::buffer::OffsetBuffer;
use ::arrow::compute::cast;
use ::arrow::datatypes::{DataType as Arrow, Field as ArrowField};
use multiloop_planner::evaluate::array::{Array, Bound, DIMENSIONS_MAX};
use multiloop_planner::evaluate::bytes::{of_hex, to_hex};
use multiloop_planner::evaluate::{format, parse};
use multiloop_planner::types::{DataType, Field, OidKind, SystemType};
use multiloop_planner::value::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The key of a field's metadata that names an extension type, and the one of uuids.
const EXTENSION: (&str, &str) = ("ARROW:extension:name", "arrow.uuid");

/// Bytes of a uuid.
const UUID_BYTES: i32 = 16;

/// The Arrow type of a type that another carries; of arrays the one of lists.
pub(super) fn arrow_type_of(data_type: DataType) -> Arrow {
    match data_type {
        DataType::Oid(OidKind::Place) => Arrow::Int64,
        DataType::Oid(_) => Arrow::UInt32,
        DataType::Bytea => Arrow::Binary,
        DataType::Uuid => Arrow::FixedSizeBinary(UUID_BYTES),
        DataType::TimestampTz => Arrow::Timestamp(::arrow::datatypes::TimeUnit::Microsecond, Some(Arc::from("UTC"))),
        _ => Arrow::Utf8,
    }
}

/// What the metadata of a field says of its type, where the Arrow type does not tell it.
pub(super) fn metadata_of(data_type: DataType) -> HashMap<String, String> {
    let named = |name: String| Some((super::numeric::TYPE_KEY.to_owned(), name));
    let entry = match data_type {
        DataType::Numeric
        | DataType::Name
        | DataType::InternalChar
        | DataType::Json
        | DataType::Jsonb
        | DataType::TimeTz
        | DataType::Bit(_)
        | DataType::VarBit(_)
        | DataType::JsonPath
        | DataType::System(_) => named(data_type.to_string()),
        DataType::Oid(kind) => named(kind.name().to_owned()),
        // In lists and structs, where a list of a fixed size is an array else.
        vector if vector.is_vector() => named("vector".to_owned()),
        DataType::Uuid => Some((EXTENSION.0.to_owned(), EXTENSION.1.to_owned())),
        _ => None,
    };
    entry.into_iter().collect()
}

/// The type that the metadata of a field says, of one whose Arrow type has this type.
pub(super) fn marked_type(field: &ArrowField, plain: DataType) -> DataType {
    let metadata = field.metadata();
    if plain == DataType::Bytea && metadata.get(EXTENSION.0).is_some_and(|name| name == EXTENSION.1) {
        return if *field.data_type() == Arrow::FixedSizeBinary(UUID_BYTES) { DataType::Uuid } else { plain };
    }
    let Some(name) = metadata.get(super::numeric::TYPE_KEY) else { return plain };
    if name == "vector"
        && let Some(vector) = super::vectors::type_of_vectors(field.data_type())
    {
        return vector;
    }
    match (plain, name.as_str()) {
        (DataType::Text, "numeric") => DataType::Numeric,
        (DataType::Text, "name") => DataType::Name,
        (DataType::Text, "\"char\"") => DataType::InternalChar,
        (DataType::Text, "json") => DataType::Json,
        (DataType::Text, "jsonb") => DataType::Jsonb,
        (DataType::Text, "timetz") => DataType::TimeTz,
        (DataType::Text, "jsonpath") => DataType::JsonPath,
        (DataType::Text, name) => {
            DataType::bits_named(name).or(SystemType::named(name).map(DataType::System)).unwrap_or(plain)
        }
        (DataType::BigInt, name) => OidKind::named(name).map_or(plain, DataType::Oid),
        _ => plain,
    }
}

/// Whether values of a type, as an Arrow type gives them, become values of a type that another carries: each is looked at.
pub(in crate::column) fn takes(wanted: DataType, given: DataType) -> bool {
    match (wanted.element(), given.element()) {
        (Some(wanted), Some(given)) => wanted == given || takes(wanted, given) || (wanted.is_text() && given.is_text()),
        (Some(_), None) => given == DataType::Text || super::vectors::are_alike(wanted, given),
        (None, Some(_)) if wanted.is_vector() => super::vectors::are_alike(wanted, given),
        _ if wanted.struct_fields().is_some() => structs::takes(wanted, given),
        _ => match wanted {
            DataType::Json if given.struct_fields().is_some() => true,
            DataType::Oid(_) => given == DataType::BigInt,
            DataType::Name
            | DataType::InternalChar
            | DataType::Json
            | DataType::Jsonb
            | DataType::TimeTz
            | DataType::JsonPath
            | DataType::System(_) => given == DataType::Text,
            DataType::Bit(_) | DataType::VarBit(_) => given == DataType::Text || given.is_bits(),
            DataType::Uuid => matches!(given, DataType::Text | DataType::Bytea),
            DataType::Nested(_) => wanted.labels().is_some() && given == DataType::Text,
            _ => false,
        },
    }
}

/// The Arrow type of a column of arrays, as its values are; `inner` is that of elements.
pub(super) fn shape_of(element: DataType, inner: Arrow, columns: &[&Column]) -> Arrow {
    let mut dimensions = None;
    for column in columns {
        for row in (0..column.rows()).filter(|&row| !column.is_null(row)) {
            let Some(encoded) = column.text(row) else { continue };
            let Some((count, counts_from_one)) = Array::shape(encoded) else { continue };
            if !counts_from_one || *dimensions.get_or_insert(count) != count {
                return Arrow::Utf8;
            }
        }
    }
    (0..dimensions.unwrap_or(1)).fold(inner, |of, _| list_of(of, element))
}

/// A list of an Arrow type, in which values of an SQL type are at last.
pub(super) fn list_of(of: Arrow, element: DataType) -> Arrow {
    let mut item = ArrowField::new("item", of, true);
    if !matches!(item.data_type(), Arrow::List(_)) {
        item = item.with_metadata(metadata_of(element));
    }
    Arrow::List(Arc::new(item))
}

/// A column of a type that another carries, as an array of this Arrow type.
pub(super) fn export(column: &Column, data_type: DataType, arrow: &Arrow) -> Result<ArrayRef> {
    if let Some(element) = data_type.element() {
        return match arrow {
            Arrow::List(item) => lists_of(column, element, item),
            _ => shown(column, data_type),
        };
    }
    if data_type.struct_fields().is_some() {
        return match arrow {
            Arrow::Struct(fields) => structs::export(column, data_type, fields),
            _ => shown(column, data_type),
        };
    }
    Ok(match data_type {
        DataType::Oid(OidKind::Place) => Arc::new(integers::<Int64Type>(column, data_type)?),
        DataType::Oid(_) => Arc::new(integers::<UInt32Type>(column, data_type)?),
        DataType::TimestampTz => {
            Arc::new(integers::<TimestampMicrosecondType>(column, data_type)?.with_timezone("UTC"))
        }
        DataType::Bytea => {
            let mut builder = BinaryBuilder::with_capacity(column.rows(), 0);
            for row in 0..column.rows() {
                builder.append_option(bytes(column, row, data_type)?);
            }
            Arc::new(builder.finish())
        }
        DataType::Uuid => {
            let mut builder = FixedSizeBinaryBuilder::with_capacity(column.rows(), UUID_BYTES);
            for row in 0..column.rows() {
                match bytes(column, row, data_type)? {
                    Some(bytes) => builder.append_value(bytes).map_err(internal)?,
                    None => builder.append_null(),
                }
            }
            Arc::new(builder.finish())
        }
        DataType::Nested(_) | DataType::TimeTz => shown(column, data_type)?,
        _ => text(column, data_type, 0)?,
    })
}

pub(super) fn internal(error: impl std::fmt::Display) -> Error {
    Error::internal(error.to_string())
}

/// The bytes of a row's digits; hyphens are left out.
fn bytes(column: &Column, row: usize, data_type: DataType) -> Result<Option<Vec<u8>>> {
    if column.is_null(row) {
        return Ok(None);
    }
    let digits = column.text(row).ok_or_else(|| unexpected(&column.data, data_type))?;
    let bytes = if data_type == DataType::Uuid { of_hex(&digits.replace('-', "")) } else { of_hex(digits) };
    bytes.map(Some).ok_or_else(|| internal(format!("\"{digits}\" are no digits of bytes")))
}

/// The texts of values.
fn shown(column: &Column, data_type: DataType) -> Result<ArrayRef> {
    let mut total = 0;
    let mut builder = StringBuilder::new();
    for row in 0..column.rows() {
        if column.is_null(row) {
            builder.append_null();
            continue;
        }
        let shown = format(&column.value(row, data_type), data_type);
        total += shown.len();
        if total > i32::MAX as usize {
            return Err(too_much_text());
        }
        builder.append_value(shown);
    }
    Ok(Arc::new(builder.finish()))
}

/// Arrays of one number of dimensions as lists, within each other where there are several.
fn lists_of(column: &Column, element: DataType, item: &Arc<ArrowField>) -> Result<ArrayRef> {
    let mut depth = 1;
    let mut inner = item;
    while let Arrow::List(within) = inner.data_type() {
        (depth, inner) = (depth + 1, within);
    }
    if depth == 1
        && let Some((elements, lengths)) = lists::elements(column, element)?
    {
        i32::try_from(elements.rows()).map_err(|_| too_much_text())?;
        let (offsets, values) = (OffsetBuffer::from_lengths(lengths), to_array(&elements, element)?);
        let list = ListArray::try_new(Arc::clone(item), offsets, values, column.nulls.clone()).map_err(internal)?;
        return Ok(Arc::new(list));
    }
    let mut ends: Vec<Vec<usize>> = vec![vec![0]; depth];
    let mut valid = NullBufferBuilder::new(column.rows());
    let mut elements = Vec::new();
    for row in 0..column.rows() {
        valid.append(!column.is_null(row));
        // The code at a NULL may be of no string.
        let encoded = if column.is_null(row) { None } else { column.text(row) };
        let array = match encoded {
            Some(encoded) => Array::decode(encoded, element).ok_or_else(|| internal("no array in its place"))?,
            None => Array::default(),
        };
        // How many lists there are of each depth: the row's own is one, and holds as many as the first dimension is long.
        let mut lists = 1;
        for (level, ends) in ends.iter_mut().enumerate() {
            let length = array.bounds.get(level).map_or(0, |bound| bound.length);
            for _ in 0..lists {
                ends.push(ends.last().copied().unwrap_or(0) + length);
            }
            lists *= length;
        }
        elements.extend(array.elements);
    }
    let values = Column::from_values(element, &elements);
    let mut array = match inner.data_type() {
        of @ Arrow::Struct(_) => export(&values, element, of)?,
        _ => to_array(&values, element)?,
    };
    let mut field = Arc::clone(inner);
    for (level, ends) in ends.into_iter().enumerate().rev() {
        let ends = ends.into_iter().map(i32::try_from).collect::<std::result::Result<Vec<i32>, _>>();
        let offsets = OffsetBuffer::new(ends.map_err(|_| too_much_text())?.into());
        let nulls = if level == 0 { valid.finish() } else { None };
        let list = ListArray::try_new(field, offsets, array, nulls).map_err(internal)?;
        field = Arc::new(ArrowField::new("item", list.data_type().clone(), true));
        array = Arc::new(list);
    }
    Ok(array)
}

/// An array of Arrow as a column of a type that another carries; none where it is stored as it is.
pub(super) fn import(array: &ArrayRef, field: &Field) -> Result<Option<Column>> {
    let data_type = field.data_type;
    if let Some(element) = data_type.element() {
        return Ok(Some(match array.data_type() {
            Arrow::List(_) | Arrow::LargeList(_) | Arrow::FixedSizeList(..) => of_lists(array, element, &field.name)?,
            _ => of_texts(array, data_type)?,
        }));
    }
    Ok(match (data_type, array.data_type()) {
        (of, Arrow::Struct(_)) if of.struct_fields().is_some() => Some(structs::import(array, of, &field.name)?),
        (_, Arrow::Struct(_) | Arrow::Map(..)) => Some(super::json::column(array, &field.name)?),
        (DataType::Bytea | DataType::Uuid, Arrow::Binary | Arrow::LargeBinary | Arrow::BinaryView) => {
            let plain = cast(array, &Arrow::Binary).map_err(internal)?;
            let plain = plain.as_binary::<i32>();
            Some(of_bytes((0..plain.len()).map(|row| plain.is_valid(row).then(|| plain.value(row))), data_type)?)
        }
        (DataType::Bytea | DataType::Uuid, Arrow::FixedSizeBinary(_)) => {
            let plain = array.as_fixed_size_binary();
            Some(of_bytes((0..plain.len()).map(|row| plain.is_valid(row).then(|| plain.value(row))), data_type)?)
        }
        (DataType::Oid(_) | DataType::TimestampTz, _) => None,
        (logical, Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View | Arrow::Dictionary(..)) if logical.is_logical() => {
            Some(of_texts(array, logical)?)
        }
        _ => None,
    })
}

fn of_bytes<'a>(all: impl Iterator<Item = Option<&'a [u8]>>, data_type: DataType) -> Result<Column> {
    let value = |bytes: Option<&[u8]>| match bytes {
        None => Ok(Value::Null),
        Some(bytes) if data_type == DataType::Uuid => parse(&to_hex(bytes), data_type),
        Some(bytes) => Ok(Value::text(to_hex(bytes))),
    };
    Ok(Column::from_values(data_type, &all.map(value).collect::<Result<Vec<_>>>()?))
}

/// Texts, each of which is read as a value of the type.
fn of_texts(array: &ArrayRef, data_type: DataType) -> Result<Column> {
    let texts = cast(array, &Arrow::Utf8).map_err(internal)?;
    let texts: &StringArray = texts.as_string();
    let value = |text: Option<&str>| text.map_or(Ok(Value::Null), |text| parse(text, data_type));
    Ok(Column::from_values(data_type, &texts.iter().map(value).collect::<Result<Vec<_>>>()?))
}

/// Lists as arrays; those within each other have to be of one length.
fn of_lists(array: &ArrayRef, element: DataType, name: &str) -> Result<Column> {
    if let Some(column) = lists::arrays(array, element, name)? {
        return Ok(column);
    }
    let values = (0..array.len()).map(|row| {
        if array.is_null(row) {
            return Ok(Value::Null);
        }
        let mut bounds = Vec::new();
        let elements = elements_of(&array.slice(row, 1), element, name, 0, &mut bounds)?;
        let bounds = if elements.is_empty() { Vec::new() } else { bounds };
        Ok(Value::text(Array { bounds, elements }.encode(element)))
    });
    let values = values.collect::<Result<Vec<_>>>()?;
    Ok(Column::from_values(DataType::list(element), &values))
}

/// The elements of the lists of an array, which are those of one dimension.
fn elements_of(
    lists: &ArrayRef,
    element: DataType,
    name: &str,
    level: usize,
    bounds: &mut Vec<Bound>,
) -> Result<Vec<Value>> {
    let item = match lists.data_type() {
        Arrow::FixedSizeList(..) if element.is_vector() => {
            let column = super::to_column_of(lists, &Field::new(name, element, true))?;
            return Ok((0..column.rows()).map(|row| column.value(row, element)).collect());
        }
        Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) => Arc::clone(item),
        _ => {
            let field = Field::new(name, element, true);
            let column = super::to_column_of(lists, &field)?;
            return Ok((0..column.rows()).map(|row| column.value(row, element)).collect());
        }
    };
    let plain = cast(lists, &Arrow::List(Arc::clone(&item))).map_err(internal)?;
    let plain = plain.as_list::<i32>();
    let mut all = Vec::new();
    for row in 0..plain.len() {
        let length = if plain.is_null(row) { 0 } else { plain.value(row).len() };
        if level == bounds.len() {
            bounds.push(Bound { lower: 1, length });
        }
        if level >= DIMENSIONS_MAX {
            let message = format!(
                "column \"{name}\": number of array dimensions exceeds the maximum allowed ({DIMENSIONS_MAX}): lists lie deeper \
                 within each other"
            );
            return Err(Error::new(ErrorKind::ArraySubscript, message));
        }
        if plain.is_null(row) && level > 0 {
            let message = format!("column \"{name}\": a list within a list is NULL, which no part of an array is");
            return Err(Error::new(ErrorKind::ArraySubscript, message));
        }
        if bounds[level].length != length {
            let message = format!("column \"{name}\": lists within a list are not of one length, as an array's are");
            return Err(Error::new(ErrorKind::ArraySubscript, message));
        }
        if length > 0 {
            all.extend(elements_of(&plain.value(row), element, name, level + 1, bounds)?);
        }
    }
    Ok(all)
}

/// Whether a column of this Arrow type is read as one of a type that another carries, and which; see `type_of`.
pub(super) fn type_of_list(item: &ArrowField, column: &str) -> Result<DataType> {
    let element = marked_type(item, super::type_of_values(item.data_type(), column)?);
    Ok(if element.element().is_some() { element } else { DataType::list(element) })
}
