//! Which statement a cancel means: that of a session, whichever runs; that of a statement; that of a handle which a program brings
//! along.
//!
//! The session's handle is above those of its statements, so it reaches the one that runs; a statement's own handle reaches
//! nothing else. Statements of one session that run on several threads are several statements.

use super::Session;
use crate::Result;
use crate::activity::Cancel;
use multiloop_exec::workers::context::{Cancellation, Progress};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// What the statement that runs, or runs next, shares with whoever watches it.
#[derive(Default)]
pub(super) struct Watched {
    pub(super) cancellation: Cancellation,
    pub(super) progress: Arc<Progress>,
    /// The statements that run, one a thread.
    statements: Vec<Watching>,
    /// Handles that a thread's statements obey: see [`Session::cancelled_by`].
    pub(super) given: Vec<(ThreadId, Cancellation)>,
}

/// A statement that runs, with those that run within it, as what EXECUTE runs: whoever cancels it means all of them.
#[derive(Clone)]
pub(super) struct Watching {
    thread: ThreadId,
    pub(super) cancellation: Cancellation,
    pub(super) depth: usize,
}

impl Watched {
    /// A thread begins a statement, or one within another.
    pub(super) fn begin(&mut self, thread: ThreadId) -> &mut Watching {
        let found = self.statements.iter().position(|statement| statement.thread == thread);
        let at = found.unwrap_or_else(|| {
            let given = self.given.iter().filter(|(of, _)| *of == thread).map(|(_, given)| given.clone());
            let above = std::iter::once(self.cancellation.clone()).chain(given).collect();
            self.statements.push(Watching { thread, cancellation: Cancellation::under(above), depth: 0 });
            self.statements.len() - 1
        });
        let statement = &mut self.statements[at];
        statement.depth += 1;
        statement
    }

    /// A thread ends what it has begun last.
    pub(super) fn end(&mut self, thread: ThreadId) {
        self.statements.iter_mut().filter(|of| of.thread == thread).for_each(|of| of.depth -= 1);
        self.statements.retain(|of| of.depth > 0);
    }

    /// Gives a thread's statement another handle, and says which one it had.
    fn replace(&mut self, thread: ThreadId, by: Cancellation) -> Option<Cancellation> {
        let statement = self.statements.iter_mut().find(|statement| statement.thread == thread)?;
        Some(std::mem::replace(&mut statement.cancellation, by))
    }

    /// What a thread's work hears: its statement's handle, or the session's where no statement runs.
    pub(super) fn heard(&self, thread: ThreadId) -> Cancellation {
        let statement = self.statements.iter().find(|statement| statement.thread == thread);
        statement.map_or(&self.cancellation, |statement| &statement.cancellation).clone()
    }
}

impl Session {
    /// A handle that cancels the statement that this session is running then, or the next one if it runs none. One that belongs
    /// to a statement is [`ResultStream::cancel_handle`](crate::ResultStream::cancel_handle), or that of [`Session::cancelled_by`].
    pub fn cancel_handle(&self) -> Cancellation {
        self.watched().cancellation.clone()
    }

    /// Runs statements that a handle cancels, and nothing else that the session does: those that this thread runs in `work`, and
    /// the making of their rows. A handle that is cancelled already lets none of them begin (57014); one that is cancelled later
    /// stops nothing.
    ///
    /// # Errors
    /// Those of `work`.
    ///
    /// ```
    /// use multiloop::{Cancellation, Engine, ErrorKind};
    ///
    /// let session = Engine::new()?.session();
    /// let prepared = session.prepare("SELECT 1")?;
    /// let handle = Cancellation::default();
    /// let rows = session.cancelled_by(&handle, || prepared.execute(&session, &[]))?;
    /// assert_eq!(rows.count(), 1);
    /// handle.cancel();
    /// assert!(session.sql("SELECT 1").is_ok());
    /// let error = session.cancelled_by(&handle, || session.sql("SELECT 1")).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Cancelled);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn cancelled_by<T>(&self, handle: &Cancellation, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let thread = std::thread::current().id();
        self.watched().given.push((thread, handle.clone()));
        // A panic in `work` that is none of a statement's is its own.
        let _given = OnDrop(|| forget_last(&mut self.watched().given, thread));
        handle.check()?;
        work()
    }

    /// Runs the query of a cursor, whose rows are made for other statements than the one that runs now: they hear a handle of their
    /// own, which this statement's cancels only as long as it runs.
    pub(super) fn as_cursor<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let (thread, own) = (std::thread::current().id(), Cancellation::default());
        let Some(heard) = self.watched().replace(thread, own.clone()) else { return work() };
        let _linked = own.link(&heard);
        let _replaced = OnDrop(|| {
            self.watched().replace(thread, heard.clone());
        });
        work()
    }

    pub(super) fn watched(&self) -> MutexGuard<'_, Watched> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the next statement a flag of its own if this one's was set, which happens when somebody cancels it while its rows are
    /// taken; handles given out before are spent. Nothing happens while one runs.
    pub fn forget_cancellation(&self) {
        let mut current = self.watched();
        if current.statements.is_empty() && current.cancellation.is_cancelled() {
            current.cancellation = Cancellation::default();
        }
    }
}

