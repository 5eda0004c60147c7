//! Lines of CSV and of JSON, made by all workers, some batches at a time.

use super::super::compressed::Encoder;
use super::super::csv::{self, CsvOptions};
use super::super::io_error;
use super::super::output::Output;
use super::{RowWriter, Rows, size_of_batch};
use arrow::array::RecordBatch;
use multiloop_exec::Result;
use multiloop_exec::column::arrow::to_column_of;
use multiloop_exec::workers::context::Reservation;
use multiloop_planner::evaluate::{append_json, append_json_text};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// What the lines are.
pub(super) enum LineForm<'w> {
    Csv(&'w CsvOptions),
    Json { array: bool },
}

/// A file of lines.
pub(super) struct Lines<'w> {
    output: Encoder<Output>,
    path: PathBuf,
    rows: Rows<'w>,
    form: LineForm<'w>,
    pending: Vec<RecordBatch>,
    held: Reservation,
    /// How many bytes have been written.
    bytes: u64,
    /// Whether a row has been written.
    begun: bool,
}

impl<'w> Lines<'w> {
    pub(super) fn create(output: Encoder<Output>, path: &Path, rows: Rows<'w>, form: LineForm<'w>) -> Self {
        let held = Reservation::new(&rows.context.memory);
        Lines { output, path: path.to_owned(), rows, form, pending: Vec::new(), held, bytes: 0, begun: false }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.output.write_all(bytes).map_err(|error| io_error(&self.path, &error))
    }

    /// What stands before the first row.
    fn begin(&mut self) -> Result<()> {
        let mut head = Vec::new();
        match self.form {
            LineForm::Csv(options) if options.header.unwrap_or(true) => {
                csv::append_header(&mut head, options, self.rows.fields);
            }
            LineForm::Json { array: true } => head.extend_from_slice(b"[\n"),
            _ => {}
        }
        self.put(&head)
    }

    fn flush(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let (rows, form) = (self.rows, &self.form);
        let lines = rows.context.workers().map(pending, |batch| lines_of(form, rows, &batch))?;
        for lines in lines {
            if !std::mem::replace(&mut self.begun, true) {
                self.begin()?;
            } else if matches!(self.form, LineForm::Json { array: true }) && !lines.is_empty() {
                self.put(b",\n")?;
            }
            self.put(&lines)?;
        }
        self.held.resize(0)
    }
}

impl RowWriter for Lines<'_> {
    fn push(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.held.add(size_of_batch(&batch))?;
        self.pending.push(batch);
        if self.pending.len() >= 2 * self.rows.context.workers().count() { self.flush() } else { Ok(()) }
    }

    fn bytes(&self) -> u64 {
        let pending: usize = self.pending.iter().map(size_of_batch).sum();
        self.bytes + pending as u64
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.flush()?;
        if !self.begun {
            self.begin()?;
        }
        if matches!(self.form, LineForm::Json { array: true }) {
            let end: &[u8] = if self.begun { b"\n]\n" } else { b"]\n" };
            self.put(end)?;
        }
        self.output.finish().map_err(|error| io_error(&self.path, &error))?.finish()
    }
}

/// A batch as lines; of an array without the last line's end.
fn lines_of(form: &LineForm<'_>, rows: Rows<'_>, batch: &RecordBatch) -> Result<Vec<u8>> {
    match form {
        LineForm::Csv(options) => {
            let mut lines = Vec::new();
            csv::append_file_rows(&mut lines, options, (rows.fields, rows.sight), batch)?;
            Ok(lines)
        }
        LineForm::Json { array } => {
            let fields = rows.fields;
            let columns = batch.columns().iter().zip(fields).map(|(array, field)| to_column_of(array, field));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let mut names = Vec::new();
            for field in fields {
                let mut name = String::new();
                append_json_text(&field.name, &mut name);
                name.push(':');
                names.push(name);
            }
            let zone = rows.sight.time_zone();
            let mut lines = String::new();
            for row in 0..batch.num_rows() {
                if *array {
                    lines.push_str(if row == 0 { "\t" } else { ",\n\t" });
                }
                lines.push('{');
                for (index, (column, field)) in columns.iter().zip(fields).enumerate() {
                    if index > 0 {
                        lines.push(',');
                    }
                    lines.push_str(&names[index]);
                    if column.is_null(row) {
                        lines.push_str("null");
                        continue;
                    }
                    let start = lines.len();
                    append_json(&column.value(row, field.data_type), field.data_type, zone, &mut lines);
                    // A json has the blanks that it came with; within strings no line ends.
                    if lines[start..].contains(['\n', '\r']) {
                        let blank = lines[start..].replace(['\n', '\r'], " ");
                        lines.replace_range(start.., &blank);
                    }
                }
                lines.push('}');
                if !*array {
                    lines.push('\n');
                }
            }
            Ok(lines.into_bytes())
        }
    }
}
