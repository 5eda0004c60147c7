//! The values of keys as typed columns.

use super::guess::{Look, is_uuid};
use super::infer::zero_in;
use super::quick;
use super::scan::{Fault, Number, Raw, Scanned, Token, elements};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use multiloop_exec::column::{Column, ColumnData};
use multiloop_exec::cpu::simd::marks::Stops;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::{check_length, of_json, parse, parse_in};
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType};
use multiloop_planner::value::Value;
use std::borrow::Cow;
use std::ops::Range;

/// A column in the making.
pub(super) struct Builder<'a> {
    data_type: DataType,
    element: Option<DataType>,
    /// Whether the type was guessed: then every value has to be as the guess says.
    guessed: bool,
    time_zone: &'a str,
    quick: Quick,
    /// Whether values that take much memory are kept; else they are only looked at.
    keeps_all: bool,
    values: Values,
    /// Which rows are not NULL; none while all are not.
    valid: Option<Vec<bool>>,
    rows: usize,
    nulls: usize,
}

/// Types whose values have a common shape.
#[derive(Clone, Copy)]
enum Quick {
    Integer,
    Double,
    Date,
    Text,
    None,
}

/// A column that has been made.
#[derive(Debug)]
pub(super) struct Made {
    /// Its values; none if they were only looked at.
    pub(super) column: Option<Column>,
    pub(super) nulls: usize,
    /// The least and the greatest of values that are integers.
    pub(super) range: Option<(i64, i64)>,
}

enum Values {
    Booleans(Vec<bool>),
    Integers(Vec<i64>),
    Decimals(Vec<i128>),
    Doubles(Vec<f64>),
    Text { ends: Vec<i32>, bytes: Vec<u8> },
    Other(Vec<Value>),
}

impl<'a> Builder<'a> {
    pub(super) fn new(data_type: DataType, guessed: bool, time_zone: &'a str) -> Self {
        use DataType::*;
        let element = data_type.element().filter(|_| !data_type.is_zero_based());
        let values = match data_type {
            Boolean => Values::Booleans(Vec::new()),
            SmallInt | Integer | BigInt | Date | Time | Timestamp | TimestampTz => Values::Integers(Vec::new()),
            Decimal { .. } => Values::Decimals(Vec::new()),
            Double => Values::Doubles(Vec::new()),
            Text | Varchar(_) | Char(_) | Json | Jsonb | Uuid => Values::Text { ends: vec![0], bytes: Vec::new() },
            _ if element.is_some() => Values::Text { ends: vec![0], bytes: Vec::new() },
            _ => Values::Other(Vec::new()),
        };
        let quick = match data_type {
            BigInt => Quick::Integer,
            Double => Quick::Double,
            Date => Quick::Date,
            Text => Quick::Text,
            _ => Quick::None,
        };
        let keeps_all = true;
        Builder { data_type, element, guessed, time_zone, quick, keeps_all, values, valid: None, rows: 0, nulls: 0 }
    }

    /// One that holds every value against its type, and keeps those of a fixed width.
    pub(super) fn looking(data_type: DataType, time_zone: &'a str) -> Self {
        Builder { keeps_all: false, ..Builder::new(data_type, true, time_zone) }
    }

    /// Makes room for so many rows of values of a fixed width.
    pub(super) fn reserve(&mut self, rows: usize) {
        match &mut self.values {
            Values::Booleans(values) => values.reserve(rows),
            Values::Integers(values) => values.reserve(rows),
            Values::Doubles(values) => values.reserve(rows),
            Values::Text { ends, .. } if self.keeps_all => ends.reserve(rows),
            Values::Text { .. } | Values::Decimals(_) | Values::Other(_) => {}
        }
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let values = match &self.values {
            Values::Booleans(values) => values.capacity(),
            Values::Integers(values) => values.capacity() * 8,
            Values::Decimals(values) => values.capacity() * 16,
            Values::Doubles(values) => values.capacity() * 8,
            Values::Text { ends, bytes } => ends.capacity() * 4 + bytes.capacity(),
            Values::Other(values) => {
                let elements = self.data_type.vector_of().map_or(0, |(_, length)| length as usize);
                values.capacity() * (size_of::<Value>() * 2 + elements * size_of::<f64>())
            }
        };
        values + self.valid.as_ref().map_or(0, Vec::capacity)
    }

    pub(super) fn push_null(&mut self) {
        match &mut self.values {
            Values::Booleans(values) => values.push(false),
            Values::Integers(values) => values.push(0),
            Values::Decimals(values) => values.push(0),
            Values::Doubles(values) => values.push(0.0),
            Values::Text { .. } | Values::Other(_) if !self.keeps_all => {}
            Values::Text { ends, .. } => ends.push(ends.last().copied().unwrap_or(0)),
            Values::Other(values) => values.push(Value::Null),
        }
        let rows = self.rows;
        self.valid.get_or_insert_with(|| vec![true; rows]).push(false);
        self.rows += 1;
        self.nulls += 1;
    }

