//! The state that all sessions see, swapped as a whole, and written first where it is kept.

use super::{Logged, Storage};
use crate::catalog::{Entry, PUBLIC, PUBLIC_OID, Qualified, Schema, Schemas, State, StoredTable};
use crate::grants::Owned;
use crate::maintenance::Maintenance;
use crate::turn::{Taken, Turn};
use crate::{Error, ErrorKind, Result};
use multiloop_exec::workers::context::Cancellation;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The current state of what all sessions see.
#[derive(Debug)]
pub(crate) struct Current {
    schemas: RwLock<Schemas>,
    writing: Turn,
    /// How many transactions go on with a state that they began with, and may change rows of it.
    pinned: Arc<AtomicUsize>,
    /// Who is told that something has changed.
    maintenance: Arc<Maintenance>,
    /// Where it is kept, if it is.
    storage: Option<Arc<Storage>>,
    /// Whether nothing can be changed: what is whole of a damaged database.
    reads_only: bool,
    /// That no other process changes it.
    _lock: Option<File>,
}

/// As long as this is there, rows keep their numbers.
#[derive(Debug)]
pub(crate) struct Pin(Arc<AtomicUsize>);

impl Drop for Pin {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Default for Current {
    fn default() -> Self {
        let public = Arc::new(Schema {
            oid: PUBLIC_OID,
            objects: BTreeMap::new(),
            comment: Some("standard public schema".into()),
            owned: Owned::public_schema(),
        });
        let schemas = Arc::new(BTreeMap::from([(PUBLIC.to_owned(), public)]));
        Current {
            schemas: RwLock::new(schemas),
            writing: Turn::default(),
            pinned: Arc::default(),
            maintenance: Arc::default(),
            storage: None,
            reads_only: false,
            _lock: None,
        }
    }
}

impl Current {
    /// A state that is kept.
    pub(crate) fn kept(schemas: Schemas, storage: Arc<Storage>) -> Self {
        Current { schemas: RwLock::new(schemas), storage: Some(storage), ..Current::default() }
    }

    /// Who looks after tables that have changed.
    pub(crate) fn maintenance(&self) -> &Arc<Maintenance> {
        &self.maintenance
    }

    /// Rows keep their numbers from now on, until what is returned is dropped: for who goes on with the state that he sees then.
    pub(crate) fn pin(&self) -> Pin {
        self.pinned.fetch_add(1, Ordering::SeqCst);
        Pin(Arc::clone(&self.pinned))
    }

    /// Whether somebody goes on with a state that he has seen.
    pub(crate) fn is_pinned(&self) -> bool {
        self.pinned.load(Ordering::SeqCst) > 0
    }

    /// What is whole of a damaged database, which is read alone, and what keeps others from changing it meanwhile.
    pub(crate) fn salvaged(schemas: Schemas, lock: Option<File>) -> Self {
        Current { schemas: RwLock::new(schemas), reads_only: true, _lock: lock, ..Current::default() }
    }

    /// Whether nothing can be changed.
    pub(crate) fn reads_only(&self) -> bool {
        self.reads_only
    }

    /// An error (25006) where nothing can be changed.
    pub(crate) fn check_writes(&self) -> Result<()> {
        if !self.reads_only {
            return Ok(());
        }
        let error = Error::new(ErrorKind::ReadOnlyTransaction, "cannot change tables in a read-only transaction");
        Err(error.with_detail("What is whole of a damaged database is open for reading alone."))
    }

    /// Where it is kept, if it is.
    pub(crate) fn storage(&self) -> Option<&Arc<Storage>> {
        self.storage.as_ref()
    }

