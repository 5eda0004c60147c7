//! Vectors: what a scalar is for each tuple of a tile.
//!
//! A vector is either one value a tuple or one constant for all of them (`constant`: the data has one element).
//! Its memory is kept from tile to tile: kernels take the `Vec` that is there, clear it and fill it again.

pub mod bitmap;
pub(crate) mod builder;
pub(crate) mod chunked;
pub(crate) mod finish;
pub(crate) mod narrow;
mod numeric_builder;
pub(crate) mod numerics;
pub(crate) mod room;
pub mod rows;
pub(crate) mod text_builder;
pub(crate) mod valid_rows;

use crate::column::value::text_value;
use crate::column::vectors::Vectors;
use crate::column::{Dictionary, TextView};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::numerics::NumericVector;
use crate::plan::register::Register;
use arrow::buffer::Buffer;
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

/// The row number that stands for no row: a `BucketOrNull` index that found none. Its fields are NULL.
pub const NO_ROW: u32 = u32::MAX;

/// The values of one scalar for the tuples of a tile.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The values; what stands at a NULL is any value. One value only if `constant`.
    pub data: VectorData,
    /// Which are not NULL; none if no value is NULL. One bit only if `constant`.
    pub nulls: Option<Bitmap>,
    /// For how many tuples.
    pub len: usize,
    /// Whether one value stands for all tuples.
    pub constant: bool,
}

/// The forms of values.
#[derive(Clone, Debug)]
pub enum VectorData {
    /// boolean.
    Bool(Bitmap),
    /// Integer-like.
    I32(Vec<i32>),
    /// Integer-like.
    I64(Vec<i64>),
    /// Integer-like.
    I128(Vec<i128>),
    /// real, double.
    F64(Vec<f64>),
    /// text.
    Text(TextVector),
    /// text as codes of a sorted dictionary; at a NULL the code is any valid one, or 0 if there is none.
    Code {
        /// One a tuple.
        codes: Vec<u32>,
        /// What they stand for.
        dictionary: Arc<Dictionary>,
    },
    /// interval.
    Interval(Vec<Interval>),
    /// numeric, within trees of functions of such; elsewhere it is text.
    Numerics(NumericVector),
    /// vectors of one length.
    Vectors(Vectors),
}

/// Strings as views into shared buffers and into an arena of the vector's own. Invariant: every view lies within
/// its buffer and is valid UTF-8.
#[derive(Clone, Debug, Default)]
pub struct TextVector {
    views: Vec<TextView>,
    buffers: Option<Arc<[Buffer]>>,
    arena: Vec<u8>,
}

/// Bytes after which an arena takes no more strings: a string has at most as many, and offsets 32 bits.
const ARENA_MAX: usize = 1 << 30;

impl TextVector {
    /// Forgets all strings, keeps the memory.
    pub fn clear(&mut self) {
        self.views.clear();
        self.buffers = None;
        self.arena.clear();
    }

    /// The buffer that a view points into.
    #[inline(always)]
    fn buffer(&self, view: TextView) -> &[u8] {
        match &self.buffers {
            Some(buffers) if view.buffer != TextView::ARENA => buffers[view.buffer as usize].as_slice(),
            _ => &self.arena,
        }
    }

    /// The views, one a string.
    pub(crate) fn views(&self) -> &[TextView] {
        &self.views
    }

    /// Whether all views point into buffers.
    pub(crate) fn is_shared(&self) -> bool {
        self.views.iter().all(|view| view.buffer != TextView::ARENA)
    }

    /// Appends views that lie within their buffers and are valid UTF-8, which the caller answers for.
    pub(crate) fn extend_views(&mut self, views: impl Iterator<Item = TextView>) {
        self.views.extend(views);
    }

    /// The buffers that views point into, if they point into any.
    pub(crate) fn buffers(&self) -> Option<&Arc<[Buffer]>> {
        self.buffers.as_ref()
    }

    /// The bytes of all strings, if these lie one behind the other.
    pub(crate) fn together(&self) -> Option<&[u8]> {
        let first = *self.views.first()?;
        let mut end = first.offset;
        let follows = |view: &TextView| {
            let is_next = (view.buffer, view.offset) == (first.buffer, end);
            end = end.wrapping_add(view.length);
            is_next
        };
        let all = self.views.iter().all(follows);
        all.then(|| &self.buffer(first)[first.offset as usize..end as usize])
    }

