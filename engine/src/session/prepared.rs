//! Prepared statements: parsed once, and queries planned once, to be run many times.

use super::copy::{CopyIn, CopyOut};
use super::{Session, Statement};
use crate::guard::guarded;
use crate::plan::{Executable, Planned, Timings, timed};
use crate::provider::while_outgrown;
use crate::running::Running;
use crate::snapshot::{Snapshot, Uses};
use crate::statement::{self, Keeper, PlannedChange, shown_fields};
use crate::stream::ResultStream;
use crate::tallies::Ran;
use crate::{Error, ErrorKind, Result, activity, explain};
use multiloop_planner::catalog::{Catalog, Literals};
use multiloop_planner::relation::Query;
use multiloop_planner::rewrite::RewriteOptions;
use multiloop_planner::sql::{self, Moves, SessionStatement, Statement as Bound, Tree};
use multiloop_planner::stack::{self, Room, with_room};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A statement that is ready to run, many times. A query is planned again only when something that it names has changed since: a
/// plan belongs to one snapshot, because statistics (and so widths and bucket kinds) are proofs about those rows only.
pub struct Prepared {
    pub(super) statement: Statement,
    types: Vec<DataType>,
    /// The names of its parameters, if they have some.
    pub(super) names: Vec<String>,
    fields: Option<Vec<Field>>,
    kind: Kind,
    /// It is bound anew each time, with its parameters' values.
    by_values: bool,
    /// The values of its literals that could have others by now.
    pub(super) literals: KnownLiterals,
    cached: Mutex<Option<Cached>>,
    /// What it was bound to, until it is planned.
    waiting: Mutex<Option<(Query, Uses)>>,
    /// The same statement, bound with other types of its parameters.
    pub(super) variants: Mutex<Vec<(Vec<DataType>, Arc<Prepared>)>>,
}

/// Values of literals that another statement may have read.
pub(super) type KnownLiterals = Arc<Literals>;

/// What has to be done to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Query,
    Copy,
    /// It changes rows.
    Change,
    Other,
}

struct Cached {
    uses: Uses,
    rules: RewriteOptions,
    planned: Arc<Planned>,
    /// What becomes of the rows, of a change.
    change: Option<Arc<PlannedChange>>,
    /// How long its last run took, if all rows were made in it.
    ran: Option<Duration>,
}

/// What running a statement gives.
pub enum Execution {
    /// Rows, or only what was done.
    Result(ResultStream),
    /// COPY … FROM STDIN: it waits for rows.
    CopyIn(CopyIn),
    /// COPY … TO STDOUT.
    CopyOut(CopyOut),
}

impl Execution {
    /// The same, which counts for a run of its statement.
    pub(super) fn tallied(self, ran: Ran) -> Self {
        match self {
            Execution::Result(result) => Execution::Result(result.tallied(ran)),
            Execution::CopyIn(copy) => Execution::CopyIn(copy.tallied(ran)),
            Execution::CopyOut(CopyOut { rows, options }) => {
                Execution::CopyOut(CopyOut { rows: rows.tallied(ran), options })
            }
        }
    }

    /// The result of a statement that needs nobody to copy with.
    pub(super) fn into_result(self) -> Result<ResultStream> {
        match self {
            Execution::Result(result) => Ok(result),
            _ => Err(Error::unsupported("COPY with STDIN or STDOUT without a client to copy with is")),
        }
    }
}

impl Session {
    /// Parses and plans a statement once, to be run many times.
    pub fn prepare(&self, sql: &str) -> Result<Prepared> {
        self.prepare_moved(&self.respelled(sql), &Moves::default())
    }

    /// As [`Session::prepare`], of a text that was made of the one that positions are to be in.
    pub(super) fn prepare_moved(&self, sql: &str, moves: &Moves) -> Result<Prepared> {
        let statement = Statement::only_moved(sql, moves).inspect_err(|_| self.work.fail())?;
        self.prepare_statement(&statement, &[]).map_err(|error| error.shifted(statement.start))
    }

    /// As [`Session::prepare`], of a statement that is parsed already. `types` are those of `$1`, `$2`, …, as far as they are
    /// known; [`DataType::Null`] is one that is to be inferred.
    pub fn prepare_statement(&self, statement: &Statement, types: &[DataType]) -> Result<Prepared> {
        let prepare = || {
            self.as_statement(|| {
                if !statement.is_about_transactions() {
                    self.work.check()?;
                }
                self.failing(|| Prepared::new(self, statement.clone(), types, Arc::default()))
            })
        };
        self.seen(statement, prepare)
    }

