//! The data of COPY as rows.

use super::CopyIn;
use super::Form;
use super::columns::{Gathered, Written, gathered};
use super::lines::Lines;
use super::packed::Part;
use crate::fault::{Fault, Result};
use crate::wire::Format;
use multiloop::arrow::array::RecordBatch;
use multiloop::arrow::datatypes::{Field as ArrowField, Schema, SchemaRef};
use multiloop::{Field, Value};
use std::sync::Arc;

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
    columns: Columns,
    /// Of batches. Where NULLs may not be, the table says so.
    schema: SchemaRef,
    /// Rows that are no batch yet.
    count: usize,
}

/// Values that are no batch yet.
enum Columns {
    /// As arrays have them.
    Gathered(Vec<Box<dyn Gathered>>),
    /// Where a column has no such form.
    Values(Vec<Vec<Value>>),
}

impl Columns {
    fn of(rows: &multiloop::CopyIn, format: Format) -> Self {
        let (fields, schema) = (rows.fields(), rows.schema());
        let column = |(field, array): (&Field, &_)| gathered(field.data_type, format, array);
        let types = schema.fields().iter().map(|field| field.data_type());
        match fields.iter().zip(types).map(column).collect::<Option<Vec<_>>>() {
            Some(columns) if !columns.is_empty() => Columns::Gathered(columns),
            _ => Columns::Values(vec![Vec::new(); fields.len()]),
        }
    }

    /// Takes a row.
    fn take(&mut self, row: &[Option<&[u8]>], fields: &[Field], written: &Written<'_>) -> Result<()> {
        let written = |at: usize| Written { number: at + 1, data_type: fields[at].data_type, ..*written };
        match self {
            Columns::Gathered(columns) => {
                let mut values = columns.iter_mut().zip(row).enumerate();
                values.try_for_each(|(at, (column, bytes))| column.take(*bytes, &written(at)))
            }
            Columns::Values(columns) => {
                columns.iter_mut().zip(row).enumerate().try_for_each(|(at, (column, bytes))| {
                    column.push(match bytes {
                        None => Value::Null,
                        Some(bytes) => written(at).value(bytes)?,
                    });
                    Ok(())
                })
            }
        }
    }

    /// Hands on the rows that have gathered.
    fn push(&mut self, rows: &mut multiloop::CopyIn, schema: &SchemaRef) -> Result<()> {
        let pushed = match self {
            Columns::Gathered(columns) => {
                let arrays = columns.iter_mut().map(|column| column.array()).collect();
                let batch = RecordBatch::try_new(Arc::clone(schema), arrays);
                rows.push(batch.map_err(|error| Fault::internal(format!("a batch of COPY: {error}")))?)
            }
            Columns::Values(columns) => {
                let pushed = rows.push_values(columns);
                columns.iter_mut().for_each(Vec::clear);
                pushed
            }
        };
        pushed.map_err(|error| Fault::of(&error, "", 0))
    }
}

impl Reader {
    pub(super) fn new(rows: multiloop::CopyIn, form: Form) -> Self {
        let fields = rows.fields().to_vec();
        let columns = Columns::of(&rows, form.format());
        let nullable = |field: &Arc<ArrowField>| field.as_ref().clone().with_nullable(true);
        let schema = Arc::new(Schema::new(rows.schema().fields().iter().map(nullable).collect::<Vec<_>>()));
        let (lines, part) = (Lines::default(), Part::default());
        Reader { rows, fields, form, left: Vec::new(), lines, part, columns, schema, count: 0 }
    }

    /// Reads what it can of what has come.
    fn read(&mut self, last: bool) -> Result<()> {
        let Reader { rows, fields, form, left, lines, part, columns, schema, count } = self;
        let format = form.format();
        let mut each = |row: &[Option<&[u8]>]| {
            let written = Written { number: 0, data_type: multiloop::DataType::Null, format, sight: rows.sight() };
            columns.take(row, fields, &written)?;
            *count += 1;
            if *count == BATCH_ROWS {
                columns.push(rows, schema)?;
                *count = 0;
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
        let Reader { mut rows, mut columns, schema, count, .. } = *self;
        if count > 0 {
            columns.push(&mut rows, &schema)?;
        }
        rows.finish(session).map_err(|error| Fault::of(&error, "", 0))
    }
}
