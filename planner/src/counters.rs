//! Sequences as functions of values see them: `nextval`, `setval`, `currval` and `lastval` ask whoever runs the statement.

use crate::error::{Error, ErrorKind, Result};
use std::fmt::Debug;

/// The sequences that a statement may draw from, by their numbers.
pub trait Counters: Debug + Send + Sync {
    /// Appends the next `count` values of a sequence; what is drawn before an error stays drawn. `is_owner` is a column of its own
    /// sequence, which asks no rights.
    ///
    /// # Errors
    /// 2200H beyond the sequence's last value, 42501 for who may not.
    fn next(&self, sequence: u32, is_owner: bool, count: usize, values: &mut Vec<i64>) -> Result<()>;

    /// Sets a sequence's last value, and whether it was given already.
    ///
    /// # Errors
    /// 22003 for a value that it does not have, 42501 for who may not.
    fn set(&self, sequence: u32, value: i64, is_called: bool) -> Result<()>;

    /// The value that the session drew last from a sequence.
    ///
    /// # Errors
    /// 55000 if it drew none, 42501 for who may not.
    fn current(&self, sequence: u32) -> Result<i64>;

    /// The value that the session drew last from any sequence.
    ///
    /// # Errors
    /// 55000 if it drew none, 42501 for who may not.
    fn last(&self) -> Result<i64>;
}

/// The error of a sequence that nobody can ask for.
pub(crate) fn nowhere() -> Error {
    Error::new(ErrorKind::Unsupported, "a sequence outside of a statement that is run is not supported")
}
