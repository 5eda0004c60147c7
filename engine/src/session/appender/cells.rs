//! The buffer of one column: values in the plain form of their type, without a box around any.

use crate::{DataType, Error, ErrorKind, Interval, Result, Value};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use multiloop_exec::column::{Column, ColumnData};

/// Values of a column, which grow.
#[derive(Debug)]
pub(super) struct Cells {
    data: Data,
    /// Whether each row has a value; empty while all have.
    valid: Vec<bool>,
    rows: usize,
}

/// The forms of types' carriers, as [`Column::from_values`] has them.
#[derive(Debug)]
enum Data {
    Boolean(Vec<bool>),
    Int(Vec<i64>),
    Wide(Vec<i128>),
    Real(Vec<f32>),
    Double(Vec<f64>),
    /// Where each text ends, and all of them.
    Text(Vec<i32>, Vec<u8>),
    Interval(Vec<Interval>),
    /// Elements a row, and those of all rows.
    Vectors32(usize, Vec<f32>),
    Vectors64(usize, Vec<f64>),
}

impl Cells {
    pub(super) fn new(data_type: DataType) -> Self {
        let data = match data_type.carrier() {
            DataType::Nested(_) if let Some((of, length)) = data_type.vector_of() => match of {
                DataType::Real => Data::Vectors32(length as usize, Vec::new()),
                _ => Data::Vectors64(length as usize, Vec::new()),
            },
            DataType::Null | DataType::Nested(_) | DataType::Boolean => Data::Boolean(Vec::new()),
            DataType::Decimal { .. } => Data::Wide(Vec::new()),
            DataType::Real => Data::Real(Vec::new()),
            DataType::Double => Data::Double(Vec::new()),
            DataType::Interval => Data::Interval(Vec::new()),
            other if other.is_text() || other == DataType::Numeric => Data::Text(Vec::new(), Vec::new()),
            _ => Data::Int(Vec::new()),
        };
        Cells { data, valid: Vec::new(), rows: 0 }
    }

