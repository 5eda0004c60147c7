//! What a running statement has from its session: settings, limits, and what it shares with whoever watches it.

use crate::catalog::{Qualified, State};
use crate::counters::StatementCounters;
use crate::engine::Engine;
use crate::notify::Notification;
use crate::plan::{Drawing, Executable, Hardware, Planned, Timings};
use crate::snapshot::Snapshot;
use crate::stream::{Notice, ResultStream};
use crate::transaction::{Moved, TransactionStatus, Work, Write};
use crate::{Error, ErrorKind, Result};
use multiloop_exec::DeviceUse;
use multiloop_exec::column::Table;
use multiloop_exec::column::arrow::{has_lists, schema_of_rows, to_record_batch_as};
use multiloop_exec::plan::Machine;
use multiloop_exec::workers::context::{Cancellation, Context, Progress};
use multiloop_exec::workers::pool::Pool;
use multiloop_planner::counters::Counters;
use multiloop_planner::relation::Query;
use multiloop_planner::rewrite::RewriteOptions;
use multiloop_planner::value::Value;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What runs programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Tiles on all workers.
    #[default]
    Cpu,
    /// The reference interpreter: row by row, slow, and right by definition. For checking the other.
    Interpreter,
}

/// Settings of a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// What runs programs.
    pub backend: Backend,
    /// Which rewrite rules to leave out.
    pub rules: RewriteOptions,
    /// Bytes that one statement may hold, within the engine's limit.
    pub memory_limit: usize,
    /// Prepared statements, and cursors, that the session may have; one more is an error (53400).
    pub names_max: usize,
}

impl Default for SessionOptions {
    fn default() -> Self {
        let (memory_limit, names_max) = (usize::MAX, usize::MAX);
        SessionOptions { backend: Backend::default(), rules: RewriteOptions::default(), memory_limit, names_max }
    }
}

/// A program that takes no longer than this, by its estimate, runs on the thread that asks for it.
const ALONE_MAX: Duration = Duration::from_micros(200);

/// A pool of one thread, which has no thread of its own.
fn alone() -> Result<&'static Arc<Pool>> {
    static ALONE: OnceLock<Arc<Pool>> = OnceLock::new();
    match ALONE.get() {
        Some(pool) => Ok(pool),
        None => {
            let made = Arc::new(Pool::new(1)?);
            Ok(ALONE.get_or_init(|| made))
        }
    }
}

/// What statements have from their session.
pub(crate) struct Running<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) work: &'a Arc<Work>,
    pub(crate) options: &'a SessionOptions,
    pub(crate) cancellation: Cancellation,
    pub(crate) progress: Arc<Progress>,
    /// Whether it may wait for others.
    pub(crate) waits: bool,
    /// Whether all of it runs on this thread.
    pub(crate) is_alone: bool,
    /// The call of a function that it is run for.
    pub(crate) called: Option<&'a Called>,
}

/// The call of a function whose statements are run.
#[derive(Debug)]
pub(crate) struct Called {
    /// How many calls it is within.
    pub(crate) depth: usize,
    /// What its statements see: what the statement does that calls; none if each sees what there is then.
    pub(crate) state: Option<State>,
    /// Who acts in it, if it is not who acts outside.
    pub(crate) owner: Option<Arc<str>>,
}

