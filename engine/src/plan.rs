//! From a bound query to an optimised program, with the time that each step took.

use crate::Result;
use multiloop_exec::workers::context::Context;
use multiloop_planner::lower::lower;
use multiloop_planner::multiloop::Program;
use multiloop_planner::relation::Query;
use multiloop_planner::relation::optimise::{as_bound, optimise};
use multiloop_planner::rewrite::{RewriteOptions, rewrite_while};
use multiloop_planner::speculation::Speculation;
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
pub(crate) struct Planned {
    pub(crate) program: Program,
    /// The query of a program that speculates, and the rules, for the careful plan.
    careful: Option<(Query, RewriteOptions)>,
}

impl Planned {
    /// Optimises, lowers and rewrites a query.
    pub(crate) fn new(query: Query, rules: &RewriteOptions, context: &Context) -> Result<Self> {
        let program = program(speculating(query.clone(), rules), rules, context)?;
        let careful = (program.speculation == Speculation::Made).then(|| (query, rules.clone()));
        Ok(Planned { program, careful })
    }

    /// Runs the program; if it speculates and fails at that, the careful one.
    pub(crate) fn run<T>(&self, context: &Context, mut run: impl FnMut(&Program) -> Result<T>) -> Result<T> {
        match (run(&self.program), &self.careful) {
            (Err(error), Some((query, rules))) if error.kind().is_data_error() => {
                run(&program(query.clone(), rules, context)?)
            }
            (result, _) => result,
        }
    }
}

/// Optimises, unless that is switched off, lowers and rewrites a query. Who cancels is heard between the steps, and the
/// rules.
fn program(query: Query, rules: &RewriteOptions, context: &Context) -> Result<Program> {
    context.check()?;
    let query = if rules.as_bound { as_bound(query) } else { optimise(query) };
    context.check()?;
    let mut program = lower(&query)?;
    rewrite_while(&mut program, rules, &|| !context.cancellation.is_cancelled());
    context.check()?;
    Ok(program)
}

/// The query, allowed to speculate unless no rule is to touch it.
pub(crate) fn speculating(query: Query, rules: &RewriteOptions) -> Query {
    let speculation = if rules.none { Speculation::Never } else { Speculation::Allowed };
    Query { speculation, ..query }
}

/// Runs `step` and adds the time that it took.
pub(crate) fn timed<T>(spent: &mut Duration, step: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = step();
    *spent += start.elapsed();
    result
}
