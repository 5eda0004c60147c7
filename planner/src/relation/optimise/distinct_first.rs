//! Counting distinct strings among many: they become distinct first, as groups do, which all workers share.
//!
//! ```text
//! Aggregate: count(distinct x)  =  Aggregate: count(x) (Distinct x)     if x is text of many values, and nothing else is asked
//! ```
//!
//! Sets within an aggregate are of each worker, and one worker puts them together; groups are put together in parts. Few values
//! are as fast either way, and so are those that have codes, of which a bit each says which there are.
//!
//! The argument is a column of the input: one of an enclosing row stays where it is.
//!
//! NULLs: they become one row, which the count leaves out. Errors: the argument is a column. A count of no rows is 0 either way.
//! It runs behind `prune_columns`, so that nothing but the argument is made distinct, and behind `distinct_arguments`, so that
//! it makes distinct what is not.

use super::estimate::rows;
use crate::relation::profile::Profiles;
use crate::relation::visit::{as_column, for_each_below_mut, nothing};
use crate::relation::{AggregateCall, AggregateFunction, ColumnId, Columns, Expression, Relation};
use crate::types::DataType;
use std::sync::Arc;

/// Values that are many.
const MANY_VALUES: f64 = 1_024.0;

/// Share of the rows that are values where nothing is known of them.
const UNKNOWN_SHARE: f64 = 0.3;

/// Makes arguments distinct before they are counted, in a tree and its subqueries.
pub(super) fn make_distinct_first(relation: &mut Arc<Relation>, profiles: &Profiles, columns: &Columns) {
    let relation = Arc::make_mut(relation);
    if let Relation::Aggregate { input, keys, aggregates } = relation
        && keys.is_empty()
        && let Some(argument) = argument_of(aggregates).filter(|argument| input.columns().contains(argument))
        && matches!(columns.get(argument).data_type, DataType::Text | DataType::Varchar(_))
        && profiles.get(argument).distinct.unwrap_or(rows(input, profiles) * UNKNOWN_SHARE) >= MANY_VALUES
    {
        let mut below = std::mem::replace(input, Arc::new(nothing()));
        if below.columns() != [argument] {
            let column = Expression::column(argument, columns.get(argument).data_type);
            below = Arc::new(Relation::Project { input: below, columns: vec![(argument, column)] });
        }
        *input = Arc::new(Relation::Distinct { input: below });
        aggregates.iter_mut().for_each(|(_, call)| call.distinct = false);
    }
    for_each_below_mut(relation, &mut |below| make_distinct_first(below, profiles, columns));
}

/// The column of which all aggregates count the distinct values.
fn argument_of(aggregates: &[(ColumnId, AggregateCall)]) -> Option<ColumnId> {
    let mut arguments = aggregates.iter().map(|(_, call)| {
        let counts = call.distinct && call.filter.is_none() && call.function == AggregateFunction::Count;
        call.argument.as_ref().filter(|_| counts).and_then(as_column)
    });
    let first = arguments.next()??;
    arguments.all(|other| other == Some(first)).then_some(first)
}
