//! LISTEN and NOTIFY: what sessions tell each other, by channel. A notice of a transaction is sent when that commits.

use crate::{Error, ErrorKind, Result, guard};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Called, from another session's thread, when a session has been told something. A panic of it is nobody's error.
pub type NotifyCallback = Arc<dyn Fn() + Send + Sync>;

/// What a session was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The session that told it, see [`Session::id`](crate::Session::id).
    pub session: u32,
    /// The channel.
    pub channel: String,
    /// What is told.
    pub payload: String,
}

/// A channel's name has fewer bytes, as any name.
const CHANNEL_BYTES: usize = 64;
/// A payload has fewer bytes: as many as PostgreSQL takes.
const PAYLOAD_BYTES: usize = 8000;

/// An error (22023) for what cannot be told.
pub(crate) fn check(channel: &str, payload: &str) -> Result<()> {
    let message = if channel.is_empty() {
        "channel name cannot be empty"
    } else if channel.len() >= CHANNEL_BYTES {
        "channel name too long"
    } else if payload.len() >= PAYLOAD_BYTES {
        "payload string too long"
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::InvalidParameter, message))
}

/// All sessions that listen, by their numbers.
#[derive(Default)]
pub(crate) struct Channels(Mutex<BTreeMap<u32, Listener>>);

#[derive(Default)]
struct Listener {
    channels: BTreeSet<String>,
    told: VecDeque<Notification>,
    wake: Option<NotifyCallback>,
}

impl Channels {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Listener>> {
        // What is changed under it is changed in one step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn listen(&self, session: u32, channel: &str) {
        self.lock().entry(session).or_default().channels.insert(channel.to_owned());
    }

    /// None is all channels.
    pub(crate) fn unlisten(&self, session: u32, channel: Option<&str>) {
        if let Some(listener) = self.lock().get_mut(&session) {
            listener.channels.retain(|one| channel.is_some_and(|channel| one != channel));
        }
    }

    /// Tells all who listen; of equal ones of one transaction the first.
    pub(crate) fn send(&self, notifications: Vec<Notification>) {
        let mut wakes = Vec::new();
        let mut sent: Vec<Notification> = Vec::new();
        for one in notifications {
            if sent.contains(&one) {
                continue;
            }
            for listener in self.lock().values_mut().filter(|listener| listener.channels.contains(&one.channel)) {
                listener.told.push_back(one.clone());
                wakes.extend(listener.wake.clone());
            }
            sent.push(one);
        }
        // Not under the lock: whoever is woken may ask at once.
        wakes.iter().for_each(|wake| guard::without_a_panic(|| wake()));
    }

    /// What a session was told since it asked last.
    pub(crate) fn take(&self, session: u32) -> Vec<Notification> {
        self.lock().get_mut(&session).map(|listener| listener.told.drain(..).collect()).unwrap_or_default()
    }

    pub(crate) fn on_notify(&self, session: u32, wake: Option<NotifyCallback>) {
        self.lock().entry(session).or_default().wake = wake;
    }

    pub(crate) fn remove(&self, session: u32) {
        self.lock().remove(&session);
    }
}
