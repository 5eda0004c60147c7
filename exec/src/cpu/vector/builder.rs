//! Columns that grow: what a loop's tiles append to, tile by tile, until it becomes a column (see `column_builder`).
//!
//! The form follows the first vector that is appended and widens when a later one needs it (i32 to i64 to i128,
//! codes to strings), so a column of many parts never depends on how its parts happened to be computed.

use super::bitmap::Bitmap;
use crate::Result;
use crate::column::Dictionary;
use crate::column::column_builder::BuilderText;
pub(crate) use crate::column::column_builder::{BuilderData, ColumnBuilder};
use crate::column::vectors::Vectors;
use crate::cpu::simd::parallel_fill::written;
use crate::cpu::vector::numerics::NumericVector;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use crate::workers::schedule::Workers;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

/// Runs the body with `$values` bound to the Vec of whatever plain form `$data` has, the other one with `$text` bound to strings
/// or vectors, which have the same methods.
macro_rules! each_plain {
    ($data:expr, $values:ident => $body:expr, text($text:ident) => $text_body:expr) => {
        match $data {
            BuilderData::Bool($values) => $body,
            BuilderData::I32($values) => $body,
            BuilderData::I64($values) => $body,
            BuilderData::I128($values) => $body,
            BuilderData::F64($values) => $body,
            BuilderData::Interval($values) => $body,
            BuilderData::Numerics($values) => $body,
            BuilderData::Code { codes: $values, .. } => $body,
            BuilderData::Text($text) => $text_body,
            BuilderData::Vectors($text) => $text_body,
        }
    };
}

/// Data of the same form, of what the body makes of the Vec of a plain form, and of text or vectors.
macro_rules! map_each {
    ($data:expr, $values:ident => $body:expr, text($text:ident) => $text_body:expr) => {
        match $data {
            BuilderData::Bool($values) => BuilderData::Bool($body),
            BuilderData::I32($values) => BuilderData::I32($body),
            BuilderData::I64($values) => BuilderData::I64($body),
            BuilderData::I128($values) => BuilderData::I128($body),
            BuilderData::F64($values) => BuilderData::F64($body),
            BuilderData::Interval($values) => BuilderData::Interval($body),
            BuilderData::Numerics($values) => BuilderData::Numerics($body),
            BuilderData::Code { codes: $values, dictionary } => {
                BuilderData::Code { codes: $body, dictionary: Arc::clone(dictionary) }
            }
            BuilderData::Text($text) => BuilderData::Text($text_body),
            BuilderData::Vectors($text) => BuilderData::Vectors($text_body),
        }
    };
}

impl ColumnBuilder {
    /// An empty column of a register's form.
    pub(crate) fn new(register: Register) -> Self {
        let data = match register {
            Register::Bool => BuilderData::Bool(Vec::new()),
            Register::I32 => BuilderData::I32(Vec::new()),
            Register::I64 => BuilderData::I64(Vec::new()),
            Register::I128 => BuilderData::I128(Vec::new()),
            Register::F64 => BuilderData::F64(Vec::new()),
            Register::Text => BuilderData::Text(BuilderText::default()),
            Register::Interval => BuilderData::Interval(Vec::new()),
            Register::Vectors(length) => BuilderData::Vectors(Vectors::new(length as usize)),
        };
        ColumnBuilder { data, valid: None, len: 0 }
    }

    /// An empty column of a vector's form.
    fn like(vector: &Vector) -> Self {
        match vector.data {
            VectorData::Numerics(_) => ColumnBuilder::from_numerics(Vec::new(), None),
            _ => ColumnBuilder::new(vector.register()),
        }
    }

    /// An empty column in the usual form of a type.
    pub(crate) fn of_type(data_type: DataType) -> Self {
        ColumnBuilder::new(register_of(data_type))
    }

    fn of(data: BuilderData, valid: Option<Vec<bool>>, len: usize) -> Self {
        ColumnBuilder { data, valid: valid.filter(|valid| valid.contains(&false)), len }
    }