    /// Adds the value that stands at a place of a text, if it is in the common shape of its type, or NULL: gives where it ends.
    #[inline]
    pub(super) fn take(&mut self, text: &str, at: usize, stops: &Stops) -> Option<usize> {
        let bytes = text.as_bytes();
        let taken = match (&mut self.values, self.quick) {
            (Values::Integers(values), Quick::Integer) => quick::integer(bytes, at).map(|(value, end)| {
                values.push(value);
                end
            }),
            (Values::Integers(values), Quick::Date) => quick::date(bytes, at).map(|(value, end)| {
                values.push(value);
                end
            }),
            (Values::Doubles(values), Quick::Double) => quick::double(bytes, at).map(|(value, end)| {
                values.push(value);
                end
            }),
            (Values::Text { ends, bytes: texts }, Quick::Text) => quick::string(bytes, at, stops).and_then(|end| {
                if self.keeps_all {
                    append(texts, bytes, at + 1..end);
                    ends.push(i32::try_from(texts.len()).ok()?);
                }
                Some(end + 1)
            }),
            _ => None,
        };
        let Some(end) = taken else {
            let end = quick::null(bytes, at)?;
            self.push_null();
            return Some(end);
        };
        if let Some(valid) = &mut self.valid {
            valid.push(true);
        }
        self.rows += 1;
        Some(end)
    }

    /// Takes the rows from this one on back.
    pub(super) fn truncate(&mut self, rows: usize) {
        if self.rows <= rows {
            return;
        }
        match &mut self.values {
            Values::Booleans(values) => values.truncate(rows),
            Values::Integers(values) => values.truncate(rows),
            Values::Decimals(values) => values.truncate(rows),
            Values::Doubles(values) => values.truncate(rows),
            Values::Text { ends, bytes } => {
                ends.truncate(rows + 1);
                bytes.truncate(ends.last().map_or(0, |&end| end as usize));
            }
            Values::Other(values) => values.truncate(rows),
        }
        if let Some(valid) = &mut self.valid {
            self.nulls -= valid[rows..].iter().filter(|valid| !**valid).count();
            valid.truncate(rows);
        }
        self.rows = rows;
    }

    /// Adds a value. One that is not as was guessed is a contradiction; one that is not of a given type its own error.
    pub(super) fn push(&mut self, token: &Token, at: usize) -> Scanned<()> {
        if *token == Token::Null {
            self.push_null();
            return Ok(());
        }
        if self.guessed {
            self.push_guessed(token, at)?;
        } else {
            self.push_given(token).map_err(|error| Fault::Value(at, Box::new(error)))?;
        }
        if let Some(valid) = &mut self.valid {
            valid.push(true);
        }
        self.rows += 1;
        Ok(())
    }

    fn push_guessed(&mut self, token: &Token, at: usize) -> Scanned<()> {
        if let Some(element) = self.element {
            let Token::Array(array) = token else { return Err(Fault::Contradiction) };
            let mut all = Vec::new();
            elements(array, |token| {
                let value = guessed(&token, element, at)?.ok_or(Fault::Contradiction)?;
                if self.keeps_all {
                    all.push(value);
                }
                Ok(())
            })?;
            if !self.keeps_all {
                return Ok(());
            }
            let encoded = array_text(all, element);
            return self.push_text(&encoded).map_err(|error| Fault::Value(at, Box::new(error)));
        }
        let value = |found: Option<i64>| found.ok_or(Fault::Contradiction);
        match (&mut self.values, token) {
            (Values::Booleans(values), Token::Boolean(value)) => values.push(*value),
            (Values::Integers(values), Token::Number(number)) if self.data_type == DataType::BigInt => {
                values.push(value(number.bigint())?);
            }
            (Values::Integers(values), Token::String(raw)) => {
                values.push(value(moment(&raw.content(), self.data_type))?);
            }
            (Values::Doubles(values), Token::Number(number)) => {
                values.push(number.double().ok_or(Fault::Contradiction)?);
            }
            (Values::Decimals(values), Token::Number(number)) => {
                values.push(whole_decimal(number).ok_or(Fault::Contradiction)?);
            }
            (Values::Text { .. }, token) => {
                let text = match (token, self.data_type) {
                    (Token::String(raw), DataType::Text) => text(raw).map_err(|error| Fault::Value(at, error))?,
                    (Token::String(raw), DataType::Uuid) => {
                        Some(raw.content()).filter(|text| is_uuid(text)).ok_or(Fault::Contradiction)?
                    }
                    (token, DataType::Json) => return self.push_json(token, at),
                    _ => return Err(Fault::Contradiction),
                };
                self.push_text(&text).map_err(|error| Fault::Value(at, Box::new(error)))?;
            }
            (Values::Other(values), token) => {
                let value = guessed(token, self.data_type, at)?.ok_or(Fault::Contradiction)?;
                if self.keeps_all {
                    values.push(value);
                }
            }
            _ => return Err(Fault::Contradiction),
        }
        Ok(())
    }

