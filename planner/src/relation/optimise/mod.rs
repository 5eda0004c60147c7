//! The relation optimiser: from a bound query to an equal one that does less work.
//!
//! The steps, in order; each file says what it may do and why that changes no answer:
//!
//! 1. `simplify`: constants are folded, conditions take one shape; `single_row_subquery`: what has no FROM is no
//!    subquery; `late_values`: columns that store codes stay codes.
//! 2. `unnest_subquery`: EXISTS and IN become semi and anti joins.
//! 3. `inline_cte`: a CTE used once is put where it is used.
//! 4. `drop_order`: sorts and DISTINCTs that nobody sees go, LIMIT sinks.
//! 5. `push_filter`: predicates sink; on the way every tree of joins is taken apart and put together in a better
//!    order: `join_cluster`, `factor_or`, `derive_predicates`, `crossing` (what may cross which join),
//!    `join_order` and `join_cost`, on the estimates of `estimate` and `selectivity`.
//! 6. `prune_columns`: what nobody reads is left out; a join whose right side nobody reads becomes a semi join.
//! 7. `distinct_arguments`: DISTINCT goes from aggregates whose arguments are distinct anyway.
//! 8. `single_row_groups`: groups by a unique key are its rows.
//! 9. `aggregate_before_join`: what a join only adds to groups is joined to the groups, not to their rows.
//!
//! Scalar subqueries stay: the IR's Conditional Reduce unnests them.

mod aggregate_before_join;
mod crossing;
mod derive_predicates;
mod distinct_arguments;
mod drop_order;
pub(crate) mod estimate;
mod factor_or;
mod inline_cte;
mod input_set;
mod join_cluster;
mod join_cost;
mod join_greedy;
mod join_order;
mod late_values;
mod prune_columns;
mod push_filter;
pub(crate) mod selectivity;
mod simplify;
mod single_row_groups;
mod single_row_subquery;
#[cfg(test)]
mod tests;
mod unnest_subquery;

use crate::relation::column_set::ColumnSet;
use crate::relation::profile::Profiles;
#[cfg(debug_assertions)]
use crate::relation::verify::verify;
use crate::relation::visit::{
    for_each_expression, for_each_expression_mut, for_each_input_mut, for_each_subquery_mut, has_subquery, rewrite,
};
use crate::relation::{ColumnId, Query, Relation};
use push_filter::Placer;
use std::sync::Arc;

/// Optimises a query: push down, prune, derive predicates, order joins.
pub fn optimise(mut query: Query) -> Query {
    check(&query.relation, &query.output, "binding");
    simplify::simplify_tree(&mut query.relation);
    late_values::delay_values(&mut query);
    let Query { mut relation, output, mut columns, parameters, speculation } = query;
    check(&relation, &output, "late_values");
    let mut profiles = Profiles::of(&relation, &columns, speculation);
    unnest_subquery::unnest_subqueries(&mut relation, 0, &mut profiles);
    check(&relation, &output, "unnest_subquery");
    inline_cte::inline_ctes(&mut relation, &columns);
    check(&relation, &output, "inline_cte");
    drop_order::drop_order(&mut relation, true);
    place(&mut relation, &Placer { profiles: &profiles, columns: &columns, depth: 0, pruned: false });
    check(&relation, &output, "push_filter");
    let required: ColumnSet = output.iter().map(|(_, id)| *id).collect();
    prune_columns::prune_columns(&mut relation, &required);
    check(&relation, &output, "prune_columns");
    distinct_arguments::drop_distinct_arguments(&mut relation);
    single_row_groups::project_single_row_groups(&mut relation);
    aggregate_before_join::aggregate_before_joins(&mut relation, 0, &mut profiles, &mut columns);
    check(&relation, &output, "aggregate_before_join");
    Query { relation, output, columns, parameters, speculation: profiles.speculation() }
}

/// In debug builds every pass has to leave a relation that can be computed.
fn check(relation: &Relation, output: &[(String, ColumnId)], pass: &str) {
    #[cfg(debug_assertions)]
    if let Err(problem) = verify(relation, output.iter().map(|(_, id)| *id)) {
        panic!("bug: {pass} made an invalid relation: {problem}\n{relation:#?}");
    }
    #[cfg(not(debug_assertions))]
    let _ = (relation, output, pass);
}

/// A query as it was bound, with no more done to it than its tables ask for: what stores codes shows values.
pub fn as_bound(mut query: Query) -> Query {
    late_values::delay_values(&mut query);
    query
}

/// Places the predicates of a tree, then those of the subqueries that are left in it.
fn place(relation: &mut Arc<Relation>, placer: &Placer<'_>) {
    rewrite(relation, |relation| placer.place(relation, Vec::new()));
    place_subqueries(relation, placer);
}

fn place_subqueries(relation: &mut Arc<Relation>, placer: &Placer<'_>) {
    let relation = Arc::make_mut(relation);
    let mut any = false;
    for_each_expression(relation, &mut |expression| any |= has_subquery(expression));
    if any {
        for_each_expression_mut(relation, &mut |expression| {
            for_each_subquery_mut(expression, &mut |subquery| {
                place(&mut subquery.relation, &Placer { depth: placer.depth + 1, ..*placer });
            });
        });
    }
    for_each_input_mut(relation, &mut |input| place_subqueries(input, placer));
}
