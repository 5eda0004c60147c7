//! CSV as PostgreSQL's COPY reads and writes it: an unquoted field equal to the null string is NULL, a quoted one never
//! is; quotes may stand anywhere in a field and may enclose line ends; a row has exactly one field a column.
//!
//! A file is read in pieces of whole rows (`records`), which are parsed in parallel into typed columns (`values`).
//! Without given columns, names come from the header and types from the first rows (`infer`).

mod infer;
mod records;
mod values;

use super::output::Output;
use super::{check_same_fields, io_error};
use arrow::array::RecordBatch;
use multiloop_exec::column::arrow::to_column;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Column, Table};
use multiloop_exec::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::format;
use multiloop_planner::types::Field;
use rayon::prelude::*;
use records::{Blocks, Records};
use std::io::Write;
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

/// Writes a CSV file. Values are printed as PostgreSQL prints them; fields are quoted where they must be.
pub fn write(
    path: &Path,
    options: &CsvOptions,
    fields: &[Field],
    batches: impl IntoIterator<Item = Result<RecordBatch>>,
) -> Result<u64> {
    options.check()?;
    let mut output = Output::create(path)?;
    let failed = |error: std::io::Error| io_error(path, &error);
    let mut line = Vec::new();
    if options.header.unwrap_or(true) {
        for (index, field) in fields.iter().enumerate() {
            write_field(&mut line, index, Some(&field.name), fields.len(), options);
        }
        line.push(b'\n');
    }
    let mut rows = 0;
    for batch in batches {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        let columns = batch.columns().iter().zip(fields).map(|(array, field)| to_column(array, &field.name));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            for (index, (column, field)) in columns.iter().zip(fields).enumerate() {
                let text = (!column.is_null(row)).then(|| format(&column.value(row, field.data_type), field.data_type));
                write_field(&mut line, index, text.as_deref(), fields.len(), options);
            }
            line.push(b'\n');
            if line.len() > 1 << 16 {
                output.write_all(&line).map_err(failed)?;
                line.clear();
            }
        }
    }
    output.write_all(&line).map_err(failed)?;
    output.finish()?;
    Ok(rows)
}

/// Adds a field to a line, with the delimiter before it unless it is the first.
fn write_field(line: &mut Vec<u8>, index: usize, text: Option<&str>, columns: usize, options: &CsvOptions) {
    if index > 0 {
        line.push(options.delimiter);
    }
    let Some(text) = text else { return line.extend_from_slice(options.null.as_bytes()) };
    let special = |byte: u8| byte == options.delimiter || byte == options.quote || byte == b'\n' || byte == b'\r';
    // `\.` alone on a line would end the data for PostgreSQL.
    if text != options.null && !(columns == 1 && text == "\\.") && !text.bytes().any(special) {
        return line.extend_from_slice(text.as_bytes());
    }
    line.push(options.quote);
    for byte in text.bytes() {
        if byte == options.quote || byte == options.escape {
            line.push(options.escape);
        }
        line.push(byte);
    }
    line.push(options.quote);
}