    /// How many strings.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The string at a position.
    pub fn get(&self, position: usize) -> &str {
        let bytes = self.bytes(position);
        debug_assert!(std::str::from_utf8(bytes).is_ok(), "a view is valid UTF-8");
        // SAFETY: every way to add a view (`push`, `push_view`) takes valid UTF-8.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }

    /// The bytes of the string at a position.
    pub fn bytes(&self, position: usize) -> &[u8] {
        let view = self.views[position];
        view.bytes_in(self.buffer(view))
    }

    /// The bytes among which the string at a position stands, where it begins, and how many bytes it has.
    #[inline(always)]
    pub(crate) fn place(&self, position: usize) -> (&[u8], usize, usize) {
        let view = self.views[position];
        (self.buffer(view), view.offset as usize, view.length as usize)
    }

    /// The string at a position as a number, if it is shorter than eight bytes: its bytes, the first one lowest, and its
    /// length in the highest byte. Otherwise [`TextVector::LONG`], which no string is.
    #[inline]
    pub fn short(&self, position: usize) -> u64 {
        let view = self.views[position];
        let buffer = self.buffer(view);
        if view.length > 7 {
            return Self::LONG;
        }
        match buffer.get(view.offset as usize..view.offset as usize + 8).and_then(<[u8]>::first_chunk) {
            Some(eight) => {
                let bytes = u64::from_le_bytes(*eight) & ((1 << (8 * view.length)) - 1);
                bytes | u64::from(view.length) << 56
            }
            None => short_text(self.bytes(position)),
        }
    }

    /// What [`TextVector::short`] gives for long strings.
    pub const LONG: u64 = u64::MAX;

    /// Appends a string, copied into the arena.
    pub fn push(&mut self, text: &str) {
        self.push_parts([text]);
    }

    /// So many empty strings.
    pub(crate) fn of_empty(len: usize) -> Self {
        let empty = TextView { buffer: TextView::ARENA, offset: 0, length: 0 };
        TextVector { views: vec![empty; len], ..TextVector::default() }
    }

    /// Puts a string in the place of another.
    pub(crate) fn replace(&mut self, position: usize, text: &str) {
        self.push(text);
        self.views.swap_remove(position);
    }

    /// Makes the arena a buffer, so that copies of the strings share it.
    pub(crate) fn share(&mut self) {
        if self.arena.is_empty() {
            return;
        }
        let mut buffers = self.buffers.as_deref().unwrap_or_default().to_vec();
        for view in self.views.iter_mut().filter(|view| view.buffer == TextView::ARENA) {
            view.buffer = buffers.len() as u32;
        }
        buffers.push(Buffer::from_vec(std::mem::take(&mut self.arena)));
        self.buffers = Some(buffers.into());
    }

    /// Appends a string that is put together from parts, as [`TextVector::push`] does.
    pub(crate) fn push_parts<'t>(&mut self, parts: impl IntoIterator<Item = &'t str>) {
        let start = self.start();
        parts.into_iter().for_each(|part| self.arena.extend_from_slice(part.as_bytes()));
        self.close(start);
    }

    /// Appends a string that is written behind what the arena holds: valid UTF-8, which the caller answers for.
    pub(crate) fn push_written(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.start();
        write(&mut self.arena);
        self.close(start);
    }

    /// Makes these, which are none yet, so many strings of one length, which are written into a buffer of their own behind each other:
    /// valid UTF-8, which the caller answers for. False if that is too much for one buffer.
    pub(crate) fn write_alike(&mut self, count: usize, length: usize, write: impl FnOnce(&mut [u8])) -> bool {
        debug_assert!(self.is_empty(), "there are no strings yet");
        let Some(all) = count.checked_mul(length).filter(|&all| all <= ARENA_MAX) else { return false };
        let mut bytes = vec![0; all];
        write(&mut bytes);
        self.buffers = Some(Arc::new([Buffer::from_vec(bytes)]));
        let view = |place: usize| TextView { buffer: 0, offset: (place * length) as u32, length: length as u32 };
        self.views.extend((0..count).map(view));
        true
    }

    /// Appends a string with its ASCII letters in upper or in lower case, as [`TextVector::push`] does.
    pub(crate) fn push_in_case(&mut self, text: &str, upper: bool) {
        let start = self.start();
        self.arena.extend_from_slice(text.as_bytes());
        if upper {
            self.arena[start..].make_ascii_uppercase();
        } else {
            self.arena[start..].make_ascii_lowercase();
        }
        self.close(start);
    }

    /// Where the next string begins: in a new arena if the one that is there has grown large.
    fn start(&mut self) -> usize {
        if self.arena.len() > ARENA_MAX {
            self.share();
        }
        self.arena.len()
    }

