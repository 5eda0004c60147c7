//! Rewrites programs: applies small, named, switchable rules to a fixpoint.
//!
//! `README.md` beside this file has the house rules for rules. `rules` has them and their registry; `machinery` is what they
//! share.

mod machinery;
pub mod partitioning;
mod rules;
#[cfg(test)]
mod tests;

use crate::multiloop::Program;
use crate::multiloop::print::print;
use machinery::change_limit::{lets, lets_max};
pub use machinery::substitute;
pub use rules::{LAST_RULES, RULES, Rule};

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
            rules::drop_dead_fields(program);
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
