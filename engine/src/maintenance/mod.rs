//! What the engine does with its tables while nobody asks. It loads those whose rows are in files still, puts rows back in the order of
//! their key, drops rows that are deleted, makes indexes of keys anew where rows have got other numbers, and codes of columns that queries hash,
//! and finds out what plans will ask of columns.
//!
//! 1. One thread waits until a table has changed and no statement runs ([`Maintenance::next_change`]), and takes table by table
//!    (`engine/src/engine/maintenance.rs`), each on a snapshot of its own.
//! 2. It waits wherever it hears a statement ([`quiet`]), within some milliseconds, inside the very look at whether it is cancelled: so
//!    whatever looks there holds nothing that a statement may wait for. It has no workers for the same reason. What statements do wait for, as
//!    for who loads a table, ends instead, and is begun anew ([`Maintenance::yielding`]).
//! 3. What it has made is put in the table's place if nobody has changed the table meanwhile; if rows have other numbers, only while
//!    no open transaction knows any by theirs. Of a table that is kept the log says by what its rows have been arranged, and
//!    not the rows.
//! 4. A table is looked after again when many times as much time has gone by as that took ([`PAUSE_RATIO`]).

mod quiet;

use crate::Result;
use crate::catalog::{Arranged, Domains, StoredTable};
use multiloop_exec::column::CHUNK_ROWS;
use multiloop_exec::column::domain::can_arrange_by;
use multiloop_exec::workers::context::{Cancellation, Context, Memory, Pause};
use multiloop_planner::catalog::{Declared, IndexPart, Key, TableHandle};
use quiet::{Busy, Quiet, Yielding};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Tables of fewer rows are scanned as fast as they are.
const ROWS_MIN: usize = CHUNK_ROWS;

/// A table is put in order where at most the so manieth part of its rows has to move: others never were, or are not meant to be.
const MOVED_RATIO: usize = 8;

/// Deleted rows are dropped from the so manieth part of all on.
const DELETED_RATIO: u64 = 256;

/// A table is left alone for so many times the time that it took.
const PAUSE_RATIO: u32 = 20;

/// And for so long at least.
const PAUSE_MIN: Duration = Duration::from_millis(500);

/// What the worker knows.
#[derive(Debug)]
pub(crate) struct Maintenance {
    quiet: Arc<Quiet>,
    /// Stops it for good, and makes it wait for statements.
    heard: Cancellation,
    asked: Mutex<Asked>,
    woken: Condvar,
    looked: Mutex<FxHashMap<u32, Looked>>,
}

#[derive(Debug, Default)]
struct Asked {
    changed: bool,
    ends: bool,
}

/// How a table was when it was looked after last.
#[derive(Clone, Copy, Debug)]
struct Looked {
    handle: Option<TableHandle>,
    /// When it may be again.
    next: Instant,
}

/// What is to be done with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Now,
    /// Not before this time.
    Later(Instant),
    /// It is as it was.
    Never,
}

impl Default for Maintenance {
    fn default() -> Self {
        let quiet = Arc::<Quiet>::default();
        let heard = Cancellation::pausing(Arc::clone(&quiet) as Arc<dyn Pause>);
        Maintenance { quiet, heard, asked: Mutex::default(), woken: Condvar::new(), looked: Mutex::default() }
    }
}

impl Maintenance {
    /// A statement runs until what is returned is dropped.
    pub(crate) fn busy(&self) -> Busy<'_> {
        self.quiet.begin()
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn looked(&self) -> MutexGuard<'_, FxHashMap<u32, Looked>> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tables have changed.
    pub(crate) fn tell(&self) {
        let mut asked = self.asked();
        if !asked.changed {
            asked.changed = true;
            self.woken.notify_all();
        }
    }

    /// The worker is to end.
    pub(crate) fn end(&self) {
        self.asked().ends = true;
        self.heard.cancel();
        self.quiet.end();
        self.woken.notify_all();
    }

