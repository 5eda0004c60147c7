//! How idle workers wait: they spin for a moment, since the next loop is about to begin, and then sleep.

use std::sync::{Mutex, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// How long one stays awake. What one thread does between two loops seldom takes as long; waking up takes a tenth of it, and
/// on a busy virtual machine half.
const AWAKE: Duration = Duration::from_micros(500);

/// How often one looks before the processor is offered to others.
const LOOKS: usize = 64;

/// Waits a moment for something to become true, and says whether it has.
pub(crate) fn spin_until(happened: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    loop {
        for _ in 0..LOOKS {
            if happened() {
                return true;
            }
            std::hint::spin_loop();
        }
        if start.elapsed() > AWAKE {
            return false;
        }
        std::thread::yield_now();
    }
}

/// Threads that are asleep, by number; who fell asleep last is woken first.
#[derive(Debug, Default)]
pub(crate) struct Sleepers {
    asleep: Mutex<Vec<(usize, Thread)>>,
}

impl Sleepers {
    /// Sleeps until woken, unless there is a reason not to: `is_idle` is asked while nobody can be woken.
    pub(crate) fn sleep(&self, number: usize, is_idle: impl FnOnce() -> bool) {
        {
            let mut asleep = self.lock();
            if !is_idle() {
                return;
            }
            asleep.push((number, std::thread::current()));
        }
        // Who is woken is no longer listed; a thread may also wake up by itself.
        while self.lock().iter().any(|(other, _)| *other == number) {
            std::thread::park();
        }
    }

    /// Wakes up to so many.
    pub(crate) fn wake(&self, count: usize) {
        let woken = {
            let mut asleep = self.lock();
            let left = asleep.len().saturating_sub(count);
            asleep.split_off(left)
        };
        woken.into_iter().for_each(|(_, thread)| thread.unpark());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(usize, Thread)>> {
        self.asleep.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
