//! A column of a block's rows: its values, or only what they look like.
//!
//! The common shapes are read by `numbers`, one loop a type over all rows; everything else, and every error, is the engine's own
//! text input. Of a column whose type is guessed all fields are looked at while they are read, so that what is known in the end
//! is what a look at all rows had shown. From the first field on that is not as was guessed, the rest is only looked at.

use super::dialect::{Dialect, Forced};
use super::forms::{is_placeholder, with_placeholder_hint, without_thousands};
use super::guess::Guess;
use super::split::{Field, Rows, utf8};
use crate::format::numbers;
use arrow::array::BooleanBufferBuilder;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use multiloop_exec::column::{Column, ColumnData};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::{check_length, parse as parse_text, parse_in};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::borrow::Cow;
use std::ops::Range;

/// What is asked of a column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// Nothing.
    Skip,
    /// What its fields look like, and how many are NULL; the guess is of others of them.
    See(Guess),
    /// Values of a type: what is none is an error.
    Read(DataType),
    /// Values of a type that all fields are known to have: words that stand for missing values are NULL.
    ReadGuessed(DataType),
    /// Values of the type of the guess, which is of other fields, for as long as they are of it, and what they look like.
    SeeAndRead(Guess),
}

/// A column of a block.
#[derive(Debug)]
pub(super) struct Made {
    /// The values; none if nobody wants them, or not all are of the type.
    pub(super) column: Option<Column>,
    /// What all fields look like that were looked at.
    pub(super) guess: Guess,
    /// How many are NULL, if all were looked at.
    pub(super) nulls: Option<usize>,
    /// The least and the greatest of values that are integers.
    pub(super) range: Option<(i64, i64)>,
    /// Rows that have no value, in order, with what is wrong.
    pub(super) wrong: Vec<(usize, Error)>,
}

/// A column of rows.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) rows: &'a Rows,
    pub(super) dialect: &'a Dialect,
    pub(super) column: usize,
}

impl Source<'_> {
    /// The fields of a range of rows.
    pub(super) fn make(&self, want: Want, rows: Range<usize>) -> Made {
        let (known, data_type, keep) = match want {
            Want::Skip => return Made::nothing(),
            Want::See(known) => (Some(known), known.data_type(), false),
            Want::SeeAndRead(known) => (Some(known), known.data_type(), true),
            Want::Read(data_type) | Want::ReadGuessed(data_type) => (None, data_type, true),
        };
        let mut reading = Reading::new(*self, known, data_type, keep, rows);
        reading.placeholders = self.dialect.placeholders && !matches!(want, Want::Read(_));
        let data = reading.data();
        reading.finish(data)
    }
}

impl Made {
    fn nothing() -> Made {
        Made { column: None, guess: Guess::default(), nulls: None, range: None, wrong: Vec::new() }
    }
}

/// A column being read.
struct Reading<'a> {
    of: Source<'a>,
    known: Option<Guess>,
    data_type: DataType,
    keep: bool,
    rows: Range<usize>,
    /// Whether words stand for missing values.
    placeholders: bool,
    /// Whether what stands for NULL does so with and without quotes.
    quoted_null: bool,
    bare_null: bool,
    made: Made,
    /// Rows that are NULL, counted from the first that is read.
    nulls: Vec<u32>,
    /// The first row whose field is not as was guessed.
    other: Option<usize>,
}

impl<'a> Reading<'a> {
    fn new(of: Source<'a>, known: Option<Guess>, data_type: DataType, keep: bool, rows: Range<usize>) -> Self {
        let Forced { null, not_null } = of.dialect.forced.get(of.column).copied().unwrap_or_default();
        Reading {
            of,
            known,
            data_type,
            keep,
            rows,
            placeholders: false,
            quoted_null: null,
            bare_null: !not_null,
            made: Made::nothing(),
            nulls: Vec::new(),
            other: None,
        }
    }

