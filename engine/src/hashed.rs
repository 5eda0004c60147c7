//! How often queries hashed columns of integers that lie far apart: those that are hashed again get codes, by which the next query goes.
//!
//! To make codes takes longer than most queries, and less than a few of them gain by it. So the first goes by hashes, and leaves a
//! count; the second finds it, and has the codes made for all that follow. A load makes none: most columns are never asked so.

use multiloop_planner::relation::FarKey;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Columns that are counted, at most: those of snapshots that are gone are among them.
const KEYS_MAX: usize = 1024;

/// How often columns were hashed.
#[derive(Debug, Default)]
pub(crate) struct Hashed(Mutex<HashMap<FarKey, u8>>);

impl Hashed {
    /// Counts a query; whether it is the second one.
    pub(crate) fn is_second(&self, key: FarKey) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= KEYS_MAX && !counts.contains_key(&key) {
            counts.clear();
        }
        let count = counts.entry(key).or_default();
        *count = count.saturating_add(1);
        *count == 2
    }
}
