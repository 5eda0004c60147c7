//! Prepared queries: parsed and planned once, run many times.

use crate::plan::{Executable, Planned, Timings, timed};
use crate::session::Session;
use crate::stream::ResultStream;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::relation::Query;
use multiloop_planner::rewrite::RewriteOptions;
use multiloop_planner::sql::{self, Statement};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// A planned query. It is planned again only when a table has changed since: a plan belongs to one snapshot,
/// because statistics (and so widths and bucket kinds) are proofs about those rows only.
pub struct Prepared {
    text: String,
    types: Vec<DataType>,
    fields: Vec<Field>,
    cached: Mutex<Option<Cached>>,
}

struct Cached {
    state: Arc<crate::catalog::State>,
    rules: RewriteOptions,
    planned: Arc<Planned>,
}

impl Session {
    /// Parses and plans a query once, to be run many times.
    pub fn prepare(&self, sql: &str) -> Result<Prepared> {
        self.prepare_with(sql, &[])
    }

    /// As [`Session::prepare`], with the types of `$1`, `$2`, …, as far as they are given; [`DataType::Null`] is one
    /// that is inferred, as those behind the last one are.
    pub fn prepare_with(&self, sql: &str, types: &[DataType]) -> Result<Prepared> {
        Prepared::new(self, sql, types)
    }
}

impl Prepared {
    fn new(session: &Session, text: &str, types: &[DataType]) -> Result<Self> {
        let prepared =
            Prepared { text: text.to_owned(), types: types.to_vec(), fields: Vec::new(), cached: Mutex::default() };
        let (planned, fields) = session.as_statement(|| {
            session.engine.0.with_snapshot(&session.loading(), |snapshot| {
                let query = prepared.query(snapshot, false)?;
                let field = |(name, id): &(String, _)| {
                    let column = query.columns.get(*id);
                    Field::new(name.clone(), column.data_type, column.nullable)
                };
                let fields = query.output.iter().map(field).collect();
                Ok((prepared.plan(session, snapshot)?, fields))
            })
        })?;
        let types = planned.executable.program.parameters.clone();
        Ok(Prepared { types, fields, ..prepared })
    }

    /// Names and types of the columns of its rows.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The types of `$1`, `$2`, ….
    pub fn parameter_types(&self) -> &[DataType] {
        &self.types
    }

    /// Runs it. Values must be of the parameters' types, or NULL.
    pub fn execute(&self, session: &Session, parameters: &[Value]) -> Result<ResultStream> {
        if parameters.len() != self.types.len() {
            let message = format!("{} parameters are needed, {} were given", self.types.len(), parameters.len());
            return Err(Error::new(ErrorKind::UnknownParameter, message));
        }
        for (position, (value, data_type)) in parameters.iter().zip(&self.types).enumerate() {
            if !value.fits(*data_type) {
                let message = format!("parameter ${} must be of type {data_type}", position + 1);
                return Err(Error::new(ErrorKind::TypeMismatch, message));
            }
        }
        let run = |snapshot: &crate::catalog::Snapshot<'_>| {
            let mut timings = Timings::default();
            let mut planned = timed(&mut timings.plan, || self.plan(session, snapshot))?;
            let context = session.running().context();
            let run = |executable: &Executable| session.running().execute(executable, snapshot, parameters, &context);
            let result = match timed(&mut timings.execute, || planned.run(&context, run)) {
                Err(error) if error.kind() == ErrorKind::DecimalOverflow => {
                    planned = Arc::new(self.planned_anew(session, snapshot, true)?);
                    timed(&mut timings.execute, || planned.run(&context, run))?
                }
                result => result?,
            };
            Ok(result.with_timings(timings))
        };
        session.as_statement(|| session.engine.0.with_snapshot(&session.loading(), run))
    }

    fn planned_anew(&self, session: &Session, snapshot: &crate::catalog::Snapshot<'_>, wide: bool) -> Result<Planned> {
        Planned::new(self.query(snapshot, wide)?, &session.options.rules, &session.running().context())
    }

    fn query(&self, snapshot: &crate::catalog::Snapshot<'_>, wide: bool) -> Result<Query> {
        let statements = sql::parse(&self.text)?;
        let [parsed] = &statements[..] else {
            return Err(Error::new(ErrorKind::Syntax, "a prepared query is exactly one statement"));
        };
        let bind = if wide { sql::bind_wide } else { sql::bind };
        let Statement::Query(query) = bind(parsed, snapshot, &self.types)? else {
            return Err(Error::unsupported("preparing anything but a query is"));
        };
        Ok(query)
    }

    fn plan(&self, session: &Session, snapshot: &crate::catalog::Snapshot<'_>) -> Result<Arc<Planned>> {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = &*cached
            && Arc::ptr_eq(&cached.state, &snapshot.state)
            && cached.rules == session.options.rules
        {
            return Ok(Arc::clone(&cached.planned));
        }
        let planned = Arc::new(self.planned_anew(session, snapshot, false)?);
        // A file read by path may change while the catalog does not, and so does the time: such a plan is not kept.
        if !snapshot.reads_files() && !snapshot.reads_clock() {
            let state = Arc::clone(&snapshot.state);
            let rules = session.options.rules.clone();
            *cached = Some(Cached { state, rules, planned: Arc::clone(&planned) });
        }
        Ok(planned)
    }
}
