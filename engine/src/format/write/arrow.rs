//! Arrow IPC, as a file.

use super::super::output::Output;
use super::super::own_error;
use super::{RowWriter, size_of_batch};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::writer::FileWriter;
use multiloop_exec::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// An Arrow IPC file.
pub(super) struct Batches {
    writer: FileWriter<Output>,
    path: PathBuf,
    bytes: u64,
}

impl Batches {
    pub(super) fn create(output: Output, path: &Path, schema: &SchemaRef) -> Result<Self> {
        let writer = FileWriter::try_new(output, schema).map_err(|error| could_not_write(path, &error))?;
        Ok(Batches { writer, path: path.to_owned(), bytes: 0 })
    }
}

impl RowWriter for Batches {
    fn push(&mut self, batch: RecordBatch) -> Result<()> {
        self.bytes += size_of_batch(&batch) as u64;
        self.writer.write(&batch).map_err(|error| could_not_write(&self.path, &error))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Batches { writer, path, .. } = *self;
        writer.into_inner().map_err(|error| could_not_write(&path, &error))?.finish()
    }
}

fn could_not_write(path: &Path, error: &ArrowError) -> Error {
    let failed = || Error::new(ErrorKind::Io, format!("could not write file {}: {error}", path.display()));
    own_error(error).unwrap_or_else(failed)
}
