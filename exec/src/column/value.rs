//! Columns as SQL values, one at a time: for the interpreter, for statistics and for tests. Loops that must be quick
//! read the physical forms instead.

use super::{Chunk, Chunks, Column, ColumnData, Table};
use ::arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use multiloop_planner::catalog::{ColumnStatistics, TableStatistics};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

impl Column {
    /// How many rows.
    pub fn rows(&self) -> usize {
        match &self.data {
            ColumnData::Frame8 { offsets, .. } => offsets.len(),
            ColumnData::Frame16 { offsets, .. } => offsets.len(),
            ColumnData::Frame32 { offsets, .. } => offsets.len(),
            ColumnData::Stepped8 { offsets, .. } => offsets.len(),
            ColumnData::Stepped16 { offsets, .. } => offsets.len(),
            ColumnData::Stepped32 { offsets, .. } => offsets.len(),
            ColumnData::Int16(values) => values.len(),
            ColumnData::Int32(values) => values.len(),
            ColumnData::Int64(values) => values.len(),
            ColumnData::Int128(values) => values.len(),
            ColumnData::Float32(values) => values.len(),
            ColumnData::Float64(values) => values.len(),
            ColumnData::Vectors32 { length, values } => values.len() / length,
            ColumnData::Vectors64 { length, values } => values.len() / length,
            ColumnData::Boolean(values) => values.len(),
            ColumnData::Dictionary8 { codes, .. } => codes.len(),
            ColumnData::Dictionary16 { codes, .. } => codes.len(),
            ColumnData::Dictionary32 { codes, .. } => codes.len(),
            ColumnData::Text { offsets, .. } => offsets.len() - 1,
            ColumnData::Views { views, .. } => views.len(),
            ColumnData::Interval(values) => values.len(),
            ColumnData::Numerics(values) => values.len(),
        }
    }

    /// Whether a row is NULL.
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// How many rows are NULL.
    pub fn null_count(&self) -> usize {
        self.nulls.as_ref().map_or(0, NullBuffer::null_count)
    }

    /// The integer of a row in an integer-like form, whatever its width; None for other forms. Does not look at NULL.
    pub fn integer(&self, row: usize) -> Option<i128> {
        let stepped = |base: i64, step: i64, offset: u32| i128::from(base) + i128::from(step) * i128::from(offset);
        Some(match &self.data {
            ColumnData::Frame8 { base, offsets } => i128::from(*base) + i128::from(offsets[row]),
            ColumnData::Frame16 { base, offsets } => i128::from(*base) + i128::from(offsets[row]),
            ColumnData::Frame32 { base, offsets } => i128::from(*base) + i128::from(offsets[row]),
            ColumnData::Stepped8 { base, step, offsets } => stepped(*base, *step, offsets[row].into()),
            ColumnData::Stepped16 { base, step, offsets } => stepped(*base, *step, offsets[row].into()),
            ColumnData::Stepped32 { base, step, offsets } => stepped(*base, *step, offsets[row]),
            ColumnData::Int16(values) => values[row].into(),
            ColumnData::Int32(values) => values[row].into(),
            ColumnData::Int64(values) => values[row].into(),
            ColumnData::Int128(values) => values[row],
            _ => return None,
        })
    }

    /// The string of a row in a text form; None for other forms. Does not look at NULL.
    pub fn text(&self, row: usize) -> Option<&str> {
        Some(match &self.data {
            ColumnData::Dictionary8 { codes, dictionary } => dictionary.get(codes[row].into()),
            ColumnData::Dictionary16 { codes, dictionary } => dictionary.get(codes[row].into()),
            ColumnData::Dictionary32 { codes, dictionary } => dictionary.get(codes[row]),
            ColumnData::Text { offsets, bytes } => {
                let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
                std::str::from_utf8(&bytes[start..end]).expect("text columns are valid UTF-8")
            }
            ColumnData::Views { .. } => {
                std::str::from_utf8(self.data.text_bytes(row)).expect("text columns are valid UTF-8")
            }
            _ => return None,
        })
    }

    /// The value of a row; `data_type` is the field's.
    ///
    /// # Panics
    /// If the form cannot hold that type, or a number does not fit it: both are bugs.
    pub fn value(&self, row: usize, data_type: DataType) -> Value {
        if data_type == DataType::Null || self.is_null(row) {
            return Value::Null;
        }
        match &self.data {
            ColumnData::Float32(values) => Value::Float(values[row].into()),
            ColumnData::Float64(values) => Value::Float(values[row]),
            ColumnData::Vectors32 { length, values } => {
                Value::Vector(values[row * length..][..*length].iter().map(|&element| element.into()).collect())
            }
            ColumnData::Vectors64 { length, values } => Value::vector(&values[row * length..][..*length]),
            ColumnData::Boolean(values) => Value::Boolean(values.value(row)),
            ColumnData::Interval(values) => Value::Interval(values[row]),
            ColumnData::Numerics(values) => Value::numeric(values[row].into()),
            _ => match self.integer(row) {
                Some(value) if data_type.is_decimal() => Value::Decimal(value),
                Some(value) => Value::Int(i64::try_from(value).expect("only decimals exceed 64 bits")),
                None => text_value(self.text(row).expect("every other form is text"), data_type),
            },
        }
    }

