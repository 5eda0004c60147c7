//! Arrow's structs and maps as JSON: an object of their fields in order, or of a map's entries.
//!
//! Lists in them are arrays of JSON, of any shape; scalars are what `to_json` makes of them.

use super::{to_column_of, type_of};
use crate::column::{Column, ColumnData};
use crate::{Error, Result};
use ::arrow::array::{Array as _, ArrayRef, AsArray};
use ::arrow::buffer::OffsetBuffer;
use ::arrow::compute::cast;
use ::arrow::datatypes::DataType as Arrow;
use multiloop_planner::evaluate::{UTC, append_json, append_json_text};
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// An array taken apart: how each of its rows is written.
enum Written {
    Scalars(Column, DataType),
    Struct(ArrayRef, Vec<(String, Written)>),
    /// Where the elements of each row end, and these.
    List(ArrayRef, Vec<usize>, Box<Written>),
    /// The same of keys and values.
    Map(ArrayRef, Vec<usize>, Box<Written>, Box<Written>),
}

/// An error (0A000) if there is something in a struct that is no JSON.
pub(super) fn check(arrow: &Arrow, column: &str) -> Result<()> {
    match arrow {
        Arrow::Struct(fields) => fields.iter().try_for_each(|field| check(field.data_type(), column)),
        Arrow::Map(entries, _) => match entries.data_type() {
            Arrow::Struct(fields) if fields.len() == 2 => {
                fields.iter().try_for_each(|field| check(field.data_type(), column))
            }
            _ => Err(Error::internal("a map whose entries are no pairs")),
        },
        Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) => check(item.data_type(), column),
        scalar => type_of(scalar, column).map(drop),
    }
}

/// A column of JSON.
pub(super) fn column(array: &ArrayRef, name: &str) -> Result<Column> {
    let written = Written::of(array, name)?;
    let (mut text, mut ends) = (String::new(), vec![0]);
    for row in 0..array.len() {
        if array.is_valid(row) {
            written.append(row, &mut text);
        }
        ends.push(i32::try_from(text.len()).map_err(|_| super::too_much_text(name))?);
    }
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let data = ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: text.into_bytes().into() };
    Ok(Column::new(data, nulls))
}

impl Written {
    fn of(array: &ArrayRef, name: &str) -> Result<Written> {
        let internal = |error: ::arrow::error::ArrowError| Error::internal(error.to_string());
        Ok(match array.data_type() {
            Arrow::Struct(fields) => {
                let columns = fields.iter().zip(array.as_struct().columns());
                let member = |(field, column): (&Arc<::arrow::datatypes::Field>, &ArrayRef)| {
                    Ok((field.name().clone(), Written::of(column, name)?))
                };
                Written::Struct(Arc::clone(array), columns.map(member).collect::<Result<_>>()?)
            }
            Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) => {
                let plain = cast(array, &Arrow::LargeList(Arc::clone(item))).map_err(internal)?;
                let list = plain.as_list::<i64>();
                let ends = list.offsets().iter().map(|&end| end as usize).collect();
                let elements = Written::of(list.values(), name)?;
                Written::List(Arc::clone(&plain), ends, Box::new(elements))
            }
            Arrow::Map(..) => {
                let map = array.as_map();
                let ends = map.offsets().iter().map(|&end| end as usize).collect();
                let (keys, values) = (Written::of(map.keys(), name)?, Written::of(map.values(), name)?);
                Written::Map(Arc::clone(array), ends, Box::new(keys), Box::new(values))
            }
            scalar => {
                let data_type = type_of(scalar, name)?;
                Written::Scalars(to_column_of(array, &Field::new(name, data_type, true))?, data_type)
            }
        })
    }

    fn append(&self, row: usize, out: &mut String) {
        match self {
            Written::Scalars(column, _) if column.is_null(row) => out.push_str("null"),
            Written::Scalars(column, data_type) => append_json(&column.value(row, *data_type), *data_type, UTC, out),
            Written::Struct(array, _) | Written::List(array, ..) | Written::Map(array, ..) if array.is_null(row) => {
                out.push_str("null");
            }
            Written::Struct(_, members) => {
                out.push('{');
                for (at, (name, member)) in members.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    append_json_text(name, out);
                    out.push(':');
                    member.append(row, out);
                }
                out.push('}');
            }
            Written::List(_, ends, elements) => {
                out.push('[');
                for (at, element) in (ends[row]..ends[row + 1]).enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    elements.append(element, out);
                }
                out.push(']');
            }
            Written::Map(_, ends, keys, values) => {
                out.push('{');
                for (at, entry) in (ends[row]..ends[row + 1]).enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    let mut key = String::new();
                    keys.append(entry, &mut key);
                    // A key is a text, whatever it is of.
                    if key.starts_with('"') {
                        out.push_str(&key)
                    } else {
                        append_json_text(&key, out)
                    }
                    out.push(':');
                    values.append(entry, out);
                }
                out.push('}');
            }
        }
    }
}