    /// The fields as what carries their type.
    fn data(&mut self) -> ColumnData {
        let (data_type, point, guessed) = (self.data_type, self.of.dialect.decimal, self.known.is_some());
        let is_said = self.of.dialect.date_format.is_some() || self.of.dialect.timestamp_format.is_some();
        match data_type {
            DataType::BigInt if guessed => self.integers(|text, bare, guess| {
                let (value, digits) = numbers::printed_integer(text)?;
                guess.see_integer(digits, bare);
                Some(value)
            }),
            DataType::SmallInt | DataType::Integer | DataType::BigInt => {
                let (min, max) = data_type.integer_bounds().unwrap_or((0, 0));
                self.integers(|text, _, _| {
                    numbers::integer(text).filter(|&value| (min..=max).contains(&i128::from(value)))
                })
            }
            DataType::Date => self.integers(|text, bare, guess| {
                let value = numbers::date(text).filter(|_| !is_said)?;
                guess.see_date(bare);
                Some(value)
            }),
            DataType::Timestamp => self.integers(|text, bare, guess| {
                let value = numbers::timestamp(text).filter(|_| bare && !is_said)?;
                guess.see_timestamp();
                Some(value)
            }),
            DataType::Decimal { precision, scale } if precision <= 18 && !guessed => {
                self.integers(|text, _, _| numbers::decimal(text, precision, scale, point))
            }
            DataType::Decimal { precision, scale } => {
                let quick = |text: &[u8]| numbers::decimal(text, precision, scale, point).map(i128::from);
                let quick = |text: &[u8], _: bool, _: &mut Guess| if guessed { None } else { quick(text) };
                let wide = |value| if let Value::Decimal(value) = value { Some(value) } else { None };
                ColumnData::Int128(self.each(quick, wide, |_| ()).into())
            }
            DataType::Double => self.doubles(point),
            DataType::Text | DataType::Varchar(_) | DataType::Char(_) => self.texts(),
            _ => self.others(),
        }
    }

    /// Values that are integers of 64 bits, and their range.
    #[inline(always)]
    fn integers(&mut self, quick: impl Fn(&[u8], bool, &mut Guess) -> Option<i64>) -> ColumnData {
        let (mut min, mut max) = (i64::MAX, i64::MIN);
        let narrow = |value| match value {
            Value::Int(value) => Some(value),
            Value::Decimal(value) => i64::try_from(value).ok(),
            _ => None,
        };
        let values = self.each(quick, narrow, |value| (min, max) = (min.min(value), max.max(value)));
        self.made.range = (min <= max).then_some((min, max));
        ColumnData::Int64(values.into())
    }

    fn doubles(&mut self, point: u8) -> ColumnData {
        let quick = |text: &[u8], bare: bool, guess: &mut Guess| {
            // What a quoted number looks like matters as long as all have been printed like it.
            if !bare && !guess.is_odd() {
                return None;
            }
            if let Some((value, whole, fraction)) = numbers::fraction(text, point) {
                guess.see_fraction(whole, fraction, bare);
                return Some(value);
            }
            let (value, digits) = numbers::printed_integer(text)?;
            guess.see_integer(digits, bare);
            Some(value as f64)
        };
        let double = |value| if let Value::Float(value) = value { Some(value) } else { None };
        ColumnData::Float64(self.each(quick, double, |_| ()).into())
    }

    /// Values, by `quick` or by the engine's text input, which `narrow` takes; `seen` sees all that are not NULL.
    #[inline(always)]
    fn each<T: Copy + Default>(
        &mut self,
        quick: impl Fn(&[u8], bool, &mut Guess) -> Option<T>,
        narrow: impl Fn(Value) -> Option<T>,
        mut seen: impl FnMut(T),
    ) -> Vec<T> {
        let Source { bytes, rows, dialect, column } = self.of;
        let (bare_null, quoted_null) = (self.bare_null, self.quoted_null);
        let mut values = Vec::with_capacity(if self.keep { self.rows.len() } else { 0 });
        for row in self.rows.clone() {
            let (text, bare) = match rows.field(bytes, dialect, row, column) {
                Field::Bare(text) if !(bare_null && dialect.is_null(text)) => (text, true),
                Field::Quoted(text) if !(quoted_null && dialect.is_null(text)) => (text, false),
                field => {
                    let value = self.slow_field(row, field).and_then(&narrow);
                    value.into_iter().for_each(&mut seen);
                    if self.other.is_some() {
                        break;
                    }
                    if self.keep {
                        values.push(value.unwrap_or_default());
                    }
                    continue;
                }
            };
            let value =
                quick(text, bare, &mut self.made.guess).or_else(|| self.slow(row, text, bare).and_then(&narrow));
            if self.other.is_some() {
                break;
            }
            value.into_iter().for_each(&mut seen);
            if self.keep {
                values.push(value.unwrap_or_default());
            }
        }
        values
    }