    /// Makes a view of what was appended to the arena, which is whole strings.
    fn close(&mut self, start: usize) {
        let end = u32::try_from(self.arena.len()).expect("a string is below 1 GiB, and so is what lies before it");
        self.views.push(TextView { buffer: TextView::ARENA, offset: start as u32, length: end - start as u32 });
    }

    /// Says which buffers views point into; of strings that are none yet.
    pub fn set_buffers(&mut self, buffers: Arc<[Buffer]>) {
        debug_assert!(self.views.is_empty(), "views point into the buffers of before");
        self.buffers = Some(buffers);
    }

    /// Appends a view that lies within its buffer and is valid UTF-8, which the caller answers for.
    pub(crate) fn push_view(&mut self, view: TextView) {
        self.views.push(view);
    }

    /// Makes this a copy of another.
    pub fn copy_from(&mut self, from: &TextVector) {
        self.clear();
        self.buffers.clone_from(&from.buffers);
        self.arena.extend_from_slice(&from.arena);
        self.views.extend_from_slice(&from.views);
    }

    /// Makes this slices of all strings of `from`, without copying shared bytes. `slice` gives start and end in bytes.
    ///
    /// # Panics
    /// If they are not in order, within the string and at borders of characters.
    pub fn slices_of(&mut self, from: &TextVector, mut slice: impl FnMut(&str) -> (usize, usize)) {
        self.clear();
        self.buffers.clone_from(&from.buffers);
        self.arena.extend_from_slice(&from.arena);
        self.views.extend((0..from.len()).map(|position| {
            let (text, view) = (from.get(position), from.views[position]);
            let (start, end) = slice(text);
            assert!(text.is_char_boundary(start) && text.is_char_boundary(end) && start <= end, "a slice of a string");
            TextView { offset: view.offset + start as u32, length: (end - start) as u32, ..view }
        }));
    }

    /// Makes this the strings of `from` at these positions.
    pub fn gather(&mut self, from: &TextVector, positions: &[u32]) {
        self.clear();
        self.buffers.clone_from(&from.buffers);
        self.arena.extend_from_slice(&from.arena);
        self.views.extend(positions.iter().map(|&position| from.views[position as usize]));
    }
}

/// A string as a number; see [`TextVector::short`].
pub fn short_text(text: &[u8]) -> u64 {
    if text.len() > 7 {
        return TextVector::LONG;
    }
    text.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)) | (text.len() as u64) << 56
}

impl Default for Vector {
    fn default() -> Self {
        Vector { data: VectorData::I32(Vec::new()), nulls: None, len: 0, constant: false }
    }
}

