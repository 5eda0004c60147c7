//! Whether statements run: what nobody waits for lets them come before.

use multiloop_exec::workers::context::{Memory, Pause};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// How often who waits for quiet looks.
const LOOK: Duration = Duration::from_millis(5);

/// So many looks one after the other find no statement, and none that has come and gone, where it is quiet: clients send the next
/// statement a moment behind the one before.
const QUIET_LOOKS: usize = 8;

/// Memory is short from this part of its limit on.
const SHORT: (usize, usize) = (7, 8);

/// Counts the statements that run.
#[derive(Debug, Default)]
pub(crate) struct Quiet {
    running: AtomicUsize,
    /// How many have ever begun.
    begun: AtomicUsize,
    /// Whether nobody is to wait any more.
    ended: AtomicBool,
    /// What work holds while it waits is of this.
    memory: OnceLock<Weak<Memory>>,
}

/// A statement runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Busy<'q>(&'q Quiet);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Quiet {
    /// A statement begins.
    pub(crate) fn begin(&self) -> Busy<'_> {
        self.running.fetch_add(1, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
        Busy(self)
    }

    /// Whether none runs.
    fn is_quiet(&self) -> bool {
        self.running.load(Ordering::Relaxed) == 0
    }

    /// Work that waits gives up where statements are about to need what it holds of this memory.
    pub(crate) fn gives_back(&self, memory: &Arc<Memory>) {
        // It is that of the engine, whoever says it.
        let _known = self.memory.set(Arc::downgrade(memory));
    }

    fn is_memory_short(&self) -> bool {
        let memory = self.memory.get().and_then(Weak::upgrade);
        memory.is_some_and(|memory| memory.used() > memory.limit() / SHORT.1 * SHORT.0)
    }

    /// Nobody waits any more.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Returns once no statement has run for a while.
    pub(crate) fn wait_for_quiet(&self) {
        self.wait_while(&|| true);
    }

    fn wait_while(&self, waits: &dyn Fn() -> bool) {
        let (mut seen, mut quiet) = (self.begun.load(Ordering::Relaxed), 0);
        while quiet < QUIET_LOOKS && waits() && !self.ended.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
            let begun = self.begun.load(Ordering::Relaxed);
            quiet = if self.is_quiet() && begun == seen { quiet + 1 } else { 0 };
            seen = begun;
        }
    }
}

impl Pause for Quiet {
    fn goes_on(&self) -> bool {
        if !self.is_quiet() {
            self.wait_while(&|| !self.is_memory_short());
        }
        let gives_up = !self.is_quiet() && self.is_memory_short();
        !gives_up && !self.ended.load(Ordering::Relaxed)
    }
}

/// Ends work as soon as a statement runs, which may need what that holds.
#[derive(Debug)]
pub(super) struct Yielding(pub(super) Arc<Quiet>);

impl Pause for Yielding {
    fn goes_on(&self) -> bool {
        self.0.is_quiet() && !self.0.ended.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_exec::workers::context::{Cancellation, Reservation};
    use std::sync::mpsc;

    #[test]
    fn work_waits_while_statements_run() {
        let quiet = Arc::new(Quiet::default());
        let cancellation = Cancellation::pausing(Arc::clone(&quiet) as Arc<dyn Pause>);
        assert!(!cancellation.is_cancelled());
        let first = quiet.begin();
        let (told, heard) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                assert!(!cancellation.is_cancelled());
                told.send(()).expect("somebody hears it");
            });
            assert!(heard.recv_timeout(Duration::from_millis(60)).is_err());
            let second = quiet.begin();
            drop(first);
            assert!(heard.recv_timeout(Duration::from_millis(60)).is_err());
            drop(second);
            heard.recv_timeout(Duration::from_secs(60)).expect("it goes on");
        });
        let memory = Memory::new(1000);
        quiet.gives_back(&memory);
        let (held, waits) = (quiet.begin(), Cancellation::pausing(Arc::clone(&quiet) as Arc<dyn Pause>));
        let mut reservation = Reservation::new(&memory);
        reservation.add(900).expect("there is room");
        assert!(waits.is_cancelled(), "statements need what it holds");
        drop((reservation, held));
        assert!(!waits.is_cancelled());
        let yields = Cancellation::pausing(Arc::new(Yielding(Arc::clone(&quiet))));
        assert!(!yields.is_cancelled());
        let _third = quiet.begin();
        assert!(yields.is_cancelled());
        quiet.end();
        quiet.wait_for_quiet();
    }
}
