//! Structs between Arrow's form, an array for each field, and ours, a text for each value (`evaluate/structure`).
//!
//! Lists within structs are of the shape that all their values have, as columns of lists are: `shape`.

use super::export::to_array_as;
use super::{arrow_type, logical, to_column_of, type_of_values};
use crate::column::build::holds;
use crate::column::{Chunk, Column};
use crate::{Error, Result};
use ::arrow::array::{Array as _, ArrayRef, AsArray, StructArray};
use ::arrow::datatypes::{DataType as Arrow, Field as ArrowField, Fields};
use multiloop_planner::evaluate::array::Array;
use multiloop_planner::evaluate::structure::{decode, encode};
use multiloop_planner::types::{DataType, Field, STRUCT_DEPTH_MAX};
use multiloop_planner::value::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// The type of an Arrow struct; none if no struct has such fields (none at all, two of one name, a type that is unknown here):
/// it is JSON then.
pub(super) fn type_of_struct(fields: &Fields, column: &str) -> Option<DataType> {
    let mut names = HashSet::new();
    let field = |field: &Arc<ArrowField>| {
        let of = match field.data_type() {
            // What is ragged is no array.
            Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) => match item.data_type() {
                Arrow::List(_) | Arrow::LargeList(_) | Arrow::FixedSizeList(..) => return None,
                _ => type_of_values(field.data_type(), column).ok()?,
            },
            plain => type_of_values(plain, column).ok()?,
        };
        let is_new = names.insert(field.name().to_lowercase());
        (is_new && !field.name().is_empty()).then(|| (field.name().clone(), logical::marked_type(field, of)))
    };
    let fields = fields.iter().map(field).collect::<Option<Vec<_>>>()?;
    let is_deep = fields.iter().any(|(_, of)| of.depth() >= STRUCT_DEPTH_MAX);
    (!fields.is_empty() && !is_deep).then(|| DataType::structure(fields))
}

/// Whether structs of one type become those of another of as many fields, of the same names.
pub(super) fn takes(wanted: DataType, given: DataType) -> bool {
    let (Some(wanted), Some(given)) = (wanted.struct_fields(), given.struct_fields()) else { return false };
    let pairs = || wanted.iter().zip(given);
    wanted.len() == given.len()
        && pairs().all(|((name, wanted), (known, given))| name == known && holds(*wanted, *given))
}

/// An Arrow struct as a column of a type of as many fields.
pub(super) fn import(array: &ArrayRef, data_type: DataType, name: &str) -> Result<Column> {
    let fields = data_type.struct_fields().unwrap_or_default();
    let parts = array.as_struct().columns();
    if parts.len() != fields.len() {
        return Err(Error::internal(format!("column \"{name}\": an Arrow struct is no {data_type}")));
    }
    let mut columns = Vec::with_capacity(fields.len());
    for (part, (_, of)) in parts.iter().zip(fields) {
        columns.push((to_column_of(part, &Field::new(name, *of, true))?, *of));
    }
    let value = |row: usize| {
        if array.is_null(row) {
            return Value::Null;
        }
        let values: Vec<Value> = columns.iter().map(|(column, of)| stored(column.value(row, *of), *of)).collect();
        Value::text(encode(&values, fields))
    };
    let values: Vec<Value> = (0..array.len()).map(value).collect();
    Ok(Column::from_values(data_type, &values))
}

/// A value as columns store it: a char of a length without the blanks at its end.
fn stored(value: Value, of: DataType) -> Value {
    match value {
        Value::Text(text) if matches!(of, DataType::Char(_)) && of != DataType::BPCHAR => {
            Value::text(text.trim_end_matches(' '))
        }
        value => value,
    }
}

/// The fields of a column of structs as columns; NULL where the struct is.
fn parts(column: &Column, data_type: DataType) -> Result<Vec<(Column, DataType)>> {
    let fields = data_type.struct_fields().unwrap_or_default();
    let mut values: Vec<Vec<Value>> = vec![Vec::with_capacity(column.rows()); fields.len()];
    for row in 0..column.rows() {
        let text = if column.is_null(row) { None } else { column.text(row) };
        match text {
            None => values.iter_mut().for_each(|values| values.push(Value::Null)),
            Some(text) => {
                let parts = decode(text, fields).ok_or_else(|| Error::internal("no struct in its place"))?;
                values.iter_mut().zip(parts).for_each(|(values, part)| values.push(part));
            }
        }
    }
    Ok(values.iter().zip(fields).map(|(values, (_, of))| (Column::from_values(*of, values), *of)).collect())
}

/// A column of structs as an Arrow struct of these fields.
pub(super) fn export(column: &Column, data_type: DataType, fields: &Fields) -> Result<ArrayRef> {
    let mut arrays = Vec::with_capacity(fields.len());
    for ((part, of), arrow) in parts(column, data_type)?.iter().zip(fields) {
        arrays.push(to_array_as(part, &Field::new(arrow.name(), *of, true), arrow)?);
    }
    let array = StructArray::try_new(fields.clone(), arrays, column.nulls.clone());
    Ok(Arc::new(array.map_err(|error| Error::internal(error.to_string()))?))
}

/// Whether there are lists in a type whose shape their values say.
pub(super) fn has_lists(data_type: DataType) -> bool {
    let is_list = data_type.element().is_some() && !data_type.is_zero_based();
    is_list || data_type.struct_fields().unwrap_or_default().iter().any(|(_, of)| has_lists(*of))
}

/// The Arrow type of values with lists in them; `chunks` have the column at a place.
pub(super) fn shape(data_type: DataType, chunks: &[Arc<Chunk>], place: usize) -> Arrow {
    let columns: Vec<&Column> = chunks.iter().map(|chunk| &chunk.columns[place]).collect();
    shape_of(data_type, &columns)
}

fn shape_of(data_type: DataType, columns: &[&Column]) -> Arrow {
    if !has_lists(data_type) {
        return arrow_type(data_type);
    }
    if let Some(element) = data_type.element() {
        let inner = if has_lists(element) { shape_of_elements(element, columns) } else { arrow_type(element) };
        return logical::shape_of(element, inner, columns);
    }
    let fields = data_type.struct_fields().unwrap_or_default();
    let taken: Vec<_> = columns.iter().filter_map(|column| parts(column, data_type).ok()).collect();
    let field = |(place, (name, of)): (usize, &(String, DataType))| {
        let columns: Vec<&Column> = taken.iter().map(|parts| &parts[place].0).collect();
        ArrowField::new(name, shape_of(*of, &columns), true).with_metadata(logical::metadata_of(*of))
    };
    Arrow::Struct(fields.iter().enumerate().map(field).collect())
}

fn shape_of_elements(element: DataType, columns: &[&Column]) -> Arrow {
    let mut all = Vec::new();
    for column in columns {
        for row in (0..column.rows()).filter(|&row| !column.is_null(row)) {
            all.extend(column.text(row).and_then(|text| Array::decode(text, element)).unwrap_or_default().elements);
        }
    }
    shape_of(element, &[&Column::from_values(element, &all)])
}
