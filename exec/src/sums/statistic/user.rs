//! States of aggregates that a program registers.

use multiloop_planner::error::Result;
use multiloop_planner::function::{UserFunction, UserState};
use multiloop_planner::value::Value;

/// Rows after which the bytes of a state are counted again, at most: the program counts them.
const COUNTED_EVERY: u64 = 1 << 10;

/// Bytes of a state, at most, whatever the program says: sums of them do not overflow before the limit is reached.
const BYTES_MAX: usize = 1 << 48;

/// A state, and how many rows are in it; or why there is none.
#[derive(Debug)]
pub(crate) struct UserSummary {
    state: Result<Box<dyn UserState>>,
    rows: u64,
    /// Bytes of the state when they were last counted.
    bytes: usize,
}

impl Clone for UserSummary {
    fn clone(&self) -> Self {
        let state = self.state.as_ref().map_err(Clone::clone).and_then(|state| state.copied());
        UserSummary { state, ..*self }
    }
}

impl UserSummary {
    /// Of no rows.
    pub(crate) fn new(function: UserFunction) -> Self {
        let mut summary = UserSummary { state: function.start(), rows: 0, bytes: 0 };
        summary.count();
        summary
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, value: &Value) -> Result<()> {
        self.rows += 1;
        self.state.as_mut().map_err(|error| error.clone())?.add(value)?;
        // Many groups of few rows each may be large, too.
        if self.rows.is_power_of_two() || self.rows.is_multiple_of(COUNTED_EVERY) {
            self.count();
        }
        Ok(())
    }

    /// Adds all rows of another one.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        if other.rows == 0 {
            return Ok(());
        }
        if self.rows == 0 {
            self.clone_from(other);
            return self.state.as_ref().map(|_| ()).map_err(Clone::clone);
        }
        self.rows += other.rows;
        let other = other.state.as_ref().map_err(Clone::clone)?;
        self.state.as_mut().map_err(|error| error.clone())?.merge(&**other)?;
        self.count();
        Ok(())
    }

    /// The value; NULL of no rows.
    pub(crate) fn finish(&self) -> Result<Value> {
        if self.rows == 0 {
            return Ok(Value::Null);
        }
        self.state.as_ref().map_err(Clone::clone)?.finish()
    }

    fn count(&mut self) {
        self.bytes = self.state.as_ref().map_or(0, |state| state.bytes().min(BYTES_MAX));
    }

    /// Bytes on the heap, about: as many as when they were last counted.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes
    }
}
