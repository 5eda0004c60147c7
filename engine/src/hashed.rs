//! Counts how often queries hash an integer column with a sparse range. Then the column is encoded by a domain, and later queries use
//! the codes.
//!
//! To make codes takes longer than most queries, and some queries later it has paid. So the first goes by hashes, and leaves a
//! count; the engine has the codes made when no statement runs, and if a second query comes before, it has them made for all that
//! follow. A load makes none: most columns are never asked so.
//!
//! Tables are known by their numbers, which stay when rows are added. Columns that were tried have codes, or gain nothing by them as
//! they are: they are tried once more when their table has changed.

use multiloop_planner::relation::FarKey;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Columns that are counted, at most.
const KEYS_MAX: usize = 4096;

/// A column of a table, by the table's number, and what it is joined with.
pub(crate) type Key = ((u32, usize), Option<(u32, usize)>);

/// How often columns were hashed.
#[derive(Debug, Default)]
pub(crate) struct Hashed(Mutex<HashMap<Key, Count>>);

#[derive(Debug, Default)]
struct Count {
    queries: u8,
    /// By what names of snapshots it was asked last.
    asked: Option<FarKey>,
    /// What was tried: names of snapshots.
    tried: Option<FarKey>,
}

impl Count {
    fn is_waiting(&self) -> bool {
        self.queries == 1 && self.tried.is_none()
    }
}

impl Hashed {
    /// Counts a query; whether it is time to make codes.
    pub(crate) fn is_due(&self, key: Key, of: FarKey) -> bool {
        let mut counts = self.lock();
        if counts.len() >= KEYS_MAX && !counts.contains_key(&key) {
            counts.clear();
        }
        let count = counts.entry(key).or_default();
        count.queries = count.queries.saturating_add(1);
        count.asked = Some(of);
        count.queries >= 2 && count.tried != Some(of)
    }

    /// Whether one query has hashed a column, and nobody has made codes of it.
    pub(crate) fn is_waiting(&self, key: Key) -> bool {
        self.lock().get(&key).is_some_and(Count::is_waiting)
    }

    /// The columns of which that is so.
    pub(crate) fn waiting(&self) -> Vec<(Key, FarKey)> {
        let counts = self.lock();
        let waiting = counts.iter().filter(|(_, count)| count.is_waiting());
        waiting.filter_map(|(key, count)| Some((*key, count.asked?))).collect()
    }

    /// There is nothing more to do for a column as it is.
    pub(crate) fn tried(&self, key: Key, of: FarKey) {
        if let Some(count) = self.lock().get_mut(&key) {
            count.tried = Some(of);
        }
    }

    /// What was begun has come to nothing: it is counted anew.
    pub(crate) fn forget(&self, key: Key) {
        self.lock().remove(&key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Count>> {
        // What is changed is whole at all times.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_planner::catalog::TableHandle;

    #[test]
    fn codes_are_due_once_a_query_comes_again() {
        let hashed = Hashed::default();
        let of = |handle| FarKey { column: (TableHandle(handle), 3), with: None };
        let key = ((7, 3), None);
        assert!(hashed.waiting().is_empty() && !hashed.is_due(key, of(1)));
        assert_eq!(hashed.waiting(), [(key, of(1))]);
        assert!(hashed.is_waiting(key) && !hashed.is_waiting(((7, 4), None)));
        assert!(hashed.is_due(key, of(1)) && hashed.waiting().is_empty() && hashed.is_due(key, of(1)));
        hashed.tried(key, of(1));
        assert!(!hashed.is_due(key, of(1)) && hashed.is_due(key, of(2)), "rows have come");
        hashed.forget(key);
        assert!(!hashed.is_due(key, of(2)) && !hashed.is_due(((7, 4), None), of(2)));
        for column in 0..2 * KEYS_MAX {
            assert!(!hashed.is_due(((8, column), None), of(2)));
        }
        assert!(hashed.lock().len() <= KEYS_MAX);
    }
}