    /// The values as a column in the plain (widest) form of their type, or of the one that carries it.
    ///
    /// # Panics
    /// If a value is not of that type.
    pub fn from_values<'a>(data_type: DataType, values: impl IntoIterator<Item = &'a Value>) -> Self {
        let values: Vec<&Value> = values.into_iter().collect();
        assert!(values.iter().all(|value| value.fits(data_type)), "values of type {data_type}");
        let valid: NullBuffer = values.iter().map(|value| !value.is_null()).collect();
        let nulls = (valid.null_count() > 0).then_some(valid);
        let integers = || values.iter().map(|value| if let Value::Int(value) = value { *value } else { 0 });
        let floats = || values.iter().map(|value| if let Value::Float(value) = value { *value } else { 0.0 });
        let data = match data_type.carrier() {
            DataType::Nested(_) if let Some((of, length)) = data_type.vector_of() => {
                plain_vectors(of, length as usize, &values)
            }
            DataType::Null => ColumnData::Boolean(BooleanBuffer::new_unset(values.len())),
            DataType::Boolean => ColumnData::Boolean(values.iter().map(|value| value.is_true()).collect()),
            DataType::SmallInt
            | DataType::Integer
            | DataType::BigInt
            | DataType::Date
            | DataType::Time
            | DataType::Timestamp => ColumnData::Int64(integers().collect()),
            DataType::Decimal { .. } => ColumnData::Int128(
                values.iter().map(|value| if let Value::Decimal(value) = value { *value } else { 0 }).collect(),
            ),
            DataType::Real => ColumnData::Float32(floats().map(|float| float as f32).collect()),
            DataType::Double => ColumnData::Float64(floats().collect()),
            DataType::Text | DataType::Varchar(_) | DataType::Char(_) | DataType::Numeric => plain_text(&values),
            DataType::Interval => {
                let interval =
                    |value: &&Value| if let Value::Interval(value) = value { *value } else { Interval::default() };
                ColumnData::Interval(values.iter().map(interval).collect())
            }
            other => unreachable!("{other} carries no type"),
        };
        Column::new(data, nulls)
    }
}

/// The value that a text stands for where values of this type are.
///
/// # Panics
/// If a numeric's text is no number: a bug.
pub(crate) fn text_value(text: &str, data_type: DataType) -> Value {
    if data_type == DataType::Numeric {
        return Value::numeric(Numeric::decode(text).expect("numbers are stored as their texts"));
    }
    Value::text(text)
}

fn plain_vectors(of: DataType, length: usize, values: &[&Value]) -> ColumnData {
    // Nothing but NULLs, as of a column that a file lacks: zeros that nobody writes, which take no memory until they are read.
    if values.iter().all(|value| value.is_null()) {
        let elements = values.len() * length;
        return match of {
            DataType::Real => ColumnData::Vectors32 { length, values: vec![0.0; elements].into() },
            _ => ColumnData::Vectors64 { length, values: vec![0.0; elements].into() },
        };
    }
    let zeros: Arc<[f64]> = vec![0.0; length].into();
    let elements =
        || values.iter().flat_map(|value| if let Value::Vector(elements) = value { &elements[..] } else { &zeros[..] });
    match of {
        DataType::Real => ColumnData::Vectors32 { length, values: elements().map(|&element| element as f32).collect() },
        _ => ColumnData::Vectors64 { length, values: elements().copied().collect() },
    }
}

fn plain_text(values: &[&Value]) -> ColumnData {
    let text = |value: &&Value| match value {
        Value::Text(text) => Arc::clone(text),
        Value::Numeric(number) => Arc::from(number.encode()),
        _ => Arc::from(""),
    };
    let texts: Vec<Arc<str>> = values.iter().map(text).collect();
    let offsets = OffsetBuffer::from_lengths(texts.iter().map(|text| text.len()));
    let bytes: Vec<u8> = texts.iter().flat_map(|text| text.bytes()).collect();
    ColumnData::Text { offsets, bytes: Buffer::from_vec(bytes) }
}

impl Table {
    /// A table of no rows.
    pub fn empty(fields: Vec<Field>) -> Self {
        let columns = vec![ColumnStatistics::default(); fields.len()];
        Table {
            fields,
            chunks: Chunks::default(),
            statistics: Arc::new(TableStatistics { rows: 0, columns, ..TableStatistics::default() }),
        }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.chunks.rows()
    }

    /// A table of these rows, each with one value a field.
    ///
    /// # Panics
    /// If a row is of the wrong length or a value of the wrong type.
    pub fn from_values(fields: Vec<Field>, rows: &[Vec<Value>]) -> Self {
        assert!(rows.iter().all(|row| row.len() == fields.len()), "every row has {} values", fields.len());
        let mut table = Table::empty(fields);
        let chunk = |rows: &[Vec<Value>]| {
            let column = |(index, field): (usize, &Field)| {
                Column::from_values(field.data_type, rows.iter().map(move |row| &row[index]))
            };
            let columns = table.fields.iter().enumerate().map(column).collect();
            Arc::new(Chunk::new(rows.len(), columns))
        };
        table.chunks = rows.chunks(super::CHUNK_ROWS).map(chunk).collect();
        table.measured(None)
    }

    /// All rows as values, in order: for tests and for small results.
    pub fn values(&self) -> Vec<Vec<Value>> {
        let row = |chunk: &Chunk, row: usize| {
            let fields = chunk.columns.iter().zip(&self.fields);
            fields.map(|(column, field)| column.value(row, field.data_type)).collect()
        };
        self.chunks.iter().flat_map(|chunk| (0..chunk.rows).map(move |index| row(chunk, index))).collect()
    }
}
