//! CSV as PostgreSQL's COPY reads and writes it: an unquoted field equal to the null string is NULL, a quoted one never
//! is; quotes may stand anywhere in a field and may enclose line ends; a row has exactly one field a column.
//!
//! A file is read in pieces of whole rows (`records`), which are parsed in parallel into typed columns (`values`).
//! Without given columns, how rows are written (`dialect`), names and types (`infer`, `guess`) come from the first rows,
//! and quotes count only around a whole field. `write` is the way out: what a file is read as again is what was written.

mod dialect;
mod guess;
mod infer;
mod options;
mod records;
mod values;
mod write;

pub use write::{append_header, append_rows, write};

use super::set::FileSet;
use super::unite::Union;
use dialect::{Dialect, NO_BYTE};
use guess::Guess;
use infer::Layout;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Column, Table};
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
use records::{Blocks, Records};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How a CSV file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// Whether the first row holds the names. None: when reading into given columns, it does if they are the columns'
    /// names; when guessing the columns, it does unless it looks like data; when writing, it does.
    pub header: Option<bool>,
    /// Between fields. None: a comma, or in reading whatever separates the first rows.
    pub delimiter: Option<u8>,
    /// Around fields; 255 is none. None: a double quote, or in reading without given columns a single one, too.
    pub quote: Option<u8>,
    /// Before a quote (or itself) within a quoted field. None: the quote, or a backslash as above.
    pub escape: Option<u8>,
    /// What stands for NULL, unquoted.
    pub null: String,
    /// Before the fraction of a number. None: a point, or a comma where numbers look like it.
    pub decimal: Option<u8>,
    /// Whether columns that would be guessed are text, all of them.
    pub all_text: bool,
    /// The time zone of instants whose texts name none, in reading. None: UTC.
    pub time_zone: Option<Arc<str>>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        let null = String::new();
        CsvOptions {
            header: None,
            delimiter: None,
            quote: None,
            escape: None,
            null,
            decimal: None,
            all_text: false,
            time_zone: None,
        }
    }
}

impl CsvOptions {
    /// An error (22023) if the options contradict each other.
    pub fn check(&self) -> Result<()> {
        let invalid = |message: &str| Err(Error::new(ErrorKind::InvalidParameter, message));
        let Dialect { delimiter, quote, escape, null, decimal, .. } = Dialect::said(self);
        let line_end = |byte: u8| byte == b'\n' || byte == b'\r';
        if line_end(delimiter) || line_end(quote) || line_end(escape) {
            return invalid("CSV delimiter, quote and escape cannot be newline or carriage return");
        }
        if ![delimiter, quote, escape].iter().all(|&byte| byte.is_ascii() || byte == NO_BYTE) {
            return invalid("CSV delimiter, quote and escape must be single one-byte characters");
        }
        if delimiter == quote || delimiter == escape {
            return invalid("CSV delimiter and quote must be different");
        }
        if ![b'.', b','].contains(&decimal) || (self.decimal.is_some() && self.delimiter == self.decimal) {
            return invalid("CSV decimal separator must be a point or a comma, and not the delimiter");
        }
        let forbidden = [delimiter, quote, b'\n', b'\r'];
        if null.bytes().any(|byte| forbidden.contains(&byte)) {
            return invalid("CSV null string must not contain the delimiter, the quote or line ends");
        }
        Ok(())
    }
}

/// The columns of files, guessed from their first rows.
pub(super) fn read_fields(paths: &FileSet, options: &CsvOptions, context: &Context) -> Result<Vec<Field>> {
    options.check()?;
    Ok(Guessed::of(paths, options, false, context)?.union.fields)
}

/// Reads files as one table. Without given fields, columns of one name are one column, of a type that the fields of all
/// files have; where a file has no such column, it is NULL.
pub(super) fn read(
    paths: &FileSet,
    options: &CsvOptions,
    fields: Option<&[Field]>,
    context: &Context,
) -> Result<Table> {
    options.check()?;
    if let Some(fields) = fields {
        return read_into(paths, options, fields, context);
    }
    let mut whole = false;
    loop {
        let guessed = Guessed::of(paths, options, whole, context)?;
        match guessed.read(paths, context) {
            // A row behind the first ones is not what they looked like.
            Err(error) if !whole && error.kind() == ErrorKind::InvalidText => whole = true,
            outcome => return outcome,
        }
    }
}

