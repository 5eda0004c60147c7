//! What is noted of statements: counts, and those that took long, with their plans.

use crate::engine::{Prepared, Session};
use crate::fault::Fault;
use crate::metrics::Metrics;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Notes what becomes of the statements of one connection.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) metrics: Arc<Metrics>,
    /// Statements that take longer are logged; none is none.
    pub(crate) slow: Option<Duration>,
    pub(crate) process: i32,
    pub(crate) user: String,
    /// The statement that runs, since when.
    running: Option<(Instant, Prepared)>,
}

impl Record {
    /// What is counted in `metrics`, of a connection.
    pub(crate) fn new(metrics: Arc<Metrics>, slow: Option<Duration>, process: i32, user: &str) -> Self {
        Record { metrics, slow, process, user: user.to_owned(), running: None }
    }

    /// A statement runs, or goes on.
    pub(crate) fn begin(&mut self, prepared: &Prepared) {
        self.running = Some((Instant::now(), prepared.clone()));
    }

    /// It has ended well.
    pub(crate) fn completed(&mut self, tag: &str, session: &Session) {
        let Some((began, prepared)) = self.running.take() else { return };
        let took = began.elapsed();
        self.metrics.completed(tag, took);
        self.log_slow(took, &prepared, tag, session);
    }

    /// Its rows are sent as far as they were asked for.
    pub(crate) fn suspended(&mut self) {
        self.running = None;
    }

    /// Something has failed: the statement that runs, if one does.
    pub(crate) fn failed(&mut self, fault: &Fault, session: &Session) {
        let running = self.running.take();
        let took = running.as_ref().map(|(began, _)| began.elapsed());
        self.metrics.failed(fault.code, took);
        if let Some((took, (_, prepared))) = took.zip(running) {
            self.log_slow(took, &prepared, fault.code, session);
        }
    }

    /// Whether what takes so long is logged: its plan is made once more for that.
    pub(crate) fn logs(&self, took: Duration) -> bool {
        self.slow.is_some_and(|slow| took >= slow)
    }

    fn log_slow(&self, took: Duration, prepared: &Prepared, outcome: &str, session: &Session) {
        if !self.logs(took) {
            return;
        }
        let (process, user) = (self.process, self.user.as_str());
        let (milliseconds, statement) = (took.as_secs_f64() * 1e3, prepared.shown_text());
        let plan = session.explain(prepared).unwrap_or_default();
        tracing::warn!(process, user, milliseconds, outcome, statement, plan, "slow statement");
    }
}
