//! Arrow IPC: files, and streams, which have no table of contents at their end.
//!
//! Messages are cut out here, and decoded by the library: what a message claims (where it is, how much its buffers decompress to)
//! is held against the file and the memory there is before anything is made of it. Some batches at a time are decoded in parallel.
//! Dictionaries may grow and be replaced between the batches of a stream; those of a file all come first.

use super::batches::{self, Batches};
use super::set::FileSet;
use super::store::{self, Source};
use super::{Unreadable, bad_file, guarded, io_error, is_of_column};
use arrow::array::RecordBatch;
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::{DataType as Arrow, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::convert::try_fb_to_schema;
use arrow::ipc::reader::{FileDecoder, read_footer_length};
use arrow::ipc::{self, Block, MessageHeader, root_as_footer, root_as_message};
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_exec::{Error, Result};
use multiloop_planner::types::Field;
use std::collections::VecDeque;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What files begin and end with, and streams do not.
const MAGIC: &[u8; 6] = b"ARROW1";

/// Bytes of a footer's length and the magic behind it.
const TAIL_BYTES: u64 = 10;

/// What stands before the length of a message's metadata, but in old files.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// A file or a stream.
struct Reader {
    path: PathBuf,
    file: BufReader<store::Reader>,
    file_bytes: u64,
    schema: SchemaRef,
    decoder: FileDecoder,
    /// Where the messages are; none of a stream, where they follow each other.
    blocks: Option<VecDeque<Block>>,
    /// Whether a stream has said that it ends.
    ended: bool,
    memory: Reservation,
    /// Bytes of dictionaries.
    kept: usize,
    /// Why a dictionary could not be read: columns that may be its codes cannot be, either.
    lost: Option<Error>,
}

/// The metadata of a message, with what stands before it, and its body behind that.
struct Message {
    block: Block,
    bytes: Buffer,
}

fn open(path: &Path, places: Option<Vec<usize>>, context: &Context) -> Result<Box<dyn Batches>> {
    let failed = |error: std::io::Error| io_error(path, &error);
    let source = Source::open(path)?.0;
    let file_bytes = source.len().map_err(failed)?;
    let mut file = source.reader().map_err(failed)?;
    let mut start = Vec::new();
    (&mut file).take(MAGIC.len() as u64).read_to_end(&mut start).and_then(|_| file.rewind()).map_err(failed)?;
    let is_file = start == MAGIC;
    let opened = guarded(path, || {
        let file = BufReader::new(file);
        if is_file {
            Reader::of_file(path, file, file_bytes, context)
        } else {
            Reader::of_stream(path, file, file_bytes, context)
        }
    })?;
    Ok(Box::new(opened.chosen(places)?))
}

impl Reader {
    fn of_file(path: &Path, mut file: BufReader<store::Reader>, file_bytes: u64, context: &Context) -> Result<Reader> {
        let failed = |error: std::io::Error| io_error(path, &error);
        let bad = |error: ArrowError| bad_file(path, error);
        let mut tail = [0; TAIL_BYTES as usize];
        let at = file_bytes.checked_sub(TAIL_BYTES).ok_or_else(|| bad_file(path, "it is too short"))?;
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut tail)).map_err(failed)?;
        let length = read_footer_length(tail).map_err(bad)?;
        let at = at.checked_sub(length as u64).ok_or_else(|| bad_file(path, "its footer is longer than it is"))?;
        let mut footer = vec![0; length];
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut footer)).map_err(failed)?;
        let footer = root_as_footer(&footer).map_err(|error| bad_file(path, error))?;
        let (Some(schema), Some(batches)) = (footer.schema(), footer.recordBatches()) else {
            return Err(bad_file(path, "its footer has no schema or no list of batches"));
        };
        let schema = schema_in(path, schema)?;
        let decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        let blocks = batches.iter().copied().collect();
        let memory = Reservation::new(&context.memory);
        let path = path.to_owned();
        let blocks = Some(blocks);
        let mut reader =
            Reader { path, file, file_bytes, schema, decoder, blocks, ended: false, memory, kept: 0, lost: None };
        for block in footer.dictionaries().into_iter().flatten() {
            let message = reader.read_block(block)?;
            reader.take_dictionary(&message)?;
        }
        Ok(reader)
    }

    fn of_stream(path: &Path, file: BufReader<store::Reader>, file_bytes: u64, context: &Context) -> Result<Reader> {
        let schema = Arc::new(Schema::empty());
        let decoder = FileDecoder::new(Arc::clone(&schema), ipc::MetadataVersion::V5);
        let memory = Reservation::new(&context.memory);
        let path = path.to_owned();
        let mut reader =
            Reader { path, file, file_bytes, schema, decoder, blocks: None, ended: false, memory, kept: 0, lost: None };
        let Some(first) = reader.next_message()? else { return Err(reader.bad("it is empty")) };
        let path = reader.path.clone();
        let message = message_of(&path, &first)?;
        let Some(schema) = message.header_as_schema() else {
            return Err(reader.bad("it does not begin with a schema"));
        };
        reader.schema = schema_in(&path, schema)?;
        reader.decoder = FileDecoder::new(Arc::clone(&reader.schema), message.version());
        Ok(reader)
    }

    /// The same for the columns at these places alone.
    fn chosen(mut self, places: Option<Vec<usize>>) -> Result<Reader> {
        if let Some(places) = places {
            self.schema = Arc::new(self.schema.project(&places).map_err(|error| bad_file(&self.path, error))?);
            self.decoder = self.decoder.with_projection(places);
        }
        Ok(self)
    }

    /// The next message; none at the end.
    fn next_message(&mut self) -> Result<Option<Message>> {
        match &mut self.blocks {
            Some(blocks) => match blocks.pop_front() {
                Some(block) => self.read_block(&block).map(Some),
                None => Ok(None),
            },
            None if self.ended => Ok(None),
            None => {
                let message = self.read_next()?;
                self.ended = message.is_none();
                Ok(message)
            }
        }
    }

    /// The message at a place that a footer tells.
    fn read_block(&mut self, block: &Block) -> Result<Message> {
        let sizes =
            (u64::try_from(block.offset()), u64::try_from(block.metaDataLength()), u64::try_from(block.bodyLength()));
        let (Ok(offset), Ok(metadata), Ok(body)) = sizes else { return Err(self.bad("a message of negative length")) };
        let end = offset.checked_add(metadata).and_then(|end| end.checked_add(body));
        if end.is_none_or(|end| end > self.file_bytes) || metadata < 8 {
            return Err(self.bad("a message lies outside it"));
        }
        let failed = |error: std::io::Error| io_error(&self.path, &error);
        let length = (metadata + body) as usize;
        self.memory.add(length)?;
        let mut bytes = MutableBuffer::from_len_zeroed(length);
        self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(&mut bytes)).map_err(failed)?;
        self.checked(Message { block: *block, bytes: bytes.into() })
    }

    /// The message that follows in a stream.
    fn read_next(&mut self) -> Result<Option<Message>> {
        let failed = |error: std::io::Error| io_error(&self.path, &error);
        let mut start = Vec::new();
        (&mut self.file).take(4).read_to_end(&mut start).map_err(failed)?;
        if start.is_empty() {
            return Ok(None);
        }
        if start == CONTINUATION {
            (&mut self.file).take(4).read_to_end(&mut start).map_err(failed)?;
        }
        let length = start.last_chunk::<4>().filter(|_| start.len() % 4 == 0).map(|bytes| i32::from_le_bytes(*bytes));
        let metadata = match length.map(u64::try_from) {
            Some(Ok(0)) => return Ok(None),
            Some(Ok(length)) if length <= self.file_bytes => length,
            _ => return Err(self.bad("the length of a message is none")),
        };
        let mut bytes = start.clone();
        (&mut self.file).take(metadata).read_to_end(&mut bytes).map_err(failed)?;
        let head = root_as_message(&bytes[start.len()..]).map_err(|error| bad_file(&self.path, error))?;
        let body = u64::try_from(head.bodyLength()).ok().filter(|length| *length <= self.file_bytes);
        let Some(body) = body else { return Err(self.bad("a message is longer than the file")) };
        self.memory.add(bytes.len() + body as usize)?;
        let mut all = MutableBuffer::new(bytes.len() + body as usize);
        all.extend_from_slice(&bytes);
        all.resize(bytes.len() + body as usize, 0);
        self.file.read_exact(&mut all.as_slice_mut()[bytes.len()..]).map_err(failed)?;
        let block = Block::new(0, bytes.len() as i32, body as i64);
        self.checked(Message { block, bytes: all.into() }).map(Some)
    }

    /// A message, once there is memory for what its buffers say that they decompress to.
    fn checked(&mut self, message: Message) -> Result<Message> {
        let head = message_of(&self.path, &message)?;
        let batch = head.header_as_record_batch().or_else(|| head.header_as_dictionary_batch()?.data());
        let compressed = batch.filter(|batch| batch.compression().is_some()).and_then(|batch| batch.buffers());
        let body = &message.bytes[message.block.metaDataLength() as usize..];
        let mut total = 0usize;
        for buffer in compressed.into_iter().flatten() {
            let at = usize::try_from(buffer.offset()).ok().filter(|_| buffer.length() > 0);
            let claimed = at.and_then(|at| body.get(at..)?.first_chunk::<8>()).map(|bytes| i64::from_le_bytes(*bytes));
            // -1 is a buffer that is not compressed.
            let claimed = claimed.and_then(|claimed| usize::try_from(claimed).ok());
            total = total.saturating_add(claimed.unwrap_or(0));
        }
        self.memory.add(total)?;
        // The library holds the two against each other where the column is read; nothing but this number is where none is.
        if let Some(batch) = head.header_as_record_batch() {
            let of_first = batch.nodes().and_then(|nodes| nodes.iter().next()).map(|node| node.length());
            if batch.length() < 0 || of_first.is_some_and(|of_first| of_first != batch.length()) {
                return Err(self.bad("a batch's number of rows is not that of its columns"));
            }
        }
        Ok(message)
    }

    fn take_dictionary(&mut self, message: &Message) -> Result<()> {
        self.kept = self.memory.bytes();
        let decoder = &mut self.decoder;
        let read =
            || decoder.read_dictionary(&message.block, &message.bytes).map_err(|error| bad_file(&self.path, error));
        match guarded(&self.path, read) {
            Err(error) if is_of_column(&error) => self.lost = Some(error),
            read => read?,
        }
        Ok(())
    }

    /// The error of a dictionary that a column of these needs and that could not be read.
    fn check_dictionaries(&self) -> Result<()> {
        fn has_codes(arrow: &Arrow) -> bool {
            match arrow {
                Arrow::Dictionary(..) => true,
                Arrow::List(of) | Arrow::LargeList(of) | Arrow::FixedSizeList(of, _) | Arrow::Map(of, _) => {
                    has_codes(of.data_type())
                }
                Arrow::Struct(fields) => fields.iter().any(|field| has_codes(field.data_type())),
                _ => false,
            }
        }
        match &self.lost {
            Some(error) if self.schema.fields().iter().any(|field| has_codes(field.data_type())) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    fn bad(&self, reason: &str) -> Error {
        bad_file(&self.path, reason.to_owned())
    }

    /// Messages of batches, up to a number of them, and the dictionary behind them, if there is one.
    fn some_messages(&mut self, most: usize) -> Result<(Vec<Message>, Option<Message>)> {
        let mut batches = Vec::new();
        while batches.len() < most
            && let Some(message) = self.next_message()?
        {
            match message_of(&self.path, &message)?.header_type() {
                MessageHeader::DictionaryBatch => return Ok((batches, Some(message))),
                MessageHeader::RecordBatch => batches.push(message),
                MessageHeader::NONE => {}
                other => return Err(self.bad(&format!("a message of kind {other:?} between batches"))),
            }
        }
        Ok((batches, None))
    }
}

impl Batches for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn next(&mut self, context: &Context) -> Result<Vec<RecordBatch>> {
        loop {
            context.check()?;
            self.check_dictionaries()?;
            self.memory.resize(self.kept)?;
            let path = self.path.clone();
            let (messages, dictionary) = guarded(&path, || self.some_messages(context.workers().count()))?;
            let decode = |message: &Message| {
                let decoded = || self.decoder.read_record_batch(&message.block, &message.bytes);
                guarded(&path, || decoded().map_err(|error| bad_file(&path, error)))
            };
            let batches = context.workers().map(messages.iter().collect(), decode)?;
            if let Some(dictionary) = &dictionary {
                self.take_dictionary(dictionary)?;
            }
            let batches: Vec<RecordBatch> = batches.into_iter().flatten().collect();
            if !batches.is_empty() || (messages.is_empty() && dictionary.is_none()) {
                return Ok(batches);
            }
        }
    }
}

/// The head of a message.
fn message_of<'a>(path: &Path, message: &'a Message) -> Result<ipc::Message<'a>> {
    let bytes = &message.bytes[..message.block.metaDataLength() as usize];
    let prefix = if bytes.starts_with(&CONTINUATION) { 8 } else { 4 };
    let head = bytes.get(prefix..).ok_or_else(|| bad_file(path, "a message without metadata"))?;
    root_as_message(head).map_err(|error| bad_file(path, error))
}

fn schema_in(path: &Path, schema: ipc::Schema) -> Result<SchemaRef> {
    if !schema.endianness().equals_to_target_endianness() {
        let message = format!("file {}: Arrow data of the other byte order is", path.display());
        return Err(Error::unsupported(message));
    }
    try_fb_to_schema(schema).map(Arc::new).map_err(|error| bad_file(path, error))
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
