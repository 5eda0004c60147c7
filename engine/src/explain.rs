//! EXPLAIN: the relation, the loops, the kernels; and ANALYZE, which also runs the query.

use crate::Result;
use crate::plan::{Executable, Planned, Timings, speculating, timed};
use crate::running::Runner;
use crate::stream::ResultStream;
use multiloop_exec::plan::Numbers;
use multiloop_planner::lower::lower;
use multiloop_planner::multiloop::print::print;
use multiloop_planner::relation::{Query, explain as relation_text, optimise::optimise};
use multiloop_planner::rewrite::rewrite;
use multiloop_planner::sql::ExplainKind;
use std::sync::Arc;

/// Runs EXPLAIN: one text column, one line a row.
pub(crate) fn explain(runner: &Runner<'_>, kind: ExplainKind, analyze: bool, query: Query) -> Result<ResultStream> {
    let rules = &runner.session.options.rules;
    let mut text = match kind {
        ExplainKind::Relation => relation_text::explain(&optimise(speculating(query.clone(), rules))),
        ExplainKind::Loops => {
            let mut program = lower(&optimise(speculating(query.clone(), rules)))?;
            let before = print(&program);
            let fired = rewrite(&mut program, rules);
            let names: String = fired.iter().map(|fired| format!("  {}\n", fired.rule)).collect();
            format!("Before rules\n{before}\nRules\n{names}\nAfter rules\n{}", print(&program))
        }
        ExplainKind::Kernels => {
            let tables = runner.snapshot.tables();
            let find = |handle| Arc::clone(tables.get(&handle).expect("a plan scans tables of its own snapshot"));
            let planned = Planned::new(query.clone(), rules, &runner.session.context())?;
            format!("{}\n", multiloop_exec::plan::place(&planned.executable.program, &find, runner.session.machine())?)
        }
    };
    if analyze {
        text.push('\n');
        text.push_str(&analyzed(runner, query)?);
    }
    let rows = text.lines().map(|line| vec![Some(line.to_owned())]).collect();
    Ok(ResultStream::text(&["QUERY PLAN"], rows))
}

fn analyzed(runner: &Runner<'_>, query: Query) -> Result<String> {
    runner.check_parameters(&query)?;
    let mut timings = Timings::default();
    let context = runner.session.context();
    let planned = timed(&mut timings.plan, || Planned::new(query, &runner.session.options.rules, &context))?;
    let tables = runner.snapshot.tables();
    let find = |handle| Arc::clone(tables.get(&handle).expect("a plan scans tables of its own snapshot"));
    let pool = &runner.session.engine.0.pool;
    let run = |executable: &Executable| {
        let plan = executable.plan(runner.session.machine())?;
        let mut output = multiloop_exec::run::run_plan(plan, &find, runner.parameters, &context, pool)?;
        let statistics = output.analysed(plan, &Numbers::of(&executable.program));
        let rows = output.try_fold(0, |rows, batch| batch.map(|batch| rows + batch.num_rows()))?;
        Result::Ok((rows, statistics))
    };
    let (rows, statistics) = timed(&mut timings.execute, || planned.run(&context, run))?;
    let milliseconds = |duration: std::time::Duration| duration.as_secs_f64() * 1e3;
    Ok(format!(
        "{statistics}\nRows: {rows}\nPlanning: {:.3} ms\nExecution: {:.3} ms",
        milliseconds(timings.plan),
        milliseconds(timings.execute)
    ))
}
