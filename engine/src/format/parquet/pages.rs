//! The pages of a column in a row group. What is compressed by Snappy, as most files are, is decompressed here, into buffers that
//! are used again; the rest is left to the Parquet crate.

use super::super::bad_file;
use super::Opened;
use super::buffers::Buffer;
use super::file::Source;
use crate::Result;
use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::serialized_reader::SerializedPageReader;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes that Snappy makes of one, at most: a copy of 64 takes three.
const SNAPPY_RATIO_MAX: usize = 24;

/// Pages, one after the other.
pub(super) struct Pages<'a> {
    path: &'a Path,
    pages: SerializedPageReader<Source>,
    is_snappy: bool,
}

impl<'a> Pages<'a> {
    /// Those of a leaf in a row group, found by their places, if these are known, with where those lie that will be read.
    pub(super) fn new(
        opened: &'a Opened,
        source: &Source,
        (group, leaf): (usize, usize),
        locations: Option<(Vec<PageLocation>, Range<u64>)>,
    ) -> Result<Self> {
        let metadata = opened.metadata.metadata();
        let of = metadata.row_group(group);
        let (rows, column) = (usize::try_from(of.num_rows()).unwrap_or(0), of.column(leaf));
        let failed = |error: ParquetError| bad_file(&opened.path, error);
        let is_snappy = column.compression() == Compression::SNAPPY;
        let (locations, expected) = locations.unzip();
        let (start, bytes) = column.byte_range();
        let source = Arc::new(source.expect(expected.unwrap_or(start..start + bytes)));
        let pages = if is_snappy {
            let as_is = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build();
            SerializedPageReader::new(source, &as_is.map_err(failed)?, rows, locations)
        } else {
            SerializedPageReader::new(source, column, rows, locations)
        };
        Ok(Pages { path: &opened.path, pages: pages.map_err(failed)?, is_snappy })
    }

    /// What the next page is.
    pub(super) fn peek(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page().map_err(|error| bad_file(self.path, error))
    }

    /// Leaves out the next page.
    pub(super) fn skip(&mut self) -> Result<()> {
        self.pages.skip_next_page().map_err(|error| bad_file(self.path, error))
    }

    /// The next page, decompressed.
    pub(super) fn next(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.pages.get_next_page().map_err(|error| bad_file(self.path, error))? else {
            return Ok(None);
        };
        if self.is_snappy {
            let (buffer, levels) = match &mut page {
                Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
                Page::DataPageV2 { is_compressed: false, .. } => return Ok(Some(page)),
                Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                    (buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)
                }
            };
            *buffer = decompressed(buffer, levels).map_err(|reason| bad_file(self.path, reason))?;
        }
        Ok(Some(page))
    }
}

/// Bytes behind levels, which are not compressed, decompressed.
fn decompressed(buffer: &Bytes, levels: usize) -> std::result::Result<Bytes, String> {
    let (levels, rest) = buffer.split_at_checked(levels).ok_or("a page is too short")?;
    // A page without values may have no bytes at all.
    let bytes = if rest.is_empty() { 0 } else { snap::raw::decompress_len(rest).map_err(|error| error.to_string())? };
    if bytes > rest.len().saturating_mul(SNAPPY_RATIO_MAX) {
        return Err("a page cannot have so many bytes".to_owned());
    }
    let mut buffer = Buffer::new(levels.len() + bytes);
    let (before, behind) = buffer.bytes().split_at_mut(levels.len());
    before.copy_from_slice(levels);
    if bytes > 0 {
        snap::raw::Decoder::new().decompress(rest, behind).map_err(|error| error.to_string())?;
    }
    Ok(buffer.freeze())
}
