//! Parquet: row groups, whose columns are encoded by all workers, each column of each row group a task of its own. Some row groups
//! are gathered before that, so that one wide column keeps nobody waiting.

use super::super::output::Output;
use super::super::own_error;
use super::{RowWriter, Rows, size_of_batch};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::DataType;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriterOptions, compute_leaves,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use std::path::{Path, PathBuf};

/// A Parquet file.
pub(super) struct Groups<'w> {
    writer: SerializedFileWriter<Output>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    path: PathBuf,
    context: &'w Context,
    /// For each field how many leaves it has.
    leaves: Vec<usize>,
    group_rows: usize,
    /// Row groups at once.
    wave: usize,
    pending: Vec<RecordBatch>,
    pending_rows: usize,
    held: Reservation,
    /// Row groups that are written.
    written: usize,
}

impl<'w> Groups<'w> {
    pub(super) fn create(
        output: Output,
        path: &Path,
        rows: Rows<'w>,
        schema: &SchemaRef,
        (compression, group_rows): (Compression, usize),
    ) -> Result<Self> {
        if let Some(field) = rows.fields.iter().find(|field| field.data_type == DataType::Interval) {
            // The writer has no form for them.
            return Err(Error::unsupported(format!("column \"{}\": interval in a Parquet file is", field.name)));
        }
        let failed = |error: ParquetError| could_not_write(path, &error);
        let properties = WriterProperties::builder().set_compression(compression).build();
        let options = ArrowWriterOptions::new().with_properties(properties);
        let writer = ArrowWriter::try_new_with_options(output, schema.clone(), options).map_err(failed)?;
        let (writer, factory) = writer.into_serialized_writer().map_err(failed)?;
        let mut leaves = vec![0; schema.fields().len()];
        let columns = writer.schema_descr();
        (0..columns.num_columns()).for_each(|leaf| leaves[columns.get_column_root_idx(leaf)] += 1);
        let wave = (2 * rows.context.workers().count()).div_ceil(leaves.len().max(1)).max(2);
        Ok(Groups {
            writer,
            factory,
            schema: schema.clone(),
            path: path.to_owned(),
            context: rows.context,
            leaves,
            group_rows,
            wave,
            pending: Vec::new(),
            pending_rows: 0,
            held: Reservation::new(&rows.context.memory),
            written: 0,
        })
    }

    /// Writes row groups of what is pending: full ones, and with `all` the rest as one, too.
    fn flush(&mut self, all: bool) -> Result<()> {
        let mut groups: Vec<Vec<RecordBatch>> = Vec::new();
        let (mut group, mut rows) = (Vec::new(), 0);
        for batch in std::mem::take(&mut self.pending) {
            let mut start = 0;
            while start < batch.num_rows() {
                let count = (batch.num_rows() - start).min(self.group_rows - rows);
                group.push(batch.slice(start, count));
                (start, rows) = (start + count, rows + count);
                if rows == self.group_rows {
                    groups.push(std::mem::take(&mut group));
                    rows = 0;
                }
            }
        }
        if all && rows > 0 {
            groups.push(std::mem::take(&mut group));
            rows = 0;
        }
        self.write(&groups)?;
        (self.pending, self.pending_rows) = (group, rows);
        let held = self.pending.iter().map(size_of_batch).sum();
        self.held.resize(held)
    }

    fn write(&mut self, groups: &[Vec<RecordBatch>]) -> Result<()> {
        let path = self.path.clone();
        let failed = |error: ParquetError| could_not_write(&path, &error);
        let mut tasks: Vec<(usize, usize, Vec<ArrowColumnWriter>)> = Vec::new();
        for number in 0..groups.len() {
            let writers = self.factory.create_column_writers(self.written + number).map_err(failed)?;
            let mut writers = writers.into_iter();
            for (field, &leaves) in self.leaves.iter().enumerate() {
                tasks.push((number, field, writers.by_ref().take(leaves).collect()));
            }
        }
        let encode = |(number, field, mut writers): (usize, usize, Vec<ArrowColumnWriter>)| {
            for batch in &groups[number] {
                self.context.check()?;
                let leaves = compute_leaves(self.schema.field(field), batch.column(field)).map_err(failed)?;
                for (writer, leaf) in writers.iter_mut().zip(&leaves) {
                    writer.write(leaf).map_err(failed)?;
                }
            }
            writers.into_iter().map(|writer| writer.close().map_err(failed)).collect::<Result<Vec<_>>>()
        };
        let chunks: Vec<Vec<ArrowColumnChunk>> = self.context.workers().map(tasks, encode)?;
        let mut chunks = chunks.into_iter();
        for _ in groups {
            let mut group = self.writer.next_row_group().map_err(failed)?;
            for chunk in chunks.by_ref().take(self.leaves.len()).flatten() {
                chunk.append_to_row_group(&mut group).map_err(failed)?;
            }
            group.close().map_err(failed)?;
            self.written += 1;
        }
        Ok(())
    }
}

impl RowWriter for Groups<'_> {
    fn push(&mut self, batch: RecordBatch) -> Result<()> {
        self.held.add(size_of_batch(&batch))?;
        self.pending_rows += batch.num_rows();
        self.pending.push(batch);
        if self.pending_rows / self.group_rows >= self.wave { self.flush(false) } else { Ok(()) }
    }

    fn bytes(&self) -> u64 {
        // What is pending becomes less; about how much it does is not known before it has.
        let pending: usize = self.pending.iter().map(size_of_batch).sum();
        self.writer.bytes_written() as u64 + pending as u64 / 4
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.flush(true)?;
        let Groups { writer, path, .. } = *self;
        writer.into_inner().map_err(|error| could_not_write(&path, &error))?.finish()
    }
}

fn could_not_write(path: &Path, error: &ParquetError) -> Error {
    let failed = || Error::new(ErrorKind::Io, format!("could not write file {}: {error}", path.display()));
    own_error(error).unwrap_or_else(failed)
}