    /// The value of a field that is NULL, or has quotes within it.
    #[cold]
    fn slow_field(&mut self, row: usize, field: Field<'_>) -> Option<Value> {
        match self.text_of(field) {
            Some((text, bare)) => self.slow(row, &text, bare),
            None => {
                self.nulls.push((row - self.rows.start) as u32);
                None
            }
        }
    }

    /// A field's bytes, and whether it has no quotes; None if it is NULL.
    fn text_of<'f>(&self, field: Field<'f>) -> Option<(Cow<'f, [u8]>, bool)> {
        let (text, bare) = field.text(self.of.dialect)?;
        let may_be_null = if bare { self.bare_null } else { self.quoted_null };
        (!may_be_null || !self.of.dialect.is_null(&text)).then_some((text, bare))
    }

    /// The value of a field that is not in its type's common shape; none if it is wrong, or not as was guessed.
    #[cold]
    #[inline(never)]
    fn slow(&mut self, row: usize, text: &[u8], bare: bool) -> Option<Value> {
        let read = utf8(text).and_then(|text| {
            if let Some(known) = self.known {
                self.see(known, row, text, bare);
                if self.other.is_some() {
                    return Ok(None);
                }
            }
            if self.placeholders && bare && is_placeholder(text.as_bytes()) {
                self.nulls.push((row - self.rows.start) as u32);
                return Ok(None);
            }
            let value = value_of(text, self.data_type, self.of.dialect);
            value.map(Some).map_err(|error| with_placeholder_hint(error, text))
        });
        match read {
            Ok(value) => value,
            Err(_) if self.known.is_some() => {
                self.other = Some(row);
                None
            }
            Err(error) => {
                self.made.wrong.push((row, error));
                None
            }
        }
    }

    /// Looks at a field of a column whose type is guessed.
    fn see(&mut self, known: Guess, row: usize, text: &str, bare: bool) {
        self.made.guess.see(text, bare, self.of.dialect.notation());
        let mut all = known;
        all.merge(&self.made.guess);
        if all.data_type() != self.data_type {
            self.other = Some(row);
        }
    }

    /// Looks at all fields from a row on.
    fn see_rest(&mut self, from: usize) {
        let Source { bytes, rows, dialect, column } = self.of;
        for row in from..self.rows.end {
            if self.made.guess.is_settled() {
                break;
            }
            if let Some((text, bare)) = self.text_of(rows.field(bytes, dialect, row, column))
                && let Ok(text) = utf8(&text)
            {
                self.made.guess.see(text, bare, dialect.notation());
            }
        }
    }

    fn texts(&mut self) -> ColumnData {
        let Source { bytes, rows, dialect, column } = self.of;
        let (bare_null, quoted_null) = (self.bare_null, self.quoted_null);
        let known = self.known.filter(|known| !known.is_settled());
        let (mut ends, mut texts) = (Vec::new(), Vec::new());
        if self.keep {
            ends.reserve(self.rows.len() + 1);
            ends.push(0);
        }
        for row in self.rows.clone() {
            let field = rows.field(bytes, dialect, row, column);
            let text = match field {
                Field::Bare(text) if !(bare_null && dialect.is_null(text)) => Some((Cow::Borrowed(text), true)),
                Field::Quoted(text) if !(quoted_null && dialect.is_null(text)) => Some((Cow::Borrowed(text), false)),
                field => self.text_of(field),
            };
            match text {
                None => self.nulls.push((row - self.rows.start) as u32),
                Some((text, bare)) => {
                    if let Some(known) = known
                        && !self.made.guess.is_settled()
                        && let Ok(text) = utf8(&text)
                    {
                        self.see(known, row, text, bare);
                        if self.other.is_some() {
                            break;
                        }
                    }
                    if self.keep {
                        self.push_text(&mut texts, row, &text);
                    }
                }
            }
            if self.keep {
                // A block is shorter than 2 GiB.
                ends.push(texts.len() as i32);
            }
        }
        if ends.is_empty() {
            ends.push(0);
        }
        ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: texts.into() }
    }

    /// Adds a string, as its type has it.
    #[inline(always)]
    fn push_text(&mut self, texts: &mut Vec<u8>, row: usize, text: &[u8]) {
        if self.data_type == DataType::Text {
            texts.extend_from_slice(text);
            return;
        }
        let checked = utf8(text).and_then(|text| {
            check_length(text, self.data_type)?;
            match parse_text(text, self.data_type)? {
                Value::Text(text) => Ok(text),
                other => Err(unexpected(&other, self.data_type)),
            }
        });
        match checked {
            Ok(text) => texts.extend_from_slice(text.as_bytes()),
            Err(error) => self.made.wrong.push((row, error)),
        }
    }

    /// Values of types that have no loop of their own.
    fn others(&mut self) -> ColumnData {
        let Source { bytes, rows, dialect, column } = self.of;
        let mut values = Vec::with_capacity(self.rows.len());
        for row in self.rows.clone() {
            let value = self.slow_field(row, rows.field(bytes, dialect, row, column));
            if self.other.is_some() {
                break;
            }
            values.push(value.unwrap_or(Value::Null));
        }
        Column::from_values(self.data_type, &values).data
    }

    /// What has been made of the column.
    fn finish(mut self, data: ColumnData) -> Made {
        if let Some(row) = self.other {
            self.see_rest(row + 1);
            self.made.range = None;
            return self.made;
        }
        self.made.nulls = Some(self.nulls.len());
        if self.keep {
            let nulls = (!self.nulls.is_empty()).then(|| {
                let mut valid = BooleanBufferBuilder::new(self.rows.len());
                valid.append_n(self.rows.len(), true);
                self.nulls.iter().for_each(|&row| valid.set_bit(row as usize, false));
                NullBuffer::new(valid.finish())
            });
            self.made.column = Some(Column::new(data, nulls));
        }
        self.made
    }
}

