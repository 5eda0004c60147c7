//! Writing CSV. Values are printed as PostgreSQL prints them; fields are quoted where they must be.

use super::super::print::{Cells, PRINTED};
use super::super::text::text_of;
use super::CsvOptions;
use super::dialect::Dialect;
use super::guess::is_mistakable;
use crate::sight::Sight;
use arrow::array::RecordBatch;
use multiloop_exec::Result;
use multiloop_exec::column::arrow::to_column_of;
use multiloop_planner::types::{DataType, Field};

/// Adds a line for each row of a batch with these fields, as a file has them: whoever reads it by its looks takes a text that looks
/// like a number for text, because it is quoted.
pub(in super::super) fn append_file_rows(
    lines: &mut Vec<u8>,
    options: &CsvOptions,
    (fields, sight): (&[Field], &Sight),
    batch: &RecordBatch,
) -> Result<()> {
    let (dialect, columns) = (Dialect::said(options), fields.len());
    // Where what numbers are printed with means something else, all goes the long way.
    let is_printed = |byte: u8| PRINTED.contains(&byte);
    let is_plain = !is_printed(dialect.delimiter)
        && !is_printed(dialect.quote)
        && dialect.decimal == b'.'
        && (dialect.null().is_empty() || !dialect.null().bytes().all(is_printed));
    let cells = batch
        .columns()
        .iter()
        .zip(fields)
        .map(|(array, field)| to_column_of(array, field).map(|column| Cells::new(column, field.data_type)));
    let cells = cells.collect::<Result<Vec<Cells>>>()?;
    for row in 0..batch.num_rows() {
        for (index, cells) in cells.iter().enumerate() {
            if is_plain && !cells.column.is_null(row) && print_field(lines, index, columns, cells, row, &dialect) {
                continue;
            }
            append_value(lines, (index, columns), cells, row, (&dialect, sight));
        }
    }
    Ok(())
}

/// Adds a field that is printed straight into the line; false if it is none such.
#[inline]
fn print_field(
    lines: &mut Vec<u8>,
    index: usize,
    columns: usize,
    cells: &Cells,
    row: usize,
    dialect: &Dialect,
) -> bool {
    let start = lines.len();
    if index > 0 {
        lines.push(dialect.delimiter);
    }
    if !cells.print(row, lines) {
        lines.truncate(start);
        return false;
    }
    if index + 1 == columns {
        lines.push(b'\n');
    }
    true
}

/// Adds the field of a value as `evaluate` prints it.
fn append_value(
    lines: &mut Vec<u8>,
    (index, columns): (usize, usize),
    cells: &Cells,
    row: usize,
    (dialect, sight): (&Dialect, &Sight),
) {
    let data_type = cells.data_type;
    if cells.column.is_null(row) {
        return append_field(lines, index, None, columns, dialect, false);
    }
    if let Some(text) = cells.text(row) {
        return append_field(lines, index, Some(text), columns, dialect, is_mistakable(text));
    }
    let text = sight.text_of(&cells.column.value(row, data_type), data_type);
    let text = if dialect.decimal == b',' { with_comma(text, data_type) } else { text };
    let quoted = matches!(data_type, DataType::Char(_)) && is_mistakable(&text);
    append_field(lines, index, Some(&text), columns, dialect, quoted);
}

/// A number with a comma in place of its point.
fn with_comma(text: String, data_type: DataType) -> String {
    let fractional =
        matches!(data_type, DataType::Real | DataType::Double | DataType::Decimal { .. } | DataType::Numeric);
    if fractional { text.replacen('.', ",", 1) } else { text }
}

/// Adds the line of names.
pub fn append_header(lines: &mut Vec<u8>, options: &CsvOptions, fields: &[Field]) {
    let dialect = Dialect::said(options);
    for (index, field) in fields.iter().enumerate() {
        append_field(lines, index, Some(&field.name), fields.len(), &dialect, false);
    }
    if fields.is_empty() {
        lines.push(b'\n');
    }
}

/// Adds a line for each row of a batch with these fields, as a session sees them.
pub fn append_rows(
    lines: &mut Vec<u8>,
    options: &CsvOptions,
    (fields, sight): (&[Field], &Sight),
    batch: &RecordBatch,
) -> Result<()> {
    let dialect = Dialect::said(options);
    text_of(fields, batch, sight, &mut |index, text| {
        append_field(lines, index, text.as_deref(), fields.len(), &dialect, false);
    })
}

/// Adds a field to a line, with the delimiter before it unless it is the first, and the line's end behind the last.
fn append_field(line: &mut Vec<u8>, index: usize, text: Option<&str>, columns: usize, dialect: &Dialect, quoted: bool) {
    if index > 0 {
        line.push(dialect.delimiter);
    }
    let special = |byte: u8| (byte == dialect.delimiter) | (byte == dialect.quote) | (byte == b'\n') | (byte == b'\r');
    match text {
        None => line.extend_from_slice(dialect.null().as_bytes()),
        Some(text) => {
            // `\.` alone on a line would end the data for PostgreSQL.
            let is_end = columns == 1 && text == "\\.";
            if quoted
                || is_end
                || text == dialect.null()
                || text.bytes().fold(false, |found, byte| found | special(byte))
            {
                append_quoted(line, text, dialect);
            } else {
                line.extend_from_slice(text.as_bytes());
            }
        }
    }
    if index + 1 == columns {
        line.push(b'\n');
    }
}

fn append_quoted(line: &mut Vec<u8>, text: &str, dialect: &Dialect) {
    line.push(dialect.quote);
    for byte in text.bytes() {
        if byte == dialect.quote || byte == dialect.escape {
            line.push(dialect.escape);
        }
        line.push(byte);
    }
    line.push(dialect.quote);
}
