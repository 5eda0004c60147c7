//! Codes of columns that queries hash, made for those that come behind them.

use super::Shared;
use crate::catalog::{Entry, Object, Qualified, Schemas, State, StoredTable};
use crate::hashed;
use crate::{ErrorKind, Result};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::relation::FarKey;
use std::sync::Weak;
use std::time::Duration;

/// How long to make the code of a row takes, about.
const CODE_TIME: Duration = Duration::from_nanos(50);

/// What has come of making codes of a column.
enum Coded {
    /// It has some.
    Done,
    /// It gains nothing by them.
    Useless,
    /// Time or memory are short now.
    Later,
    /// Somebody has changed its table meanwhile.
    Overtaken,
}

/// A column that is to have codes, and what it is joined with: by the names of their tables, since codes of one make another snapshot of
/// its table, and by their numbers.
struct Coding {
    column: (Qualified, usize),
    with: Option<(Qualified, usize)>,
    key: hashed::Key,
}

/// Puts a table with codes in the place of the one without; whether it still was that one.
type Reshape<'r> = dyn FnMut(&Qualified, &StoredTable, StoredTable) -> bool + 'r;

impl Coding {
    /// None of tables that not all sessions see: codes of one side alone would have to be looked up.
    fn of(schemas: &Schemas, of: &FarKey) -> Option<Self> {
        let named = |(handle, column): (TableHandle, usize)| {
            let (name, number) = named(schemas, handle)?;
            Some(((name, column), (number, column)))
        };
        let (column, number) = named(of.column)?;
        let (with, other) = match of.with {
            None => (None, None),
            Some(with) => named(with).map(|(with, other)| (Some(with), Some(other)))?,
        };
        Some(Coding { column, with, key: (number, other) })
    }

    /// Gives a column codes, and what it is joined with, too.
    fn make(
        &self,
        reshape: &mut Reshape<'_>,
        now: &dyn Fn() -> (State, usize),
        time: Option<Duration>,
        context: &Context,
    ) -> Result<Coded> {
        let (state, room) = now();
        let (mut bytes, mut takes) = (0, Duration::ZERO);
        for (name, _) in [Some(&self.column), self.with.as_ref()].into_iter().flatten() {
            let Ok(table) = state.table(name) else { return Ok(Coded::Overtaken) };
            if table.is_unloaded() {
                return Ok(Coded::Later);
            }
            bytes += table.stored().bytes();
            takes += CODE_TIME * u32::try_from(table.stored().rows()).unwrap_or(u32::MAX);
        }
        // As long as statements see what was there before, memory counts it, too.
        if bytes > room / 2 || time.is_some_and(|time| takes > time / 4) {
            return Ok(Coded::Later);
        }
        match (code(&self.column, self.with.as_ref(), state, reshape, context)?, &self.with) {
            (Coded::Done, Some(with)) => code(with, Some(&self.column), now().0, reshape, context),
            (coded, _) => Ok(coded),
        }
    }
}

/// Gives a column of a table codes, those of what it is joined with, if that has some.
fn code(
    (name, column): &(Qualified, usize),
    with: Option<&(Qualified, usize)>,
    state: State,
    reshape: &mut Reshape<'_>,
    context: &Context,
) -> Result<Coded> {
    let Ok(of) = state.table(name) else { return Ok(Coded::Overtaken) };
    if of.info.domain(*column).is_some() {
        return Ok(Coded::Done);
    }
    let with = with.and_then(|(name, column)| Some((state.table(name).ok()?, *column)));
    let Some(coded) = of.coded((&name.name, *column), with, state.domains(), context)? else {
        return Ok(Coded::Useless);
    };
    Ok(if reshape(name, of, coded) { Coded::Done } else { Coded::Overtaken })
}

/// The name and the number of the table of all sessions that has this handle.
fn named(schemas: &Schemas, handle: TableHandle) -> Option<(Qualified, u32)> {
    let is_it = |object: &Object| matches!(&object.entry, Entry::Table(table) if table.info.handle == handle);
    schemas.iter().find_map(|(schema, of)| {
        let (name, object) = of.objects.iter().find(|(_, object)| is_it(object))?;
        Some((Qualified { schema: schema.clone(), name: name.clone() }, object.oid))
    })
}

/// Makes codes of columns that queries hash, before one waits for them.
pub(super) fn make_codes(shared: &Weak<Shared>, context: &Context) {
    let waiting = shared.upgrade().map(|shared| shared.hashed.waiting()).unwrap_or_default();
    for (key, of) in waiting {
        // The engine may end meanwhile.
        let state =
            || shared.upgrade().map_or_else(|| (State::shared(Schemas::default()), 0), |shared| shared.codable());
        let mut reshape = |name: &Qualified, was: &StoredTable, coded: StoredTable| {
            shared.upgrade().is_some_and(|shared| shared.reshape(name, was, coded))
        };
        let coding = Coding::of(&state().0.schemas, &of);
        let made = coding.map_or(Ok(Coded::Overtaken), |coding| coding.make(&mut reshape, &state, None, context));
        if let Some(shared) = shared.upgrade() {
            shared.note_coded(key, of, &made);
        }
    }
}

impl Shared {
    /// A query is run that hashes these columns, and may take so long. If they were hashed before, statements from now on find codes in
    /// their place; this one goes on with what it sees. Where time or memory are short, or somebody changes tables, nothing is done.
    /// Whether something was. Nobody holds the right to change tables who calls this.
    pub(crate) fn count_hashed(&self, keys: &[FarKey], time: Option<Duration>, context: &Context) -> bool {
        if keys.is_empty() {
            return false;
        }
        let schemas = self.catalog.snapshot();
        let mut is_done = false;
        for of in keys {
            let Some(coding) = Coding::of(&schemas, of) else { continue };
            let key = coding.key;
            if !self.hashed.is_due(key, *of) {
                if self.hashed.is_waiting(key) {
                    self.catalog.maintenance().tell();
                }
            } else if self.catalog.try_write().is_some() {
                let made = coding.make(
                    &mut |name, was, coded| self.reshape(name, was, coded),
                    &|| self.codable(),
                    time,
                    context,
                );
                is_done |= !matches!(made, Ok(Coded::Later));
                self.note_coded(key, *of, &made);
            }
        }
        is_done
    }

    /// Notes what has come of making codes of a column.
    fn note_coded(&self, key: hashed::Key, of: FarKey, made: &Result<Coded>) {
        match made {
            Ok(Coded::Later) => {}
            // Nobody knows whether it would have gained by them.
            Err(error) if error.kind() == ErrorKind::Cancelled => {}
            Ok(Coded::Overtaken) => self.hashed.forget(key),
            Ok(Coded::Done | Coded::Useless) | Err(_) => self.hashed.tried(key, of),
        }
    }

    /// The state as it is, and the bytes that are free.
    fn codable(&self) -> (State, usize) {
        let room = self.memory.limit().saturating_sub(self.memory.used());
        (State::shared(self.catalog.snapshot()), room)
    }

    /// Puts another form of the same rows in place of a table, if nobody else changes tables.
    pub(super) fn reshape(&self, name: &Qualified, was: &StoredTable, coded: StoredTable) -> bool {
        self.catalog.try_write().is_some_and(|publishing| publishing.reshape(name, was, coded))
    }
}
