//! Runs a statement: binds it to what its session sees, and does what its kind does, anew where others were quicker.

use super::called::{StatementCaller, in_own_transaction};
use super::kept::{Keeper, PlannedChange, query_of};
use super::{described, fields_of};
use crate::calls;
use crate::plan::{Timings, timed};
use crate::running::{Runner, Running};
use crate::snapshot::Snapshot;
use crate::stream::ResultStream;
use crate::transaction::{TransactionStatus, Write};
use crate::{Error, ErrorKind, Result, explain, provider, summary};
use multiloop_planner::catalog::Catalog;
use multiloop_planner::relation::Query;
use multiloop_planner::sql::Statement;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::time::Instant;

/// Makes a statement over what is in a catalog, for parameters of these types; with numerics of any number of digits where the
/// flag says so.
pub(crate) type Bind<'b> = dyn Fn(&dyn Catalog, &[DataType], bool) -> Result<Statement> + 'b;

/// Binds and runs one statement. Where decimals have overflowed, which nothing has seen of yet, it is bound and run once
/// more with numerics of any number of digits.
pub(crate) fn run(
    session: &Running<'_>,
    bind: &Bind<'_>,
    parameters: &[(Value, DataType)],
    timings: Timings,
) -> Result<ResultStream> {
    run_kept(session, bind, None, parameters, timings)
}

/// The same of a prepared statement, which may have been planned.
pub(crate) fn run_kept(
    session: &Running<'_>,
    bind: &Bind<'_>,
    keeper: Option<&dyn Keeper>,
    parameters: &[(Value, DataType)],
    timings: Timings,
) -> Result<ResultStream> {
    let run = |session: &Running<'_>, wide: bool| {
        let keeper = keeper.filter(|_| !wide);
        provider::while_outgrown(|| run_changing(session, (bind, keeper), parameters, timings, wide))
    };
    let run = |session: &Running<'_>| match run(session, false) {
        Err(error) if error.kind().asks_for_wide_numerics() => run(session, true),
        result => result,
    };
    match run(session) {
        Err(error) if error.kind() == ErrorKind::NeedsTransaction => in_own_transaction(session, run),
        result => result,
    }
}

/// What makes a statement, and what keeps it.
type Origin<'o> = (&'o Bind<'o>, Option<&'o dyn Keeper>);

/// How often a statement that changes a table is run without the right to write: it begins anew where another changes the table
/// meanwhile, at last while nobody else may.
const OVERTAKEN_MAX: usize = 3;

/// Runs a statement until nobody has changed what it changes while it was looking.
fn run_changing(
    session: &Running<'_>,
    origin: Origin<'_>,
    parameters: &[(Value, DataType)],
    timings: Timings,
    wide: bool,
) -> Result<ResultStream> {
    let run = || {
        for attempt in 0.. {
            // In a transaction its own state is nobody else's.
            let write = (attempt >= OVERTAKEN_MAX && session.work.base().is_none()).then(|| session.begin_write());
            if let Some(result) = run_once(session, origin, parameters, (timings, wide), write.transpose()?)? {
                return Ok(result);
            }
            session.cancellation.check()?;
            session.refresh()?;
        }
        Err(Error::internal("a statement was never done"))
    };
    let result = run();
    // Alone it was a transaction.
    if session.work.status() == TransactionStatus::Idle {
        session.engine.0.row_locks.release(session.work.identity().0);
    }
    result
}

/// None if somebody has changed the table that the statement changes; not with the right to write.
fn run_once(
    session: &Running<'_>,
    (bind, keeper): Origin<'_>,
    parameters: &[(Value, DataType)],
    (mut timings, wide): (Timings, bool),
    write: Option<Write<'_>>,
) -> Result<Option<ResultStream>> {
    let types: Vec<DataType> = parameters.iter().map(|(_, data_type)| *data_type).collect();
    let values: Vec<Value> = parameters.iter().map(|(value, _)| value.clone()).collect();
    session.with_snapshot(|snapshot| {
        let runner = Runner { session, snapshot, parameters: &values };
        if let Some((keeper, change)) = keeper.and_then(|keeper| Some((keeper, keeper.change(snapshot)?))) {
            return runner.run_noted(&change, Some(keeper), write, timings);
        }
        let bound = || bound((bind, keeper), snapshot, &types, wide);
        let mut statement = timed(&mut timings.plan, bound).map_err(|error| snapshot.with_file_hint(error))?;
        if snapshot.is_to_run_volatile() {
            statement = bind(snapshot, &types, wide)?;
        }
        if snapshot.calls() {
            // Calls may take the right to write themselves.
            drop(write);
            return run_calling(&runner, statement, (timings, wide));
        }
        let keeper = keeper.filter(|_| !snapshot.reads_files());
        let is_change = matches!(statement, Statement::Change(_));
        let Some(query) = query_of(&statement).filter(|_| keeper.is_some() || is_change) else {
            return runner.run_bound(statement, write, (timings, wide));
        };
        let planned = runner.planned(query.clone(), &mut timings)?;
        let change = Arc::new(PlannedChange::new(statement, planned)?);
        if let Some(keeper) = keeper {
            keeper.keep(snapshot, &change);
        }
        runner.run_noted(&change, keeper, write, timings)
    })
}

