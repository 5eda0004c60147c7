//! From a relation to a naive program: one loop an operator, nested loops for subqueries, no cleverness.

use crate::error::{Error, Result};
use crate::multiloop::Program;
use crate::relation::Query;

/// Lowers a query. Every relation has a program; what cannot be lowered is a bug.
pub fn lower(query: &Query) -> Result<Program> {
    let _ = query;
    Err(Error::internal("not built yet"))
}
