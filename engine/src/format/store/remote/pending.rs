//! Waiting for the network. Work on it is done by threads of its own (a runtime of the process), so that any thread may wait,
//! and stop to do so when the statement for which it works is cancelled.

use multiloop_exec::workers::context::Cancellation;
use multiloop_exec::{Error, ErrorKind, Result};
use std::fmt::{self, Debug};
use std::future::Future;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

/// Threads that do nothing but pass bytes on.
const THREADS: usize = 2;

/// How often who waits looks whether that is still wanted.
const LOOK: Duration = Duration::from_millis(20);

static RUNTIME: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(THREADS).thread_name("multiloop-network").enable_all().build()
});

/// Something that is under way, for which several may wait.
pub(super) struct Pending<T> {
    state: Mutex<State<T>>,
    done: Condvar,
}

struct State<T> {
    outcome: Option<Result<T>>,
    /// Whether that is because nobody has waited any more.
    given_up: bool,
    waiting: usize,
    task: Option<AbortHandle>,
}

impl<T> Debug for Pending<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pending").finish_non_exhaustive()
    }
}

impl<T: Clone + Send + 'static> Pending<T> {
    /// Begins some work; an error (58030) if there is nobody to do it.
    pub(super) fn begin(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<Arc<Self>> {
        let failed = |error: &std::io::Error| {
            Error::new(ErrorKind::Io, format!("could not start the threads of the network: {error}"))
        };
        let runtime = RUNTIME.as_ref().map_err(failed)?;
        let state = State { outcome: None, given_up: false, waiting: 0, task: None };
        let pending = Arc::new(Pending { state: Mutex::new(state), done: Condvar::new() });
        // However the work ends, nobody waits for ever.
        let finish = Finish { pending: Arc::clone(&pending), outcome: Some(Err(given_up())) };
        let task = runtime.spawn(async move {
            let mut finish = finish;
            finish.outcome = Some(work.await);
        });
        pending.lock().task = Some(task.abort_handle());
        Ok(pending)
    }

    /// Begins some work and waits for it.
    pub(super) fn wait_for(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
        Pending::begin(work)?.wait()
    }

    /// What became of it.
    ///
    /// Errors: its own, and 57014 if the statement for which this thread works is cancelled; who was the last to wait ends the work.
    pub(super) fn wait(&self) -> Result<T> {
        let cancellation = Cancellation::current();
        self.wait_until(|| cancellation.as_ref().map_or(Ok(()), Cancellation::check))
    }

    /// The same whoever is cancelled, for some time.
    pub(super) fn wait_some(&self, time: Duration) -> Result<T> {
        let end = Instant::now() + time;
        let is_late = || Instant::now() > end;
        self.wait_until(|| match is_late() {
            true => Err(Error::new(ErrorKind::Io, "the network takes too long")),
            false => Ok(()),
        })
    }

    fn wait_until(&self, check: impl Fn() -> Result<()>) -> Result<T> {
        let mut state = self.lock();
        state.waiting += 1;
        loop {
            let outcome = match &state.outcome {
                Some(outcome) => Some(outcome.clone()),
                None => check().err().map(Err),
            };
            if let Some(outcome) = outcome {
                state.waiting -= 1;
                if state.waiting == 0 && state.outcome.is_none() {
                    (state.outcome, state.given_up) = (Some(Err(given_up())), true);
                    state.task.iter().for_each(AbortHandle::abort);
                }
                return outcome;
            }
            state = self.done.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends it, whoever waits.
    pub(super) fn stop(&self) {
        if let Some(task) = &self.lock().task {
            task.abort();
        }
    }

    /// Whether it has been given up by others, before who asks now has waited for it.
    pub(super) fn was_given_up(&self) -> bool {
        self.lock().given_up
    }

    /// Whether it has come to nothing.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.lock().outcome, Some(Err(_)))
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn given_up() -> Error {
    Error::new(ErrorKind::Io, "what the network was asked for was given up")
}

/// Says what became of some work when that ends: at its end, or where it is ended, or panics.
struct Finish<T> {
    pending: Arc<Pending<T>>,
    outcome: Option<Result<T>>,
}

impl<T> Drop for Finish<T> {
    fn drop(&mut self) {
        let mut state = self.pending.state.lock().unwrap_or_else(PoisonError::into_inner);
        let own = self.outcome.take();
        state.outcome = state.outcome.take().or(own);
        drop(state);
        self.pending.done.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cancelled_ends() {
        let cancellation = Cancellation::default();
        let pending = Pending::<u8>::begin(std::future::pending()).expect("there are threads");
        let other = cancellation.clone();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| {
                let _entered = other.enter();
                pending.wait()
            });
            std::thread::sleep(Duration::from_millis(50));
            cancellation.cancel();
            assert_eq!(waits.join().expect("no panic").expect_err("it is cancelled").sqlstate(), "57014");
        });
        // Nobody waits any more: nor does the work go on.
        assert_eq!(pending.wait().expect_err("it was given up").sqlstate(), "58030");
    }

    #[test]
    fn a_panic_is_an_error() {
        let panics = Pending::<u8>::wait_for(async { panic!("in the network") });
        assert_eq!(panics.expect_err("it panics").sqlstate(), "58030");
        assert_eq!(Pending::wait_for(async { Ok(7) }), Ok(7));
    }
}
