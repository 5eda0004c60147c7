//! Statements that are known to be short: for callers that may not wait, such as threads that carry the messages of many clients.
//!
//! A statement is short by the plan that it has, if that is still good for what the session sees, and by what the plan says of its
//! time. To make a plan takes longer than that, so nothing is planned here; nor is anything run once more.

use super::Session;
use super::prepared::{Execution, Prepared};
use crate::guard::guarded;
use crate::plan::Planned;
use crate::running::Backend;
use crate::transaction::TransactionStatus;
use crate::{ErrorKind, Result};
use multiloop_planner::value::Value;
use std::time::Duration;

impl Session {
    /// How long a prepared statement takes at most, about, with any parameters. None if that is not known, or may be long: of what is no
    /// query, of what joins or sorts, of scans of more than a few thousand rows, of functions that may take their time for one value.
    ///
    /// # Errors
    /// Those of planning it, where it has no plan, or an old one.
    pub fn estimate(&self, prepared: &Prepared) -> Result<Option<Duration>> {
        if !prepared.is_query() || self.options.backend != Backend::Cpu {
            return Ok(None);
        }
        guarded(|| {
            let running = self.running();
            running.with_snapshot(|snapshot| {
                let planned = prepared.plan(self, snapshot)?;
                planned.executable.plan(running.machine())?;
                Ok(planned.executable.time_max())
            })
        })
    }

    /// Runs a prepared statement as [`Session::run`] does, if it has a plan already, and takes no longer than this by its estimate.
    /// None if not: nothing has been done then, and nothing has been waited for.
    ///
    /// # Errors
    /// Those of running it.
    pub fn run_within(&self, prepared: &Prepared, parameters: &[Value], time: Duration) -> Result<Option<Execution>> {
        if self.options.backend != Backend::Cpu || !prepared.kept().is_some_and(|planned| is_within(&planned, time)) {
            return Ok(None);
        }
        self.watching(&prepared.statement, || {
            self.as_statement(|| {
                prepared.check_values(parameters)?;
                self.in_transaction(|| self.run_short(prepared, parameters, time))
            })
        })
    }

    fn run_short(&self, prepared: &Prepared, parameters: &[Value], time: Duration) -> Result<Option<Execution>> {
        let running = self.running();
        running.with_snapshot(|snapshot| {
            let Some(planned) = prepared.still(self, snapshot).filter(|planned| is_within(planned, time)) else {
                return Ok(None);
            };
            let context = running.context();
            match running.execute(&planned.executable, snapshot, parameters, &context) {
                // Another plan may give rows.
                Err(error) if error.kind() == ErrorKind::DecimalOverflow || planned.is_premature(&error) => Ok(None),
                result => {
                    let result = result?;
                    prepared.check_fields(result.fields())?;
                    running.change_settings(snapshot)?;
                    Ok(Some(Execution::Result(result)))
                }
            }
        })
    }

    /// Whether [`Session::end_implicit`] has nothing to do that takes time: nothing to show or to tell others, nothing to drop.
    pub fn is_end_idle(&self) -> bool {
        let is_failed = self.transaction_status() == TransactionStatus::Failed;
        self.work.is_explicit() || !(is_failed || self.work.has_changed() || !self.cursors().is_empty())
    }
}

fn is_within(planned: &Planned, time: Duration) -> bool {
    planned.executable.time_max().is_some_and(|time_max| time_max <= time)
}
