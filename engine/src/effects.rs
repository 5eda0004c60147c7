//! What a query does beside giving rows. `set_config(…)`, `pg_notify(…)` and their kin have a value that is known while the query
//! is bound; what they do is kept here, and done when the query has run.

use crate::activity::Signal;
use crate::system::facts::Change;
use multiloop_planner::types::{DataType, SystemType};
use multiloop_planner::value::Value;
use std::time::Duration;

/// The type of what gives nothing.
pub(crate) const VOID: DataType = DataType::System(SystemType::Void);

/// What is to be done, each in the order of its calls.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// Settings that change.
    pub(crate) changes: Vec<Change>,
    /// What is told to whom listens: channels and payloads.
    pub(crate) told: Vec<(String, String)>,
    /// What is asked of other sessions, by their numbers.
    pub(crate) signals: Vec<(u32, Signal)>,
    /// The tallies that are forgotten: of a user, a database and a statement, each 0 for any.
    pub(crate) forgets: Vec<[i64; 3]>,
    /// How long it sleeps.
    pub(crate) sleep: Option<Duration>,
    /// Something was asked for, though it may be nothing.
    pub(crate) is_asked: bool,
}

impl Effects {
    /// Whether the query is to be bound again each time.
    pub(crate) fn any(&self) -> bool {
        self.is_asked || self.sleep.is_some()
    }

    /// Another of pg_sleep's calls; NULL is none.
    pub(crate) fn sleep_for(&mut self, seconds: &Value) {
        if let Value::Float(seconds) = seconds {
            let more = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
            self.sleep = Some(self.sleep.unwrap_or_default().saturating_add(more));
        }
    }
}

/// The types of a function's arguments, and of its value, if what it gives has to be known before the query runs.
pub(crate) fn function(name: &str, arguments: usize) -> Option<(Vec<DataType>, DataType)> {
    use DataType as T;
    Some(match (name, arguments) {
        ("set_config", 3) => (vec![T::Text, T::Text, T::Boolean], T::Text),
        ("current_setting", 1) => (vec![T::Text], T::Text),
        ("current_setting", 2) => (vec![T::Text, T::Boolean], T::Text),
        ("pg_notify", 2) => (vec![T::Text, T::Text], VOID),
        ("pg_sleep", 1) => (vec![T::Double], VOID),
        ("pg_cancel_backend" | "pg_terminate_backend", 1) => (vec![T::Integer], T::Boolean),
        ("pg_terminate_backend", 2) => (vec![T::Integer, T::BigInt], T::Boolean),
        _ => return None,
    })
}
