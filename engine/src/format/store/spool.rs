//! Spools of inputs that can be read but once: a pipe, a terminal. Who guesses columns looks at its first rows and reads it
//! again, so that all of it goes into a file without a name first. A statement that names it twice reads it once.
//!
//! Standard input, and what else was open when this process began, is kept as long as the process runs: it can never be read again.
//! A pipe with a name is kept while somebody has it, which is a statement: the next one reads what is written to it then.

use super::super::io_error;
use multiloop_exec::workers::context::Cancellation;
use multiloop_exec::{Error, ErrorKind, Result};
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind as Io, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, LazyLock, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// Bytes that are copied at once.
const STEP_BYTES: usize = 1 << 18;

/// How often who waits looks whether that is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// All that has been read of something.
#[derive(Debug)]
pub(crate) struct Spool {
    reading: Arc<Reading>,
    /// Whether who names it again means the same.
    is_lasting: bool,
    whole: OnceLock<Arc<Whole>>,
}

/// What the thread that reads it says: one of its own, because nothing ends a read. It gives its share in the spool back before it
/// says so, else somebody would seem to have it for as long as that thread takes to end.
#[derive(Debug, Default)]
struct Reading {
    /// None while there is more to come.
    outcome: Mutex<Option<Result<Arc<Whole>>>>,
    done: Condvar,
}

/// Where it is, and how many bytes it has.
type Whole = (File, u64);

/// By path.
#[derive(Default)]
struct Known {
    lasting: HashMap<PathBuf, Arc<Spool>>,
    passing: HashMap<PathBuf, Weak<Spool>>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// Whether a path is of something that can be read but once, and that ends.
pub(crate) fn is_stream(path: &Path) -> bool {
    let Ok(found) = std::fs::metadata(path) else { return false };
    !found.is_file() && !found.is_dir() && (given(path).is_some() || is_pipe(&found))
}

#[cfg(unix)]
fn is_pipe(found: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

/// Whether a path is of what this process was given open.
pub(in super::super) fn is_given(path: &Path) -> bool {
    given(path).is_some()
}

/// What a path is of, if this process was given it open.
fn given(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?;
    let number = match text {
        "/dev/stdin" => "0",
        _ => ["/dev/fd/", "/proc/self/fd/"].into_iter().find_map(|folder| text.strip_prefix(folder))?,
    };
    Some(PathBuf::from(format!("/dev/fd/{number}")))
}

impl Spool {
    /// All of what a path is of: read now, unless somebody who still has it has done so.
    ///
    /// Errors: 58P01 and its kin, 53100 if there is no room for it, 57014.
    pub(super) fn of(path: &Path) -> Result<Arc<Spool>> {
        let spool = Spool::begun(path)?;
        match spool.reading.wait()? {
            Ok(whole) => {
                spool.whole.get_or_init(|| whole);
                Ok(spool)
            }
            Err(error) => {
                KNOWN.lock().unwrap_or_else(PoisonError::into_inner).forget(&spool);
                Err(error)
            }
        }
    }

    /// Says that somebody reads something without keeping it: nobody else is given what is left of it.
    pub(in super::super) fn spend(path: &Path) {
        let Some(name) = given(path) else { return };
        let message = format!("{} has been read by another statement, which kept nothing of it", path.display());
        let reading = Reading::default();
        reading.end(Err(Error::new(ErrorKind::WrongState, message)));
        let spool = Spool { reading: Arc::new(reading), is_lasting: true, whole: OnceLock::new() };
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).lasting.insert(name, Arc::new(spool));
    }

    /// Whether somebody has it still.
    pub(in super::super) fn is_known(path: &Path) -> bool {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let lasting = given(path).is_some_and(|path| known.lasting.contains_key(&path));
        lasting || known.passing.get(path).is_some_and(|spool| spool.strong_count() > 0)
    }

    fn begun(path: &Path) -> Result<Arc<Spool>> {
        let lasting = given(path);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let path = lasting.clone().unwrap_or_else(|| path.to_owned());
        if let Some(spool) = known.lasting.get(&path) {
            return Ok(Arc::clone(spool));
        }
        if let Some(spool) = known.passing.get(&path).and_then(Weak::upgrade) {
            return Ok(spool);
        }
        let is_lasting = lasting.is_some();
        let spool = Arc::new(Spool { reading: Arc::default(), is_lasting, whole: OnceLock::new() });
        let (kept, from) = (Arc::clone(&spool), path.clone());
        let thread = std::thread::Builder::new().name("multiloop-pipe".to_owned()).spawn(move || {
            let outcome = copy(&from).map(Arc::new);
            // Who names it while it is read waits for the same. From here on only who asked for it has it.
            let reading = Arc::clone(&kept.reading);
            drop(kept);
            reading.end(outcome);
        });
        thread.map_err(|error| Error::new(ErrorKind::Io, format!("could not start a thread: {error}")))?;
        if is_lasting {
            known.lasting.insert(path, Arc::clone(&spool));
        } else {
            known.passing.retain(|_, spool| spool.strong_count() > 0);
            known.passing.insert(path, Arc::downgrade(&spool));
        }
        Ok(spool)
    }

    /// Where its bytes are, and how many there are: none before all of them are there, which nobody sees.
    pub(super) fn whole(&self) -> io::Result<(&File, u64)> {
        let (file, bytes) = &**self.whole.get().ok_or_else(|| io::Error::other("a pipe that has not been read"))?;
        Ok((file, *bytes))
    }

    /// Whether who names it again means the same.
    pub(crate) fn is_lasting(&self) -> bool {
        self.is_lasting
    }
}

impl Reading {
    /// What was read, once it is.
    ///
    /// Errors: those of reading; 57014.
    fn wait(&self) -> Result<Result<Arc<Whole>>> {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = &*outcome {
                return Ok(outcome.clone());
            }
            Cancellation::current().map_or(Ok(()), |cancellation| cancellation.check())?;
            outcome = self.done.wait_timeout(outcome, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn end(&self, outcome: Result<Arc<Whole>>) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.done.notify_all();
    }
}

impl Known {
    /// What could not be read is read again by who names it again; not of what would be the rest then.
    fn forget(&mut self, spool: &Arc<Spool>) {
        self.passing.retain(|_, known| known.upgrade().is_none_or(|known| !Arc::ptr_eq(&known, spool)));
    }
}

/// Copies all of what a path is of into a file without a name.
fn copy(path: &Path) -> Result<Whole> {
    let failed = |error: io::Error| io_error(path, &error);
    let mut from = File::open(path).map_err(failed)?;
    let mut file = tempfile::tempfile().map_err(no_room)?;
    let mut buffer = vec![0; STEP_BYTES];
    let mut bytes = 0;
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok((file, bytes)),
            Ok(count) => count,
            Err(error) if error.kind() == Io::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        file.write_all(&buffer[..count]).map_err(no_room)?;
        bytes += count as u64;
    }
}

fn no_room(error: io::Error) -> Error {
    let kind = if error.kind() == Io::StorageFull { ErrorKind::DiskFull } else { ErrorKind::Io };
    let folder = std::env::temp_dir();
    Error::new(kind, format!("could not keep in {} what is read from a pipe: {error}", folder.display()))
        .with_hint("TMPDIR says in which folder it is kept.")
}
