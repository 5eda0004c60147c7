//! In place of `remote`, where that is left out.

use multiloop_exec::{Error, Result};
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// There are none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Object(Infallible);

/// Nor are any written.
#[derive(Debug)]
pub(in super::super) struct Upload(Infallible);

fn unsupported<T>(path: &str) -> Result<T> {
    Err(Error::unsupported(format_args!("files of object stores and HTTP servers, as {path}, are"))
        .with_hint("This program was built without them: build with --features remote."))
}

/// The objects that patterns name.
pub(in super::super) fn expand(patterns: &[String]) -> Result<Vec<Result<super::Found>>> {
    unsupported(patterns.first().map_or("", String::as_str))
}

/// Whether an object is in a folder of a store.
pub(crate) fn is_within(_: &str, _: &Path) -> bool {
    false
}

/// Nobody leads anywhere.
pub(crate) fn refuse_redirects() {}

impl Object {
    pub(super) fn open(path: &Path) -> Result<Arc<Object>> {
        unsupported(&path.to_string_lossy())
    }

    pub(super) fn len(&self) -> u64 {
        match self.0 {}
    }

    pub(super) fn window(&self, _: u64) -> io::Result<Option<(u64, super::Part)>> {
        match self.0 {}
    }

    pub(in super::super) fn part(&self, _: std::ops::Range<u64>) -> Result<super::Part> {
        match self.0 {}
    }

    pub(in super::super) fn expect(&self, _: std::ops::Range<u64>) {
        match self.0 {}
    }
}

impl Upload {
    pub(in super::super) fn create(path: &str) -> Result<Upload> {
        unsupported(path)
    }

    pub(in super::super) fn finish(self) -> Result<()> {
        match self.0 {}
    }
}

impl Write for Upload {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}
