//! What a file may say of parts of a row group: the page index (where the pages of a column begin, and their least and greatest
//! values) and Bloom filters (which values a column cannot have). Both are read when a condition asks for them. They only leave out
//! rows: what is damaged is as if it were not there.

use super::file::Source;
use super::footer;
use super::{Opened, guarded};
use bytes::Bytes;
use multiloop_exec::column::Span;
use multiloop_exec::cpu::pages::{Kind, Scale};
use multiloop_planner::types::DataType;
use parquet::bloom_filter::Sbbf;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::index_reader::{decode_column_index, decode_offset_index};
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::statistics::Statistics;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of an index or a filter, at most: what says that it has more is damaged, or costs more than it leaves out.
const BYTES_MAX: u64 = 1 << 24;

/// Bytes in which the header of a filter is looked for, at least.
const HEADER_BYTES: usize = 64;

/// The pages of a column in a row group.
#[derive(Debug)]
pub(super) struct PageIndex {
    /// Where they begin.
    pub(super) locations: Vec<PageLocation>,
    /// What is known of the values of each, if something is.
    pub(super) spans: Option<Arc<[Span]>>,
}

impl PageIndex {
    /// Where the pages of some rows lie.
    pub(super) fn bytes_of(&self, rows: &Range<usize>) -> Range<u64> {
        let first_row = |location: &PageLocation| usize::try_from(location.first_row_index).unwrap_or(0);
        let before = self.locations.partition_point(|location| first_row(location) <= rows.start).max(1) - 1;
        let end = self.locations.partition_point(|location| first_row(location) < rows.end);
        let pages = self.locations.get(before..end).unwrap_or_default();
        let start_of = |location: &PageLocation| u64::try_from(location.offset).unwrap_or(0);
        let end_of = |page: &PageLocation| start_of(page) + u64::try_from(page.compressed_page_size).unwrap_or(0);
        pages.iter().map(start_of).min().unwrap_or(0)..pages.iter().map(end_of).max().unwrap_or(0)
    }
}

/// The index of a leaf, whose values become those of a type as its kind says.
pub(super) fn page_index(
    opened: &Opened,
    source: &Source,
    (group, leaf, rows): (usize, usize, usize),
    (kind, data_type): (Kind, DataType),
) -> Option<PageIndex> {
    let column = opened.metadata.metadata().row_group(group).column(leaf);
    let offsets = bytes_at(source, column.offset_index_range()?)?;
    let decode = || {
        let locations = decode_offset_index(&offsets).ok()?.page_locations().clone();
        let starts = starts(&locations, column, rows)?;
        let spans = spans(source, column, &starts, (kind, data_type));
        Some(PageIndex { locations, spans: spans.map(Arc::from) })
    };
    guarded(&opened.path, || Ok(decode())).ok().flatten()
}

/// The first rows of pages, and the end of the last one, if they are as they should be.
fn starts(locations: &[PageLocation], column: &ColumnChunkMetaData, rows: usize) -> Option<Vec<usize>> {
    let (start, bytes) = column.byte_range();
    let is_within = |location: &PageLocation| {
        let (from, bytes_of) =
            (u64::try_from(location.offset).ok()?, u64::try_from(location.compressed_page_size).ok()?);
        (from >= start && from.checked_add(bytes_of)? <= start + bytes).then_some(())
    };
    locations.iter().map(is_within).collect::<Option<Vec<()>>>()?;
    let mut starts: Vec<usize> =
        locations.iter().map(|location| usize::try_from(location.first_row_index).ok()).collect::<Option<_>>()?;
    starts.push(rows);
    (starts.first() == Some(&0) && starts.windows(2).all(|pair| pair[0] < pair[1])).then_some(starts)
}

fn spans(
    source: &Source,
    column: &ColumnChunkMetaData,
    starts: &[usize],
    (kind, data_type): (Kind, DataType),
) -> Option<Vec<Span>> {
    let bytes = bytes_at(source, column.column_index_range()?)?;
    let index = decode_column_index(&bytes, column.column_type()).ok()?;
    if usize::try_from(index.num_pages()) != Ok(starts.len() - 1) {
        return None;
    }
    let span = |page: usize| {
        let rows = starts[page]..starts[page + 1];
        let nulls = index.null_count(page).and_then(|nulls| usize::try_from(nulls).ok());
        let nulls =
            if index.is_null_page(page) { Some(rows.len()) } else { nulls.filter(|&nulls| nulls <= rows.len()) };
        let statistics = statistics_of(&index, page);
        let range = statistics.and_then(|statistics| footer::range_of(&statistics, kind, data_type));
        Span { rows, range, nulls }
    };
    Some((0..starts.len() - 1).map(span).collect())
}

