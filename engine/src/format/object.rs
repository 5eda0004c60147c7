//! Objects of stores that are written as they are, for whoever has a form of his own.

use super::store::{Source, Upload};
use multiloop_exec::{ErrorKind, Result};
use std::io::{self, Write};
use std::path::Path;

/// An object in the making: it is there once it is finished, and nothing is if it never is.
#[derive(Debug)]
pub(crate) struct NewObject(Upload);

impl NewObject {
    /// Begins an object.
    ///
    /// # Errors
    /// 0A000 for a server that takes none, and where stores are left out; 22023.
    pub(crate) fn create(name: &str) -> Result<Self> {
        Upload::create(name).map(NewObject)
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn finish(self) -> Result<()> {
        self.0.finish()
    }
}

impl Write for NewObject {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether there is an object of a name.
///
/// # Errors
/// Those of the store.
pub(crate) fn is_there(name: &str) -> Result<bool> {
    match Source::open(Path::new(name)) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::FileNotFound => Ok(false),
        Err(error) => Err(error),
    }
}