    /// Booleans.
    pub(crate) fn from_bools(values: Vec<bool>, valid: Option<Vec<bool>>) -> Self {
        let len = values.len();
        ColumnBuilder::of(BuilderData::Bool(values), valid, len)
    }

    /// Integers.
    pub(crate) fn from_i64(values: Vec<i64>, valid: Option<Vec<bool>>) -> Self {
        let len = values.len();
        ColumnBuilder::of(BuilderData::I64(values), valid, len)
    }

    /// Integers.
    pub(crate) fn from_i128(values: Vec<i128>, valid: Option<Vec<bool>>) -> Self {
        let len = values.len();
        ColumnBuilder::of(BuilderData::I128(values), valid, len)
    }

    /// Floats.
    pub(crate) fn from_floats(values: Vec<f64>, valid: Option<Vec<bool>>) -> Self {
        let len = values.len();
        ColumnBuilder::of(BuilderData::F64(values), valid, len)
    }

    /// Intervals.
    pub(crate) fn from_intervals(values: Vec<Interval>, valid: Option<Vec<bool>>) -> Self {
        let len = values.len();
        ColumnBuilder::of(BuilderData::Interval(values), valid, len)
    }

    /// Numerics.
    pub(crate) fn from_numerics(values: Vec<SmallNumeric>, valid: Option<Vec<bool>>) -> Self {
        let len = values.len();
        ColumnBuilder::of(BuilderData::Numerics(values), valid, len)
    }

    /// Vectors.
    pub(crate) fn from_vectors(vectors: Vectors, valid: Option<Vec<bool>>) -> Self {
        let len = vectors.len();
        ColumnBuilder::of(BuilderData::Vectors(vectors), valid, len)
    }

    /// Codes of a dictionary.
    pub(crate) fn from_codes(codes: Vec<u32>, dictionary: Arc<Dictionary>, valid: Option<Vec<bool>>) -> Self {
        let len = codes.len();
        ColumnBuilder::of(BuilderData::Code { codes, dictionary }, valid, len)
    }

    /// Strings.
    pub(crate) fn from_texts(texts: BuilderText, valid: Option<Vec<bool>>) -> Self {
        let len = texts.views.len();
        ColumnBuilder::of(BuilderData::Text(texts), valid, len)
    }

    /// Values of a type.
    pub(crate) fn from_values(values: &[Value], data_type: DataType) -> Self {
        let mut vector = Vector::default();
        vector.set_values(values, register_of(data_type));
        let mut column = ColumnBuilder::of_type(data_type);
        column.append(&vector);
        column
    }

    /// Whether these are intervals.
    pub(crate) fn is_interval(&self) -> bool {
        matches!(self.data, BuilderData::Interval(_))
    }

    /// The values as a vector.
    pub(crate) fn into_vector(self) -> Vector {
        let nulls = self.valid.map(|valid| {
            let mut bits = Bitmap::default();
            bits.fill(valid.len(), |row| valid[row]);
            bits
        });
        let data = match self.data {
            BuilderData::Bool(values) => {
                let mut bits = Bitmap::default();
                bits.fill(values.len(), |row| values[row]);
                VectorData::Bool(bits)
            }
            BuilderData::I32(values) => VectorData::I32(values),
            BuilderData::I64(values) => VectorData::I64(values),
            BuilderData::I128(values) => VectorData::I128(values),
            BuilderData::F64(values) => VectorData::F64(values),
            BuilderData::Interval(values) => VectorData::Interval(values),
            BuilderData::Numerics(values) => VectorData::Numerics(NumericVector::of(&values)),
            BuilderData::Vectors(mut vectors) => {
                vectors.close();
                VectorData::Vectors(vectors)
            }
            BuilderData::Code { codes, dictionary } => VectorData::Code { codes, dictionary },
            BuilderData::Text(text) => VectorData::Text(text.into_vector()),
        };
        let mut vector = Vector::default();
        vector.set(self.len, data, nulls);
        vector
    }

    /// Whether a row is NULL.
    #[inline]
    pub(crate) fn is_null(&self, row: usize) -> bool {
        self.valid.as_ref().is_some_and(|valid| !valid[row])
    }

