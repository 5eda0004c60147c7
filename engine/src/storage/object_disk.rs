//! A folder of an object store as a file system that is written once, for backups: an object is there when its file has been synced.

use super::disk::{Disk, DiskFile};
use crate::format::NewObject;
use crate::{Error, Result};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The store.
#[derive(Debug)]
pub(super) struct ObjectDisk;

/// An object in the making; none when it is there.
#[derive(Debug)]
struct ObjectFile(Mutex<Option<NewObject>>);

/// The name of an object.
pub(super) fn name(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::unsupported(format!("the name {} of an object is", path.display())))
}

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "objects are written once, and as a whole")
}

impl DiskFile for ObjectFile {
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut object = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        object.as_mut().ok_or_else(refused)?.write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        let object = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        object.map_or(Ok(()), |object| object.finish().map_err(io::Error::other))
    }

    fn cut(&self, _: u64) -> io::Result<()> {
        // Nothing is behind the end.
        Ok(())
    }

    fn reserve(&self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

impl Disk for ObjectDisk {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        // An object appears as a whole: it needs no other name before that.
        let is_new = path.extension().is_some_and(|extension| extension == "new");
        let path = if is_new { path.with_extension("") } else { path.to_owned() };
        let object = name(&path).and_then(NewObject::create).map_err(io::Error::other)?;
        Ok(Arc::new(ObjectFile(Mutex::new(Some(object)))))
    }

    fn open(&self, _: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Err(refused())
    }

    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(refused())
    }

    fn length(&self, _: &Path) -> io::Result<u64> {
        Err(refused())
    }

    fn read_at(&self, _: &Path, _: u64, _: &mut [u8]) -> io::Result<()> {
        Err(refused())
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}
