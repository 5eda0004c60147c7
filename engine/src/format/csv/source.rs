//! The bytes of a file, by their places, as UTF-8: of a plain file those that are asked for, of one that is compressed or in
//! another encoding a window that moves on while rows are read.

use super::CsvOptions;
use super::decode::{Decoded, Form};
use crate::format::identity::Identity;
use crate::format::{bad_file, io_error, own_error, store};
use multiloop_exec::{Error, Result};
use std::fs::File;
use std::io::{ErrorKind as Io, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

/// Bytes that are decoded at once.
const STEP_BYTES: usize = 1 << 18;

/// An open file.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    /// None of what can be read but once, and is read now.
    file: Option<store::Source>,
    identity: Option<Identity>,
    file_bytes: u64,
    stream: Option<Stream>,
}

/// What has been decoded.
#[derive(Debug)]
struct Stream {
    decoded: Mutex<Decoded>,
    window: RwLock<Window>,
}

#[derive(Debug, Default)]
struct Window {
    start: u64,
    bytes: Vec<u8>,
    ended: bool,
}

/// Bytes that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Where they end.
    pub(super) end: u64,
    /// Whether that is the end of the file.
    pub(super) is_all: bool,
}

impl Stream {
    fn of(decoded: Decoded) -> Stream {
        Stream { decoded: Mutex::new(decoded), window: RwLock::default() }
    }
}

impl Source {
    /// Opens a file; an error (58P01, 58030) if that cannot be.
    pub(super) fn open(path: &Path, options: &CsvOptions) -> Result<Source> {
        let failed = |error: std::io::Error| io_error(path, &error);
        let (file, identity) = store::Source::open(path)?;
        let mut head = [0; 4];
        let mut length = 0;
        while length < head.len() {
            match file.read_at(length as u64, &mut head[length..]).map_err(failed)? {
                0 => break,
                more => length += more,
            }
        }
        let form = Form::of(&head[..length], options);
        let decoded = || Decoded::new(file.reader().map_err(failed)?, path, form);
        let stream = (!form.is_plain()).then(decoded).transpose()?.map(Stream::of);
        let file_bytes = file.len().map_err(failed)?;
        Ok(Source { path: path.to_owned(), file: Some(file), identity, file_bytes, stream })
    }

    /// Opens a file that is read but once: of a pipe nothing is kept.
    pub(super) fn open_once(path: &Path, options: &CsvOptions) -> Result<Source> {
        let is_regular = || std::fs::metadata(path).map_or(true, |found| found.is_file());
        if store::is_object(path) || is_regular() || store::Spool::is_known(path) {
            return Source::open(path, options);
        }
        let file = File::open(path).map_err(|error| io_error(path, &error))?;
        store::Spool::spend(path);
        let stream = Some(Stream::of(Decoded::new(file, path, Form::of(&[], options))?));
        Ok(Source { path: path.to_owned(), file: None, identity: None, file_bytes: 0, stream })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What the file was like when it was opened.
    pub(super) fn identity(&self) -> &Option<Identity> {
        &self.identity
    }

    /// Bytes of the file, as it lies there.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Whether any bytes can be read at any time.
    pub(super) fn is_plain(&self) -> bool {
        self.stream.is_none()
    }

    /// An error (22P04) unless the file is as it was.
    pub(super) fn check(&self, known: &Option<Identity>) -> Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| file.check(&self.path, known))
    }

    /// The first bytes of the file, and whether these are all.
    pub(super) fn head(&self, most: usize) -> Result<(Vec<u8>, bool)> {
        let extent = self.reach(most as u64)?;
        let count = extent.end.min(most as u64) as usize;
        let mut bytes = Vec::new();
        self.read(0, count, &mut bytes)?;
        Ok((bytes, extent.is_all && extent.end == count as u64))
    }

    /// Sees to it that bytes up to a place are there, if there are so many; tells which are.
    pub(super) fn reach(&self, place: u64) -> Result<Extent> {
        let Some(stream) = &self.stream else {
            return Ok(Extent { end: self.file_bytes, is_all: true });
        };
        let mut decoded = stream.decoded.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let window = stream.window.read().unwrap_or_else(PoisonError::into_inner);
            let (end, ended) = (window.start + window.bytes.len() as u64, window.ended);
            drop(window);
            if ended || end >= place {
                return Ok(Extent { end, is_all: ended });
            }
            let mut more = Vec::with_capacity(STEP_BYTES);
            let read = (&mut *decoded).take(STEP_BYTES as u64).read_to_end(&mut more);
            read.map_err(|error| self.decode_error(&error))?;
            let mut window = stream.window.write().unwrap_or_else(PoisonError::into_inner);
            window.ended = more.len() < STEP_BYTES;
            window.bytes.extend_from_slice(&more);
        }
    }

    fn decode_error(&self, error: &std::io::Error) -> Error {
        match error.kind() {
            Io::NotFound | Io::PermissionDenied => io_error(&self.path, error),
            _ if own_error(error).is_some() => io_error(&self.path, error),
            _ => bad_file(&self.path, error.to_string()),
        }
    }

    /// Bytes of memory that hold what has been decoded.
    pub(super) fn window_bytes(&self) -> usize {
        let window = |stream: &Stream| stream.window.read().unwrap_or_else(PoisonError::into_inner).bytes.capacity();
        self.stream.as_ref().map_or(0, window)
    }

    /// Bytes before a place are not asked for any more.
    pub(super) fn release(&self, place: u64) {
        if let Some(stream) = &self.stream {
            let mut window = stream.window.write().unwrap_or_else(PoisonError::into_inner);
            let gone = place.saturating_sub(window.start).min(window.bytes.len() as u64);
            window.bytes.drain(..gone as usize);
            window.start += gone;
        }
    }

    /// Reads bytes that are there: a file that has become shorter is an error (22P04).
    pub(super) fn read(&self, place: u64, count: usize, to: &mut Vec<u8>) -> Result<()> {
        let gone = || bad_file(&self.path, "it has become shorter while it was read");
        if let Some(stream) = &self.stream {
            to.clear();
            let window = stream.window.read().unwrap_or_else(PoisonError::into_inner);
            let from = place.checked_sub(window.start).ok_or_else(gone)? as usize;
            to.extend_from_slice(window.bytes.get(from..from + count).ok_or_else(gone)?);
            return Ok(());
        }
        let Some(file) = &self.file else { return Err(Error::internal("a pipe is read by places")) };
        to.resize(count, 0);
        let mut done = 0;
        while done < count {
            match file.read_at(place + done as u64, &mut to[done..]) {
                Ok(0) => return Err(gone()),
                Ok(more) => done += more,
                Err(error) if error.kind() == Io::Interrupted => {}
                Err(error) => return Err(io_error(&self.path, &error)),
            }
        }
        Ok(())
    }
}
