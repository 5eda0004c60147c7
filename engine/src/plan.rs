//! From a bound query to an optimised program, with the time that each step took. A plan that would be another one if more were
//! known of a table's columns is made once more, when that has been found out.

use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_exec::plan::Machine;
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Cards, Chosen, DeviceUse, Plans};
use multiloop_planner::catalog::{ColumnStatistics, TableHandle, TableStatistics};
use multiloop_planner::function::Function;
use multiloop_planner::lower::lower;
use multiloop_planner::multiloop::{Program, Scalar, ScalarId};
use multiloop_planner::relation::optimise::{PASSES, as_bound, optimise_without};
use multiloop_planner::relation::{FarKey, KeyLookup, Query};
use multiloop_planner::rewrite::partitioning::Partitioning;
use multiloop_planner::rewrite::{LAST_RULES, RULES, RewriteOptions, rewrite_while};
use multiloop_planner::speculation::Speculation;
use multiloop_planner::stack::Room;
use multiloop_planner::types::DataType;
use std::sync::{Arc, OnceLock};
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

/// Which rules to leave out, as programs are told: `on` is none, `off` all, or names of rules and of the optimiser's passes, with commas
/// between them.
///
/// # Errors
/// 42704 for a name that no rule has.
///
/// ```
/// let off = multiloop::rewrite_options("conditional_reduce,groupby_reduce")?;
/// assert_eq!(off.without, ["conditional_reduce", "groupby_reduce"]);
/// assert!(multiloop::rewrite_options("off")?.none);
/// assert_eq!(multiloop::rewrite_options("none").unwrap_err().to_string(), "there is no rule \"none\"");
/// # Ok::<(), multiloop::Error>(())
/// ```
pub fn rewrite_options(text: &str) -> Result<RewriteOptions> {
    let names = match text {
        "on" => Vec::new(),
        "off" => return Ok(RewriteOptions { none: true, ..RewriteOptions::default() }),
        names => names.split(',').map(|name| name.trim().to_owned()).collect(),
    };
    let rules = || RULES.iter().chain(LAST_RULES).map(|rule| rule.name);
    let is_known = |name: &String| rules().chain(PASSES.iter().map(|pass| pass.name)).any(|known| known == name);
    match names.iter().find(|name| !is_known(name)) {
        Some(unknown) => Err(Error::new(ErrorKind::UnknownObject, format!("there is no rule \"{unknown}\""))),
        None => Ok(RewriteOptions { without: names, ..RewriteOptions::default() }),
    }
}

/// What plans are made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hardware<'h> {
    pub(crate) machine: Machine,
    /// What may run loops beside the processors, and whether it is to.
    pub(crate) cards: &'h Cards,
    pub(crate) device: DeviceUse,
}

/// The table of a handle, if there is one.
pub(crate) type Find<'a> = &'a dyn Fn(TableHandle) -> Option<Arc<Table>>;

/// A program, and how it runs once somebody has asked: for all values of its parameters.
pub(crate) struct Planned {
    pub(crate) executable: Executable,
    /// What stack it takes to run it.
    pub(crate) room: Room,
    /// The query of a program that speculates, and the rules, for the careful plan.
    careful: Option<(Query, RewriteOptions)>,
    /// Columns that it hashes, which codes would spare.
    pub(crate) far_keys: Vec<FarKey>,
    /// How long it took to make.
    pub(crate) planning: Duration,
}

/// A program and its physical plan.
pub(crate) struct Executable {
    pub(crate) program: Program,
    /// The types of its columns, which those of the program carry.
    pub(crate) types: Arc<[DataType]>,
    /// Whether it sets the seed of random numbers; none if it draws no numbers either.
    pub(crate) seeds: Option<bool>,
    /// How it draws from sequences.
    pub(crate) drawing: Drawing,
    /// The tables of which it asks for the row of one key.
    pub(crate) lookups: Vec<KeyLookup>,
    plans: Plans,
    /// What is to be said of how it runs, once it has a plan.
    warnings: OnceLock<Arc<[String]>>,
    /// How long it takes at most, once it has a plan.
    time_max: OnceLock<Option<Duration>>,
}

