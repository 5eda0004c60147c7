//! Arrow IPC files.

use super::output::Output;
use super::{bad_file, check_same_fields, fold_names, guarded, io_error};
use arrow::array::RecordBatch;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use multiloop_exec::column::Table;
use multiloop_exec::column::arrow::{fields_of, schema_of};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::Field;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

fn open(path: &Path) -> Result<FileReader<BufReader<File>>> {
    let file = File::open(path).map_err(|error| io_error(path, &error))?;
    guarded(path, || FileReader::try_new(BufReader::new(file), None).map_err(|error| bad_file(path, error)))
}

/// The columns of a file.
pub fn read_fields(path: &Path) -> Result<Vec<Field>> {
    Ok(fold_names(fields_of(&open(path)?.schema())?))
}

/// Reads files of the same columns as one table.
pub fn read(paths: &[PathBuf], fields: Option<&[Field]>, context: &Context) -> Result<Table> {
    let mut first: Option<Vec<Field>> = None;
    let mut builder: Option<TableBuilder> = None;
    for path in paths {
        let mut reader = open(path)?;
        let own = fold_names(fields_of(&reader.schema())?);
        check_same_fields(path, first.get_or_insert_with(|| own.clone()), &own)?;
        let builder = builder
            .get_or_insert_with(|| TableBuilder::new(fields.map_or(own, <[Field]>::to_vec), Storage::Compact, context));
        while let Some(batch) = guarded(path, || reader.next().transpose().map_err(|error| bad_file(path, error)))? {
            builder.push(batch)?;
        }
    }
    builder.map_or_else(|| Err(Error::internal("no file to read")), TableBuilder::finish)
}

/// Writes an Arrow IPC file.
pub fn write(path: &Path, fields: &[Field], batches: impl IntoIterator<Item = Result<RecordBatch>>) -> Result<u64> {
    let failed = |error: arrow::error::ArrowError| {
        Error::new(ErrorKind::Io, format!("could not write file {}: {error}", path.display()))
    };
    let mut writer = FileWriter::try_new(Output::create(path)?, &schema_of(fields)).map_err(failed)?;
    let mut rows = 0;
    for batch in batches {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        writer.write(&batch).map_err(failed)?;
    }
    writer.into_inner().map_err(failed)?.finish()?;
    Ok(rows)
}
