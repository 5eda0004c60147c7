//! Arrow IPC: files, and streams, which have no table of contents at their end. What is written is a file.

use super::output::Output;
use super::unite::Union;
use super::{bad_file, fold_names, guarded, io_error};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::ipc::writer::FileWriter;
use multiloop_exec::column::Table;
use multiloop_exec::column::arrow::{fields_of, schema_of};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::Field;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

/// What files begin with, and streams do not.
const MAGIC: &[u8; 6] = b"ARROW1";

enum Reader {
    File(FileReader<BufReader<File>>),
    Stream(StreamReader<BufReader<File>>),
}

impl Reader {
    fn open(path: &Path) -> Result<Reader> {
        let mut file = File::open(path).map_err(|error| io_error(path, &error))?;
        let mut start = Vec::new();
        let head = (&mut file).take(MAGIC.len() as u64).read_to_end(&mut start);
        head.and_then(|_| file.rewind()).map_err(|error| io_error(path, &error))?;
        guarded(path, || {
            let file = BufReader::new(file);
            let reader = match start == MAGIC {
                true => FileReader::try_new(file, None).map(Reader::File),
                false => StreamReader::try_new(file, None).map(Reader::Stream),
            };
            reader.map_err(|error| bad_file(path, error))
        })
    }

    fn schema(&self) -> SchemaRef {
        match self {
            Reader::File(reader) => reader.schema(),
            Reader::Stream(reader) => reader.schema(),
        }
    }

    fn next(&mut self, path: &Path) -> Result<Option<RecordBatch>> {
        let mut next = || match self {
            Reader::File(reader) => reader.next().transpose(),
            Reader::Stream(reader) => reader.next().transpose(),
        };
        guarded(path, || next().map_err(|error| bad_file(path, error)))
    }
}

/// The columns of files.
pub fn read_fields(paths: &[PathBuf]) -> Result<Vec<Field>> {
    Ok(union_of(paths)?.fields)
}

fn union_of(paths: &[PathBuf]) -> Result<Union> {
    let mut union = Union::default();
    for path in paths {
        union.add_typed(path, fold_names(fields_of(&Reader::open(path)?.schema())?))?;
    }
    Ok(union)
}

/// Reads files as one table: columns of one name are one column.
pub fn read(paths: &[PathBuf], fields: Option<&[Field]>, context: &Context) -> Result<Table> {
    let union = union_of(paths)?;
    let fields = fields.map_or_else(|| union.fields.clone(), <[Field]>::to_vec);
    let mut builder = TableBuilder::new(fields, Storage::Compact, context);
    for (path, places) in paths.iter().zip(&union.places) {
        let mut reader = Reader::open(path)?;
        while let Some(batch) = reader.next(path)? {
            builder.push(union.batch(places, &batch)?)?;
        }
    }
    builder.finish()
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
