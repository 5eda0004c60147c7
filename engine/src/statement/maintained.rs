//! VACUUM, ANALYZE, CLUSTER, REINDEX, CHECKPOINT, BACKUP and LOCK TABLE.
//!
//! VACUUM drops rows that are deleted, which gives the others new numbers: not of tables of which an open transaction has rows. It changes
//! the shared state itself, whatever transaction the client's message has begun: nothing that anybody sees of it is another. ANALYZE
//! measures what is known of columns anew. The others have nothing to do, but for LOCK TABLE, which takes all rows of a table.

use super::change::without_deleted;
use crate::access::FileUse;
use crate::catalog::{Arranged, Entry, Object, Qualified, State, StoredTable, TEMPORARY};
use crate::maintenance::order_of;
use crate::row_locks::{Rows, WHOLE};
use crate::running::Runner;
use crate::stream::{Notice, ResultStream};
use crate::transaction::TransactionStatus;
use crate::{Error, ErrorKind, Result, storage};
use multiloop_planner::catalog::{Right, TableName};
use multiloop_planner::sql::{LockMode, LockTable, Maintenance, Reindexed, Strength};
use std::path::Path;
use std::sync::Arc;

/// A table that is looked after, and the columns that are named of it.
type Target = (Qualified, Vec<usize>);

