//! The rules, and the order in which they are tried: one file a rule, named as its function and as its golden file in
//! `testdata/`. `machinery` has what they share.

mod any_equal_to_exists;
mod any_less_to_extreme;
mod any_to_condition;
mod ask_chosen_groups;
mod bucket_correlated_rows;
mod code_case_keys;
mod code_truncated_keys;
mod collect_driving_rows;
mod column_to_row_reduce;
mod conditional_reduce;
mod count_unread_rows;
mod demand_restriction;
mod eliminate_common_lets;
mod eliminate_dead_fields;
mod exists_comparison_to_extremes;
mod fold_constants;
mod fuse_collect_into_consumer;
mod fuse_sibling_loops;
mod group_join;
mod group_whole_windows;
mod groupby_reduce;
mod hoist_invariant_block;
mod hoist_outer_condition;
mod join_unique_exists;
mod merge_sibling_groups;
mod narrow_first_rows;
mod order_conditions;
mod prune_group_keys;
mod reduce_probed_bucket;
mod reduce_unread_bucket;
mod reuse_groups;
mod share_filtered_rows;
mod split_concat;
mod split_correlated_block;
mod split_shifted_sums;
mod square_own_counts;
mod total_array_elements;
mod turn_anti_join;
mod turn_left_join;

use crate::multiloop::Program;

/// A rewrite of programs.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name: of its file, its function, its golden file, and in EXPLAIN.
    pub name: &'static str,
    /// Why it is there and stands where it stands.
    pub reason: &'static str,
    /// Applies it wherever it can; whether it changed anything.
    pub apply: fn(&mut Program) -> bool,
}

const fn rule(name: &'static str, apply: fn(&mut Program) -> bool, reason: &'static str) -> Rule {
    Rule { name, reason, apply }
}

