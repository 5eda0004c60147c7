//! Changes that have been planned, and may run once more: those of prepared statements.

use crate::catalog::StoredTable;
use crate::plan::{Drawing, Planned, Timings};
use crate::running::{Runner, Running};
use crate::snapshot::Snapshot;
use crate::stream::ResultStream;
use crate::transaction::TransactionStatus;
use crate::{Error, Result};
use multiloop_exec::column::CHUNK_ROWS;
use multiloop_planner::catalog::TableName;
use multiloop_planner::relation::Query;
use multiloop_planner::sql::{Change, ChangeKind, Statement};
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::time::Duration;

/// Bytes that a short change copies at most: an update makes a new column of each chunk that it is in.
const COPIED_MAX: f64 = (256 << 10) as f64;

/// A change, and the plan of the query that gives its rows.
pub(crate) struct PlannedChange {
    pub(super) kind: PlannedKind,
    pub(crate) planned: Arc<Planned>,
}

/// What becomes of the rows.
pub(super) enum PlannedKind {
    Change(Box<Change>),
    /// INSERT of these columns, or of all.
    Insert(TableName, Vec<usize>),
}

/// Where a prepared statement keeps its change.
pub(crate) trait Keeper {
    /// The change, if its plan is good for what the snapshot has.
    fn change(&self, snapshot: &Snapshot<'_>) -> Option<Arc<PlannedChange>>;

    /// Has the planner see tables so that a plan lasts, before the statement is bound.
    fn prepare(&self, snapshot: &Snapshot<'_>);

    /// Undoes that: what is bound then need not last.
    fn forgo(&self, snapshot: &Snapshot<'_>);

    /// Keeps a change that has been bound and planned in a snapshot.
    fn keep(&self, snapshot: &Snapshot<'_>, change: &Arc<PlannedChange>);

    /// Notes how long the change took that is kept, but for its planning.
    fn note(&self, ran: Duration);
}

/// The query of a statement that may be kept.
pub(super) fn query_of(statement: &Statement) -> Option<&Query> {
    match statement {
        Statement::Change(change) => Some(&change.query),
        Statement::Insert { query, .. } => Some(query),
        _ => None,
    }
}

impl PlannedChange {
    /// Of a statement that has a query to keep, and its plan.
    pub(super) fn new(statement: Statement, planned: Planned) -> Result<Self> {
        let kind = match statement {
            Statement::Change(change) => PlannedKind::Change(change),
            Statement::Insert { name, columns, .. } => PlannedKind::Insert(name, columns),
            _ => return Err(Error::internal("a statement that changes no rows was kept as one that does")),
        };
        Ok(PlannedChange { kind, planned: Arc::new(planned) })
    }

    /// The table that is changed.
    fn table(&self) -> &TableName {
        match &self.kind {
            PlannedKind::Change(change) => &change.table,
            PlannedKind::Insert(name, _) => name,
        }
    }

    /// Whether it takes no longer than this by its estimate: few rows are found, little is copied, and nothing but types and NOT NULL
    /// is checked.
    fn is_within(&self, stored: &StoredTable, time: Duration) -> bool {
        let executable = &self.planned.executable;
        let (info, declared) = (&stored.info, &stored.info.declared);
        let rows = info.statistics.rows.min(CHUNK_ROWS as u64) as f64;
        let bytes = |column: usize| info.statistics.columns.get(column).map_or(0.0, |of| of.estimates.average_bytes);
        let has_no_key = declared.keys.is_empty() && declared.unique_indexes().next().is_none();
        let is_light = match &self.kind {
            PlannedKind::Insert(..) => has_no_key,
            PlannedKind::Change(change) => match &change.kind {
                ChangeKind::Insert { conflict, .. } => conflict.is_none() && has_no_key,
                ChangeKind::Update { columns, .. } => {
                    let is_of_key = |column: &usize| {
                        let indexes = declared.unique_indexes().map(|(_, index)| &index.columns);
                        let mut keys = declared.keys.iter().map(|key| &key.columns).chain(indexes);
                        keys.any(|columns| columns.contains(column))
                    };
                    !columns.iter().any(is_of_key)
                        && columns.iter().map(|&column| bytes(column) * rows).sum::<f64>() <= COPIED_MAX
                }
                ChangeKind::Delete => true,
                ChangeKind::Merge { .. } => false,
            },
        };
        is_light
            && declared.checks.is_empty()
            && declared.references.is_empty()
            && executable.drawing == Drawing::None
            && executable.time_max().is_some_and(|of| of <= time)
    }
}

/// Runs a prepared change in the transaction that is open, if it has been planned, takes no longer than this, and nobody has to be
/// waited for. None if not: nothing has been done then.
pub(crate) fn run_short(
    session: &Running<'_>,
    keeper: &dyn Keeper,
    parameters: &[Value],
    time: Duration,
) -> Result<Option<ResultStream>> {
    // Alone it would wait for its record to be written.
    if session.work.status() != TransactionStatus::Active {
        return Ok(None);
    }
    session.with_snapshot(|snapshot| {
        let Some(change) = keeper.change(snapshot) else { return Ok(None) };
        let runner = Runner { session, snapshot, parameters };
        let name = runner.found(change.table(), &snapshot.state)?;
        let stored = snapshot.state.table(&name)?;
        if !change.is_within(stored, time) || !snapshot.state.referring(&name).is_empty() {
            return Ok(None);
        }
        match runner.run_change(&change, None, Timings::default()) {
            Err(error) if error.kind().asks_for_wide_numerics() || error.kind() == crate::ErrorKind::Outgrown => {
                Ok(None)
            }
            result => result,
        }
    })
}
