//! CSV, the same with tabs, and unaligned values with a separator of one's own.

use super::{Columns, Format, Style, Writer};
use multiloop::Result;
use multiloop::arrow::array::RecordBatch;
use multiloop::format::{CsvOptions, csv};
use std::io::{self, Write};

/// Values with something between them.
pub(super) struct Delimited {
    style: Style,
    /// None where nothing is ever quoted.
    csv: Option<CsvOptions>,
}

impl Delimited {
    pub(super) fn new(style: Style) -> Self {
        let delimiter = match style.format {
            Format::Csv => Some(b','),
            Format::Tsv => Some(b'\t'),
            _ => None,
        };
        let null = style.null_written().to_owned();
        let csv = delimiter.map(|delimiter| CsvOptions { delimiter: Some(delimiter), null, ..CsvOptions::default() });
        Delimited { style, csv }
    }
}

impl Writer for Delimited {
    fn start(&mut self, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
        if let (None, Some(title)) = (&self.csv, self.style.title_shown()) {
            write!(out, "{title}{}", self.style.record_separator)?;
        }
        if !self.style.has_header() {
            return Ok(());
        }
        if let Some(options) = &self.csv {
            let mut line = Vec::new();
            csv::append_header(&mut line, options, &columns.fields);
            return out.write_all(&line);
        }
        let names: Vec<&str> = columns.names().collect();
        write!(out, "{}{}", names.join(&self.style.field_separator), self.style.record_separator)
    }

    fn batch(&mut self, columns: &Columns, batch: &RecordBatch, out: &mut dyn Write) -> Result<io::Result<()>> {
        let mut lines = Vec::new();
        if let Some(options) = &self.csv {
            csv::append_rows(&mut lines, options, (&columns.fields, &columns.sight), batch)?;
            return Ok(out.write_all(&lines));
        }
        let style = &self.style;
        columns.rows(batch, &mut |row| {
            for (column, cell) in row.into_iter().enumerate() {
                if column > 0 {
                    lines.extend_from_slice(style.field_separator.as_bytes());
                }
                let shown = match cell {
                    None => style.null_written().to_owned(),
                    Some(text) if columns.is_right(column) => style.number(text),
                    Some(text) => text,
                };
                lines.extend_from_slice(shown.as_bytes());
            }
            lines.extend_from_slice(style.record_separator.as_bytes());
        })?;
        Ok(out.write_all(&lines))
    }

    fn finish(&mut self, _: &Columns, rows: u64, is_cut: bool, out: &mut dyn Write) -> io::Result<()> {
        if self.csv.is_some() {
            return Ok(());
        }
        self.style.footer_lines(rows, is_cut).iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}