    /// As [`Session::prepare_statement`], without a plan: for what may turn out to need none.
    pub(super) fn bind_statement(&self, statement: &Statement) -> Result<Prepared> {
        self.as_statement(|| {
            self.work.check()?;
            self.failing(|| Prepared::bound(self, statement.clone(), &[], Arc::default()))
        })
    }

    /// What shows how a prepared statement runs: its text behind `explain`, with the literals that it has.
    pub(super) fn prepare_explained(&self, explain: &str, of: &Prepared) -> Result<Prepared> {
        let explained = Statement::only(&format!("{explain} {}", of.text()))?;
        let literals = Arc::clone(&of.literals);
        self.as_statement(|| self.failing(|| Prepared::new(self, explained, of.parameter_types(), literals)))
    }

    /// Keeps a prepared statement under a name, as PREPARE does; the empty name is anybody's who comes last. 42P05 if the name is
    /// taken, 53400 if there are as many as there may be.
    pub fn put_prepared(&self, name: &str, prepared: Arc<Prepared>) -> Result<()> {
        let mut all = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if !name.is_empty() && all.contains_key(name) {
            let message = format!("prepared statement \"{name}\" already exists");
            return Err(Error::new(ErrorKind::DuplicateStatement, message));
        }
        self.check_room(all.len(), "prepared statements")?;
        all.insert(name.to_owned(), prepared);
        Ok(())
    }

    /// The prepared statement of a name; 26000 if there is none.
    pub fn prepared(&self, name: &str) -> Result<Arc<Prepared>> {
        let all = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(name).cloned().ok_or_else(|| unknown_statement(name))
    }

    /// Forgets a prepared statement, or all of them; 26000 if there is none of this name.
    pub fn deallocate(&self, name: Option<&str>) -> Result<()> {
        let mut all = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        match name {
            None => all.clear(),
            Some(name) => drop(all.remove(name).ok_or_else(|| unknown_statement(name))?),
        }
        Ok(())
    }

    /// The type that a text names, as in a cast.
    pub(super) fn type_named(&self, name: &str) -> Result<DataType> {
        let prepared = self.prepare_statement(&Statement::only(&format!("SELECT CAST(NULL AS {name})"))?, &[])?;
        Ok(prepared.fields().map_or(DataType::Null, |fields| fields[0].data_type))
    }
}

fn unknown_statement(name: &str) -> Error {
    Error::new(ErrorKind::UnknownStatement, format!("prepared statement \"{name}\" does not exist"))
}

/// What a query that has just been bound uses, if that can be found to be still so. A file read by path may change while the catalog
/// does not, and so does the time.
fn lasting_uses(snapshot: &Snapshot<'_>) -> Option<Uses> {
    (!snapshot.reads_files() && !snapshot.is_volatile()).then(|| snapshot.uses())
}

impl Prepared {
    /// Binds and plans a statement. Its literals are those that are known, and others as they are read now.
    pub(super) fn new(
        session: &Session,
        statement: Statement,
        types: &[DataType],
        literals: KnownLiterals,
    ) -> Result<Self> {
        Prepared::made(session, statement, (types, literals), true)
    }

    /// As [`Prepared::new`], but a query has no plan until it runs.
    pub(super) fn bound(
        session: &Session,
        statement: Statement,
        types: &[DataType],
        literals: KnownLiterals,
    ) -> Result<Self> {
        Prepared::made(session, statement, (types, literals), false)
    }

