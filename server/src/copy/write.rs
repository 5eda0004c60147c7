//! Rows as the data of COPY.

use super::CopyOut;
use super::Form;
use super::packed::{SIGNATURE, TRAILER};
use crate::encode::{Cells, cells};
use crate::fault::{Fault, Result};
use crate::wire::room::Room;
use crate::wire::{Format, backend};
use multiloop::{Field, ResultStream};

/// Rows that are written one by one.
pub(super) struct Writer {
    rows: ResultStream,
    fields: Vec<Field>,
    lines: Lines,
    batch: Option<Batch>,
    part: Part,
    written: u64,
}

/// A batch that is being written.
struct Batch {
    columns: Vec<Box<dyn Cells>>,
    rows: usize,
    /// The next of them.
    next: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head,
    Rows,
    Done,
}

/// How values become fields of lines.
struct Lines {
    form: Form,
    /// Bytes that a value cannot have as it is.
    special: [bool; 256],
    /// Whether any value of plain characters can stay as it is.
    plain_stays: bool,
    /// A value that cannot.
    value: Vec<u8>,
}

impl Writer {
    pub(super) fn new(rows: ResultStream, form: Form) -> Self {
        let fields = rows.fields().to_vec();
        // Text without names has nothing before its rows.
        let has_head = match &form {
            Form::Text(marks) | Form::Csv { marks, .. } => marks.header,
            Form::Binary => true,
        };
        let part = if has_head { Part::Head } else { Part::Rows };
        Writer { rows, fields, lines: Lines::new(form), batch: None, part, written: 0 }
    }

    /// The line of names.
    fn head(&mut self, delimiter: u8, out: &mut Vec<u8>) -> Result<()> {
        message(&mut Room::new(out), |out| {
            for (at, field) in self.fields.iter().enumerate() {
                if at > 0 {
                    out.push(delimiter);
                }
                let start = out.len();
                out.extend_from_slice(field.name.as_bytes());
                self.lines.settle(start, self.fields.len() == 1, out);
            }
            out.push(b'\n');
        })
    }

    /// Has the next batch ready, if what there was is written; whether there are rows.
    fn advance(&mut self) -> Result<bool> {
        while self.batch.as_ref().is_none_or(|batch| batch.next == batch.rows) {
            let Some(batch) = self.rows.next() else { return Ok(false) };
            let batch = batch.map_err(|error| Fault::of(&error, "", 0))?;
            let (format, sight) = (self.lines.form.format(), self.rows.sight());
            let columns = batch.columns().iter().zip(&self.fields);
            let cells = columns.map(|(array, field)| cells(array, field.data_type, format, sight));
            let columns = cells.collect::<Result<_>>()?;
            self.batch = Some(Batch { columns, rows: batch.num_rows(), next: 0 });
        }
        Ok(true)
    }
}

/// A message of data.
fn message(out: &mut Room<'_>, data: impl FnOnce(&mut Room<'_>)) -> Result<()> {
    let start = out.len();
    out.put([b'd', 0, 0, 0, 0]);
    data(out);
    backend::end_row(out, start)
}

impl CopyOut for Writer {
    fn format(&self) -> Format {
        self.lines.form.format()
    }

    fn columns(&self) -> usize {
        self.fields.len()
    }

    fn next(&mut self, bytes: usize, out: &mut Vec<u8>) -> Result<bool> {
        // Who reads binary rows one by one finds the signature before the first, in its message.
        let mut signature: &[u8] = &[];
        match (self.part, self.lines.form.marks().map(|marks| marks.delimiter)) {
            (Part::Done, _) => return Ok(false),
            (Part::Head, Some(delimiter)) => {
                self.head(delimiter, out)?;
                self.part = Part::Rows;
                return Ok(true);
            }
            (Part::Head, None) => {
                signature = SIGNATURE;
                self.part = Part::Rows;
            }
            (Part::Rows, _) => {}
        }
        if !self.advance()? {
            self.part = Part::Done;
            if self.lines.form != Form::Binary {
                return Ok(false);
            }
            message(&mut Room::new(out), |out| {
                out.extend_from_slice(signature);
                out.extend_from_slice(TRAILER);
            })?;
            return Ok(true);
        }
        let Some(batch) = &mut self.batch else { return Ok(true) };
        let mut out = Room::new(out);
        loop {
            message(&mut out, |out| {
                out.extend_from_slice(std::mem::take(&mut signature));
                self.lines.put(&batch.columns, batch.next, out);
            })?;
            batch.next += 1;
            self.written += 1;
            if batch.next == batch.rows || out.len() >= bytes {
                return Ok(true);
            }
        }
    }

