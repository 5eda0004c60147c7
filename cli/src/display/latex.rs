//! A tabular of LaTeX.

use super::{Columns, Style, Writer};
use multiloop::Result;
use multiloop::arrow::array::RecordBatch;
use std::io::{self, Write};

/// A tabular.
pub(super) struct Latex {
    style: Style,
}

impl Latex {
    pub(super) fn new(style: Style) -> Self {
        Latex { style }
    }
}

impl Writer for Latex {
    fn start(&mut self, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
        if let Some(title) = self.style.title_shown() {
            writeln!(out, "\\begin{{center}}\n{}\n\\end{{center}}\n", escaped(title))?;
        }
        let kinds = (0..columns.fields.len()).map(|column| if columns.is_right(column) { "r" } else { "l" });
        let between = if self.style.border == 0 { "" } else { " | " };
        let kinds = kinds.collect::<Vec<_>>().join(between);
        let kinds = if self.style.border >= 2 { format!("| {kinds} |") } else { kinds };
        writeln!(out, "\\begin{{tabular}}{{{kinds}}}")?;
        if self.style.border >= 2 {
            writeln!(out, "\\hline")?;
        }
        if self.style.has_header() {
            let names: Vec<String> = columns.names().map(|name| format!("\\textit{{{}}}", escaped(name))).collect();
            writeln!(out, "{} \\\\\n\\hline", names.join(" & "))?;
        }
        Ok(())
    }

    fn batch(&mut self, columns: &Columns, batch: &RecordBatch, out: &mut dyn Write) -> Result<io::Result<()>> {
        let mut lines = String::new();
        columns.rows(batch, &mut |row| {
            let shown = row.into_iter().enumerate().map(|(column, cell)| match cell {
                None => escaped(self.style.null_shown()),
                Some(text) if columns.is_right(column) => escaped(&self.style.number(text)),
                Some(text) => escaped(&text),
            });
            lines.push_str(&shown.collect::<Vec<_>>().join(" & "));
            lines.push_str(" \\\\\n");
        })?;
        Ok(out.write_all(lines.as_bytes()))
    }

    fn finish(&mut self, _: &Columns, rows: u64, is_cut: bool, out: &mut dyn Write) -> io::Result<()> {
        if self.style.border >= 2 {
            writeln!(out, "\\hline")?;
        }
        writeln!(out, "\\end{{tabular}}")?;
        let footers = self.style.footer_lines(rows, is_cut);
        writeln!(out)?;
        footers.iter().try_for_each(|line| writeln!(out, "\\noindent {} \\\\", escaped(line)))?;
        if footers.is_empty() { Ok(()) } else { writeln!(out) }
    }
}

/// Text as LaTeX has it. A line's end is a blank: one in a cell would end the row.
fn escaped(text: &str) -> String {
    let mut latex = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => latex.extend(['\\', character]),
            '\\' => latex.push_str("\\textbackslash{}"),
            '~' => latex.push_str("\\textasciitilde{}"),
            '^' => latex.push_str("\\textasciicircum{}"),
            '<' => latex.push_str("\\textless{}"),
            '>' => latex.push_str("\\textgreater{}"),
            '|' => latex.push_str("\\textbar{}"),
            // Behind the end of a row it would begin an argument.
            '[' => latex.push_str("{[}"),
            control if control.is_control() => latex.push(' '),
            other => latex.push(other),
        }
    }
    latex
}
