//! The guard around every statement: stack for nesting, and an end to panics. A panic is a bug, but not the end of the process
//! that the engine is embedded in: the statement fails (XX000), what it held is given back as it unwinds, its change of the
//! catalog has never been, and locks do not mind (whoever takes one looks past poison, because nothing is left half done under
//! it).

use crate::{Error, Result};
use multiloop_planner::stack::{Room, with_room};
use std::any::Any;
use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a statement, or a part of one.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    guarded_within(Room::Deep, work)
}

/// As [`guarded`], where there is so much stack.
pub(crate) fn guarded_within<T>(room: Room, work: impl FnOnce() -> Result<T>) -> Result<T> {
    caught(|| with_room(room, || caught(work)))
}

thread_local! {
    /// Whether the thread is in a function, or a table provider, that a program registered.
    static IN_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Says that the thread is in code of the program's, until it is dropped.
struct InFunction(bool);

impl InFunction {
    fn enter() -> Self {
        InFunction(IN_FUNCTION.replace(true))
    }
}

impl Drop for InFunction {
    fn drop(&mut self) {
        IN_FUNCTION.set(self.0);
    }
}

/// Makes an error of a panic. What a program registered may not run a statement while one calls it: it would wait for workers, or
/// locks, which that statement has.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    if IN_FUNCTION.get() {
        return Err(Error::unsupported("a statement within a function or a table provider that a statement calls is"));
    }
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Error::internal(text(panic))))
}

/// Calls what a program asked to be told by: a panic of it is no error of whoever tells.
pub(crate) fn without_a_panic(call: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(call)) {
        said(panic);
    }
}

/// Makes an error (XX000) of a panic of a function that a program registered.
pub(crate) fn called<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    called_as(&format_args!("function {name}"), work)
}

/// Makes an error (XX000) of a panic of something that a program registered, which the error calls so.
pub(crate) fn called_as<T>(what: &dyn Display, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let entered = InFunction::enter();
    // What the panic holds is the program's, too.
    let outcome = catch_unwind(AssertUnwindSafe(work)).map_err(said);
    drop(entered);
    outcome.unwrap_or_else(|said| {
        let said = said.as_deref().unwrap_or("what it says is no text");
        Err(Error::internal(format!("{what} panicked: {said}")))
    })
}

/// Something of the program's, which is dropped as its code runs: nobody is there to hear of a panic then, and it may be dropped
/// while another one unwinds.
#[derive(Debug)]
pub(crate) struct Owned<T>(Option<T>);

impl<T> Owned<T> {
    pub(crate) fn new(of: T) -> Self {
        Owned(Some(of))
    }

    pub(crate) fn get(&self) -> &T {
        self.0.as_ref().expect("it is there until it is dropped or taken")
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is there until it is dropped or taken")
    }

    /// Takes it out; who has it drops it.
    pub(crate) fn take(mut self) -> T {
        self.0.take().expect("it is there until it is dropped or taken")
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(of) = self.0.take() {
            // Nobody is there to hear of an error.
            let _ = called_as(&"it", || {
                drop(of);
                Ok(())
            });
        }
    }
}

fn text(panic: Box<dyn Any + Send>) -> String {
    format!("internal error: {}", said(panic).as_deref().unwrap_or("a panic"))
}

/// What a panic says.
fn said(panic: Box<dyn Any + Send>) -> Option<String> {
    let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    // Whatever it holds may panic once more when it is dropped; what that panic holds is let be.
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(another);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::guarded;
    use crate::catalog::{PUBLIC, Qualified};
    use crate::stream::ResultStream;
    use crate::{Engine, Error, ErrorKind, Result, Session};
    use std::sync::Arc;

    fn rows(session: &Session, sql: &str) -> usize {
        let batches = session.sql(sql).and_then(ResultStream::collect_batches).expect("the session goes on");
        batches.iter().map(|batch| batch.num_rows()).sum()
    }

    /// What a statement that panics gives, and that the next ones do not notice.
    fn check(session: &Session, said: &str, work: impl FnOnce() -> Result<()>) {
        let (before, used) = (rows(session, "SHOW TABLES"), session.engine().memory_used());
        let error = session.as_statement(work).expect_err("it panics");
        assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Internal, "XX000"));
        assert!(error.message().contains(said), "{error}");
        assert_eq!((rows(session, "SHOW TABLES"), session.engine().memory_used()), (before, used));
        assert_eq!(rows(session, "SELECT a FROM kept WHERE a > 1"), 2);
        assert_eq!(rows(&session.engine().session(), "SELECT a FROM kept"), 3);
        session.sql("CREATE OR REPLACE TABLE kept AS SELECT a FROM (VALUES (1), (2), (3)) v(a)").expect("it may write");
    }

    #[test]
    fn a_panic_is_the_end_of_a_statement_only() {
        let engine = Engine::builder().threads(3).build().expect("an engine");
        let session = engine.session();
        session.sql("CREATE TABLE kept AS SELECT a FROM (VALUES (1), (2), (3)) v(a)").expect("a table");
        let shared = &engine.0;
        check(&session, "with arguments 7", || panic!("with arguments {}", 7));
        check(&session, "overflow", || {
            let one = i32::MAX - std::hint::black_box(0);
            let _ = one.checked_add(1).expect("overflow");
            Ok(())
        });
        check(&session, "while it writes", || {
            let running = session.running();
            let mut write = running.begin_write()?;
            write.state.remove(&Qualified { schema: PUBLIC.to_owned(), name: "kept".to_owned() });
            panic!("while it writes")
        });
        check(&session, "on a worker", || {
            let barrier = &std::sync::Barrier::new(3);
            shared.pool.share(2, |worker| {
                move || {
                    barrier.wait();
                    assert!(worker.number != 1, "on a worker");
                    false
                }
            });
            Ok(())
        });
        check(&session, "a panic", || std::panic::panic_any(Arc::new(5)));
        check(&session, "with memory", || {
            let mut held = multiloop_exec::workers::context::Reservation::new(&session.running().context().memory);
            held.add(1 << 20)?;
            panic!("with memory")
        });
    }

    #[test]
    fn a_panic_ends_a_result() {
        let schema = Arc::new(arrow::datatypes::Schema::empty());
        let batches =
            (0..3).map(|at| if at == 1 { panic!("batch {at}") } else { Err(Error::new(ErrorKind::Io, "one")) });
        let mut result = ResultStream::rows(Vec::new(), schema, batches);
        assert!(matches!(result.next(), Some(Err(error)) if error.message() == "one"));
        assert!(matches!(result.next(), Some(Err(error)) if error.message() == "internal error: batch 1"));
        assert!(result.next().is_none());
    }

    #[test]
    fn there_is_room_to_nest() {
        fn depth(levels: u64) -> u64 {
            let frame = std::hint::black_box([levels; 64]);
            if levels == 0 { 0 } else { depth(levels - 1) + frame[0] - frame[1] + 1 }
        }
        assert_eq!(guarded(|| Ok(depth(100_000))), Ok(100_000));
    }
}