    fn push_json(&mut self, token: &Token, at: usize) -> Scanned<()> {
        let pushed = match token {
            Token::String(raw) => self.push_parts(&["\"", raw.text, "\""]),
            token => self.push_text(bare(token)),
        };
        pushed.map_err(|error| Fault::Value(at, Box::new(error)))
    }

    fn push_text(&mut self, text: &str) -> Result<()> {
        self.push_parts(&[text])
    }

    fn push_parts(&mut self, parts: &[&str]) -> Result<()> {
        let Values::Text { ends, bytes } = &mut self.values else {
            return Err(Error::internal("a text where no texts are"));
        };
        if !self.keeps_all {
            return Ok(());
        }
        parts.iter().for_each(|part| bytes.extend_from_slice(part.as_bytes()));
        let end = i32::try_from(bytes.len());
        ends.push(end.map_err(|_| Error::unsupported("more than 2 GiB of text in one piece of a file is"))?);
        Ok(())
    }

    fn push_given(&mut self, token: &Token) -> Result<()> {
        if let (Some(element), Token::Array(array)) = (self.element, token) {
            return self.push_text(&array_text(all_given(array, element, self.time_zone)?, element));
        }
        match (&mut self.values, token) {
            (Values::Text { .. }, Token::String(raw)) if self.data_type == DataType::Text => {
                return self.push_text(&text(raw).map_err(|error| *error)?);
            }
            (Values::Doubles(values), Token::Number(number)) => {
                // Of digits that no double holds the nearest, as of a text.
                let nearest = |value| if let Value::Float(value) = value { value } else { f64::NAN };
                values.push(match number.double() {
                    Some(value) => value,
                    None => nearest(parse(number.text, DataType::Double)?),
                });
                return Ok(());
            }
            _ => {}
        }
        let value = given(token, self.data_type, self.time_zone)?;
        match (&mut self.values, value) {
            (Values::Booleans(values), Value::Boolean(value)) => values.push(value),
            (Values::Integers(values), Value::Int(value)) => values.push(value),
            (Values::Decimals(values), Value::Decimal(value)) => values.push(value),
            (Values::Doubles(values), Value::Float(value)) => values.push(value),
            (Values::Text { .. }, Value::Text(text)) => self.push_text(&text)?,
            (Values::Other(values), value) => values.push(value),
            (_, value) => return Err(Error::internal(format!("JSON read as {} gave {value:?}", self.data_type))),
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Made {
        let (nulls, range) = (self.nulls, self.range());
        let is_kept = self.keeps_all || !matches!(self.values, Values::Text { .. } | Values::Other(_));
        let valid = self.valid.map(NullBuffer::from);
        let data = match self.values {
            Values::Booleans(values) => ColumnData::Boolean(values.into()),
            Values::Integers(values) => ColumnData::Int64(values.into()),
            Values::Decimals(values) => ColumnData::Int128(values.into()),
            Values::Doubles(values) => ColumnData::Float64(values.into()),
            Values::Text { .. } | Values::Other(_) if !is_kept => return Made { column: None, nulls, range },
            Values::Text { ends, bytes } => {
                ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: bytes.into() }
            }
            Values::Other(values) => {
                return Made { column: Some(Column::from_values(self.data_type, &values)), nulls, range };
            }
        };
        Made { column: Some(Column::new(data, valid)), nulls, range }
    }

    /// The least and the greatest of values that are integers.
    fn range(&self) -> Option<(i64, i64)> {
        let Values::Integers(values) = &self.values else { return None };
        let wider = |(min, max): (i64, i64), value: i64| (min.min(value), max.max(value));
        let none = (i64::MAX, i64::MIN);
        let range = match &self.valid {
            None => values.iter().fold(none, |range, &value| wider(range, value)),
            Some(valid) => {
                let values = values.iter().zip(valid).filter(|(_, valid)| **valid);
                values.fold(none, |range, (&value, _)| wider(range, value))
            }
        };
        (range.0 <= range.1).then_some(range)
    }
}

/// Appends a part of some bytes. Most are short: sixteen bytes are two words, whatever their length is.
#[inline(always)]
fn append(to: &mut Vec<u8>, bytes: &[u8], part: Range<usize>) {
    if part.len() <= 16
        && let Some(sixteen) = bytes.get(part.start..).and_then(|bytes| bytes.first_chunk::<16>())
    {
        let end = to.len() + part.len();
        to.extend_from_slice(sixteen);
        to.truncate(end);
        return;
    }
    to.extend_from_slice(&bytes[part]);
}

/// The text that stands for an array of one dimension.
fn array_text(elements: Vec<Value>, element: DataType) -> String {
    crate::format::Array::of(elements).encode(element)
}

/// The days or microseconds of a text that looks like one of this type.
fn moment(text: &str, data_type: DataType) -> Option<i64> {
    match (Look::of(text)?, data_type) {
        ((Look::Date, days), DataType::Date) => Some(days),
        ((Look::Time, micros), DataType::Time) => Some(micros),
        ((Look::Timestamp, micros), DataType::Timestamp) => Some(micros),
        ((Look::Instant, micros), DataType::TimestampTz) => Some(micros),
        _ => None,
    }
}

fn whole_decimal(number: &Number) -> Option<i128> {
    let fits = number.is_integer && number.digits_count() <= usize::from(DECIMAL_DIGITS_MAX);
    fits.then(|| number.text.parse().ok()).flatten()
}

/// The characters of a string as text; an error (22P05) if it holds that of number zero.
fn text<'a>(raw: &Raw<'a>) -> std::result::Result<Cow<'a, str>, Box<Error>> {
    let content = raw.content();
    if raw.escaped && content.contains('\0') { Err(Box::new(zero_in(&content))) } else { Ok(content) }
}

