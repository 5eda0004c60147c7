//! Guessing the columns of a CSV file from its first rows: a column is of the narrowest type in the order boolean,
//! bigint, double, or date, timestamp, or time, that reads all of its fields; otherwise, and without any field that is
//! not NULL, it is text.

use super::CsvOptions;
use super::records::{Blocks, Records};
use crate::format::{bad_file, fold_names};
use multiloop_exec::{ErrorKind, Result};
use multiloop_planner::evaluate::parse;
use multiloop_planner::types::{DataType, Field};
use std::path::Path;

/// Rows that are looked at, besides a header.
const ROWS_MAX: usize = 20_480;

/// The fields of a file, and whether its first row is a header.
pub(super) fn infer(path: &Path, options: &CsvOptions) -> Result<(Vec<Field>, bool)> {
    let Some((bytes, pieces)) = Blocks::open(path, options, 4)?.next()? else {
        return Err(bad_file(path, "an empty CSV file has no columns to guess"));
    };
    let mut first: Vec<Option<String>> = Vec::new();
    let mut guesses: Vec<Guess> = Vec::new();
    let mut rows = 0;
    'pieces: for (index, piece) in pieces.iter().enumerate() {
        let mut records = Records::new(&bytes[piece.bytes.clone()], piece.line, path, options)?;
        if index == 0 {
            let count = records.next_record()?.unwrap_or(0);
            first = (0..count).map(|index| records.field(index).map(str::to_owned)).collect();
            guesses = vec![Guess::default(); count];
        }
        while let Some(count) = records.next_record()? {
            if count != first.len() {
                let message = format!("{count} fields where the first row has {}", first.len());
                return Err(records.error(ErrorKind::BadFile, message));
            }
            guesses.iter_mut().enumerate().for_each(|(index, guess)| guess.see(records.field(index)));
            rows += 1;
            if rows == ROWS_MAX {
                break 'pieces;
            }
        }
    }
    let header = options.header.unwrap_or_else(|| looks_like_header(&first, &guesses));
    if !header {
        guesses.iter_mut().zip(&first).for_each(|(guess, text)| guess.see(text.as_deref()));
    }
    let name = |index: usize| {
        let given = first[index].as_deref().map(str::trim).filter(|name| header && !name.is_empty());
        given.map_or_else(|| format!("column{}", index + 1), str::to_owned)
    };
    let fields = guesses.iter().enumerate().map(|(index, guess)| Field::new(name(index), guess.data_type(), true));
    Ok((fold_names(fields.collect()), header))
}

/// Whether the first row of a file holds the names of these columns.
pub(super) fn is_header_of(path: &Path, options: &CsvOptions, fields: &[Field]) -> Result<bool> {
    let Some((bytes, pieces)) = Blocks::open(path, options, 1)?.next()? else { return Ok(false) };
    let Some(piece) = pieces.first() else { return Ok(false) };
    let mut records = Records::new(&bytes[piece.bytes.clone()], piece.line, path, options)?;
    if records.next_record()? != Some(fields.len()) {
        return Ok(false);
    }
    let named = |(index, field): (usize, &Field)| {
        records.field(index).is_some_and(|text| text.trim().to_lowercase() == field.name.to_lowercase())
    };
    Ok(fields.iter().enumerate().all(named))
}

/// A first row is data if one of its fields reads as the type of the column below it, where that is not text.
fn looks_like_header(first: &[Option<String>], guesses: &[Guess]) -> bool {
    let fits = |(text, guess): (&Option<String>, &Guess)| {
        let mut with = guess.clone();
        with.see(text.as_deref());
        text.is_some() && guess.data_type() != DataType::Text && with.data_type() != DataType::Text
    };
    first.iter().all(Option::is_some) && !first.iter().zip(guesses).any(fits)
}

/// What the fields of a column have been so far.
#[derive(Clone, Debug, Default)]
struct Guess {
    booleans: bool,
    integers: bool,
    doubles: bool,
    dates: bool,
    timestamps: bool,
    times: bool,
    texts: bool,
}

impl Guess {
    fn see(&mut self, text: Option<&str>) {
        let Some(text) = text else { return };
        match shape(text) {
            DataType::Boolean => self.booleans = true,
            DataType::BigInt => self.integers = true,
            DataType::Double => self.doubles = true,
            DataType::Date => self.dates = true,
            DataType::Timestamp => self.timestamps = true,
            DataType::Time => self.times = true,
            _ => self.texts = true,
        }
    }

    fn data_type(&self) -> DataType {
        let numbers = self.integers || self.doubles;
        let days = self.dates || self.timestamps;
        match [self.booleans, numbers, days, self.times, self.texts] {
            [true, false, false, false, false] => DataType::Boolean,
            [false, true, false, false, false] if self.doubles => DataType::Double,
            [false, true, false, false, false] => DataType::BigInt,
            [false, false, true, false, false] if self.timestamps => DataType::Timestamp,
            [false, false, true, false, false] => DataType::Date,
            [false, false, false, true, false] => DataType::Time,
            _ => DataType::Text,
        }
    }
}

/// The type of one field by its looks.
fn shape(text: &str) -> DataType {
    let bytes = text.as_bytes();
    let digits =
        |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    let reads = |data_type| parse(text, data_type).is_ok();
    if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
        return DataType::Boolean;
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        if unsigned.bytes().all(|byte| byte.is_ascii_digit()) && reads(DataType::BigInt) {
            return DataType::BigInt;
        }
        if text.parse::<f64>().is_ok_and(f64::is_finite) {
            return DataType::Double;
        }
    }
    let date =
        digits(0..4) && bytes.get(4) == Some(&b'-') && digits(5..7) && bytes.get(7) == Some(&b'-') && digits(8..10);
    if date && bytes.len() == 10 && reads(DataType::Date) {
        return DataType::Date;
    }
    if date && bytes.len() > 15 && matches!(bytes[10], b' ' | b'T') && reads(DataType::Timestamp) {
        return DataType::Timestamp;
    }
    let time = digits(0..2) && bytes.get(2) == Some(&b':') && digits(3..5) && bytes.get(5) == Some(&b':');
    if time && reads(DataType::Time) { DataType::Time } else { DataType::Text }
}
