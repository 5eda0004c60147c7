//! A lock that is held for as long as a statement may run. Waiting for it is a part of the statement that waits: whoever cancels that,
//! and the end of its time, ends the waiting. One that a panic has let go is free.

use crate::Result;
use multiloop_exec::workers::context::Cancellation;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// How often a statement that waits looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(5);

/// The lock.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    holder: Mutex<Option<ThreadId>>,
    free: Condvar,
}

/// The lock is held until this is dropped.
#[derive(Debug)]
pub(crate) struct Taken<'t>(&'t Turn);

impl Turn {
    /// Waits until nobody holds it.
    ///
    /// # Errors
    /// 57014 if the statement that waits is cancelled.
    pub(crate) fn take(&self, heard: &Cancellation) -> Result<Taken<'_>> {
        let mut holder = self.lock();
        while holder.is_some() {
            heard.check()?;
            holder = self.free.wait_timeout(holder, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        *holder = Some(thread::current().id());
        Ok(Taken(self))
    }

    /// Takes it if nobody holds it.
    pub(crate) fn try_take(&self) -> Option<Taken<'_>> {
        let mut holder = self.lock();
        if holder.is_some() {
            return None;
        }
        *holder = Some(thread::current().id());
        Some(Taken(self))
    }

    /// Whether this thread has taken it.
    pub(crate) fn is_held_here(&self) -> bool {
        *self.lock() == Some(thread::current().id())
    }

    fn lock(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
        // All: one of them may be about to give up.
        self.0.free.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Turn;
    use crate::ErrorKind;
    use multiloop_exec::workers::context::Cancellation;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn one_at_a_time() {
        let (turn, inside, nobody) = (Turn::default(), AtomicUsize::new(0), Cancellation::default());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let (turn, inside, nobody) = (&turn, &inside, &nobody);
                scope.spawn(move || {
                    for _ in 0..200 {
                        let taken = turn.take(nobody).expect("a turn");
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        assert!(turn.try_take().is_none());
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(taken);
                    }
                });
            }
        });
        assert!(turn.try_take().is_some());
    }

    #[test]
    fn waiting_hears_a_cancel() {
        let (turn, handle) = (Turn::default(), Cancellation::default());
        let taken = turn.try_take().expect("it is free");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turn.take(&handle).map(drop));
            handle.cancel();
            assert_eq!(waiting.join().expect("no panic").expect_err("it is held").kind(), ErrorKind::Cancelled);
        });
        drop(taken);
        // Who need not wait does not ask.
        assert!(turn.take(&handle).is_ok());
    }

    #[test]
    fn a_panic_lets_go() {
        let turn = Turn::default();
        let panics = || {
            let _taken = turn.try_take();
            panic!("with the lock")
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        assert!(turn.try_take().is_some());
    }
}
