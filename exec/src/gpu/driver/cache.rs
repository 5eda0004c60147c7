//! Compiled sources, by their text, and who waits for them.
//!
//! Who asks for a source that is neither here nor on disk compiles it, or waits for another thread that does ([`Patience::Waits`]). Or
//! it is declined, for this time, and compiled by threads of the cache ([`Compilers`]): the next one finds it. What could not be compiled
//! is not tried again.

use super::compilers::Compilers;
use super::{Driver, Module};
use crate::gpu::stop::{Done, Stop, decline};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What came of a source.
type Compiled = Done<Arc<dyn Module>>;

/// Why a loop is declined whose code is not there yet.
pub(crate) const LATER: &str = "its code is being compiled";

/// Why a loop is declined that reads what the processors made because of [`LATER`]: its code would be for columns of another form.
pub(crate) const OTHER_FORM: &str = "what it reads is the processors' this time, while code is being compiled";

/// Sources that wait for a compiler, at most: others have to be asked for again.
const QUEUE_MAX: usize = 256;

/// What becomes of who asks for what has to be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// It gets it, when it is compiled.
    Waits,
    /// It is declined, and the source is compiled meanwhile.
    #[cfg_attr(not(any(test, feature = "gpu")), allow(dead_code, reason = "emulated devices have all the time"))]
    Hurries,
    /// It is declined, and nothing is compiled.
    Looks,
}

/// What a device has compiled. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    shared: Arc<Shared>,
    compilers: Arc<Compilers>,
    patience: Patience,
}

/// What the cache's threads know of it.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// A source has come to the queue, or there will be no more.
    pub(super) wake: Condvar,
    /// A source has been compiled.
    done: Condvar,
    /// What was asked for while somebody looks.
    watched: Mutex<Option<Vec<Arc<str>>>>,
    /// Nanoseconds that somebody waited for it.
    spent: AtomicU64,
    /// Sources that were compiled, loaded, or declined because they have to be.
    missed: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct State {
    modules: FxHashMap<Arc<str>, Compiled>,
    /// Sources that wait for a compiler.
    pub(super) queue: VecDeque<Arc<str>>,
    /// Sources that somebody compiles.
    started: FxHashSet<Arc<str>>,
    /// Whether the cache has gone.
    pub(super) ends: bool,
}

/// A source that a thread compiles; it does so no longer when this goes.
pub(super) struct Started<'s>(&'s Shared, Arc<str>);

impl Drop for Started<'_> {
    fn drop(&mut self) {
        self.0.lock().started.remove(&self.1);
        self.0.done.notify_all();
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to compile a source.
    pub(super) fn start(&self, state: &mut State, kernels: &Arc<str>) -> Started<'_> {
        state.started.insert(Arc::clone(kernels));
        Started(self, Arc::clone(kernels))
    }

    /// Remembers what came of a source.
    pub(super) fn keep(&self, kernels: &Arc<str>, made: &Compiled) {
        if !matches!(made, Err(Stop::Failed(_))) {
            self.lock().modules.insert(Arc::clone(kernels), made.clone());
        }
    }
}

impl Cache {
    /// One for a device, that has nothing.
    pub(crate) fn new(driver: &Arc<dyn Driver>) -> Self {
        let shared = Arc::new(Shared::default());
        let compilers = Arc::new(Compilers::new(Arc::clone(driver), Arc::clone(&shared)));
        Cache { shared, compilers, patience: Patience::Waits }
    }

    /// The same one, for who has more or less patience.
    pub(crate) fn with(&self, patience: Patience) -> Self {
        Cache { patience, ..self.clone() }
    }

    /// Whether who asks does not wait.
    pub(crate) fn hurries(&self) -> bool {
        self.patience != Patience::Waits
    }

