//! What storage asks of a file system, so that tests can have one that fails.

use rustix::fs::{FlockOperation, flock};
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that is written at its end.
pub(super) trait DiskFile: Debug + Send + Sync {
    /// Writes all of these bytes at the end; of an error some of them may have been written.
    fn write(&self, bytes: &[u8]) -> io::Result<()>;
    /// Returns once all that was written is on the device.
    fn sync(&self) -> io::Result<()>;
    /// Cuts it to so many bytes.
    fn cut(&self, bytes: u64) -> io::Result<()>;
    /// Has room for so many bytes behind its end, of zeros: what is written there changes its bytes alone, and to have these on the
    /// device takes no more than that.
    fn reserve(&self, bytes: u64) -> io::Result<()>;
}

/// A file system.
pub(super) trait Disk: Debug + Send + Sync {
    /// A new, empty file, in place of what has that name.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// A file that there is, to go on at its end.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// All bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// How many bytes a file has.
    fn length(&self, path: &Path) -> io::Result<u64>;
    /// Some bytes of a file, from a place on: as many as there is room for, or an error if it ends before.
    fn read_at(&self, path: &Path, at: u64, bytes: &mut [u8]) -> io::Result<()>;
    /// Gives a file another name, in place of what has it, in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Returns once the names in a folder are on the device.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Drops a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The machine's.
#[derive(Debug)]
pub(super) struct Machine;

/// A file, and where it ends.
#[derive(Debug)]
struct Written {
    file: File,
    end: Mutex<End>,
}

#[derive(Clone, Copy, Debug)]
struct End {
    /// Behind what was written.
    written: u64,
    /// Behind the room for more.
    reserved: u64,
}

/// Zeros that are written at once.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

impl Written {
    fn at_end(file: File) -> io::Result<Arc<dyn DiskFile>> {
        let length = file.metadata()?.len();
        Ok(Arc::new(Written { file, end: Mutex::new(End { written: length, reserved: length }) }))
    }

    fn end(&self) -> MutexGuard<'_, End> {
        // It is where it was until all that was to be done is.
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes all of these bytes at a place.
fn write_at(mut file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

impl DiskFile for Written {
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut end = self.end();
        write_at(&self.file, end.written, bytes)?;
        end.written += bytes.len() as u64;
        end.reserved = end.reserved.max(end.written);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        let mut end = self.end();
        self.file.set_len(bytes)?;
        *end = End { written: bytes, reserved: bytes };
        Ok(())
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        let mut end = self.end();
        while end.reserved < end.written + bytes {
            let count = ZEROS.len().min((end.written + bytes - end.reserved) as usize);
            write_at(&self.file, end.reserved, &ZEROS[..count])?;
            end.reserved += count as u64;
        }
        Ok(())
    }
}

impl Disk for Machine {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Written::at_end(File::create(path)?)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Written::at_end(OpenOptions::new().write(true).open(path)?)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(fs::metadata(path)?.len())
    }

    fn read_at(&self, path: &Path, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

/// The same of a file that is there, which is not changed by that.
pub(super) fn locked_to_read(path: &Path) -> io::Result<Option<File>> {
    held(File::open(path)?)
}

/// A file that one process alone holds, as long as this lives; none if another has it.
pub(super) fn locked(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    held(file)
}

fn held(file: File) -> io::Result<Option<File>> {
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
