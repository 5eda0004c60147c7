//! Bytes of a file, by their places. Of an object of a store they come in parts: the end of the file at once, and column chunks,
//! which are told before they are read ([`Source::expect`]), as a whole or in large pieces.

use super::super::identity::Identity;
use super::super::store::{self, Object, as_io};
use super::buffers::Buffer;
use crate::Result;
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are read for a page's header, of which the most are far shorter.
const HEADER_BYTES: usize = 512;

/// Bytes of the end of an object that are asked for at once: footers are there.
const END_BYTES: u64 = 1 << 16;

/// Bytes of a column chunk of an object that are asked for at once.
const PIECE_BYTES: u64 = 1 << 23;

/// An open file, which several may read at once.
#[derive(Clone, Debug)]
pub(super) struct Source {
    source: store::Source,
    /// What will be read of an object.
    expected: Range<u64>,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<(Self, Option<Identity>)> {
        let (source, identity) = store::Source::open(path)?;
        Ok((Source { source, expected: 0..0 }, identity))
    }

    /// An error (22P04) unless the file is as it was.
    pub(super) fn check(&self, path: &Path, known: &Option<Identity>) -> Result<()> {
        self.source.check(path, known)
    }

    /// Whether all of it comes with its footer, if it is an object.
    pub(super) fn is_near(&self) -> bool {
        self.source.object().is_none() || self.len() <= END_BYTES
    }

    /// Says that the end of the file will be read.
    pub(super) fn expect_end(&self) {
        if let Some(object) = self.source.object() {
            object.expect(self.len().saturating_sub(END_BYTES)..self.len());
        }
    }

    /// The same file, of which these bytes will be read.
    pub(super) fn expect(&self, expected: Range<u64>) -> Source {
        if let Some(object) = self.source.object() {
            object.expect(expected.start..expected.end.min(expected.start + PIECE_BYTES));
        }
        Source { source: self.source.clone(), expected }
    }

    /// The part of an object that is asked for where a byte is needed, if more than that is expected.
    fn part(&self, object: &Arc<Object>, place: u64) -> Option<Range<u64>> {
        let expected = &self.expected;
        if expected.contains(&place) {
            let piece = expected.start + (place - expected.start) / PIECE_BYTES * PIECE_BYTES;
            let end = (piece + PIECE_BYTES).min(expected.end);
            // The next one comes while this one is read.
            object.expect(end..(end + PIECE_BYTES).min(expected.end));
            return Some(piece..end);
        }
        let end = self.len().saturating_sub(END_BYTES)..self.len();
        end.contains(&place).then_some(end)
    }

    fn read_at(&self, place: u64, to: &mut [u8]) -> std::io::Result<usize> {
        let Some(object) = self.source.object() else { return self.source.read_at(place, to) };
        let end = place.saturating_add(to.len() as u64).min(self.len());
        if place >= end {
            return Ok(0);
        }
        let part = self.part(object, place).unwrap_or(place..end);
        let bytes = object.part(part.clone()).map_err(as_io)?;
        let from = &bytes[(place - part.start) as usize..(end.min(part.end) - part.start) as usize];
        to[..from.len()].copy_from_slice(from);
        Ok(from.len())
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.source.len().unwrap_or(0)
    }
}

impl ChunkReader for Source {
    type T = From;

    fn get_read(&self, start: u64) -> parquet::errors::Result<From> {
        Ok(From { source: self.clone(), place: start, buffer: [0; HEADER_BYTES], next: 0, filled: 0 })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        if let (Some(object), Some(end)) = (self.source.object(), start.checked_add(length as u64)) {
            let part = self.part(object, start).unwrap_or(start..end);
            // Of two pieces it is put together below.
            if part.end >= end && end <= self.len() {
                let bytes = object.part(part.clone()).map_err(as_io)?;
                return Ok(bytes.slice((start - part.start) as usize..(end - part.start) as usize));
            }
        }
        let mut buffer = Buffer::new(length);
        let mut done = 0;
        while done < length {
            match self.read_at(start + done as u64, &mut buffer.bytes()[done..]) {
                Ok(0) => return Err(ParquetError::EOF(format!("{length} bytes were expected, {done} are there"))),
                Ok(more) => done += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(buffer.freeze())
    }
}

/// Bytes from a place on.
#[derive(Debug)]
pub(super) struct From {
    source: Source,
    place: u64,
    buffer: [u8; HEADER_BYTES],
    next: usize,
    filled: usize,
}

impl Read for From {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        if self.next == self.filled {
            self.filled = self.source.read_at(self.place, &mut self.buffer)?;
            self.place += self.filled as u64;
            self.next = 0;
        }
        let count = to.len().min(self.filled - self.next);
        to[..count].copy_from_slice(&self.buffer[self.next..self.next + count]);
        self.next += count;
        Ok(count)
    }
}
