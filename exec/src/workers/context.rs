//! What a running statement shares with whoever started it: cancellation, a memory limit, progress, and who works for it.

use crate::workers::pool::Pool;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::counters::Counters;
use multiloop_planner::meter;
use multiloop_planner::sequence::Sequence;
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Cancels a statement from another thread. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_set: AtomicBool,
    /// Those that cancel this one, too.
    above: Vec<Cancellation>,
    /// Whether there are any of `links`: who asks often takes no lock.
    is_linked: AtomicBool,
    /// Those that cancel this one for a while: see [`Cancellation::link`].
    links: Mutex<Vec<Cancellation>>,
    /// Who is waited for by those that ask: see [`Cancellation::pausing`].
    pause: Option<Arc<dyn Pause>>,
}

/// Lets work wait that others are to come before, or ends it.
pub trait Pause: Debug + Send + Sync {
    /// Returns when the work may go on; false if it is to end.
    fn goes_on(&self) -> bool;
}

impl Flag {
    fn links(&self) -> MutexGuard<'_, Vec<Cancellation>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cancellation {
    /// Asks the statement to stop; it does so within a few milliseconds of work, with SQLSTATE 57014.
    pub fn cancel(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }

    /// One of its own, which these cancel, too.
    pub fn under(above: Vec<Cancellation>) -> Self {
        Cancellation(Arc::new(Flag { above, ..Flag::default() }))
    }

    /// One whose work waits wherever it asks whether it is cancelled: it holds nothing there that others wait for.
    pub fn pausing(pause: Arc<dyn Pause>) -> Self {
        Cancellation(Arc::new(Flag { pause: Some(pause), ..Flag::default() }))
    }

    /// Lets another one cancel this one, too, until what is returned is dropped: the work of one statement is done for another one,
    /// as a cursor's rows are made for each FETCH. Nothing happens if they are one.
    pub fn link(&self, other: &Cancellation) -> Linked {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Linked(None);
        }
        let mut links = self.0.links();
        links.push(other.clone());
        self.0.is_linked.store(true, Ordering::Relaxed);
        Linked(Some((self.clone(), other.clone())))
    }

    /// Whether somebody asked.
    pub fn is_cancelled(&self) -> bool {
        if self.0.pause.as_ref().is_some_and(|pause| !pause.goes_on()) {
            return true;
        }
        self.is_set()
            || self.0.above.iter().any(Cancellation::is_cancelled)
            || (self.0.is_linked.load(Ordering::Relaxed) && self.0.links().iter().any(Cancellation::is_cancelled))
    }

    /// Whether somebody asked this one itself, and not one above it.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }

    /// An error (57014) if somebody asked.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "canceling statement due to user request"));
        }
        Ok(())
    }

    /// Says that what this thread does from now on is a statement's, until what is returned is dropped: who has to wait for something
    /// far below (a network) looks here whether that is still wanted.
    pub fn enter(&self) -> Entered {
        Entered(CURRENT.replace(Some(self.clone())))
    }

    /// That of the statement for which this thread works, if it is known.
    pub fn current() -> Option<Cancellation> {
        CURRENT.with_borrow(Clone::clone)
    }
}

/// See [`Cancellation::link`]: who is cancelled, and by whom.
#[derive(Debug)]
#[must_use = "the link ends when this is dropped"]
pub struct Linked(Option<(Cancellation, Cancellation)>);

