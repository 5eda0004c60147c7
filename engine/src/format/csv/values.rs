//! The fields of rows as typed columns. The common shapes of integers, decimals and dates are read by hand; everything
//! else, and every error, is the engine's own text input.

use super::dialect::Dialect;
use super::guess::Guess;
use super::records::Records;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use multiloop_exec::column::{Column, ColumnData};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::calendar::{days_from_civil, days_in_month};
use multiloop_planner::evaluate::{check_length, parse as parse_text, parse_in};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;

/// What rows are read into.
pub(super) struct Columns<'a> {
    pub(super) fields: &'a [Field],
    /// What fields are taken to be, if the types are guessed: a field that is not so is an error (22P02).
    pub(super) guesses: Option<&'a [Guess]>,
    pub(super) dialect: &'a Dialect,
}

impl Columns<'_> {
    /// Passes over the row of names.
    pub(super) fn skip_header(&self, records: &mut Records) -> Result<()> {
        records.next_record()?;
        while self.guesses.is_some() && records.is_blank() && records.next_record()?.is_some() {}
        Ok(())
    }

    /// All rows as columns, and their number. Rows of another length are an error (22P04), bad values their own; both
    /// name the line.
    pub(super) fn parse(&self, records: &mut Records) -> Result<(usize, Vec<Column>)> {
        let (fields, capacity) = (self.fields, records.rows_estimated());
        let guess = |index: usize| self.guesses.map(|guesses| guesses[index]);
        let builder =
            |(index, field): (usize, &Field)| Builder::new(field.data_type, capacity, guess(index), self.dialect);
        let mut columns: Vec<Builder> = fields.iter().enumerate().map(builder).collect();
        let mut rows = 0;
        while let Some(mut count) = records.next_record()? {
            if self.guesses.is_some() {
                count = records.count_as(fields.len());
                if fields.len() > 1 && records.is_blank() {
                    continue;
                }
            }
            // As in PostgreSQL, an empty line is a row of no column if there is none.
            if count != fields.len() && !(fields.is_empty() && count == 1 && records.field(0).is_none()) {
                return Err(ragged(records, count, fields));
            }
            for (index, column) in columns.iter_mut().enumerate() {
                let text = records.field(index);
                column.push(text).map_err(|error| {
                    let place = format!("{}, column \"{}\"", error.message(), fields[index].name);
                    records.error(error.kind(), place)
                })?;
            }
            rows += 1;
        }
        Ok((rows, columns.into_iter().map(Builder::finish).collect()))
    }
}

fn ragged(records: &Records, count: usize, fields: &[Field]) -> Error {
    match fields.get(count) {
        Some(missing) => records.error(ErrorKind::BadFile, format!("missing data for column \"{}\"", missing.name)),
        None => records.error(ErrorKind::BadFile, "extra data after last expected column"),
    }
}

/// A column in the making.
struct Builder<'a> {
    data_type: DataType,
    guess: Option<Guess>,
    decimal: u8,
    time_zone: &'a str,
    values: Values,
    valid: Vec<bool>,
}

enum Values {
    Integers(Vec<i64>),
    Decimals(Vec<i128>),
    Doubles(Vec<f64>),
    Text { ends: Vec<i32>, bytes: Vec<u8> },
    Other(Vec<Value>),
}

impl<'a> Builder<'a> {
    fn new(data_type: DataType, capacity: usize, guess: Option<Guess>, dialect: &'a Dialect) -> Self {
        let values = match data_type {
            DataType::SmallInt | DataType::Integer | DataType::BigInt | DataType::Date | DataType::Timestamp => {
                Values::Integers(Vec::with_capacity(capacity))
            }
            DataType::Decimal { .. } => Values::Decimals(Vec::with_capacity(capacity)),
            DataType::Double => Values::Doubles(Vec::with_capacity(capacity)),
            DataType::Text | DataType::Varchar(_) | DataType::Char(_) => {
                let mut ends = Vec::with_capacity(capacity + 1);
                ends.push(0);
                Values::Text { ends, bytes: Vec::new() }
            }
            _ => Values::Other(Vec::new()),
        };
        let (decimal, time_zone) = (dialect.decimal, &*dialect.time_zone);
        Builder { data_type, guess, decimal, time_zone, values, valid: Vec::with_capacity(capacity) }
    }

