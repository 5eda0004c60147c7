//! Whether a file is still the one that has been read.

use super::store::{Object, Source, Spool, is_object, is_stream};
use multiloop_exec::Result;
use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// What a file was like.
#[derive(Clone, Debug)]
pub(crate) enum Identity {
    /// On this machine.
    File(Stamp),
    /// What a pipe said. Whoever has it keeps it.
    Spool(Arc<Spool>),
    /// Of a store. Whoever has it need not ask for it again.
    Object(Arc<Object>),
}

/// What the system says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    bytes: u64,
    modified: SystemTime,
    /// Which file, and when something of it was changed last: a copy may have the size and the time of what was there.
    #[cfg(unix)]
    place: [i64; 4],
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Identity::File(own), Identity::File(other)) => own == other,
            (Identity::Spool(own), Identity::Spool(other)) => Arc::ptr_eq(own, other),
            (Identity::Object(own), Identity::Object(other)) => own == other,
            _ => false,
        }
    }
}

impl Identity {
    /// None where the system does not tell.
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Some(Identity::File(Stamp {
            bytes: metadata.len(),
            modified: metadata.modified().ok()?,
            #[cfg(unix)]
            place: [metadata.dev() as i64, metadata.ino() as i64, metadata.ctime(), metadata.ctime_nsec()],
        }))
    }

    /// Of what is at a path, if there is a file.
    ///
    /// Errors: of a store, and of what can be read but once and cannot be kept.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>> {
        match std::fs::metadata(path) {
            Ok(found) if found.is_file() => Ok(Identity::of(&found)),
            _ if is_object(path) || is_stream(path) => Ok(Source::open(path)?.1),
            found => Ok(found.ok().and_then(|found| Identity::of(&found))),
        }
    }

    /// Whether what is named by the path later may be the same.
    pub(crate) fn lasts(&self) -> bool {
        match self {
            Identity::Spool(spool) => spool.is_lasting(),
            _ => true,
        }
    }
}
