//! Where the bytes of files are: on this machine, or objects of a store ([`remote`]). Both are read by places, by as many as like
//! to; a reader from front to end is made of that. What can be read but once (a pipe) is kept first (`spool`).

#[cfg(feature = "remote")]
mod remote;
#[cfg(not(feature = "remote"))]
#[path = "no_remote.rs"]
mod remote;
mod spool;

pub(super) use remote::{Object, Upload, expand};
pub(crate) use remote::{is_within, refuse_redirects};
pub(super) use spool::{Spool, is_given, is_stream};

use super::identity::Identity;
use super::io_error;
use bytes::Bytes;
use multiloop_exec::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::{self, ErrorKind as Io, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the names of objects begin, and which kind of store that is.
const SCHEMES: [(&str, Scheme); 11] = [
    ("http://", Scheme::Http),
    ("https://", Scheme::Http),
    ("s3://", Scheme::S3),
    ("s3a://", Scheme::S3),
    ("gs://", Scheme::Google),
    ("gcs://", Scheme::Google),
    ("az://", Scheme::Azure),
    ("azure://", Scheme::Azure),
    ("abfs://", Scheme::Azure),
    ("abfss://", Scheme::Azure),
    ("adl://", Scheme::Azure),
];

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// A server of HTTP, which lists nothing.
    Http,
    S3,
    Google,
    Azure,
}

/// The kind of store of which a path names an object; none of a file of this machine.
pub(crate) fn scheme_of(path: &str) -> Option<Scheme> {
    let begins = |start: &str| path.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    SCHEMES.into_iter().find(|(start, _)| begins(start)).map(|(_, scheme)| scheme)
}

/// Whether a path names an object.
pub(super) fn is_object(path: &Path) -> bool {
    path.to_str().is_some_and(|path| scheme_of(path).is_some())
}

/// Bytes of a file.
pub(super) fn bytes_of(path: &Path) -> Result<u64> {
    Source::open(path)?.0.len().map_err(|error| io_error(path, &error))
}

/// The part of a path that says what a file is called: of a server's without what is asked of it.
pub(crate) fn name_part(path: &str) -> &str {
    match scheme_of(path) {
        Some(Scheme::Http) => path.split(['?', '#']).next().unwrap_or(path),
        _ => path,
    }
}

/// An open file, which several may read at once.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// On this machine.
    File(Arc<File>),
    /// What a pipe has said.
    Spool(Arc<Spool>),
    /// Of a store.
    Object(Arc<Object>),
}

impl Source {
    /// Opens a file; what can be read but once is read to its end, if nobody has.
    ///
    /// Errors: 58P01, 58030, 42501; 53100 if there is no room for what has to be kept.
    pub(super) fn open(path: &Path) -> Result<(Source, Option<Identity>)> {
        if is_object(path) {
            let object = Object::open(path)?;
            return Ok((Source::Object(Arc::clone(&object)), Some(Identity::Object(object))));
        }
        if is_stream(path) {
            let spool = Spool::of(path)?;
            return Ok((Source::Spool(Arc::clone(&spool)), Some(Identity::Spool(spool))));
        }
        let file = File::open(path).map_err(|error| io_error(path, &error))?;
        let identity = Identity::of(&file.metadata().map_err(|error| io_error(path, &error))?);
        Ok((Source::File(Arc::new(file)), identity))
    }

    /// Bytes of the file.
    pub(super) fn len(&self) -> io::Result<u64> {
        match self {
            Source::File(file) => Ok(file.metadata()?.len()),
            Source::Spool(spool) => Ok(spool.whole()?.1),
            Source::Object(object) => Ok(object.len()),
        }
    }

    /// An error (22P04) unless the file is as it was.
    pub(super) fn check(&self, path: &Path, known: &Option<Identity>) -> Result<()> {
        let now = match self {
            Source::File(file) => Identity::of(&file.metadata().map_err(|error| io_error(path, &error))?),
            Source::Spool(spool) => Some(Identity::Spool(Arc::clone(spool))),
            Source::Object(object) => Some(Identity::Object(Arc::clone(object))),
        };
        if now == *known {
            return Ok(());
        }
        Err(changed(path))
    }

    /// Reads some bytes at a place; none at the end.
    pub(super) fn read_at(&self, place: u64, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => read_file_at(file, place, to),
            Source::Spool(spool) => read_file_at(spool.whole()?.0, place, to),
            Source::Object(object) => Ok(object.window(place)?.map_or(0, |window| copy(&window, place, to))),
        }
    }

    /// The object, if it is one: who knows which bytes are needed asks it for these.
    pub(super) fn object(&self) -> Option<&Arc<Object>> {
        match self {
            Source::Object(object) => Some(object),
            _ => None,
        }
    }

    /// A reader from front to end.
    pub(super) fn reader(&self) -> io::Result<Reader> {
        Ok(match self {
            Source::File(file) => Reader::File(file.try_clone()?),
            _ => Reader::Places { source: self.clone(), place: 0, len: self.len()?, window: None },
        })
    }
}

/// The error of a file that is not the one any more that has been opened.
pub(super) fn changed(path: &Path) -> Error {
    Error::new(ErrorKind::BadFile, format!("file {} has been changed while it was read", path.display()))
}

#[cfg(unix)]
fn read_file_at(file: &File, place: u64, to: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, to, place)
}

#[cfg(windows)]
fn read_file_at(file: &File, place: u64, to: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, to, place)
}

/// Bytes of a window, and where it begins.
type Window = (u64, Part);

/// Copies what a window has from a place on; tells how many bytes that are.
fn copy((start, bytes): &Window, place: u64, to: &mut [u8]) -> usize {
    let at = place.checked_sub(*start).and_then(|at| usize::try_from(at).ok());
    let rest = at.and_then(|at| bytes.get(at..)).unwrap_or_default();
    let count = rest.len().min(to.len());
    to[..count].copy_from_slice(&rest[..count]);
    count
}

/// A file from front to end. Of a local one there is one reader: its handles share a position.
#[derive(Debug)]
pub(super) enum Reader {
    File(File),
    Places { source: Source, place: u64, len: u64, window: Option<Window> },
}

impl Read for Reader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Reader::File(file) => file.read(to),
            Reader::Places { source, place, window, .. } => {
                let mut count = window.as_ref().map_or(0, |window| copy(window, *place, to));
                if count == 0 {
                    if let Source::Object(object) = source {
                        *window = object.window(*place)?;
                        count = window.as_ref().map_or(0, |window| copy(window, *place, to));
                    } else {
                        count = source.read_at(*place, to)?;
                    }
                }
                *place += count as u64;
                Ok(count)
            }
        }
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Reader::File(file) => file.seek(to),
            Reader::Places { place, len, .. } => {
                let at = match to {
                    SeekFrom::Start(at) => Some(at),
                    SeekFrom::End(by) => len.checked_add_signed(by),
                    SeekFrom::Current(by) => place.checked_add_signed(by),
                };
                *place = at.ok_or_else(|| io::Error::new(Io::InvalidInput, "a place before the start of a file"))?;
                Ok(*place)
            }
        }
    }
}

/// An error on its way through code that knows only those of reading: [`io_error`] has it back.
#[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "files of this machine fail as the system says"))]
pub(super) fn as_io(error: Error) -> io::Error {
    io::Error::other(error)
}

/// Files that a name or a pattern stands for.
pub(super) type Found = Vec<(PathBuf, Identity)>;

/// Bytes that are where an object's were asked for.
pub(super) type Part = Bytes;
