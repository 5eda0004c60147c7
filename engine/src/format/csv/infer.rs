//! The columns of CSV files, by what their rows look like.
//!
//! The first rows are looked at (`guess`). Where a later row is not of the type that they have, the file is looked at as a
//! whole, and read again.

use super::CsvOptions;
use super::dialect::Dialect;
use super::guess::{self, Guess};
use super::records::{Blocks, Piece, Records};
use crate::format::{bad_file, fold_names};
use multiloop_exec::workers::context::Context;
use multiloop_exec::{ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
use std::path::Path;

/// Rows that are looked at, besides a header.
const ROWS_MAX: usize = 20_480;

/// A file's dialect and columns.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) dialect: Dialect,
    /// Whether the first row holds the names.
    pub(super) header: bool,
    /// Names as a statement has them.
    pub(super) names: Vec<String>,
    pub(super) guesses: Vec<Guess>,
}

impl Layout {
    /// Looks at the first rows of a file, or all of them.
    pub(super) fn of(path: &Path, options: &CsvOptions, whole: bool, context: &Context) -> Result<Layout> {
        let mut dialect = Dialect::sniff(path, options)?;
        if options.decimal.is_none() && dialect.delimiter != b',' {
            dialect.decimal = decimal_of(path, &dialect)?;
        }
        let mut seen = Seen::look(path, &dialect, if whole { usize::MAX } else { ROWS_MAX }, context)?;
        let header = options.header.unwrap_or_else(|| seen.has_header(dialect.decimal));
        if !header {
            seen.guesses.iter_mut().zip(&seen.first).for_each(|(guess, field)| field.see(guess, dialect.decimal));
        }
        let quoted = seen.guesses.iter().all(Guess::is_quoted) && seen.first.iter().all(|field| !field.bare);
        let guesses = seen.guesses.iter().map(|guess| match (options.all_text, quoted) {
            (true, _) => Guess::text(),
            (false, true) => guess.without_quotes(),
            (false, false) => *guess,
        });
        let guesses: Vec<Guess> = guesses.collect();
        let name = |(index, field): (usize, &First)| {
            let given = field.text.as_deref().map(str::trim).filter(|name| header && !name.is_empty());
            Field::new(given.map_or_else(|| format!("column{index}"), str::to_owned), DataType::Text, true)
        };
        let names = fold_names(seen.first.iter().enumerate().map(name).collect());
        Ok(Layout { dialect, header, names: names.into_iter().map(|field| field.name).collect(), guesses })
    }
}

/// A field of the first row.
#[derive(Clone, Debug)]
struct First {
    text: Option<String>,
    bare: bool,
}

impl First {
    fn see(&self, guess: &mut Guess, decimal: u8) {
        if let Some(text) = &self.text {
            guess.see(text, self.bare, decimal);
        }
    }
}

/// The first row, and what the others are.
struct Seen {
    first: Vec<First>,
    guesses: Vec<Guess>,
}

impl Seen {
    fn look(path: &Path, dialect: &Dialect, rows_max: usize, context: &Context) -> Result<Seen> {
        let mut blocks = Blocks::open(path, dialect, context.workers().count().min(4))?;
        let Some((bytes, pieces)) = blocks.next()? else {
            return Err(bad_file(path, "an empty CSV file has no columns to guess"));
        };
        let mut records = Records::new(&bytes[pieces[0].bytes.clone()], pieces[0].line, path, dialect)?;
        let first = first_row(&mut records)?;
        let mut guesses = vec![Guess::default(); first.len()];
        look_on(&mut records, dialect, &mut guesses, rows_max)?;
        if rows_max < usize::MAX {
            return Ok(Seen { first, guesses });
        }
        let (mut bytes, mut rest) = (bytes.clone(), pieces[1..].to_vec());
        loop {
            let look = |piece: &Piece| {
                let mut found = vec![Guess::default(); first.len()];
                let mut records = Records::new(&bytes[piece.bytes.clone()], piece.line, path, dialect)?;
                look_on(&mut records, dialect, &mut found, usize::MAX)?;
                Ok(found)
            };
            for found in context.workers().map(rest.iter().collect(), look)? {
                guesses.iter_mut().zip(&found).for_each(|(guess, found)| guess.merge(found));
            }
            match blocks.next()? {
                Some(next) => (bytes, rest) = next,
                None => return Ok(Seen { first, guesses }),
            }
        }
    }

