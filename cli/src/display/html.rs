//! A table of HTML.

use super::{Columns, Expanded, Style, Writer};
use multiloop::Result;
use multiloop::arrow::array::RecordBatch;
use std::io::{self, Write};

/// A table.
pub(super) struct Html {
    style: Style,
    rows: u64,
}

impl Html {
    pub(super) fn new(style: Style) -> Self {
        Html { style, rows: 0 }
    }
}

impl Writer for Html {
    fn start(&mut self, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
        let attributes = self.style.attributes.as_ref().map(|text| format!(" {text}")).unwrap_or_default();
        writeln!(out, "<table border=\"{}\"{attributes}>", self.style.border)?;
        if let Some(title) = self.style.title_shown() {
            writeln!(out, "  <caption>{}</caption>", escaped(title))?;
        }
        if !self.style.has_header() || self.style.expanded == Expanded::On {
            return Ok(());
        }
        writeln!(out, "  <tr>")?;
        columns.names().try_for_each(|name| writeln!(out, "    <th align=\"center\">{}</th>", escaped(name)))?;
        writeln!(out, "  </tr>")
    }

    fn batch(&mut self, columns: &Columns, batch: &RecordBatch, out: &mut dyn Write) -> Result<io::Result<()>> {
        let mut lines = String::new();
        let style = &self.style;
        columns.rows(batch, &mut |row| {
            self.rows += 1;
            let cells = row.into_iter().zip(columns.names()).enumerate().map(|(column, (cell, name))| {
                let is_right = columns.is_right(column);
                let shown = match cell {
                    None => style.null_shown().to_owned(),
                    Some(text) if is_right => style.number(text),
                    Some(text) => text,
                };
                // A cell without anything in it has no frame.
                let shown = if shown.trim().is_empty() { "&nbsp; ".to_owned() } else { escaped(&shown) };
                (name, format!("<td align=\"{}\">{shown}</td>", if is_right { "right" } else { "left" }))
            });
            if style.expanded == Expanded::On {
                if !style.tuples_only {
                    lines.push_str(&format!(
                        "\n  <tr><td colspan=\"2\" align=\"center\">Record {}</td></tr>\n",
                        self.rows
                    ));
                }
                cells.for_each(|(name, cell)| {
                    lines.push_str(&format!(
                        "  <tr valign=\"top\">\n    <th>{}</th>\n    {cell}\n  </tr>\n",
                        escaped(name)
                    ));
                });
            } else {
                lines.push_str("  <tr valign=\"top\">\n");
                cells.for_each(|(_, cell)| lines.push_str(&format!("    {cell}\n")));
                lines.push_str("  </tr>\n");
            }
        })?;
        Ok(out.write_all(lines.as_bytes()))
    }

    fn finish(&mut self, _: &Columns, rows: u64, is_cut: bool, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</table>")?;
        if self.style.expanded == Expanded::On && self.style.footers.is_empty() && !is_cut {
            // Each row has its number.
            return writeln!(out);
        }
        let footers = self.style.footer_lines(rows, is_cut);
        if !footers.is_empty() {
            let lines: Vec<String> = footers.iter().map(|line| format!("{}<br />\n", escaped(line))).collect();
            writeln!(out, "<p>{}</p>", lines.concat())?;
        }
        Ok(())
    }
}

/// Text as HTML has it.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\n' => html.push_str("<br />\n"),
            // HTML has no other control characters, not even as numbers.
            control if control.is_control() && control != '\t' => html.push('\u{fffd}'),
            other => html.push(other),
        }
    }
    html
}
