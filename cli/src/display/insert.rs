//! INSERT statements that give the rows again.

use super::{Columns, Style, Writer};
use crate::quote;
use multiloop::arrow::array::RecordBatch;
use multiloop::{DataType, Result};
use std::io::{self, Write};

/// Rows of one statement, at most.
const ROWS_MAX: usize = 500;

/// Statements.
pub(super) struct Insert {
    style: Style,
    /// `INSERT INTO t (a, b) VALUES`.
    head: String,
    /// Rows in the statement that is open.
    rows: usize,
}

impl Insert {
    pub(super) fn new(style: Style) -> Self {
        Insert { style, head: String::new(), rows: 0 }
    }
}

impl Writer for Insert {
    fn start(&mut self, columns: &Columns, _: &mut dyn Write) -> io::Result<()> {
        let names: Vec<String> = columns.names().map(quote::name).collect();
        self.head = format!("INSERT INTO {} ({}) VALUES", self.style.table, names.join(", "));
        Ok(())
    }

    fn batch(&mut self, columns: &Columns, batch: &RecordBatch, out: &mut dyn Write) -> Result<io::Result<()>> {
        let mut lines = String::new();
        columns.rows(batch, &mut |row| {
            if self.rows == ROWS_MAX {
                lines.push_str(";\n");
                self.rows = 0;
            }
            if self.rows == 0 {
                lines.push_str(&self.head);
            }
            lines.push_str(if self.rows == 0 { "\n  (" } else { ",\n  (" });
            self.rows += 1;
            for (column, cell) in row.iter().enumerate() {
                lines.push_str(if column > 0 { ", " } else { "" });
                lines.push_str(&literal(cell.as_deref(), columns.fields[column].data_type));
            }
            lines.push(')');
        })?;
        Ok(out.write_all(lines.as_bytes()))
    }

    fn finish(&mut self, _: &Columns, rows: u64, _: bool, out: &mut dyn Write) -> io::Result<()> {
        if rows > 0 { out.write_all(b";\n") } else { Ok(()) }
    }
}

/// A value as SQL writes it. Rows of one statement have one type a column, so what is no plain number says its type.
fn literal(text: Option<&str>, data_type: DataType) -> String {
    let Some(text) = text else { return "NULL".to_owned() };
    let digits = text.strip_prefix('-').unwrap_or(text);
    match data_type {
        DataType::Boolean => (if text.starts_with('t') { "true" } else { "false" }).to_owned(),
        // The literal of a negative zero would be a zero.
        DataType::Real | DataType::Double if !digits.starts_with(|c: char| c.is_ascii_digit()) || text == "-0" => {
            format!("'{text}'::float8")
        }
        _ if data_type.is_exact() && !digits.starts_with(|c: char| c.is_ascii_digit()) => format!("'{text}'::numeric"),
        _ if data_type.is_numeric() => text.to_owned(),
        _ => quote::text(text),
    }
}