    /// The bytes of a string (text and codes).
    pub(crate) fn text(&self, row: usize) -> &[u8] {
        match &self.data {
            BuilderData::Text(text) => text.get(row),
            BuilderData::Code { codes, dictionary } if !dictionary.is_empty() => dictionary.get(codes[row]).as_bytes(),
            _ => &[],
        }
    }

    /// Appends one value a tuple.
    pub(crate) fn append(&mut self, vector: &Vector) {
        self.adopt(vector);
        let len = vector.len;
        self.append_valid(vector);
        /// Appends the values of the vector, each changed by `$cast`.
        macro_rules! extend {
            ($values:ident, $from:ident, $cast:expr) => {
                if vector.constant {
                    $values.extend(std::iter::repeat_n($cast(&$from[0]), len))
                } else {
                    $values.extend($from.iter().map($cast))
                }
            };
        }
        match (&mut self.data, &vector.data) {
            (BuilderData::Bool(values), VectorData::Bool(bits)) => {
                values.extend((0..len).map(|tuple| bits.get(vector.position(tuple))));
            }
            (BuilderData::I32(values), VectorData::I32(from)) => extend!(values, from, |&v: &i32| v),
            (BuilderData::I64(values), VectorData::I32(from)) => extend!(values, from, |&v: &i32| i64::from(v)),
            (BuilderData::I64(values), VectorData::I64(from)) => extend!(values, from, |&v: &i64| v),
            (BuilderData::I128(values), VectorData::I32(from)) => extend!(values, from, |&v: &i32| i128::from(v)),
            (BuilderData::I128(values), VectorData::I64(from)) => extend!(values, from, |&v: &i64| i128::from(v)),
            (BuilderData::I128(values), VectorData::I128(from)) => extend!(values, from, |&v: &i128| v),
            (BuilderData::F64(values), VectorData::F64(from)) => extend!(values, from, |&v: &f64| v),
            (BuilderData::Interval(values), VectorData::Interval(from)) => extend!(values, from, |&v: &Interval| v),
            (BuilderData::Numerics(values), VectorData::Numerics(from)) => {
                values.extend((0..len).map(|tuple| from.get(vector.position(tuple))));
            }
            (BuilderData::Text(text), VectorData::Numerics(from)) => {
                let mut shown = String::new();
                (0..len).for_each(|tuple| text.push(encoded(from.get(vector.position(tuple)), &mut shown)));
            }
            (BuilderData::Code { codes, .. }, VectorData::Code { codes: from, .. }) => {
                extend!(codes, from, |&v: &u32| v);
            }
            (BuilderData::Vectors(vectors), VectorData::Vectors(from)) => {
                vectors.append(from, (0..len).map(|tuple| vector.position(tuple)));
            }
            // NULLs of no type.
            (BuilderData::Vectors(vectors), _) => vectors.resize(vectors.len() + len),
            (BuilderData::Text(text), _) => text.append(vector),
            // Only NULLs of no type come as booleans where the column holds something else.
            (data, _) => each_plain!(data,
                values => values.resize(values.len() + len, Default::default()),
                text(_text) => unreachable!("handled above")),
        }
        self.len += len;
    }

    /// Puts the value of each tuple at its place, all below `len`, which is how many rows there are then: where nothing has been
    /// put they have any value. If the column is empty, there is to be room for so many.
    pub(crate) fn put_at(&mut self, vector: &Vector, places: &[u32], len: usize, room: usize) {
        self.adopt(vector);
        if self.len == 0 {
            each_plain!(&mut self.data, values => values.reserve(room), text(_text) => {});
        }
        each_plain!(&mut self.data,
            values => values.resize(len, Default::default()),
            text(text) => text.resize(len));
        if let Some(valid) = &mut self.valid {
            valid.resize(len, true);
        }
        self.len = len;
        let is_plain = vector.nulls.is_none() && !vector.constant && self.valid.is_none();
        match (&mut self.data, &vector.data) {
            (BuilderData::I32(values), VectorData::I32(from)) if is_plain => scatter(values, from, places),
            (BuilderData::I64(values), VectorData::I64(from)) if is_plain => scatter(values, from, places),
            (BuilderData::F64(values), VectorData::F64(from)) if is_plain => scatter(values, from, places),
            _ => {
                // Behind all others first, in the form that they have here.
                self.append(vector);
                each_plain!(&mut self.data,
                    values => settle_tail(values, places, len),
                    text(text) => text.settle_tail(places, len));
                if let Some(valid) = &mut self.valid {
                    settle_tail(valid, places, len);
                }
                self.len = len;
            }
        }
    }

