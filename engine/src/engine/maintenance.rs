//! What the engine does with its tables when no statement runs ([`maintenance`](crate::maintenance)).

use super::codes::make_codes;
use super::{Engine, Shared, start};
use crate::catalog::{Entry, Object, Qualified, Schemas, State, StoredTable};
use crate::guard::guarded;
use crate::maintenance::{self, Due, Improved, Maintenance};
use crate::{Error, ErrorKind, Result};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::TableHandle;
use std::sync::{Arc, Weak};
use std::time::Instant;

impl Engine {
    /// Starts what looks after tables while no statement runs.
    pub(super) fn begin_maintenance(&self) -> Result<()> {
        let (maintenance, shared) = (Arc::clone(self.0.catalog.maintenance()), Arc::downgrade(&self.0));
        let context = maintenance.context(&self.0.memory);
        // Tables of a database that has been opened.
        maintenance.tell();
        let work = move || {
            let mut next = None;
            while maintenance.next_change(next) {
                // What fails is tried again when the table has changed once more.
                next = guarded(|| Ok(look_after(&shared, &context))).ok().flatten();
            }
        };
        start("multiloop-maintenance", work)
    }

    /// Does at once, with all workers, what the engine does with its tables when no statement runs: rows are put back in the order of
    /// their key, if most of them are, and deleted ones are dropped. Answers stay what they are; a table of which an open
    /// transaction has rows is left as it is.
    ///
    /// ```
    /// let engine = multiloop::Engine::new()?;
    /// let session = engine.session();
    /// session.sql("CREATE TABLE t AS SELECT n FROM generate_series(1, 100000) r (n); DELETE FROM t WHERE n % 3 = 0")?;
    /// engine.maintain()?;
    /// assert_eq!(session.query_scalar::<i64>("SELECT count(*) FROM t", ())?, 66667);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    ///
    /// # Errors
    /// 53200, 53100 and 58030; what has been done by then stays done.
    pub fn maintain(&self) -> Result<()> {
        guarded(|| {
            let context = Context::new(Arc::clone(&self.0.memory)).with_pool(&self.0.pool);
            let shared = Arc::downgrade(&self.0);
            for (name, _, stored) in tables(self.0.catalog.snapshot()) {
                if stored.is_unloaded() {
                    load(&shared, &name, &stored, &context)?;
                }
            }
            for (name, number, stored) in tables(self.0.catalog.snapshot()) {
                if Maintenance::is_subject(&stored) && !stored.is_unloaded() {
                    look_after_table(&shared, (&name, number), &stored, &context)?;
                }
            }
            Ok(())
        })
    }
}

/// The tables of all sessions, by their names and numbers.
fn tables(schemas: Schemas) -> Vec<(Qualified, u32, StoredTable)> {
    let table = |(schema, name, object): (&str, &str, &Object)| match &object.entry {
        Entry::Table(table) => {
            Some((Qualified { schema: schema.into(), name: name.into() }, object.oid, table.clone()))
        }
        _ => None,
    };
    State::shared(schemas).iter().filter_map(table).collect()
}

/// Looks after all tables that it is due for. When it is due for the next one, if that is known. The engine ends meanwhile, if
/// it likes.
fn look_after(shared: &Weak<Shared>, context: &Context) -> Option<Instant> {
    let (maintenance, all, pool) = {
        let shared = shared.upgrade()?;
        (Arc::clone(shared.catalog.maintenance()), tables(shared.catalog.snapshot()), Arc::clone(&shared.pool))
    };
    // Statements wait for who loads a table, and for workers.
    let loading = maintenance.yielding(context).with_pool(&pool);
    make_codes(shared, context);
    maintenance.keep(|number| all.iter().any(|(_, there, _)| *there == number));
    let mut next: Option<Instant> = None;
    for (name, number, stored) in all {
        match maintenance.due(number, &stored) {
            Due::Never => {}
            Due::Later(time) => next = [next, Some(time)].into_iter().flatten().min(),
            Due::Now => {
                let began = Instant::now();
                let done = match stored.is_unloaded() {
                    true => load(shared, &name, &stored, &loading),
                    false => look_after_table(shared, (&name, number), &stored, context),
                };
                let is_stopped = |error: &Error| error.kind() == ErrorKind::Cancelled;
                let handle = done.unwrap_or_else(|error| (!is_stopped(&error)).then_some(stored.info.handle));
                let time = maintenance.note(number, handle, began);
                next = [next, time].into_iter().flatten().min();
            }
        }
    }
    next
}

/// Loads a table whose rows are in files. The snapshot of it that stays where it is, if there is not the memory; what is loaded is to be
/// looked after.
fn load(
    shared: &Weak<Shared>,
    name: &Qualified,
    stored: &StoredTable,
    context: &Context,
) -> Result<Option<TableHandle>> {
    if !maintenance::has_room_for(stored, context) {
        return Ok(Some(stored.info.handle));
    }
    let Some(state) = shared.upgrade().map(|shared| State::shared(shared.catalog.snapshot())) else { return Ok(None) };
    let loaded = stored.loaded(&|| state.domains(), context)?.into_owned();
    if let Some(shared) = shared.upgrade() {
        shared.reshape(name, stored, loaded);
    }
    Ok(None)
}

/// Looks after a table: the snapshot of it that is as it should be then; none if somebody was in the way.
fn look_after_table(
    shared: &Weak<Shared>,
    (name, number): (&Qualified, u32),
    stored: &StoredTable,
    context: &Context,
) -> Result<Option<TableHandle>> {
    let is_free = |shared: &Shared| !shared.catalog.is_pinned() && !shared.row_locks.has_others(0, number);
    let Some(known) = shared
        .upgrade()
        .filter(|shared| is_free(shared))
        .map(|shared| State::shared(shared.catalog.snapshot()).domains())
    else {
        return Ok(None);
    };
    let Some(improved) = maintenance::improved(stored, &known, context)? else {
        maintenance::settle(stored, context)?;
        return Ok(Some(stored.info.handle));
    };
    let handle = improved.table().info.handle;
    maintenance::settle(improved.table(), context)?;
    context.check()?;
    let Some(shared) = shared.upgrade() else { return Ok(None) };
    let next = match improved {
        Improved::Measured(next) => return Ok(shared.reshape(name, stored, next).then_some(handle)),
        Improved::Arranged(next) => next,
    };
    let Some(publishing) = shared.catalog.try_write() else { return Ok(None) };
    let began = publishing.schemas();
    let mut state = State::shared(Arc::clone(&began));
    let is_it = state.object(name).is_some_and(|object| {
        object.oid == number && matches!(&object.entry, Entry::Table(now) if now.info.handle == stored.info.handle)
    });
    if !is_it {
        return Ok(None);
    }
    state.insert(name, Entry::Table(next));
    let published = shared.row_locks.while_free(number, || publishing.publish_unpinned(&began, state.schemas));
    let Some(logged) = published.transpose()?.flatten() else { return Ok(None) };
    shared.catalog.wait(logged, false)?;
    Ok(Some(handle))
}
