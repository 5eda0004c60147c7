//! EXPLAIN: the relation, the loops, the kernels; and ANALYZE, which also runs the query. `json` is for viewers of plans.

mod json;

use crate::Result;
use crate::plan::{Executable, Hardware, Planned, Timings, speculating, timed};
use crate::running::Runner;
use crate::stream::ResultStream;
use json::Took;
use multiloop_exec::DeviceUse;
use multiloop_exec::plan::{Node, Numbers};
use multiloop_planner::lower::lower;
use multiloop_planner::multiloop::print::print;
use multiloop_planner::relation::optimise::{as_bound, optimise_without};
use multiloop_planner::relation::{Query, explain as relation_text};
use multiloop_planner::rewrite::partitioning::Partitioning;
use multiloop_planner::rewrite::{RewriteOptions, rewrite};
use multiloop_planner::sql::{ExplainForm, ExplainKind};
use std::sync::Arc;
use std::time::Duration;

/// Runs EXPLAIN: one text column, one line a row; or all of it as one JSON value.
pub(crate) fn explain(
    runner: &Runner<'_>,
    kind: ExplainKind,
    (analyze, form): (bool, ExplainForm),
    query: Query,
) -> Result<ResultStream> {
    if form.json {
        let text = as_json(runner, analyze, form, query)?;
        return Ok(ResultStream::json("QUERY PLAN", text).with_verb("EXPLAIN"));
    }
    let rules = &runner.session.options.rules;
    // What planning asks has been found out then, whatever is shown.
    let planned = runner.session.plan(query.clone(), runner.snapshot, &runner.session.context());
    // Which blocks are answered by search its plan says.
    let warnings = match &planned {
        Ok(Planned { executable, .. }) if executable.plan(runner.session.hardware()).is_ok() => executable.warnings(),
        _ => Arc::from([]),
    };
    let mut text = match kind {
        ExplainKind::Relation => relation(query.clone(), rules),
        ExplainKind::Loops => {
            let (optimised, passes) = optimised(query.clone(), rules);
            let mut program = lower(&optimised)?;
            let before = print(&program);
            let fired = rewrite(&mut program, rules);
            let lines = |names: Vec<&str>| names.iter().map(|name| format!("  {name}\n")).collect::<String>();
            let (passes, names) = (lines(passes), lines(fired.iter().map(|fired| fired.rule).collect()));
            let (after, stencils) = (print(&program), Partitioning::of(&program).text());
            format!(
                "Passes\n{passes}\nBefore rules\n{before}\nRules\n{names}\nAfter rules\n{after}\nStencils\n{stencils}"
            )
        }
        ExplainKind::Code => code(runner, query.clone())?,
        ExplainKind::Kernels => {
            let find = |handle| runner.snapshot.table(handle).expect("a plan scans tables of its own snapshot");
            let executable = &planned?.executable;
            let chosen = executable.choose(runner.session.hardware(), &|handle| runner.snapshot.table(handle))?;
            let why = match runner.session.hardware() {
                Hardware { device: DeviceUse::Gpu, cards, .. } => cards.why_none(),
                _ => None,
            };
            let why = why.map(|why| format!("no device: {why}\n"));
            let why = why.or_else(|| chosen.why().map(|why| format!("device: {why}\n"))).unwrap_or_default();
            format!("{why}{}\n", multiloop_exec::plan::explain_plan(chosen.plan, &executable.program, &find))
        }
    };
    if kind != ExplainKind::Code {
        text.extend(warnings.iter().map(|warning| format!("\nWarning: {warning}\n")));
    }
    if analyze && kind != ExplainKind::Code {
        text.push('\n');
        text.push_str(&analyzed(runner, query)?);
    }
    // Codes of values may have the character that no text has.
    let rows = text.lines().map(|line| vec![Some(line.replace('\0', "\\0"))]).collect();
    Ok(ResultStream::text(&["QUERY PLAN"], rows).with_verb("EXPLAIN"))
}

/// What EXPLAIN says of a query.
pub(crate) fn relation(query: Query, rules: &RewriteOptions) -> String {
    relation_text::explain(&optimised(query, rules).0)
}

