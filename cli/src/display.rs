//! Results as text: an aligned table that fits the terminal, CSV, or JSON lines.

use clap::ValueEnum;
use multiloop::arrow::array::{Array as _, RecordBatch};
use multiloop::arrow::csv::WriterBuilder;
use multiloop::arrow::json::LineDelimitedWriter;
use multiloop::arrow::util::display::{ArrayFormatter, FormatOptions};
use multiloop::{DataType, Error, ErrorKind, Result, ResultStream};
use std::io::{IsTerminal as _, Write};
use unicode_width::UnicodeWidthStr as _;

/// Columns that are assumed where the terminal does not say.
const TERMINAL_COLUMNS: usize = 120;

/// Rows that a table shows on a terminal before it is cut.
const TERMINAL_ROWS: usize = 1000;

/// A column is never cut narrower than this.
const CELL_COLUMNS_MIN: usize = 8;

/// How to print rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns
    Table,
    /// Comma-separated values with a header
    Csv,
    /// One JSON object a row
    Json,
}

/// Prints a result on standard output.
pub(crate) fn print(result: ResultStream, format: Format) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let written = write(result, format, &mut out)?;
    match written.and_then(|()| out.flush()) {
        // Whoever reads (head, less) has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::new(ErrorKind::Io, format!("writing the result: {error}"))),
        Ok(()) => Ok(()),
    }
}

fn write(result: ResultStream, format: Format, out: &mut impl Write) -> Result<std::io::Result<()>> {
    if let Some(tag) = result.tag() {
        let shown = if format == Format::Table && !tag.is_empty() { writeln!(out, "{tag}") } else { Ok(()) };
        return Ok(shown);
    }
    let fields = result.fields().to_vec();
    let schema = result.schema();
    let batches = result.collect_batches()?;
    let arrow = |error: multiloop::arrow::error::ArrowError| Error::new(ErrorKind::Io, format!("writing: {error}"));
    match format {
        Format::Csv => {
            let mut writer = WriterBuilder::new().with_header(true).build(&mut *out);
            if batches.is_empty() {
                writer.write(&RecordBatch::new_empty(schema)).map_err(arrow)?;
            }
            batches.iter().try_for_each(|batch| writer.write(batch)).map_err(arrow)?;
        }
        Format::Json => {
            let mut writer = LineDelimitedWriter::new(&mut *out);
            batches.iter().try_for_each(|batch| writer.write(batch)).map_err(arrow)?;
            writer.finish().map_err(arrow)?;
        }
        Format::Table => {
            let types: Vec<DataType> = fields.iter().map(|field| field.data_type).collect();
            let names = fields.into_iter().map(|field| field.name).collect();
            let terminal = std::io::stdout().is_terminal();
            return Ok(table(names, &types, &batches, terminal, out));
        }
    }
    Ok(Ok(()))
}

/// Writes an aligned table; on a terminal it is cut to the width and to [`TERMINAL_ROWS`].
fn table(
    names: Vec<String>,
    types: &[DataType],
    batches: &[RecordBatch],
    terminal: bool,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let shown = if terminal { rows.min(TERMINAL_ROWS) } else { rows };
    let cells = cells(batches, shown).map_err(std::io::Error::other)?;
    let mut widths: Vec<usize> = names.iter().map(|name| name.width()).collect();
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    if terminal {
        fit(&mut widths, terminal_columns());
    }
    line(out, &names, &widths, &vec![false; names.len()])?;
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width + 2)).collect();
    writeln!(out, "{}", rule.join("+"))?;
    let right: Vec<bool> = types.iter().map(|data_type| data_type.is_numeric()).collect();
    for row in &cells {
        line(out, row, &widths, &right)?;
    }
    if shown < rows {
        writeln!(out, "… {} rows more", rows - shown)?;
    }
    writeln!(out, "({rows} row{})", if rows == 1 { "" } else { "s" })
}

fn cells(
    batches: &[RecordBatch],
    limit: usize,
) -> std::result::Result<Vec<Vec<String>>, multiloop::arrow::error::ArrowError> {
    let options = FormatOptions::default();
    let mut cells = Vec::with_capacity(limit);
    for batch in batches {
        let formatters = batch
            .columns()
            .iter()
            .map(|array| ArrayFormatter::try_new(array, &options))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows().min(limit - cells.len()) {
            let cell = |(formatter, array): (&ArrayFormatter<'_>, &multiloop::arrow::array::ArrayRef)| {
                if array.is_null(row) { String::new() } else { formatter.value(row).to_string().replace('\n', "⏎") }
            };
            cells.push(formatters.iter().zip(batch.columns()).map(cell).collect());
        }
    }
    Ok(cells)
}

/// Narrows the widest columns until a row fits.
fn fit(widths: &mut [usize], columns: usize) {
    let total = |widths: &[usize]| widths.iter().map(|width| width + 3).sum::<usize>();
    while total(widths) > columns {
        let Some(widest) = widths.iter_mut().max() else { return };
        if *widest <= CELL_COLUMNS_MIN {
            return;
        }
        *widest -= 1;
    }
}

fn terminal_columns() -> usize {
    let asked = rustyline_columns().or_else(|| std::env::var("COLUMNS").ok()?.parse().ok());
    asked.unwrap_or(TERMINAL_COLUMNS)
}

fn rustyline_columns() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

fn line(out: &mut impl Write, cells: &[String], widths: &[usize], right: &[bool]) -> std::io::Result<()> {
    let mut text = String::new();
    for (position, ((cell, &width), &right)) in cells.iter().zip(widths).zip(right).enumerate() {
        if position > 0 {
            text.push('|');
        }
        let cut = cut(cell, width);
        let pad = " ".repeat(width - cut.width().min(width));
        if right {
            text.push_str(&format!(" {pad}{cut} "));
        } else {
            text.push_str(&format!(" {cut}{pad} "));
        }
    }
    writeln!(out, "{}", text.trim_end())
}

fn cut(cell: &str, width: usize) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    let mut cut = String::new();
    for character in cell.chars() {
        if cut.width() + character.to_string().width() + 1 > width {
            break;
        }
        cut.push(character);
    }
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::{cut, fit};

    #[test]
    fn wide_tables_lose_from_their_widest_column() {
        let mut widths = vec![5, 100, 20];
        fit(&mut widths, 60);
        assert_eq!(widths, [5, 26, 20]);
    }

    #[test]
    fn cut_text_ends_in_an_ellipsis() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("日本語", 4), "日…");
    }
}
