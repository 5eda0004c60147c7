//! The values of UNIQUE indexes that are no keys: of each a table that has a row for each of the table's, in their order. Its columns are
//! the index's parts, and behind them stands a column that marks rows that are not in the index: those that are deleted, and those
//! that do not meet its predicate. So it is looked up, appended to and checked as a key's columns are ([`KeyIndexes`]).
//!
//! A snapshot has them once somebody has asked for them; the next snapshots go on from them. Where they are not known what
//! the index is over is computed of all rows, so whoever makes a snapshot may leave them out.

use super::StoredTable;
use crate::Result;
use crate::keys::KeyIndexes;
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{Declared, Key, TableHandle};
use std::sync::{Arc, OnceLock};

/// Of a UNIQUE index that is no key.
#[derive(Clone, Debug)]
pub(crate) struct IndexRows {
    /// The values of its parts, and marks.
    pub(crate) rows: Arc<Table>,
    /// The rows by these values.
    pub(crate) keys: Arc<KeyIndexes>,
}

/// Those of all such indexes of a snapshot, in their order, once they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownIndexRows(Arc<OnceLock<Vec<IndexRows>>>);

impl IndexRows {
    /// Of a snapshot that nothing else is known of.
    pub(crate) fn new(rows: Table, snapshot: TableHandle) -> Self {
        IndexRows { rows: Arc::new(rows), keys: KeyIndexes::new(snapshot) }
    }

    /// Its columns as a key.
    pub(crate) fn key(&self, name: &str, nulls_equal: bool) -> Key {
        let columns = (0..self.marks()).collect();
        Key { name: name.to_owned(), columns, primary: false, nulls_equal, is_index: true }
    }

    /// The column that marks rows that are not in the index.
    pub(crate) fn marks(&self) -> usize {
        self.rows.fields.len() - 1
    }
}

impl KnownIndexRows {
    /// The same of what a table is declared with now, if its indexes are what they were.
    pub(super) fn declared(&self, was: &Declared, now: &Declared) -> Self {
        if was.indexes == now.indexes { self.clone() } else { KnownIndexRows::default() }
    }
}

impl StoredTable {
    /// The values of its UNIQUE indexes that are no keys, if they are known.
    pub(crate) fn index_rows(&self) -> Option<&[IndexRows]> {
        self.index_rows.0.get().map(Vec::as_slice)
    }

    /// Keeps these values, of this snapshot.
    pub(crate) fn keep_index_rows(&self, rows: &[IndexRows]) {
        // Who was first has found the same.
        let _ = self.index_rows.0.set(rows.to_vec());
    }

    /// The same snapshot, which follows one, with these values, which follow those of that one.
    pub(crate) fn with_index_rows(mut self, rows: Vec<IndexRows>, from: TableHandle) -> Self {
        let follow = |of: IndexRows| IndexRows { keys: of.keys.followed(self.info.handle, from), ..of };
        let rows: Vec<IndexRows> = rows.into_iter().map(follow).collect();
        self.index_rows = KnownIndexRows(Arc::new(OnceLock::from(rows)));
        self
    }

    /// The values once rows, whose numbers ascend, are deleted; none if they are not known.
    pub(super) fn index_rows_without(&self, numbers: &[usize], context: &Context) -> Result<Option<Vec<IndexRows>>> {
        let Some(known) = self.index_rows() else { return Ok(None) };
        let without = |of: &IndexRows| {
            Ok(IndexRows { rows: Arc::new(of.rows.marked(numbers, of.marks(), context)?), keys: Arc::clone(&of.keys) })
        };
        known.iter().map(without).collect::<Result<_>>().map(Some)
    }
}
