//! Apache Avro's object container files, by the library of Arrow's.
//!
//! The library takes the end of a file for the end of its blocks, wherever it is. So blocks are counted here first: a file that
//! ends within one has been cut, and its rows would be lost in silence.

use super::batches::{self, Batches};
use super::set::FileSet;
use super::{Unreadable, as_uuid, bad_file, guarded, io_error};
use arrow::array::RecordBatch;
use arrow::datatypes::{DataType as Arrow, Field as ArrowField, Schema, SchemaRef};
use arrow_avro::reader::{Reader, ReaderBuilder};
use multiloop_exec::column::{CHUNK_ROWS, Table};
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_exec::{Error, Result};
use multiloop_planner::types::Field;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What files begin with.
const MAGIC: [u8; 4] = *b"Obj\x01";

/// Bytes of what stands behind every block.
const SYNC_BYTES: u64 = 16;

/// Rows of a batch. Decoders hold it all.
const BATCH_ROWS: usize = CHUNK_ROWS / 4;

struct Avro {
    path: PathBuf,
    reader: Reader<BufReader<File>>,
    schema: SchemaRef,
    memory: Reservation,
}

fn open(path: &Path, places: Option<Vec<usize>>, context: &Context) -> Result<Box<dyn Batches>> {
    let failed = |error: std::io::Error| io_error(path, &error);
    let file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut file = BufReader::new(file);
    let block_bytes = check_blocks(path, &mut file, bytes)?;
    let mut memory = Reservation::new(&context.memory);
    memory.add(block_bytes as usize)?;
    file.rewind().map_err(failed)?;
    let reader = guarded(path, || {
        let builder = ReaderBuilder::new().with_batch_size(BATCH_ROWS);
        let builder = match places {
            Some(places) => builder.with_projection(places),
            None => builder,
        };
        builder.build(file).map_err(|error| bad_file(path, error))
    })?;
    let schema = marked(&reader.schema());
    Ok(Box::new(Avro { path: path.to_owned(), reader, schema, memory }))
}

impl Batches for Avro {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn next(&mut self, context: &Context) -> Result<Vec<RecordBatch>> {
        context.check()?;
        let path = self.path.clone();
        let failed = |error| bad_file(&path, error);
        let batch = guarded(&path, || self.reader.next().transpose().map_err(failed))?;
        let Some(batch) = batch else { return Ok(Vec::new()) };
        self.memory.resize(self.memory.bytes().max(batch.get_array_memory_size()))?;
        Ok(vec![batch.with_schema(self.schema()).map_err(failed)?])
    }
}

/// A schema in which uuids are marked as Arrow does it.
fn marked(schema: &Schema) -> SchemaRef {
    let mark = |field: &Arc<ArrowField>| {
        let is_uuid = field.metadata().get("logicalType").is_some_and(|name| name == "uuid");
        if !is_uuid || *field.data_type() != Arrow::FixedSizeBinary(16) {
            return Arc::clone(field);
        }
        Arc::new(as_uuid(field))
    };
    let fields: Vec<Arc<ArrowField>> = schema.fields().iter().map(mark).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Goes from block to block up to the end of a file, and tells the size of the largest.
///
/// Errors: 22P04 for what is no Avro, or ends within a block.
fn check_blocks(path: &Path, file: &mut BufReader<File>, bytes: u64) -> Result<u64> {
    let mut magic = [0; 4];
    file.read_exact(&mut magic).map_err(|error| io_error(path, &error))?;
    if magic != MAGIC {
        return Err(bad_file(path, "it is no Avro container file"));
    }
    let mut walk = Walk { path, file, left: bytes - 4 };
    // The metadata: parts of a map, up to one without entries. A negative number of them has their size behind it.
    loop {
        let count = walk.number()?;
        if count == 0 {
            break;
        }
        if count < 0 {
            walk.number()?;
        }
        for _ in 0..2 * count.unsigned_abs() {
            let length = walk.number()?;
            walk.skip(length)?;
        }
    }
    walk.skip(SYNC_BYTES as i64)?;
    let mut largest = 0;
    while walk.left > 0 {
        let rows = walk.number()?;
        let length = walk.number()?;
        if rows < 0 {
            return Err(bad_file(path, "a block has less than no rows"));
        }
        walk.skip(length)?;
        walk.skip(SYNC_BYTES as i64)?;
        largest = largest.max(length as u64);
    }
    Ok(largest)
}

struct Walk<'a> {
    path: &'a Path,
    file: &'a mut BufReader<File>,
    left: u64,
}

impl Walk<'_> {
    fn cut(&self) -> Error {
        bad_file(self.path, "it ends within a block, or a length in it is wrong")
    }

    /// A number of Avro's: seven bits a byte, the lowest first, the sign in the lowest bit.
    fn number(&mut self) -> Result<i64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            if self.left == 0 {
                return Err(self.cut());
            }
            let mut byte = [0];
            self.file.read_exact(&mut byte).map_err(|error| io_error(self.path, &error))?;
            let [byte] = byte;
            self.left -= 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok((value >> 1) as i64 ^ -((value & 1) as i64));
            }
        }
        Err(self.cut())
    }

    fn skip(&mut self, length: i64) -> Result<()> {
        let bytes = u64::try_from(length).ok().filter(|bytes| *bytes <= self.left).ok_or_else(|| self.cut())?;
        self.file.seek_relative(length).map_err(|error| io_error(self.path, &error))?;
        self.left -= bytes;
        Ok(())
    }
}

/// The columns of files.
pub(super) fn read_fields(files: &FileSet, context: &Context) -> Result<Vec<Field>> {
    batches::read_fields(files, open, context)
}

/// Reads files as one table: columns of one name are one column. Those that cannot be read are left out.
pub(super) fn read_readable(
    files: &FileSet,
    fields: Option<&[Field]>,
    context: &Context,
) -> Result<(Table, Vec<Unreadable>)> {
    batches::read_readable(files, open, fields, context)
}
