//! The data of COPY as rows.

use super::CopyIn;
use super::Form;
use super::lines::Lines;
use super::packed::Part;
use crate::decode::parameter;
use crate::fault::{Fault, Result};
use crate::wire::Format;
use multiloop::{Field, Value};

/// Rows that make a batch.
const BATCH_ROWS: usize = 1 << 16;

/// Bytes of a row that has not come to its end.
const ROW_BYTES_MAX: usize = 1 << 30;

/// Takes data apart and hands rows on.
pub(super) struct Reader {
    rows: multiloop::CopyIn,
    fields: Vec<Field>,
    form: Form,
    /// What has come and is not read yet.
    left: Vec<u8>,
    lines: Lines,
    part: Part,
    /// The values of each column that are no batch yet.
    values: Vec<Vec<Value>>,
}

impl Reader {
    pub(super) fn new(rows: multiloop::CopyIn, form: Form) -> Self {
        let fields = rows.fields().to_vec();
        let values = vec![Vec::new(); fields.len()];
        Reader { rows, fields, form, left: Vec::new(), lines: Lines::default(), part: Part::default(), values }
    }

    /// Reads what it can of what has come.
    fn read(&mut self, last: bool) -> Result<()> {
        let Reader { rows, fields, form, left, lines, part, values } = self;
        let format = form.format();
        let mut count = values.first().map_or(0, Vec::len);
        let mut each = |row: &[Option<&[u8]>]| {
            for (at, ((field, values), bytes)) in fields.iter().zip(values.iter_mut()).zip(row).enumerate() {
                values.push(match bytes {
                    None => Value::Null,
                    Some(bytes) => parameter(at + 1, field.data_type, (format, bytes), rows.sight())?,
                });
            }
            count += 1;
            if count == BATCH_ROWS {
                push(rows, values)?;
                count = 0;
            }
            Ok(())
        };
        let read = match form {
            Form::Binary => part.read(left, fields.len(), &mut each)?,
            _ => lines.read(left, form, (fields.len(), last), &mut each)?,
        };
        left.drain(..read);
        if left.len() > ROW_BYTES_MAX {
            return Err(Fault::error("54000", "a row of COPY is too long"));
        }
        Ok(())
    }
}

/// Hands on the rows that have gathered.
fn push(rows: &mut multiloop::CopyIn, values: &mut [Vec<Value>]) -> Result<()> {
    if values.first().is_none_or(Vec::is_empty) {
        return Ok(());
    }
    let pushed = rows.push_values(values).map_err(|error| Fault::of(&error, "", 0));
    values.iter_mut().for_each(Vec::clear);
    pushed
}

impl CopyIn for Reader {
    fn format(&self) -> Format {
        self.form.format()
    }

    fn columns(&self) -> usize {
        self.fields.len()
    }

    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        self.left.extend_from_slice(bytes);
        self.read(false)
    }

    fn finish(mut self: Box<Self>, session: &multiloop::Session) -> Result<String> {
        self.read(true)?;
        // PostgreSQL needs no trailer, and pgx sends none; but no row ends in its midst.
        let is_whole = self.part == Part::Ended || (self.part == Part::Rows && self.left.is_empty());
        if self.form == Form::Binary && !is_whole {
            return Err(Fault::error("22P04", "unexpected EOF in COPY data"));
        }
        let Reader { mut rows, mut values, .. } = *self;
        push(&mut rows, &mut values)?;
        rows.finish(session).map_err(|error| Fault::of(&error, "", 0))
    }
}