    /// The kernels of a source, compiled now if they are new, unless who asks is in a hurry.
    pub(crate) fn module(&self, driver: &dyn Driver, kernels: &str) -> Done<Arc<dyn Module>> {
        if let Some(watched) = &mut *self.shared.watched.lock().unwrap_or_else(PoisonError::into_inner) {
            watched.push(Arc::from(kernels));
        }
        if let Some(known) = self.shared.lock().modules.get(kernels) {
            return known.clone();
        }
        let began = Instant::now();
        self.shared.missed.fetch_add(1, Ordering::Relaxed);
        let kernels = Arc::from(kernels);
        let made = match self.kept(driver, &kernels) {
            Some(kept) => Ok(kept),
            None => match self.patience {
                Patience::Waits => self.now(driver, &kernels),
                Patience::Hurries => {
                    self.queue(kernels);
                    decline(LATER)
                }
                Patience::Looks => decline(OTHER_FORM),
            },
        };
        self.shared.spent.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        made
    }

    /// Whether a source has to be compiled, or loaded, before it can be used.
    pub(crate) fn is_new(&self, kernels: &str) -> bool {
        !self.shared.lock().modules.contains_key(kernels)
    }

    /// Has a source compiled that will soon be asked for, beside what its reader does until then.
    pub(crate) fn begin(&self, driver: &dyn Driver, kernels: String) {
        let kernels = Arc::from(kernels);
        if self.patience != Patience::Looks && self.is_new(&kernels) && self.kept(driver, &kernels).is_none() {
            self.queue(kernels);
        }
    }

    /// What is on disk of a source, loaded.
    fn kept(&self, driver: &dyn Driver, kernels: &Arc<str>) -> Option<Arc<dyn Module>> {
        let kept = driver.kept(kernels)?;
        self.shared.keep(kernels, &Ok(Arc::clone(&kept)));
        Some(kept)
    }

    /// Compiles a source, or waits for who does.
    fn now(&self, driver: &dyn Driver, kernels: &Arc<str>) -> Compiled {
        let mut state = self.shared.lock();
        while state.started.contains(kernels) {
            state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(known) = state.modules.get(kernels) {
            return known.clone();
        }
        state.queue.retain(|queued| queued != kernels);
        let _started = self.shared.start(&mut state, kernels);
        drop(state);
        let made = driver.compile(kernels);
        self.shared.keep(kernels, &made);
        made
    }

    /// Leaves a source to the cache's threads.
    fn queue(&self, kernels: Arc<str>) {
        let mut state = self.shared.lock();
        let is_known = state.modules.contains_key(&kernels) || state.started.contains(&kernels);
        if is_known || state.queue.contains(&kernels) || state.queue.len() >= QUEUE_MAX {
            return;
        }
        state.queue.push_back(kernels);
        let (waiting, working) = (state.queue.len(), state.started.len());
        drop(state);
        self.compilers.want(waiting + working);
        self.shared.wake.notify_one();
    }

    /// Whether something is being compiled, or waits for it.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.shared.lock();
        !state.queue.is_empty() || !state.started.is_empty()
    }

    /// How often somebody asked for what was not in memory.
    pub(crate) fn missed(&self) -> u64 {
        self.shared.missed.load(Ordering::Relaxed)
    }

    /// Begins to remember what is asked for.
    pub(crate) fn watch(&self) {
        *self.shared.watched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    /// The sources that were asked for since then; ends it.
    pub(crate) fn watched(&self) -> Vec<Arc<str>> {
        self.shared.watched.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    /// How long somebody waited for what is compiled, or loaded, since the start.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.shared.spent.load(Ordering::Relaxed))
    }

    /// The sources that are known, by their text.
    #[cfg(test)]
    pub(crate) fn sources(&self) -> Vec<Arc<str>> {
        let mut sources: Vec<Arc<str>> = self.shared.lock().modules.keys().cloned().collect();
        sources.sort_unstable();
        sources
    }

    /// How many sources are known.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.shared.lock().modules.len()
    }
}