/// See [`Executable::seeds`].
fn seeds(program: &Program) -> Option<bool> {
    let functions = (0..program.scalars.len()).filter_map(|at| match program.scalars.get(ScalarId(at as u32)) {
        Scalar::Call { function: function @ (Function::SetSeed | Function::Random), .. } => Some(*function),
        _ => None,
    });
    functions.fold(None, |seeds, function| Some(seeds == Some(true) || function == Function::SetSeed))
}

/// How a program draws from sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawing {
    /// Not at all.
    None,
    /// Once a row, or from sequences that are not each other's: values of many rows are drawn in blocks.
    ByColumns,
    /// One call sees what another one has drawn: row by row.
    ByRows,
}

impl Drawing {
    fn of(program: &Program) -> Self {
        let scalars = &program.scalars;
        let of_sequence = |id: ScalarId| match scalars.get(id) {
            Scalar::Call { function, arguments } if function.is_of_sequences() || function.runs_statements() => {
                Some((*function, arguments.first()))
            }
            _ => None,
        };
        // How often a scalar's value asks a sequence: equal ones are one scalar, whose value is another one wherever it stands. A
        // scalar comes behind its arguments.
        let mut asks = vec![0usize; scalars.len()];
        for at in 0..scalars.len() {
            let id = ScalarId(at as u32);
            let below = scalars.get(id).each_child().map(|child| asks[child.0 as usize]);
            asks[at] = below.fold(usize::from(of_sequence(id).is_some()), usize::saturating_add);
        }
        let mut total = 0usize;
        for each in program.blocks.iter().flat_map(|block| &block.lets) {
            each.for_each_scalar(|id| total = total.saturating_add(asks[id.0 as usize]));
        }
        if total < 2 {
            return if total == 0 { Drawing::None } else { Drawing::ByColumns };
        }
        let mut known = Vec::new();
        for (function, sequence) in (0..scalars.len()).filter_map(|at| of_sequence(ScalarId(at as u32))) {
            match sequence.map(|id| scalars.get(*id)) {
                Some(Scalar::Constant(of)) if function == Function::NextValue && !known.contains(&of) => known.push(of),
                _ => return Drawing::ByRows,
            }
        }
        if known.len() == total { Drawing::ByColumns } else { Drawing::ByRows }
    }
}

impl Executable {
    fn new(program: Program, types: &Arc<[DataType]>, lookups: Vec<KeyLookup>) -> Self {
        let (types, plans) = (Arc::clone(types), Plans::default());
        let (warnings, time_max) = (OnceLock::new(), OnceLock::new());
        let (seeds, drawing) = (seeds(&program), Drawing::of(&program));
        Executable { seeds, drawing, lookups, program, types, plans, warnings, time_max }
    }

    /// Decides how it may run, the first time; an engine has one machine.
    pub(crate) fn plan(&self, hardware: Hardware<'_>) -> Result<()> {
        hardware.cards.plan(hardware.device, (&self.program, &self.plans), hardware.machine)
    }

    /// How it runs now.
    pub(crate) fn choose<'c>(&'c self, hardware: Hardware<'c>, find: Find<'_>) -> Result<Chosen<'c>> {
        let Hardware { machine, cards, device } = hardware;
        cards.choose(device, (&self.program, &self.plans), machine, find)
    }

    /// What to warn of, once it has a physical plan: partitioned collections that several rows read whole.
    pub(crate) fn warnings(&self) -> Arc<[String]> {
        let warnings = || {
            let plan = self.plans.any();
            let is_searched = |block| plan.is_some_and(|plan| plan.is_searched(block));
            Partitioning::of(&self.program).warnings(is_searched).into()
        };
        Arc::clone(self.warnings.get_or_init(warnings))
    }

    /// How long it takes at most, once it has a physical plan; None if nobody knows.
    pub(crate) fn time_max(&self) -> Option<Duration> {
        if let Some(known) = self.time_max.get() {
            return *known;
        }
        let time_max = self.plans.any()?.time_max();
        *self.time_max.get_or_init(|| time_max)
    }
}

