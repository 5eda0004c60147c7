//! CSV as PostgreSQL's COPY reads and writes it: an unquoted field equal to the null string is NULL, a quoted one never
//! is; quotes may stand anywhere in a field and may enclose line ends; a row has exactly one field a column.
//!
//! A file is read in pieces of whole rows (`records`), which are parsed in parallel into typed columns (`values`).
//! Without given columns, names come from the header and types from the first rows (`infer`). `write` is the way out.

mod infer;
mod records;
mod values;
mod write;

pub use write::{append_header, append_rows, write};

use super::check_same_fields;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Column, Table};
use multiloop_exec::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::Field;
use rayon::prelude::*;
use records::{Blocks, Records};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// How a CSV file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// Whether the first row holds the names. None: when reading into given columns, it does if they are the columns'
    /// names; when guessing the columns, it does unless it looks like data; when writing, it does.
    pub header: Option<bool>,
    /// Between fields.
    pub delimiter: u8,
    /// Around fields.
    pub quote: u8,
    /// Before a quote (or itself) within a quoted field.
    pub escape: u8,
    /// What stands for NULL, unquoted.
    pub null: String,
}

impl Default for CsvOptions {
    fn default() -> Self {
        CsvOptions { header: None, delimiter: b',', quote: b'"', escape: b'"', null: String::new() }
    }
}

impl CsvOptions {
    /// An error (22023) if the options contradict each other.
    pub fn check(&self) -> Result<()> {
        let invalid = |message: &str| Err(Error::new(ErrorKind::InvalidParameter, message));
        let line_end = |byte: u8| byte == b'\n' || byte == b'\r';
        if line_end(self.delimiter) || line_end(self.quote) || line_end(self.escape) {
            return invalid("CSV delimiter, quote and escape cannot be newline or carriage return");
        }
        if ![self.delimiter, self.quote, self.escape].iter().all(u8::is_ascii) {
            return invalid("CSV delimiter, quote and escape must be single one-byte characters");
        }
        if self.delimiter == self.quote || self.delimiter == self.escape {
            return invalid("CSV delimiter and quote must be different");
        }
        let forbidden = [self.delimiter, self.quote, b'\n', b'\r'];
        if self.null.bytes().any(|byte| forbidden.contains(&byte)) {
            return invalid("CSV null string must not contain the delimiter, the quote or line ends");
        }
        Ok(())
    }
}

/// The columns of a file, guessed from its first rows.
pub fn read_fields(path: &Path, options: &CsvOptions) -> Result<Vec<Field>> {
    options.check()?;
    Ok(infer::infer(path, options)?.0)
}

/// Reads files of the same columns as one table.
pub fn read(paths: &[PathBuf], options: &CsvOptions, fields: Option<&[Field]>, context: &Context) -> Result<Table> {
    options.check()?;
    let guessed = fields.is_none();
    let (fields, header) = match fields {
        Some(fields) => (fields.to_vec(), options.header),
        None => {
            let (fields, header) = infer::infer(&paths[0], options)?;
            (fields, Some(header))
        }
    };
    if guessed {
        for path in &paths[1..] {
            check_same_fields(path, &fields, &infer::infer(path, options)?.0)?;
        }
    }
    let mut builder = TableBuilder::new(fields.clone(), Storage::Compact, context);
    for path in paths {
        let header = match header {
            Some(header) => header,
            None => infer::is_header_of(path, options, &fields)?,
        };
        read_file(path, options, &fields, header, &mut builder, context).map_err(|error| match error.kind() {
            ErrorKind::InvalidText | ErrorKind::InvalidDatetime | ErrorKind::NumericOverflow if guessed => {
                error.with_hint("The types were guessed from the first rows; COPY into a table says what they are.")
            }
            _ => error,
        })?;
    }
    builder.finish()
}

fn read_file(
    path: &Path,
    options: &CsvOptions,
    fields: &[Field],
    header: bool,
    builder: &mut TableBuilder,
    context: &Context,
) -> Result<()> {
    let mut blocks = Blocks::open(path, options, rayon::current_num_threads())?;
    context.progress.total.fetch_add(blocks.file_bytes(), Ordering::Relaxed);
    let mut skip = usize::from(header);
    while let Some((bytes, pieces)) = blocks.next()? {
        let first = std::mem::take(&mut skip);
        let parse = |(index, piece): (usize, &records::Piece)| {
            context.check()?;
            let mut records = Records::new(&bytes[piece.bytes.clone()], piece.line, path, options)?;
            if index == 0 && first > 0 {
                records.next_record()?;
            }
            values::parse(&mut records, fields)
        };
        let parsed = pieces.par_iter().enumerate().map(parse).collect::<Result<Vec<(usize, Vec<Column>)>>>()?;
        for (rows, columns) in parsed {
            builder.push_columns(rows, columns)?;
        }
        context.progress.done.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
    Ok(())
}