    /// Whether they are texts.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.data, Data::Text(..))
    }

    /// Bytes of a row without its text: the value, and whether it is one.
    pub(super) fn row_bytes(&self) -> usize {
        let value = match &self.data {
            Data::Boolean(_) => size_of::<bool>(),
            Data::Int(_) => size_of::<i64>(),
            Data::Wide(_) => size_of::<i128>(),
            Data::Real(_) => size_of::<f32>(),
            Data::Double(_) => size_of::<f64>(),
            // One more than there are texts is made of them.
            Data::Text(..) => 2 * size_of::<i32>(),
            Data::Interval(_) => size_of::<Interval>(),
            Data::Vectors32(length, _) => length * size_of::<f32>(),
            Data::Vectors64(length, _) => length * size_of::<f64>(),
        };
        value + size_of::<bool>()
    }

    /// Bytes of texts.
    pub(super) fn text_bytes(&self) -> usize {
        if let Data::Text(_, bytes) = &self.data { bytes.len() } else { 0 }
    }

    #[inline]
    fn pushed(&mut self) {
        self.rows += 1;
        if !self.valid.is_empty() {
            self.valid.push(true);
        }
    }

    /// A NULL.
    pub(super) fn push_null(&mut self) {
        match &mut self.data {
            Data::Boolean(values) => values.push(false),
            Data::Int(values) => values.push(0),
            Data::Wide(values) => values.push(0),
            Data::Real(values) => values.push(0.0),
            Data::Double(values) => values.push(0.0),
            Data::Text(ends, bytes) => ends.push(bytes.len() as i32),
            Data::Interval(values) => values.push(Interval::default()),
            Data::Vectors32(length, values) => values.resize(values.len() + *length, 0.0),
            Data::Vectors64(length, values) => values.resize(values.len() + *length, 0.0),
        }
        if self.valid.is_empty() {
            self.valid.resize(self.rows, true);
        }
        self.rows += 1;
        self.valid.push(false);
    }

    /// An integer, or a day or a moment; false for a column of something else.
    #[inline]
    pub(super) fn push_int(&mut self, value: i64) -> bool {
        let Data::Int(values) = &mut self.data else { return false };
        values.push(value);
        self.pushed();
        true
    }

    /// A double; false for a column of something else.
    #[inline]
    pub(super) fn push_double(&mut self, value: f64) -> bool {
        let Data::Double(values) = &mut self.data else { return false };
        values.push(value);
        self.pushed();
        true
    }

    /// A real; false for a column of something else.
    #[inline]
    pub(super) fn push_real(&mut self, value: f32) -> bool {
        let Data::Real(values) = &mut self.data else { return false };
        values.push(value);
        self.pushed();
        true
    }

    /// The digits of a decimal; false for a column of something else.
    #[inline]
    pub(super) fn push_wide(&mut self, value: i128) -> bool {
        let Data::Wide(values) = &mut self.data else { return false };
        values.push(value);
        self.pushed();
        true
    }

    /// A boolean; false for a column of something else.
    #[inline]
    pub(super) fn push_boolean(&mut self, value: bool) -> bool {
        let Data::Boolean(values) = &mut self.data else { return false };
        values.push(value);
        self.pushed();
        true
    }

    /// A text; false for a column of something else.
    ///
    /// # Errors
    /// 54000 for texts that no column holds.
    #[inline]
    pub(super) fn push_text(&mut self, text: &str) -> Result<bool> {
        let Data::Text(ends, bytes) = &mut self.data else { return Ok(false) };
        let Ok(end) = i32::try_from(bytes.len() + text.len()) else {
            let message = format!("a text of {} bytes is more than a column takes", text.len());
            return Err(Error::new(ErrorKind::TooComplex, message));
        };
        bytes.extend_from_slice(text.as_bytes());
        ends.push(end);
        self.pushed();
        Ok(true)
    }

    /// A value that is one of the column's type.
    ///
    /// # Errors
    /// As of [`Cells::push_text`]; XX000 for a value of another type.
    pub(super) fn push(&mut self, value: &Value) -> Result<()> {
        let is_pushed = match (value, &mut self.data) {
            (Value::Null, _) => {
                self.push_null();
                true
            }
            (Value::Int(value), _) => self.push_int(*value),
            (Value::Boolean(value), _) => self.push_boolean(*value),
            (Value::Text(text), _) => self.push_text(text)?,
            (Value::Numeric(number), _) => self.push_text(&number.encode())?,
            (Value::Float(value), Data::Real(_)) => self.push_real(*value as f32),
            (Value::Float(value), _) => self.push_double(*value),
            (Value::Decimal(value), _) => self.push_wide(*value),
            (Value::Interval(value), Data::Interval(values)) => {
                values.push(*value);
                self.pushed();
                true
            }
            (Value::Vector(elements), Data::Vectors32(length, values)) if elements.len() == *length => {
                values.extend(elements.iter().map(|&element| element as f32));
                self.pushed();
                true
            }
            (Value::Vector(elements), Data::Vectors64(length, values)) if elements.len() == *length => {
                values.extend_from_slice(elements);
                self.pushed();
                true
            }
            _ => false,
        };
        if is_pushed { Ok(()) } else { Err(Error::internal("a value was cast to another type than its column's")) }
    }

    /// Forgets the rows behind the first ones.
    pub(super) fn truncate(&mut self, rows: usize) {
        match &mut self.data {
            Data::Boolean(values) => values.truncate(rows),
            Data::Int(values) => values.truncate(rows),
            Data::Wide(values) => values.truncate(rows),
            Data::Real(values) => values.truncate(rows),
            Data::Double(values) => values.truncate(rows),
            Data::Text(ends, bytes) => {
                ends.truncate(rows);
                bytes.truncate(ends.last().map_or(0, |&end| end as usize));
            }
            Data::Interval(values) => values.truncate(rows),
            Data::Vectors32(length, values) => values.truncate(rows * *length),
            Data::Vectors64(length, values) => values.truncate(rows * *length),
        }
        self.valid.truncate(rows);
        self.rows = self.rows.min(rows);
    }

    /// The rows as a column; what is left has none.
    pub(super) fn take(&mut self) -> Column {
        let rows = std::mem::take(&mut self.rows);
        let valid = std::mem::take(&mut self.valid);
        let nulls = (!valid.is_empty()).then(|| NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
        let data = match &mut self.data {
            Data::Boolean(values) => ColumnData::Boolean(BooleanBuffer::from(std::mem::take(values))),
            Data::Int(values) => ColumnData::Int64(ScalarBuffer::from(next_of(values, rows))),
            Data::Wide(values) => ColumnData::Int128(ScalarBuffer::from(next_of(values, rows))),
            Data::Real(values) => ColumnData::Float32(ScalarBuffer::from(next_of(values, rows))),
            Data::Double(values) => ColumnData::Float64(ScalarBuffer::from(next_of(values, rows))),
            Data::Text(ends, bytes) => {
                let mut offsets = Vec::with_capacity(rows + 1);
                offsets.push(0);
                offsets.extend_from_slice(ends);
                ends.clear();
                let held = bytes.len();
                let bytes = Buffer::from_vec(next_of(bytes, held));
                ColumnData::Text { offsets: OffsetBuffer::new(ScalarBuffer::from(offsets)), bytes }
            }
            Data::Interval(values) => ColumnData::Interval(std::mem::take(values).into()),
            Data::Vectors32(length, values) => {
                let room = values.len();
                ColumnData::Vectors32 { length: *length, values: ScalarBuffer::from(next_of(values, room)) }
            }
            Data::Vectors64(length, values) => {
                let room = values.len();
                ColumnData::Vectors64 { length: *length, values: ScalarBuffer::from(next_of(values, room)) }
            }
        };
        Column::new(data, nulls)
    }
}

/// The values, and room for as many in their place: the next ones are likely to be as many.
fn next_of<T>(values: &mut Vec<T>, room: usize) -> Vec<T> {
    std::mem::replace(values, Vec::with_capacity(room))
}