    /// Waits until tables have changed, or until a time, and then until it is quiet: false if it is time to end.
    pub(crate) fn next_change(&self, until: Option<Instant>) -> bool {
        {
            let mut asked = self.asked();
            while !(asked.changed || asked.ends) {
                let left = until.map(|until| until.saturating_duration_since(Instant::now()));
                asked = match left {
                    Some(Duration::ZERO) => break,
                    Some(left) => self.woken.wait_timeout(asked, left).unwrap_or_else(PoisonError::into_inner).0,
                    None => self.woken.wait(asked).unwrap_or_else(PoisonError::into_inner),
                };
            }
            asked.changed = false;
        }
        self.quiet.wait_for_quiet();
        !self.asked().ends
    }

    /// What the worker runs with.
    pub(crate) fn context(&self, memory: &Arc<Memory>) -> Context {
        self.quiet.gives_back(memory);
        Context { cancellation: self.heard.clone(), ..Context::new(Arc::clone(memory)) }
    }

    /// The same for what statements may wait for: it ends where one begins, and is begun anew later.
    pub(crate) fn yielding(&self, context: &Context) -> Context {
        Context { cancellation: Cancellation::pausing(Arc::new(Yielding(Arc::clone(&self.quiet)))), ..context.clone() }
    }

    /// Whether it gains anything by that.
    pub(crate) fn is_subject(stored: &StoredTable) -> bool {
        let is_large = || !stored.stored().is_lazy() && stored.stored().rows() >= ROWS_MIN;
        stored.is_unloaded() || (stored.provided().is_none() && is_large())
    }

    /// Whether a table of this number is to be looked after.
    pub(crate) fn due(&self, table: u32, stored: &StoredTable) -> Due {
        if !Maintenance::is_subject(stored) {
            return Due::Never;
        }
        match self.looked().get(&table) {
            Some(looked) if looked.handle == Some(stored.info.handle) => Due::Never,
            Some(looked) if looked.next > Instant::now() => Due::Later(looked.next),
            _ => Due::Now,
        }
    }

    /// Notes which snapshot of a table is as it should be, if one is, and when it was begun to be looked after. When it is to be again,
    /// if none is.
    pub(crate) fn note(&self, table: u32, handle: Option<TableHandle>, began: Instant) -> Option<Instant> {
        let next = Instant::now() + (began.elapsed() * PAUSE_RATIO).max(PAUSE_MIN);
        self.looked().insert(table, Looked { handle, next });
        handle.is_none().then_some(next)
    }

    /// Forgets tables that are not there any more.
    pub(crate) fn keep(&self, is_there: impl Fn(u32) -> bool) {
        self.looked().retain(|table, _| is_there(*table));
    }
}

/// Bytes in memory of one in a file, about.
const LOADED_RATIO: usize = 3;

/// Whether there is the memory to load a table whose rows are in files.
pub(crate) fn has_room_for(stored: &StoredTable, context: &Context) -> bool {
    let room = context.memory.limit().saturating_sub(context.memory.used());
    stored.bytes().saturating_mul(LOADED_RATIO) <= room / 2
}

/// A table as it is to be put in its own place.
#[derive(Debug)]
pub(crate) enum Improved {
    /// Its rows have other numbers: they are in order, and none is deleted.
    Arranged(StoredTable),
    /// The same rows, of which more is known.
    Measured(StoredTable),
}

impl Improved {
    pub(crate) fn table(&self) -> &StoredTable {
        match self {
            Improved::Arranged(table) | Improved::Measured(table) => table,
        }
    }
}

