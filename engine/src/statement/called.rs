//! Runs the statements of functions that a statement calls (`docs/decisions/functions-that-change-rows.md`).
//!
//! 1. A statement with such calls is a part of a transaction; where none is open, it is one of its own.
//! 2. It sees what there was when it began. Each statement of a VOLATILE function sees what there is when its turn comes, with what those
//!    before it have done; those of any other function see what the statement does that calls.
//! 3. What the statement itself changes is put off until its query has run, and so behind all that its calls do.
//! 4. If the statement fails, or is to be run once more, all is undone that its calls have done.

use super::run::run;
use crate::calls::{Callee, Caller};
use crate::engine::Engine;
use crate::plan::Timings;
use crate::running::{Called, Running, SessionOptions};
use crate::snapshot::Snapshot;
use crate::stream::ResultStream;
use crate::transaction::Work;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::arrow::to_column_of;
use multiloop_exec::workers::context::{Cancellation, Progress};
use multiloop_planner::catalog::Catalog;
use multiloop_planner::function::Volatility;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::sql::{Step, bind_step, has_result};
use multiloop_planner::stack;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// How deep calls may be within each other.
const CALLS_MAX: usize = 500;

/// What a statement's calls have from it.
pub(super) struct StatementCaller {
    engine: Engine,
    work: Arc<Work>,
    options: SessionOptions,
    cancellation: Cancellation,
    progress: Arc<Progress>,
    waits: bool,
    state: crate::catalog::State,
    depth: usize,
    /// Who acts in the statement, if it is not who acts outside of all calls.
    owner: Option<Arc<str>>,
}

impl StatementCaller {
    pub(super) fn of(session: &Running<'_>, snapshot: &Snapshot<'_>) -> Self {
        StatementCaller {
            engine: session.engine.clone(),
            work: Arc::clone(session.work),
            options: session.options.clone(),
            cancellation: session.cancellation.clone(),
            progress: Arc::clone(&session.progress),
            waits: session.waits,
            state: snapshot.state.clone(),
            depth: session.called.map_or(0, |called| called.depth),
            owner: session.called.and_then(|called| called.owner.clone()),
        }
    }
}

impl Caller for StatementCaller {
    fn call(&self, callee: &Callee, arguments: &[Value]) -> Result<Value> {
        self.cancellation.check()?;
        if self.depth >= CALLS_MAX {
            let hint = format!("Functions may call each other {CALLS_MAX} deep.");
            return Err(Error::new(ErrorKind::TooComplex, "stack depth limit exceeded").with_hint(hint));
        }
        stack::deep(|| self.run_steps(callee, arguments))
    }
}

impl StatementCaller {
    fn run_steps(&self, callee: &Callee, arguments: &[Value]) -> Result<Value> {
        let routine = &callee.found.routine;
        let is_volatile = routine.volatility == Volatility::Volatile;
        let called = Called {
            depth: self.depth + 1,
            state: (!is_volatile).then(|| self.state.clone()),
            owner: callee.owner.clone().or_else(|| self.owner.clone()),
        };
        let running = Running {
            engine: &self.engine,
            work: &self.work,
            options: &self.options,
            cancellation: self.cancellation.clone(),
            progress: Arc::clone(&self.progress),
            waits: self.waits,
            is_alone: false,
            called: Some(&called),
        };
        let steps = callee.steps()?;
        let mut value = Value::Null;
        for (at, parsed) in steps.iter().enumerate() {
            self.cancellation.check()?;
            if is_volatile {
                running.refresh()?;
            }
            let is_result = at + 1 == steps.len() && has_result(routine);
            let step = Step { found: &callee.found, arguments, parsed, is_result };
            let bind = |catalog: &dyn Catalog, _: &[DataType], wide: bool| bind_step(step, catalog, wide);
            let rows = run(&running, &bind, &[], Timings::default())?;
            if is_result {
                value = value_of(rows)?;
            } else {
                rows.collect_batches()?;
            }
        }
        Ok(value)
    }
}

/// The value of the one row and column of a query.
fn value_of(rows: ResultStream) -> Result<Value> {
    let field =
        rows.fields().first().cloned().ok_or_else(|| Error::internal("a function's last statement gives nothing"))?;
    let batches = rows.collect_batches()?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() > 0) else { return Ok(Value::Null) };
    let value = to_column_of(batch.column(0), &field)?.value(0, field.data_type);
    Ok(match (value, field.data_type) {
        (Value::Decimal(unscaled), DataType::Decimal { scale, .. }) => {
            Value::numeric(Numeric::new(unscaled, scale.into()))
        }
        (value, _) => value,
    })
}

/// Runs a statement, which calls functions that change something, as a transaction of its own.
pub(super) fn in_own_transaction(
    session: &Running<'_>,
    run: impl FnOnce(&Running<'_>) -> Result<ResultStream>,
) -> Result<ResultStream> {
    let fork = session.work.forked();
    let (cancellation, progress) = (session.cancellation.clone(), Arc::clone(&session.progress));
    let own = Running { work: &fork.work, cancellation, progress, ..*session };
    let done = run(&own).inspect_err(|_| own.abandon_transaction())?;
    own.end_transaction()?;
    session.work.join(&fork);
    Ok(done)
}
