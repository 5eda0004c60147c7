//! What a query does beside giving rows. `set_config(…)`, `pg_notify(…)` and their kin have a value that is known while the query
//! is bound; what they do is kept here, and done when the query has run.

use crate::activity::Signal;
use crate::row_locks::advisory::Asked;
use crate::row_locks::functions as advisory_functions;
use crate::system::facts::Change;
use multiloop_planner::types::{DataType, SystemType};
use multiloop_planner::value::{Interval, Value};
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
    /// What is asked of advisory locks.
    pub(crate) asked: Vec<Asked>,
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

    /// Another call of pg_sleep, pg_sleep_for or pg_sleep_until at a time (microseconds since 1970); the value that it gives.
    pub(crate) fn sleep_for(&mut self, how_long: &Value, now: impl Fn() -> i64) -> Value {
        let seconds = match how_long {
            Value::Float(seconds) => *seconds,
            Value::Interval(interval) => seconds_of(*interval),
            Value::Int(until) => until.saturating_sub(now()) as f64 / 1e6,
            _ => return Value::Null,
        };
        let more = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        self.sleep = Some(self.sleep.unwrap_or_default().saturating_add(more));
        Value::text("")
    }
}

/// The seconds of an interval, as EXTRACT(EPOCH …) counts them: a year has 365.25 days, what is left of one months of 30.
fn seconds_of(Interval { months, days, micros }: Interval) -> f64 {
    let days = f64::from(months / 12) * 365.25 + f64::from(months % 12) * 30.0 + f64::from(days);
    days * 86_400.0 + micros as f64 / 1e6
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
        ("pg_sleep_for", 1) => (vec![T::Interval], VOID),
        ("pg_sleep_until", 1) => (vec![T::TimestampTz], VOID),
        ("pg_cancel_backend" | "pg_terminate_backend", 1) => (vec![T::Integer], T::Boolean),
        ("pg_terminate_backend", 2) => (vec![T::Integer, T::BigInt], T::Boolean),
        _ => {
            let (types, is_boolean) = advisory_functions::signature(name, arguments)?;
            (types, if is_boolean { T::Boolean } else { VOID })
        }
    })
}
