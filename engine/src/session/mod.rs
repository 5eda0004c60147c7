//! A session: runs statements, remembers settings, can be cancelled.

mod admitted;
mod appender;
#[cfg(feature = "async")]
mod asynchronous;
mod copy;
mod cursors;
mod functions;
mod prepared;
mod reading;
mod rows;
mod script;
mod short;
mod tables;
mod time_limit;
mod verbs;
mod watched;

pub use appender::{AppendField, AppendRow, Appender, RowWriter};
pub use copy::{CopyIn, CopyOut};
pub use prepared::{Execution, Prepared};
pub use reading::ReadSnapshot;
pub use script::Statement;

use crate::access::Access;
use crate::activity::{self, SignalCallback, Watch};
use crate::engine::Engine;
use crate::format;
use crate::grants::BOOTSTRAP;
use crate::guard::guarded_within;
use crate::notify::{Notification, NotifyCallback};
use crate::plan::{Timings, timed};
use crate::running::{Running, SessionOptions};
use crate::settings::Settings;
use crate::sight::Sight;
use crate::statement::{self, Bind};
use crate::stream::ResultStream;
use crate::tallies::Ran;
use crate::transaction::{TransactionStatus, Work};
use crate::{Error, ErrorKind, Result, settings};
use cursors::NamedCursor;
use multiloop_exec::workers::context::{Context, Progress, Reservation};
use multiloop_planner::catalog::Catalog;
use multiloop_planner::relation::Query;
use multiloop_planner::sql;
use multiloop_planner::sql::{Parsed, TransactionMode, Tree};
use multiloop_planner::stack::{self, Room};
use multiloop_planner::types::{DataType, Field, OidKind};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use script::{of_script, tree_bytes};
use std::borrow::Cow;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use time_limit::TimeLimit;
use watched::{Watched, cancelling};

/// Told how far a statement is: rows done, rows to do (a guess that may grow).
pub type ProgressCallback = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Where statements run. Sessions are independent: settings and cancellation are their own, tables are shared.
///
/// # Threads
///
/// A session is one client: a thread that works apart has better a session of its own, which costs next to nothing, or reads with a
/// [`ReadSnapshot`]. Several threads may use one session at once all the same, and nothing waits but what has to:
///
/// * Their statements run beside each other, each on what it saw when it began; nobody knows which is first.
/// * They are all in the session's one transaction and have its settings. An error of one fails the transaction for all (25P02).
/// * Of those that change something (INSERT, CREATE TABLE, ...), one waits for the other. What ends a transaction waits for nobody: a
///   statement of another thread that has not changed anything yet does so in whatever transaction is open then. Have one thread
///   begin and end transactions, while no other runs a statement.
/// * Those that fetch from one cursor wait for each other and share its rows; a cursor that is closed meanwhile gives the rest of a
///   FETCH that has begun.
/// * Who waits can be stopped: a cancel, and the end of `statement_timeout`, mean the waiting as well (57014).
/// * [`Session::cancel_handle`] cancels all of them; [`Session::cancelled_by`] those of one thread, and
///   [`ResultStream::cancel_handle`] one.
/// * Other sessions see one statement of it, the first (`pg_stat_activity`).
///
/// ```
/// use multiloop::Engine;
///
/// let session = Engine::new()?.session();
/// session.sql("CREATE TABLE t (a int); BEGIN")?;
/// std::thread::scope(|scope| {
///     for n in 0..2 {
///         let session = &session;
///         scope.spawn(move || session.sql(&format!("INSERT INTO t VALUES ({n})")).unwrap());
///     }
/// });
/// // Both are in the one transaction.
/// session.sql("ROLLBACK")?;
/// assert_eq!(session.query_scalar::<i64>("SELECT count(*) FROM t", ())?, 0);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub struct Session {
    pub(crate) engine: Engine,
    /// Settings; change them at any time, the next statement uses them.
    pub options: SessionOptions,
    id: u32,
    work: Arc<Work>,
    prepared: Mutex<FxHashMap<String, Arc<Prepared>>>,
    cursors: Mutex<FxHashMap<String, Arc<NamedCursor>>>,
    /// The settings as whoever asks for changes has seen them.
    reported: Mutex<Option<Settings>>,
    current: Arc<Mutex<Watched>>,
    watch: Arc<Watch>,
    on_progress: Option<ProgressCallback>,
}

impl Engine {
    /// A session: where statements run. Sessions are cheap and see the same tables.
    pub fn session(&self) -> Session {
        Session::new(self.clone())
    }
}