impl Planned {
    /// Optimises, lowers and rewrites a query over tables that `find` has, for a machine. What that asks of their columns is found
    /// out first.
    pub(crate) fn new(
        query: Query,
        rules: &RewriteOptions,
        (find, hardware): (Find<'_>, Hardware<'_>),
        context: &Context,
    ) -> Result<Self> {
        #[cfg(test)]
        PLANS_MADE.with(|made| made.set(made.get() + 1));
        let began = Instant::now();
        loop {
            let planned = Planned::by_what_is_known(query.clone(), rules, context)?;
            if !planned.settle((find, hardware), context)? {
                return Ok(Planned { planning: began.elapsed(), ..planned });
            }
        }
    }

    /// Finds out what has been asked of the columns of its tables; gives whether something is known now that was not.
    fn settle(&self, (find, hardware): (Find<'_>, Hardware<'_>), context: &Context) -> Result<bool> {
        let program = &self.executable.program;
        let conjecture = |of: &ColumnStatistics| of.proofs.conjecture.clone();
        let is_open = |of: &ColumnStatistics| conjecture(of).is_some_and(|of| of.answer().is_none() && !of.is_asked());
        let reads_open = |columns: &[u32], statistics: &TableStatistics| {
            columns.iter().any(|&column| statistics.columns.get(column as usize).is_some_and(is_open))
        };
        if program.tables().any(|(_, columns, statistics)| reads_open(columns, statistics)) {
            // How it runs depends on it, too; an error is told by who runs it.
            let _ = self.executable.plan(hardware);
        }
        let mut is_news = false;
        for (handle, _, statistics) in program.tables() {
            for (column, known) in statistics.columns.iter().enumerate() {
                if conjecture(known).is_some_and(|of| of.is_asked())
                    && let Some(table) = find(handle)
                {
                    is_news |= table.settle(column, context)?;
                }
            }
        }
        Ok(is_news)
    }

    fn by_what_is_known(query: Query, rules: &RewriteOptions, context: &Context) -> Result<Self> {
        let room = query.room();
        let types: Arc<[DataType]> = query.output.iter().map(|(_, id)| query.columns.get(*id).data_type).collect();
        let (mut of_program, mut asks) = program(speculating(query.clone(), rules), rules, context)?;
        if of_program.speculation == Speculation::Made && Drawing::of(&of_program) != Drawing::None {
            // What it draws it would draw again.
            (of_program, asks) = program(query.clone(), rules, context)?;
        }
        let program = of_program;
        let careful = (program.speculation == Speculation::Made).then(|| (query, rules.clone()));
        let Asks { far_keys, lookups } = asks;
        let (executable, planning) = (Executable::new(program, &types, lookups), Duration::ZERO);
        Ok(Planned { executable, room, careful, far_keys, planning })
    }

    /// Whether an error is none of the statement: it runs once more, carefully.
    pub(crate) fn is_premature(&self, error: &Error) -> bool {
        self.careful.is_some() && !error.kind().is_of_any_plan()
    }

    /// Runs the program; if it speculates and fails at that, the careful one.
    pub(crate) fn run<T>(&self, context: &Context, mut run: impl FnMut(&Executable) -> Result<T>) -> Result<T> {
        match (run(&self.executable), &self.careful) {
            (Err(error), Some((query, rules))) if self.is_premature(&error) => {
                let (program, asks) = program(query.clone(), rules, context)?;
                run(&Executable::new(program, &self.executable.types, asks.lookups))
            }
            (result, _) => result,
        }
    }
}

/// What a query asks of tables beside their rows.
struct Asks {
    far_keys: Vec<FarKey>,
    lookups: Vec<KeyLookup>,
}

/// Optimises, unless that is switched off, lowers and rewrites a query. Who cancels is heard between the steps, and the rules.
fn program(query: Query, rules: &RewriteOptions, context: &Context) -> Result<(Program, Asks)> {
    context.check()?;
    let query = if rules.as_bound { as_bound(query) } else { optimise_without(query, &rules.without, |_, _| {}) };
    context.check()?;
    let mut program = lower(&query)?;
    rewrite_while(&mut program, rules, &|| !context.cancellation.is_cancelled());
    context.check()?;
    let lookups = if rules.none { Vec::new() } else { query.key_lookups() };
    Ok((program, Asks { far_keys: query.far_keys(), lookups }))
}

#[cfg(test)]
thread_local! {
    static PLANS_MADE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// How many plans this thread has made.
#[cfg(test)]
pub(crate) fn plans_made() -> u64 {
    PLANS_MADE.with(std::cell::Cell::get)
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
