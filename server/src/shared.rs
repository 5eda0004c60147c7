//! What all connections of a server share.

use crate::cancel::Keys;
use crate::metrics::Metrics;
use crate::options::Limits;
use multiloop::Engine;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

/// Where a server stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Clients come and go.
    Running,
    /// Nobody comes any more; what runs may end.
    Draining,
    /// It is over.
    Ended,
}

/// What all connections of a server share.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) limits: Limits,
    pub(crate) metrics: Arc<Metrics>,
    /// None where nothing is encrypted.
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) require_tls: bool,
    /// Folders whose files statements may use.
    pub(crate) files: Arc<[PathBuf]>,
    pub(crate) log_slow: Option<Duration>,
    pub(crate) keys: Arc<Keys>,
    /// A permit for each session that there may be.
    pub(crate) sessions: Arc<Semaphore>,
    pub(crate) phase: watch::Sender<Phase>,
}
