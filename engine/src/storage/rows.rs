//! Rows of tables as Arrow IPC, so that others can read them: each column in the Arrow type of its type's carrier
//! (`planner/src/types/logical.rs`), which loses nothing. Numerics are their digits, intervals their three parts.

use super::part::{self, Batch};
use crate::{Error, Result};
use arrow::array::{Array, ArrayRef, AsArray, Int32Array, Int64Array, RecordBatch, RecordBatchOptions, StructArray};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType as Arrow, Field as ArrowField, Fields, Int32Type, Int64Type, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::CompressionType;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use multiloop_exec::column::arrow::{arrow_type, to_array, to_column_of};
use multiloop_exec::column::{Chunk, Column, ColumnData, Table};
use multiloop_exec::workers::context::Context;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Interval;
use std::collections::HashMap;
use std::io::{Cursor, Write};
use std::sync::Arc;

/// The type that a column of this type is kept as.
fn kept_type(data_type: DataType) -> DataType {
    match data_type.carrier() {
        // Without the blanks that it is shown with.
        DataType::Char(_) | DataType::Varchar(_) => DataType::Text,
        carrier => carrier,
    }
}

fn interval_parts() -> Fields {
    let part = |name: &str, data_type: Arrow| ArrowField::new(name, data_type, false);
    [part("months", Arrow::Int32), part("days", Arrow::Int32), part("microseconds", Arrow::Int64)].into_iter().collect()
}

/// The Arrow schema of rows of these fields.
pub(super) fn schema_of(fields: &[Field]) -> SchemaRef {
    let field = |field: &Field| {
        let kept = match kept_type(field.data_type) {
            DataType::Interval => Arrow::Struct(interval_parts()),
            kept => arrow_type(kept),
        };
        let metadata = HashMap::from([("multiloop.type".to_owned(), field.data_type.to_string())]);
        ArrowField::new(&field.name, kept, true).with_metadata(metadata)
    };
    Arc::new(Schema::new(fields.iter().map(field).collect::<Vec<_>>()))
}

fn batch_of(fields: &[Field], schema: &SchemaRef, chunk: &Chunk) -> Result<RecordBatch> {
    let array = |(column, field): (&Column, &Field)| match (&column.data, kept_type(field.data_type)) {
        (ColumnData::Interval(values), _) => {
            let months: Int32Array = values.iter().map(|value| value.months).collect::<Vec<_>>().into();
            let days: Int32Array = values.iter().map(|value| value.days).collect::<Vec<_>>().into();
            let micros: Int64Array = values.iter().map(|value| value.micros).collect::<Vec<_>>().into();
            let parts: Vec<ArrayRef> = vec![Arc::new(months), Arc::new(days), Arc::new(micros)];
            let array = StructArray::try_new(interval_parts(), parts, column.nulls.clone()).map_err(wrong)?;
            Ok(Arc::new(array) as ArrayRef)
        }
        (_, kept) => to_array(column, kept),
    };
    let arrays = chunk.columns.iter().zip(fields).map(array).collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(chunk.rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options).map_err(wrong)
}

/// What cannot be: the arrays are our own.
fn wrong(error: ArrowError) -> Error {
    Error::internal(format!("rows do not fit the form that they are kept in: {error}"))
}

/// Rows, which are values, as an Arrow stream.
pub(super) fn to_stream(rows: &Table, context: &Context) -> Result<Vec<u8>> {
    let schema = schema_of(&rows.fields);
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).map_err(wrong)?;
    for chunk in &rows.chunks {
        context.check()?;
        writer.write(&batch_of(&rows.fields, &schema, chunk)?).map_err(wrong)?;
    }
    writer.into_inner().map_err(wrong)
}

/// What a file is written to: it tells what has been written since it was asked before, and where that begins.
pub(super) trait Traced: Write {
    fn trace(&mut self) -> (u64, Vec<u8>);
}