/// The rules of the fixpoint, in the order in which each round tries them.
pub const RULES: &[Rule] = &[
    rule("fold_constants", fold_constants::fold_constants, "first, because nothing is simpler than a constant"),
    rule(
        "eliminate_dead_fields",
        eliminate_dead_fields::eliminate_dead_fields,
        "early, because less is left for the others to look at",
    ),
    rule(
        "group_whole_windows",
        group_whole_windows::group_whole_windows,
        "early: all others know loops better than windows",
    ),
    rule(
        "narrow_first_rows",
        narrow_first_rows::narrow_first_rows,
        "early, for the same reason, and behind group_whole_windows, which leaves windows that need an order",
    ),
    rule(
        "groupby_reduce",
        groupby_reduce::groupby_reduce,
        "before fuse_collect_into_consumer, which makes what goes over the groups part of a join's nest",
    ),
    rule(
        "split_concat",
        split_concat::split_concat,
        "behind groupby_reduce, which makes groups of buckets; then parts are fused with what reads them",
    ),
    rule(
        "fuse_collect_into_consumer",
        fuse_collect_into_consumer::fuse_collect_into_consumer,
        "one loop instead of two; brings what belongs together into one place for the rules behind it",
    ),
    rule(
        "hoist_invariant_block",
        hoist_invariant_block::hoist_invariant_block,
        "before conditional_reduce, which wants a block of one loop",
    ),
    rule(
        "hoist_outer_condition",
        hoist_outer_condition::hoist_outer_condition,
        "beside hoist_invariant_block, which then finds more that is invariant",
    ),
    rule(
        "reduce_unread_bucket",
        reduce_unread_bucket::reduce_unread_bucket,
        "a set of keys is smaller than the rows, and equal to another one more often",
    ),
    rule(
        "join_unique_exists",
        join_unique_exists::join_unique_exists,
        "before exists_comparison_to_extremes: of one row there are no extremes to find",
    ),
    rule(
        "any_to_condition",
        any_to_condition::any_to_condition,
        "before exists_comparison_to_extremes and conditional_reduce, which know what EXISTS asks",
    ),
    rule(
        "exists_comparison_to_extremes",
        exists_comparison_to_extremes::exists_comparison_to_extremes,
        "before conditional_reduce, which wants nothing but equalities",
    ),
    rule(
        "any_equal_to_exists",
        any_equal_to_exists::any_equal_to_exists,
        "after hoist_invariant_block, which leaves the block one loop; conditional_reduce does what has a condition",
    ),
    rule(
        "any_less_to_extreme",
        any_less_to_extreme::any_less_to_extreme,
        "beside any_equal_to_exists, for the comparisons by order",
    ),
    rule("conditional_reduce", conditional_reduce::conditional_reduce, "unnests correlated subqueries"),
    rule(
        "column_to_row_reduce",
        column_to_row_reduce::column_to_row_reduce,
        "behind conditional_reduce, which does what has an equality; then hoist_invariant_block takes out what it has made",
    ),
    rule(
        "reduce_probed_bucket",
        reduce_probed_bucket::reduce_probed_bucket,
        "unnests what a join has put into buckets",
    ),
    rule(
        "prune_group_keys",
        prune_group_keys::prune_group_keys,
        "after groupby_reduce, which makes the groups; before group_join, which wants the outer row's key",
    ),
    rule("group_join", group_join::group_join, "aggregates before joining instead of making pairs"),
    rule(
        "reuse_groups",
        reuse_groups::reuse_groups,
        "before demand_restriction, which makes groups for one reader only",
    ),
    rule(
        "ask_chosen_groups",
        ask_chosen_groups::ask_chosen_groups,
        "after reuse_groups, which asks the groups of which some have been chosen",
    ),
    rule(
        "demand_restriction",
        demand_restriction::demand_restriction,
        "after conditional_reduce, which makes the groups that are looked up",
    ),
    rule(
        "collect_driving_rows",
        collect_driving_rows::collect_driving_rows,
        "after demand_restriction, which needs no new rows; late, because it takes loops apart",
    ),
    rule(
        "split_correlated_block",
        split_correlated_block::split_correlated_block,
        "behind demand_restriction, which restricts the buckets first; what it leaves is one loop, which the others know",
    ),
    rule(
        "fuse_sibling_loops",
        fuse_sibling_loops::fuse_sibling_loops,
        "one traversal for all that a collection is read for",
    ),
    rule(
        "merge_sibling_groups",
        merge_sibling_groups::merge_sibling_groups,
        "after fuse_sibling_loops, which brings groups into one loop",
    ),
    rule(
        "eliminate_common_lets",
        eliminate_common_lets::eliminate_common_lets,
        "after the fusions, which make equal things look equal",
    ),
    rule(
        "share_filtered_rows",
        share_filtered_rows::share_filtered_rows,
        "after fuse_sibling_loops, which is better where it can",
    ),
    rule(
        "bucket_correlated_rows",
        bucket_correlated_rows::bucket_correlated_rows,
        "late, because it is for blocks that no other rule has made groups of",
    ),
    rule(
        "split_shifted_sums",
        split_shifted_sums::split_shifted_sums,
        "late, when sums stand in the loop that computes them; what it puts behind that loop is fused in the next round",
    ),
    rule("code_case_keys", code_case_keys::code_case_keys, "for the same reason, when the groups have their keys"),
    rule("code_truncated_keys", code_truncated_keys::code_truncated_keys, "beside code_case_keys"),
    rule(
        "count_unread_rows",
        count_unread_rows::count_unread_rows,
        "after eliminate_dead_fields and the fusions, which leave what is read",
    ),
    rule(
        "square_own_counts",
        square_own_counts::square_own_counts,
        "behind count_unread_rows, which looks counts up row by row",
    ),
    rule(
        "total_array_elements",
        total_array_elements::total_array_elements,
        "after the fusions, which put arrays beside the positions of their elements",
    ),
    rule("order_conditions", order_conditions::order_conditions, "last, because it unites nothing and makes nothing"),
];

/// Rules that run once, in this order, when no other changes anything any more.
pub const LAST_RULES: &[Rule] = &[
    rule(
        "turn_left_join",
        turn_left_join::turn_left_join,
        "behind all others, which move conditions and rows in ways that a rest does not allow",
    ),
    rule("turn_anti_join", turn_anti_join::turn_anti_join, "for the same reason; one loop cannot be turned twice"),
];

/// Drops fields that nothing reads: what a rule of [`LAST_RULES`] may leave.
pub(super) fn drop_dead_fields(program: &mut Program) {
    eliminate_dead_fields::eliminate_dead_fields(program);
}
