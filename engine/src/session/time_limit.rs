//! The time that `statement_timeout` gives a statement.

use crate::timer::Alarm;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::workers::context::Cancellation;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time that a statement may take; it is cancelled then.
pub(super) struct TimeLimit {
    state: Arc<Mutex<TimeState>>,
    _alarm: Option<Alarm>,
}

/// How a statement and its time stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeState {
    Running,
    /// The time has ended first.
    Over,
    /// The statement has: the next one is another's.
    Ended,
}

impl TimeLimit {
    pub(super) fn start(limit: Duration, cancellation: Cancellation) -> Self {
        let state = Arc::new(Mutex::new(TimeState::Running));
        let of_alarm = Arc::clone(&state);
        let alarm = Alarm::after(limit, move || {
            let mut state = of_alarm.lock().unwrap_or_else(PoisonError::into_inner);
            if *state == TimeState::Running {
                *state = TimeState::Over;
                cancellation.cancel();
            }
        });
        TimeLimit { state, _alarm: alarm }
    }

    /// What the statement gave, with an error that says so if it was cancelled because its time was over.
    pub(super) fn named<T>(self, result: Result<T>) -> Result<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let was = std::mem::replace(&mut *state, TimeState::Ended);
        result.map_err(|error| match error.kind() {
            ErrorKind::Cancelled if was == TimeState::Over => {
                Error::new(ErrorKind::Cancelled, "canceling statement due to statement timeout")
            }
            _ => error,
        })
    }
}