    fn made(
        session: &Session,
        statement: Statement,
        (types, literals): (&[DataType], KnownLiterals),
        plans: bool,
    ) -> Result<Self> {
        let mut prepared = Prepared {
            statement,
            types: types.to_vec(),
            names: Vec::new(),
            fields: None,
            kind: Kind::Other,
            by_values: false,
            literals,
            cached: Mutex::default(),
            waiting: Mutex::default(),
            variants: Mutex::default(),
        };
        if let Tree::Session(verb) = &prepared.statement.parsed.tree {
            let fields = session.verb_fields(verb)?;
            let types = match verb {
                SessionStatement::Declare { query, .. } => session.cursor_query(query, types)?.types,
                _ => Vec::new(),
            };
            return Ok(Prepared { types, fields, ..prepared });
        }
        // Its columns are to be those of when it is run.
        session.running().refresh()?;
        session.running().with_snapshot(|snapshot| {
            let (bound, literals) = snapshot.preparing(|| prepared.bind(snapshot, false));
            let bound = bound?;
            if prepared.literals.is_empty() {
                prepared.literals = Arc::new(literals);
            }
            match bound {
                Bound::Query(query) => {
                    prepared.kind = Kind::Query;
                    prepared.types.clone_from(&query.parameters);
                    prepared.fields = Some(query.fields());
                    prepared.by_values = snapshot.asks_values();
                    let uses = lasting_uses(snapshot);
                    if plans {
                        prepared.keep(session, snapshot, (query, uses))?;
                    } else {
                        prepared.waiting = Mutex::new(uses.map(|uses| (query, uses)));
                    }
                }
                _ if snapshot.asks_values() => {
                    let what = "a function that does something to sessions, by parameters of what is no query, is";
                    return Err(Error::unsupported(what));
                }
                bound => {
                    let is_copy =
                        matches!(bound, Bound::CopyFrom { path: None, .. } | Bound::CopyTo { path: None, .. });
                    prepared.kind = match bound {
                        _ if is_copy => Kind::Copy,
                        Bound::Change(_) | Bound::Insert { .. } => Kind::Change,
                        _ => Kind::Other,
                    };
                    prepared.fields = shown_fields(&bound);
                    if let Some(query) = bound.query() {
                        prepared.types.clone_from(&query.parameters);
                    }
                }
            }
            Ok(prepared)
        })
    }

    /// The statement's text.
    pub fn text(&self) -> &str {
        self.statement.text()
    }

    /// As [`Prepared::text`], but nothing of one that has a password.
    pub fn shown_text(&self) -> &str {
        activity::shown(&self.statement.parsed)
    }

    /// The types of `$1`, `$2`, ….
    pub fn parameter_types(&self) -> &[DataType] {
        &self.types
    }

    /// Names and types of the columns that it gives; None if it gives no rows.
    pub fn fields(&self) -> Option<&[Field]> {
        self.fields.as_deref()
    }

    /// Runs it. Values must be of the parameters' types, or NULL.
    ///
    /// # Errors
    /// 22003, 22P02, 22008, 22021 and 42804 for values that are no values of the parameters' types; those of the statement.
    pub fn execute(&self, session: &Session, parameters: &[Value]) -> Result<ResultStream> {
        session.run(self, parameters)?.into_result()
    }

    /// As [`Session::run`], within a statement.
    pub(super) fn run(&self, session: &Session, parameters: &[Value]) -> Result<Execution> {
        let parameters = &*self.admitted(session, parameters)?;
        let parsed = &*self.statement.parsed;
        match (&parsed.tree, self.kind) {
            (Tree::Session(verb), _) => session.failing(|| session.verb(verb, parameters, &self.types)),
            (_, Kind::Query) => {
                session.stated_in_transaction(parsed, || self.run_query(session, parameters)).map(Execution::Result)
            }
            (_, Kind::Copy) => session.in_transaction(|| self.run_copy(session, parameters)),
            (_, kind @ (Kind::Change | Kind::Other)) => session.stated_in_transaction(parsed, || {
                let own = parameters.iter().cloned().zip(self.types.iter().copied());
                let moments = moments(session).map(|value| (value, DataType::TimestampTz));
                let moments = moments.into_iter().filter(|_| kind == Kind::Change);
                let typed: Vec<(Value, DataType)> = own.chain(moments).collect();
                let bind = |catalog: &dyn Catalog, types: &[DataType], wide: bool| {
                    catalog.mean_literals(&self.literals);
                    if wide { sql::bind_wide(parsed, catalog, types) } else { sql::bind(parsed, catalog, types) }
                };
                let keeper = Kept { prepared: self, session };
                let keeper = (kind == Kind::Change).then_some(&keeper as &dyn Keeper);
                let running = session.running();
                statement::run_kept(&running, &bind, keeper, &typed, Timings::default()).map(Execution::Result)
            }),
        }
    }

