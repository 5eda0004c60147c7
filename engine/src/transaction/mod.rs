//! What a session's statements see and change: the state that all sessions share, or that of a transaction of its own.
//!
//! Tables are immutable snapshots, so a transaction is a state of its own: it begins as the shared one is when its first statement
//! asks, its statements change it, and COMMIT puts what has changed into the shared one. Readers never wait. A row that another
//! transaction has changed since is an error (40001), and so is a table that it has made another one: the second of the two has to try
//! again. READ COMMITTED goes on from what the others have done instead, statement by statement.
//!
//! A statement that fails is undone alone, since a state is changed in one step at the end; in a transaction it also makes all that
//! follow fail (25P02) until the transaction, or a savepoint, is rolled back.

mod behind;
mod deferrals;
mod merged;
mod of_statement;
mod savepoints;

pub(crate) use behind::Asked;
pub(crate) use deferrals::Deferrals;
pub(crate) use merged::{Moved, Own, Rebase, conflict, object_of};

use crate::access::{Access, FileUse};
use crate::catalog::{Schema, Schemas, State};
use crate::drawn::Drawn;
use crate::grants::BOOTSTRAP;
use crate::notify::Notification;
use crate::settings::Settings;
use crate::storage::{Current, Pin, Publishing};
use crate::turn::{Taken, Turn};
use crate::{Error, ErrorKind, Result};
use behind::Behind;
use merged::{Refreshed, merged, refreshed};
use multiloop_exec::workers::context::Cancellation;
use multiloop_planner::sequence::Sequence;
use multiloop_planner::sql::{Isolation, Parsed, TransactionMode};
use savepoints::Savepoint;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStatus {
    /// Each statement is a transaction.
    Idle,
    /// In a transaction.
    Active,
    /// In a transaction that has failed: it can only be rolled back.
    Failed,
}

/// What a session has: settings, what is temporary, and perhaps a transaction.
#[derive(Debug)]
pub(crate) struct Work {
    /// The session's number.
    session: u32,
    /// What it calls the database.
    database: Mutex<Arc<str>>,
    access: Mutex<Access>,
    inner: Mutex<Inner>,
    /// Held while a statement changes what the session sees.
    writing: Turn,
    /// Its random numbers.
    sequence: Arc<Sequence>,
    /// What it has drawn from sequences.
    drawn: Arc<Drawn>,
    /// What the last query was warned of.
    warnings: Mutex<Arc<[String]>>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    /// Those that it began with: what RESET goes back to.
    defaults: Settings,
    temporary: Arc<Schema>,
    transaction: Option<Transaction>,
    /// When the statement began that runs; none before the first.
    statement: Option<i64>,
    /// What the statement that runs may ask for.
    asked: Asked,
    /// When the client's last message came, where statements come by messages: it is when its statements begin.
    message: Option<i64>,
}

/// What a session saw: its state, and with which settings and rights.
#[derive(Clone, Debug)]
pub(crate) struct Pinned {
    state: State,
    settings: Settings,
    defaults: Settings,
    access: Access,
    database: Arc<str>,
}

/// When a statement began, and the transaction that it is in, in microseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) transaction: i64,
    pub(crate) statement: i64,
}

/// The time of the clock, in microseconds since 1970.
fn clock() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_micros()).ok()).unwrap_or(0)
}

#[derive(Debug)]
struct Transaction {
    mode: TransactionMode,
    /// When it began.
    began: i64,
    /// The shared state that it began with, and its own; none before a statement asks.
    states: Option<(Schemas, State)>,
    /// Tables of it that are not as the shared state has them, though others see it so.
    behind: Option<Behind>,
    /// Rows keep their numbers while a statement runs; and as long as the transaction is open, if it has changed something, or its
    /// statements see what the first one saw.
    pin: Option<Pin>,
    failed: bool,
    /// Begun by nobody's BEGIN: the statements of one message.
    implicit: bool,
    savepoints: Vec<Savepoint>,
    /// What it tells other sessions when it commits.
    told: Vec<Notification>,
    /// What it checks when it commits.
    deferrals: Deferrals,
    /// What is temporary, and the settings, if it is rolled back.
    temporary: Arc<Schema>,
    before: Settings,
    /// The settings if it is committed: what SET LOCAL says is not among them.
    after: Settings,
}