    fn tag(&self) -> String {
        format!("COPY {}", self.written)
    }
}

impl Lines {
    fn new(form: Form) -> Self {
        let mut special = [false; 256];
        let bytes = match &form {
            Form::Text(marks) => vec![b'\\', b'\n', b'\r', b'\t', 0x08, 0x0b, 0x0c, marks.delimiter],
            Form::Csv { marks, quote, .. } => vec![b'\n', b'\r', marks.delimiter, *quote],
            Form::Binary => Vec::new(),
        };
        bytes.into_iter().for_each(|byte| special[usize::from(byte)] = true);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -+:.".contains(&byte);
        // What stands for NULL is empty, or has a character that such a value cannot have.
        let null = form.marks().map_or(&[][..], |marks| marks.null.as_bytes());
        let null_differs = null.is_empty() || !null.iter().copied().all(is_plain);
        let plain_stays = null_differs && !(0..=u8::MAX).any(|byte| is_plain(byte) && special[usize::from(byte)]);
        Lines { form, special, plain_stays, value: Vec::new() }
    }

    /// Writes a row.
    fn put(&mut self, columns: &[Box<dyn Cells>], row: usize, out: &mut Room<'_>) {
        let (Form::Text(marks) | Form::Csv { marks, .. }) = &self.form else {
            out.put((columns.len() as u16).to_be_bytes());
            return columns.iter().for_each(|column| column.field(row, out));
        };
        let delimiter = marks.delimiter;
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                out.push(delimiter);
            }
            if column.is_null(row) {
                let null = self.form.marks().map_or("", |marks| marks.null.as_str());
                out.extend_from_slice(null.as_bytes());
                continue;
            }
            let start = out.len();
            column.value(row, out);
            if !(self.plain_stays && column.is_plain()) {
                self.settle(start, columns.len() == 1, out);
            }
        }
        out.push(b'\n');
    }

    /// Makes a value that was written as it is a field.
    fn settle(&mut self, start: usize, is_alone: bool, out: &mut Room<'_>) {
        let value = out.written(start);
        let is_special = value.iter().any(|&byte| self.special[usize::from(byte)]);
        let stays = match &self.form {
            Form::Text(_) | Form::Binary => !is_special,
            // It could be taken for something else, as what ends the data if it stands alone in its line.
            Form::Csv { marks, .. } => !is_special && value != marks.null.as_bytes() && !(is_alone && value == b"\\."),
        };
        if stays {
            return;
        }
        self.value.clear();
        self.value.extend_from_slice(value);
        out.truncate(start);
        match &self.form {
            Form::Csv { quote, escape, .. } => quoted(&self.value, (*quote, *escape), out),
            Form::Text(marks) => escaped(&self.value, marks.delimiter, out),
            Form::Binary => {}
        }
    }
}

/// A value of text: what would end it has a backslash before it.
fn escaped(value: &[u8], delimiter: u8, out: &mut Room<'_>) {
    for &byte in value {
        let letter = match byte {
            b'\\' => b'\\',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' if delimiter != b'\t' => b't',
            0x08 => b'b',
            0x0b => b'v',
            0x0c => b'f',
            byte if byte == delimiter => {
                if byte == b'\t' {
                    b't'
                } else {
                    byte
                }
            }
            byte => {
                out.push(byte);
                continue;
            }
        };
        out.put([b'\\', letter]);
    }
}

/// A value of CSV in quotes.
fn quoted(value: &[u8], (quote, escape): (u8, u8), out: &mut Room<'_>) {
    out.push(quote);
    for &byte in value {
        if byte == quote || byte == escape {
            out.push(escape);
        }
        out.push(byte);
    }
    out.push(quote);
}
