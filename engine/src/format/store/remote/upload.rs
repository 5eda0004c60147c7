//! An object in the making: written in parts, several of which are on their way at once. It is there when all of it is, and nothing
//! is after a failure.

use super::super::{Scheme, as_io};
use super::address::Address;
use super::fault;
use super::pending::Pending;
use super::stores;
use multiloop_exec::{Error, ErrorKind, Result};
use object_store::path::Path as Key;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use std::collections::VecDeque;
use std::fmt::{self, Debug};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a part: stores want at least five MiB, and all of one size.
const PART_BYTES: usize = 1 << 24;

/// Parts of an object, at most.
const PARTS_MAX: usize = 10_000;

/// Parts that are on their way at once.
const PARTS_AT_ONCE: usize = 3;

/// How long it is waited for that a store forgets what has been written.
const ABORT_TIME: Duration = Duration::from_secs(10);

/// How long it is waited for that a store puts the parts together, whoever is cancelled meanwhile.
const COMPLETE_TIME: Duration = Duration::from_secs(300);

/// An object in the making. What is not finished is given up.
pub(in super::super::super) struct Upload {
    name: String,
    store: Arc<dyn ObjectStore>,
    key: Key,
    /// None while what there is fits one part.
    parts: Option<Box<dyn MultipartUpload>>,
    count: usize,
    under_way: VecDeque<Arc<Pending<()>>>,
    buffer: Vec<u8>,
}

impl Debug for Upload {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Upload").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Upload {
    /// Begins an object.
    ///
    /// Errors: 0A000 for a server that takes none; 22023.
    pub(in super::super::super) fn create(name: &str) -> Result<Upload> {
        let address = Address::of(name)?;
        if address.scheme == Scheme::Http {
            return Err(Error::unsupported(format_args!("writing to an HTTP server, {name}, is"))
                .with_hint("Files are written to stores: s3://, gs:// and az://."));
        }
        if address.parts.is_empty() || name.ends_with('/') {
            return Err(Error::new(ErrorKind::InvalidParameter, format!("no name of a file: {name}")));
        }
        let (name, store, key) = (name.to_owned(), stores::store_of(&address)?, address.key()?);
        Ok(Upload { name, store, key, parts: None, count: 0, under_way: VecDeque::new(), buffer: Vec::new() })
    }

    /// Sends the buffer as the next part.
    fn send(&mut self) -> Result<()> {
        if self.parts.is_none() {
            let (store, key, name) = (Arc::clone(&self.store), self.key.clone(), self.name.clone());
            // What is begun is not cloned: it comes by another way than its outcome.
            let (give, take) = std::sync::mpsc::channel();
            Pending::wait_for(async move {
                let begun = store.put_multipart(&key).await.map_err(|error| fault::error_of(&name, &error))?;
                give.send(begun).map_err(|_| Error::internal("nobody writes what was begun"))
            })?;
            self.parts = take.recv().ok();
        }
        let Some(parts) = &mut self.parts else { return Err(Error::internal("what was begun is not there")) };
        self.count += 1;
        if self.count > PARTS_MAX {
            let message = format!("could not write {}: it is longer than an object can be here", self.name);
            return Err(
                Error::new(ErrorKind::Io, message).with_hint("Write several: with WHERE, or a LIMIT and OFFSET.")
            );
        }
        let (part, name) = (parts.put_part(PutPayload::from(std::mem::take(&mut self.buffer))), self.name.clone());
        let sent = async move { part.await.map_err(|error| fault::error_of(&name, &error)) };
        self.under_way.push_back(Pending::begin(sent)?);
        self.wait(PARTS_AT_ONCE)
    }

    /// Waits until no more than so many parts are under way.
    fn wait(&mut self, most: usize) -> Result<()> {
        while self.under_way.len() > most {
            if let Some(first) = self.under_way.pop_front() {
                first.wait()?;
            }
        }
        Ok(())
    }

    /// Writes what is left: the object is there.
    pub(in super::super::super) fn finish(mut self) -> Result<()> {
        let name = self.name.clone();
        if self.parts.is_none() {
            let (store, key) = (Arc::clone(&self.store), self.key.clone());
            let payload = PutPayload::from(std::mem::take(&mut self.buffer));
            let put = async move { store.put(&key, payload).await.map(drop) };
            return Pending::wait_for(async move { put.await.map_err(|error| fault::error_of(&name, &error)) });
        }
        if !self.buffer.is_empty() {
            self.send()?;
        }
        self.wait(0)?;
        let Some(mut parts) = self.parts.take() else { return Ok(()) };
        // Nobody would know afterwards whether it is there.
        let completed = Pending::begin(async move {
            let Err(error) = parts.complete().await else { return Ok(()) };
            // It is the first failure that counts.
            let _ = parts.abort().await;
            Err(fault::error_of(&name, &error))
        })?;
        completed.wait_some(COMPLETE_TIME)
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PART_BYTES - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..count]);
        if self.buffer.len() == PART_BYTES {
            self.send().map_err(as_io)?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let Some(mut parts) = self.parts.take() else { return };
        self.under_way.drain(..).for_each(|part| part.stop());
        // After a failure nobody misses it; a store that does not answer forgets it when it is told to forget such.
        let aborted = Pending::begin(async move {
            let _ = parts.abort().await;
            Ok(())
        });
        if let Ok(aborted) = aborted {
            let _ = aborted.wait_some(ABORT_TIME);
        }
    }
}
