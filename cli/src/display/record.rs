//! A line a value: `name = value`, or with the separator of unaligned rows.

use super::text::visible;
use super::{Columns, Format, Style, Writer};
use multiloop::Result;
use multiloop::arrow::array::RecordBatch;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;

/// Lines.
pub(super) struct Record {
    style: Style,
    /// Columns of the widest name.
    width: usize,
    is_first: bool,
}

impl Record {
    pub(super) fn new(style: Style) -> Self {
        Record { style, width: 0, is_first: true }
    }
}

impl Writer for Record {
    fn start(&mut self, columns: &Columns, _: &mut dyn Write) -> io::Result<()> {
        self.width = columns.names().map(|name| name.width()).max().unwrap_or(0);
        Ok(())
    }

    fn batch(&mut self, columns: &Columns, batch: &RecordBatch, out: &mut dyn Write) -> Result<io::Result<()>> {
        let mut lines = String::new();
        let style = &self.style;
        let is_unaligned = style.format == Format::Unaligned;
        columns.rows(batch, &mut |row| {
            if !std::mem::take(&mut self.is_first) {
                lines.push('\n');
            }
            for (column, (cell, name)) in row.into_iter().zip(columns.names()).enumerate() {
                let text = cell.map(|text| if columns.is_right(column) { style.number(text) } else { text });
                if is_unaligned {
                    let text = text.unwrap_or_else(|| style.null_written().to_owned());
                    let end = &style.record_separator;
                    lines.push_str(&format!("{name}{}{text}{end}", style.field_separator));
                } else {
                    let text = text.map_or_else(|| style.null_shown().to_owned(), |text| visible(&text));
                    let pad = " ".repeat(self.width - name.width());
                    lines.push_str(&format!("{pad}{name} = {text}\n"));
                }
            }
        })?;
        Ok(out.write_all(lines.as_bytes()))
    }

    fn finish(&mut self, _: &Columns, _: u64, is_cut: bool, out: &mut dyn Write) -> io::Result<()> {
        if is_cut { writeln!(out, "\n(there are more rows)") } else { Ok(()) }
    }
}
