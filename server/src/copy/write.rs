//! Rows as the data of COPY.

use super::CopyOut;
use super::packed::{SIGNATURE, TRAILER};
use super::{Form, Marks};
use crate::encode::{Cells, cells};
use crate::fault::{Fault, Result};
use crate::wire::Format;
use multiloop::{Field, ResultStream};

/// Rows that are written one by one.
pub(super) struct Writer {
    rows: ResultStream,
    fields: Vec<Field>,
    form: Form,
    batch: Option<Batch>,
    part: Part,
    written: u64,
    /// A value before it is escaped.
    value: Vec<u8>,
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

impl Writer {
    pub(super) fn new(rows: ResultStream, form: Form) -> Self {
        let fields = rows.fields().to_vec();
        // Text without names has nothing before its rows.
        let has_head = match &form {
            Form::Text(marks) | Form::Csv { marks, .. } => marks.header,
            Form::Binary => true,
        };
        let part = if has_head { Part::Head } else { Part::Rows };
        Writer { rows, fields, form, batch: None, part, written: 0, value: Vec::new() }
    }

    fn head(&mut self, out: &mut Vec<u8>) {
        let (Form::Text(marks) | Form::Csv { marks, .. }) = &self.form else {
            out.extend_from_slice(SIGNATURE);
            return;
        };
        for (at, field) in self.fields.iter().enumerate() {
            between(at, marks, out);
            self.form.put(field.name.as_bytes(), self.fields.len() == 1, out);
        }
        out.push(b'\n');
    }

    /// The next row; false if there is none.
    fn row(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        let (columns, row) = loop {
            match &mut self.batch {
                Some(batch) if batch.next < batch.rows => {
                    batch.next += 1;
                    break (&batch.columns, batch.next - 1);
                }
                _ => {
                    let Some(batch) = self.rows.next() else { return Ok(false) };
                    let batch = batch.map_err(|error| Fault::of(&error, "", 0))?;
                    let (format, sight) = (self.form.format(), self.rows.sight());
                    let columns = batch.columns().iter().zip(&self.fields);
                    let cells = columns.map(|(array, field)| cells(array, field.data_type, format, sight));
                    let columns = cells.collect::<Result<_>>()?;
                    self.batch = Some(Batch { columns, rows: batch.num_rows(), next: 0 });
                }
            }
        };
        let marks = match &self.form {
            Form::Text(marks) | Form::Csv { marks, .. } => marks,
            Form::Binary => {
                out.extend_from_slice(&(columns.len() as u16).to_be_bytes());
                columns.iter().for_each(|column| column.field(row, out));
                self.written += 1;
                return Ok(true);
            }
        };
        for (at, column) in columns.iter().enumerate() {
            between(at, marks, out);
            if column.is_null(row) {
                out.extend_from_slice(marks.null.as_bytes());
            } else {
                self.value.clear();
                column.value(row, &mut self.value);
                self.form.put(&self.value, columns.len() == 1, out);
            }
        }
        out.push(b'\n');
        self.written += 1;
        Ok(true)
    }
}

impl CopyOut for Writer {
    fn format(&self) -> Format {
        self.form.format()
    }

    fn columns(&self) -> usize {
        self.fields.len()
    }

    fn next(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        if self.part == Part::Head {
            self.head(out);
            self.part = Part::Rows;
            // A line of names is a row of its own; who reads binary rows one by one finds the signature before the first.
            if self.form != Form::Binary {
                return Ok(true);
            }
        }
        if self.part == Part::Done || self.row(out)? {
            return Ok(self.part == Part::Rows);
        }
        self.part = Part::Done;
        if self.form == Form::Binary {
            out.extend_from_slice(TRAILER);
            return Ok(true);
        }
        Ok(false)
    }

    fn tag(&self) -> String {
        format!("COPY {}", self.written)
    }
}

impl Form {
    /// Appends a value as a field of a line.
    fn put(&self, value: &[u8], is_alone: bool, out: &mut Vec<u8>) {
        match self {
            Form::Text(marks) => escaped(value, marks.delimiter, out),
            Form::Csv { marks, quote, escape } => quoted(value, marks, (*quote, *escape), is_alone, out),
            // Its fields are no text.
            Form::Binary => out.extend_from_slice(value),
        }
    }
}

fn between(at: usize, marks: &Marks, out: &mut Vec<u8>) {
    if at > 0 {
        out.push(marks.delimiter);
    }
}

/// A value of text: what would end it has a backslash before it.
fn escaped(value: &[u8], delimiter: u8, out: &mut Vec<u8>) {
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
        out.extend_from_slice(&[b'\\', letter]);
    }
}

/// A value of CSV: in quotes if it could be taken for something else, as what ends the data if it stands alone in its line.
fn quoted(value: &[u8], marks: &Marks, (quote, escape): (u8, u8), is_alone: bool, out: &mut Vec<u8>) {
    let needs = |byte: &u8| *byte == marks.delimiter || *byte == quote || matches!(byte, b'\n' | b'\r');
    if value != marks.null.as_bytes() && !value.iter().any(needs) && !(is_alone && value == b"\\.") {
        out.extend_from_slice(value);
        return;
    }
    out.push(quote);
    for &byte in value {
        if byte == quote || byte == escape {
            out.push(escape);
        }
        out.push(byte);
    }
    out.push(quote);
}
