//! What storage asks of a file system, so that tests can have one that fails.

use rustix::fs::{FlockOperation, flock};
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// A file that is written at its end.
pub(super) trait DiskFile: Debug + Send + Sync {
    /// Writes all of these bytes at the end; of an error some of them may have been written.
    fn write(&self, bytes: &[u8]) -> io::Result<()>;
    /// Returns once all that was written is on the device.
    fn sync(&self) -> io::Result<()>;
    /// Cuts it to so many bytes.
    fn cut(&self, bytes: u64) -> io::Result<()>;
}

/// A file system.
pub(super) trait Disk: Debug + Send + Sync {
    /// A new, empty file, in place of what has that name.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// A file that there is, to go on at its end.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// All bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
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

impl DiskFile for File {
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self;
        file.write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}

impl Disk for Machine {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        // At its end also once it has been cut.
        drop(File::create(path)?);
        self.open(path)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(OpenOptions::new().append(true).open(path)?))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
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

/// A file that one process alone holds, as long as this lives; none if another has it.
pub(super) fn locked(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
