//! Work that one thread shares with others, piece by piece.

use super::sleep::spin_until;
use super::{Shared, Worker};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// In [`Job::state`]: nobody may join any more.
const CLOSED: usize = 1;
/// In [`Job::state`]: one helper takes part.
const HELPER: usize = 2;

/// What one worker does of a job: each call does a piece and says whether there may be more. The call that says no has left
/// what the worker found.
type Part<'a> = Box<dyn FnMut() -> bool + Send + 'a>;

/// Begins a worker's part.
type Begin<'a> = dyn Fn(Worker) -> Part<'a> + Sync + 'a;

thread_local! {
    /// The job of which this thread does a piece.
    static CURRENT: Cell<Option<Arc<Job>>> = const { Cell::new(None) };
}

/// Work that its owner lets helpers take part in. It borrows what its owner has: who wants to take part joins first, nobody
/// joins once the owner is done, and the owner stays until all who have joined are gone. A helper may do something else
/// between two pieces: then its part is parked, and if no piece is left before it comes back, the owner ends it. So nobody
/// ever waits for a piece of somebody else's.
pub(crate) struct Job {
    begin: *const Begin<'static>,
    /// How many more helpers may join.
    places: AtomicUsize,
    /// Helpers that take part, each [`HELPER`], and [`CLOSED`].
    state: AtomicUsize,
    /// Somebody panicked: what is left need not be done.
    given_up: AtomicBool,
    /// What the first helper panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Parts of helpers that do something else, by their numbers.
    parked: Mutex<Vec<(usize, Part<'static>)>>,
    /// For an owner who does not want to spin any longer: the last helper has left, or a piece has work to share.
    stirred: (Mutex<()>, Condvar),
    /// The job of which a piece asked for this one.
    parent: Option<Arc<Job>>,
}

// SAFETY: `begin` is the only field that is not Send and Sync by itself. It is `Sync`, so any thread may call it, and it is
// called only between joining and leaving, while the owner keeps it alive.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// Does the work on this thread, and lets so many helpers take part. Waits for those who do, not for those who come too
    /// late, and helps them meanwhile where they share a piece of theirs. Panics as a helper did. A part that ends has found
    /// nothing left to do.
    pub(super) fn share<'a, P: FnMut() -> bool + Send + 'a>(
        begin: &'a (impl Fn(Worker) -> P + Sync),
        owner: Worker,
        helpers: usize,
        shared: &Shared,
    ) {
        let boxed = |worker: Worker| -> Part<'a> { Box::new(begin(worker)) };
        let erased: *const (dyn Fn(Worker) -> Part<'a> + Sync + '_) = &boxed;
        // SAFETY: both are pointers to the same type but for its lifetimes, which no `Stint` outlives: see there.
        let erased: *const Begin<'static> = unsafe { std::mem::transmute(erased) };
        let parent = CURRENT.take();
        CURRENT.set(parent.clone());
        let job = Job::new(erased, helpers, parent);
        {
            let _finish = Finish { job: &job, owner, shared };
            shared.publish(&job, helpers);
            let _within = Within::enter(&job);
            let mut part = begin(owner);
            while !job.is_given_up() && part() {}
        }
        let panic = job.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    fn new(begin: *const Begin<'static>, helpers: usize, parent: Option<Arc<Job>>) -> Arc<Self> {
        Arc::new(Job {
            begin,
            places: AtomicUsize::new(helpers),
            state: AtomicUsize::new(0),
            given_up: AtomicBool::new(false),
            panic: Mutex::default(),
            parked: Mutex::default(),
            stirred: Default::default(),
            parent,
        })
    }

    /// A job whose owner is played by a test.
    #[cfg(test)]
    pub(super) fn of_static<P: FnMut() -> bool + Send + 'static>(
        begin: impl Fn(Worker) -> P + Sync + 'static,
        helpers: usize,
    ) -> Arc<Self> {
        let boxed = move |worker: Worker| -> Part<'static> { Box::new(begin(worker)) };
        let forever: &'static Begin<'static> = Box::leak(Box::new(boxed));
        Job::new(forever, helpers, None)
    }

    /// Whether somebody may join, as far as one can tell.
    pub(super) fn is_open(&self) -> bool {
        self.places.load(Ordering::Relaxed) > 0 && !self.is_closed()
    }

    /// Whether its owner has nothing left to do but to wait.
    pub(super) fn is_closed(&self) -> bool {
        self.state.load(Ordering::Relaxed) & CLOSED != 0
    }

    fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Takes part, unless there are enough who do or the owner is done.
    pub(super) fn join(self: &Arc<Self>, worker: Worker) -> Option<Stint> {
        let take = |places: usize| places.checked_sub(1);
        let enter = |state: usize| (state & CLOSED == 0).then_some(state + HELPER);
        self.places.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, enter).ok()?;
        Some(Stint::new(self, worker, None))
    }

    /// Goes on with the part that a worker has parked, unless it has been ended.
    pub(super) fn resume(self: &Arc<Self>, worker: Worker) -> Option<Stint> {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        let at = parked.iter().position(|(number, _)| *number == worker.number)?;
        let (_, part) = parked.swap_remove(at);
        Some(Stint::new(self, worker, Some(part)))
    }

    /// Ends the parts of helpers that do something else. Nothing is parked any more once the job is closed.
    pub(super) fn end_parked(self: &Arc<Self>, owner: Worker) {
        let parked = std::mem::take(&mut *self.parked.lock().unwrap_or_else(PoisonError::into_inner));
        parked.into_iter().for_each(|(_, part)| Stint::new(self, owner, Some(part)).finish());
    }

    /// The jobs of whose pieces this one is a part.
    pub(super) fn ancestors(&self) -> impl Iterator<Item = &Arc<Job>> {
        std::iter::successors(self.parent.as_ref(), |job| job.parent.as_ref())
    }

    /// Wakes the owner, if it waits.
    pub(super) fn stir(&self) {
        // With the lock no owner is between looking and waiting.
        let _lock = self.stirred.0.lock();
        self.stirred.1.notify_all();
    }

    fn note(&self, panic: Box<dyn Any + Send>) {
        self.given_up.store(true, Ordering::Relaxed);
        let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        match &*first {
            None => *first = Some(panic),
            // Whatever it holds might panic once more.
            Some(_) => std::mem::forget(panic),
        }
    }

    /// Lets nobody join any more.
    pub(super) fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::AcqRel);
    }

    /// Whether it is closed and all helpers have left.
    pub(super) fn has_ended(&self) -> bool {
        self.state.load(Ordering::Acquire) == CLOSED
    }

    /// Lets nobody join any more, and waits for those who have. What their pieces share, the owner helps with; never with
    /// another statement's work, which might keep it for long.
    fn finish(self: &Arc<Self>, owner: Worker, shared: &Shared) {
        self.close();
        if std::thread::panicking() {
            self.given_up.store(true, Ordering::Relaxed);
        }
        self.end_parked(owner);
        let mut seen = None;
        while !self.has_ended() {
            let news = shared.news.load(Ordering::Acquire);
            if seen != Some(news) && !std::thread::panicking() {
                let is_within = |job: &Arc<Job>| job.ancestors().any(|ancestor| Arc::ptr_eq(ancestor, self));
                match shared.open_job(is_within) {
                    Some(job) => job.join(owner).into_iter().for_each(Stint::finish),
                    None => seen = Some(news),
                }
                continue;
            }
            let is_stirred = || self.has_ended() || shared.news.load(Ordering::Acquire) != news;
            if !spin_until(is_stirred) {
                let mut lock = self.stirred.0.lock().unwrap_or_else(PoisonError::into_inner);
                while !is_stirred() {
                    lock = self.stirred.1.wait(lock).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("places", &self.places).field("state", &self.state).finish_non_exhaustive()
    }
}

/// Finishes a job, also when its owner panics.
struct Finish<'a> {
    job: &'a Arc<Job>,
    owner: Worker,
    shared: &'a Shared,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.job.finish(self.owner, self.shared);
    }
}

/// A helper's part in a job, from joining to leaving.
///
/// Whoever has one has joined and not left, so the owner, who waits for that in [`Job::finish`], keeps the work alive.
pub(super) struct Stint {
    job: Arc<Job>,
    worker: Worker,
    /// None until the first piece.
    part: Option<Part<'static>>,
    is_parked: bool,
}

impl Stint {
    fn new(job: &Arc<Job>, worker: Worker, part: Option<Part<'static>>) -> Self {
        Stint { job: Arc::clone(job), worker, part, is_parked: false }
    }

    /// Does a piece, and says whether there may be more.
    pub(super) fn step(&mut self) -> bool {
        if self.job.is_given_up() {
            return false;
        }
        let _within = Within::enter(&self.job);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let begin = || {
                // SAFETY: this helper has joined and not left: the owner keeps the work alive.
                let begin = unsafe { &*self.job.begin };
                begin(self.worker)
            };
            self.part.get_or_insert_with(begin)()
        }));
        let more = outcome.unwrap_or_else(|panic| {
            self.job.note(panic);
            false
        });
        if !more {
            // Who comes back has found nothing left to do, and nobody else would.
            self.job.places.store(0, Ordering::Relaxed);
        }
        more
    }

    /// Does pieces until none is left.
    fn finish(mut self) {
        while self.step() {}
    }

    /// Leaves the part where it can be resumed, and gives its job. If the owner waits, the part had better be ended.
    pub(super) fn park(mut self) -> std::result::Result<Arc<Job>, Self> {
        let job = Arc::clone(&self.job);
        // Under the lock: the owner closes the job, and looks behind that what is parked.
        let mut parked = job.parked.lock().unwrap_or_else(PoisonError::into_inner);
        if job.is_closed() {
            drop(parked);
            return Err(self);
        }
        if let Some(part) = self.part.take() {
            parked.push((self.worker.number, part));
            self.is_parked = true;
        }
        drop(parked);
        drop(self);
        Ok(job)
    }
}

impl Drop for Stint {
    fn drop(&mut self) {
        if self.is_parked {
            return;
        }
        let part = self.part.take();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(part))) {
            self.job.note(panic);
        }
        if self.job.state.fetch_sub(HELPER, Ordering::AcqRel) == HELPER | CLOSED {
            self.job.stir();
        }
    }
}

/// While a thread does a piece of a job.
struct Within(Option<Arc<Job>>);

impl Within {
    fn enter(job: &Arc<Job>) -> Self {
        Within(CURRENT.replace(Some(Arc::clone(job))))
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}