/// The value of a text as a type's.
fn value_of(text: &str, data_type: DataType, dialect: &Dialect) -> Result<Value> {
    let written = written(text, data_type, dialect)?;
    let text = written.as_deref().unwrap_or(text);
    let point = (dialect.decimal == b',').then(|| with_point(text, data_type));
    let text = point.as_deref().unwrap_or(text);
    // What Rust and PostgreSQL read differently (infinities, NaN, overflow) goes the long way.
    if data_type == DataType::Double
        && text.len() < 30
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-')
        && let Ok(value) = text.parse()
    {
        return Ok(Value::Float(value));
    }
    parse_in(text, data_type, &dialect.time_zone)
}

/// A text that options say how it is written, as its type is written otherwise; none where they say nothing of it.
///
/// Errors: 22007 for what is not written so.
fn written(text: &str, data_type: DataType, dialect: &Dialect) -> Result<Option<String>> {
    if data_type.is_numeric() {
        let plain = dialect.thousands.and_then(|mark| without_thousands(text.trim(), mark, dialect.decimal));
        return Ok(plain);
    }
    let patterns = match data_type {
        DataType::Date => [&dialect.date_format, &None],
        DataType::Timestamp | DataType::TimestampTz => [&dialect.timestamp_format, &dialect.date_format],
        _ => return Ok(None),
    };
    let written = patterns.into_iter().flatten().find_map(|pattern| pattern.rewritten(text));
    let Some(first) = patterns[0] else { return Ok(written) };
    written.map(Some).ok_or_else(|| {
        let message = format!("invalid input syntax for type {data_type}: \"{text}\"");
        Error::new(ErrorKind::InvalidDatetime, message)
            .with_hint(format!("Values are expected to be written as {}.", first.text()))
    })
}

/// A number with a point in place of its decimal comma; of other types the text itself.
fn with_point(text: &str, data_type: DataType) -> String {
    match data_type {
        DataType::Real | DataType::Double | DataType::Decimal { .. } | DataType::Numeric if !text.contains('.') => {
            text.replacen(',', ".", 1)
        }
        // No number with this separator: its own error follows.
        DataType::Real | DataType::Double | DataType::Decimal { .. } | DataType::Numeric => {
            format!("{text} (decimal comma)")
        }
        _ => text.to_owned(),
    }
}

fn unexpected(value: &Value, data_type: DataType) -> Error {
    Error::internal(format!("text read as {data_type} gave {value:?}"))
}
