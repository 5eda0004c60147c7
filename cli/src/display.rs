//! Results as text: an aligned table that fits the terminal, CSV, or JSON lines.

use clap::ValueEnum;
use multiloop::arrow::array::RecordBatch;
use multiloop::arrow::datatypes::Schema;
use multiloop::arrow::json::WriterBuilder;
use multiloop::arrow::json::writer::LineDelimited;
use multiloop::format::{CsvOptions, csv, text_of};
use multiloop::{Error, ErrorKind, Field, Result, ResultStream, Sight};
use std::collections::HashSet;
use std::io::{IsTerminal as _, Write};
use std::sync::Arc;
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

/// How results are printed.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) format: Format,
    /// What a table shows for NULL; CSV has nothing there, and `""` for an empty string.
    pub(crate) null: String,
}

/// Prints a result on standard output.
pub(crate) fn print(result: ResultStream, style: &Style) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let written = write(result, style, &mut out)?;
    match written.and_then(|()| out.flush()) {
        // Whoever reads (head, less) has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::new(ErrorKind::Io, format!("writing the result: {error}"))),
        Ok(()) => Ok(()),
    }
}

fn write(result: ResultStream, style: &Style, out: &mut impl Write) -> Result<std::io::Result<()>> {
    if let Some(tag) = result.tag() {
        let shown = if style.format == Format::Table && !tag.is_empty() { writeln!(out, "{tag}") } else { Ok(()) };
        return Ok(shown);
    }
    let (fields, sight) = (result.fields().to_vec(), result.sight().clone());
    let batches = result.collect_batches()?;
    match style.format {
        Format::Csv => {
            let options = CsvOptions::default();
            let mut lines = Vec::new();
            csv::append_header(&mut lines, &options, &fields);
            for batch in &batches {
                csv::append_rows(&mut lines, &options, (&fields, &sight), batch)?;
            }
            Ok(out.write_all(&lines))
        }
        Format::Json => {
            let failed = |error: multiloop::arrow::error::ArrowError| {
                Error::new(ErrorKind::Io, format!("writing the result: {error}"))
            };
            let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(Vec::new());
            let names = unique_names(&fields);
            for batch in &batches {
                let schema = batch.schema();
                let named = schema.fields().iter().zip(&names);
                let named = named.map(|(field, name)| field.as_ref().clone().with_name(name.clone()));
                let schema = Arc::new(Schema::new(named.collect::<Vec<_>>()));
                // Without columns a batch cannot be made anew; then no name is twice.
                let renamed = RecordBatch::try_new(schema, batch.columns().to_vec());
                writer.write(renamed.as_ref().unwrap_or(batch)).map_err(failed)?;
            }
            writer.finish().map_err(failed)?;
            Ok(out.write_all(&writer.into_inner()))
        }
        Format::Table => {
            let terminal = std::io::stdout().is_terminal();
            let limit = if terminal { TERMINAL_ROWS } else { usize::MAX };
            let table = Table::of((&fields, &sight), &batches, limit, &style.null)?;
            Ok(table.write(terminal.then(terminal_columns), out))
        }
    }
}

/// Names of which no two are alike, as objects need them: the second `a` is `a_1`, as in DuckDB.
fn unique_names(fields: &[Field]) -> Vec<String> {
    let mut taken = HashSet::new();
    let unique = |field: &Field| {
        let numbered = (1..).map(|number| format!("{}_{number}", field.name));
        let mut names = std::iter::once(field.name.clone()).chain(numbered);
        names.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
    };
    fields.iter().map(unique).collect()
}

/// The names of a kind in what SHOW TABLES gives.
pub(crate) fn names_of(tables: ResultStream, kind: &str) -> Result<Vec<String>> {
    let fields = tables.fields().to_vec();
    let mut names = Vec::new();
    for batch in tables.collect_batches()? {
        let mut name = String::new();
        text_of(&fields, &batch, &Sight::default(), &mut |column, text| match column {
            0 => name = text.unwrap_or_default(),
            1 if text.as_deref() == Some(kind) => names.push(std::mem::take(&mut name)),
            _ => {}
        })?;
    }
    Ok(names)
}

/// The cells of a result.
struct Table<'a> {
    fields: &'a [Field],
    /// The first rows.
    cells: Vec<Vec<String>>,
    /// How many there are in all.
    rows: usize,
}

