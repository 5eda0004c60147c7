//! Compiled sources, by their text.

use super::{Driver, Module};
use crate::gpu::stop::{Done, Stop};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What came of a source.
type Compiled = Done<Arc<dyn Module>>;

/// What a device has compiled.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// What could not be compiled is not tried again.
    modules: Mutex<FxHashMap<Arc<str>, Compiled>>,
    /// What was asked for while somebody looks.
    watched: Mutex<Option<Vec<Arc<str>>>>,
    /// Nanoseconds that went into it.
    spent: AtomicU64,
}

impl Cache {
    /// The kernels of a source, compiled now if they are new.
    pub(crate) fn module(&self, driver: &dyn Driver, kernels: &str) -> Done<Arc<dyn Module>> {
        if let Some(watched) = &mut *self.watched.lock().unwrap_or_else(PoisonError::into_inner) {
            watched.push(Arc::from(kernels));
        }
        let known = self.modules.lock().unwrap_or_else(PoisonError::into_inner).get(kernels).cloned();
        if let Some(known) = known {
            return known;
        }
        let started = Instant::now();
        let made = driver.compile(kernels);
        self.spent.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        if !matches!(made, Err(Stop::Failed(_))) {
            let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
            modules.insert(Arc::from(kernels), made.clone());
        }
        made
    }

    /// Begins to remember what is asked for.
    pub(crate) fn watch(&self) {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    /// The sources that were asked for since then; ends it.
    pub(crate) fn watched(&self) -> Vec<Arc<str>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    /// How long it took to compile, or to load, since the start.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed))
    }

    /// The sources that are known, by their text.
    #[cfg(test)]
    pub(crate) fn sources(&self) -> Vec<Arc<str>> {
        let modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sources: Vec<Arc<str>> = modules.keys().cloned().collect();
        sources.sort_unstable();
        sources
    }

    /// How many sources are known.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
