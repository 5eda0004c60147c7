//! The engine as connections use it: statements of any kind prepared and run, transactions, notices, parameters.

use crate::cancel::Running;
use crate::copy::{self, CopyIn, CopyOut};
use crate::fault::{Fault, Result};
use crate::wire::Format;
use crate::wire::backend::TransactionStatus;
use multiloop::{DataType, Execution, Field, ResultStream, Sight, Value};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a statement may take by its estimate that runs where messages are carried.
pub(crate) const SHORT: Duration = Duration::from_micros(50);

/// A statement of a text that a client sent.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// All that was sent: errors count positions in it.
    script: Arc<str>,
    statement: multiloop::Statement,
}

impl Statement {
    /// How far a FETCH or MOVE goes forward; see [`multiloop::Statement::goes_forward`].
    pub(crate) fn goes_forward(&self) -> Option<(&str, u64, bool)> {
        self.statement.goes_forward()
    }

    fn fault(&self, error: &multiloop::Error) -> Box<Fault> {
        Fault::of(error, &self.script, self.statement.start())
    }
}

/// A statement, planned as far as that is possible before it runs.
#[derive(Clone)]
pub(crate) struct Prepared {
    /// Where errors point; none for one that SQL's PREPARE has made.
    statement: Option<Statement>,
    prepared: Arc<multiloop::Prepared>,
}

impl Prepared {
    /// The types of its parameters.
    pub(crate) fn parameter_types(&self) -> &[DataType] {
        self.prepared.parameter_types()
    }

    /// The columns of its rows; None if it gives none.
    pub(crate) fn fields(&self) -> Option<&[Field]> {
        self.prepared.fields()
    }

    /// Whether both are one statement.
    pub(crate) fn is(&self, other: &Prepared) -> bool {
        Arc::ptr_eq(&self.prepared, &other.prepared)
    }

    /// Its text, as logs may have it.
    pub(crate) fn shown_text(&self) -> &str {
        self.prepared.shown_text()
    }

    fn fault(&self, error: &multiloop::Error) -> Box<Fault> {
        match &self.statement {
            Some(statement) => statement.fault(error),
            None => Fault::of(error, self.prepared.text(), 0),
        }
    }
}

/// What a statement gives.
pub(crate) enum Outcome {
    /// Rows, to be sent while they come.
    Rows(Box<Rows>),
    /// Nothing but what it did: `CREATE TABLE`, `INSERT 0 3`.
    Done(String),
    /// It waits for data from the client.
    CopyIn(Box<dyn CopyIn>),
    /// Data for the client.
    CopyOut(Box<dyn CopyOut>),
}

/// The rows of a statement.
pub(crate) struct Rows {
    pub(crate) stream: ResultStream,
}

impl Rows {
    /// The tag of so many rows.
    pub(crate) fn tag(&self, rows: u64) -> String {
        match self.stream.verb() {
            "INSERT" => ["INSERT 0 ", itoa::Buffer::new().format(rows)].concat(),
            verb @ ("SELECT" | "FETCH" | "UPDATE" | "DELETE") => [verb, " ", itoa::Buffer::new().format(rows)].concat(),
            verb => verb.to_owned(),
        }
    }
}

/// A session of the engine.
pub(crate) struct Session {
    session: multiloop::Session,
    running: Arc<Running>,
    /// What clients have been told of the session's settings.
    reported: Mutex<Vec<(&'static str, String)>>,
    notices: Mutex<Vec<Fault>>,
}

impl Session {
    /// A session of this user, whose statements reach files in these folders.
    pub(crate) fn new(session: multiloop::Session, user: &str, files: Arc<[PathBuf]>, running: Arc<Running>) -> Self {
        let told = Arc::clone(&running);
        session.on_notify(Some(Arc::new(move || told.tell())));
        let asked = Arc::clone(&running);
        session.on_signal(Arc::new(move |signal| match signal {
            multiloop::Signal::Cancel => asked.cancel(),
            multiloop::Signal::Terminate => asked.terminate(),
        }));
        session.enter(user, Some(files));
        // What clients are not told of changes is what they begin with.
        session.settings_changed();
        let reported = Mutex::new(session.reported_settings());
        Session { session, running, reported, notices: Mutex::default() }
    }

