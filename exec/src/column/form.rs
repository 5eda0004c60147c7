//! The interface of physical column forms: name, size, slices.

use super::{Chunk, Column, ColumnData, Dictionary, Table, TextView};
use crate::Error;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::Field;
use multiloop_planner::value::Interval;
use std::collections::HashSet;
use std::sync::Arc;

/// The error of a piece that does not go with its field: whoever made the pieces should have converted it.
pub(super) fn misfit(data: &ColumnData, field: &Field) -> Error {
    Error::internal(format!("column \"{}\" of type {} is stored as {}", field.name, field.data_type, data.form()))
}

impl ColumnData {
    /// The form's name, as EXPLAIN shows it.
    pub fn form(&self) -> &'static str {
        match self {
            ColumnData::Frame8 { .. } => "frame8",
            ColumnData::Frame16 { .. } => "frame16",
            ColumnData::Frame32 { .. } => "frame32",
            ColumnData::Stepped8 { .. } => "stepped8",
            ColumnData::Stepped16 { .. } => "stepped16",
            ColumnData::Stepped32 { .. } => "stepped32",
            ColumnData::Int16(_) => "int16",
            ColumnData::Int32(_) => "int32",
            ColumnData::Int64(_) => "int64",
            ColumnData::Int128(_) => "int128",
            ColumnData::Float32(_) => "float32",
            ColumnData::Float64(_) => "float64",
            ColumnData::Vectors32 { .. } => "vectors32",
            ColumnData::Vectors64 { .. } => "vectors64",
            ColumnData::Boolean(_) => "boolean",
            ColumnData::Dictionary8 { .. } => "dictionary8",
            ColumnData::Dictionary16 { .. } => "dictionary16",
            ColumnData::Dictionary32 { .. } => "dictionary32",
            ColumnData::Text { .. } => "text",
            ColumnData::Views { .. } => "views",
            ColumnData::Interval(_) => "interval",
            ColumnData::Numerics(_) => "numerics",
        }
    }

    /// Whether it holds integer-like values.
    pub fn is_integer(&self) -> bool {
        use ColumnData::*;
        let framed = matches!(self, Frame8 { .. } | Frame16 { .. } | Frame32 { .. });
        let stepped = matches!(self, Stepped8 { .. } | Stepped16 { .. } | Stepped32 { .. });
        framed || stepped || matches!(self, Int16(_) | Int32(_) | Int64(_) | Int128(_))
    }

    /// Whether it holds strings.
    pub fn is_text(&self) -> bool {
        matches!(self, ColumnData::Text { .. } | ColumnData::Views { .. }) || self.dictionary().is_some()
    }

    /// The dictionary of a dictionary form.
    pub fn dictionary(&self) -> Option<&Arc<Dictionary>> {
        match self {
            ColumnData::Dictionary8 { dictionary, .. }
            | ColumnData::Dictionary16 { dictionary, .. }
            | ColumnData::Dictionary32 { dictionary, .. } => Some(dictionary),
            _ => None,
        }
    }

    /// The bytes of a row's string; empty for a form that holds no text. At a NULL any string.
    pub fn text_bytes(&self, row: usize) -> &[u8] {
        let (dictionary, code) = match self {
            ColumnData::Dictionary8 { codes, dictionary } => (dictionary, codes[row].into()),
            ColumnData::Dictionary16 { codes, dictionary } => (dictionary, codes[row].into()),
            ColumnData::Dictionary32 { codes, dictionary } => (dictionary, codes[row]),
            ColumnData::Text { offsets, bytes } => return &bytes[offsets[row] as usize..offsets[row + 1] as usize],
            ColumnData::Views { views, buffers } => return views[row].bytes_in(&buffers[views[row].buffer as usize]),
            _ => return b"",
        };
        dictionary.bytes_of(code)
    }

    /// Bytes of its buffers, without a dictionary's.
    fn bytes(&self) -> usize {
        match self {
            ColumnData::Frame8 { offsets, .. } => size_of_val::<[u8]>(offsets),
            ColumnData::Frame16 { offsets, .. } => size_of_val::<[u16]>(offsets),
            ColumnData::Frame32 { offsets, .. } => size_of_val::<[u32]>(offsets),
            ColumnData::Stepped8 { offsets, .. } => size_of_val::<[u8]>(offsets),
            ColumnData::Stepped16 { offsets, .. } => size_of_val::<[u16]>(offsets),
            ColumnData::Stepped32 { offsets, .. } => size_of_val::<[u32]>(offsets),
            ColumnData::Int16(values) => size_of_val::<[i16]>(values),
            ColumnData::Int32(values) => size_of_val::<[i32]>(values),
            ColumnData::Int64(values) => size_of_val::<[i64]>(values),
            ColumnData::Int128(values) => size_of_val::<[i128]>(values),
            ColumnData::Float32(values) => size_of_val::<[f32]>(values),
            ColumnData::Float64(values) => size_of_val::<[f64]>(values),
            ColumnData::Vectors32 { values, .. } => size_of_val::<[f32]>(values),
            ColumnData::Vectors64 { values, .. } => size_of_val::<[f64]>(values),
            ColumnData::Boolean(values) => values.len().div_ceil(8),
            ColumnData::Dictionary8 { codes, .. } => size_of_val::<[u8]>(codes),
            ColumnData::Dictionary16 { codes, .. } => size_of_val::<[u16]>(codes),
            ColumnData::Dictionary32 { codes, .. } => size_of_val::<[u32]>(codes),
            ColumnData::Text { offsets, .. } => {
                let used = offsets[offsets.len() - 1] - offsets[0];
                size_of_val::<[i32]>(offsets) + used as usize
            }
            ColumnData::Views { views, .. } => size_of_val::<[TextView]>(views),
            ColumnData::Interval(values) => values.len() * size_of::<Interval>(),
            ColumnData::Numerics(values) => size_of_val::<[SmallNumeric]>(values),
        }
    }
}

