//! Where in a file of rows the columns of each batch are, and what is known of them: what a column can be read by alone.
//!
//! An Arrow file has a message for each batch: metadata that says where the buffers are, and a body with the buffers of one column
//! after the other. Of a column that is read its bytes of the body are, and the metadata is made anew for it alone.

use super::rows::schema_of;
use crate::{Error, Result};
use arrow::array::{ArrayRef, RecordBatch};
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::{DataType as Arrow, Field as ArrowField, Schema};
use arrow::ipc::reader::FileDecoder;
use arrow::ipc::{self, Block, MessageHeader, MetadataVersion, root_as_message};
use flatbuffers::FlatBufferBuilder;
use multiloop_planner::types::Field;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// What stands before the metadata of a message: four bytes that say so, and its length.
const PREFIX_BYTES: usize = 8;

/// Bodies begin at multiples of this, as the arrays in them are to.
const ALIGNMENT: usize = 64;

/// A batch of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Batch {
    pub(super) rows: usize,
    /// Where its message begins, how many bytes of it are before the body, and their CRC-32.
    pub(super) head: (u64, u32, u32),
    pub(super) columns: Vec<Part>,
}

/// A column of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Part(
    /// Where it begins in the body, and how many bytes it has.
    pub(super) u64,
    pub(super) u64,
    /// Their CRC-32.
    pub(super) u32,
    /// How many rows are NULL.
    pub(super) usize,
    /// Its range, as chunks have it.
    pub(super) Option<(i64, i64)>,
);

/// How many nodes and buffers a column of a type has.
fn counts(of: &Arrow) -> Option<(usize, usize)> {
    let with = |own: usize, children: &[&Arc<ArrowField>]| {
        let mut all = (1, own);
        for child in children {
            let (nodes, buffers) = counts(child.data_type())?;
            all = (all.0 + nodes, all.1 + buffers);
        }
        Some(all)
    };
    match of {
        Arrow::Null => Some((1, 0)),
        Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Binary | Arrow::LargeBinary => Some((1, 3)),
        Arrow::List(child) | Arrow::LargeList(child) | Arrow::Map(child, _) => with(2, &[child]),
        Arrow::FixedSizeList(child, _) => with(1, &[child]),
        Arrow::Struct(children) => with(1, &children.iter().collect::<Vec<_>>()),
        Arrow::Utf8View | Arrow::BinaryView | Arrow::ListView(_) | Arrow::LargeListView(_) => None,
        Arrow::Union(..) | Arrow::Dictionary(..) | Arrow::RunEndEncoded(..) => None,
        _ => Some((1, 2)),
    }
}

/// The nodes and buffers of each column of a schema.
fn ranges(schema: &Schema) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let (mut node, mut buffer) = (0, 0);
    let range = |field: &Arc<ArrowField>| {
        let (nodes, buffers) = counts(field.data_type())?;
        let ranges = (node..node + nodes, buffer..buffer + buffers);
        (node, buffer) = (node + nodes, buffer + buffers);
        Some(ranges)
    };
    schema.fields().iter().map(range).collect()
}

/// A batch of which these are the bytes, from some place in its file on; none of one whose columns cannot be read alone.
pub(super) fn batch_of(
    schema: &Schema,
    (at, bytes): (u64, &[u8]),
    batch: &RecordBatch,
    chunk_ranges: &[Option<(i64, i64)>],
) -> Option<Batch> {
    let length = u32::from_le_bytes(bytes.get(4..PREFIX_BYTES)?.try_into().ok()?);
    let head_bytes = PREFIX_BYTES + length as usize;
    let (head, body) = (bytes.get(..head_bytes)?, bytes.get(head_bytes..)?);
    let message = root_as_message(&head[PREFIX_BYTES..]).ok()?;
    let buffers = message.header_as_record_batch()?.buffers()?;
    let mut columns = Vec::new();
    for (index, (_, of)) in ranges(schema)?.into_iter().enumerate() {
        let extent = extent(buffers.iter().skip(of.start).take(of.len()))?;
        let bytes = body.get(extent.start as usize..extent.end as usize)?;
        let nulls = batch.column(index).null_count();
        let range = chunk_ranges.get(index).copied().flatten();
        columns.push(Part(extent.start, extent.end - extent.start, crc32fast::hash(bytes), nulls, range));
    }
    Some(Batch { rows: batch.num_rows(), head: (at, head_bytes as u32, crc32fast::hash(head)), columns })
}

