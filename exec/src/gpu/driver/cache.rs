//! Compiled sources, by their text.

use super::{Driver, Module};
use crate::gpu::stop::{Done, Stop};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a device has compiled.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// What could not be compiled is not tried again.
    modules: Mutex<FxHashMap<Arc<str>, Done<Arc<dyn Module>>>>,
}

impl Cache {
    /// The kernels of a source, compiled now if they are new.
    pub(crate) fn module(&self, driver: &dyn Driver, kernels: &str) -> Done<Arc<dyn Module>> {
        let known = self.modules.lock().unwrap_or_else(PoisonError::into_inner).get(kernels).cloned();
        if let Some(known) = known {
            return known;
        }
        let made = driver.compile(kernels);
        if !matches!(made, Err(Stop::Failed(_))) {
            let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
            modules.insert(Arc::from(kernels), made.clone());
        }
        made
    }

    /// How many sources are known.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
