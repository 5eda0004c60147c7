//! Writing CSV. Values are printed as PostgreSQL prints them; fields are quoted where they must be.

use super::super::io_error;
use super::super::output::Output;
use super::super::text::text_of;
use super::CsvOptions;
use arrow::array::RecordBatch;
use multiloop_exec::Result;
use multiloop_planner::types::Field;
use std::io::Write;
use std::path::Path;

/// Writes a CSV file; returns the number of rows.
pub fn write(
    path: &Path,
    options: &CsvOptions,
    fields: &[Field],
    batches: impl IntoIterator<Item = Result<RecordBatch>>,
) -> Result<u64> {
    options.check()?;
    let mut output = Output::create(path)?;
    let mut lines = Vec::new();
    if options.header.unwrap_or(true) {
        append_header(&mut lines, options, fields);
    }
    let mut rows = 0;
    for batch in batches {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        append_rows(&mut lines, options, fields, &batch)?;
        output.write_all(&lines).map_err(|error| io_error(path, &error))?;
        lines.clear();
    }
    output.write_all(&lines).map_err(|error| io_error(path, &error))?;
    output.finish()?;
    Ok(rows)
}

/// Adds the line of names.
pub fn append_header(lines: &mut Vec<u8>, options: &CsvOptions, fields: &[Field]) {
    for (index, field) in fields.iter().enumerate() {
        append_field(lines, index, Some(&field.name), fields.len(), options);
    }
    lines.push(b'\n');
}

/// Adds a line for each row of a batch with these fields.
pub fn append_rows(lines: &mut Vec<u8>, options: &CsvOptions, fields: &[Field], batch: &RecordBatch) -> Result<()> {
    text_of(fields, batch, &mut |index, text| {
        append_field(lines, index, text.as_deref(), fields.len(), options);
        if index + 1 == fields.len() {
            lines.push(b'\n');
        }
    })
}

/// Adds a field to a line, with the delimiter before it unless it is the first.
fn append_field(line: &mut Vec<u8>, index: usize, text: Option<&str>, columns: usize, options: &CsvOptions) {
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
