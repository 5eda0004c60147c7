//! From a bound query to an optimised program, with the time that each step took.

use crate::Result;
use multiloop_planner::lower::lower;
use multiloop_planner::multiloop::Program;
use multiloop_planner::relation::{Query, optimise::optimise};
use multiloop_planner::rewrite::{RewriteOptions, rewrite};
use std::time::{Duration, Instant};

/// How long the steps of a statement took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Text to tree.
    pub parse: Duration,
    /// Tree to optimised program: bind, optimise, lower, rewrite.
    pub plan: Duration,
    /// Program to rows.
    pub execute: Duration,
}

/// Optimises, lowers and rewrites a query: a program ready to run.
pub(crate) fn plan(query: Query, rules: &RewriteOptions) -> Result<Program> {
    let mut program = lower(&optimise(query))?;
    rewrite(&mut program, rules);
    Ok(program)
}

/// Runs `step` and adds the time that it took.
pub(crate) fn timed<T>(spent: &mut Duration, step: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = step();
    *spent += start.elapsed();
    result
}