    /// Appends copies of strings; None is NULL.
    pub(crate) fn append_texts<'t>(&mut self, texts: impl Iterator<Item = Option<&'t [u8]>>) {
        match &self.data {
            BuilderData::Text(_) => {}
            BuilderData::Code { .. } | BuilderData::Numerics(_) => self.decode(),
            // Nothing, or nothing but NULLs of no type.
            _ => {
                let nulls = self.len;
                *self = ColumnBuilder::new(Register::Text);
                if nulls > 0 {
                    self.extend_null(nulls);
                }
            }
        }
        let BuilderData::Text(own) = &mut self.data else { return };
        for text in texts {
            own.push(text.unwrap_or_default());
            match (&mut self.valid, text) {
                (Some(valid), text) => valid.push(text.is_some()),
                (None, Some(_)) => {}
                (None, None) => {
                    let mut valid = vec![true; self.len];
                    valid.push(false);
                    self.valid = Some(valid);
                }
            }
            self.len += 1;
        }
    }

    /// Takes the form that this column and the vector's values both fit.
    fn adopt(&mut self, vector: &Vector) {
        match (&self.data, &vector.data) {
            // Booleans, or NULLs of no type, which fit any form.
            (_, VectorData::Bool(_)) => {}
            (BuilderData::Code { dictionary, .. }, VectorData::Code { dictionary: other, .. })
                if Arc::ptr_eq(dictionary, other) => {}
            (_, VectorData::Code { dictionary, .. }) if self.len == 0 => {
                self.data = BuilderData::Code { codes: Vec::new(), dictionary: Arc::clone(dictionary) };
            }
            _ if self.len == 0 => *self = ColumnBuilder::like(vector),
            // Nothing but NULLs of no type so far.
            (BuilderData::Bool(_), _) => {
                let nulls = self.len;
                *self = ColumnBuilder::like(vector);
                self.extend_null(nulls);
            }
            (BuilderData::Code { .. }, VectorData::Code { .. } | VectorData::Text(_) | VectorData::Numerics(_))
            | (BuilderData::Numerics(_), VectorData::Code { .. } | VectorData::Text(_)) => self.decode(),
            (_, VectorData::I64(_)) => self.widen(Register::I64),
            (_, VectorData::I128(_)) => self.widen(Register::I128),
            _ => {}
        }
    }

    fn append_valid(&mut self, vector: &Vector) {
        let Some(nulls) = &vector.nulls else {
            if let Some(valid) = &mut self.valid {
                valid.resize(self.len + vector.len, true);
            }
            return;
        };
        let len = self.len;
        let valid = self.valid.get_or_insert_with(|| vec![true; len]);
        valid.extend((0..vector.len).map(|tuple| nulls.get(vector.position(tuple))));
    }

    /// Makes an integer form at least so wide.
    fn widen(&mut self, register: Register) {
        self.data = match (&self.data, register) {
            (BuilderData::I32(values), Register::I64) => {
                BuilderData::I64(values.iter().map(|&value| value.into()).collect())
            }
            (BuilderData::I32(values), Register::I128) => {
                BuilderData::I128(values.iter().map(|&value| value.into()).collect())
            }
            (BuilderData::I64(values), Register::I128) => {
                BuilderData::I128(values.iter().map(|&value| value.into()).collect())
            }
            // Nothing but untyped NULLs so far.
            (BuilderData::Bool(values), Register::I64) => BuilderData::I64(vec![0; values.len()]),
            (BuilderData::Bool(values), Register::I128) => BuilderData::I128(vec![0; values.len()]),
            _ => return,
        };
    }

    /// Turns codes and numerics into strings.
    fn decode(&mut self) {
        let (mut text, mut shown) = (BuilderText::default(), String::new());
        for row in 0..self.len {
            text.push(match &self.data {
                _ if self.is_null(row) => b"",
                BuilderData::Numerics(values) => encoded(values[row], &mut shown),
                _ => self.text(row),
            });
        }
        self.data = BuilderData::Text(text);
    }

    /// Appends all rows of another column.
    pub(crate) fn append_all(&mut self, other: ColumnBuilder) {
        if self.len == 0 {
            *self = other;
            return;
        }
        if other.len == 0 {
            return;
        }
        let other = self.unify(other);
        match (&mut self.valid, &other.valid) {
            (None, None) => {}
            (Some(valid), None) => valid.resize(self.len + other.len, true),
            (mine, Some(theirs)) => mine.get_or_insert_with(|| vec![true; self.len]).extend_from_slice(theirs),
        }
        match (&mut self.data, other.data) {
            (BuilderData::Bool(values), BuilderData::Bool(from)) => values.extend_from_slice(&from),
            (BuilderData::I32(values), BuilderData::I32(from)) => values.extend_from_slice(&from),
            (BuilderData::I64(values), BuilderData::I64(from)) => values.extend_from_slice(&from),
            (BuilderData::I128(values), BuilderData::I128(from)) => values.extend_from_slice(&from),
            (BuilderData::F64(values), BuilderData::F64(from)) => values.extend_from_slice(&from),
            (BuilderData::Interval(values), BuilderData::Interval(from)) => values.extend_from_slice(&from),
            (BuilderData::Numerics(values), BuilderData::Numerics(from)) => values.extend_from_slice(&from),
            (BuilderData::Code { codes, .. }, BuilderData::Code { codes: from, .. }) => codes.extend_from_slice(&from),
            (BuilderData::Text(text), BuilderData::Text(from)) => text.append_all(&from),
            (BuilderData::Vectors(vectors), BuilderData::Vectors(from)) => vectors.append_all(from),
            // One of them holds nothing but untyped NULLs.
            (data, _) => each_plain!(data,
                values => values.resize(self.len + other.len, Default::default()),
                text(text) => text.resize(self.len + other.len)),
        }
        self.len += other.len;
    }

    /// All rows of some columns, one after the other; of none a column of no type.
    pub(crate) fn concat(parts: Vec<ColumnBuilder>) -> ColumnBuilder {
        let rows: usize = parts.iter().map(|part| part.len).sum();
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else { return ColumnBuilder::of_type(DataType::Null) };
        let more = rows - all.len;
        each_plain!(&mut all.data, values => values.reserve_exact(more), text(text) => text.reserve_exact(more));
        parts.for_each(|part| all.append_all(part));
        all
    }

    /// The same by all workers, if all parts have one plain form and no NULL.
    fn concat_plain(parts: &[ColumnBuilder], workers: Workers<'_>) -> Result<Option<ColumnBuilder>> {
        let rows = parts.iter().map(|part| part.len).sum();
        let Some(first) = parts.iter().find(|part| part.len > 0) else { return Ok(None) };
        // One part stays where it is.
        if parts.iter().any(|part| part.valid.is_some() || part.len == rows) {
            return Ok(None);
        }
        /// Copies what the parts have in the form `$form`, unless one with rows has another.
        macro_rules! copy {
            ($form:pat => $values:ident) => {{
                let slices = parts.iter().filter(|part| part.len > 0).map(|part| match &part.data {
                    $form => Some(&$values[..]),
                    _ => None,
                });
                match slices.collect::<Option<Vec<_>>>() {
                    Some(slices) => copy_all(slices, workers)?,
                    None => return Ok(None),
                }
            }};
        }
        let data = match &first.data {
            BuilderData::I32(_) => BuilderData::I32(copy!(BuilderData::I32(values) => values)),
            BuilderData::I64(_) => BuilderData::I64(copy!(BuilderData::I64(values) => values)),
            BuilderData::I128(_) => BuilderData::I128(copy!(BuilderData::I128(values) => values)),
            BuilderData::F64(_) => BuilderData::F64(copy!(BuilderData::F64(values) => values)),
            BuilderData::Code { dictionary, .. } => {
                let is_alike = |part: &ColumnBuilder| match &part.data {
                    BuilderData::Code { dictionary: other, .. } => Arc::ptr_eq(dictionary, other),
                    _ => part.len == 0,
                };
                if !parts.iter().all(is_alike) {
                    return Ok(None);
                }
                let codes = copy!(BuilderData::Code { codes, .. } => codes);
                BuilderData::Code { codes, dictionary: Arc::clone(dictionary) }
            }
            _ => return Ok(None),
        };
        Ok(Some(ColumnBuilder { data, valid: None, len: rows }))
    }

    /// Some consecutive rows.
    pub(crate) fn slice(&self, rows: std::ops::Range<usize>) -> ColumnBuilder {
        let data = map_each!(&self.data,
            values => values[rows.clone()].to_vec(),
            text(text) => text.take(rows.clone()));
        ColumnBuilder::of(data, self.valid.as_ref().map(|valid| valid[rows.clone()].to_vec()), rows.len())
    }

    /// Brings both columns to one form; gives the other one.
    fn unify(&mut self, mut other: ColumnBuilder) -> ColumnBuilder {
        let register = |data: &BuilderData| match data {
            BuilderData::Bool(_) => Some(Register::Bool),
            BuilderData::I32(_) => Some(Register::I32),
            BuilderData::I64(_) => Some(Register::I64),
            BuilderData::I128(_) => Some(Register::I128),
            _ => None,
        };
        match (&self.data, &other.data) {
            (BuilderData::Code { dictionary, .. }, BuilderData::Code { dictionary: theirs, .. })
                if Arc::ptr_eq(dictionary, theirs) => {}
            (BuilderData::Numerics(_), BuilderData::Numerics(_)) => {}
            (mine, theirs) if is_text(mine) && is_text(theirs) => {
                for column in [&mut *self, &mut other] {
                    if !matches!(column.data, BuilderData::Text(_)) {
                        column.decode();
                    }
                }
            }
            (mine, theirs) => match (register(mine), register(theirs)) {
                (Some(mine), Some(theirs)) if mine < theirs => self.widen(theirs),
                (Some(mine), Some(theirs)) if theirs < mine => other.widen(mine),
                (Some(Register::Bool), None) => {
                    let mut empty = other.clone();
                    empty.clear();
                    empty.extend_null(self.len);
                    *self = empty;
                }
                _ => {}
            },
        }
        other
    }

    fn clear(&mut self) {
        each_plain!(&mut self.data, values => values.clear(), text(text) => text.clear());
        (self.valid, self.len) = (None, 0);
    }

    fn extend_null(&mut self, count: usize) {
        let len = self.len + count;
        each_plain!(&mut self.data,
            values => values.resize(len, Default::default()),
            text(text) => text.resize(len));
        self.valid.get_or_insert_with(|| vec![true; self.len]).resize(len, false);
        self.len = len;
    }

    /// The rows, each at its place: `places` has every number below theirs once.
    pub(crate) fn put(&self, places: &[u32]) -> ColumnBuilder {
        let data = map_each!(&self.data, values => place(values, places), text(text) => text.put(places));
        let valid = self.valid.as_ref().map(|valid| place(valid, places));
        ColumnBuilder { data, valid, len: self.len }
    }
}

