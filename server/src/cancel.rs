//! Cancelling: what a connection runs can be stopped by whoever knows its key, over a connection of its own.

use multiloop::Cancellation;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;

/// What runs on one connection, for those who may stop it. Only what runs can be cancelled: a request that comes late
/// does not reach the next statement. What is closed is stopped whenever it starts: nobody is left to stop it once more.
#[derive(Default)]
pub(crate) struct Running {
    current: Mutex<Current>,
    is_cancelled: AtomicBool,
    /// Wakes a statement that waits for its client to read.
    cancelled: Notify,
    /// Wakes a connection whose session another one has told something, or that is to end.
    told: Notify,
    /// When its time is over.
    deadline: Mutex<Option<Instant>>,
    is_terminated: AtomicBool,
    terminated: Notify,
}

/// What runs now, under one lock with whether anything may.
#[derive(Default)]
struct Current {
    statement: Option<Cancellation>,
    is_closed: bool,
}

impl Running {
    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A statement starts; this handle stops it, and has done so already if the connection is closed.
    pub(crate) fn start(&self, statement: Cancellation) {
        let mut current = self.current();
        self.is_cancelled.store(false, Ordering::Relaxed);
        current.statement = Some(statement);
        if current.is_closed {
            self.stop(&current);
        }
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
        self.close();
        self.terminated.notify_waiters();
        // Whoever waits for its client looks for both.
        self.told.notify_one();
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
        self.current().statement = None;
    }

    /// Stops what runs, if anything does.
    pub(crate) fn cancel(&self) {
        self.stop(&self.current());
    }

    /// Stops what runs, and all that starts from now on: a statement that was read may not have begun.
    pub(crate) fn close(&self) {
        let mut current = self.current();
        current.is_closed = true;
        self.stop(&current);
    }

    fn stop(&self, current: &Current) {
        if let Some(statement) = &current.statement {
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

    /// Waits until another session tells this one something, or somebody wants its end.
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

    /// Stops what all connections run, and are about to.
    pub(crate) fn close_all(&self) {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.values().for_each(|(_, running)| running.close());
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // Nobody waits for what runs any more, nor for what a thread has taken and not begun.
        self.running.close();
        let mut connections = self.keys.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.remove(&self.process);
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Keys};
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

    #[test]
    fn what_starts_late_is_stopped_all_the_same() {
        // By the end of the server, by somebody who ends the session, and by the end of the connection.
        let ends: [fn(&Keys, &mut Option<Key>); 3] = [
            |keys, _| keys.close_all(),
            |_, key| key.iter().for_each(|key| key.running.terminate()),
            |_, key| drop(key.take()),
        ];
        for end in ends {
            let keys = Arc::<Keys>::default();
            let key = keys.enter(7).expect("there is randomness");
            let running = Arc::clone(&key.running);
            let mut key = Some(key);
            end(&keys, &mut key);
            for _ in 0..2 {
                let statement = Cancellation::default();
                running.start(statement.clone());
                assert!(statement.is_cancelled() && running.is_cancelled());
                running.end();
            }
        }
    }
}
