//! COPY TO: rows as files. One file is written whole and then takes the place of what was there (`output`); several are written
//! into a folder of their own, which does so (`folder`). Values become bytes on all workers, `text` lines of CSV and JSON, `groups`
//! row groups of Parquet; they are written in the rows' order.

mod arrow;
mod folder;
mod groups;
mod options;
mod text;

use super::compressed::{Encoder, Packing};
use super::csv::CsvOptions;
use super::io_error;
use super::output::Output;
use super::store::is_object;
use crate::sight::Sight;
use ::arrow::array::{Array, ArrayRef, RecordBatch};
use ::arrow::datatypes::SchemaRef;
use folder::Staged;
use multiloop_exec::column::arrow::schema_of;
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, Result};
use multiloop_planner::types::Field;
use parquet::basic::Compression;
use std::path::Path;

/// Rows of a row group where nothing is said.
const GROUP_ROWS: usize = 1 << 17;

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "there is one of it a COPY")]
enum Form {
    Csv(CsvOptions),
    /// Objects, one a line; or all of them in an array.
    Json {
        array: bool,
    },
    Parquet {
        compression: Compression,
        group_rows: usize,
    },
    Ipc,
}

impl Default for Form {
    fn default() -> Self {
        Form::Parquet { compression: Compression::SNAPPY, group_rows: GROUP_ROWS }
    }
}

/// How COPY TO writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writing {
    form: Form,
    /// How the file is compressed as a whole.
    packing: Packing,
    /// By place: a folder for each of their values.
    partitions: Vec<usize>,
    /// Whether these are in the files, too.
    keep_partitions: bool,
    /// Whether a folder takes the place of what is there, or its files theirs.
    replace: bool,
    add: bool,
    /// Whether there are as many files as threads.
    per_thread: bool,
    /// Bytes from which on the next file begins.
    file_bytes: Option<u64>,
    /// Whether a file is written where it is to be.
    in_place: bool,
}

/// Takes the rows of one file.
trait RowWriter {
    /// Takes some rows.
    fn push(&mut self, batch: RecordBatch) -> Result<()>;
    /// About how many bytes the file has so far.
    fn bytes(&self) -> u64;
    /// Writes what is left; the file is where it is to be.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// What all files of a statement have in common.
#[derive(Clone, Copy)]
struct Rows<'w> {
    fields: &'w [Field],
    sight: &'w Sight,
    context: &'w Context,
}

/// Bytes of a batch's rows, which may be some of those in its buffers.
fn size_of_batch(batch: &RecordBatch) -> usize {
    let size = |array: &ArrayRef| array.to_data().get_slice_memory_size().unwrap_or(array.get_array_memory_size());
    batch.columns().iter().map(size).sum()
}

impl Writing {
    /// Of one file, as nothing is said.
    #[cfg(test)]
    pub(super) fn of_format(format: &super::Format) -> Result<Self> {
        let form = match format {
            super::Format::Csv(options) => Form::Csv(options.clone()),
            super::Format::Parquet => Form::default(),
            super::Format::Ipc => Form::Ipc,
            super::Format::Json(_) => Form::Json { array: false },
            super::Format::Avro => return Err(options::avro()),
        };
        Ok(Writing { form, ..Writing::default() })
    }

    /// Whether there may be several files, in a folder.
    pub(crate) fn is_folder(&self) -> bool {
        !self.partitions.is_empty() || self.per_thread || self.file_bytes.is_some()
    }

    /// Writes all rows; returns how many there were. After an error nothing is left of them.
    pub(crate) fn write(
        &self,
        path: &Path,
        (fields, sight): (&[Field], &Sight),
        batches: impl Iterator<Item = Result<RecordBatch>>,
        context: &Context,
    ) -> Result<u64> {
        let rows = Rows { fields, sight, context };
        // What lists look like, the rows know.
        let mut batches = batches.peekable();
        let schema = match batches.peek() {
            Some(Ok(first)) => first.schema(),
            _ => schema_of(fields),
        };
        if self.is_folder() {
            if is_object(path) {
                let path = path.display();
                return Err(Error::unsupported(format_args!("writing several files to a store, {path}, is"))
                    .with_hint("Write one file, or the folder to this machine."));
            }
            let staged = Staged::create(path, (self.replace, self.add))?;
            let count = folder::write(self, &staged, rows, &schema, batches)?;
            staged.finish()?;
            return Ok(count);
        }
        let output = if self.in_place { Output::in_place(path)? } else { Output::create(path)? };
        let mut writer = self.writer(output, path, rows, &schema)?;
        let mut count = 0;
        for batch in batches {
            let batch = batch?;
            count += batch.num_rows() as u64;
            writer.push(batch)?;
        }
        writer.finish()?;
        Ok(count)
    }

    /// The writer of one file.
    fn writer<'w>(
        &'w self,
        output: Output,
        path: &Path,
        rows: Rows<'w>,
        schema: &SchemaRef,
    ) -> Result<Box<dyn RowWriter + 'w>> {
        let failed = |error: std::io::Error| io_error(path, &error);
        Ok(match &self.form {
            Form::Parquet { compression, group_rows } => {
                Box::new(groups::Groups::create(output, path, rows, schema, (*compression, *group_rows))?)
            }
            Form::Csv(options) => {
                options.check()?;
                let encoded = Encoder::new(output, self.packing).map_err(failed)?;
                Box::new(text::Lines::create(encoded, path, rows, text::LineForm::Csv(options)))
            }
            Form::Json { array } => {
                let encoded = Encoder::new(output, self.packing).map_err(failed)?;
                Box::new(text::Lines::create(encoded, path, rows, text::LineForm::Json { array: *array }))
            }
            Form::Ipc => Box::new(self::arrow::Batches::create(output, path, schema)?),
        })
    }

    /// The ending of the files in a folder.
    fn ending(&self) -> String {
        let form = match &self.form {
            Form::Csv(_) => "csv",
            Form::Json { array: true } => "json",
            Form::Json { array: false } => "ndjson",
            Form::Parquet { .. } => "parquet",
            Form::Ipc => "arrow",
        };
        format!("{form}{}", self.packing.ending())
    }
}
