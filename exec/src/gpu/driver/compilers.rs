//! Threads that compile what nobody waits for.
//!
//! They start when there is something to compile, a few at most, and know sources and the device alone: no statement lives as long as
//! its code is compiled. When the cache goes, so does the queue; a thread ends with the source at which it is.

use super::Driver;
use super::cache::Shared;
use crate::gpu::stop::decline;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Threads, at most: statements need processors, too.
const THREADS_MAX: usize = 4;

/// The threads of a cache.
#[derive(Debug)]
pub(super) struct Compilers {
    driver: Arc<dyn Driver>,
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    most: usize,
}

impl Compilers {
    /// None yet.
    pub(super) fn new(driver: Arc<dyn Driver>, shared: Arc<Shared>) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Compilers { driver, shared, threads: Mutex::default(), most: (processors / 2).clamp(1, THREADS_MAX) }
    }

    /// There are so many sources to compile.
    pub(super) fn want(&self, sources: usize) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if threads.len() >= sources.min(self.most) {
            return;
        }
        let (driver, shared) = (Arc::clone(&self.driver), Arc::clone(&self.shared));
        let thread = std::thread::Builder::new().name("compiler".to_owned()).spawn(move || compile(&*driver, &shared));
        // Without one the source waits for the next that is wanted.
        threads.extend(thread);
    }
}

impl Drop for Compilers {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.ends = true;
            state.queue.clear();
        }
        self.shared.wake.notify_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // It has caught what panics.
            let _ = thread.join();
        }
    }
}

/// Compiles what is queued until the cache goes.
fn compile(driver: &dyn Driver, shared: &Shared) {
    loop {
        let mut state = shared.lock();
        let kernels = loop {
            if state.ends {
                return;
            }
            match state.queue.pop_front() {
                Some(kernels) => break kernels,
                None => state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        };
        let _started = shared.start(&mut state, &kernels);
        drop(state);
        let made = catch_unwind(AssertUnwindSafe(|| driver.compile(&kernels)));
        shared.keep(&kernels, &made.unwrap_or_else(|_| decline("bug: a compiler that panics")));
    }
}