    fn push(&mut self, text: Option<&str>) -> Result<()> {
        self.valid.push(text.is_some());
        let data_type = self.data_type;
        if let (Some(guess), Some(text)) = (&self.guess, text)
            && !as_guessed(text, data_type, guess, self.decimal)
        {
            return Err(Error::new(ErrorKind::InvalidText, format!("\"{text}\" is not {data_type}, as was guessed")));
        }
        let point = (self.decimal == b',').then(|| text.map(|text| with_point(text, data_type))).flatten();
        let text = point.as_deref().or(text);
        match (&mut self.values, text) {
            (Values::Integers(values), None) => values.push(0),
            (Values::Decimals(values), None) => values.push(0),
            (Values::Doubles(values), None) => values.push(0.0),
            (Values::Text { ends, bytes }, None) => ends.push(bytes.len() as i32),
            (Values::Other(values), None) => values.push(Value::Null),
            (Values::Integers(values), Some(text)) => values.push(integer(text, data_type)?),
            (Values::Decimals(values), Some(text)) => values.push(decimal(text, data_type)?),
            (Values::Doubles(values), Some(text)) => values.push(double(text, data_type)?),
            (Values::Text { ends, bytes }, Some(text)) => {
                match data_type {
                    DataType::Text => bytes.extend_from_slice(text.as_bytes()),
                    _ => {
                        check_length(text, data_type)?;
                        match parse_text(text, data_type)? {
                            Value::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                            other => return Err(unexpected(&other, data_type)),
                        }
                    }
                }
                let end = i32::try_from(bytes.len());
                ends.push(end.map_err(|_| Error::unsupported("more than 2 GiB of text between two line ends is"))?);
            }
            (Values::Other(values), Some(text)) => values.push(parse_in(text, data_type, self.time_zone)?),
        }
        Ok(())
    }

    fn finish(self) -> Column {
        let nulls = self.valid.contains(&false).then(|| NullBuffer::from(self.valid));
        let data = match self.values {
            Values::Integers(values) => ColumnData::Int64(values.into()),
            Values::Decimals(values) => ColumnData::Int128(values.into()),
            Values::Doubles(values) => ColumnData::Float64(values.into()),
            Values::Text { ends, bytes } => {
                ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: bytes.into() }
            }
            Values::Other(values) => return Column::from_values(self.data_type, &values),
        };
        Column { data, nulls }
    }
}

/// Whether a field is of a type that was guessed.
fn as_guessed(text: &str, data_type: DataType, guess: &Guess, decimal: u8) -> bool {
    let bytes = text.as_bytes();
    let short = (1..=15).contains(&bytes.len());
    // Not a zero in front of other digits.
    let led = !bytes.starts_with(b"0") || bytes.len() == 1 || bytes[1] == decimal;
    let point = bytes.iter().filter(|&&byte| byte == decimal).count();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    match data_type {
        DataType::Text => return true,
        DataType::BigInt if short && led && digits == bytes.len() => return true,
        DataType::Double if short && led && digits > 0 && point <= 1 && digits + point == bytes.len() => return true,
        DataType::Date if date(text).is_some() => return true,
        _ => {}
    }
    let mut with = *guess;
    with.see(text, true, decimal);
    with.data_type() == data_type
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

/// Up to 18 digits, perhaps behind a minus: what cannot overflow.
fn short_digits(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0i64, |value, digit| value * 10 + i64::from(digit - b'0'));
    Some(if digits.len() < text.len() { -value } else { value })
}

fn integer(text: &str, data_type: DataType) -> Result<i64> {
    let quick = match data_type {
        DataType::Date => date(text),
        DataType::Timestamp => None,
        _ => short_digits(text).filter(|&value| match data_type.integer_bounds() {
            Some((min, max)) => (min..=max).contains(&value.into()),
            None => false,
        }),
    };
    if let Some(value) = quick {
        return Ok(value);
    }
    match parse_text(text, data_type)? {
        Value::Int(value) => Ok(value),
        other => Err(unexpected(&other, data_type)),
    }
}

/// YYYY-MM-DD of the common era.
fn date(text: &str) -> Option<i64> {
    let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
    let number = |range: std::ops::Range<usize>| {
        bytes[range]
            .iter()
            .try_fold(0i64, |value, &byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let valid = bytes[4] == b'-' && bytes[7] == b'-' && year > 0 && (1..=12).contains(&month);
    (valid && day >= 1 && day <= days_in_month(year, month)).then(|| days_from_civil(year, month, day))
}

fn decimal(text: &str, data_type: DataType) -> Result<i128> {
    if let DataType::Decimal { precision, scale } = data_type
        && let Some(value) = short_decimal(text, precision, scale)
    {
        return Ok(value);
    }
    match parse_text(text, data_type)? {
        Value::Decimal(value) => Ok(value),
        other => Err(unexpected(&other, data_type)),
    }
}

/// A decimal with no more digits than its type has before and after the point, and few in all.
fn short_decimal(text: &str, precision: u8, scale: u8) -> Option<i128> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (precision, scale) = (usize::from(precision), usize::from(scale));
    if whole.is_empty() || whole.len() > precision - scale || fraction.len() > scale || whole.len() + scale > 18 {
        return None;
    }
    let read = |value: i64, part: &str| {
        part.bytes().try_fold(value, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
    };
    let value = read(read(0, whole)?, fraction)? * 10i64.pow((scale - fraction.len()) as u32);
    Some(i128::from(if negative { -value } else { value }))
}

fn double(text: &str, data_type: DataType) -> Result<f64> {
    // Only plain numbers: what Rust and PostgreSQL read differently (infinities, NaN, overflow) goes the long way.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-');
    if let (true, Ok(value)) = (plain && text.len() < 30, text.parse()) {
        return Ok(value);
    }
    match parse_text(text, data_type)? {
        Value::Float(value) => Ok(value),
        other => Err(unexpected(&other, data_type)),
    }
}
