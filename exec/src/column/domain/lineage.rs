//! Lineages: a domain and those that were made of it by putting values behind.

use super::Domain;
use crate::column::Table;
use crate::column::row_index::RowIndex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which code a value has.
#[derive(Debug)]
pub(super) struct Values(pub(super) RowIndex);

/// A domain and those that were made of it. Each begins with all rows of those before it, so that a value has one code in all
/// of them; the longest has all values, and a table that shares one of them can take any that is longer.
#[derive(Debug)]
pub struct Lineage {
    /// Its number, unique in a process.
    pub id: u64,
    longest: Mutex<Longest>,
}

/// The longest domain of a lineage.
#[derive(Debug)]
pub(super) struct Longest {
    pub(super) table: Arc<Table>,
    /// Which code a value has; made when rows are first appended to a table that has codes.
    pub(super) values: Option<Values>,
}

impl Lineage {
    /// A domain that is the first of its lineage.
    pub(super) fn begin(table: Arc<Table>) -> Domain {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let longest = Mutex::new(Longest { table: Arc::clone(&table), values: None });
        let lineage = Arc::new(Lineage { id: NEXT.fetch_add(1, Ordering::Relaxed), longest });
        Domain { table, lineage }
    }

    /// The longest domain as it is now.
    pub(super) fn longest(self: &Arc<Self>) -> Domain {
        let table = Arc::clone(&self.lock().table);
        Domain { table, lineage: Arc::clone(self) }
    }

    /// Puts a longer domain in the place of the longest one; none if that is another one by now.
    pub(super) fn lengthen(self: &Arc<Self>, from: &Arc<Table>, to: Arc<Table>) -> Option<Domain> {
        let mut longest = self.lock();
        if !Arc::ptr_eq(&longest.table, from) {
            return None;
        }
        longest.table = Arc::clone(&to);
        Some(Domain { table: to, lineage: Arc::clone(self) })
    }

    /// The longest domain, for one who may put values behind it.
    pub(super) fn lock(&self) -> MutexGuard<'_, Longest> {
        // What is changed is whole at all times: a table is put in the place of another.
        self.longest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
