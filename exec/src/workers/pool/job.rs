//! Work that one thread shares with others.

use super::Worker;
use super::sleep::spin_until;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// In [`Job::state`]: nobody may join any more.
const CLOSED: usize = 1;
/// In [`Job::state`]: one helper is at work.
const HELPER: usize = 2;

/// Work that its owner lets helpers take part in. It borrows what its owner has: who wants to take part joins first, nobody
/// joins once the owner is done, and the owner stays until all who have joined are gone.
#[derive(Debug)]
pub(crate) struct Job {
    work: *const (dyn Fn(Worker) + Sync),
    /// How many more helpers may join.
    places: AtomicUsize,
    /// Helpers at work, each [`HELPER`], and [`CLOSED`].
    state: AtomicUsize,
    /// What the first helper panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// For an owner who does not want to spin any longer: the last helper has left.
    left: (Mutex<()>, Condvar),
}

// SAFETY: `work` is the only field that is not Send and Sync by itself. It is `Sync`, so any thread may call it, and it is
// called only between joining and leaving, while the owner keeps it alive.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// Does the work on this thread, and lets so many helpers do it at the same time; `publish` tells them of the job. Waits
    /// for those who take part, not for those who come too late. Panics as a helper did. Work that returns has found nothing
    /// left to do.
    pub(crate) fn share(
        work: &(dyn Fn(Worker) + Sync),
        owner: Worker,
        helpers: usize,
        publish: impl FnOnce(&Arc<Self>),
    ) {
        let erased: *const (dyn Fn(Worker) + Sync + '_) = work;
        // SAFETY: both are pointers to the same type but for its lifetime, which `help` does not outlive: see there.
        let erased: *const (dyn Fn(Worker) + Sync + 'static) = unsafe { std::mem::transmute(erased) };
        let job = Arc::new(Job {
            work: erased,
            places: AtomicUsize::new(helpers),
            state: AtomicUsize::new(0),
            panic: Mutex::default(),
            left: Default::default(),
        });
        {
            let _finish = Finish(&job);
            publish(&job);
            work(owner);
        }
        let panic = job.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Whether somebody may join, as far as one can tell.
    pub(crate) fn is_open(&self) -> bool {
        self.places.load(Ordering::Relaxed) > 0 && self.state.load(Ordering::Relaxed) & CLOSED == 0
    }

    /// Takes part, unless there are enough who do or the owner is done.
    pub(crate) fn help(&self, worker: Worker) {
        if !self.join() {
            return;
        }
        // SAFETY: this helper has joined and not left. The owner, who waits for it in `finish`, keeps the work alive.
        let work = unsafe { &*self.work };
        let outcome = catch_unwind(AssertUnwindSafe(|| work(worker)));
        // Who comes back has found nothing left to do, and nobody else would.
        self.places.store(0, Ordering::Relaxed);
        if let Err(panic) = outcome {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            match &*first {
                None => *first = Some(panic),
                // Whatever it holds might panic once more.
                Some(_) => std::mem::forget(panic),
            }
        }
        if self.state.fetch_sub(HELPER, Ordering::AcqRel) == HELPER | CLOSED {
            // With the lock no owner is between looking and waiting.
            let _lock = self.left.0.lock();
            self.left.1.notify_all();
        }
    }

    fn join(&self) -> bool {
        let take = |places: usize| places.checked_sub(1);
        let enter = |state: usize| (state & CLOSED == 0).then_some(state + HELPER);
        self.places.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
            && self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, enter).is_ok()
    }

    /// Lets nobody join any more, and waits for those who have.
    fn finish(&self) {
        self.state.fetch_or(CLOSED, Ordering::AcqRel);
        let all_left = || self.state.load(Ordering::Acquire) == CLOSED;
        if !spin_until(all_left) {
            let mut lock = self.left.0.lock().unwrap_or_else(PoisonError::into_inner);
            while !all_left() {
                lock = self.left.1.wait(lock).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// Finishes a job, also when its owner panics.
struct Finish<'a>(&'a Job);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}