    /// The state as it is now.
    pub(crate) fn snapshot(&self) -> Schemas {
        // A panic while the lock was held cannot leave half a state: the Arc is swapped in one step.
        Arc::clone(&self.schemas.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The right to change the state; readers go on meanwhile.
    ///
    /// # Errors
    /// 57014 if a statement that waits for it is cancelled.
    pub(crate) fn begin_write(&self, heard: &Cancellation) -> Result<Publishing<'_>> {
        Ok(Publishing { current: self, _turn: self.writing.take(heard)? })
    }

    /// The right to change the state, if nobody has it: readers never wait.
    pub(crate) fn try_write(&self) -> Option<Publishing<'_>> {
        Some(Publishing { current: self, _turn: self.writing.try_take()? })
    }

    /// Returns once what was published is on the device, or, without `waits`, will be soon; at once where nothing is kept.
    ///
    /// # Errors
    /// 58030 if the device has lost something: then all see what it is known to have.
    pub(crate) fn wait(&self, logged: Logged, waits: bool) -> Result<()> {
        self.storage.as_ref().map_or(Ok(()), |storage| storage.wait(logged, waits, self))
    }

    /// Goes back to a state from which nobody will go on.
    pub(super) fn revert(&self, schemas: Schemas) {
        *self.schemas.write().unwrap_or_else(PoisonError::into_inner) = schemas;
    }
}

/// The right to change what all sessions see.
pub(crate) struct Publishing<'a> {
    current: &'a Current,
    _turn: Taken<'a>,
}

impl Publishing<'_> {
    /// What is to be changed.
    pub(crate) fn schemas(&self) -> Schemas {
        self.current.snapshot()
    }

    /// Makes a change visible to all statements that start from now on, once it is written where it is kept.
    ///
    /// # Errors
    /// 53100 and 58030, and nothing has changed.
    pub(crate) fn publish(self, schemas: Schemas) -> Result<Logged> {
        self.current.check_writes()?;
        let Some(storage) = &self.current.storage else {
            self.put(schemas);
            return Ok(Logged::NOWHERE);
        };
        let logged = storage.write(&self.current.snapshot(), &schemas)?;
        let mut now = self.current.schemas.write().unwrap_or_else(PoisonError::into_inner);
        // Whoever is told of a loss goes back to what was before, now or in a moment.
        storage.check()?;
        *now = schemas;
        drop(now);
        self.current.maintenance.tell();
        Ok(logged)
    }

    /// The same of a change that gives rows other numbers, if nobody goes on with a state in which they have those that they had.
    ///
    /// # Errors
    /// As of [`Publishing::publish`].
    pub(crate) fn publish_unpinned(self, began: &Schemas, schemas: Schemas) -> Result<Option<Logged>> {
        // Who begins to go on with a state takes it behind this, and then it is the next one.
        let mut now = self.current.schemas.write().unwrap_or_else(PoisonError::into_inner);
        if self.current.reads_only || self.current.is_pinned() || !Arc::ptr_eq(&now, began) {
            return Ok(None);
        }
        let logged = match &self.current.storage {
            Some(storage) => {
                let logged = storage.write(&now, &schemas)?;
                storage.check()?;
                logged
            }
            None => Logged::NOWHERE,
        };
        *now = schemas;
        Ok(Some(logged))
    }

    /// Puts another form of the same rows in place of a table, if it still is this one; whether it is.
    pub(crate) fn reshape(self, name: &Qualified, was: &StoredTable, encoded: StoredTable) -> bool {
        let began = self.schemas();
        let mut state = State::shared(Arc::clone(&began));
        if !state.table(name).is_ok_and(|now| now.info.handle == was.info.handle) {
            return false;
        }
        state.reshape(name, Entry::Table(encoded));
        let mut now = self.current.schemas.write().unwrap_or_else(PoisonError::into_inner);
        // All may have gone back to an earlier state.
        let is_it = Arc::ptr_eq(&now, &began);
        if is_it {
            *now = state.schemas;
        }
        is_it
    }

    fn put(&self, schemas: Schemas) {
        *self.current.schemas.write().unwrap_or_else(PoisonError::into_inner) = schemas;
        self.current.maintenance.tell();
    }
}