impl Column {
    /// Bytes of its buffers. A dictionary, which chunks share, is not counted: see [`Table::bytes`].
    pub fn bytes(&self) -> usize {
        self.data.bytes() + self.nulls.as_ref().map_or(0, |nulls| nulls.len().div_ceil(8))
    }

    /// Some of its rows, sharing its buffers (intervals, views and numerics are copied). A text slice's first offset need not be 0.
    pub fn slice(&self, start: usize, rows: usize) -> Column {
        let data = match &self.data {
            ColumnData::Frame8 { base, offsets } => {
                ColumnData::Frame8 { base: *base, offsets: offsets.slice(start, rows) }
            }
            ColumnData::Frame16 { base, offsets } => {
                ColumnData::Frame16 { base: *base, offsets: offsets.slice(start, rows) }
            }
            ColumnData::Frame32 { base, offsets } => {
                ColumnData::Frame32 { base: *base, offsets: offsets.slice(start, rows) }
            }
            ColumnData::Stepped8 { base, step, offsets } => {
                ColumnData::Stepped8 { base: *base, step: *step, offsets: offsets.slice(start, rows) }
            }
            ColumnData::Stepped16 { base, step, offsets } => {
                ColumnData::Stepped16 { base: *base, step: *step, offsets: offsets.slice(start, rows) }
            }
            ColumnData::Stepped32 { base, step, offsets } => {
                ColumnData::Stepped32 { base: *base, step: *step, offsets: offsets.slice(start, rows) }
            }
            ColumnData::Int16(values) => ColumnData::Int16(values.slice(start, rows)),
            ColumnData::Int32(values) => ColumnData::Int32(values.slice(start, rows)),
            ColumnData::Int64(values) => ColumnData::Int64(values.slice(start, rows)),
            ColumnData::Int128(values) => ColumnData::Int128(values.slice(start, rows)),
            ColumnData::Float32(values) => ColumnData::Float32(values.slice(start, rows)),
            ColumnData::Float64(values) => ColumnData::Float64(values.slice(start, rows)),
            ColumnData::Vectors32 { length, values } => {
                ColumnData::Vectors32 { length: *length, values: values.slice(start * length, rows * length) }
            }
            ColumnData::Vectors64 { length, values } => {
                ColumnData::Vectors64 { length: *length, values: values.slice(start * length, rows * length) }
            }
            ColumnData::Boolean(values) => ColumnData::Boolean(values.slice(start, rows)),
            ColumnData::Dictionary8 { codes, dictionary } => {
                ColumnData::Dictionary8 { codes: codes.slice(start, rows), dictionary: Arc::clone(dictionary) }
            }
            ColumnData::Dictionary16 { codes, dictionary } => {
                ColumnData::Dictionary16 { codes: codes.slice(start, rows), dictionary: Arc::clone(dictionary) }
            }
            ColumnData::Dictionary32 { codes, dictionary } => {
                ColumnData::Dictionary32 { codes: codes.slice(start, rows), dictionary: Arc::clone(dictionary) }
            }
            ColumnData::Text { offsets, bytes } => {
                ColumnData::Text { offsets: offsets.slice(start, rows), bytes: bytes.clone() }
            }
            ColumnData::Views { views, buffers } => {
                ColumnData::Views { views: Arc::new(views[start..start + rows].to_vec()), buffers: Arc::clone(buffers) }
            }
            ColumnData::Interval(values) => ColumnData::Interval(values[start..start + rows].into()),
            ColumnData::Numerics(values) => ColumnData::Numerics(Arc::new(values[start..start + rows].to_vec())),
        };
        let nulls = self.nulls.as_ref().map(|nulls| nulls.slice(start, rows)).filter(|nulls| nulls.null_count() > 0);
        Column::new(data, nulls)
    }
}

impl Chunk {
    /// Bytes of its columns, without dictionaries.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }
}

impl Table {
    /// Bytes of its columns and of their dictionaries, each counted once.
    pub fn bytes(&self) -> usize {
        (0..self.fields.len()).map(|column| self.column_bytes(column)).sum()
    }

    /// Bytes of one column with its dictionaries.
    pub fn column_bytes(&self, column: usize) -> usize {
        let mut seen = HashSet::new();
        let columns = self.chunks.iter().map(|chunk| &chunk.columns[column]);
        columns
            .map(|column| {
                let fresh = column.data.dictionary().filter(|dictionary| seen.insert(Arc::as_ptr(dictionary)));
                column.bytes() + fresh.map_or(0, |dictionary| dictionary.bytes())
            })
            .sum()
    }
}