/// Whether values are strings, or may be.
fn is_text(data: &BuilderData) -> bool {
    matches!(data, BuilderData::Text(_) | BuilderData::Code { .. } | BuilderData::Numerics(_))
}

/// The string that a column stores of a number.
fn encoded(number: SmallNumeric, text: &mut String) -> &[u8] {
    text.clear();
    number.encode_into(text);
    text.as_bytes()
}

/// Puts each value at its place.
pub(crate) fn scatter<T: Copy>(values: &mut [T], from: &[T], places: &[u32]) {
    from.iter().zip(places).for_each(|(&value, &place)| values[place as usize] = value);
}

/// Moves what stands behind the first `len` values to its places among them.
pub(crate) fn settle_tail<T: Copy>(values: &mut Vec<T>, places: &[u32], len: usize) {
    let (all, tail) = values.split_at_mut(len);
    scatter(all, tail, places);
    values.truncate(len);
}

/// The values, each at its place.
pub(crate) fn place<T: Copy + Default>(values: &[T], places: &[u32]) -> Vec<T> {
    let mut placed = vec![T::default(); values.len()];
    scatter(&mut placed, values, places);
    placed
}

/// A register that holds every value of a type.
pub(crate) fn register_of(data_type: DataType) -> Register {
    match data_type {
        DataType::Null | DataType::Boolean => Register::Bool,
        DataType::Nested(_) if let Some((_, length)) = data_type.vector_of() => Register::Vectors(length),
        DataType::SmallInt | DataType::Integer | DataType::Date => Register::I32,
        DataType::BigInt | DataType::Time | DataType::Timestamp => Register::I64,
        DataType::Decimal { .. } => Register::I128,
        DataType::Real | DataType::Double => Register::F64,
        DataType::Text | DataType::Varchar(_) | DataType::Char(_) | DataType::Numeric => Register::Text,
        DataType::Interval => Register::Interval,
        logical => register_of(logical.carrier()),
    }
}