    /// The values as its parameters' types have them.
    pub(super) fn admitted<'a>(&self, session: &Session, parameters: &'a [Value]) -> Result<Cow<'a, [Value]>> {
        self.check_count(parameters.len())?;
        session.failing(|| session.admitted(parameters, &self.types))
    }

    /// An error (42P02) if it has another number of parameters.
    pub(super) fn check_count(&self, given: usize) -> Result<()> {
        if given == self.types.len() {
            return Ok(());
        }
        let message = format!("{} parameters are needed, {given} were given", self.types.len());
        Err(Error::new(ErrorKind::UnknownParameter, message))
    }

    /// None, for a statement that no other one has been read for.
    pub(super) fn no_literals() -> KnownLiterals {
        KnownLiterals::default()
    }

    fn run_query(&self, session: &Session, parameters: &[Value]) -> Result<ResultStream> {
        while_outgrown(|| self.run_query_once(session, parameters))
    }

    fn run_query_once(&self, session: &Session, parameters: &[Value]) -> Result<ResultStream> {
        let running = session.running();
        running.with_snapshot(|snapshot| {
            if self.by_values {
                snapshot.give_values(parameters);
            }
            let mut timings = Timings::default();
            let mut planned = match self.still(session, snapshot) {
                Some(planned) => planned,
                None => timed(&mut timings.plan, || {
                    stack::deep(|| self.keep(session, snapshot, self.query_to_plan(snapshot)?))
                })?,
            };
            if snapshot.calls() {
                let typed: Vec<_> = parameters.iter().cloned().zip(self.types.iter().copied()).collect();
                let bind = |catalog: &dyn Catalog, types: &[DataType], wide: bool| {
                    let bind = if wide { sql::bind_wide } else { sql::bind };
                    catalog.mean_literals(&self.literals);
                    bind(&self.statement.parsed, catalog, types)
                };
                let result = stack::deep(|| statement::run(&running, &bind, &typed, timings))?;
                self.check_fields(result.fields())?;
                return Ok(result);
            }
            running.count_hashed(&planned, &mut timings);
            let context = running.context();
            let run = |executable: &Executable| running.execute(executable, snapshot, parameters, &context);
            let run = |planned: &Planned| with_room(planned.room, || planned.run(&context, run));
            let result = match timed(&mut timings.execute, || run(&planned)) {
                Err(error) if error.kind().asks_for_wide_numerics() => stack::deep(|| {
                    let query = self.bound_query(snapshot, true)?;
                    planned = Arc::new(running.plan(query, snapshot, &context)?);
                    timed(&mut timings.execute, || run(&planned))
                }),
                result => result,
            }?;
            self.check_fields(result.fields())?;
            self.note(result.is_whole.then_some(timings.execute));
            running.change_settings(snapshot)?;
            Ok(result.with_timings(timings))
        })
    }

    /// Whoever has prepared it knows its columns: others, and other names of them, are an error (0A000). NUMERICs are one type,
    /// whatever a plan makes of them.
    pub(super) fn check_fields(&self, fields: &[Field]) -> Result<()> {
        let known = self.fields.as_deref().unwrap_or_default();
        let is_same = |(known, field): (&Field, &Field)| {
            known.name == field.name
                && (known.data_type == field.data_type || (known.data_type.is_exact() && field.data_type.is_exact()))
        };
        if known.len() == fields.len() && known.iter().zip(fields).all(is_same) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unsupported, "cached plan must not change result type"))
    }

    fn run_copy(&self, session: &Session, parameters: &[Value]) -> Result<Execution> {
        while_outgrown(|| self.run_copy_once(session, parameters))
    }

    fn run_copy_once(&self, session: &Session, parameters: &[Value]) -> Result<Execution> {
        let running = session.running();
        running.with_snapshot(|snapshot| match self.bind(snapshot, false)? {
            Bound::CopyFrom { name, columns, options, .. } => {
                let all = match snapshot.entry(&name)? {
                    Some(multiloop_planner::catalog::CatalogEntry::Table(info)) => info.declared.fields(&info.fields),
                    _ => return Err(Error::internal("COPY was bound to no table")),
                };
                let fields =
                    if columns.is_empty() { all } else { columns.iter().map(|&column| all[column].clone()).collect() };
                let sight = snapshot.sight(&fields);
                Ok(Execution::CopyIn(CopyIn::new(session, (name, columns), fields, options, sight)))
            }
            Bound::CopyTo { options, .. } if snapshot.calls() => {
                let bind = |catalog: &dyn Catalog, types: &[DataType], wide: bool| {
                    let bind = if wide { sql::bind_wide } else { sql::bind };
                    match bind(&self.statement.parsed, catalog, types)? {
                        Bound::CopyTo { query, .. } => Ok(Bound::Query(query)),
                        _ => Err(Error::internal("a COPY was bound to something else")),
                    }
                };
                let typed: Vec<_> = parameters.iter().cloned().zip(self.types.iter().copied()).collect();
                let rows = stack::deep(|| statement::run(&running, &bind, &typed, Timings::default()))?;
                Ok(Execution::CopyOut(CopyOut { rows, options }))
            }
            Bound::CopyTo { query, options, .. } => {
                let context = running.context();
                let planned = running.plan(query, snapshot, &context)?;
                let run = |executable: &Executable| running.execute(executable, snapshot, parameters, &context);
                let rows = planned.run(&context, run)?;
                Ok(Execution::CopyOut(CopyOut { rows, options }))
            }
            _ => Err(Error::internal("a COPY was bound to something else")),
        })
    }

    fn bind(&self, snapshot: &Snapshot<'_>, wide: bool) -> Result<Bound> {
        snapshot.mean_literals(&self.literals);
        let bind = if wide { sql::bind_wide } else { sql::bind };
        bind(&self.statement.parsed, snapshot, &self.types).map_err(|error| snapshot.with_file_hint(error))
    }

    fn bound_query(&self, snapshot: &Snapshot<'_>, wide: bool) -> Result<Query> {
        match self.bind(snapshot, wide)? {
            Bound::Query(query) => Ok(query),
            _ => Err(Error::internal("a query was bound to something else")),
        }
    }

    /// Has the planner see tables with room for changes, if it was planned before, and that took longer than to run it: what changes
    /// the tables would have it planned anew all the time.
    fn widen(&self, snapshot: &Snapshot<'_>) {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        snapshot.widen(cached.as_ref().is_some_and(|cached| {
            let planned = &cached.planned;
            planned.executable.time_max().is_some() || cached.ran.is_some_and(|ran| ran < planned.planning)
        }));
    }

    /// Notes how long a run of its plan took; none of rows that are made while they are read.
    fn note(&self, ran: Option<Duration>) {
        if let Some(cached) = &mut *self.cached.lock().unwrap_or_else(PoisonError::into_inner) {
            cached.ran = ran;
        }
    }

    /// The query that it was bound to, if nobody has planned that yet and it is still good for what the session sees; else bound anew.
    fn query_to_plan(&self, snapshot: &Snapshot<'_>) -> Result<(Query, Option<Uses>)> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        match waiting {
            Some((query, uses)) if snapshot.has_still(&uses) => Ok((query, Some(uses))),
            _ => {
                self.widen(snapshot);
                let query = self.bound_query(snapshot, false);
                snapshot.widen(false);
                Ok((query?, lasting_uses(snapshot)))
            }
        }
    }

    /// Runs it, as [`statement::run_short`] does, if it is a change.
    pub(super) fn run_short_change(
        &self,
        session: &Session,
        parameters: &[Value],
        time: Duration,
    ) -> Result<Option<Execution>> {
        let values: Vec<Value> = parameters.iter().cloned().chain(moments(session)).collect();
        let running = Running { waits: false, ..session.running() };
        let keeper = Kept { prepared: self, session };
        statement::run_short(&running, &keeper, &values, time).map(|result| result.map(Execution::Result))
    }

    /// The value that it gives whenever it is run, and its type, of a query that nobody has planned.
    pub(super) fn constant(&self) -> Option<(Value, DataType)> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (value, data_type) = waiting.as_ref()?.0.constant()?;
        Some((value.clone(), data_type))
    }

    /// Whether it changes rows.
    pub(super) fn is_change(&self) -> bool {
        self.kind == Kind::Change
    }

    /// Whether it begins a transaction, which costs nothing.
    pub(super) fn is_begin(&self) -> bool {
        matches!(self.statement.parsed.tree, Tree::Session(SessionStatement::Begin(_)))
    }

    /// Whether it gives the rows of a query.
    pub(super) fn is_query(&self) -> bool {
        self.kind == Kind::Query
    }

    /// The plan that it has, which may be old.
    pub(super) fn kept(&self) -> Option<Arc<Planned>> {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.as_ref().map(|cached| Arc::clone(&cached.planned))
    }

    /// What stack it takes to run it, as far as is known before; another plan is made where there is more.
    pub(super) fn room(&self) -> Room {
        match self.kind {
            // What its table is held to is bound with it.
            Kind::Change => Room::Deep,
            _ => self.room_of_plan(),
        }
    }

    /// What stack it takes to run by the plan that it has.
    pub(super) fn room_of_plan(&self) -> Room {
        if self.is_begin() {
            return Room::Shallow;
        }
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.as_ref().map_or(Room::Deep, |cached| cached.planned.room)
    }

    /// The plan that it has, if it is good for what the session sees.
    pub(super) fn still(&self, session: &Session, snapshot: &Snapshot<'_>) -> Option<Arc<Planned>> {
        self.still_with(session, snapshot, |cached| Arc::clone(&cached.planned))
    }

    fn still_with<T>(&self, session: &Session, snapshot: &Snapshot<'_>, of: impl FnOnce(&Cached) -> T) -> Option<T> {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good = |cached: &&Cached| cached.rules == session.options.rules && snapshot.has_still(&cached.uses);
        cached.as_ref().filter(is_good).map(of)
    }

    pub(super) fn plan(&self, session: &Session, snapshot: &Snapshot<'_>) -> Result<Arc<Planned>> {
        match self.still(session, snapshot) {
            Some(planned) => Ok(planned),
            None => self.keep(session, snapshot, self.query_to_plan(snapshot)?),
        }
    }

    /// Plans a query, and keeps the plan if another run may use it, as long as what it was bound to is still that.
    fn keep(
        &self,
        session: &Session,
        snapshot: &Snapshot<'_>,
        (query, uses): (Query, Option<Uses>),
    ) -> Result<Arc<Planned>> {
        let running = session.running();
        let planned = Arc::new(running.plan(query, snapshot, &running.context())?);
        if let Some(uses) = uses {
            let rules = session.options.rules.clone();
            let cached = Cached { uses, rules, planned: Arc::clone(&planned), change: None, ran: None };
            *self.cached.lock().unwrap_or_else(PoisonError::into_inner) = Some(cached);
        }
        Ok(planned)
    }
}