    /// A first row of names is one of which none reads as the type of the column below it, where that is not text.
    fn has_header(&self, decimal: u8) -> bool {
        let fits = |(field, guess): (&First, &Guess)| {
            let mut with = *guess;
            field.see(&mut with, decimal);
            field.text.is_some() && guess.data_type() != DataType::Text && with.data_type() != DataType::Text
        };
        self.first.iter().any(|field| field.text.is_some()) && !self.first.iter().zip(&self.guesses).any(fits)
    }
}

/// The first row that is not empty, or else the first.
fn first_row(records: &mut Records) -> Result<Vec<First>> {
    let mut count = records.next_record()?.unwrap_or(0);
    while records.is_blank() {
        match records.next_record()? {
            Some(next) => count = next,
            None => break,
        }
    }
    let field = |index| First { text: records.field(index).map(str::to_owned), bare: records.is_bare(index) };
    Ok((0..count).map(field).collect())
}

fn look_on(records: &mut Records, dialect: &Dialect, guesses: &mut [Guess], rows_max: usize) -> Result<()> {
    let columns = guesses.len();
    for _ in 0..rows_max {
        if records.next_record()?.is_none() {
            break;
        }
        let count = records.count_as(columns);
        if records.is_blank() && columns > 1 {
            continue;
        }
        if count != columns {
            let message = format!("{count} fields where the first row has {columns}");
            return Err(records.error(ErrorKind::BadFile, message));
        }
        for (index, guess) in guesses.iter_mut().enumerate() {
            if let Some(text) = records.field(index) {
                guess.see(text, records.is_bare(index), dialect.decimal);
            }
        }
    }
    Ok(())
}

/// A comma, if some column is of numbers with one, which cannot stand for thousands, and none of numbers with a point.
fn decimal_of(path: &Path, dialect: &Dialect) -> Result<u8> {
    let Some((bytes, pieces)) = Blocks::open(path, dialect, 1)?.next()? else { return Ok(b'.') };
    let Some(piece) = pieces.first() else { return Ok(b'.') };
    let mut records = Records::new(&bytes[piece.bytes.clone()], piece.line, path, dialect)?;
    let mut columns: Vec<(Guess, Guess, bool)> = Vec::new();
    for row in 0..ROWS_MAX {
        let Some(count) = records.next_record()? else { break };
        if row == 0 {
            columns = vec![(Guess::default(), Guess::default(), false); count];
        }
        for (index, (points, commas, certain)) in columns.iter_mut().enumerate().take(count) {
            // The first row may hold the names.
            let Some(text) = records.field(index) else { continue };
            let comma = guess::is_decimal_comma(text);
            if row > 0 || comma.is_some() {
                points.see(text, true, b'.');
                commas.see(text, true, b',');
                *certain |= comma == Some(true);
            }
        }
    }
    let certain = columns.iter().any(|(_, commas, certain)| *certain && commas.has_fractions());
    let points = columns.iter().any(|(points, _, _)| points.has_fractions());
    Ok(if certain && !points { b',' } else { b'.' })
}

/// Whether the first row of a file holds the names of these columns.
pub(super) fn is_header_of(path: &Path, dialect: &Dialect, fields: &[Field]) -> Result<bool> {
    let Some((bytes, pieces)) = Blocks::open(path, dialect, 1)?.next()? else { return Ok(false) };
    let Some(piece) = pieces.first() else { return Ok(false) };
    let mut records = Records::new(&bytes[piece.bytes.clone()], piece.line, path, dialect)?;
    if records.next_record()? != Some(fields.len()) {
        return Ok(false);
    }
    let named = |(index, field): (usize, &Field)| {
        records.field(index).is_some_and(|text| text.trim().to_lowercase() == field.name.to_lowercase())
    };
    Ok(fields.iter().enumerate().all(named))
}
