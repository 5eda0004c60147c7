//! The columns of CSV files, by what their rows look like.
//!
//! The first rows say how rows are written, whether there is a header, and whether quotes mean anything; they say what types
//! columns have until other rows say otherwise (`guess`).

use super::CsvOptions;
use super::dialect::Dialect;
use super::forms::Notation;
use super::guess::{self, Guess};
use super::head::Head;
use super::records::Records;
use super::source::Source;
use crate::format::identity::Identity;
use crate::format::{bad_file, check_regular, fold_names};
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
use std::path::{Path, PathBuf};

/// Rows that are looked at, besides a header.
const ROWS_MAX: usize = 4_096;

/// A file's dialect and columns.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) path: PathBuf,
    pub(super) identity: Option<Identity>,
    pub(super) dialect: Dialect,
    /// Where the first row begins that is not the header, and on which line.
    pub(super) start: u64,
    pub(super) line: u64,
    /// Names as a statement has them.
    pub(super) names: Vec<String>,
    /// What the first rows look like.
    pub(super) guesses: Vec<Guess>,
    /// Types that options give.
    pub(super) said: Vec<Option<DataType>>,
}

impl Layout {
    /// Looks at the first rows of a file.
    ///
    /// Errors: 0A000 for what is no file: it may be read but once.
    pub(super) fn of(path: &Path, options: &CsvOptions, context: &Context) -> Result<Layout> {
        check_regular(path)?;
        let source = Source::open(path, options)?;
        let head = Head::read(&source, options, context)?;
        let mut dialect = Dialect::sniff(&head, options);
        if options.decimal.is_none() && options.thousands.is_none() && dialect.delimiter != b',' && options.auto_detect
        {
            dialect.decimal = decimal_of(&head, &dialect)?;
        }
        let mut seen = Seen::look(&source, &head, &dialect, options)?;
        let guessed = || options.auto_detect && seen.has_header(&dialect);
        let header = options.header.unwrap_or_else(guessed);
        if !header {
            seen.guesses.iter_mut().zip(&seen.first).for_each(|(guess, field)| field.see(guess, &dialect));
        }
        let quoted = seen.guesses.iter().all(Guess::is_quoted) && seen.first.iter().all(|field| !field.bare);
        let names = names_of(&seen, header, options)?;
        if names.iter().any(|name| name.contains('\0')) {
            let message = format!("invalid byte sequence for encoding \"UTF8\": 0x00 in {}, line 1", path.display());
            return Err(Error::new(ErrorKind::InvalidUtf8, message));
        }
        let said = said_types(&names, options)?;
        let all_text = options.all_text || !options.auto_detect;
        let guess = |(guess, said): (&Guess, &Option<DataType>)| match (said, quoted) {
            (Some(_), _) => Guess::default(),
            _ if all_text => Guess::text(),
            (None, true) => guess.without_quotes(),
            (None, false) => *guess,
        };
        let guesses = seen.guesses.iter().zip(&said).map(guess).collect();
        let (start, line) = head.start();
        let (start, line) = if header { (start + seen.behind.0 as u64, seen.behind.1) } else { (start, line) };
        let identity = source.identity().clone();
        Ok(Layout { path: path.to_owned(), identity, dialect, start, line, names, guesses, said })
    }
}

/// The names of the columns: those that options give, and else the header's, or numbers.
fn names_of(seen: &Seen, header: bool, options: &CsvOptions) -> Result<Vec<String>> {
    let (given, columns) = (&options.names, seen.guesses.len());
    if given.len() > columns {
        let message = format!("{} names are given for {columns} columns", given.len());
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    }
    let name = |index: usize| {
        let own = seen.first.get(index).and_then(|field| field.text.as_deref()).map(str::trim);
        let own = own.filter(|name| header && !name.is_empty());
        let name = given.get(index).map(String::as_str).or(own);
        Field::new(name.map_or_else(|| format!("column{index}"), str::to_owned), DataType::Text, true)
    };
    Ok(fold_names((0..columns).map(name).collect()).into_iter().map(|field| field.name).collect())
}

/// The types of the columns that options give: by name, or in order.
fn said_types(names: &[String], options: &CsvOptions) -> Result<Vec<Option<DataType>>> {
    let mut said = vec![None; names.len()];
    for (index, (name, data_type)) in options.types.iter().enumerate() {
        let place = match name {
            Some(name) => names.iter().position(|own| *own == name.to_lowercase()),
            None => Some(index).filter(|&index| index < names.len()),
        };
        let Some(place) = place else {
            let what = name.as_ref().map_or_else(|| format!("number {}", index + 1), |name| format!("\"{name}\""));
            let message = format!("a type is given for column {what}, which is not in the file");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        };
        said[place] = Some(*data_type);
    }
    Ok(said)
}