/// Defines the function that takes the vector's memory as one kind of `Vec`, emptied, or a new one if the vector
/// last held something else.
macro_rules! take {
    ($(#[$doc:meta])* $name:ident, $variant:ident, $type:ty) => {
        $(#[$doc])*
        pub fn $name(&mut self) -> Vec<$type> {
            match &mut self.data {
                VectorData::$variant(values) => {
                    let mut values = std::mem::take(values);
                    values.clear();
                    values
                }
                _ => Vec::new(),
            }
        }
    };
}

impl Vector {
    take!(/** The memory for 32-bit integers, emptied. */ take_i32, I32, i32);
    take!(/** The memory for 64-bit integers, emptied. */ take_i64, I64, i64);
    take!(/** The memory for 128-bit integers, emptied. */ take_i128, I128, i128);
    take!(/** The memory for floats, emptied. */ take_f64, F64, f64);
    take!(/** The memory for intervals, emptied. */ take_interval, Interval, Interval);

    /// The memory for booleans; its bits are to be reset.
    pub fn take_bool(&mut self) -> Bitmap {
        if let VectorData::Bool(bits) = &mut self.data { std::mem::take(bits) } else { Bitmap::default() }
    }

    /// The memory for strings, emptied.
    pub fn take_text(&mut self) -> TextVector {
        let VectorData::Text(texts) = &mut self.data else { return TextVector::default() };
        let mut texts = std::mem::take(texts);
        texts.clear();
        texts
    }

    /// The memory for codes, emptied.
    pub fn take_codes(&mut self) -> Vec<u32> {
        let VectorData::Code { codes, .. } = &mut self.data else { return Vec::new() };
        let mut codes = std::mem::take(codes);
        codes.clear();
        codes
    }

    /// The memory for vectors of a length, emptied.
    pub fn take_vectors(&mut self, length: usize) -> Vectors {
        let VectorData::Vectors(vectors) = &mut self.data else { return Vectors::new(length) };
        let mut vectors = std::mem::take(vectors);
        vectors.reset(length);
        vectors
    }

    /// The memory for validity; its bits are to be reset.
    pub fn take_nulls(&mut self) -> Bitmap {
        self.nulls.take().unwrap_or_default()
    }

    /// Makes this one value a tuple.
    pub fn set(&mut self, len: usize, data: VectorData, nulls: Option<Bitmap>) {
        debug_assert!(nulls.as_ref().is_none_or(|nulls| nulls.len() == len), "validity has a bit a tuple");
        self.data = data;
        self.nulls = nulls;
        self.len = len;
        self.constant = false;
        debug_assert_eq!(self.data.len(), len, "a vector has a value a tuple");
    }

    /// Makes this one constant for `len` tuples, in the given register. NULL of any register is allowed.
    pub fn set_constant(&mut self, len: usize, value: &Value, register: Register) {
        self.set_values(std::slice::from_ref(value), register);
        self.len = len;
        self.constant = true;
    }

    /// Makes this these values, which fit the register.
    pub fn set_values(&mut self, values: &[Value], register: Register) {
        let nulls = values.iter().any(Value::is_null).then(|| {
            let mut nulls = self.take_nulls();
            nulls.fill(values.len(), |position| !values[position].is_null());
            nulls
        });
        let data = match register {
            Register::Bool => {
                let mut bits = self.take_bool();
                bits.fill(values.len(), |position| values[position].is_true());
                VectorData::Bool(bits)
            }
            Register::I32 => VectorData::I32(values.iter().map(|value| integer_of(value) as i32).collect()),
            Register::I64 => VectorData::I64(values.iter().map(|value| integer_of(value) as i64).collect()),
            Register::I128 => VectorData::I128(values.iter().map(integer_of).collect()),
            Register::F64 => VectorData::F64(
                values.iter().map(|value| if let Value::Float(float) = value { *float } else { 0.0 }).collect(),
            ),
            Register::Text => {
                let mut texts = self.take_text();
                values.iter().for_each(|value| match value {
                    Value::Text(text) => texts.push(text),
                    Value::Numeric(number) => texts.push(&number.encode()),
                    _ => texts.push(""),
                });
                VectorData::Text(texts)
            }
            Register::Vectors(length) => VectorData::Vectors(Vectors::of_values(length as usize, values)),
            Register::Interval => VectorData::Interval(
                values
                    .iter()
                    .map(|value| if let Value::Interval(interval) = value { *interval } else { Interval::default() })
                    .collect(),
            ),
        };
        self.set(values.len(), data, nulls);
    }

    /// Where the value of a tuple stands in `data` and `nulls`.
    #[inline]
    pub fn position(&self, tuple: usize) -> usize {
        if self.constant { 0 } else { tuple }
    }

    /// Whether the value of a tuple is NULL.
    #[inline]
    pub fn is_null(&self, tuple: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| !nulls.get(self.position(tuple)))
    }

    /// Whether the value of a tuple is TRUE, for a vector of booleans.
    pub fn is_true(&self, tuple: usize) -> bool {
        let VectorData::Bool(bits) = &self.data else { return false };
        bits.get(self.position(tuple)) && !self.is_null(tuple)
    }

    /// The integer of a tuple (not NULL), for the integer registers and boolean.
    pub fn integer(&self, tuple: usize) -> Option<i128> {
        let position = self.position(tuple);
        match &self.data {
            VectorData::Bool(bits) => Some(bits.get(position).into()),
            VectorData::I32(values) => Some(values[position].into()),
            VectorData::I64(values) => Some(values[position].into()),
            VectorData::I128(values) => Some(values[position]),
            _ => None,
        }
    }

    /// The string of a tuple (not NULL), for text.
    pub fn text(&self, tuple: usize) -> Option<&str> {
        let position = self.position(tuple);
        match &self.data {
            VectorData::Text(texts) => Some(texts.get(position)),
            VectorData::Code { codes, dictionary } => Some(dictionary.get(codes[position])),
            _ => None,
        }
    }

    /// The value of a tuple, whose scalar has this type.
    pub fn value(&self, tuple: usize, data_type: DataType) -> Value {
        if self.is_null(tuple) {
            return Value::Null;
        }
        let position = self.position(tuple);
        match &self.data {
            VectorData::Bool(bits) => Value::Boolean(bits.get(position)),
            VectorData::F64(values) => Value::Float(values[position]),
            VectorData::Text(texts) => text_value(texts.get(position), data_type),
            VectorData::Code { codes, dictionary } => text_value(dictionary.get(codes[position]), data_type),
            VectorData::Interval(values) => Value::Interval(values[position]),
            VectorData::Numerics(numbers) => Value::numeric(numbers.get(position).into()),
            VectorData::Vectors(vectors) => vectors.get(position).to_value(),
            VectorData::I32(values) => integer_value(values[position].into(), data_type),
            VectorData::I64(values) => integer_value(values[position].into(), data_type),
            VectorData::I128(values) => integer_value(values[position], data_type),
        }
    }

    /// The register that holds it.
    pub fn register(&self) -> Register {
        match &self.data {
            VectorData::Bool(_) => Register::Bool,
            VectorData::I32(_) => Register::I32,
            VectorData::I64(_) => Register::I64,
            VectorData::I128(_) => Register::I128,
            VectorData::F64(_) => Register::F64,
            VectorData::Text(_) | VectorData::Code { .. } | VectorData::Numerics(_) => Register::Text,
            VectorData::Interval(_) => Register::Interval,
            VectorData::Vectors(vectors) => Register::Vectors(vectors.length() as u32),
        }
    }

    /// Makes this the values of `from` at these positions; a constant stays one.
    pub fn gather(&mut self, from: &Vector, positions: &[u32]) {
        if from.constant {
            *self = Vector { len: positions.len(), ..from.clone() };
            return;
        }
        let nulls = from.nulls.as_ref().map(|valid| {
            let mut nulls = self.take_nulls();
            nulls.fill(positions.len(), |at| valid.get(positions[at] as usize));
            nulls
        });
        macro_rules! gather {
            ($take:ident, $variant:ident, $values:expr) => {{
                let mut values = self.$take();
                values.extend(positions.iter().map(|&position| $values[position as usize]));
                VectorData::$variant(values)
            }};
        }
        let data = match &from.data {
            VectorData::Bool(bits) => {
                let mut taken = self.take_bool();
                taken.fill(positions.len(), |at| bits.get(positions[at] as usize));
                VectorData::Bool(taken)
            }
            VectorData::I32(values) => gather!(take_i32, I32, values),
            VectorData::I64(values) => gather!(take_i64, I64, values),
            VectorData::I128(values) => gather!(take_i128, I128, values),
            VectorData::F64(values) => gather!(take_f64, F64, values),
            VectorData::Interval(values) => gather!(take_interval, Interval, values),
            VectorData::Text(texts) => {
                let mut taken = self.take_text();
                taken.gather(texts, positions);
                VectorData::Text(taken)
            }
            VectorData::Vectors(vectors) => {
                let mut taken = self.take_vectors(vectors.length());
                taken.gather(vectors, positions.iter().map(|&position| position as usize));
                VectorData::Vectors(taken)
            }
            VectorData::Numerics(numbers) => {
                let mut taken = self.take_numerics();
                taken.gather(numbers, positions);
                VectorData::Numerics(taken)
            }
            VectorData::Code { codes, dictionary } => {
                let mut taken = self.take_codes();
                taken.extend(positions.iter().map(|&position| codes[position as usize]));
                VectorData::Code { codes: taken, dictionary: Arc::clone(dictionary) }
            }
        };
        self.set(positions.len(), data, nulls);
    }
}

impl VectorData {
    /// How many values.
    pub fn len(&self) -> usize {
        match self {
            VectorData::Bool(bits) => bits.len(),
            VectorData::I32(values) => values.len(),
            VectorData::I64(values) => values.len(),
            VectorData::I128(values) => values.len(),
            VectorData::F64(values) => values.len(),
            VectorData::Text(texts) => texts.len(),
            VectorData::Code { codes, .. } => codes.len(),
            VectorData::Interval(values) => values.len(),
            VectorData::Numerics(numbers) => numbers.len(),
            VectorData::Vectors(vectors) => vectors.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The integer that stands for an integer-like value; 0 for all others.
fn integer_of(value: &Value) -> i128 {
    match value {
        Value::Int(integer) => (*integer).into(),
        Value::Decimal(unscaled) => *unscaled,
        Value::Boolean(bit) => (*bit).into(),
        _ => 0,
    }
}

/// The value of an integer-like type that an integer stands for.
pub fn integer_value(integer: i128, data_type: DataType) -> Value {
    if data_type.is_decimal() { Value::Decimal(integer) } else { Value::Int(integer as i64) }
}