impl Drop for Linked {
    fn drop(&mut self) {
        let Some((of, other)) = &self.0 else { return };
        let mut links = of.0.links();
        if let Some(at) = links.iter().rposition(|link| Arc::ptr_eq(&link.0, &other.0)) {
            links.remove(at);
        }
        of.0.is_linked.store(!links.is_empty(), Ordering::Relaxed);
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Cancellation>> = const { RefCell::new(None) };
}

/// See [`Cancellation::enter`]; it holds what was said before.
#[derive(Debug)]
pub struct Entered(Option<Cancellation>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Holds memory only while nobody needs it.
pub trait Reclaim: Debug + Send + Sync {
    /// Gives back so many bytes; false, and nothing, if it has not as many.
    fn reclaim(&self, bytes: usize) -> bool;
}

/// Bytes in use against a limit. A tree of these lets a statement count against its own and the engine's limit.
#[derive(Debug)]
pub struct Memory {
    used: AtomicUsize,
    peak: AtomicUsize,
    limit: usize,
    parent: Option<Arc<Memory>>,
    reclaim: OnceLock<Weak<dyn Reclaim>>,
    #[cfg(test)]
    refusal: Refusal,
}

/// Which request for more bytes is refused, whatever the limit: the first has the number one.
#[cfg(test)]
#[derive(Debug, Default)]
struct Refusal {
    number: usize,
    requests: AtomicUsize,
}

impl Memory {
    /// A root with this limit in bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Memory::with(limit, None))
    }

    /// A root that refuses one request for more bytes, by its number from one on, and no other.
    #[cfg(test)]
    pub(crate) fn refusing(number: usize) -> Arc<Self> {
        let refusal = Refusal { number, ..Refusal::default() };
        Arc::new(Memory { refusal, ..Memory::with(usize::MAX, None) })
    }

    /// Whether it has refused a request.
    #[cfg(test)]
    pub(crate) fn has_refused(&self) -> bool {
        self.refusal.requests.load(Ordering::Relaxed) >= self.refusal.number
    }

    fn with(limit: usize, parent: Option<Arc<Memory>>) -> Self {
        Memory {
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            limit,
            parent,
            reclaim: OnceLock::new(),
            #[cfg(test)]
            refusal: Refusal::default(),
        }
    }

    /// A child: what it uses, its parent uses.
    pub fn child(self: &Arc<Self>, limit: usize) -> Arc<Self> {
        Arc::new(Memory::with(limit, Some(Arc::clone(self))))
    }

    /// Bytes that may be in use.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Who is asked for memory before there is none. Only the first one counts.
    pub fn set_reclaim(&self, reclaim: Weak<dyn Reclaim>) {
        // Whoever comes later is as if it had nothing.
        let _ = self.reclaim.set(reclaim);
    }

    /// Whether some of so many bytes have been given back.
    fn reclaimed(&self, bytes: usize) -> bool {
        self.reclaim.get().and_then(Weak::upgrade).is_some_and(|reclaim| reclaim.reclaim(bytes))
    }

    /// Bytes in use now.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Most bytes in use at once so far.
    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    /// Takes so many bytes more; `reclaims` says whether somebody may have to give some back for it.
    fn grow(&self, bytes: usize, reclaims: bool) -> Result<()> {
        #[cfg(test)]
        if self.refusal.requests.fetch_add(1, Ordering::Relaxed) + 1 == self.refusal.number {
            return Err(Error::new(ErrorKind::OutOfMemory, "out of memory: this request is refused"));
        }
        let mut may_ask = reclaims && bytes <= self.limit;
        let used = loop {
            let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
            if used <= self.limit {
                break used;
            }
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            if !may_ask {
                let message = format!("out of memory: the limit is {} bytes, {used} are needed", self.limit);
                return Err(Error::new(ErrorKind::OutOfMemory, message)
                    .with_hint("Raise the memory limit, or make the query keep less at once."));
            }
            // If there is nothing more to give, somebody else may just have been given it, and more than was needed.
            may_ask = self.reclaimed(used - self.limit);
        };
        if let Some(parent) = &self.parent {
            parent.grow(bytes, reclaims).inspect_err(|_| {
                self.used.fetch_sub(bytes, Ordering::Relaxed);
            })?;
        }
        self.peak.fetch_max(used, Ordering::Relaxed);
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(parent) = &self.parent {
            parent.shrink(bytes);
        }
    }
}

/// Some bytes of a [`Memory`], given back on drop.
#[derive(Debug)]
pub struct Reservation {
    memory: Arc<Memory>,
    bytes: usize,
}

impl Reservation {
    /// No bytes yet.
    pub fn new(memory: &Arc<Memory>) -> Self {
        Reservation { memory: Arc::clone(memory), bytes: 0 }
    }

    /// Another one of the same memory, without bytes.
    #[must_use]
    pub fn fork(&self) -> Self {
        Reservation::new(&self.memory)
    }