/// Rows as an Arrow file, compressed, a batch a chunk; where its batches are.
///
/// # Errors
/// What the writer gives, by way of `failed`.
pub(super) fn to_file<W: Traced>(
    rows: &Table,
    output: W,
    failed: &dyn Fn(ArrowError) -> Error,
    context: &Context,
) -> Result<(W, Vec<Batch>)> {
    let schema = schema_of(&rows.fields);
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME)).map_err(wrong)?;
    let mut writer = FileWriter::try_new_with_options(output, &schema, options).map_err(failed)?;
    let mut batches = Vec::with_capacity(rows.chunks.len());
    writer.get_mut().trace();
    for chunk in &rows.chunks {
        context.check()?;
        let batch = batch_of(&rows.fields, &schema, chunk)?;
        writer.write(&batch).map_err(failed)?;
        let (at, bytes) = writer.get_mut().trace();
        batches.extend(part::batch_of(&schema, (at, &bytes), &batch, &chunk.ranges));
    }
    if batches.len() < rows.chunks.len() {
        batches.clear();
    }
    Ok((writer.into_inner().map_err(failed)?, batches))
}

/// Takes batches of columns in the forms that tables have, and how many rows they are.
pub(super) type Take<'t> = dyn FnMut(usize, Vec<Column>) -> Result<()> + 't;

/// Reads rows that were kept, of a table of these fields.
#[derive(Debug)]
pub(super) struct Reading {
    fields: Vec<Field>,
}

impl Reading {
    pub(super) fn of(fields: &[Field]) -> Self {
        let kept = |field: &Field| Field { data_type: kept_type(field.data_type), ..field.clone() };
        Reading { fields: fields.iter().map(kept).collect() }
    }

    /// Those of a stream.
    pub(super) fn stream(&self, bytes: &[u8], damaged: &dyn Fn(String) -> Error, take: &mut Take<'_>) -> Result<()> {
        let bad = |error: ArrowError| damaged(error.to_string());
        for batch in StreamReader::try_new(Cursor::new(bytes), None).map_err(bad)? {
            self.give(&batch.map_err(bad)?, damaged, take)?;
        }
        Ok(())
    }

    /// Those of a file.
    pub(super) fn file(&self, bytes: &Buffer, damaged: &dyn Fn(String) -> Error, take: &mut Take<'_>) -> Result<()> {
        let bad = |error: ArrowError| damaged(error.to_string());
        for batch in FileReader::try_new(Cursor::new(&**bytes), None).map_err(bad)? {
            self.give(&batch.map_err(bad)?, damaged, take)?;
        }
        Ok(())
    }

    fn give(&self, batch: &RecordBatch, damaged: &dyn Fn(String) -> Error, take: &mut Take<'_>) -> Result<()> {
        if batch.num_columns() != self.fields.len() {
            return Err(damaged(format!("{} columns, where there are {}", batch.num_columns(), self.fields.len())));
        }
        let column = |(index, array): (usize, &ArrayRef)| self.column(array, index, damaged);
        let columns = batch.columns().iter().enumerate().map(column).collect::<Result<Vec<_>>>()?;
        take(batch.num_rows(), columns)
    }

    /// A column of a batch in a form that tables have.
    pub(super) fn column(&self, array: &ArrayRef, index: usize, damaged: &dyn Fn(String) -> Error) -> Result<Column> {
        let field = &self.fields[index];
        if field.data_type != DataType::Interval {
            return to_column_of(array, field);
        }
        let parts = array.as_struct_opt().filter(|parts| parts.fields() == &interval_parts());
        let parts = parts.ok_or_else(|| damaged("intervals that are none".to_owned()))?;
        let months = parts.column(0).as_primitive::<Int32Type>();
        let days = parts.column(1).as_primitive::<Int32Type>();
        let micros = parts.column(2).as_primitive::<Int64Type>();
        let value =
            |row: usize| Interval { months: months.value(row), days: days.value(row), micros: micros.value(row) };
        let values: Arc<[Interval]> = (0..array.len()).map(value).collect();
        Ok(Column::new(ColumnData::Interval(values), array.nulls().cloned()))
    }
}
