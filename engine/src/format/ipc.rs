//! Arrow IPC: files, and streams, which have no table of contents at their end. What is written is a file.

use super::output::Output;
use super::set::FileSet;
use super::unite::Union;
use super::{Unreadable, bad_file, guarded, io_error, readable_fields};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::ipc::writer::FileWriter;
use multiloop_exec::column::Table;
use multiloop_exec::column::arrow::schema_of;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::Field;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// What files begin with, and streams do not.
const MAGIC: &[u8; 6] = b"ARROW1";

enum Reader {
    File(FileReader<BufReader<File>>),
    Stream(StreamReader<BufReader<File>>),
}

impl Reader {
    fn open(path: &Path, places: Option<Vec<usize>>) -> Result<Reader> {
        let mut file = File::open(path).map_err(|error| io_error(path, &error))?;
        let mut start = Vec::new();
        let head = (&mut file).take(MAGIC.len() as u64).read_to_end(&mut start);
        head.and_then(|_| file.rewind()).map_err(|error| io_error(path, &error))?;
        guarded(path, || {
            let file = BufReader::new(file);
            let reader = match start == MAGIC {
                true => FileReader::try_new(file, places).map(Reader::File),
                false => StreamReader::try_new(file, places).map(Reader::Stream),
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
pub(super) fn read_fields(files: &FileSet) -> Result<Vec<Field>> {
    Ok(Found::of(files)?.union.fields)
}

/// What files have together, and where in each file it is.
#[derive(Default)]
struct Found {
    union: Union,
    places: Vec<Vec<usize>>,
    unreadable: Vec<Unreadable>,
}

impl Found {
    fn of(files: &FileSet) -> Result<Found> {
        let mut found = Found::default();
        for path in files.iter() {
            let (fields, places, unreadable) = readable_fields(&Reader::open(path, None)?.schema());
            found.union.add_typed(path, fields)?;
            found.places.push(places);
            found.unreadable.extend(unreadable);
        }
        found.union.check_readable(&found.unreadable)?;
        found.union.add_constants(files)?;
        Ok(found)
    }
}

/// Reads files as one table: columns of one name are one column. Those that cannot be read are left out.
pub(super) fn read_readable(
    files: &FileSet,
    fields: Option<&[Field]>,
    context: &Context,
) -> Result<(Table, Vec<Unreadable>)> {
    let Found { union, places, unreadable } = Found::of(files)?;
    let fields = fields.map_or_else(|| union.fields.clone(), <[Field]>::to_vec);
    let mut builder = TableBuilder::new(fields, Storage::Compact, context);
    for ((path, own), places) in files.iter().zip(places).zip(&union.places) {
        let mut reader = Reader::open(path, Some(own))?;
        while let Some(batch) = reader.next(path)? {
            builder.push(union.batch(places, &batch)?)?;
        }
    }
    Ok((builder.finish()?, unreadable))
}

/// Writes an Arrow IPC file.
pub fn write(path: &Path, fields: &[Field], batches: impl IntoIterator<Item = Result<RecordBatch>>) -> Result<u64> {
    let failed = |error: arrow::error::ArrowError| {
        Error::new(ErrorKind::Io, format!("could not write file {}: {error}", path.display()))
    };
    // What lists look like, the rows know.
    let mut batches = batches.into_iter().peekable();
    let schema = match batches.peek() {
        Some(Ok(first)) => first.schema(),
        _ => schema_of(fields),
    };
    let mut writer = FileWriter::try_new(Output::create(path)?, &schema).map_err(failed)?;
    let mut rows = 0;
    for batch in batches {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        writer.write(&batch).map_err(failed)?;
    }
    writer.into_inner().map_err(failed)?.finish()?;
    Ok(rows)
}
