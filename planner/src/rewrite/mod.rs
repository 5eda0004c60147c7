//! The rules: small, named, switchable rewrites of programs, applied to a fixpoint.
//!
//! `README.md` beside this file has the house rules for rules. `substitute` and `uses` are the machinery that
//! they share; every other module is one rule, named as its function and as its golden file in `testdata/`.

mod any_equal_to_exists;
mod any_less_to_extreme;
mod ask_chosen_groups;
mod behind;
mod beside;
mod bound;
mod bucket_correlated_rows;
mod code_case_keys;
mod code_truncated_keys;
mod collect_driving_rows;
mod collected_rows;
mod conditional_reduce;
mod count_unread_rows;
mod demand_restriction;
mod dependencies;
mod eliminate_common_lets;
mod eliminate_dead_fields;
mod exists_comparison_to_extremes;
mod failing;
mod fold_constants;
mod fuse_collect_into_consumer;
mod fuse_sibling_loops;
mod group_join;
mod group_whole_windows;
mod groupby_reduce;
mod hoist_invariant_block;
mod join_unique_exists;
mod looks;
mod merge_sibling_groups;
mod narrow_first_rows;
mod needs;
mod nested_any;
mod order_conditions;
mod partitions;
mod prune_group_keys;
mod questions;
mod reduce_probed_bucket;
mod reduce_unread_bucket;
mod reuse_groups;
mod selectivity;
mod share_filtered_rows;
mod split_concat;
mod split_shifted_sums;
mod square_own_counts;
pub mod substitute;
#[cfg(test)]
mod tests;
mod turn_anti_join;
mod turn_left_join;
mod turned;

use crate::multiloop::Program;
use crate::multiloop::print::print;
use bound::{lets, lets_max};

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

/// Rounds after which a program is as good as it gets; two rules that undo each other would go on for ever.
const ROUNDS_MAX: usize = 40;

/// Which rules to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RewriteOptions {
    /// Leave out all of them.
    pub none: bool,
    /// Leave out the relation's optimiser, too: what is lowered is the query as it was bound. For tests.
    pub as_bound: bool,
    /// Leave out these, by name; passes of the relation's optimiser, too.
    pub without: Vec<String>,
}

/// A rule that changed the program, in the order of change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// The rule's name.
    pub rule: &'static str,
}

/// Applies the rules to a fixpoint.
pub fn rewrite(program: &mut Program, options: &RewriteOptions) -> Vec<Fired> {
    rewrite_observed(program, options, |_, _| {})
}

/// Applies the rules to a fixpoint and shows the program after every change (EXPLAIN STEPS).
pub fn rewrite_observed(
    program: &mut Program,
    options: &RewriteOptions,
    observe: impl FnMut(&Rule, &Program),
) -> Vec<Fired> {
    apply_rules(program, options, observe, &|| true)
}

/// Applies the rules to a fixpoint, or for as long as `go_on` says: every rule leaves a program that means the same.
pub fn rewrite_while(program: &mut Program, options: &RewriteOptions, go_on: &dyn Fn() -> bool) -> Vec<Fired> {
    apply_rules(program, options, |_, _| {}, go_on)
}

fn apply_rules(
    program: &mut Program,
    options: &RewriteOptions,
    mut observe: impl FnMut(&Rule, &Program),
    go_on: &dyn Fn() -> bool,
) -> Vec<Fired> {
    let mut fired = Vec::new();
    if options.none {
        return fired;
    }
    let is_on = |rule: &&Rule| !options.without.iter().any(|name| name == rule.name);
    let rules: Vec<&Rule> = RULES.iter().filter(is_on).collect();
    let mut apply = |rule: &Rule, program: &mut Program| {
        let changed = (rule.apply)(program);
        if changed {
            check(program, rule.name);
            fired.push(Fired { rule: rule.name });
            observe(rule, program);
        }
        changed
    };
    // A round stops being of use once every rule has seen the program as it is.
    let (mut unchanged, most) = (0, lets_max(program));
    'rounds: for _ in 0..ROUNDS_MAX {
        for rule in &rules {
            if unchanged == rules.len() {
                break 'rounds;
            }
            if !go_on() {
                return fired;
            }
            // What it has made may give it more to do: a block that it has looked at may have been replaced.
            unchanged = if apply(rule, program) { 0 } else { unchanged + 1 };
        }
        program.compact();
        check(program, "compaction");
        if lets(program) > most {
            break;
        }
    }
    debug_assert!(
        unchanged == rules.len(),
        "bug: the rules undo each other, {:?} last\n{}",
        fired.iter().rev().take(rules.len()).map(|fired| fired.rule).collect::<Vec<_>>(),
        print(program)
    );
    for rule in LAST_RULES.iter().filter(is_on) {
        if apply(rule, program) {
            // It leaves fields that nobody reads.
            eliminate_dead_fields::eliminate_dead_fields(program);
            program.compact();
            check(program, "compaction");
        }
    }
    fired
}

/// In debug builds every rule has to leave a valid program.
fn check(program: &Program, rule: &str) {
    #[cfg(debug_assertions)]
    if let Err(problem) = crate::analysis::verify::verify(program) {
        panic!("bug: {rule} made an invalid program: {problem}\n{}", print(program));
    }
    #[cfg(not(debug_assertions))]
    let _ = (program, rule);
}