    /// Sets a parameter that the client sent when it connected. One of PostgreSQL's that nothing here depends on has no effect.
    ///
    /// Errors, which end the connection: 42704 for one that nobody knows, 22023 for a value that is not to be had.
    pub(crate) fn set_at_start(&mut self, name: &str, value: &str) -> Result<()> {
        let is_postgresqls = || include_str!("postgresql_settings.txt").lines().any(|of| of.eq_ignore_ascii_case(name));
        match self.session.set_default(name, value) {
            Err(error) if error.sqlstate() == "42704" && is_postgresqls() => Ok(()),
            set => set.map_err(|error| Fault::of(&error, "", 0).into_fatal()),
        }
    }

    /// What clients are told of their session when it begins.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, String)> {
        let all = self.session.reported_settings();
        self.reported.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&all);
        all
    }

    /// Parameters of which clients are told that have changed since they were asked last.
    pub(crate) fn changed_parameters(&self) -> Vec<(&'static str, String)> {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.session.settings_changed() {
            return Vec::new();
        }
        let all = self.session.reported_settings();
        let changed = all.iter().filter(|one| !reported.contains(one)).cloned().collect();
        *reported = all;
        changed
    }

    /// How long a client may leave the session as it is, and what it is told when that is over.
    pub(crate) fn idle_limit(&self) -> Option<(Duration, Box<Fault>)> {
        let (setting, code, what) = match self.transaction_status() {
            TransactionStatus::Idle => ("idle_session_timeout", "57P05", "idle-session timeout"),
            _ => ("idle_in_transaction_session_timeout", "25P03", "idle-in-transaction timeout"),
        };
        let limit = self.session.time_limit(setting)?;
        Some((limit, Fault::fatal(code, format!("terminating connection due to {what}"))))
    }

    /// What EXPLAIN says of a statement, if it is a query.
    pub(crate) fn explain(&self, prepared: &Prepared) -> Option<String> {
        self.session.explain(&prepared.prepared).ok().flatten()
    }

    /// A statement begins, whose time begins, too.
    fn begin_time(&self) {
        let limit = self.session.time_limit("statement_timeout");
        self.running.set_deadline(limit.and_then(|limit| Instant::now().checked_add(limit)));
    }

    /// What is to be told to the client beside results.
    pub(crate) fn notices(&self) -> Vec<Fault> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What other sessions have told this one: their process, channel and payload.
    pub(crate) fn notifications(&self) -> Vec<multiloop::Notification> {
        self.session.notifications()
    }

    /// The statements of a text.
    pub(crate) fn parse(&self, text: &str) -> Result<Vec<Statement>> {
        let script: Arc<str> = Arc::from(text);
        let statements = self.session.parse(text).map_err(|error| Fault::of(&error, text, 0))?;
        let statement = |statement| Statement { script: Arc::clone(&script), statement };
        Ok(statements.into_iter().map(statement).collect())
    }

    /// Plans a statement. Parameters whose type is None, and those behind the last one, get one from where they stand.
    pub(crate) fn prepare(&self, statement: &Statement, types: &[Option<DataType>]) -> Result<Prepared> {
        self.check()?;
        let types: Vec<DataType> = types.iter().map(|known| known.unwrap_or(DataType::Null)).collect();
        let prepared = self.session.prepare_statement(&statement.statement, &types);
        let prepared = Arc::new(prepared.map_err(|error| statement.fault(&error))?);
        Ok(Prepared { statement: Some(statement.clone()), prepared })
    }

    /// How values of these types are seen.
    pub(crate) fn sight_of(&self, mut types: impl Iterator<Item = DataType>) -> Sight {
        if types.any(Sight::matters_to) { self.session.sight() } else { Sight::default() }
    }

    /// The type that was made under a number, if there is one.
    pub(crate) fn type_of_number(&self, oid: u32) -> Option<DataType> {
        self.session.type_of_number(oid)
    }

    /// Keeps a statement under a name, for SQL's EXECUTE, too; 42P05 if it is taken.
    pub(crate) fn keep(&self, name: &str, prepared: &Prepared) -> Result<()> {
        let kept = self.session.put_prepared(name, Arc::clone(&prepared.prepared));
        kept.map_err(|error| Fault::of(&error, "", 0))
    }

    /// The statement of a name as SQL knows it: one that was kept may have been deallocated, and PREPARE makes others.
    pub(crate) fn kept(&self, name: &str) -> Option<Prepared> {
        let prepared = self.session.prepared(name).ok()?;
        Some(Prepared { statement: None, prepared })
    }

    /// Forgets the statement of a name, if there is one.
    pub(crate) fn forget(&self, name: &str) {
        let _ = self.session.deallocate(Some(name));
    }

    /// Runs a statement.
    pub(crate) fn execute(&self, prepared: &Prepared, values: &[Value]) -> Result<Outcome> {
        // The engine forgets who cancels when planning is over.
        self.check()?;
        self.begin_time();
        let execution = self.session.run(&prepared.prepared, values).map_err(|error| prepared.fault(&error))?;
        self.outcome(execution)
    }

    /// Runs a statement that is known to be short; None if it is not, and then nothing has been done.
    pub(crate) fn execute_short(&self, prepared: &Prepared, values: &[Value]) -> Result<Option<Outcome>> {
        self.check()?;
        let execution = self.session.run_within(&prepared.prepared, values, SHORT);
        let execution = execution.map_err(|error| prepared.fault(&error))?;
        execution.map(|execution| self.outcome(execution)).transpose()
    }

    fn outcome(&self, execution: Execution) -> Result<Outcome> {
        Ok(match execution {
            Execution::CopyIn(rows) => Outcome::CopyIn(copy::from_client(rows)?),
            Execution::CopyOut(rows) => Outcome::CopyOut(copy::to_client(rows)?),
            Execution::Result(stream) => {
                let notices = stream.notices().iter().map(|notice| *Fault::notice(notice));
                self.notices.lock().unwrap_or_else(PoisonError::into_inner).extend(notices);
                match stream.tag() {
                    Some(tag) => Outcome::Done(tag.to_owned()),
                    None => Outcome::Rows(Box::new(Rows { stream })),
                }
            }
        })
    }

    /// The columns of a cursor, and the format of its rows.
    pub(crate) fn cursor(&self, name: &str) -> Option<(Vec<Field>, Format)> {
        let (fields, is_binary) = self.session.cursor(name)?;
        Some((fields, if is_binary { Format::Binary } else { Format::Text }))
    }

    /// The next rows of a cursor, at most so many.
    pub(crate) fn fetch(&self, name: &str, rows: u64) -> Result<Rows> {
        self.check()?;
        self.begin_time();
        let stream = self.session.fetch_next(name, rows).map_err(|error| Fault::of(&error, "", 0))?;
        Ok(Rows { stream })
    }

    /// Closes a cursor, if there is one of this name.
    pub(crate) fn close_cursor(&self, name: &str) {
        self.session.close_cursor(name);
    }

    /// Ends a COPY that has taken all its data; gives the tag.
    pub(crate) fn finish(&self, copy: Box<dyn CopyIn>) -> Result<String> {
        copy.finish(&self.session)
    }

    /// What a message asks for starts here: whoever cancels before [`Session::end`] means all of it.
    pub(crate) fn start(&self) {
        // Somebody may have cancelled the last one while its rows were sent.
        self.session.forget_cancellation();
        self.running.start(self.session.cancel_handle());
        self.begin_time();
    }

    /// What ran has ended, and is sent.
    pub(crate) fn end(&self) {
        self.running.end();
    }

    /// An error if what runs is cancelled, or its time is over.
    pub(crate) fn check(&self) -> Result<()> {
        if self.running.is_cancelled() {
            return Err(Fault::cancelled());
        }
        if self.running.is_late() { Err(Fault::timed_out()) } else { Ok(()) }
    }

    /// Where the session's transaction stands.
    pub(crate) fn transaction_status(&self) -> TransactionStatus {
        match self.session.transaction_status() {
            multiloop::TransactionStatus::Idle => TransactionStatus::Idle,
            multiloop::TransactionStatus::Active => TransactionStatus::Open,
            multiloop::TransactionStatus::Failed => TransactionStatus::Failed,
        }
    }

    /// A message of the client has come.
    pub(crate) fn begin_message(&self) {
        self.session.begin_message();
    }

    /// Begins the transaction that several statements are which the client sent together, unless one is open.
    pub(crate) fn begin_implicit(&self) {
        self.session.begin_implicit();
    }

    /// Whether to end it takes no time.
    pub(crate) fn is_end_idle(&self) -> bool {
        self.session.is_end_idle()
    }

    /// Ends it: by a commit, or because a statement failed. One that the client has begun goes on, as one that has failed if a
    /// statement did.
    pub(crate) fn end_implicit(&self, is_success: bool) -> Result<()> {
        if !is_success {
            self.session.fail();
        }
        self.session.end_implicit().map_err(|error| Fault::of(&error, "", 0))
    }
}