/// A value of a type that was guessed, which stands at a place; none if it is not so.
fn guessed(token: &Token, data_type: DataType, at: usize) -> Scanned<Option<Value>> {
    Ok(match (token, data_type) {
        (Token::Null, _) => Some(Value::Null),
        (Token::Boolean(value), DataType::Boolean) => Some(Value::Boolean(*value)),
        (Token::Number(number), DataType::BigInt) => number.bigint().map(Value::Int),
        (Token::Number(number), DataType::Double) => number.double().map(Value::Float),
        (Token::Number(number), DataType::Decimal { .. }) => whole_decimal(number).map(Value::Decimal),
        (Token::Number(number), DataType::Numeric) => parse(number.text, DataType::Numeric).ok(),
        (Token::String(raw), DataType::Text) => {
            Some(Value::text(&*text(raw).map_err(|error| Fault::Value(at, error))?))
        }
        (Token::String(raw), DataType::Uuid) => {
            Some(raw.content()).filter(|text| is_uuid(text)).map(|text| Value::text(&*text))
        }
        (Token::String(raw), _) => moment(&raw.content(), data_type).map(Value::Int),
        _ => None,
    })
}

/// The values of an array as those of a given type.
fn all_given(array: &str, element: DataType, time_zone: &str) -> Result<Vec<Value>> {
    let (mut all, mut failed) = (Vec::new(), None);
    let each = |token| match given(&token, element, time_zone) {
        Ok(value) => {
            all.push(value);
            Ok(())
        }
        Err(error) => {
            failed = Some(error);
            Err(Fault::Contradiction)
        }
    };
    let _ = elements(array, each);
    failed.map_or(Ok(all), Err)
}

/// A value as one of a given type: numbers, texts and booleans as the texts that they are.
fn given(token: &Token, data_type: DataType, time_zone: &str) -> Result<Value> {
    let is_json = matches!(data_type, DataType::Json | DataType::Jsonb);
    match token {
        Token::Null => Ok(Value::Null),
        Token::String(raw) if is_json => parse(&format!("\"{}\"", raw.text), data_type),
        Token::String(raw) => of_text(&text(raw).map_err(|error| *error)?, data_type, time_zone),
        Token::Object(text) if data_type.struct_fields().is_some() => of_json(text, data_type, time_zone),
        Token::Array(text) if data_type.is_vector() => of_json(text, data_type, time_zone),
        Token::Array(text) | Token::Object(text) if !is_json && !data_type.is_text() => {
            let what = if matches!(token, Token::Array(_)) { "an array" } else { "an object" };
            let start: String = text.chars().take(40).collect();
            Err(Error::new(ErrorKind::InvalidText, format!("{what} is no {data_type}: {start}")))
        }
        Token::Boolean(value) if data_type == DataType::Boolean => Ok(Value::Boolean(*value)),
        token => of_text(bare(token), data_type, time_zone),
    }
}

fn of_text(text: &str, data_type: DataType, time_zone: &str) -> Result<Value> {
    check_length(text, data_type)?;
    parse_in(text, data_type, time_zone)
}

/// The text of a value that is no string.
fn bare<'a>(token: &Token<'a>) -> &'a str {
    match token {
        Token::Null => "null",
        Token::Boolean(true) => "true",
        Token::Boolean(false) => "false",
        Token::Number(number) => number.text,
        Token::String(raw) => raw.text,
        Token::Array(text) | Token::Object(text) => text,
    }
}
