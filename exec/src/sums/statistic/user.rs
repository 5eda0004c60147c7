//! States of aggregates that a program registers.

use multiloop_planner::error::Result;
use multiloop_planner::function::{UserFunction, UserState};
use multiloop_planner::value::Value;

/// A state, and whether a row is in it; or why there is none.
#[derive(Clone, Debug)]
pub(crate) struct UserSummary {
    state: Result<Box<dyn UserState>>,
    any: bool,
}

impl UserSummary {
    /// Of no rows.
    pub(crate) fn new(function: UserFunction) -> Self {
        UserSummary { state: function.start(), any: false }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, value: &Value) -> Result<()> {
        self.any = true;
        self.state.as_mut().map_err(|error| error.clone())?.add(value)
    }

    /// Adds all rows of another one.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        if !other.any {
            return Ok(());
        }
        if !self.any {
            self.clone_from(other);
            return Ok(());
        }
        let other = other.state.as_ref().map_err(Clone::clone)?;
        self.state.as_mut().map_err(|error| error.clone())?.merge(&**other)
    }

    /// The value; NULL of no rows.
    pub(crate) fn finish(&self) -> Result<Value> {
        if !self.any {
            return Ok(Value::Null);
        }
        self.state.as_ref().map_err(Clone::clone)?.finish()
    }

    /// Bytes on the heap, about.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.state.as_ref().map_or(0, |state| state.bytes())
    }
}