impl Runner<'_> {
    /// VACUUM and its kin.
    pub(super) fn maintain(&self, what: &Maintenance) -> Result<ResultStream> {
        if !matches!(what, Maintenance::Backup { .. }) {
            self.session.engine.0.catalog.check_writes()?;
        }
        match what {
            Maintenance::Vacuum { tables, analyze } => {
                if self.session.work.is_explicit() {
                    let message = "VACUUM cannot run inside a transaction block";
                    return Err(Error::new(ErrorKind::ActiveTransaction, message));
                }
                let (targets, notices) = self.maintained(tables, "vacuum")?;
                for target in targets {
                    self.look_after(&target, (true, *analyze))?;
                }
                Ok(notices.into_iter().fold(ResultStream::done("VACUUM"), ResultStream::with_notice))
            }
            Maintenance::Analyze { tables } => {
                let (targets, notices) = self.maintained(tables, "analyze")?;
                for target in targets {
                    self.look_after(&target, (false, true))?;
                }
                Ok(notices.into_iter().fold(ResultStream::done("ANALYZE"), ResultStream::with_notice))
            }
            Maintenance::Cluster { table } => {
                if let Some((table, index)) = table {
                    self.cluster(table, index.as_deref())?;
                }
                Ok(ResultStream::done("CLUSTER"))
            }
            Maintenance::Reindex { what, name } => self.reindex(*what, name.as_ref()),
            Maintenance::Checkpoint => {
                if !self.snapshot.facts.is_superuser {
                    let message = "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT";
                    return Err(Error::new(ErrorKind::Forbidden, message));
                }
                let catalog = &self.session.engine.0.catalog;
                if let Some(storage) = catalog.storage() {
                    storage.checkpoint(catalog, &self.session.cancellation)?;
                }
                Ok(ResultStream::done("CHECKPOINT"))
            }
            Maintenance::Backup { folder } => {
                if !self.snapshot.facts.is_superuser {
                    return Err(Error::new(ErrorKind::Forbidden, "must be superuser to do BACKUP"));
                }
                self.session.work.check_file(folder, FileUse::Write)?;
                storage::backup(&self.session.engine.0.catalog, Path::new(folder), &self.session.context())?;
                Ok(ResultStream::done("BACKUP"))
            }
        }
    }

    /// The tables that a statement names, or all that whoever asks owns, and what is to be said of those that are left out.
    fn maintained(&self, named: &[(TableName, Vec<String>)], verb: &str) -> Result<(Vec<Target>, Vec<Notice>)> {
        let (mut targets, mut notices): (Vec<Target>, _) = (Vec::new(), Vec::new());
        let facts = &self.snapshot.facts;
        if named.is_empty() {
            for (schema, name, object) in self.snapshot.state.iter() {
                let name = Qualified { schema: schema.to_owned(), name: name.to_owned() };
                if is_kept(object) && facts.check_owner(&name, object).is_ok() {
                    targets.push((name, Vec::new()));
                }
            }
            return Ok((targets, notices));
        }
        for (name, columns) in named {
            let found = self.found(name, &self.snapshot.state)?;
            let Some(object) = self.snapshot.state.object(&found) else {
                let is_system = crate::system::is_system(&found.schema);
                if is_system || self.is_system_table(name) {
                    continue;
                }
                return Err(unknown(name));
            };
            let Entry::Table(stored) = &object.entry else {
                let what = if verb == "vacuum" { "vacuum non-tables" } else { "analyze non-tables" };
                let message = format!("skipping \"{}\" --- cannot {what} or special system tables", found.name);
                notices.push(Notice::warning("01000", message));
                continue;
            };
            if facts.check_owner(&found, object).is_err() {
                let message = format!("skipping \"{}\" --- only table or database owner can {verb} it", found.name);
                notices.push(Notice::warning("01000", message));
                continue;
            }
            let mut places = Vec::new();
            for column in columns {
                let place = stored.info.fields.iter().position(|field| field.name == *column).ok_or_else(|| {
                    let message = format!("column \"{column}\" of relation \"{}\" does not exist", found.name);
                    Error::new(ErrorKind::UnknownColumn, message)
                })?;
                if places.contains(&place) {
                    let message = format!("column \"{column}\" of relation \"{}\" appears more than once", found.name);
                    return Err(Error::new(ErrorKind::DuplicateColumn, message));
                }
                places.push(place);
            }
            if is_kept(object) {
                targets.push((found, places));
            }
        }
        Ok((targets, notices))
    }

    /// Whether a name without a schema is one of the system's.
    fn is_system_table(&self, name: &TableName) -> bool {
        use multiloop_planner::catalog::Catalog;
        name.schema.is_none() && self.snapshot.entry(name).is_ok_and(|entry| entry.is_some())
    }

    /// Drops what is deleted of a table, if that is asked, and measures its columns, likewise.
    fn look_after(&self, (name, columns): &Target, (drops, measures): (bool, bool)) -> Result<()> {
        let engine = &self.session.engine.0;
        let work = self.session.work;
        if name.schema == TEMPORARY || work.status() != TransactionStatus::Idle && work.is_explicit() {
            let mut write = self.session.begin_write()?;
            if self.look_after_in(&mut write.state, name, columns, (drops, measures))? {
                write.commit()?;
            }
            return Ok(());
        }
        let publishing = engine.catalog.begin_write(&self.session.cancellation)?;
        let mut state = State::shared(publishing.schemas());
        if self.look_after_in(&mut state, name, columns, (drops, measures))? {
            let logged = publishing.publish(state.schemas)?;
            engine.catalog.wait(logged, true)?;
        }
        Ok(())
    }

    /// The same in a state; whether that is another then.
    fn look_after_in(
        &self,
        state: &mut State,
        name: &Qualified,
        columns: &[usize],
        (drops, measures): (bool, bool),
    ) -> Result<bool> {
        let context = self.session.loading();
        let Some(object) = state.object(name).filter(|object| is_kept(object)) else { return Ok(false) };
        let Entry::Table(stored) = &object.entry else { return Ok(false) };
        let locks = &self.session.engine.0.row_locks;
        // Who goes on with what he has seen may change rows of it, which he knows by their numbers.
        let is_pinned = self.session.engine.0.catalog.is_pinned();
        let has_others = || is_pinned || locks.has_others(self.session.work.identity().0, object.oid);
        let dropped = if drops && !has_others() { without_deleted(stored, state, &context)? } else { None };
        if !measures {
            let Some(dropped) = dropped else { return Ok(false) };
            state.insert(name, Entry::Table(dropped));
            return Ok(true);
        }
        let is_other = dropped.is_some();
        let stored = match dropped {
            Some(dropped) => dropped,
            None => stored.loaded(&|| state.domains(), &context)?.into_owned(),
        };
        let all: Vec<usize> =
            (0..stored.info.fields.len()).filter(|at| columns.is_empty() || columns.contains(at)).collect();
        let measured = stored.measured(&all, &context)?;
        if is_other {
            state.insert(name, Entry::Table(measured));
        } else {
            state.reshape(name, Entry::Table(measured));
        }
        Ok(true)
    }

    /// Puts the rows of a table in the order of an index, if it is one of columns whose order rows can have; without one all stays as it
    /// is, since no table remembers what it was clustered by.
    fn cluster(&self, table: &TableName, index: Option<&str>) -> Result<()> {
        let found = self.owned_table(table)?;
        let Some(index) = index else { return Ok(()) };
        let entry = self.snapshot.state.get(&found);
        if !entry.is_some_and(|entry| entry.index_names().any(|of| of == index)) {
            let message = format!("index \"{index}\" for table \"{}\" does not exist", found.name);
            return Err(Error::new(ErrorKind::UnknownObject, message));
        }
        let context = self.session.loading();
        if found.schema != TEMPORARY {
            let number = self.snapshot.state.object(&found).map_or(0, |object| object.oid);
            let limit = self.session.work.time_limit("lock_timeout");
            let numbers = Arc::new(vec![LockMode::AccessExclusive as usize]);
            let whole = Rows { table: number, line: WHOLE, numbers: &numbers, strength: Strength::Update };
            let locks = &self.session.engine.0.row_locks;
            locks.take(self.session.work.identity().0, whole, (&self.session.cancellation, limit))?;
        }
        let mut write = self.session.begin_write()?;
        let state = &mut write.state;
        let Some(Entry::Table(stored)) = state.get(&found).filter(|entry| is_own_entry(entry)) else { return Ok(()) };
        let by = order_of(stored, index);
        if by.is_empty() {
            return Ok(());
        }
        let Arranged::Anew(next) = stored.arranged(&by, usize::MAX, state.domains(), &context)? else { return Ok(()) };
        state.insert(&found, Entry::Table(*next));
        write.commit()
    }

    fn reindex(&self, what: Reindexed, name: Option<&TableName>) -> Result<ResultStream> {
        let done = || Ok(ResultStream::done("REINDEX"));
        let Some(name) = name else { return done() };
        let state = &self.snapshot.state;
        match what {
            Reindexed::Index => {
                let table = state.index_table(name, &self.snapshot.path).ok_or_else(|| unknown(name))?;
                if let Some(object) = state.object(&table) {
                    self.snapshot.facts.check_owner_of(&table, object, ("index", &name.name))?;
                }
            }
            Reindexed::Table => drop(self.owned_table(name)?),
            Reindexed::Schema => {
                let missing = || {
                    let message = format!("schema \"{}\" does not exist", name.name);
                    Error::new(ErrorKind::UnknownSchema, message)
                };
                let schema = state.schema(&name.name).ok_or_else(missing)?;
                self.snapshot.facts.check_schema_owner(&name.name, schema)?;
            }
            Reindexed::Database if *name.name != *self.session.work.identity().1 => {
                let message = "can only reindex the currently open database";
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
            Reindexed::Database => {}
        }
        done()
    }

    /// A table that whoever asks owns.
    fn owned_table(&self, name: &TableName) -> Result<Qualified> {
        let found = self.found(name, &self.snapshot.state)?;
        let object = self.snapshot.state.object(&found).ok_or_else(|| unknown(name))?;
        let Entry::Table(_) = &object.entry else {
            let message = format!("\"{}\" is not a table or materialized view", found.name);
            return Err(Error::new(ErrorKind::WrongObjectType, message));
        };
        self.snapshot.facts.check_owner(&found, object)?;
        Ok(found)
    }

    /// LOCK TABLE: modes that writers must not meet take all rows until the transaction ends; the others take none.
    pub(super) fn lock_tables(&self, lock: &LockTable) -> Result<ResultStream> {
        if !self.session.work.is_explicit() {
            let message = "LOCK TABLE can only be used in transaction blocks";
            return Err(Error::new(ErrorKind::NoTransaction, message));
        }
        for name in &lock.names {
            let found = self.found(name, &self.snapshot.state)?;
            let object = self.snapshot.state.object(&found).ok_or_else(|| unknown(name))?;
            if let Entry::Type(_) = &object.entry {
                let message = format!("\"{}\" is not a table or view", found.name);
                return Err(Error::new(ErrorKind::WrongObjectType, message));
            }
            let facts = &self.snapshot.facts;
            let rights: &[Right] = match lock.mode {
                LockMode::AccessShare => &[Right::Select, Right::Update, Right::Delete, Right::Truncate],
                LockMode::RowShare | LockMode::RowExclusive => {
                    &[Right::Insert, Right::Update, Right::Delete, Right::Truncate]
                }
                _ => &[Right::Update, Right::Delete, Right::Truncate],
            };
            let may = |right: &Right| facts.check_right(&facts.rights, *right, &found, object);
            if !rights.iter().any(|right| may(right).is_ok()) {
                may(&rights[0])?;
            }
            if lock.mode < LockMode::Share || found.schema == TEMPORARY || !matches!(object.entry, Entry::Table(_)) {
                continue;
            }
            let locks = &self.session.engine.0.row_locks;
            let (session, numbers) = (self.session.work.identity().0, Arc::new(vec![lock.mode as usize]));
            let rows = Rows { table: object.oid, line: WHOLE, numbers: &numbers, strength: Strength::Update };
            if locks.try_take(session, rows) {
                continue;
            }
            if lock.nowait {
                let message = format!("could not obtain lock on relation \"{}\"", found.name);
                return Err(Error::new(ErrorKind::LockNotAvailable, message));
            }
            let limit = self.session.work.time_limit("lock_timeout");
            locks.take(session, rows, (&self.session.cancellation, limit))?;
        }
        Ok(ResultStream::done("LOCK TABLE"))
    }
}

/// Whether something is a table whose rows the engine keeps.
fn is_kept(object: &Object) -> bool {
    matches!(&object.entry, Entry::Table(stored) if is_own(stored))
}

fn is_own_entry(entry: &Entry) -> bool {
    matches!(entry, Entry::Table(stored) if is_own(stored))
}

fn is_own(stored: &StoredTable) -> bool {
    stored.provided().is_none() && (stored.is_unloaded() || !stored.stored().is_lazy())
}

fn unknown(name: &TableName) -> Error {
    Error::new(ErrorKind::UnknownTable, format!("relation \"{}\" does not exist", name.plain()))
}
