//! Results as text, written while their rows come.
//!
//! [`Style`] says how; [`write()`] takes a result's batches one after another and hands them to the writer of its format.
//! No writer keeps a result: those that align columns look at its first rows ([`grid::ROWS_LOOKED_AT`]) and fix the widths by
//! these; a later cell that is wider sticks out.
//!
//! `grid` aligns columns (table, box, markdown), `record` writes a line a value, `delimited` CSV and its kin, `json`, `insert`,
//! `html` and `latex` what their names say; `text` is what they know of characters.

mod delimited;
mod grid;
mod html;
mod insert;
mod json;
mod latex;
mod record;
mod text;

use clap::ValueEnum;
use multiloop::arrow::array::RecordBatch;
use multiloop::format::text_of;
use multiloop::{Error, ErrorKind, Field, Result, ResultStream, Sight};
use std::collections::HashSet;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How to print rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns
    #[value(aliases = ["aligned", "column", "columns"])]
    Table,
    /// Aligned columns in boxes
    #[value(aliases = ["duckbox", "boxed"])]
    Box,
    /// Values with a separator between
    #[value(alias = "list")]
    Unaligned,
    /// Comma-separated values with a header
    Csv,
    /// The same with tabs
    #[value(alias = "tabs")]
    Tsv,
    /// An array of JSON objects
    Json,
    /// One JSON object a row, a line each
    #[value(aliases = ["jsonl", "jsonlines"])]
    Ndjson,
    /// A table of Markdown
    #[value(alias = "md")]
    Markdown,
    /// A table of HTML
    Html,
    /// A tabular of LaTeX
    Latex,
    /// A line a value
    #[value(alias = "lines")]
    Line,
    /// INSERT statements
    Insert,
}

impl Format {
    /// Whether programs read it: then nothing but rows is printed.
    pub(crate) fn is_for_programs(self) -> bool {
        !matches!(self, Format::Table | Format::Box | Format::Unaligned | Format::Line)
    }

    /// Its name, as `\pset format` takes it.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Whether rows stand upright, a line a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expanded {
    Off,
    On,
    /// When they are wider than the screen.
    Auto,
}

/// How results are printed.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) format: Format,
    /// What stands for NULL; without one `NULL` in tables and nothing in what programs read.
    pub(crate) null: Option<String>,
    /// 0: blanks between columns, 1: lines between, 2: a frame around.
    pub(crate) border: u8,
    pub(crate) expanded: Expanded,
    /// No names, no titles, no footers.
    pub(crate) tuples_only: bool,
    pub(crate) header: bool,
    /// Whether the number of rows is told.
    pub(crate) footer: bool,
    /// What stands above a table.
    pub(crate) title: Option<String>,
    /// What stands below one instead of the number of its rows.
    pub(crate) footers: Vec<String>,
    /// Between the values of unaligned rows.
    pub(crate) field_separator: String,
    /// Behind unaligned rows.
    pub(crate) record_separator: String,
    /// Columns of the screen to which tables are narrowed; None is as wide as they are.
    pub(crate) columns: Option<usize>,
    /// Rows that are shown at most; 0 is all.
    pub(crate) rows_max: usize,
    /// Numbers with commas between thousands.
    pub(crate) grouped: bool,
    /// The table of INSERT statements.
    pub(crate) table: String,
    /// What a table of HTML has beside its border.
    pub(crate) attributes: Option<String>,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            format: Format::Table,
            null: None,
            border: 1,
            expanded: Expanded::Off,
            tuples_only: false,
            header: true,
            footer: true,
            title: None,
            footers: Vec::new(),
            field_separator: "|".to_owned(),
            record_separator: "\n".to_owned(),
            columns: None,
            rows_max: 0,
            grouped: false,
            table: "table_name".to_owned(),
            attributes: None,
        }
    }
}

impl Style {
    /// Whether names stand above the rows.
    fn has_header(&self) -> bool {
        self.header && !self.tuples_only
    }

    /// What stands for NULL where people read.
    fn null_shown(&self) -> &str {
        self.null.as_deref().unwrap_or("NULL")
    }

    /// What stands for NULL where programs read.
    fn null_written(&self) -> &str {
        self.null.as_deref().unwrap_or("")
    }

    /// The title, if there is one to show.
    fn title_shown(&self) -> Option<&str> {
        self.title.as_deref().filter(|_| !self.tuples_only)
    }

    /// The lines below so many rows.
    fn footer_lines(&self, rows: u64, is_cut: bool) -> Vec<String> {
        if self.tuples_only {
            return Vec::new();
        }
        if !self.footers.is_empty() {
            return self.footers.clone();
        }
        match (self.footer, is_cut) {
            (false, _) => Vec::new(),
            (true, true) => vec![format!("({rows} row{} shown, there are more)", plural(rows))],
            (true, false) => vec![format!("({rows} row{})", plural(rows))],
        }
    }

