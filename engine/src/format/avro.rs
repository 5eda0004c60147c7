//! Apache Avro's object container files, by the library of Arrow's.
//!
//! The library takes the end of a file for the end of its blocks, wherever it is. So blocks are counted here first: a file that
//! ends within one has been cut, and its rows would be lost in silence. The library also takes as much memory as a block says: so
//! what blocks hold is counted before rows are read, against the limit.

use super::batches::{self, Batches};
use super::set::FileSet;
use super::store::{self, Source};
use super::{Unreadable, as_uuid, bad_file, guarded, io_error};
use arrow::array::RecordBatch;
use arrow::datatypes::{DataType as Arrow, Field as ArrowField, Schema, SchemaRef};
use arrow_avro::reader::{Reader, ReaderBuilder};
use multiloop_exec::column::{CHUNK_ROWS, Table};
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_exec::{Error, Result};
use multiloop_planner::types::Field;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What files begin with.
const MAGIC: [u8; 4] = *b"Obj\x01";

/// Bytes of what stands behind every block.
const SYNC_BYTES: u64 = 16;

/// The key of the metadata that names how blocks are compressed, and bytes of what is no name of any.
const CODEC: &[u8] = b"avro.codec";
const SHORT_BYTES: i64 = 64;

/// Bytes that are decompressed at once, to count them.
const STEP_BYTES: usize = 1 << 16;

/// Rows of a batch. Decoders hold it all.
const BATCH_ROWS: usize = CHUNK_ROWS / 4;

struct Avro {
    path: PathBuf,
    reader: Reader<BufReader<store::Reader>>,
    schema: SchemaRef,
    memory: Reservation,
    /// What blocks take at once, and rows that they say they have and that have not come yet.
    held: usize,
    rows: u64,
}

