//! The relation optimiser: from a bound query to an equal one that does less work.
//!
//! [`PASSES`] are its steps, in order, each with the reason for its place; each file says what it may do and why that changes
//! no answer. `push_filter` takes every tree of joins apart on its way and puts it together in a better order: `join_cluster`,
//! `factor_or`, `derive_predicates`, `crossing` (what may cross which join), `join_order` and `join_cost`, on the estimates of
//! `estimate` and `selectivity`.
//!
//! Scalar subqueries stay: the IR's Conditional Reduce unnests them.

mod aggregate_before_join;
mod case_to_filter;
mod crossing;
mod cte_demand;
mod derive_predicates;
mod distinct_arguments;
mod distinct_first;
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
mod limit_recursion;
mod nearest_by_extreme;
mod prune_columns;
mod push_filter;
pub(crate) mod selectivity;
mod simplify;
mod single_row_groups;
mod single_row_subquery;
#[cfg(test)]
mod tests;
mod unnest_subquery;

use crate::meter;
use crate::relation::column_set::ColumnSet;
use crate::relation::profile::Profiles;
#[cfg(debug_assertions)]
use crate::relation::verify::verify;
use crate::relation::visit::{
    for_each_expression, for_each_expression_mut, for_each_input_mut, for_each_subquery_mut, has_subquery, rewrite,
};
use crate::relation::{ColumnId, Columns, Query, Relation};
use push_filter::Placer;
use std::sync::Arc;

/// A pass over the relation of a query.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name: of its file, and in EXPLAIN.
    pub name: &'static str,
    /// Why it is there and stands where it stands.
    pub reason: &'static str,
    /// Whether nothing runs without it.
    pub needed: bool,
    apply: fn(&mut Working),
}

/// A query on its way through the passes.
struct Working {
    query: Query,
    /// Made when a pass first asks.
    profiles: Option<Profiles>,
}

impl Working {
    /// The tree, what is known of its parts, and the columns.
    fn parts(&mut self) -> (&mut Arc<Relation>, &mut Profiles, &mut Columns) {
        let Query { relation, columns, speculation, .. } = &mut self.query;
        let profiles = self.profiles.get_or_insert_with(|| Profiles::of(relation, columns, *speculation));
        (relation, profiles, columns)
    }
}

const fn pass(name: &'static str, apply: fn(&mut Working), reason: &'static str) -> Pass {
    Pass { name, reason, needed: false, apply }
}

/// The passes, in the order in which each runs once.
pub const PASSES: &[Pass] = &[
    pass(
        "simplify",
        |working| simplify::simplify_tree(&mut working.query.relation),
        "first: constants are folded and conditions take one shape, which the others look for; what has no FROM is no subquery",
    ),
    Pass {
        name: "late_values",
        reason: "before all that looks at columns: those that store codes stay codes until a value is asked for",
        needed: true,
        apply: |working| late_values::delay_values(&mut working.query),
    },
    Pass {
        name: "limit_recursion",
        reason: "before CTEs are put in and subqueries become joins: an endless recursion ends where its reader takes the first rows",
        needed: true,
        apply: |working| limit_recursion::limit_recursions(&mut working.query),
    },
    pass(
        "unnest_subquery",
        |working| {
            let (relation, profiles, _) = working.parts();
            unnest_subquery::unnest_subqueries(relation, 0, profiles);
        },
        "before joins are ordered: EXISTS and IN become semi and anti joins",
    ),
    pass(
        "inline_cte",
        |working| inline_cte::inline_ctes(&mut working.query.relation, &working.query.columns),
        "before predicates sink: into a CTE that is used once they can",
    ),
    pass(
        "drop_order",
        |working| drop_order::drop_order(&mut working.query.relation, true),
        "before predicates sink, which stop at a LIMIT: sorts and DISTINCTs that nobody sees go",
    ),
    pass(
        "push_filter",
        |working| {
            let (relation, profiles, columns) = working.parts();
            place(relation, &Placer { profiles, columns, depth: 0, pruned: false });
        },
        "predicates sink, and joins are ordered by what is left of their inputs",
    ),
    pass(
        "nearest_by_extreme",
        |working| {
            let (relation, profiles, columns) = working.parts();
            nearest_by_extreme::find_nearest_by_extreme(relation, 0, profiles, columns);
        },
        "behind push_filter, which has made conditions of joins of those above them: what bounds a window's rows is there",
    ),
    pass(
        "prune_columns",
        |working| {
            let required: ColumnSet = working.query.output.iter().map(|(_, id)| *id).collect();
            prune_columns::prune_columns(&mut working.query.relation, &required);
        },
        "after predicates have sunk, which read columns: what nobody reads is left out, and a join of which one side is not \
         read becomes a semi join",
    ),
    pass(
        "distinct_arguments",
        |working| distinct_arguments::drop_distinct_arguments(&mut working.query.relation),
        "behind prune_columns, which leaves keys as they will be: DISTINCT goes where arguments are distinct anyway",
    ),
    pass(
        "distinct_first",
        |working| {
            let (relation, profiles, columns) = working.parts();
            distinct_first::make_distinct_first(relation, profiles, columns);
        },
        "behind distinct_arguments: many strings that are counted once each become distinct as groups do",
    ),
    pass(
        "single_row_groups",
        |working| single_row_groups::project_single_row_groups(&mut working.query.relation),
        "behind distinct_arguments: groups by a unique key are its rows",
    ),
    pass(
        "aggregate_before_join",
        |working| {
            let (relation, profiles, columns) = working.parts();
            aggregate_before_join::aggregate_before_joins(relation, 0, profiles, columns);
        },
        "on the order of joins as it is: what a join only adds to groups is joined to the groups, not to their rows",
    ),
    pass(
        "case_to_filter",
        |working| case_to_filter::make_cases_filters(&mut working.query.relation),
        "last: passes before it know more of arguments than of filters",
    ),
];

/// Optimises a query by all passes.
pub fn optimise(query: Query) -> Query {
    optimise_without(query, &[], |_, _| {})
}

/// Optimises a query by all passes but those of these names, and shows the query after each. What is needed cannot be left out.
pub fn optimise_without(query: Query, without: &[String], mut observe: impl FnMut(&Pass, &Query)) -> Query {
    check(&query.relation, &query.output, "binding");
    let mut working = Working { query, profiles: None };
    for pass in PASSES.iter().filter(|pass| pass.needed || !without.iter().any(|name| name == pass.name)) {
        // Who has cancelled wants no plan.
        if meter::check().is_err() {
            break;
        }
        (pass.apply)(&mut working);
        check(&working.query.relation, &working.query.output, pass.name);
        observe(pass, &working.query);
    }
    let Working { query, profiles } = working;
    let speculation = profiles.map_or(query.speculation, |profiles| profiles.speculation());
    Query { speculation, ..query }
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

/// A query as it was bound, with no more done to it than it needs: what stores codes shows values, and recursions end.
pub fn as_bound(mut query: Query) -> Query {
    late_values::delay_values(&mut query);
    limit_recursion::limit_recursions(&mut query);
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
