//! Cancelling: what a connection runs can be stopped by whoever knows its key, over a connection of its own.

use multiloop::Cancellation;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;

/// What runs on one connection, for those who may stop it. Only what runs can be stopped: a request that comes late
/// does not reach the next statement.
#[derive(Default)]
pub(crate) struct Running {
    statement: Mutex<Option<Cancellation>>,
    is_cancelled: AtomicBool,
    /// Wakes a statement that waits for its client to read.
    cancelled: Notify,
    /// Wakes a connection whose session another one has told something.
    told: Notify,
    /// When its time is over.
    deadline: Mutex<Option<Instant>>,
    is_terminated: AtomicBool,
    terminated: Notify,
}

impl Running {
    /// A statement starts; this handle stops it.
    pub(crate) fn start(&self, statement: Cancellation) {
        let mut running = self.statement.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_cancelled.store(false, Ordering::Relaxed);
        *running = Some(statement);
    }

    /// Its time is over then; none is never.
    pub(crate) fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    fn deadline(&self) -> Option<Instant> {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its time is over.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Waits until its time is over.
    pub(crate) async fn late(&self) {
        match self.deadline() {
            Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
            None => std::future::pending().await,
        }
    }

    /// Ends the connection, and what it runs.
    pub(crate) fn terminate(&self) {
        self.is_terminated.store(true, Ordering::Relaxed);
        self.cancel();
        self.terminated.notify_waiters();
    }

    /// Whether somebody wants its end.
    pub(crate) fn is_terminated(&self) -> bool {
        self.is_terminated.load(Ordering::Relaxed)
    }

    /// Waits until somebody wants its end.
    pub(crate) async fn terminated(&self) {
        let mut told = std::pin::pin!(self.terminated.notified());
        // Who is told between a look and the wait is told all the same.
        told.as_mut().enable();
        if !self.is_terminated() {
            told.await;
        }
    }

    /// It has ended, and all its rows are sent.
    pub(crate) fn end(&self) {
        self.set_deadline(None);
        *self.statement.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Stops what runs, if anything does.
    pub(crate) fn cancel(&self) {
        let running = self.statement.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(statement) = &*running {
            self.is_cancelled.store(true, Ordering::Relaxed);
            statement.cancel();
            self.cancelled.notify_one();
        }
    }

    /// Whether somebody stopped what started last.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Another session has told this one something.
    pub(crate) fn tell(&self) {
        self.told.notify_one();
    }

    /// Waits until another session tells this one something.
    pub(crate) async fn told(&self) {
        self.told.notified().await;
    }

    /// Waits until somebody stops it.
    pub(crate) async fn cancelled(&self) {
        while !self.is_cancelled() {
            self.cancelled.notified().await;
        }
    }
}

/// The keys of all connections of a server.
#[derive(Default)]
pub(crate) struct Keys {
    connections: Mutex<HashMap<i32, (i32, Arc<Running>)>>,
}

/// A connection's entry among the keys; it is taken out when this is dropped.
pub(crate) struct Key {
    pub(crate) process: i32,
    pub(crate) secret: i32,
    pub(crate) running: Arc<Running>,
    keys: Arc<Keys>,
}

impl Keys {
    /// Enters a connection under its session's number and a secret that cannot be guessed.
    pub(crate) fn enter(self: &Arc<Self>, process: i32) -> Result<Key, getrandom::Error> {
        let secret = getrandom::u32()? as i32;
        let running = Arc::<Running>::default();
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.insert(process, (secret, Arc::clone(&running)));
        Ok(Key { process, secret, running, keys: Arc::clone(self) })
    }

    /// Stops what a connection runs, if the secret is its.
    pub(crate) fn cancel(&self, process: i32, secret: i32) {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, running)) = connections.get(&process)
            && *known == secret
        {
            running.cancel();
        }
    }

    /// Stops what all connections run.
    pub(crate) fn cancel_all(&self) {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.values().for_each(|(_, running)| running.cancel());
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // Nobody waits for what runs any more.
        self.running.cancel();
        let mut connections = self.keys.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.remove(&self.process);
    }
}

#[cfg(test)]
mod tests {
    use super::Keys;
    use multiloop::Cancellation;
    use std::sync::Arc;

    #[test]
    fn all_who_wait_are_told_of_the_end() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
        runtime.block_on(async {
            let running = super::Running::default();
            let all = async { tokio::join!(running.terminated(), running.terminated()) };
            let ((), ((), ())) = tokio::join!(async { running.terminate() }, all);
            running.terminated().await;
            assert!(running.is_terminated());
        });
    }

    #[test]
    fn only_who_knows_the_secret_stops_only_what_runs() {
        let keys = Arc::<Keys>::default();
        let key = keys.enter(7).expect("there is randomness");
        let statement = Cancellation::default();
        keys.cancel(key.process, key.secret);
        key.running.start(statement.clone());
        assert!(!key.running.is_cancelled(), "what came before the statement is not its business");
        keys.cancel(key.process, key.secret.wrapping_add(1));
        keys.cancel(key.process + 1, key.secret);
        assert!(!statement.is_cancelled());
        keys.cancel(key.process, key.secret);
        assert!(statement.is_cancelled() && key.running.is_cancelled());
        key.running.end();
        let next = Cancellation::default();
        keys.cancel(key.process, key.secret);
        key.running.start(next.clone());
        assert!(!next.is_cancelled() && !key.running.is_cancelled());
        // What runs ends with its connection.
        let (process, secret) = (key.process, key.secret);
        drop(key);
        assert!(next.is_cancelled());
        keys.cancel(process, secret);
    }
}