/// Runs a statement that calls functions of which the statements are run. What they have done is undone unless it is done.
fn run_calling(
    runner: &Runner<'_>,
    statement: Statement,
    (mut timings, wide): (Timings, bool),
) -> Result<Option<ResultStream>> {
    let Runner { session, snapshot, .. } = *runner;
    if session.work.status() == TransactionStatus::Idle {
        return Err(Error::new(ErrorKind::NeedsTransaction, "a statement that calls functions needs a transaction"));
    }
    let mark = session.work.mark();
    let run = || {
        let _entered = calls::enter(Arc::new(StatementCaller::of(session, snapshot)));
        if !matches!(statement, Statement::Change(_)) {
            return runner.run_bound(statement, None, (timings, wide));
        }
        let Some(query) = query_of(&statement) else { return Err(Error::internal("a change without a query")) };
        let planned = runner.planned(query.clone(), &mut timings)?;
        runner.run_change(&PlannedChange::new(statement, planned)?, None, timings)
    };
    let done = run();
    if !matches!(done, Ok(Some(_)))
        && let Some(mark) = mark
    {
        session.work.go_back(mark);
    }
    done
}

/// Binds a statement, so that its plan lasts where it is to be kept.
fn bound((bind, keeper): Origin<'_>, snapshot: &Snapshot<'_>, types: &[DataType], wide: bool) -> Result<Statement> {
    let Some(keeper) = keeper else { return bind(snapshot, types, wide) };
    keeper.prepare(snapshot);
    let bound = bind(snapshot, types, wide);
    snapshot.widen(false);
    bound.or_else(|_| {
        // Where only constants will do, it is bound for this time.
        keeper.forgo(snapshot);
        bind(snapshot, types, wide)
    })
}

impl Runner<'_> {
    /// Runs a change that has been planned, and notes how long that takes.
    fn run_noted(
        &self,
        change: &PlannedChange,
        keeper: Option<&dyn Keeper>,
        write: Option<Write<'_>>,
        timings: Timings,
    ) -> Result<Option<ResultStream>> {
        let began = Instant::now();
        let done = self.run_change(change, write, timings);
        if let Some(keeper) = keeper {
            keeper.note(began.elapsed());
        }
        done
    }

    /// CALL.
    fn call(&self, query: Query, gives_row: bool, timings: Timings) -> Result<ResultStream> {
        let rows = self.query(query, timings)?;
        if gives_row { Ok(rows.with_verb("CALL")) } else { rows.collect_batches().map(|_| ResultStream::done("CALL")) }
    }

    /// Runs any other statement.
    fn run_bound(
        &self,
        statement: Statement,
        write: Option<Write<'_>>,
        (mut timings, wide): (Timings, bool),
    ) -> Result<Option<ResultStream>> {
        if let Statement::ChangingWith(with) = statement {
            return self.change_with(&with, write, timings);
        }
        if let Statement::Locking(locking) = statement {
            drop(write);
            return self.lock(&locking, timings);
        }
        let done = match statement {
            Statement::Query(query) => {
                let planned = self.planned(query, &mut timings)?;
                // What runs once more, with wide numerics, is one query.
                if !wide {
                    self.session.count_hashed(&planned, &mut timings);
                }
                self.run(&planned, timings)
            }
            Statement::Call { query, gives_row } => self.call(*query, gives_row, timings),
            Statement::Explain { kind, analyze, form, query } => explain::explain(self, kind, (analyze, form), query),
            statement @ (Statement::CreateTable { .. }
            | Statement::CreateTableAs { .. }
            | Statement::CreateView { .. }
            | Statement::CreateMaterialized { .. }) => self.make(statement),
            Statement::Define(definition) => self.define(definition, wide),
            Statement::CreateRoutine { name, routine, needs, or_replace } => {
                self.create_routine(&name, *routine, (needs, or_replace))
            }
            Statement::Alter(altering) => self.alter(&altering),
            Statement::CreateSchema { name, owner, if_not_exists } => {
                self.create_schema(&name, owner.as_deref(), if_not_exists)
            }
            Statement::DropSchema { names, if_exists, cascade } => self.drop_schemas(&names, if_exists, cascade),
            Statement::Session(_) => Err(Error::internal("a session's own statement was run as one of tables")),
            Statement::Insert { name, columns, query } => {
                let source = || self.source(query);
                return self.insert_rows((&name, &columns), source, write);
            }
            Statement::Change(_) | Statement::ChangingWith(_) | Statement::Locking(_) => {
                Err(Error::internal("a change was run as another statement"))
            }
            Statement::Drop { names, kind, if_exists, cascade } => self.drop(&names, kind, if_exists, cascade),
            Statement::CopyFrom { path: None, .. } | Statement::CopyTo { path: None, .. } => {
                Err(Error::unsupported("COPY with STDIN or STDOUT without a client to copy with is"))
            }
            Statement::CopyFrom { name, columns, path: Some(path), options } => {
                self.copy_from(&name, &columns, &path, &options)
            }
            Statement::CopyTo { query, path: Some(path), options } => self.copy_to(query, &path, &options),
            Statement::ShowTables => Ok(self.show_tables()),
            Statement::Describe { name } => self.describe(&name),
            Statement::DescribeQuery(query) => Ok(self.with_placeholders(described(&fields_of(&query)))),
            Statement::Summarize(query) => {
                let fields = fields_of(&query);
                let rows = self.query(query, timings)?;
                summary::summarize(&fields, rows, &self.snapshot.sight(&fields), &self.session.context())
            }
        };
        done.map(Some)
    }
}