/// Least and greatest value of a page as those of a row group are told.
fn statistics_of(index: &ColumnIndexMetaData, page: usize) -> Option<Statistics> {
    let fixed = |bytes: &[u8]| FixedLenByteArray::from(bytes.to_vec());
    let text = |bytes: &[u8]| ByteArray::from(bytes.to_vec());
    Some(match index {
        ColumnIndexMetaData::INT32(of) => {
            Statistics::int32(of.min_value(page).copied(), of.max_value(page).copied(), None, None, false)
        }
        ColumnIndexMetaData::INT64(of) => {
            Statistics::int64(of.min_value(page).copied(), of.max_value(page).copied(), None, None, false)
        }
        ColumnIndexMetaData::FIXED_LEN_BYTE_ARRAY(of) => {
            let (low, high) = (of.min_value(page).map(fixed), of.max_value(page).map(fixed));
            Statistics::fixed_len_byte_array(low, high, None, None, false)
        }
        ColumnIndexMetaData::BYTE_ARRAY(of) => {
            Statistics::byte_array(of.min_value(page).map(text), of.max_value(page).map(text), None, None, false)
        }
        _ => return None,
    })
}

fn bytes_at(source: &Source, range: Range<u64>) -> Option<Bytes> {
    let length = range.end.checked_sub(range.start).filter(|&length| length <= BYTES_MAX)?;
    if range.end > source.len() {
        return None;
    }
    source.get_bytes(range.start, usize::try_from(length).ok()?).ok()
}

/// The Bloom filter of a leaf, unless it is larger than what it would leave out.
pub(super) fn bloom_filter(opened: &Opened, source: &Source, (group, leaf): (usize, usize)) -> Option<Sbbf> {
    let column = opened.metadata.metadata().row_group(group).column(leaf);
    column.bloom_filter_offset()?;
    // A filter of another size than its own header says would deny values that it has: the footer's length is not believed.
    let own = column.clone().into_builder().set_bloom_filter_length(None).build().ok()?;
    let bytes_max = column.byte_range().1.min(BYTES_MAX);
    let read = || Ok(Sbbf::read_from_column_chunk(&own, &Bounded { source, bytes_max }).ok().flatten());
    guarded(&opened.path, read).ok().flatten().filter(|filter| filter.num_blocks() > 0)
}

/// A file of which not many bytes are asked for at once, and none behind its end.
struct Bounded<'a> {
    source: &'a Source,
    bytes_max: u64,
}

impl Length for Bounded<'_> {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

impl ChunkReader for Bounded<'_> {
    type T = <Source as ChunkReader>::T;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        self.source.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // The header is asked for by a guess of its length.
        let left = usize::try_from(self.len().saturating_sub(start)).unwrap_or(usize::MAX);
        let length = if length <= HEADER_BYTES { length.min(left) } else { length };
        if length > left || length as u64 > self.bytes_max.max(HEADER_BYTES as u64) {
            return Err(ParquetError::General("more bytes than a filter has".to_owned()));
        }
        self.source.get_bytes(start, length)
    }
}

/// Whether an integer may be in a filter of values that become integers as their kind says.
pub(super) fn may_have(filter: &Sbbf, kind: Kind, value: i64) -> bool {
    let unscaled = |scale| match scale {
        Scale::One => Some(value),
        Scale::Times(by) => (value % by == 0).then(|| value / by),
        // Several values become one.
        Scale::Part(_) => None,
    };
    match kind {
        Kind::Int32 { scale: Scale::Part(_), .. } | Kind::Int64 { scale: Scale::Part(_) } => true,
        Kind::Int32 { unsigned, scale } => unscaled(scale).is_some_and(|value| match unsigned {
            true => u32::try_from(value).is_ok_and(|value| filter.check(&(value as i32))),
            false => i32::try_from(value).is_ok_and(|value| filter.check(&value)),
        }),
        Kind::Int64 { scale } => unscaled(scale).is_some_and(|value| filter.check(&value)),
        _ => true,
    }
}