impl Work {
    pub(crate) fn new(session: u32, access: Access) -> Self {
        let (settings, defaults) = (Settings::default(), Settings::default());
        let temporary = Schema::new(BOOTSTRAP);
        let inner = Inner {
            settings,
            defaults,
            temporary,
            transaction: None,
            statement: None,
            asked: Asked::default(),
            message: None,
        };
        let database = Mutex::new(Arc::from("multiloop"));
        Work {
            session,
            database,
            access: Mutex::new(access),
            inner: Mutex::new(inner),
            writing: Turn::default(),
            sequence: Arc::default(),
            drawn: Arc::default(),
            warnings: Mutex::new(Arc::from([])),
        }
    }

    /// Keeps what a query is warned of, for who asks behind it.
    pub(crate) fn warn(&self, warnings: Arc<[String]>) {
        *self.warnings.lock().unwrap_or_else(PoisonError::into_inner) = warnings;
    }

    /// What the last query was warned of.
    pub(crate) fn warnings(&self) -> Arc<[String]> {
        Arc::clone(&self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The session's random numbers.
    pub(crate) fn sequence(&self) -> &Arc<Sequence> {
        &self.sequence
    }

    /// What the session has drawn from sequences.
    pub(crate) fn drawn(&self) -> &Arc<Drawn> {
        &self.drawn
    }

    /// What the session may do, and who has entered it.
    pub(crate) fn access(&self) -> Access {
        self.access.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Somebody enters it, who may reach files in these folders alone.
    pub(crate) fn enter(&self, user: &str, folders: Option<Arc<[PathBuf]>>) -> Result<()> {
        {
            let mut access = self.access.lock().unwrap_or_else(PoisonError::into_inner);
            (access.entered, access.folders) = (Some(Arc::from(user)), folders);
        }
        self.set_default("session_authorization", &[user.to_owned()])
    }

    /// The role that acts; none of an embedded session that has not set one.
    fn acting(&self) -> Option<String> {
        self.inner().settings.acting().map(str::to_owned)
    }

    /// Whether the session may use a file now; 42501 if not.
    pub(crate) fn check_file(&self, path: &str, way: FileUse) -> Result<()> {
        self.access().check_file(&self.acting().unwrap_or_default(), path, way)
    }

    /// Whether who has entered may set these settings so; 42501 and 22023 for roles that they may not be, or that there are not.
    fn check_settings(&self, before: &Settings, after: &Settings) -> Result<()> {
        for name in ["role", "session_authorization"] {
            let (before, after) = (before.get(name)?, after.get(name)?);
            if before != after {
                self.access().check_role(name, after)?;
            }
        }
        Ok(())
    }

    /// How long a statement may take; none is for ever.
    pub(crate) fn statement_time(&self) -> Option<Duration> {
        self.time_limit("statement_timeout")
    }

    /// The time that a setting says, named in lower case.
    pub(crate) fn time_limit(&self, name: &str) -> Option<Duration> {
        self.inner().settings.time(name)
    }

    /// The session's number, and what it calls the database.
    pub(crate) fn identity(&self) -> (u32, Arc<str>) {
        (self.session, Arc::clone(&self.database.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Calls the database by another name.
    pub(crate) fn set_database(&self, name: &str) {
        *self.database.lock().unwrap_or_else(PoisonError::into_inner) = Arc::from(name);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // What is changed under it is changed in one step.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn status(&self) -> TransactionStatus {
        self.inner().status()
    }

    /// Whether to end an implicit transaction changes nothing that others see or that has to be undone.
    pub(crate) fn is_end_idle(&self) -> bool {
        let inner = self.inner();
        inner.transaction.as_ref().is_none_or(|open| !open.implicit || !(open.failed || open.has_changed()))
    }

    /// Whether a transaction is open that somebody's BEGIN began.
    pub(crate) fn is_explicit(&self) -> bool {
        self.inner().transaction.as_ref().is_some_and(|transaction| !transaction.implicit)
    }

    /// An error (25P02) in a transaction that has failed.
    pub(crate) fn check(&self) -> Result<()> {
        match self.status() {
            TransactionStatus::Failed => {
                let message = "current transaction is aborted, commands ignored until end of transaction block";
                Err(Error::new(ErrorKind::FailedTransaction, message))
            }
            _ => Ok(()),
        }
    }

    /// A message of the client has come.
    pub(crate) fn begin_message(&self) {
        self.inner().message = Some(clock());
    }

    /// A statement begins.
    pub(crate) fn begin_statement(&self) {
        let inner = &mut *self.inner();
        inner.statement = Some(inner.message.unwrap_or_else(clock));
    }

    /// When the statement that runs began, and its transaction.
    pub(crate) fn times(&self) -> Times {
        let inner = self.inner();
        let statement = inner.statement.unwrap_or_else(clock);
        Times { statement, transaction: inner.transaction.as_ref().map_or(statement, |transaction| transaction.began) }
    }

    /// A statement has failed.
    pub(crate) fn fail(&self) {
        if let Some(transaction) = &mut self.inner().transaction {
            transaction.failed = true;
        }
    }

    /// What a statement sees.
    pub(crate) fn snapshot(&self, current: &Current) -> State {
        let inner = &mut *self.inner();
        inner.state(current)
    }

    /// What the session sees, and who it is: for queries on that alone.
    pub(crate) fn pinned(&self, current: &Current) -> Pinned {
        let state = self.snapshot(current);
        let (settings, defaults) = (self.settings(), self.defaults());
        Pinned { state, settings, defaults, access: self.access(), database: self.identity().1 }
    }

    /// Sees what another session saw, in a transaction that only reads.
    pub(crate) fn pin(&self, pinned: &Pinned) {
        *self.access.lock().unwrap_or_else(PoisonError::into_inner) = pinned.access.clone();
        self.set_database(&pinned.database);
        {
            let inner = &mut *self.inner();
            (inner.settings, inner.defaults) = (pinned.settings.clone(), pinned.defaults.clone());
            inner.temporary = Arc::clone(&pinned.state.temporary);
        }
        // What others commit afterwards is none of it.
        let isolation = Some(Isolation::RepeatableRead);
        self.begin(TransactionMode { read_only: Some(true), isolation, ..TransactionMode::default() }, false);
        if let Some(transaction) = &mut self.inner().transaction {
            transaction.states = Some((Arc::clone(&pinned.state.schemas), pinned.state.clone()));
        }
    }

    /// The shared state that the transaction's changes are to, and whether its statements see what others commit meanwhile (READ
    /// COMMITTED); none without a transaction that has begun to read.
    pub(crate) fn base(&self) -> Option<(Schemas, bool)> {
        let inner = self.inner();
        let open = inner.transaction.as_ref()?;
        Some((Arc::clone(&open.states.as_ref()?.0), open.sees_others()))
    }

    /// Whether a transaction has failed, and no savepoint is left to go back to.
    pub(crate) fn is_lost(&self) -> bool {
        let inner = self.inner();
        inner.transaction.as_ref().is_some_and(|open| open.failed && open.savepoints.is_empty())
    }

    /// Says what the statement may ask for that runs until [`Work::unpin`], where that matters: where a transaction has changed something.
    /// Of one that is not known that is everything.
    pub(crate) fn ask(&self, parsed: Option<&Parsed>) {
        let inner = &mut *self.inner();
        let parsed = parsed.filter(|_| inner.transaction.as_ref().is_some_and(Transaction::has_own));
        inner.asked = parsed.map_or(Asked::Everything, Asked::of);
    }

    /// Lets a transaction of READ COMMITTED see what has been committed since its last statement, beside what it has changed itself:
    /// in what the statement may ask for.
    ///
    /// # Errors
    /// 40001 if somebody else has changed what it has, as no two should that take the rows that they change.
    pub(crate) fn refresh(&self, current: &Current, rebase: Rebase<'_>) -> Result<()> {
        let now;
        let (base, own, asked) = {
            let inner = &mut *self.inner();
            let Some(open) = inner.transaction.as_ref().filter(|open| !open.failed) else { return Ok(()) };
            let Some((base, own)) = open.states.as_ref().filter(|_| open.sees_others()) else { return Ok(()) };
            let (base, own) = (Arc::clone(base), own.clone());
            if let Some(open) = &mut inner.transaction {
                open.pin.get_or_insert_with(|| current.pin());
            }
            now = current.snapshot();
            let is_it = |behind: &Behind| {
                Arc::ptr_eq(&behind.seen, &now) && !behind.tables.iter().any(|table| inner.asked.may_name(&table.name))
            };
            let behind = inner.transaction.as_ref().and_then(|open| open.behind.as_ref());
            if Arc::ptr_eq(&base, &now) || behind.is_some_and(is_it) {
                return Ok(());
            }
            (base, own, inner.asked.clone())
        };
        let next = match Arc::ptr_eq(&base, &own.schemas) {
            true => Refreshed { base: Arc::clone(&now), own: now, behind: None },
            false => refreshed((&base, &own.schemas, &now), &asked, rebase)?,
        };
        if let Some(open) = self.inner().transaction.as_mut() {
            open.states = Some((next.base, State { schemas: next.own, temporary: own.temporary }));
            open.behind = next.behind;
        }
        Ok(())
    }

    /// A statement has ended: rows may get other numbers, unless its transaction knows some by theirs.
    pub(crate) fn unpin(&self) {
        let inner = &mut *self.inner();
        inner.asked = Asked::Everything;
        let is_free = inner.transaction.as_ref().is_some_and(|open| !open.has_own() && open.sees_others());
        if let Some(open) = inner.transaction.as_mut().filter(|_| is_free) {
            open.pin = None;
        }
    }

    /// The right to change what the session sees.
    /// Whether it may change a thing is for the statement to see.
    ///
    /// # Errors
    /// 25006 in a transaction that only reads, 57014 if the statement is cancelled while others write.
    pub(crate) fn begin_write<'a>(&'a self, current: &'a Current, heard: &Cancellation) -> Result<Write<'a>> {
        if self.writing.is_held_here() {
            let what = "a function that changes something, called while rows of the statement are changed, is";
            return Err(Error::unsupported(what));
        }
        let writing = self.writing.take(heard)?;
        current.check_writes()?;
        if self.is_read_only() {
            let message = "cannot change tables in a read-only transaction";
            return Err(Error::new(ErrorKind::ReadOnlyTransaction, message));
        }
        let is_shared = self.status() == TransactionStatus::Idle;
        let publishing = if is_shared { Some(current.begin_write(heard)?) } else { None };
        Ok(Write { work: self, current, state: self.snapshot(current), publishing, _writing: writing })
    }

    /// BEGIN. False if a transaction is open already, which goes on.
    pub(crate) fn begin(&self, mode: TransactionMode, implicit: bool) -> bool {
        let inner = &mut *self.inner();
        // A default that changes meanwhile is the next one's.
        let mode = TransactionMode { isolation: mode.isolation.or_else(|| inner.settings.isolation()), ..mode };
        if let Some(transaction) = &mut inner.transaction {
            let was_implicit = transaction.implicit;
            transaction.implicit = was_implicit && implicit;
            if was_implicit && !implicit {
                transaction.mode = mode;
            }
            return was_implicit;
        }
        inner.transaction = Some(Transaction {
            mode,
            began: inner.message.unwrap_or_else(clock),
            states: None,
            behind: None,
            pin: None,
            failed: false,
            implicit,
            savepoints: Vec::new(),
            told: Vec::new(),
            deferrals: Deferrals::default(),
            temporary: Arc::clone(&inner.temporary),
            before: inner.settings.clone(),
            after: inner.settings.clone(),
        });
        true
    }

    /// SET TRANSACTION: the mode of a transaction that has not begun to read.
    pub(crate) fn set_mode(&self, mode: TransactionMode) -> Result<()> {
        if let Some(transaction) = &mut self.inner().transaction {
            let old = transaction.mode;
            if mode.isolation.is_some_and(|isolation| old.isolation != Some(isolation)) && transaction.states.is_some()
            {
                let message = "SET TRANSACTION ISOLATION LEVEL must be called before any query";
                return Err(Error::new(ErrorKind::ActiveTransaction, message));
            }
            transaction.mode = TransactionMode {
                read_only: mode.read_only.or(old.read_only),
                isolation: mode.isolation.or(old.isolation),
                deferrable: mode.deferrable.or(old.deferrable),
            };
        }
        Ok(())
    }

    /// The mode of the transaction that is open.
    pub(crate) fn mode(&self) -> Option<TransactionMode> {
        self.settings_and_mode().1
    }

    /// Its settings, and the mode of the transaction that is open.
    pub(crate) fn settings_and_mode(&self) -> (Settings, Option<TransactionMode>) {
        let inner = self.inner();
        (inner.settings.clone(), inner.transaction.as_ref().map(|transaction| transaction.mode))
    }

    /// Where it stands, and its settings.
    pub(crate) fn status_and_settings(&self) -> (TransactionStatus, Settings) {
        let inner = self.inner();
        (inner.status(), inner.settings.clone())
    }

    /// COMMIT, in one step: the names of tables that it has changed in the shared state. None if there was nothing to commit, or
    /// the transaction had failed and is rolled back.
    ///
    /// # Errors
    /// 40001 if another transaction has changed what this one did, 57014 if it was cancelled while others wrote, 53100 and 58030 if it
    /// could not be kept: it is rolled back.
    pub(crate) fn commit(
        &self,
        current: &Current,
        heard: &Cancellation,
        rebase: Rebase<'_>,
        published: &dyn Fn(),
    ) -> Result<Option<Committed>> {
        // The session has its transaction for as long as this waits.
        let publishes = |transaction: &Transaction| {
            let states = transaction.states.as_ref().filter(|_| !transaction.failed);
            states.is_some_and(|(base, state)| !Arc::ptr_eq(base, &state.schemas))
        };
        let is_publishing = self.inner().transaction.as_ref().is_some_and(publishes);
        let mut publishing = if is_publishing {
            Some(current.begin_write(heard).inspect_err(|_| {
                self.rollback();
            })?)
        } else {
            None
        };
        let Some(mut transaction) = self.inner().transaction.take() else { return Ok(None) };
        if transaction.failed {
            self.restore(&transaction);
            return Ok(None);
        }
        if let Some((_, state)) = &mut transaction.states {
            state.end_transaction();
        }
        let mut changed = Vec::new();
        if let Some((base, state)) = &transaction.states {
            if !Arc::ptr_eq(base, &state.schemas) {
                let publishing = match publishing.take().map_or_else(|| current.begin_write(heard), Ok) {
                    Ok(publishing) => publishing,
                    Err(error) => {
                        self.restore(&transaction);
                        return Err(error);
                    }
                };
                let now = publishing.schemas();
                let published = merged((base, &state.schemas, &now), &mut changed, rebase)
                    .and_then(|schemas| publishing.publish(schemas))
                    .and_then(|logged| {
                        published();
                        current.wait(logged, waits(&self.settings()))
                    });
                if let Err(error) = published {
                    self.restore(&transaction);
                    return Err(error);
                }
            }
            self.inner().temporary = Arc::clone(&state.temporary);
        }
        self.inner().settings = transaction.after;
        Ok(Some(Committed { tables: changed, told: transaction.told }))
    }

    /// ROLLBACK. Whether a transaction was open.
    pub(crate) fn rollback(&self) -> bool {
        let Some(transaction) = self.inner().transaction.take() else { return false };
        self.restore(&transaction);
        true
    }

    fn restore(&self, transaction: &Transaction) {
        let mut inner = self.inner();
        inner.temporary = Arc::clone(&transaction.temporary);
        inner.settings = transaction.before.clone();
    }

    /// Whether what runs now may only read.
    pub(crate) fn is_read_only(&self) -> bool {
        let inner = self.inner();
        let mode = inner.transaction.as_ref().and_then(|transaction| transaction.mode.read_only);
        mode.unwrap_or_else(|| inner.settings.is_on("default_transaction_read_only"))
    }

    /// Reads or changes what the transaction that is open checks when it commits; none if none is.
    pub(crate) fn defer<T>(&self, change: impl FnOnce(&mut Deferrals) -> T) -> Option<T> {
        self.inner().transaction.as_mut().map(|open| change(&mut open.deferrals))
    }

    /// Tells other sessions something when the transaction commits; gives it back if none is open.
    pub(crate) fn tell(&self, one: Notification) -> Option<Notification> {
        match &mut self.inner().transaction {
            Some(transaction) => {
                transaction.told.push(one);
                None
            }
            None => Some(one),
        }
    }

    /// The settings as they are.
    pub(crate) fn settings(&self) -> Settings {
        self.inner().settings.clone()
    }

    /// Changes settings; with `local` until the transaction ends. Nothing is changed if that fails.
    pub(crate) fn change_settings(&self, local: bool, change: impl Fn(&mut Settings) -> Result<()>) -> Result<()> {
        let inner = &mut *self.inner();
        let mut settings = inner.settings.clone();
        change(&mut settings)?;
        self.check_settings(&inner.settings, &settings)?;
        match &mut inner.transaction {
            // Nobody sees it.
            None if local => return Ok(()),
            Some(transaction) if !local => {
                change(&mut transaction.after)?;
                transaction.after.take_seed();
            }
            _ => {}
        }
        // A seed is no setting that a transaction takes back.
        settings.take_seed().map_or(Ok(()), |seed| self.sequence.seed(seed))?;
        inner.settings = settings;
        Ok(())
    }

    /// Sets a setting to a value that RESET goes back to.
    pub(crate) fn set_default(&self, name: &str, value: &[String]) -> Result<()> {
        let inner = &mut *self.inner();
        let mut settings = inner.settings.clone();
        settings.set(name, Some(value))?;
        self.check_settings(&inner.settings, &settings)?;
        settings.take_seed().map_or(Ok(()), |seed| self.sequence.seed(seed))?;
        inner.settings = settings;
        inner.defaults.set(name, Some(value))?;
        inner.defaults.take_seed();
        Ok(())
    }

    /// The settings that the session began with.
    pub(crate) fn defaults(&self) -> Settings {
        self.inner().defaults.clone()
    }

    /// Forgets all that is temporary.
    pub(crate) fn discard_temporary(&self) {
        let inner = &mut *self.inner();
        inner.temporary = Schema::new(BOOTSTRAP);
        if let Some((_, state)) = inner.transaction.as_mut().and_then(|open| open.states.as_mut()) {
            state.temporary = Arc::clone(&inner.temporary);
        }
    }
}

/// Whether who commits waits until it is kept (`synchronous_commit`).
fn waits(settings: &Settings) -> bool {
    settings.get("synchronous_commit").is_ok_and(|how| how != "off")
}

impl Inner {
    /// What a statement of the transaction that is open sees: its own state, which begins now if it had none.
    fn state(&mut self, current: &Current) -> State {
        let temporary = Arc::clone(&self.temporary);
        let begin = || {
            let schemas = current.snapshot();
            (Arc::clone(&schemas), State { schemas, temporary: Arc::clone(&temporary) })
        };
        match &mut self.transaction {
            None => begin().1,
            Some(open) => {
                if open.states.is_none() {
                    open.pin = Some(current.pin());
                }
                open.states.get_or_insert_with(begin).1.clone()
            }
        }
    }

    fn status(&self) -> TransactionStatus {
        match &self.transaction {
            None => TransactionStatus::Idle,
            Some(transaction) if transaction.failed => TransactionStatus::Failed,
            Some(_) => TransactionStatus::Active,
        }
    }
}

impl Transaction {
    /// Whether its statements see what others commit meanwhile.
    fn sees_others(&self) -> bool {
        matches!(self.mode.isolation, Some(Isolation::ReadCommitted | Isolation::ReadUncommitted))
    }

    /// Whether it has changed something that others will see.
    fn has_own(&self) -> bool {
        self.states.as_ref().is_some_and(|(base, own)| !Arc::ptr_eq(base, &own.schemas))
    }

    /// Whether it has changed something, or has something to tell.
    fn has_changed(&self) -> bool {
        let is_same = |(base, state): &(Schemas, State)| {
            Arc::ptr_eq(base, &state.schemas) && Arc::ptr_eq(&state.temporary, &self.temporary)
        };
        !self.states.as_ref().is_none_or(is_same) || !self.told.is_empty()
    }
}

/// What a COMMIT has changed.
#[derive(Debug)]
pub(crate) struct Committed {
    /// Tables and views that are there now and were not, or were another state of them: schema and name.
    pub(crate) tables: Vec<(String, String)>,
    /// What is to be told other sessions.
    pub(crate) told: Vec<Notification>,
}

/// A change being prepared; dropped without `commit`, it has never been.
pub(crate) struct Write<'a> {
    work: &'a Work,
    current: &'a Current,
    pub(crate) state: State,
    /// The right to change the shared state; none in a transaction.
    publishing: Option<Publishing<'a>>,
    _writing: Taken<'a>,
}

impl Write<'_> {
    /// Makes the change visible: to the session, and outside of a transaction to all others, once it is kept.
    ///
    /// # Errors
    /// 53100 and 58030 if it could not be: it has never been.
    pub(crate) fn commit(mut self) -> Result<()> {
        let Some(publishing) = self.publishing else {
            let inner = &mut *self.work.inner();
            if let Some((_, state)) = inner.transaction.as_mut().and_then(|open| open.states.as_mut()) {
                *state = self.state;
            }
            return Ok(());
        };
        self.state.end_transaction();
        let logged = publishing.publish(self.state.schemas)?;
        let settings = {
            let inner = &mut *self.work.inner();
            inner.temporary = self.state.temporary;
            inner.settings.clone()
        };
        self.current.wait(logged, waits(&settings))
    }

    /// Whether others see it now.
    pub(crate) fn is_shared(&self) -> bool {
        self.publishing.is_some()
    }
}