fn read_into(paths: &[PathBuf], options: &CsvOptions, fields: &[Field], context: &Context) -> Result<Table> {
    let mut builder = TableBuilder::new(fields.to_vec(), Storage::Compact, context);
    for path in paths {
        let dialect = Dialect::of_columns(path, options, fields.len())?;
        let header = match options.header {
            Some(header) => header,
            None => infer::is_header_of(path, &dialect, fields)?,
        };
        let columns = values::Columns { fields, guesses: None, dialect: &dialect };
        read_file(path, &columns, header, context, |rows, columns| builder.push_columns(rows, columns))?;
    }
    builder.finish()
}

/// Files, and the columns that they have together.
struct Guessed {
    layouts: Vec<Layout>,
    union: Union,
    /// What the fields of each column are in all files.
    guesses: Vec<Guess>,
}

impl Guessed {
    fn of(paths: &FileSet, options: &CsvOptions, whole: bool, context: &Context) -> Result<Guessed> {
        let layout = |path: &PathBuf| Layout::of(path, options, whole, context);
        let layouts = paths.iter().map(layout).collect::<Result<Vec<_>>>()?;
        let mut union = Union::default();
        let mut guesses: Vec<Guess> = Vec::new();
        for layout in &layouts {
            let field = |name: &String| Field::new(name.clone(), DataType::Text, true);
            union.add(layout.names.iter().map(field).collect());
            guesses.resize(union.fields.len(), Guess::default());
            let places = union.places.last().map_or(&[][..], |places| &places[..]);
            for (guess, &at) in layout.guesses.iter().zip(places) {
                guesses[at].merge(guess);
            }
        }
        for (field, guess) in union.fields.iter_mut().zip(&guesses) {
            field.data_type = guess.data_type();
        }
        union.add_constants(paths)?;
        Ok(Guessed { layouts, union, guesses })
    }

    fn read(&self, paths: &[PathBuf], context: &Context) -> Result<Table> {
        let mut builder = TableBuilder::new(self.union.fields.clone(), Storage::Compact, context);
        for ((path, layout), places) in paths.iter().zip(&self.layouts).zip(&self.union.places) {
            let fields: Vec<Field> = places.iter().map(|&at| self.union.fields[at].clone()).collect();
            let guesses: Vec<Guess> = places.iter().map(|&at| self.guesses[at]).collect();
            let columns = values::Columns { fields: &fields, guesses: Some(&guesses), dialect: &layout.dialect };
            let mut push = |rows, columns| builder.push_columns(rows, self.union.arrange(places, rows, columns));
            read_file(path, &columns, layout.header, context, &mut push)?;
        }
        builder.finish()
    }
}

fn read_file(
    path: &Path,
    columns: &values::Columns,
    header: bool,
    context: &Context,
    mut push: impl FnMut(usize, Vec<Column>) -> Result<()>,
) -> Result<()> {
    let mut blocks = Blocks::open(path, columns.dialect, context.workers().count())?;
    context.progress.total.fetch_add(blocks.file_bytes(), Ordering::Relaxed);
    let mut skip = header;
    while let Some((bytes, pieces)) = blocks.next()? {
        let first = std::mem::take(&mut skip);
        let parse = |(index, piece): (usize, &records::Piece)| {
            let mut records = Records::new(&bytes[piece.bytes.clone()], piece.line, path, columns.dialect)?;
            if index == 0 && first {
                columns.skip_header(&mut records)?;
            }
            columns.parse(&mut records)
        };
        let parsed = context.workers().map(pieces.iter().enumerate().collect(), parse)?;
        for (rows, columns) in parsed {
            push(rows, columns)?;
        }
        context.progress.done.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
    Ok(())
}