impl Running<'_> {
    /// What plans are made for.
    pub(crate) fn hardware(&self) -> Hardware<'_> {
        let shared = &self.engine.0;
        let device = match self.work.settings().device() {
            DeviceUse::Auto => shared.device,
            asked => asked,
        };
        Hardware { machine: Machine::host(shared.pool.threads()), cards: &shared.cards, device }
    }

    /// What the loops of a statement share.
    pub(crate) fn context(&self) -> Context {
        let own = &self.engine.0.pool;
        let pool = if self.is_alone { alone().unwrap_or(own) } else { own };
        Context {
            cancellation: self.cancellation.clone(),
            progress: Arc::clone(&self.progress),
            memory: self.engine.0.memory.child(self.options.memory_limit),
            pool: Some(Arc::clone(pool)),
            sequence: None,
            counters: None,
        }
    }

    /// What a program that draws random numbers, or values of sequences, runs with where their order shows: one thread, and the
    /// session's numbers.
    fn drawing(
        &self,
        executable: &Executable,
        snapshot: &Snapshot<'_>,
        context: &Context,
    ) -> Result<Option<(Context, Arc<Pool>)>> {
        let sequence = self.work.sequence();
        let draws = executable.seeds.is_some_and(|seeds| seeds || sequence.is_seeded());
        if !draws && executable.drawing == Drawing::None {
            return Ok(None);
        }
        let pool = alone()?;
        let counters = (executable.drawing != Drawing::None).then(|| {
            let (state, base) = (snapshot.state.clone(), self.work.base().map(|(base, _)| base));
            let (facts, drawn) = (snapshot.facts.clone(), Arc::clone(self.work.drawn()));
            let now = self.engine.0.catalog.snapshot();
            Arc::new(StatementCounters { state, base, now, facts, drawn }) as Arc<dyn Counters>
        });
        let context = Context { sequence: draws.then(|| Arc::clone(sequence)), counters, ..context.clone() };
        Ok(Some((context.with_pool(pool), Arc::clone(pool))))
    }

    /// The same, on this thread alone.
    pub(crate) fn alone(&self) -> Running<'_> {
        let (cancellation, progress) = (self.cancellation.clone(), Arc::clone(&self.progress));
        Running { cancellation, progress, is_alone: true, ..*self }
    }

    /// Whether a program is so short that to wake workers takes longer; known once it has a physical plan.
    pub(crate) fn is_for_one(executable: &Executable) -> bool {
        executable.time_max().is_some_and(|time| time <= ALONE_MAX)
    }

    /// What a load shares: tables outlive the statement that makes them, so they count against the engine's memory.
    pub(crate) fn loading(&self) -> Context {
        Context { memory: Arc::clone(&self.engine.0.memory), ..self.context() }
    }

    /// Runs `use_snapshot` on what the session sees now.
    pub(crate) fn with_snapshot<T>(&self, use_snapshot: impl FnOnce(&Snapshot<'_>) -> T) -> T {
        let engine = &self.engine.0;
        let Some(Called { state, owner, .. }) = self.called else {
            return engine.with_snapshot(self.work, &self.loading(), use_snapshot);
        };
        let state = state.clone().unwrap_or_else(|| self.work.snapshot(&engine.catalog));
        engine.with_state_as(state, (self.work, owner.as_deref()), &self.loading(), use_snapshot)
    }

    /// The same on a state that nobody else sees yet.
    pub(crate) fn with_state<T>(&self, state: State, use_snapshot: impl FnOnce(&Snapshot<'_>) -> T) -> T {
        self.engine.0.with_state(state, (self.work, &self.loading()), use_snapshot)
    }

    /// Does a transaction's changes once more, of tables that others have changed since.
    pub(crate) fn rebase(&self, moved: &mut Moved<'_>) -> Result<()> {
        let state = moved.state.clone();
        self.with_state(state, |snapshot| {
            snapshot.trust();
            Runner { session: self, snapshot, parameters: &[] }.rebase(moved)
        })
    }

    /// Checks the references that the transaction has put off to its end.
    pub(crate) fn check_postponed(&self) -> Result<()> {
        if self.work.status() != TransactionStatus::Active {
            return Ok(());
        }
        let postponed = self.work.defer(|deferrals| deferrals.take(None)).unwrap_or_default();
        if postponed.is_empty() {
            return Ok(());
        }
        self.with_snapshot(|snapshot| {
            snapshot.trust();
            Runner { session: self, snapshot, parameters: &[] }.check_postponed(&postponed)
        })
    }

    /// Commits what is open; whether something was committed.
    pub(crate) fn end_transaction(&self) -> Result<bool> {
        let engine = &self.engine.0;
        if let Err(error) = self.check_postponed() {
            self.abandon_transaction();
            return Err(error);
        }
        let (session, _) = self.work.identity();
        // Who waits for its rows goes on from what all see now: what he writes stands behind it in the log.
        let published = || engine.row_locks.release(session);
        let rebase = |moved: &mut Moved<'_>| self.rebase(moved);
        let committed = self.work.commit(&engine.catalog, &self.cancellation, &rebase, &published);
        engine.row_locks.release(session);
        let Some(committed) = committed? else { return Ok(false) };
        engine.channels.send(committed.told);
        for (schema, name) in committed.tables {
            engine.share_domains(&Qualified { schema, name }, &self.loading());
        }
        Ok(true)
    }

    /// Rolls back what is open.
    pub(crate) fn abandon_transaction(&self) {
        self.work.rollback();
        self.engine.0.row_locks.release(self.work.identity().0);
    }

    /// Lets a statement of READ COMMITTED see what has been committed since the one before it.
    pub(crate) fn refresh(&self) -> Result<()> {
        self.work.refresh(&self.engine.0.catalog, &|moved| self.rebase(moved))
    }

    /// Does what a statement does beside giving rows: changes settings, tells other sessions something, sleeps.
    pub(crate) fn change_settings(&self, snapshot: &Snapshot<'_>) -> Result<()> {
        for change in &snapshot.effects().changes {
            let value = change.value.as_ref().map(std::slice::from_ref);
            self.work.change_settings(change.local, |settings| settings.set(&change.name, value))?;
        }
        for (channel, payload) in &snapshot.effects().told {
            self.notify(snapshot.facts.session, channel, payload);
        }
        let limit = self.work.time_limit("lock_timeout");
        let (session, locks) = (snapshot.facts.session, &self.engine.0.row_locks);
        for &asked in &snapshot.effects().asked {
            locks.ask(session, asked, (&self.cancellation, limit))?;
        }
        // Alone it was a transaction.
        if self.work.status() == TransactionStatus::Idle && !snapshot.effects().asked.is_empty() {
            locks.end_transaction_of(session);
        }
        snapshot.send_signals();
        snapshot.sleep()
    }

    /// Tells who listens something from a session: at the end of the transaction, if one is open.
    pub(crate) fn notify(&self, session: u32, channel: &str, payload: &str) {
        let one = Notification { session, channel: channel.to_owned(), payload: payload.to_owned() };
        self.engine.0.channels.send(self.work.tell(one).into_iter().collect());
    }

    /// The right to change what the session sees.
    pub(crate) fn begin_write(&self) -> Result<Write<'_>> {
        self.engine.0.begin_write(self.work, &self.cancellation)
    }

    /// Plans a query over the tables of a snapshot.
    pub(crate) fn plan(&self, query: Query, snapshot: &Snapshot<'_>, context: &Context) -> Result<Planned> {
        Planned::new(query, &self.options.rules, (&|handle| snapshot.table(handle), self.hardware()), context)
    }

    /// A client runs what has been planned: counts the columns that it hashes. What that leads to is time spent on planning.
    pub(crate) fn count_hashed(&self, planned: &Planned, timings: &mut Timings) {
        let start = Instant::now();
        if self.engine.0.count_hashed(&planned.far_keys, self.work.statement_time(), &self.loading()) {
            timings.plan += start.elapsed();
        }
    }

    /// Runs a program over the tables of a snapshot.
    pub(crate) fn execute(
        &self,
        executable: &Executable,
        snapshot: &Snapshot<'_>,
        parameters: &[Value],
        context: &Context,
    ) -> Result<ResultStream> {
        let provided = snapshot.provided(&executable.program, parameters, (context, &self.engine.0.cache))?;
        let found = match self.options.backend {
            // An index outlives the statement.
            Backend::Cpu => snapshot.rows_of_keys(&executable.lookups, parameters, &self.loading())?,
            Backend::Interpreter => Vec::new(),
        };
        let is_found = !found.is_empty();
        let row = |handle| found.iter().find(|(of, _)| *of == handle).map(|(_, row)| Arc::clone(row));
        let table = |handle| row(handle).or_else(|| provided.table(handle)).or_else(|| snapshot.table(handle));
        let find = |handle| table(handle).expect("a plan scans tables of its own snapshot");
        let drawing = self.drawing(executable, snapshot, context)?;
        let is_of_one_row = is_found && executable.program.tables().count() == 1;
        let is_alone = drawing.is_none() && (is_of_one_row || Self::is_for_one(executable));
        let alone = if is_alone { Some((context.clone().with_pool(alone()?), Arc::clone(alone()?))) } else { None };
        let (context, pool) = match drawing.as_ref().or(alone.as_ref()) {
            Some((context, pool)) => (context, pool),
            None => (context, &self.engine.0.pool),
        };
        // The session's numbers are drawn before it has more statements.
        let _entered = drawing.is_some().then(|| context.enter());
        // Row by row goes the interpreter.
        let backend = if executable.drawing == Drawing::ByRows { Backend::Interpreter } else { self.options.backend };
        let rows = match backend {
            Backend::Cpu => {
                // A plan for a card takes longer to make.
                let began = Instant::now();
                let chosen = executable.choose(self.hardware(), &table)?;
                let (plan, devices) = (chosen.plan, chosen.devices);
                // The form of arrays in a result depends on all of them, and few rows need not come one after the other.
                let has_arrays = executable.types.iter().any(|data_type| has_lists(*data_type));
                let output = match drawing.is_some() || has_arrays || is_alone || executable.time_max().is_some() {
                    true => multiloop_exec::run::run_plan(plan, &find, parameters, context, (pool, devices))?,
                    false => multiloop_exec::run::stream_plan(plan, &find, parameters, context, (pool, devices))?,
                };
                // What a client reads is its own time; rows that are made while it does are part of the run.
                let is_all = output.is_whole() && drawing.is_none();
                chosen.learn(is_all.then(|| began.elapsed()));
                let output = output.shown_as(&executable.types);
                let fields = output.fields().to_vec();
                let sight = snapshot.sight(&fields);
                let is_whole = output.is_whole();
                ResultStream::rows(fields, output.schema(), output).with_sight(sight).whole(is_whole)
            }
            Backend::Interpreter => {
                let mut rows = multiloop_exec::interpret::run(&executable.program, &find, parameters, context)?;
                multiloop_exec::run::show_as(&mut rows.fields, &executable.types);
                let table = Table::from_values(rows.fields, &rows.rows);
                let fields = table.fields.clone();
                let schema = schema_of_rows(&fields, &table.chunks, 0..fields.len());
                let batch = |chunk| to_record_batch_as(&fields, &schema, chunk);
                let batches: Vec<_> = table.chunks.iter().map(|chunk| batch(chunk)).collect();
                let sight = snapshot.sight(&fields);
                ResultStream::rows(fields, schema, batches.into_iter()).with_sight(sight).whole(true)
            }
        };
        let warnings = executable.warnings();
        let rows = warnings.iter().map(Notice::told).fold(rows, ResultStream::with_notice);
        self.work.warn(warnings);
        Ok(rows.cancelled_by(context.cancellation.clone()))
    }
}

/// A statement being run: what it has from its session, what it sees, and its parameters.
pub(crate) struct Runner<'a> {
    pub(crate) session: &'a Running<'a>,
    pub(crate) snapshot: &'a Snapshot<'a>,
    pub(crate) parameters: &'a [Value],
}

impl Runner<'_> {
    /// The parameters given are as many as the query has.
    pub(crate) fn check_parameters(&self, query: &Query) -> Result<()> {
        if self.parameters.len() < query.parameters.len() {
            let missing = self.parameters.len() + 1;
            return Err(Error::new(ErrorKind::UnknownParameter, format!("there is no parameter ${missing}")));
        }
        Ok(())
    }
}
