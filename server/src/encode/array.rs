//! Arrays: braces and commas as PostgreSQL writes them, or dimensions, bounds and elements with their lengths. Elements are
//! written as a column of their own is.
//!
//! A column of arrays comes as lists within lists, if all its values have one number of dimensions and count from 1, else as
//! the texts of arrays, which are read.

use super::{Cells, cells, downcast};
use crate::fault::{Fault, Result};
use crate::types::wire_type_in;
use crate::wire::Format;
use multiloop::arrow::array::{Array as _, ArrayRef, ListArray, StringArray};
use multiloop::arrow::datatypes::DataType as Arrow;
use multiloop::format::{Array, Bound, array_of, value_of};
use multiloop::{DataType, Sight, Value};

struct Arrays {
    rows: Rows,
    /// The elements of all rows.
    elements: Box<dyn Cells>,
    format: Format,
    /// The OID of the elements.
    oid: u32,
}

enum Rows {
    /// Lists, the outermost first.
    Lists(Vec<ListArray>),
    /// What each value looks like; none of NULL.
    Texts(Vec<Option<Shape>>),
}

/// Dimensions of an array, and where its elements begin.
struct Shape {
    bounds: Vec<Bound>,
    first: usize,
}

/// The values of an array of arrays.
pub(super) fn arrays(array: &ArrayRef, data_type: DataType, format: Format, sight: &Sight) -> Result<Box<dyn Cells>> {
    let element = data_type.element().unwrap_or(DataType::Text);
    let (rows, elements) = match array.data_type() {
        Arrow::List(_) => {
            let mut lists = vec![downcast::<ListArray>(array, data_type)?];
            let mut elements = ArrayRef::clone(lists[0].values());
            while let Arrow::List(_) = elements.data_type() {
                let inner = downcast::<ListArray>(&elements, data_type)?;
                elements = ArrayRef::clone(inner.values());
                lists.push(inner);
            }
            (Rows::Lists(lists), elements)
        }
        _ => read(&downcast::<StringArray>(array, data_type)?, data_type, element)?,
    };
    let elements = cells(&elements, element, format, sight)?;
    Ok(Box::new(Arrays { rows, elements, format, oid: wire_type_in(element, sight).oid }))
}

/// Texts of arrays, which are in nobody's sight.
fn read(texts: &StringArray, data_type: DataType, element: DataType) -> Result<(Rows, ArrayRef)> {
    let mut elements = Vec::new();
    let mut shape = |text: Option<&str>| -> multiloop::Result<Option<Shape>> {
        let Some(text) = text else { return Ok(None) };
        let Value::Text(encoded) = value_of(text, data_type)? else { return Ok(None) };
        let array = Array::decode(&encoded, element).unwrap_or_default();
        let first = elements.len();
        elements.extend(array.elements);
        Ok(Some(Shape { bounds: array.bounds, first }))
    };
    let told = |error: multiloop::Error| Fault::of(&error, "", 0);
    let shapes = texts.iter().map(&mut shape).collect::<multiloop::Result<_>>().map_err(told)?;
    Ok((Rows::Texts(shapes), array_of(&elements, element).map_err(told)?))
}

impl Rows {
    fn is_null(&self, row: usize) -> bool {
        match self {
            Rows::Lists(lists) => lists[0].is_null(row),
            Rows::Texts(shapes) => shapes[row].is_none(),
        }
    }

    /// What the value of a row looks like; none of NULL.
    fn shape(&self, row: usize) -> Option<Shape> {
        match self {
            Rows::Texts(shapes) => {
                shapes[row].as_ref().map(|Shape { bounds, first }| Shape { bounds: bounds.clone(), first: *first })
            }
            Rows::Lists(lists) => {
                let mut bounds = Vec::with_capacity(lists.len());
                // Lists of one depth that belong to a row are next to each other, and equally long.
                let mut at = row;
                for list in lists {
                    let offsets = list.value_offsets();
                    let (start, end) = (offsets[at] as usize, offsets[at + 1] as usize);
                    if start == end {
                        return Some(Shape { bounds: Vec::new(), first: start });
                    }
                    bounds.push(Bound { lower: 1, length: end - start });
                    at = start;
                }
                Some(Shape { bounds, first: at })
            }
        }
    }
}

impl Cells for Arrays {
    fn is_null(&self, row: usize) -> bool {
        self.rows.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Vec<u8>) {
        let Some(shape) = self.rows.shape(row) else { return };
        match self.format {
            Format::Text => self.put_text(&shape, out),
            Format::Binary => self.put_binary(&shape, out),
        }
    }
}

impl Shape {
    fn count(&self) -> usize {
        if self.bounds.is_empty() { 0 } else { self.bounds.iter().map(|bound| bound.length).product() }
    }
}

impl Arrays {
    fn put_binary(&self, shape: &Shape, out: &mut Vec<u8>) {
        let elements = shape.first..shape.first + shape.count();
        let has_nulls = elements.clone().any(|element| self.elements.is_null(element));
        out.extend_from_slice(&(shape.bounds.len() as i32).to_be_bytes());
        out.extend_from_slice(&i32::from(has_nulls).to_be_bytes());
        out.extend_from_slice(&self.oid.to_be_bytes());
        for bound in &shape.bounds {
            out.extend_from_slice(&(bound.length as i32).to_be_bytes());
            out.extend_from_slice(&bound.lower.to_be_bytes());
        }
        elements.for_each(|element| self.elements.field(element, out));
    }

    fn put_text(&self, shape: &Shape, out: &mut Vec<u8>) {
        // Bounds are shown if one does not begin at 1.
        if shape.bounds.iter().any(|bound| bound.lower != 1) {
            for bound in &shape.bounds {
                out.extend_from_slice(format!("[{}:{}]", bound.lower, bound.upper()).as_bytes());
            }
            out.push(b'=');
        }
        if shape.bounds.is_empty() {
            return out.extend_from_slice(b"{}");
        }
        self.put_level(&shape.bounds, &mut { shape.first }, out);
    }

    fn put_level(&self, bounds: &[Bound], next: &mut usize, out: &mut Vec<u8>) {
        let Some((bound, inner)) = bounds.split_first() else {
            self.put_element(*next, out);
            *next += 1;
            return;
        };
        for at in 0..bound.length {
            out.push(if at == 0 { b'{' } else { b',' });
            self.put_level(inner, next, out);
        }
        out.push(b'}');
    }

    /// An element, in quotes if it would be read as something else.
    fn put_element(&self, element: usize, out: &mut Vec<u8>) {
        if self.elements.is_null(element) {
            return out.extend_from_slice(b"NULL");
        }
        let start = out.len();
        self.elements.value(element, out);
        let written = &out[start..];
        let special = |byte: &u8| matches!(byte, b'"' | b'\\' | b'{' | b'}' | b',' | b' ' | b'\t'..=b'\r');
        if !written.is_empty() && !written.eq_ignore_ascii_case(b"null") && !written.iter().any(special) {
            return;
        }
        let written = out.split_off(start);
        out.push(b'"');
        for byte in written {
            if matches!(byte, b'"' | b'\\') {
                out.push(b'\\');
            }
            out.push(byte);
        }
        out.push(b'"');
    }
}