/// The bytes of some buffers that follow each other.
fn extent<'b>(buffers: impl Iterator<Item = &'b ipc::Buffer>) -> Option<Range<u64>> {
    let mut all: Option<Range<u64>> = None;
    for buffer in buffers.filter(|buffer| buffer.length() > 0) {
        let start = u64::try_from(buffer.offset()).ok()?;
        let end = start + u64::try_from(buffer.length()).ok()?;
        let of = all.get_or_insert(start..end);
        *of = of.start.min(start)..of.end.max(end);
    }
    Some(all.unwrap_or(0..0))
}

impl Batch {
    /// Where in the file a column's bytes are.
    pub(super) fn place(&self, column: usize) -> Range<u64> {
        let Part(at, bytes, ..) = self.columns[column];
        let start = self.head.0 + u64::from(self.head.1) + at;
        start..start + bytes
    }

    /// A column of rows of these fields: `head` are the bytes before the batch's body, `bytes` those of the column.
    ///
    /// # Errors
    /// `damaged`, where these are not what was written.
    pub(super) fn array(
        &self,
        (fields, column): (&[Field], usize),
        (head, bytes): (&[u8], &[u8]),
        damaged: &dyn Fn(String) -> Error,
    ) -> Result<ArrayRef> {
        let short = || damaged("it is not what was written".to_owned());
        let message = head.get(PREFIX_BYTES..).ok_or_else(short)?;
        let message = root_as_message(message).map_err(|error| damaged(error.to_string()))?;
        let batch = message.header_as_record_batch().ok_or_else(short)?;
        let schema = schema_of(fields);
        let ranges = ranges(&schema).ok_or_else(short)?;
        let (nodes, buffers) = ranges.get(column).cloned().ok_or_else(short)?;
        let Part(first, ..) = *self.columns.get(column).ok_or_else(short)?;
        let own_nodes: Vec<ipc::FieldNode> =
            batch.nodes().ok_or_else(short)?.iter().skip(nodes.start).take(nodes.len()).copied().collect();
        let moved = |of: &ipc::Buffer| match of.length() {
            0 => ipc::Buffer::new(0, 0),
            length => ipc::Buffer::new(of.offset() - first as i64, length),
        };
        let own_buffers: Vec<ipc::Buffer> =
            batch.buffers().ok_or_else(short)?.iter().skip(buffers.start).take(buffers.len()).map(moved).collect();
        let compression = batch.compression().map(|of| (of.codec(), of.method()));
        let (message, metadata) = message_of((&own_nodes, &own_buffers), compression, (self.rows, bytes));
        let block = Block::new(0, metadata as i32, bytes.len() as i64);
        let one = Arc::new(Schema::new(vec![Arc::clone(&schema.fields()[column])]));
        let decoder = FileDecoder::new(one, MetadataVersion::V5);
        let read = decoder.read_record_batch(&block, &message).map_err(|error| damaged(error.to_string()))?;
        read.map(|read| Arc::clone(read.column(0))).filter(|array| array.len() == self.rows).ok_or_else(short)
    }
}

/// A message of one column, and how many bytes of it are before the body.
fn message_of(
    (nodes, buffers): (&[ipc::FieldNode], &[ipc::Buffer]),
    compression: Option<(ipc::CompressionType, ipc::BodyCompressionMethod)>,
    (rows, body): (usize, &[u8]),
) -> (Buffer, usize) {
    let mut builder = FlatBufferBuilder::new();
    let (nodes, buffers) = (builder.create_vector(nodes), builder.create_vector(buffers));
    let compression = compression
        .map(|(codec, method)| ipc::BodyCompression::create(&mut builder, &ipc::BodyCompressionArgs { codec, method }));
    let of = ipc::RecordBatchArgs {
        length: rows as i64,
        nodes: Some(nodes),
        buffers: Some(buffers),
        compression,
        variadicBufferCounts: None,
    };
    let batch = ipc::RecordBatch::create(&mut builder, &of);
    let of = ipc::MessageArgs {
        version: MetadataVersion::V5,
        header_type: MessageHeader::RecordBatch,
        header: Some(batch.as_union_value()),
        bodyLength: body.len() as i64,
        custom_metadata: None,
    };
    let message = ipc::Message::create(&mut builder, &of);
    builder.finish(message, None);
    let head = builder.finished_data();
    let metadata = (PREFIX_BYTES + head.len()).next_multiple_of(ALIGNMENT);
    let mut bytes = MutableBuffer::new(metadata + body.len());
    bytes.extend_from_slice(&[0xff_u8; 4]);
    bytes.extend_from_slice(&((metadata - PREFIX_BYTES) as u32).to_le_bytes());
    bytes.extend_from_slice(head);
    bytes.resize(metadata, 0);
    bytes.extend_from_slice(body);
    (bytes.into(), metadata)
}
