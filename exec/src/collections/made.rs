//! What lets gave, wherever it is.

use crate::Result;
use crate::collections::held::Held;
use std::sync::{Arc, OnceLock};

/// What a generator of a let gave; `H` is the form that the host's loops work on.
#[derive(Debug)]
pub(crate) enum Made<H> {
    /// It is on the host.
    Host(Arc<H>),
    /// A device keeps it.
    Held(Arc<Kept<H>>),
}

/// What a device keeps, and what the host has of it once somebody there has asked.
#[derive(Debug)]
pub(crate) struct Kept<H> {
    pub(crate) held: Arc<dyn Held>,
    /// The let of the body that made it, and which of its generators.
    pub(crate) place: (usize, usize),
    host: OnceLock<Result<Arc<H>>>,
}

impl<H> Clone for Made<H> {
    fn clone(&self) -> Self {
        match self {
            Made::Host(made) => Made::Host(Arc::clone(made)),
            Made::Held(kept) => Made::Held(Arc::clone(kept)),
        }
    }
}

impl<H> Made<H> {
    /// What a device keeps of what this let of the body gave, by its number, and this generator.
    pub(crate) fn held(held: Arc<dyn Held>, place: (usize, usize)) -> Self {
        Made::Held(Arc::new(Kept { held, place, host: OnceLock::new() }))
    }

    /// What is on the host; none if it has yet to be fetched. The error of a fetch is that of whoever asks.
    pub(crate) fn on_host(&self) -> Option<Result<&Arc<H>>> {
        match self {
            Made::Host(made) => Some(Ok(made)),
            Made::Held(kept) => kept.host.get().map(|host| host.as_ref().map_err(Clone::clone)),
        }
    }
}

impl<H> Kept<H> {
    /// What the host has of it; the first who asks has it fetched.
    pub(crate) fn fetched(&self, fetch: impl FnOnce(&Self) -> Result<Arc<H>>) -> Result<Arc<H>> {
        self.host.get_or_init(|| fetch(self)).clone()
    }
}
