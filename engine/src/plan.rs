//! From a bound query to an optimised program, with the time that each step took.

use crate::Result;
use multiloop_planner::lower::lower;
use multiloop_planner::multiloop::Program;
use multiloop_planner::relation::{Query, optimise::optimise};
use multiloop_planner::rewrite::{Fired, RewriteOptions, rewrite};
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

/// A program ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// After the rules.
    pub(crate) program: Program,
    /// The rules that changed it, in order.
    pub(crate) fired: Vec<Fired>,
}

/// Optimises, lowers and rewrites a query.
pub(crate) fn plan(query: Query, rules: &RewriteOptions) -> Result<Planned> {
    let mut program = lower(&optimise(query))?;
    let fired = rewrite(&mut program, rules);
    Ok(Planned { program, fired })
}

/// Runs `step` and adds the time that it took.
pub(crate) fn timed<T>(spent: &mut Duration, step: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = step();
    *spent += start.elapsed();
    result
}
