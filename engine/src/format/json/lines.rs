//! A plain file that has a value on each line: any part of it can be read at any time, by any worker.
//!
//! No string of JSON holds a line end as it is, so that behind each one a value begins. A part has the lines that begin in it.

use super::blocks::{Layout, count_lines, sniff};
use super::{JsonOptions, PIECE_BYTES};
use crate::format::compressed::Compression;
use crate::format::identity::Identity;
use crate::format::store::{changed, is_object};
use crate::format::{bad_file, io_error};
use memchr::memchr;
use multiloop_exec::Result;
use multiloop_exec::workers::context::Reservation;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes by which it is told how values follow each other.
const HEAD_BYTES: u64 = 1 << 21;

/// Bytes that are read behind a part, where its last line ends.
const MARGIN: u64 = 1 << 12;

const BOM: &[u8] = "\u{feff}".as_bytes();

/// An open file.
#[derive(Debug)]
pub(super) struct Lines {
    path: PathBuf,
    file: File,
    /// Where the first line begins, and the last one ends.
    start: u64,
    end: u64,
}

/// Lines that have been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Where they are among the bytes that were read.
    pub(super) bytes: Range<usize>,
    /// Where they begin in the file.
    pub(super) place: u64,
}

impl Lines {
    /// Opens a file; none if it is another one than such: compressed, no regular file of this machine, or with values that are no
    /// lines.
    pub(super) fn open(path: &Path, options: &JsonOptions) -> Result<Option<Lines>> {
        let failed = |error: std::io::Error| io_error(path, &error);
        let other = options.layout.is_some_and(|layout| layout != Layout::Lines);
        if is_object(path) {
            return Ok(None);
        }
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if other || !metadata.is_file() || options.compression.is_some_and(|said| said != Compression::None) {
            return Ok(None);
        }
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let wanted = if options.layout.is_none() { HEAD_BYTES } else { 4 };
        let mut head = Vec::new();
        (&mut file).take(wanted).read_to_end(&mut head).map_err(failed)?;
        if options.compression.is_none() && Compression::of_magic(&head) != Compression::None {
            return Ok(None);
        }
        let text = head.strip_prefix(BOM).unwrap_or(&head);
        let is_all = (head.len() as u64) < wanted;
        if options.layout.is_none() && sniff(text, is_all) != Layout::Lines {
            return Ok(None);
        }
        let start = (head.len() - text.len()) as u64;
        Ok(Some(Lines { path: path.to_owned(), file, start, end: metadata.len() }))
    }

    /// Bytes of the file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.end
    }

    /// All parts, in order.
    pub(super) fn parts(&self) -> Vec<Range<u64>> {
        let step = PIECE_BYTES as u64;
        (self.start..self.end).step_by(PIECE_BYTES).map(|at| at..self.end.min(at + step)).collect()
    }

    /// Reads the lines that begin in a part, as far as the last one goes; none if there are none.
    pub(super) fn read(&self, part: &Range<u64>, to: &mut Vec<u8>, memory: &mut Reservation) -> Result<Option<Part>> {
        let is_first = part.start <= self.start;
        // A line end in front of it is what a line begins behind.
        let from = if is_first { self.start } else { part.start - 1 };
        let mut until = self.end.min(part.end + MARGIN);
        to.clear();
        self.read_more(from, until, to, memory)?;
        let own = (part.end - from) as usize;
        let begin = if is_first { Some(0) } else { memchr(b'\n', &to[..own - 1]).map(|at| at + 1) };
        let Some(begin) = begin else { return Ok(None) };
        let mut seen = own - 1;
        loop {
            if let Some(at) = memchr(b'\n', &to[seen..]) {
                return Ok(Some(Part { bytes: begin..seen + at + 1, place: from + begin as u64 }));
            }
            if until == self.end {
                return Ok(Some(Part { bytes: begin..to.len(), place: from + begin as u64 }));
            }
            seen = to.len();
            until = self.end.min(until + (until - from));
            self.read_more(from, until, to, memory)?;
        }
    }

    /// Reads the file up to a place, from where what has been read from another place on ends.
    fn read_more(&self, from: u64, until: u64, to: &mut Vec<u8>, memory: &mut Reservation) -> Result<()> {
        let (had, wanted) = (to.len(), (until - from) as usize);
        memory.resize(wanted.max(to.capacity()))?;
        to.resize(wanted, 0);
        read_at(&self.file, &self.path, from + had as u64, &mut to[had..])
    }

    /// The number of the line that begins at a place, from 1.
    pub(super) fn line_at(&self, place: u64) -> Result<u64> {
        let (mut lines, mut at) = (1, 0);
        let mut bytes = Vec::new();
        while at < place {
            bytes.resize(PIECE_BYTES.min((place - at) as usize), 0);
            read_at(&self.file, &self.path, at, &mut bytes)?;
            lines += count_lines(&bytes);
            at += bytes.len() as u64;
        }
        Ok(lines)
    }
}

/// An error (22P04) unless an open file is as one was.
pub(super) fn check(file: &File, path: &Path, known: &Option<Identity>) -> Result<()> {
    let now = file.metadata().map_err(|error| io_error(path, &error))?;
    if Identity::of(&now) == *known { Ok(()) } else { Err(changed(path)) }
}

/// Fills memory with the bytes of a file from a place on: one that has become shorter is an error (22P04).
pub(super) fn read_at(file: &File, path: &Path, place: u64, to: &mut [u8]) -> Result<()> {
    let mut done = 0;
    while done < to.len() {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, &mut to[done..], place + done as u64);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, &mut to[done..], place + done as u64);
        match read {
            Ok(0) => return Err(bad_file(path, "it has become shorter while it was read")),
            Ok(more) => done += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(io_error(path, &error)),
        }
    }
    Ok(())
}