/// A table with its rows in the order of a key, if they were before, about, and none that is deleted. None if it is as it should be,
/// or there is not the memory for another one.
///
/// # Errors
/// 57014 if the engine ends, 53200.
pub(crate) fn improved(stored: &StoredTable, known: &Domains, context: &Context) -> Result<Option<Improved>> {
    let room = context.memory.limit().saturating_sub(context.memory.used());
    if stored.stored().bytes() > room / 2 {
        return Ok(None);
    }
    let most = stored.stored().rows() / MOVED_RATIO;
    for by in orders(stored) {
        // One order is all that rows can have. Where the column has codes, rows in its values' order need not be in that of these.
        let first = by[0];
        if stored.info.statistics.columns[first].proofs.sorted {
            break;
        }
        match stored.arranged(&by, most, known.clone(), context)? {
            Arranged::Anew(next) => return followed(*next, stored, context).map(Some),
            Arranged::TooFar => {}
            // It was lost by rows that are gone.
            Arranged::Already if stored.info.domain(first).is_none() => {
                return stored.measured(&[first], context).map(|measured| Some(Improved::Measured(measured)));
            }
            Arranged::Already => break,
        }
    }
    let deleted = stored.info.statistics.rows - stored.rows();
    if deleted > 0
        && deleted * DELETED_RATIO >= stored.info.statistics.rows
        && let Arranged::Anew(next) = stored.arranged(&[], 0, known.clone(), context)?
    {
        return followed(*next, stored, context).map(Some);
    }
    Ok(None)
}

/// An arranged table, with indexes of the keys of which the one before has some.
fn followed(next: StoredTable, before: &StoredTable, context: &Context) -> Result<Improved> {
    next.keys.follow(&before.keys, (next.info.handle, next.stored()), &next.info.declared.keys, context)?;
    Ok(Improved::Arranged(next))
}

/// The orders that a table's rows may be meant to have, the likeliest first: those of its primary key, of other keys, of indexes; and
/// that of a column in whose order they were, if they are in none now.
fn orders(stored: &StoredTable) -> Vec<Vec<usize>> {
    let Declared { keys, indexes, .. } = &*stored.info.declared;
    let (primary, others): (Vec<&Key>, Vec<&Key>) = keys.iter().partition(|key| key.primary);
    let keys = primary.into_iter().chain(others).map(|key| key.name.as_str());
    let names = keys.chain(indexes.iter().map(|index| index.name.as_str()));
    let declared = names.map(|name| order_of(stored, name)).filter(|columns| !columns.is_empty());
    let is_sorted = |column: &usize| stored.info.statistics.columns[*column].proofs.sorted;
    let were: &[usize] = if stored.ordered_by.iter().any(is_sorted) { &[] } else { &stored.ordered_by };
    let can = |column: &&usize| can_arrange_by(stored.info.fields[**column].data_type);
    declared.chain(were.iter().find(can).map(|column| vec![*column])).collect()
}

/// The first columns of an index, as far as rows can be in their order.
pub(crate) fn order_of(stored: &StoredTable, index: &str) -> Vec<usize> {
    let Declared { keys, indexes, .. } = &*stored.info.declared;
    let columns: Vec<Option<usize>> = match keys.iter().find(|key| key.name == index) {
        Some(key) => key.columns.iter().copied().map(Some).collect(),
        None => {
            let ascends = |part: &IndexPart| !part.order.descending && !part.order.nulls_first;
            let found = indexes.iter().find(|of| of.name == index && of.predicate.is_none());
            let parts = found.into_iter().flat_map(|of| &of.parts);
            parts.map(|part| part.column.filter(|_| ascends(part))).collect()
        }
    };
    let can = |column: &usize| stored.info.fields.get(*column).is_some_and(|field| can_arrange_by(field.data_type));
    columns.into_iter().map_while(|column| column.filter(can)).collect()
}

/// Finds out what plans will ask of a table's columns.
///
/// # Errors
/// 57014 if the engine ends.
pub(crate) fn settle(stored: &StoredTable, context: &Context) -> Result<()> {
    for (column, statistics) in stored.info.statistics.columns.iter().enumerate().take(stored.info.fields.len()) {
        let is_open = statistics.proofs.conjecture.as_ref().is_some_and(|conjecture| conjecture.answer().is_none());
        if is_open && !statistics.proofs.is_clustered() {
            stored.stored().settle(column, context)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
