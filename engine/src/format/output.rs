//! A file that appears whole or not at all: written beside its target under another name, and renamed at the end.

use super::io_error;
use multiloop_exec::Result;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells apart the files that one process writes at once.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A file in the making.
#[derive(Debug)]
pub(super) struct Output {
    target: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Output {
    /// Starts a file; the folder must be there.
    pub(super) fn create(target: &Path) -> Result<Output> {
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = target.with_file_name(name);
        let file = File::create(&temporary).map_err(|error| io_error(target, &error))?;
        Ok(Output { target: target.to_owned(), temporary, file: Some(BufWriter::with_capacity(1 << 20, file)) })
    }

    /// Moves the file into place.
    pub(super) fn finish(mut self) -> Result<()> {
        let mut file = self.file.take().expect("taken only here and in drop");
        file.flush().map_err(|error| io_error(&self.target, &error))?;
        drop(file);
        std::fs::rename(&self.temporary, &self.target).map_err(|error| io_error(&self.target, &error))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.as_mut().expect("taken only at the end").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().expect("taken only at the end").flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        drop(self.file.take());
        // After `finish` there is nothing under this name; after a failure nobody misses it.
        let _ = std::fs::remove_file(&self.temporary);
    }
}