    /// A number as it is shown.
    fn number(&self, text: String) -> String {
        if self.grouped { text::grouped(&text) } else { text }
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The columns of a result, and how their values are shown.
pub(crate) struct Columns {
    fields: Vec<Field>,
    sight: Sight,
}

impl Columns {
    /// The names.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.as_str())
    }

    /// Which of them stand at the right: numbers.
    fn is_right(&self, column: usize) -> bool {
        self.fields.get(column).is_some_and(|field| field.data_type.is_numeric() || field.data_type.is_oid())
    }

    /// Hands over the rows of a batch as text; None is NULL.
    fn rows(&self, batch: &RecordBatch, each: &mut dyn FnMut(Vec<Option<String>>)) -> Result<()> {
        let count = self.fields.len();
        if count == 0 {
            (0..batch.num_rows()).for_each(|_| each(Vec::new()));
            return Ok(());
        }
        let mut row = Vec::with_capacity(count);
        text_of(&self.fields, batch, &self.sight, &mut |column, text| {
            row.push(text);
            if column + 1 == count {
                each(std::mem::replace(&mut row, Vec::with_capacity(count)));
            }
        })
    }
}

/// What writes a result in one format.
trait Writer {
    /// Writes what stands before the rows.
    fn start(&mut self, columns: &Columns, out: &mut dyn Write) -> io::Result<()>;

    /// Writes some rows. The outer error is the engine's.
    fn batch(&mut self, columns: &Columns, batch: &RecordBatch, out: &mut dyn Write) -> Result<io::Result<()>>;

    /// Writes what stands behind them: there were so many, and perhaps more that were asked not to be shown.
    fn finish(&mut self, columns: &Columns, rows: u64, is_cut: bool, out: &mut dyn Write) -> io::Result<()>;
}

/// The writer of a style.
fn writer(style: &Style) -> Box<dyn Writer> {
    let style = style.clone();
    match style.format {
        Format::Unaligned if style.expanded == Expanded::On => Box::new(record::Record::new(style)),
        Format::Table | Format::Box | Format::Markdown => Box::new(grid::Grid::new(style)),
        Format::Csv | Format::Tsv | Format::Unaligned => Box::new(delimited::Delimited::new(style)),
        Format::Json | Format::Ndjson => Box::new(json::Json::new(style)),
        Format::Html => Box::new(html::Html::new(style)),
        Format::Latex => Box::new(latex::Latex::new(style)),
        Format::Line => Box::new(record::Record::new(style)),
        Format::Insert => Box::new(insert::Insert::new(style)),
    }
}

/// What was written of a result.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Written {
    /// Rows.
    pub(crate) rows: u64,
    /// The time that the engine took to give them.
    pub(crate) taken: Duration,
    /// Nobody reads what is written any more (`head`, `less`).
    pub(crate) is_closed: bool,
}

/// Writes a result's rows, as they come. `go_on` is asked between batches; an error of it ends the writing.
///
/// # Errors
/// Those of the engine, and 58030 if the rows cannot be written. That nobody reads them is none.
pub(crate) fn write(
    mut result: ResultStream,
    style: &Style,
    out: &mut dyn Write,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Written> {
    let columns = Columns { fields: result.fields().to_vec(), sight: result.sight().clone() };
    let (mut writer, mut written) = (writer(style), Written::default());
    let mut done = writer.start(&columns, out);
    let mut is_cut = false;
    while done.is_ok() && !is_cut {
        let started = Instant::now();
        let next = result.next().transpose();
        written.taken += started.elapsed();
        let next = match next.and_then(|next| go_on().map(|()| next)) {
            Ok(next) => next,
            Err(error) => {
                // The rows before it have come.
                let _ = out.flush();
                return Err(error);
            }
        };
        let Some(batch) = next else { break };
        let rows_left = match style.rows_max {
            0 => usize::MAX,
            max => max - written.rows as usize,
        };
        is_cut = batch.num_rows() > rows_left;
        let shown = batch.slice(0, batch.num_rows().min(rows_left));
        written.rows += shown.num_rows() as u64;
        // Whoever waits sees them at once.
        done = writer.batch(&columns, &shown, out)?.and_then(|()| out.flush());
    }
    done = done.and_then(|()| writer.finish(&columns, written.rows, is_cut, out)).and_then(|()| out.flush());
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => written.is_closed = true,
        Err(error) => return Err(Error::new(ErrorKind::Io, format!("writing the result: {error}"))),
        Ok(()) => {}
    }
    Ok(written)
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

#[cfg(test)]
mod tests;
