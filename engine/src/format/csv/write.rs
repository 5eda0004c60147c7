//! Writing CSV. Values are printed as PostgreSQL prints them; fields are quoted where they must be.

use super::super::text::text_of;
use super::CsvOptions;
use super::dialect::Dialect;
use super::guess::is_mistakable;
use crate::sight::Sight;
use arrow::array::RecordBatch;
use multiloop_exec::Result;
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
    text_of(fields, batch, sight, &mut |index, text| {
        let data_type = fields[index].data_type;
        let text = text.map(|text| if dialect.decimal == b',' { with_comma(text, data_type) } else { text });
        let is_text = matches!(data_type, DataType::Text | DataType::Varchar(_) | DataType::Char(_));
        let quoted = is_text && text.as_deref().is_some_and(is_mistakable);
        append_field(lines, index, text.as_deref(), columns, &dialect, quoted);
    })
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
    let special = |byte: u8| byte == dialect.delimiter || byte == dialect.quote || byte == b'\n' || byte == b'\r';
    match text {
        None => line.extend_from_slice(dialect.null().as_bytes()),
        Some(text) => {
            // `\.` alone on a line would end the data for PostgreSQL.
            let is_end = columns == 1 && text == "\\.";
            if quoted || is_end || text == dialect.null() || text.bytes().any(special) {
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
