//! Advisory locks: numbers that sessions take, and mean what they like by. They are kept beside those of rows, so that circles of
//! waiting are found across both.
//!
//! A lock is the session's, until it gives it back as often as it has taken it, or the transaction's. Those that are shared may be
//! several sessions' at once.

use super::{LOOK, Locks, RowLocks};
use crate::{Error, ErrorKind, Result};
use multiloop_exec::workers::context::Cancellation;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What is taken: a bigint, or two integers, which is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    One(i64),
    Two(i32, i32),
}

/// How it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Manner {
    pub(crate) shared: bool,
    /// Until the transaction ends.
    pub(crate) transaction: bool,
}

/// A session that has one.
#[derive(Debug)]
pub(super) struct Holder {
    session: u32,
    manner: Manner,
    /// How often.
    count: usize,
}

impl Holder {
    pub(super) fn session(&self) -> u32 {
        self.session
    }

    pub(super) fn is_shared(&self) -> bool {
        self.manner.shared
    }
}

/// What is asked of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked {
    Take(Key, Manner),
    /// It has been said that it is free.
    TryTake(Key, Manner),
    GiveBack(Key, bool),
    GiveBackAll,
}

impl Locks {
    fn other_holder(&self, session: u32, key: Key, manner: Manner) -> Option<u32> {
        let held = self.advisory.get(&key)?;
        let other = |held: &&Holder| held.session != session && !(held.manner.shared && manner.shared);
        held.iter().find(other).map(|held| held.session)
    }

    fn take_advisory(&mut self, session: u32, key: Key, manner: Manner) {
        let held = self.advisory.entry(key).or_default();
        match held.iter_mut().find(|held| held.session == session && held.manner == manner) {
            Some(known) => known.count += 1,
            None => held.push(Holder { session, manner, count: 1 }),
        }
    }

    /// Gives back a session's locks: those of its transaction, or all that are its own.
    pub(super) fn release_advisory(&mut self, session: u32, transaction: bool) -> bool {
        let before: usize = self.advisory.values().map(Vec::len).sum();
        self.advisory.retain(|_, held| {
            held.retain(|held| held.session != session || held.manner.transaction != transaction);
            !held.is_empty()
        });
        before > self.advisory.values().map(Vec::len).sum()
    }
}

impl RowLocks {
    /// Whether a session could take a lock now.
    pub(crate) fn is_advisory_free(&self, session: u32, key: Key, manner: Manner) -> bool {
        self.lock().other_holder(session, key, manner).is_none()
    }

    /// Whether a session has a lock that it may give back.
    pub(crate) fn has_advisory(&self, session: u32, key: Key, shared: bool) -> bool {
        let manner = Manner { shared, transaction: false };
        let locks = self.lock();
        locks
            .advisory
            .get(&key)
            .is_some_and(|held| held.iter().any(|held| held.session == session && held.manner == manner))
    }

    /// Gives back the locks of a session's transaction.
    pub(crate) fn end_transaction_of(&self, session: u32) {
        if self.lock().release_advisory(session, true) {
            self.released.notify_all();
        }
    }

    /// Does what a statement asks.
    ///
    /// # Errors
    /// 40P01, 55P03 and 57014 as of rows; 55P03 as well where somebody was first with a lock that was free a moment ago.
    pub(crate) fn ask(
        &self,
        session: u32,
        asked: Asked,
        (heard, limit): (&Cancellation, Option<Duration>),
    ) -> Result<()> {
        self.used.store(true, Ordering::Relaxed);
        let mut locks = self.lock();
        match asked {
            Asked::Take(key, manner) => {
                let began = Instant::now();
                while let Some(holder) = locks.other_holder(session, key, manner) {
                    if locks.waits_for(holder, session) {
                        locks.waiting.remove(&session);
                        return Err(Error::new(ErrorKind::Deadlock, "deadlock detected"));
                    }
                    locks.waiting.insert(session, holder);
                    let late = limit.is_some_and(|limit| began.elapsed() >= limit);
                    if let Err(error) = heard.check() {
                        locks.waiting.remove(&session);
                        return Err(error);
                    }
                    if late {
                        locks.waiting.remove(&session);
                        let message = "canceling statement due to lock timeout";
                        return Err(Error::new(ErrorKind::LockNotAvailable, message));
                    }
                    let waited = self.released.wait_timeout(locks, LOOK);
                    locks = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
                }
                locks.waiting.remove(&session);
                locks.take_advisory(session, key, manner);
            }
            Asked::TryTake(key, manner) => {
                if locks.other_holder(session, key, manner).is_some() {
                    let message = "could not obtain advisory lock: another session was first";
                    return Err(Error::new(ErrorKind::LockNotAvailable, message));
                }
                locks.take_advisory(session, key, manner);
            }
            Asked::GiveBack(key, shared) => {
                let manner = Manner { shared, transaction: false };
                if let Some(held) = locks.advisory.get_mut(&key) {
                    if let Some(own) = held.iter_mut().find(|held| held.session == session && held.manner == manner) {
                        own.count -= 1;
                    }
                    held.retain(|held| held.count > 0);
                    if held.is_empty() {
                        locks.advisory.remove(&key);
                    }
                }
                drop(locks);
                self.released.notify_all();
            }
            Asked::GiveBackAll => {
                locks.release_advisory(session, false);
                drop(locks);
                self.released.notify_all();
            }
        }
        Ok(())
    }
}