/// The optimised query, and the passes that changed it.
fn optimised(query: Query, rules: &RewriteOptions) -> (Query, Vec<&'static str>) {
    let query = speculating(query, rules);
    if rules.as_bound {
        return (as_bound(query), Vec::new());
    }
    let (mut before, mut changed) = (relation_text::explain(&query), Vec::new());
    let optimised = optimise_without(query, &rules.without, |pass, query| {
        let after = relation_text::explain(query);
        if after != before {
            changed.push(pass.name);
        }
        before = after;
    });
    (optimised, changed)
}

/// The plan that runs, for viewers.
fn as_json(runner: &Runner<'_>, analyze: bool, form: ExplainForm, query: Query) -> Result<String> {
    if analyze {
        let Analysed { root, timings, .. } = analyse(runner, query)?;
        let took = Took { planning: timings.plan, running: Some(timings.execute) };
        return Ok(json::text(&root, form, took));
    }
    let mut planning = Duration::ZERO;
    let root = timed(&mut planning, || {
        let planned = runner.session.plan(query, runner.snapshot, &runner.session.context())?;
        let find = |handle| runner.snapshot.table(handle);
        let chosen = planned.executable.choose(runner.session.hardware(), &find)?;
        Result::Ok(chosen.plan.outlined(&Numbers::of(&planned.executable.program)))
    })?;
    Ok(json::text(&root, form, Took { planning, running: None }))
}

/// What a run gave, and how long it took.
struct Analysed {
    /// Why it ran on what it did, if that was a choice.
    device: Option<String>,
    rows: usize,
    statistics: String,
    code: String,
    root: Node,
    timings: Timings,
}

fn analyse(runner: &Runner<'_>, query: Query) -> Result<Analysed> {
    runner.check_parameters(&query)?;
    let mut timings = Timings::default();
    let context = runner.session.context();
    let planned = timed(&mut timings.plan, || runner.session.plan(query, runner.snapshot, &context))?;
    runner.session.count_hashed(&planned, &mut timings);
    let shared = &runner.session.engine.0;
    let hardware = runner.session.hardware();
    let run = |executable: &Executable| {
        let provided = runner.snapshot.provided(&executable.program, runner.parameters, (&context, &shared.cache))?;
        let table = |handle| provided.table(handle).or_else(|| runner.snapshot.table(handle));
        let find = |handle| table(handle).expect("a plan scans tables of its own snapshot");
        let chosen = executable.choose(hardware, &table)?;
        let (plan, on) = (chosen.plan, (&*shared.pool, chosen.devices));
        let mut output = multiloop_exec::run::analyse(plan, &find, runner.parameters, &context, on)?;
        let numbers = Numbers::of(&executable.program);
        let (statistics, root) = (output.analysed(plan, &numbers), output.outlined(plan, &numbers));
        let rows = output.try_fold(0, |rows, batch| batch.map(|batch| rows + batch.num_rows()))?;
        Result::Ok(Analysed {
            device: chosen.why(),
            rows,
            statistics,
            code: output.code(),
            root,
            timings: Timings::default(),
        })
    };
    let analysed = timed(&mut timings.execute, || planned.run(&context, run))?;
    Ok(Analysed { timings, ..analysed })
}

/// What is compiled for devices, which the columns at hand decide: the query runs.
fn code(runner: &Runner<'_>, query: Query) -> Result<String> {
    let hardware = runner.session.hardware();
    let Analysed { code, .. } = analyse(runner, query)?;
    Ok(match (code.is_empty(), hardware.cards.why_none()) {
        (false, _) => code,
        (true, Some(why)) => format!("no device: {why}\n"),
        (true, None) => "no loop runs on a device; EXPLAIN (KERNELS) says why\n".to_owned(),
    })
}

fn analyzed(runner: &Runner<'_>, query: Query) -> Result<String> {
    let Analysed { device, rows, statistics, timings, .. } = analyse(runner, query)?;
    let device = device.map(|device| format!("device: {device}\n")).unwrap_or_default();
    let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
    Ok(format!(
        "{device}{statistics}\nRows: {rows}\nPlanning: {:.3} ms\nExecution: {:.3} ms",
        milliseconds(timings.plan),
        milliseconds(timings.execute)
    ))
}
