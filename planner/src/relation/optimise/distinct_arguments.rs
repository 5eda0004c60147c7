//! DISTINCT within aggregates whose arguments are distinct anyway.
//!
//! ```text
//! Aggregate by k: f(distinct x)  =  Aggregate by k: f(x)     if no two rows below have the same k and x
//! ```
//!
//! NULLs: an aggregate leaves them out, distinct or not. Errors: the same rows are aggregated. It runs when joins have their
//! order and their kinds, from which uniqueness is proven.

use crate::relation::Relation;
use crate::relation::column_set::ColumnSet;
use crate::relation::unique::is_unique;
use crate::relation::visit::{as_column, for_each_below_mut};
use std::sync::Arc;

/// Drops them from a tree and its subqueries.
pub(super) fn drop_distinct_arguments(relation: &mut Arc<Relation>) {
    let relation = Arc::make_mut(relation);
    if let Relation::Aggregate { input, keys, aggregates } = relation {
        let keys: ColumnSet = keys.iter().filter_map(|(_, key)| as_column(key)).collect();
        for (_, call) in aggregates.iter_mut().filter(|(_, call)| call.distinct) {
            let Some(argument) = call.argument.as_ref().and_then(as_column) else { continue };
            let mut columns = keys.clone();
            columns.insert(argument);
            call.distinct = !is_unique(input, &columns);
        }
    }
    for_each_below_mut(relation, &mut drop_distinct_arguments);
}