/// Forgets the handle that a thread was given last.
pub(super) fn forget_last(given: &mut Vec<(ThreadId, Cancellation)>, thread: ThreadId) {
    if let Some(last) = given.iter().rposition(|(of, _)| *of == thread) {
        given.remove(last);
    }
}

/// Does something at its end, whichever way that comes.
pub(super) struct OnDrop<F: FnMut()>(pub(super) F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Cancels what a session runs.
pub(super) fn cancelling(current: &Arc<Mutex<Watched>>) -> Cancel {
    let current = Arc::downgrade(current);
    Arc::new(move || {
        if let Some(current) = current.upgrade() {
            current.lock().unwrap_or_else(PoisonError::into_inner).cancellation.cancel();
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::{Engine, ErrorKind, Result};

    #[test]
    fn what_runs_within_a_statement_forgets_nothing() {
        let engine = Engine::builder().threads(1).build().expect("an engine");
        let session = engine.session();
        let error = session.as_statement(|| {
            session.cancel_handle().cancel();
            // What prepares another one, as PREPARE and DECLARE do, goes on behind that.
            assert!(session.prepare("SELECT 1").is_err());
            session.running().context().check()
        });
        assert_eq!(error.expect_err("it is cancelled").kind(), ErrorKind::Cancelled);
        assert!(session.prepare("SELECT 1").is_ok());
    }

    #[test]
    fn a_handle_belongs_to_its_statement() {
        let session = Engine::builder().threads(2).build().expect("an engine").session();
        let sql = "SELECT n FROM generate_series(1, 300000) r (n)";
        let mut rows = session.sql(sql).expect("rows").with_batch_rows(1000);
        let handle = rows.cancel_handle();
        assert!(rows.next().is_some_and(|batch| batch.is_ok()));
        handle.cancel();
        let error = rows.next().and_then(Result::err).expect("it is cancelled");
        assert_eq!((error.kind(), rows.next().is_none()), (ErrorKind::Cancelled, true));
        // Late ones stop nothing: not the statements behind, and not one whose rows are taken meanwhile.
        let other = session.sql(sql).expect("rows");
        handle.cancel();
        assert_eq!(other.map(|batch| batch.map_or(0, |batch| batch.num_rows())).sum::<usize>(), 300_000);
        let dropped = session.sql(sql).expect("rows").cancel_handle();
        dropped.cancel();
        assert!(session.sql("SELECT 1").and_then(|rows| rows.collect_batches()).is_ok());
    }

    #[test]
    fn fetches_hear_their_own_statement() {
        let session = Engine::builder().threads(2).build().expect("an engine").session();
        let declare = "BEGIN; DECLARE c CURSOR FOR SELECT n FROM generate_series(1, 3000000) r (n)";
        // The handle of a DECLARE is none of the FETCHes'.
        let (of_declare, of_fetch) = (crate::Cancellation::default(), crate::Cancellation::default());
        session.cancelled_by(&of_declare, || session.sql(declare)).expect("a cursor");
        of_declare.cancel();
        assert!(session.fetch_next("c", 10).is_ok());
        session.cancel_handle().cancel();
        session.forget_cancellation();
        assert!(session.fetch_next("c", 10).is_ok());
        session.sql("ROLLBACK").and_then(|_| session.sql(declare)).expect("another cursor");
        let fetch = || {
            of_fetch.cancel();
            session.fetch_next("c", u64::MAX)
        };
        let error = session.cancelled_by(&of_fetch, fetch).map(drop).expect_err("it is cancelled");
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        session.sql("ROLLBACK").expect("the end");
    }

    #[test]
    fn a_panic_of_the_callers_own_stays_one() {
        let session = Engine::builder().threads(1).build().expect("an engine").session();
        let handle = crate::Cancellation::default();
        let work = || session.cancelled_by(&handle, || -> Result<()> { panic!("of the caller") });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
        handle.cancel();
        assert!(session.sql("SELECT 1").is_ok());
    }

    #[test]
    fn a_handle_stops_what_runs_under_it() {
        let session = Engine::builder().threads(2).build().expect("an engine").session();
        let long = session.prepare("SELECT pg_sleep(100)").expect("a statement");
        let handle = crate::Cancellation::default();
        std::thread::scope(|scope| {
            let one = scope.spawn(|| session.cancelled_by(&handle, || long.execute(&session, &[])).map(drop));
            std::thread::sleep(std::time::Duration::from_millis(50));
            // What another thread runs in the same session is none of it.
            let other = scope.spawn(|| session.sql("SELECT pg_sleep(0.2)").and_then(|rows| rows.collect_batches()));
            std::thread::sleep(std::time::Duration::from_millis(50));
            handle.cancel();
            let stopped = one.join().expect("no panic").expect_err("it is cancelled");
            assert_eq!(stopped.kind(), ErrorKind::Cancelled);
            assert!(other.join().expect("no panic").is_ok());
        });
        assert!(session.sql("SELECT 1").is_ok());
    }
}