impl<'a> Table<'a> {
    fn of((fields, sight): (&'a [Field], &Sight), batches: &[RecordBatch], limit: usize, null: &str) -> Result<Self> {
        let mut cells: Vec<Vec<String>> = Vec::new();
        for batch in batches {
            let shown = batch.slice(0, batch.num_rows().min(limit - cells.len()));
            if fields.is_empty() {
                cells.resize(cells.len() + shown.num_rows(), Vec::new());
                continue;
            }
            text_of(fields, &shown, sight, &mut |column, text| {
                if column == 0 {
                    cells.push(Vec::with_capacity(fields.len()));
                }
                if let Some(row) = cells.last_mut() {
                    row.push(text.map_or_else(|| null.to_owned(), |text| text.replace('\n', "⏎")));
                }
            })?;
        }
        Ok(Table { fields, cells, rows: batches.iter().map(RecordBatch::num_rows).sum() })
    }

    /// Writes it, cut to a width; what cannot be cut so far stands upright, a line a value.
    fn write(&self, columns: Option<usize>, out: &mut impl Write) -> std::io::Result<()> {
        let mut widths: Vec<usize> = self.fields.iter().map(|field| field.name.width()).collect();
        for row in &self.cells {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        match columns {
            Some(columns) if !fit(&mut widths, columns) => self.write_upright(columns, out)?,
            _ => self.write_aligned(&widths, out)?,
        }
        if self.cells.len() < self.rows {
            writeln!(out, "… {} rows more", self.rows - self.cells.len())?;
        }
        writeln!(out, "({} row{})", self.rows, if self.rows == 1 { "" } else { "s" })
    }

    fn write_aligned(&self, widths: &[usize], out: &mut impl Write) -> std::io::Result<()> {
        let names: Vec<String> = self.fields.iter().map(|field| field.name.clone()).collect();
        line(out, &names, widths, &vec![false; names.len()])?;
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width + 2)).collect();
        writeln!(out, "{}", rule.join("+"))?;
        let right: Vec<bool> = self.fields.iter().map(|field| field.data_type.is_numeric()).collect();
        self.cells.iter().try_for_each(|row| line(out, row, widths, &right))
    }

    /// A block of lines for each row, as `psql` does in its expanded form.
    fn write_upright(&self, columns: usize, out: &mut impl Write) -> std::io::Result<()> {
        let name_width = self.fields.iter().map(|field| field.name.width()).max().unwrap_or(0);
        let cell_width = columns.saturating_sub(name_width + 3).max(CELL_COLUMNS_MIN);
        for (number, row) in self.cells.iter().enumerate() {
            writeln!(out, "-[ row {} ]{}", number + 1, "-".repeat(name_width.saturating_sub(6)))?;
            for (field, cell) in self.fields.iter().zip(row) {
                let pad = " ".repeat(name_width - field.name.width());
                writeln!(out, "{}", format!("{}{pad} | {}", field.name, cut(cell, cell_width)).trim_end())?;
            }
        }
        Ok(())
    }
}

/// Narrows the widest columns until a row fits; false if it cannot.
fn fit(widths: &mut [usize], columns: usize) -> bool {
    // A blank on either side of each cell, and a bar between.
    let total = |widths: &[usize]| widths.iter().map(|width| width + 3).sum::<usize>().saturating_sub(1);
    while total(widths) > columns {
        let Some(widest) = widths.iter_mut().max() else { return true };
        if *widest <= CELL_COLUMNS_MIN {
            return false;
        }
        *widest -= 1;
    }
    true
}

fn terminal_columns() -> usize {
    let asked = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    asked.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok()).unwrap_or(TERMINAL_COLUMNS)
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
    use super::{Table, cut, fit, names_of, unique_names};
    use multiloop::{Engine, Sight};

    #[test]
    fn wide_tables_lose_from_their_widest_column() {
        let mut widths = vec![5, 100, 20];
        assert!(fit(&mut widths, 60));
        assert_eq!(widths, [5, 27, 20]);
        assert!(!fit(&mut [9; 16], 60));
    }

    #[test]
    fn cut_text_ends_in_an_ellipsis() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("日本語", 4), "日…");
    }

    #[test]
    fn a_table_that_is_too_wide_stands_upright() {
        let session = Engine::new().expect("an engine starts").session();
        let columns: Vec<String> = (0..9).map(|n| format!("'value {n}' AS long_column_{n}")).collect();
        let result =
            session.sql(&format!("SELECT {}, 1.50 AS n, NULL AS nothing", columns.join(", "))).expect("it runs");
        let fields = result.fields().to_vec();
        let batches = result.collect_batches().expect("rows come");
        let table = Table::of((&fields, &Sight::default()), &batches, 10, "NULL").expect("it has cells");
        let shown = |columns: Option<usize>| {
            let mut out = Vec::new();
            table.write(columns, &mut out).expect("memory takes it");
            String::from_utf8(out).expect("it is UTF-8")
        };
        let upright = shown(Some(60));
        assert!(upright.starts_with("-[ row 1 ]"), "{upright}");
        assert!(
            upright.contains("long_column_8 | value 8\nn             | 1.50\nnothing       | NULL\n(1 row)\n"),
            "{upright}"
        );
        assert!(shown(None).lines().next().is_some_and(|names| names.contains("| long_column_8 |")));
        assert!(shown(Some(120)).lines().all(|line| line.chars().count() <= 120));
    }

    #[test]
    fn names_of_objects_differ() {
        let session = Engine::new().expect("an engine starts").session();
        let result = session.sql("SELECT 1 AS k, 2 AS k, 3 AS \"K\", 4 AS k_1").expect("it runs");
        assert_eq!(unique_names(result.fields()), ["k", "k_1", "K_2", "k_1_1"]);
    }

    #[test]
    fn tables_and_views_are_told_apart() {
        let session = Engine::new().expect("an engine starts").session();
        session.sql("CREATE TABLE p (k integer); CREATE VIEW q AS SELECT 1 AS k").expect("they are made");
        let names = |kind| names_of(session.sql("SHOW TABLES").expect("it runs"), kind).expect("rows come");
        assert_eq!((names("table"), names("view")), (vec!["p".to_owned()], vec!["q".to_owned()]));
    }
}