impl Session {
    fn new(engine: Engine) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let access = Access { roles: engine.0.roles.clone(), ..Access::default() };
        let (work, current) = (Arc::new(Work::new(id, access)), Arc::<Mutex<Watched>>::default());
        let watch = engine.0.activity.enter(id, work.identity().1, cancelling(&current));
        Session {
            engine,
            options: SessionOptions::default(),
            id,
            work,
            prepared: Mutex::default(),
            cursors: Mutex::default(),
            reported: Mutex::default(),
            current,
            watch,
            on_progress: None,
        }
    }

    /// Its number, which no other session of the process has.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// What the client calls the database, as `current_database()` says: there is one, under any name.
    pub fn set_database(&self, name: &str) {
        self.work.set_database(name);
        self.watch.change(|doing| doing.database = Arc::from(name));
    }

    /// Somebody enters the session from outside, under this name: it may do what the engine's roles say that they may, or all if
    /// the engine has none. Statements reach files in these folders alone; None is anywhere.
    ///
    /// Who they are is for the caller to find out before.
    pub fn enter(&self, user: &str, files: Option<Arc<[PathBuf]>>) {
        if files.is_some() {
            format::refuse_redirects();
        }
        // What cannot be set is no setting of that name.
        let _ = self.work.enter(user, files);
        self.watch.change(|doing| doing.settings = self.work.settings());
    }

    /// Says that a client is behind the session, and where it is, if it has an address.
    pub fn set_client(&self, address: Option<SocketAddr>) {
        self.watch.change(|doing| (doing.is_client, doing.client) = (true, address));
    }

    /// Calls back, from another session's thread, when that asks something of this one. Without a callback the statement that
    /// runs is cancelled, whatever is asked.
    pub fn on_signal(&self, callback: SignalCallback) {
        self.watch.on_signal(callback);
    }

    /// The time that a setting says, as `statement_timeout`; None if it is zero, which is no limit, or no such setting.
    pub fn time_limit(&self, name: &str) -> Option<Duration> {
        self.work.time_limit(name)
    }

    /// The engine that this session is of.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Runs a script: one or more statements. Gives the last one's result; an error stops it, and what the
    /// statements before the failed one did stays done.
    pub fn sql(&self, sql: &str) -> Result<ResultStream> {
        self.sql_with(sql, &[])
    }

    /// Runs a script with values for `$1`, `$2`, …, each with its type.
    pub fn sql_with(&self, sql: &str, parameters: &[(Value, DataType)]) -> Result<ResultStream> {
        let mut last = ResultStream::done("");
        self.run_script(sql, parameters, &mut |result| {
            last = result;
            Ok(())
        })?;
        Ok(last)
    }

    /// Runs a script and hands over the result of each statement before the next one runs.
    pub fn sql_each(&self, sql: &str, each: &mut dyn FnMut(ResultStream) -> Result<()>) -> Result<()> {
        self.run_script(sql, &[], each)
    }

    fn run_script(
        &self,
        sql: &str,
        parameters: &[(Value, DataType)],
        each: &mut dyn FnMut(ResultStream) -> Result<()>,
    ) -> Result<()> {
        // Trees that nest deeply are dropped where there is room for it, too.
        stack::deep(|| self.run_statements(sql, parameters, each))
    }

    fn run_statements(
        &self,
        sql: &str,
        parameters: &[(Value, DataType)],
        each: &mut dyn FnMut(ResultStream) -> Result<()>,
    ) -> Result<()> {
        let mut trees = Reservation::new(&self.running().context().memory);
        trees.add(tree_bytes(sql))?;
        let mut timings = Timings::default();
        let statements = timed(&mut timings.parse, || self.parse(sql))?;
        for statement in &statements {
            let run = || self.run_statement(statement, parameters, timings);
            let result = run().map_err(|error| error.shifted(statement.start))?;
            let taken = each(result);
            // Who cancels while the rows are taken means this statement, not the next.
            self.forget_cancellation();
            taken?;
            timings = Timings::default();
        }
        Ok(())
    }

    /// The statements of a script. An error ends a transaction that is open.
    pub fn parse(&self, sql: &str) -> Result<Vec<Statement>> {
        of_script(&self.respelled(sql)).inspect_err(|_| self.work.fail())
    }

    /// The text, in which backslashes mean what the session says: with `standard_conforming_strings` off they are escapes in plain
    /// strings, too, which become `E'…'`.
    fn respelled<'a>(&self, sql: &'a str) -> Cow<'a, str> {
        if !sql.contains('\\') || self.work.settings().is_on("standard_conforming_strings") {
            return Cow::Borrowed(sql);
        }
        sql::with_escapes(sql)
    }

    fn run_statement(
        &self,
        statement: &Statement,
        parameters: &[(Value, DataType)],
        timings: Timings,
    ) -> Result<ResultStream> {
        let run = || self.run_parsed(&statement.parsed, parameters, timings).map(Execution::Result);
        self.watching(statement, run)?.into_result()
    }

    /// Runs a statement that others see running, and that counts for its tally; what it runs itself is a part of it.
    fn watching(&self, statement: &Statement, work: impl FnOnce() -> Result<Execution>) -> Result<Execution> {
        let (done, ran) = self.seen_running(statement, work)?;
        let done = match done {
            Execution::Result(result) => Execution::Result(self.said(result)),
            copy => copy,
        };
        Ok(match ran {
            Some(ran) => done.tallied(ran),
            None => done,
        })
    }

    /// A result with the notices that the client wants.
    fn said(&self, result: ResultStream) -> ResultStream {
        if result.notices().is_empty() {
            return result;
        }
        let settings = self.work.settings();
        result.with_notices_from(settings.get("client_min_messages").unwrap_or_default())
    }

    /// Runs a statement that others see running; with what is to count for its tally, unless another runs it.
    fn seen_running<T>(&self, statement: &Statement, work: impl FnOnce() -> Result<T>) -> Result<(T, Option<Ran>)> {
        let settings = self.work.settings();
        let user = Arc::from(settings.acting().unwrap_or(BOOTSTRAP));
        if !self.watch.begin(&statement.parsed, settings) {
            return Ok((work()?, None));
        }
        let started = Instant::now();
        let result = work();
        let running = started.elapsed();
        self.end_watch();
        // What fails does not count.
        let done = result?;
        let ran = Ran {
            tallies: Arc::clone(&self.engine.0.activity.tallies),
            user,
            parsed: Arc::clone(&statement.parsed),
            shown: activity::shown,
            planning: Duration::ZERO,
            running,
            rows: 0,
            failed: false,
        };
        Ok((done, Some(ran)))
    }

    /// Does something for a statement that others see at work, as planning it, which counts for no run of it.
    fn seen<T>(&self, statement: &Statement, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.watch.begin(&statement.parsed, self.work.settings()) {
            return work();
        }
        let done = work();
        self.end_watch();
        done
    }

    /// Others see that nothing runs.
    fn end_watch(&self) {
        let (status, settings) = self.work.status_and_settings();
        self.watch.end(status, settings);
    }

    fn run_parsed(&self, parsed: &Parsed, parameters: &[(Value, DataType)], timings: Timings) -> Result<ResultStream> {
        let parameters = &*self.failing(|| self.admitted_with_types(parameters))?;
        if let Tree::Session(verb) = &parsed.tree {
            let (values, types): (Vec<Value>, Vec<DataType>) = parameters.iter().cloned().unzip();
            return self.as_statement(|| self.failing(|| self.verb(verb, &values, &types)))?.into_result();
        }
        let bind = |catalog: &dyn Catalog, types: &[DataType], wide: bool| {
            if wide { sql::bind_wide(parsed, catalog, types) } else { sql::bind(parsed, catalog, types) }
        };
        let run = || statement::run(&self.running(), &bind, parameters, timings);
        self.as_statement(|| self.stated_in_transaction(parsed, run))
    }

    /// Runs what may not run in a transaction that has failed; an error makes it one.
    fn in_transaction<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.asking_in_transaction(None, work)
    }

    /// The same, of a statement that is known before it runs.
    fn stated_in_transaction<T>(&self, parsed: &Parsed, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.asking_in_transaction(Some(parsed), work)
    }

    fn asking_in_transaction<T>(&self, parsed: Option<&Parsed>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.work.check()?;
        self.work.ask(parsed);
        let done = self.failing(|| {
            self.running().refresh()?;
            work()
        });
        self.work.unpin();
        done
    }

    /// An error makes the transaction that is open one that has failed.
    fn failing<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        work().inspect_err(|_| {
            self.work.fail();
            if self.work.is_lost() {
                self.engine.0.row_locks.release(self.id);
            }
        })
    }

    /// Where the session stands: in a transaction or not.
    pub fn transaction_status(&self) -> TransactionStatus {
        self.work.status()
    }

    /// Says that a message of the client has come: what it brings begins at this time, to `now()` and `statement_timestamp()`.
    pub fn begin_message(&self) {
        self.work.begin_message();
    }

    /// Begins a transaction, unless one is open, that nobody's BEGIN has begun: for statements that belong together because one
    /// message brought them. BEGIN makes it an ordinary one.
    pub fn begin_implicit(&self) {
        self.work.begin(TransactionMode::default(), true);
    }

    /// Ends the transaction of [`Session::begin_implicit`], unless it has become an ordinary one or is over: commits it, or undoes
    /// all of it if a statement of it failed.
    ///
    /// # Errors
    /// 40001 if another transaction has changed what it did.
    pub fn end_implicit(&self) -> Result<()> {
        if self.work.is_explicit() {
            return Ok(());
        }
        let ended = match self.work.status() {
            TransactionStatus::Idle => return Ok(()),
            TransactionStatus::Failed => {
                self.abandon_transaction();
                Ok(())
            }
            TransactionStatus::Active => self.end_transaction().map(|_| ()),
        };
        self.end_watch();
        ended
    }

    /// A statement has failed outside of the engine, where its result was sent, say: the transaction that is open has failed.
    pub fn fail(&self) {
        self.work.fail();
        self.watch.change(|doing| doing.status = self.work.status());
    }

    /// What the last query that ran was warned of, in plain words: large tables that are read whole by each of several rows, which no
    /// rule could restructure. A result has them among its [notices](ResultStream::notices), too; EXPLAIN shows them without a run.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// session.sql("CREATE TABLE many AS SELECT n::double precision AS x FROM generate_series(1, 100000) r (n)")?;
    /// let near = "SELECT (SELECT count(*) FROM many WHERE abs(x - y) < 2) FROM (VALUES (5.0), (7.0)) few (y)";
    /// session.sql(near)?.collect_batches()?;
    /// assert!(session.warnings()[0].contains("is compared with every row of many"));
    /// session.sql("SELECT count(*) FROM many WHERE abs(x - 5) < 2")?.collect_batches()?;
    /// assert!(session.warnings().is_empty());
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn warnings(&self) -> Arc<[String]> {
        self.work.warnings()
    }

    /// The value of a setting, as SHOW gives it; 42704 if there is no such setting.
    pub fn setting(&self, name: &str) -> Result<String> {
        self.shown(name)
    }

    /// Sets a setting, as SET does with one string.
    ///
    /// # Errors
    /// 42704 if there is no such setting, 55P02 if it cannot be set, 22023 if it does not take the value.
    pub fn set(&self, name: &str, value: &str) -> Result<()> {
        let value = [value.to_owned()];
        self.work.change_settings(false, |settings| settings.set(name, Some(&value)))
    }

    /// How the session sees values now: its time zone, and names of objects.
    pub fn sight(&self) -> Sight {
        self.engine.0.sight(&self.work)
    }

    /// The type that was made under a number, or arrays of one: what [`Sight::number_of_type`] tells of it.
    pub fn type_of_number(&self, number: u32) -> Option<DataType> {
        self.engine.0.type_of_number(&self.work, number)
    }

    /// What a number of this kind is shown as: see [`Sight::name_of`].
    pub fn name_of(&self, kind: OidKind, oid: u32) -> String {
        self.sight().name_of(kind, oid)
    }

    /// Sets a setting as [`Session::set`] does, to a value that RESET and DISCARD ALL go back to: what a client brings along.
    ///
    /// # Errors
    /// As those of [`Session::set`].
    pub fn set_default(&self, name: &str, value: &str) -> Result<()> {
        self.work.set_default(name, &[value.to_owned()])?;
        self.watch.change(|doing| doing.settings = self.work.settings());
        Ok(())
    }

    /// The settings of which clients are told, with their values.
    pub fn reported_settings(&self) -> Vec<(&'static str, String)> {
        let known = settings::KNOWN.iter().filter(|known| known.is_reported);
        let mut all: Vec<_> = known.map(|known| (known.name, self.shown(known.name).unwrap_or_default())).collect();
        all.push(("is_superuser", self.shown("is_superuser").unwrap_or_default()));
        all
    }

    /// Whether a setting may have changed since this was asked last, or the session is new.
    pub fn settings_changed(&self) -> bool {
        let settings = self.work.settings();
        let mut known = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        known.replace(settings.clone()).is_none_or(|known| known != settings)
    }

    /// What other sessions have told this one on channels that it listens on, since it asked last.
    pub fn notifications(&self) -> Vec<Notification> {
        self.engine.0.channels.take(self.id)
    }

    /// Calls back, from another session's thread, when this session is told something.
    pub fn on_notify(&self, callback: Option<NotifyCallback>) {
        self.engine.0.channels.on_notify(self.id, callback);
    }

    /// Runs a statement that has no text: `bind` makes it.
    pub(crate) fn run_built(&self, parameters: &[(Value, DataType)], bind: &Bind<'_>) -> Result<ResultStream> {
        let parameters = &*self.failing(|| self.admitted_with_types(parameters))?;
        let run = || statement::run(&self.running(), bind, parameters, Timings::default());
        stack::deep(|| self.as_statement(|| self.in_transaction(run)))
    }

    /// Names and types of the columns of a query that has no text: `bind` makes it. Nothing is planned, and no rows are read.
    pub(crate) fn fields_built(&self, bind: impl Fn(&dyn Catalog) -> Result<Query>) -> Result<Vec<Field>> {
        let bound = || {
            self.running().with_snapshot(|snapshot| match bind(snapshot) {
                Ok(query) => Ok(query.fields()),
                Err(error) => Err(snapshot.with_file_hint(error)),
            })
        };
        stack::deep(|| self.as_statement(|| self.in_transaction(bound)))
    }

    /// Calls back a few times a second while a statement runs, from another thread.
    pub fn on_progress(&mut self, callback: Option<ProgressCallback>) {
        self.on_progress = callback;
    }

    /// What statements have from this session.
    pub(crate) fn running(&self) -> Running<'_> {
        let (cancellation, progress) = {
            let current = self.watched();
            (current.heard(std::thread::current().id()), Arc::clone(&current.progress))
        };
        let (engine, work, options) = (&self.engine, &self.work, &self.options);
        Running { engine, work, options, cancellation, progress, waits: true, is_alone: false, called: None }
    }

    /// What a load shares.
    pub(crate) fn loading(&self) -> Context {
        self.running().loading()
    }

    /// Runs a whole statement: the cancel handle reaches it, and its progress is reported.
    pub(crate) fn as_statement<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.as_statement_within(Room::Deep, work)
    }

    /// As [`Session::as_statement`], where there is so much stack.
    fn as_statement_within<T>(&self, room: Room, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.as_whole_within(room, || {
            let progress = Arc::<Progress>::default();
            self.watched().progress = Arc::clone(&progress);
            let _entered = self.running().context().enter();
            match &self.on_progress {
                None => work(),
                Some(callback) => with_progress(&progress, callback, work),
            }
        })
    }

    /// Runs what is one statement to whoever cancels it, and for the time that it may take, though it is done in several steps, each
    /// a statement within it.
    fn as_whole<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.as_whole_within(Room::Deep, work)
    }

    /// As [`Session::as_whole`], where there is so much stack.
    fn as_whole_within<T>(&self, room: Room, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let thread = std::thread::current().id();
        let _busy = self.engine.0.catalog.maintenance().busy();
        let (cancellation, is_outermost) = {
            let mut current = self.watched();
            let statement = current.begin(thread);
            if statement.depth == 1 {
                self.work.begin_statement();
            }
            (statement.cancellation.clone(), statement.depth == 1)
        };
        let time = if is_outermost { self.work.statement_time() } else { None };
        let limit = time.map(|limit| TimeLimit::start(limit, cancellation));
        let result = guarded_within(room, work);
        let result = match limit {
            Some(limit) => limit.named(result),
            None => result,
        };
        self.watched().end(thread);
        self.forget_cancellation();
        result
    }

    /// An error (53400) if the session has as many of something as it may have.
    fn check_room(&self, count: usize, what: &str) -> Result<()> {
        let names_max = self.options.names_max;
        if count < names_max {
            return Ok(());
        }
        Err(Error::new(ErrorKind::TooMany, format!("a session may have {names_max} {what}"))
            .with_hint("Close those that are not needed any more."))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.engine.0.row_locks.leave(self.id);
        self.engine.0.channels.remove(self.id);
        self.engine.0.activity.leave(self.id);
    }
}

fn with_progress<T>(progress: &Arc<Progress>, callback: &ProgressCallback, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            // The sender is dropped when the work is done, or unwinds.
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                callback(progress.done.load(Ordering::Relaxed), progress.total.load(Ordering::Relaxed));
            }
        });
        let result = work();
        drop(stop);
        result
    })
}
