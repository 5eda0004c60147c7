//! Lines of CSV and of JSON, made by all workers, some batches at a time.

use super::super::compressed::Encoder;
use super::super::csv::{self, CsvOptions};
use super::super::io_error;
use super::super::output::Output;
use super::super::print::Cells;
use super::{RowWriter, Rows, size_of_batch};
use arrow::array::RecordBatch;
use multiloop_exec::Result;
use multiloop_exec::column::arrow::to_column_of;
use multiloop_exec::workers::context::Reservation;
use multiloop_planner::evaluate::{append_json, append_json_text};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the lines are.
#[derive(Clone, Copy)]
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
    /// Lines of the batches before these.
    ready: Vec<Vec<u8>>,
    /// Memory of lines that are written.
    spare: Vec<Vec<u8>>,
    held: Reservation,
    /// How many bytes have been written.
    bytes: u64,
    /// Whether a row has been written.
    begun: bool,
}

impl<'w> Lines<'w> {
    pub(super) fn create(output: Encoder<Output>, path: &Path, rows: Rows<'w>, form: LineForm<'w>) -> Self {
        Lines {
            output,
            path: path.to_owned(),
            rows,
            form,
            pending: Vec::new(),
            ready: Vec::new(),
            spare: Vec::new(),
            held: Reservation::new(&rows.context.memory),
            bytes: 0,
            begun: false,
        }
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

    /// Makes lines of what is pending, while somebody writes those that are ready.
    fn flush(&mut self) -> Result<()> {
        let (pending, ready) = (std::mem::take(&mut self.pending), Mutex::new(std::mem::take(&mut self.ready)));
        let spare = Mutex::new(std::mem::take(&mut self.spare));
        let (rows, form, writer) = (self.rows, self.form, Mutex::new(&mut *self));
        let work = |batch: Option<&RecordBatch>| match batch {
            None => {
                let written = locked(&writer).write(std::mem::take(&mut *locked(&ready)))?;
                locked(&spare).extend(written);
                Ok(None)
            }
            Some(batch) => {
                let mut lines = locked(&spare).pop().unwrap_or_default();
                append_lines(&mut lines, form, rows, batch).map(|()| Some(lines))
            }
        };
        let items = std::iter::once(None).chain(pending.iter().map(Some)).collect();
        let made = rows.context.workers().map(items, work)?;
        self.ready = made.into_iter().flatten().collect();
        self.spare = spare.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.held.resize(self.ready.iter().chain(&self.spare).map(Vec::capacity).sum())
    }

    /// Writes lines; gives their memory.
    fn write(&mut self, ready: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let mut written = Vec::with_capacity(ready.len());
        for mut lines in ready {
            if !std::mem::replace(&mut self.begun, true) {
                self.begin()?;
            } else if matches!(self.form, LineForm::Json { array: true }) && !lines.is_empty() {
                self.put(b",\n")?;
            }
            self.put(&lines)?;
            lines.clear();
            written.push(lines);
        }
        Ok(written)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        let ready: usize = self.ready.iter().map(Vec::len).sum();
        self.bytes + (pending + ready) as u64
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.flush()?;
        let ready = std::mem::take(&mut self.ready);
        self.write(ready)?;
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

/// Adds the lines of a batch; of an array without the last one's end.
fn append_lines(lines: &mut Vec<u8>, form: LineForm<'_>, rows: Rows<'_>, batch: &RecordBatch) -> Result<()> {
    let fields = rows.fields;
    let array = match form {
        LineForm::Csv(options) => return csv::append_file_rows(lines, options, (fields, rows.sight), batch),
        LineForm::Json { array } => array,
    };
    let mut cells = Vec::with_capacity(fields.len());
    for (number, (array, field)) in batch.columns().iter().zip(fields).enumerate() {
        let mut name = String::from(if number > 0 { "," } else { "" });
        append_json_text(&field.name, &mut name);
        name.push(':');
        cells.push((name, Cells::new(to_column_of(array, field)?, field.data_type)));
    }
    let mut scratch = String::new();
    for row in 0..batch.num_rows() {
        if array {
            lines.extend_from_slice(if row == 0 { b"\t" } else { b",\n\t" });
        }
        lines.push(b'{');
        for (name, cells) in &cells {
            lines.extend_from_slice(name.as_bytes());
            if !append_common(lines, cells, row) {
                scratch.clear();
                let value = cells.column.value(row, cells.data_type);
                append_json(&value, cells.data_type, rows.sight.time_zone(), &mut scratch);
                // A json has the blanks that it came with; within strings no line ends.
                let blank = |byte: u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte };
                lines.extend(scratch.bytes().map(blank));
            }
        }
        lines.push(b'}');
        if !array {
            lines.push(b'\n');
        }
    }
    Ok(())
}

/// Adds a value in a common shape as JSON; false if it has none, and nothing is added.
#[inline]
fn append_common(lines: &mut Vec<u8>, cells: &Cells, row: usize) -> bool {
    if cells.column.is_null(row) {
        lines.extend_from_slice(b"null");
        return true;
    }
    if cells.is_number() {
        return cells.print(row, lines);
    }
    let start = lines.len();
    lines.push(b'"');
    let is_plain = match cells.text(row) {
        Some(text) => {
            let is_special = |byte: u8| (byte < b' ') | (byte == b'"') | (byte == b'\\');
            let is_plain = !text.bytes().fold(false, |found, byte| found | is_special(byte));
            if is_plain {
                lines.extend_from_slice(text.as_bytes());
            }
            is_plain
        }
        None => cells.print(row, lines),
    };
    if is_plain {
        lines.push(b'"');
    } else {
        lines.truncate(start);
    }
    is_plain
}
