//! How far the recovery of a log has come, for who waits for it.

use super::unread::Opening;
use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it is told, and how long a recovery takes that is not worth a word.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// How far the recovery of a log has come: what has been committed since the last checkpoint, and is done once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Bytes of the log that have been read.
    pub bytes: u64,
    /// Of how many.
    pub total: u64,
    /// Records, which are commits for the most part.
    pub records: u64,
}

/// Who is told how far it has come.
#[derive(Clone)]
pub(crate) struct OnRecovery(pub(crate) Arc<dyn Fn(Recovery) + Send + Sync>);

impl Debug for OnRecovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnRecovery")
    }
}

/// Tells it about each second.
pub(super) struct Telling<'t> {
    told: Option<&'t OnRecovery>,
    last: Instant,
    has_told: bool,
    now: Recovery,
}

impl<'t> Telling<'t> {
    /// Begins with the file of the log of a number.
    pub(super) fn begin(opening: &Opening<'t>, first: u64) -> Self {
        let lengths = (first..).map_while(|number| opening.disk.length(&opening.place.log(number)).ok());
        // Nobody counts what nobody is told.
        let total = opening.told.map_or(0, |_| lengths.sum());
        let now = Recovery { bytes: 0, total, records: 0 };
        Telling { told: opening.told, last: Instant::now(), has_told: false, now }
    }

    /// A record has been done, and so many bytes are behind.
    pub(super) fn tell(&mut self, bytes: u64) {
        self.now.records += 1;
        self.now.bytes = bytes;
        let Some(told) = self.told else { return };
        if self.last.elapsed() >= TOLD_EVERY {
            (self.last, self.has_told) = (Instant::now(), true);
            told.0(self.now);
        }
    }

    /// All is done: who has been told something is told that.
    pub(super) fn end(&mut self) {
        if let Some(told) = self.told.filter(|_| self.has_told) {
            self.now.bytes = self.now.total;
            told.0(self.now);
        }
    }
}