    /// Holds exactly so many bytes from now on; an error (53200) leaves what it held.
    pub fn resize(&mut self, bytes: usize) -> Result<()> {
        if bytes > self.bytes {
            self.memory.grow(bytes - self.bytes, true)?;
        } else {
            self.memory.shrink(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Holds so many bytes more.
    pub fn add(&mut self, bytes: usize) -> Result<()> {
        self.resize(self.bytes + bytes)
    }

    /// Holds so many bytes more, if nobody has to give some back for it.
    pub fn add_free(&mut self, bytes: usize) -> Result<()> {
        self.memory.grow(bytes, false)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Holds what another one of the same memory holds.
    pub fn absorb(&mut self, mut other: Reservation) {
        debug_assert!(Arc::ptr_eq(&self.memory, &other.memory), "what one memory gave is given back to it");
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// So many of its bytes, or all if it has fewer, as one of their own.
    #[must_use]
    pub fn split(&mut self, bytes: usize) -> Self {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Reservation { memory: Arc::clone(&self.memory), bytes }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.shrink(self.bytes);
    }
}

/// How far a statement is: rows read of all rows that its loops will read. Only ever a guess.
#[derive(Debug, Default)]
pub struct Progress {
    /// Rows done.
    pub done: AtomicU64,
    /// Rows to do.
    pub total: AtomicU64,
}

/// What every loop of a statement can reach.
#[derive(Clone, Debug)]
pub struct Context {
    /// Checked at least once a tile.
    pub cancellation: Cancellation,
    /// What buckets, results and scratch count against.
    pub memory: Arc<Memory>,
    /// Told once a morsel.
    pub progress: Arc<Progress>,
    /// Whose threads work for the statement besides the one that asks; None: that one is alone.
    pub pool: Option<Arc<Pool>>,
    /// The random numbers of the session, if the statement draws them one after the other: then no other thread works for it.
    pub sequence: Option<Arc<Sequence>>,
    /// The sequences of the catalog, if the statement draws from some: then no other thread works for it, either.
    pub counters: Option<Arc<dyn Counters>>,
}

impl Context {
    /// A context with this memory, in which the thread that asks works alone.
    pub fn new(memory: Arc<Memory>) -> Self {
        let (cancellation, progress) = (Cancellation::default(), Arc::default());
        Context { cancellation, memory, progress, pool: None, sequence: None, counters: None }
    }

    /// The same with the workers of a pool.
    #[must_use]
    pub fn with_pool(self, pool: &Arc<Pool>) -> Self {
        Context { pool: Some(Arc::clone(pool)), ..self }
    }

    /// An error (57014) if the statement was cancelled.
    pub fn check(&self) -> Result<()> {
        self.cancellation.check()
    }

    /// A piece of the statement's work, on whatever thread; an error (57014) in its place if the statement was cancelled.
    pub(crate) fn piece<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let _entered = self.begin_piece()?;
        let done = work()?;
        meter::settle()?;
        Ok(done)
    }

    /// What all pieces begin with, apart from them: there are hundreds of kinds.
    fn begin_piece(&self) -> Result<(Entered, meter::Entered)> {
        self.check()?;
        Ok(self.enter())
    }

    /// Says that what this thread does from now on is the statement's, until what is returned is dropped: functions of long values
    /// hear of a cancellation, and count what they make.
    pub fn enter(&self) -> (Entered, meter::Entered) {
        let Context { cancellation, memory, sequence, counters, .. } = self;
        let (sequence, counters) = (sequence.clone(), counters.clone());
        let known = Known { cancellation: cancellation.clone(), memory: Arc::clone(memory), sequence, counters };
        (cancellation.enter(), meter::enter(Arc::new(known)))
    }
}

/// A statement as functions of values know it.
#[derive(Debug)]
struct Known {
    cancellation: Cancellation,
    memory: Arc<Memory>,
    sequence: Option<Arc<Sequence>>,
    counters: Option<Arc<dyn Counters>>,
}

impl meter::Statement for Known {
    fn check(&self) -> Result<()> {
        self.cancellation.check()
    }

    fn reserve(&self, bytes: usize) -> Result<()> {
        self.memory.grow(bytes, true)
    }

    fn release(&self, bytes: usize) {
        self.memory.shrink(bytes);
    }

    fn sequence(&self) -> Option<&Sequence> {
        self.sequence.as_deref()
    }

    fn counters(&self) -> Option<&dyn Counters> {
        self.counters.as_deref()
    }
}