/// The rows at these positions, of each column.
pub(crate) fn take_all(columns: Vec<ColumnBuilder>, rows: &[u32], workers: Workers<'_>) -> Result<Vec<ColumnBuilder>> {
    if rows.len() < SHARED_ROWS || workers.is_one() {
        return Ok(columns.iter().map(|column| column.take(rows)).collect());
    }
    let pieces = rows.chunks(SHARED_ROWS).collect::<Vec<_>>();
    let work: Vec<(usize, &[u32])> =
        (0..columns.len()).flat_map(|column| pieces.iter().map(move |piece| (column, *piece))).collect();
    let mut taken = workers.map(work, |(column, piece)| Ok(columns[column].take(piece)))?.into_iter();
    let parts: Vec<Vec<ColumnBuilder>> = columns.iter().map(|_| taken.by_ref().take(pieces.len()).collect()).collect();
    concat_all(parts, workers)
}

/// Rows from which on several workers share what one could do alone.
pub(crate) const SHARED_ROWS: usize = 1 << 16;

/// As [`ColumnBuilder::concat`] of the parts of each column, by many workers if there is enough to do.
pub(crate) fn concat_all(columns: Vec<Vec<ColumnBuilder>>, workers: Workers<'_>) -> Result<Vec<ColumnBuilder>> {
    let rows = |parts: &Vec<ColumnBuilder>| parts.iter().map(|part| part.len).sum::<usize>();
    if workers.is_one() || columns.first().map_or(0, rows) < SHARED_ROWS {
        return Ok(columns.into_iter().map(ColumnBuilder::concat).collect());
    }
    // Columns of one plain form are copied by all workers, one after the other; of those left each has one.
    let (mut done, mut left) = (Vec::with_capacity(columns.len()), Vec::new());
    for parts in columns {
        done.push(ColumnBuilder::concat_plain(&parts, workers)?);
        if done.last().is_some_and(Option::is_none) {
            left.push(parts);
        }
    }
    let mut left = workers.map(left, |parts| Ok(ColumnBuilder::concat(parts)))?.into_iter();
    Ok(done.into_iter().filter_map(|column| column.or_else(|| left.next())).collect())
}

/// All values, one slice behind the other.
pub(crate) fn copy_all<T: Copy + Send + Sync>(slices: Vec<&[T]>, workers: Workers<'_>) -> Result<Vec<T>> {
    let pieces = slices.into_iter().map(|slice| (slice.len(), slice)).collect();
    written(pieces, Some(workers), |slice: &[T], places| places.write_copy_of_slice(slice))
}
