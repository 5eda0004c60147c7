//! Tables of a database that has been opened, whose rows are still in their files: chunks that are lazy
//! (`exec/src/column/lazy.rs`). Queries read the columns that they ask for; whatever changes rows, or finds them by their
//! numbers, has the table loaded first.
//!
//! The loaded form has the same rows under the same numbers, and goes on with the same history, so whoever has seen the one can
//! change the other. It is made once for all snapshots that share the rows, by the first who needs it; the others wait. It is a
//! matter of speed alone who puts it in the place of the lazy one for all to see, and when.

use super::{Domains, StoredTable};
use crate::Result;
use crate::turn::Turn;
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::{Context, Memory};
use multiloop_planner::catalog::{Declared, Hidden, TableHandle};
use multiloop_planner::types::Field;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// What snapshots share whose rows are in files.
#[derive(Debug)]
pub(crate) struct Unloaded {
    /// The numbers of rows that are deleted.
    gone: Vec<usize>,
    /// Bytes of the files.
    bytes: usize,
    /// Whose memory loaded rows are in.
    memory: Arc<Memory>,
    /// Held by who loads them.
    loading: Turn,
    /// The loaded form, and of which snapshot it is.
    loaded: Mutex<Option<(TableHandle, StoredTable)>>,
}

impl StoredTable {
    /// A table whose rows are lazy: of a marks column behind its own if some, `gone`, are deleted; and how many bytes they have where
    /// they are.
    pub(crate) fn unloaded(
        name: &str,
        table: Table,
        declared: Arc<Declared>,
        (gone, bytes): (Vec<usize>, usize),
        memory: &Arc<Memory>,
    ) -> Self {
        let deleted = (!gone.is_empty()).then(|| table.fields.len() - 1);
        let hidden = Hidden { deleted, ..Hidden::default() };
        let mut stored = StoredTable::with_domains(name, table, declared, hidden, Vec::new(), Domains::default());
        let (memory, loading, loaded) = (Arc::clone(memory), Turn::default(), Mutex::default());
        stored.unloaded = Some(Arc::new(Unloaded { gone, bytes, memory, loading, loaded }));
        stored
    }

    /// The numbers of rows that are deleted, of a table that is not loaded.
    pub(crate) fn unloaded_gone(&self) -> Option<&[usize]> {
        self.unloaded.as_ref().map(|of| &*of.gone)
    }

    /// Whether its rows are in files still.
    pub(crate) fn is_unloaded(&self) -> bool {
        self.unloaded.is_some()
    }

    /// Bytes of its rows, in memory or in files.
    pub(crate) fn bytes(&self) -> usize {
        self.unloaded.as_ref().map_or_else(|| self.stored().bytes(), |of| of.bytes)
    }

    /// The same rows in memory: itself, if they are there. Domains of other tables are `known`.
    ///
    /// # Errors
    /// XX001 if they are damaged, 58030 if they cannot be read, 53200, 57014.
    pub(crate) fn loaded(&self, known: &dyn Fn() -> Domains, context: &Context) -> Result<Cow<'_, StoredTable>> {
        let Some(unloaded) = &self.unloaded else { return Ok(Cow::Borrowed(self)) };
        let _one = unloaded.loading.take(&context.cancellation)?;
        let loaded = || unloaded.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let of_other = match &*loaded() {
            Some((handle, table)) if *handle == self.info.handle => return Ok(Cow::Owned(table.clone())),
            Some((_, table)) => Some(table.clone()),
            None => None,
        };
        let table = match of_other {
            Some(table) => table,
            None => self.read(unloaded, known(), context)?,
        };
        // It may have been renamed since.
        let declared = Declared::clone(&self.info.declared);
        let mut table = table.defined(&self.info.name, &self.info.fields, declared);
        table.history.clone_from(&self.history);
        *loaded() = Some((self.info.handle, table.clone()));
        Ok(Cow::Owned(table))
    }

    fn read(&self, unloaded: &Unloaded, known: Domains, context: &Context) -> Result<StoredTable> {
        // Rows stay when the statement that needs them first has ended.
        let context = &Context { memory: Arc::clone(&unloaded.memory), ..context.clone() };
        let own = &self.stored().fields[..self.info.fields.len()];
        // A row that is deleted may have what no other may have.
        let fields: Vec<Field> = own.iter().map(|field| Field { nullable: true, ..field.clone() }).collect();
        let rows = Table { fields: fields.clone(), ..Table::clone(self.stored()) }.load(fields, context)?;
        let declared = Arc::clone(&self.info.declared);
        let rows = rows.narrowed(&declared.numerics, context)?;
        let table = StoredTable::encoded(&self.info.name, rows, declared, known.clone(), context)?;
        match &*unloaded.gone {
            [] => Ok(table),
            gone => {
                let mut known = known;
                known.add(&table);
                table.with_deleted(gone, known, context)
            }
        }
    }
}
