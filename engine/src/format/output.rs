//! A file that appears whole or not at all: written in the folder of its target without a name, which it gets at the end; where that
//! cannot be, under another name, and renamed at the end. What is no file (a pipe, a terminal) is written as it comes; an object of a store is there once it is whole.

use super::io_error;
use super::store::{Upload, scheme_of};
use super::unnamed;
use multiloop_exec::Result;
use std::fs::File;
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells apart the files that one process writes at once.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Bytes of one of many files that are gathered before they are written.
pub(super) const GATHERED_BYTES: usize = 1 << 16;

/// A file in the making.
#[derive(Debug)]
pub(super) struct Output {
    target: PathBuf,
    to: Option<BufWriter<To>>,
    /// What is removed unless it is finished.
    unfinished: Option<PathBuf>,
    /// What it is called before it is moved to its target, if it has no name until then.
    last_name: Option<PathBuf>,
}

#[derive(Debug)]
enum To {
    File(File),
    Stdout(Stdout),
    /// A file that is open only while it is written.
    Closed(PathBuf),
    Object(Upload),
}

impl Write for To {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            To::File(file) => file.write(bytes),
            To::Stdout(stdout) => stdout.write(bytes),
            To::Closed(path) => {
                File::options().append(true).open(path).and_then(|mut file| file.write_all(bytes))?;
                Ok(bytes.len())
            }
            To::Object(upload) => upload.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            To::File(file) => file.flush(),
            To::Stdout(stdout) => stdout.flush(),
            To::Closed(_) => Ok(()),
            To::Object(upload) => upload.flush(),
        }
    }
}

impl Output {
    /// Starts a file; the folder must be there.
    pub(super) fn create(target: &Path) -> Result<Output> {
        if let Some(output) = Output::stream(target)? {
            return Ok(output);
        }
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let path = target.with_file_name(name);
        // A folder in its place is found out by who makes a file.
        match target.parent().filter(|_| !target.is_dir()).and_then(unnamed::create) {
            Some(file) => {
                let to = BufWriter::with_capacity(1 << 18, To::File(file));
                Ok(Output { target: target.to_owned(), to: Some(to), unfinished: None, last_name: Some(path) })
            }
            None => Output::open(target, path),
        }
    }

    /// The same under its own name from the start, so that half of it may be seen; after a failure nothing is.
    pub(super) fn in_place(target: &Path) -> Result<Output> {
        match Output::stream(target)? {
            Some(output) => Ok(output),
            None => Output::open(target, target.to_owned()),
        }
    }

    /// One of many files, which is open only while what has been gathered of it is written. There is none of its name.
    pub(super) fn one_of_many(path: &Path) -> Result<Output> {
        File::create_new(path).map_err(|error| io_error(path, &error))?;
        let to = BufWriter::with_capacity(GATHERED_BYTES, To::Closed(path.to_owned()));
        Ok(Output { target: path.to_owned(), to: Some(to), unfinished: Some(path.to_owned()), last_name: None })
    }

    /// What is no file, and takes bytes as they come.
    fn stream(target: &Path) -> Result<Option<Output>> {
        let to = if let Some(name) = target.to_str().filter(|name| scheme_of(name).is_some()) {
            To::Object(Upload::create(name)?)
        } else if target == Path::new("/dev/stdout") {
            To::Stdout(io::stdout())
        } else {
            match std::fs::metadata(target) {
                Ok(found) if !found.is_file() && !found.is_dir() => {
                    let file = File::options().write(true).open(target);
                    To::File(file.map_err(|error| io_error(target, &error))?)
                }
                _ => return Ok(None),
            }
        };
        Ok(Some(Output { target: target.to_owned(), to: Some(BufWriter::new(to)), unfinished: None, last_name: None }))
    }

    fn open(target: &Path, path: PathBuf) -> Result<Output> {
        let file = File::create(&path).map_err(|error| io_error(target, &error))?;
        let to = BufWriter::with_capacity(1 << 18, To::File(file));
        Ok(Output { target: target.to_owned(), to: Some(to), unfinished: Some(path), last_name: None })
    }

    /// Moves the file into place.
    pub(super) fn finish(mut self) -> Result<()> {
        let failed = |error: io::Error| io_error(&self.target, &error);
        let mut to = self.to.take().expect("taken only here and in drop");
        to.flush().map_err(failed)?;
        let to = to.into_inner().map_err(|error| failed(error.into_error()))?;
        if let To::Object(upload) = to {
            return upload.finish();
        }
        if let (To::File(file), Some(path)) = (&to, self.last_name.take()) {
            unnamed::name(file, &path).map_err(failed)?;
            self.unfinished = Some(path);
        }
        drop(to);
        if let Some(path) = &self.unfinished
            && *path != self.target
        {
            std::fs::rename(path, &self.target).map_err(failed)?;
        }
        self.unfinished = None;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.as_mut().expect("taken only at the end").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.as_mut().expect("taken only at the end").flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        match self.to.take() {
            // What has not been sent yet is not sent any more.
            Some(to) if matches!(to.get_ref(), To::Object(_)) => drop(to.into_parts()),
            to => drop(to),
        }
        if let Some(path) = &self.unfinished {
            // After a failure nobody misses it.
            let _ = std::fs::remove_file(path);
        }
    }
}
