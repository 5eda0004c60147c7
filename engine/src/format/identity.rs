//! Whether a file is still the one that has been read.

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

/// What a file was like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    bytes: u64,
    modified: SystemTime,
    /// Which file, and when something of it was changed last: a copy may have the size and the time of what was there.
    #[cfg(unix)]
    place: [i64; 4],
}

impl Identity {
    /// None where the system does not tell.
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Some(Identity {
            bytes: metadata.len(),
            modified: metadata.modified().ok()?,
            #[cfg(unix)]
            place: [metadata.dev() as i64, metadata.ino() as i64, metadata.ctime(), metadata.ctime_nsec()],
        })
    }

    /// Of what is at a path, if there is a file.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        Identity::of(&std::fs::metadata(path).ok()?)
    }
}