/// A field of the first row.
#[derive(Clone, Debug)]
struct First {
    text: Option<String>,
    bare: bool,
}

impl First {
    fn see(&self, guess: &mut Guess, dialect: &Dialect) {
        if let Some(text) = &self.text {
            guess.see(text, self.bare, dialect.notation());
        }
    }
}

/// The first row, and what the next ones are.
struct Seen {
    first: Vec<First>,
    /// Where the row behind the first begins, and on which line.
    behind: (usize, u64),
    guesses: Vec<Guess>,
}

impl Seen {
    fn look(source: &Source, head: &Head, dialect: &Dialect, options: &CsvOptions) -> Result<Seen> {
        let mut records = head.records(dialect)?;
        let first = first_row(&mut records)?;
        if first.is_empty() {
            return Err(bad_file(source.path(), "an empty CSV file has no columns to guess"));
        }
        let behind = records.place();
        let mut guesses = vec![Guess::default(); first.len()];
        look_on(&mut records, dialect, &mut guesses, options, head.is_all())?;
        Ok(Seen { first, behind, guesses })
    }

    /// A first row of names is one of which none reads as the type of the column below it, where that is not text.
    fn has_header(&self, dialect: &Dialect) -> bool {
        let fits = |(field, guess): (&First, &Guess)| {
            let mut with = *guess;
            field.see(&mut with, dialect);
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

/// Looks at the next rows; the last one of a head that is not all of the file may be cut.
fn look_on(
    records: &mut Records,
    dialect: &Dialect,
    guesses: &mut Vec<Guess>,
    options: &CsvOptions,
    is_all: bool,
) -> Result<()> {
    for _ in 0..options.sample_rows.unwrap_or(ROWS_MAX) {
        match records.next_record() {
            Ok(Some(_)) if is_all || !records.is_at_end() => {}
            // What does not end there is looked at where all rows are read.
            Err(_) if !is_all || options.drops() => break,
            Err(error) => return Err(error),
            Ok(_) => break,
        }
        let columns = guesses.len();
        let count = records.count_as(columns);
        if records.is_blank() && columns > 1 {
            continue;
        }
        if options.null_padding && count > columns {
            guesses.resize(count, Guess::default());
        } else if count != columns && !(options.null_padding && count < columns) {
            if options.drops() {
                continue;
            }
            let message = format!("{count} fields where the first row has {columns}");
            return Err(records.error(ErrorKind::BadFile, message));
        }
        for (index, guess) in guesses.iter_mut().enumerate().take(count) {
            if let Some(text) = records.field(index) {
                guess.see(text, records.is_bare(index), dialect.notation());
            }
        }
    }
    Ok(())
}

/// A comma, if some column is of numbers with one, which cannot stand for thousands, and none of numbers with a point.
fn decimal_of(head: &Head, dialect: &Dialect) -> Result<u8> {
    let mut records = head.records(dialect)?;
    let mut columns: Vec<(Guess, Guess, bool)> = Vec::new();
    for row in 0..ROWS_MAX {
        let Ok(Some(count)) = records.next_record() else { break };
        if row == 0 {
            columns = vec![(Guess::default(), Guess::default(), false); count];
        }
        for (index, (points, commas, certain)) in columns.iter_mut().enumerate().take(count) {
            // The first row may hold the names.
            let Some(text) = records.field(index) else { continue };
            let comma = guess::is_decimal_comma(text);
            if row > 0 || comma.is_some() {
                points.see(text, true, Notation::plain(b'.'));
                commas.see(text, true, Notation::plain(b','));
                *certain |= comma == Some(true);
            }
        }
    }
    let certain = columns.iter().any(|(_, commas, certain)| *certain && commas.has_fractions());
    let points = columns.iter().any(|(points, _, _)| points.has_fractions());
    Ok(if certain && !points { b',' } else { b'.' })
}

/// Where the first row of a file begins, and on which line, if it is read into these columns: behind a row of their names.
pub(super) fn start_in(head: &Head, dialect: &Dialect, options: &CsvOptions, fields: &[Field]) -> Result<(u64, u64)> {
    let (start, line) = head.start();
    let mut records = head.records(dialect)?;
    let count = match records.next_record() {
        Ok(count) => count,
        // Whoever reads it says what is wrong.
        Err(_) => return Ok((start, line)),
    };
    let named = |(index, field): (usize, &Field)| {
        records.field(index).is_some_and(|text| text.trim().to_lowercase() == field.name.to_lowercase())
    };
    let is_header = || count == Some(fields.len()) && fields.iter().enumerate().all(named);
    if !options.header.unwrap_or_else(is_header) {
        return Ok((start, line));
    }
    let (behind, line) = records.place();
    Ok((start + behind as u64, line))
}
