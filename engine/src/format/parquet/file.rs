//! Bytes of a file, by their places.

use super::super::identity::Identity;
use super::super::io_error;
use super::buffers::Buffer;
use crate::{Error, ErrorKind, Result};
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are read for a page's header, of which the most are far shorter.
const HEADER_BYTES: usize = 512;

/// An open file, which several may read at once.
#[derive(Clone, Debug)]
pub(super) struct Source(Arc<File>);

impl Source {
    pub(super) fn open(path: &Path) -> Result<(Self, Option<Identity>)> {
        let file = File::open(path).map_err(|error| io_error(path, &error))?;
        let identity = Identity::of(&file.metadata().map_err(|error| io_error(path, &error))?);
        Ok((Source(Arc::new(file)), identity))
    }

    /// An error (22P04) unless the file is as it was.
    pub(super) fn check(&self, path: &Path, known: &Option<Identity>) -> Result<()> {
        let now = self.0.metadata().map_err(|error| io_error(path, &error))?;
        if Identity::of(&now) == *known {
            return Ok(());
        }
        let message = format!("file {} has been changed while it was read", path.display());
        Err(Error::new(ErrorKind::BadFile, message))
    }

    #[cfg(unix)]
    fn read_at(&self, place: u64, to: &mut [u8]) -> std::io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&*self.0, to, place)
    }

    #[cfg(windows)]
    fn read_at(&self, place: u64, to: &mut [u8]) -> std::io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&*self.0, to, place)
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.0.metadata().map_or(0, |metadata| metadata.len())
    }
}

impl ChunkReader for Source {
    type T = From;

    fn get_read(&self, start: u64) -> parquet::errors::Result<From> {
        Ok(From { source: self.clone(), place: start, buffer: [0; HEADER_BYTES], next: 0, filled: 0 })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
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