/// The times of transaction and statement, as a change that is kept has them as parameters.
fn moments(session: &Session) -> [Value; 2] {
    let times = session.work.times();
    [times.transaction, times.statement].map(Value::Int)
}

/// Where a prepared statement keeps its change, for a session.
struct Kept<'k> {
    prepared: &'k Prepared,
    session: &'k Session,
}

impl Keeper for Kept<'_> {
    fn change(&self, snapshot: &Snapshot<'_>) -> Option<Arc<PlannedChange>> {
        self.prepared.still_with(self.session, snapshot, |cached| cached.change.clone()).flatten()
    }

    fn prepare(&self, snapshot: &Snapshot<'_>) {
        self.prepared.widen(snapshot);
        snapshot.name_moments(u32::try_from(self.prepared.types.len()).ok());
    }

    fn forgo(&self, snapshot: &Snapshot<'_>) {
        snapshot.name_moments(None);
    }

    fn note(&self, ran: Duration) {
        self.prepared.note(Some(ran));
    }

    fn keep(&self, snapshot: &Snapshot<'_>, change: &Arc<PlannedChange>) {
        let Some(uses) = lasting_uses(snapshot) else { return };
        let (rules, planned) = (self.session.options.rules.clone(), Arc::clone(&change.planned));
        let cached = Cached { uses, rules, planned, change: Some(Arc::clone(change)), ran: None };
        *self.prepared.cached.lock().unwrap_or_else(PoisonError::into_inner) = Some(cached);
    }
}

impl Session {
    /// Runs a prepared statement. Values must be of the parameters' types, or NULL.
    pub fn run(&self, prepared: &Prepared, parameters: &[Value]) -> Result<Execution> {
        let run = || prepared.run(self, parameters);
        self.watching(&prepared.statement, || self.as_statement_within(prepared.room(), run))
    }

    /// What EXPLAIN says of a prepared query, as it would run now; none of what is no query.
    ///
    /// # Errors
    /// Those of planning it again.
    pub fn explain(&self, prepared: &Prepared) -> Result<Option<String>> {
        if prepared.kind != Kind::Query {
            return Ok(None);
        }
        let rules = &self.options.rules;
        let running = self.running();
        let text = || {
            running.with_snapshot(|snapshot| {
                let query = prepared.bound_query(snapshot, false)?;
                // What planning asks has been found out then.
                running.plan(query.clone(), snapshot, &running.context())?;
                Ok(explain::relation(query, rules))
            })
        };
        guarded(text).map(Some)
    }
}