fn open(path: &Path, places: Option<Vec<usize>>, context: &Context) -> Result<Box<dyn Batches>> {
    let failed = |error: std::io::Error| io_error(path, &error);
    let source = Source::open(path)?.0;
    let bytes = source.len().map_err(failed)?;
    let mut file = BufReader::new(source.reader().map_err(failed)?);
    let mut memory = Reservation::new(&context.memory);
    // Who asks for the columns alone takes no block apart.
    let rows = check_blocks(path, &mut file, bytes, places.is_some().then_some((&mut memory, context)))?;
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
    let held = memory.bytes();
    Ok(Box::new(Avro { path: path.to_owned(), reader, schema, memory, held, rows }))
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
        let rows = batch.as_ref().map_or(0, RecordBatch::num_rows) as u64;
        self.rows = match self.rows.checked_sub(rows) {
            Some(left) if rows > 0 || left == 0 => left,
            _ => return Err(bad_file(&self.path, "its blocks have other rows than they say")),
        };
        let Some(batch) = batch else { return Ok(Vec::new()) };
        self.memory.resize(self.memory.bytes().max(self.held + batch.get_array_memory_size()))?;
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

/// Goes from block to block up to the end of a file, and tells how many rows they say they have. If they are to be read, there is
/// memory for the largest one then, as it is in the file and as it is decompressed.
///
/// Errors: 22P04 for what is no Avro, ends within a block or does not decompress; 53200.
fn check_blocks(
    path: &Path,
    file: &mut BufReader<store::Reader>,
    bytes: u64,
    mut reads: Option<(&mut Reservation, &Context)>,
) -> Result<u64> {
    let mut magic = [0; 4];
    file.read_exact(&mut magic).map_err(|error| io_error(path, &error))?;
    if magic != MAGIC {
        return Err(bad_file(path, "it is no Avro container file"));
    }
    let mut walk = Walk { path, file, left: bytes - 4 };
    let codec = walk.codec()?;
    walk.skip(SYNC_BYTES as i64)?;
    let (mut all, mut largest) = (0u64, 0);
    while walk.left > 0 {
        let rows = walk.number()?;
        let length = walk.number()?;
        let rows = u64::try_from(rows).map_err(|_| bad_file(path, "a block has less than no rows"))?;
        // The library never gets to the end of a block that has bytes and no rows.
        if rows == 0 && length > 0 {
            return Err(bad_file(path, "a block has bytes of no rows"));
        }
        all = all.saturating_add(rows);
        match &mut reads {
            Some((memory, context)) => {
                context.check()?;
                largest = walk.block(length, &codec, largest, (&mut **memory, *context))?;
            }
            None => walk.skip(length)?,
        }
        walk.skip(SYNC_BYTES as i64)?;
    }
    Ok(all)
}

struct Walk<'a> {
    path: &'a Path,
    file: &'a mut BufReader<store::Reader>,
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

    /// Passes over the metadata: parts of a map, up to one without entries. A negative number of them has their size behind it.
    /// Tells the codec.
    fn codec(&mut self) -> Result<Vec<u8>> {
        let mut codec = Vec::new();
        loop {
            let count = self.number()?;
            if count == 0 {
                return Ok(codec);
            }
            if count < 0 {
                self.number()?;
            }
            for _ in 0..count.unsigned_abs() {
                let length = self.number()?;
                let is_codec = length == CODEC.len() as i64 && self.bytes(length)? == CODEC;
                if length != CODEC.len() as i64 {
                    self.skip(length)?;
                }
                let length = self.number()?;
                match is_codec && length < SHORT_BYTES {
                    true => codec = self.bytes(length)?,
                    false => self.skip(length)?,
                }
            }
        }
    }

    /// Bytes, of which there are few.
    fn bytes(&mut self, length: i64) -> Result<Vec<u8>> {
        let count = self.fitting(length)?;
        let mut bytes = vec![0; count as usize];
        self.file.read_exact(&mut bytes).map_err(|error| io_error(self.path, &error))?;
        self.left -= count;
        Ok(bytes)
    }

    /// Passes over a block, and sees to it that there is memory for it and what comes out of it; the most so far is what blocks
    /// before it took.
    fn block(
        &mut self,
        length: i64,
        codec: &[u8],
        most: usize,
        (memory, context): (&mut Reservation, &Context),
    ) -> Result<usize> {
        let bytes = self.fitting(length)?;
        let mut needed = most.max(bytes as usize);
        memory.resize(needed)?;
        let mut block = (&mut *self.file).take(bytes);
        let failed = |error: std::io::Error| bad_file(self.path, error);
        let mut decoder: Box<dyn Read + '_> = match codec {
            b"deflate" => Box::new(flate2::read::DeflateDecoder::new(&mut block)),
            b"zstandard" => Box::new(zstd::Decoder::new(&mut block).map_err(failed)?),
            // It begins with the length of what comes out, seven bits a byte.
            b"snappy" => {
                let mut length = 0u64;
                for shift in (0..35).step_by(7) {
                    let mut byte = [0];
                    block.read_exact(&mut byte).map_err(failed)?;
                    length |= u64::from(byte[0] & 0x7f) << shift;
                    if byte[0] < 0x80 {
                        break;
                    }
                }
                needed = needed.max((length + bytes) as usize);
                memory.resize(needed)?;
                Box::new(std::io::empty())
            }
            _ => Box::new(std::io::empty()),
        };
        let (mut step, mut count) = (vec![0; STEP_BYTES], bytes as usize);
        loop {
            match decoder.read(&mut step).map_err(failed)? {
                0 => break,
                more => count += more,
            }
            if count > needed {
                context.check()?;
                // In large steps: as the library's buffer grows.
                needed = count.saturating_mul(2);
                memory.resize(needed)?;
            }
        }
        drop(decoder);
        let rest = block.limit() as i64;
        self.left -= bytes;
        self.file.seek_relative(rest).map_err(|error| io_error(self.path, &error))?;
        Ok(needed)
    }

    /// A length that the file has.
    fn fitting(&self, length: i64) -> Result<u64> {
        u64::try_from(length).ok().filter(|bytes| *bytes <= self.left).ok_or_else(|| self.cut())
    }

    fn skip(&mut self, length: i64) -> Result<()> {
        let bytes = self.fitting(length)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_exec::workers::context::Memory;
    use std::io::Write;

    fn number(value: i64) -> Vec<u8> {
        let mut rest = ((value << 1) ^ (value >> 63)) as u64;
        let mut bytes = Vec::new();
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes
    }

    fn text(text: &[u8]) -> Vec<u8> {
        [number(text.len() as i64), text.to_vec()].concat()
    }

    /// A file of one column of texts, and blocks that say they have so many rows.
    fn file(codec: &str, blocks: &[(i64, Vec<u8>)]) -> Vec<u8> {
        let schema = br#"{"type":"record","name":"r","fields":[{"name":"s","type":"string"}]}"#;
        let mut bytes = [MAGIC.to_vec(), number(2), text(b"avro.schema"), text(schema)].concat();
        bytes.extend([text(CODEC), text(codec.as_bytes()), number(0), vec![7; 16]].concat());
        for (rows, block) in blocks {
            bytes.extend([number(*rows), text(block), vec![7; 16]].concat());
        }
        bytes
    }

    /// How many rows a file has, or its error.
    fn rows(bytes: &[u8], limit: usize) -> std::result::Result<usize, String> {
        let name = format!("multiloop-avro-{}-{:?}.avro", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("a file can be written");
        let files = FileSet::named(&[path.display().to_string()]).expect("it is there");
        let read = read_readable(&files, None, &Context::new(Memory::new(limit)));
        let _ = std::fs::remove_file(&path);
        let table = read.map_err(|error| error.sqlstate().to_owned())?.0;
        Ok(table.chunks.iter().map(|chunk| chunk.rows).sum())
    }

    fn compressed(codec: &str, bytes: &[u8]) -> Vec<u8> {
        match codec {
            "deflate" => {
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(bytes).expect("memory takes all");
                encoder.finish().expect("memory takes all")
            }
            "zstandard" => zstd::stream::encode_all(bytes, 3).expect("memory takes all"),
            "snappy" => snap::raw::Encoder::new().compress_vec(bytes).expect("memory takes all"),
            _ => bytes.to_vec(),
        }
    }

    #[test]
    fn blocks_that_grow_count_against_the_limit() {
        let row = text(&vec![b'x'; 64 << 20]);
        for codec in ["deflate", "zstandard", "snappy"] {
            let bomb = file(codec, &[(1, compressed(codec, &row))]);
            assert!(bomb.len() < 8 << 20);
            assert_eq!(rows(&bomb, 16 << 20), Err("53200".to_owned()), "{codec}");
        }
        let small = text(b"abc").repeat(3);
        for codec in ["null", "deflate", "zstandard"] {
            assert_eq!(rows(&file(codec, &[(3, compressed(codec, &small))]), usize::MAX), Ok(3), "{codec}");
        }
    }

    #[test]
    fn blocks_have_the_rows_that_they_say() {
        let three = text(b"abc").repeat(3);
        assert_eq!(rows(&file("null", &[(3, three.clone()), (3, three.clone())]), usize::MAX), Ok(6));
        for (said, block) in [(0, three.clone()), (4, three.clone()), (2, Vec::new())] {
            let found = rows(&file("null", &[(said, block), (3, three.clone())]), usize::MAX);
            assert_eq!(found, Err("22P04".to_owned()), "{said}");
        }
    }
}
