//! The backend: says which loops it takes, and runs them.

use super::code::print::kernels;
use super::device::Device;
use super::driver::cache::{LATER, OTHER_FORM};
use super::driver::{Driver, Patience};
use super::groups::Table;
use super::groups::cell::{Cell, CellKind, FAR_FLOATS};
use super::groups::finished::Finish;
use super::groups::fold::{Fold, Groups};
use super::groups::held::{HeldGroups, HeldSet, Kept};
use super::groups::host::Finder;
use super::groups::partial::partial_of_table;
use super::groups::parts::by_parts;
use super::groups::reaches::reaches;
use super::lower::{Lowering, Reads, numeric};
use super::rows::buckets::HeldBuckets;
use super::rows::top::{check_order, top};
use super::rows::{Collected, HeldRows, NO_TUPLE, ROWS_MAX, Wanted, collect};
use super::stop::{Done, Stop, decline};
use super::unmatched;
use crate::backend::inputs::Inputs;
use crate::backend::{Backend, Besides, Given, Held, Outcome, Placement, Task};
use crate::column;
use crate::plan::nodes::Operation;
use crate::plan::reads::collections_read;
use crate::plan::register::Register;
use crate::plan::tree::Device::Host;
use crate::plan::tree::{AggregatePlan, BucketPlan, GeneratorKind, GeneratorPlan, LetKind, LetPlan, LoopPlan};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::function::{DatePart, Function};
use multiloop_planner::multiloop::{CollectionId, Reduction, Source};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Reasons to decline that another run may not have.
const PASSES: [&str; 7] = ["a row fails", NO_TUPLE, "what it reads has failed", FAR_FLOATS, LATER, OTHER_FORM, NO_ROOM];

/// A loop has no room, though columns that nobody reads have gone: what other statements have may be less another time.
const NO_ROOM: &str = "it does not fit the card";

/// Groups of neighbouring rows that a thread goes over one after the other, where rows of one group stand together.
const STRETCH: u64 = 2;

/// Loops that are remembered as declined, at most.
pub(super) const REFUSED_MAX: usize = 1 << 10;

/// Notes that are kept, at most.
pub(super) const NOTES_MAX: usize = 1 << 12;

/// What a device had done before a loop.
struct Spent {
    began: Instant,
    uploaded: u64,
    compiling: Duration,
}

/// A device that runs loops.
#[derive(Debug)]
pub(crate) struct Gpu {
    device: Device,
    name: String,
    /// Whether results stay on the device; if not, they are brought back at once.
    keeps: bool,
    /// What was declined while it ran, by what the loop is, and why: it is not tried again.
    refused: Arc<Mutex<FxHashMap<u64, Cow<'static, str>>>>,
    /// What was declined the last time since its code was to come.
    awaited: Arc<Mutex<FxHashSet<u64>>>,
    /// What became of loops, for whoever wants to know.
    notes: Arc<Mutex<Vec<String>>>,
}

impl Gpu {
    /// A backend on a device.
    pub(crate) fn new(driver: Arc<dyn Driver>) -> Self {
        Gpu {
            name: driver.name(),
            device: Device::new(driver),
            keeps: true,
            refused: Arc::default(),
            awaited: Arc::default(),
            notes: Arc::default(),
        }
    }

    /// The same device, for statements that do not wait for its compiler.
    #[cfg(any(test, feature = "gpu"))]
    pub(crate) fn in_a_hurry(&self) -> Self {
        Gpu {
            device: self.device.with(Patience::Hurries),
            name: self.name.clone(),
            keeps: self.keeps,
            refused: Arc::clone(&self.refused),
            awaited: Arc::clone(&self.awaited),
            notes: Arc::clone(&self.notes),
        }
    }

    /// The same, whose blocks do so many rows at once.
    #[cfg(test)]
    pub(crate) fn with_pieces(driver: Arc<dyn Driver>, rows: usize) -> Self {
        let mut gpu = Gpu::new(driver);
        gpu.device.piece_rows = rows;
        gpu
    }

    /// The same, to which two strings are many.
    #[cfg(test)]
    pub(crate) fn that_carries_text(mut self) -> Self {
        let resident = Arc::get_mut(&mut self.device.resident).expect("nobody else has the device yet");
        resident.strings_max = 1;
        self
    }

    /// The same, which keeps no result.
    #[cfg(test)]
    pub(crate) fn that_keeps_nothing(mut self) -> Self {
        self.keeps = false;
        self
    }

    /// The device.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// What became of the loops that were run since somebody asked, a line each.
    #[cfg(any(test, feature = "gpu-emulated"))]
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, task: &Task<'_>, what: &str) {
        let name = names(task);
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(format!("{name}: {what}"));
        // Whoever does not ask is not told what was long ago.
        let old = notes.len().saturating_sub(NOTES_MAX);
        notes.drain(..old);
    }

    /// Remembers what is not to be tried again.
    fn refuse(&self, task: &Task<'_>, why: Cow<'static, str>) {
        if passes(&why) {
            return;
        }
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= REFUSED_MAX {
            refused.clear();
        }
        refused.insert(what(task), why);
    }

    /// Forgets that it is not to be tried again.
    pub(super) fn forget(&self, task: &Task<'_>) {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).remove(&what(task));
    }

    /// Begins to take times.
    fn watch(&self) -> Spent {
        self.device.driver.watch();
        self.device.cache.watch();
        Spent { began: Instant::now(), uploaded: self.device.resident.uploaded(), compiling: self.device.cache.spent() }
    }

    /// What a loop took of the device since then, as a line.
    fn told(&self, before: &Spent) -> String {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let times = self.device.driver.watched();
        let whole = milliseconds(before.began.elapsed());
        let all = times.iter().map(|(_, time)| *time).sum();
        let each = times.iter().map(|(kernel, time)| format!("{kernel} {:.3}", milliseconds(*time)));
        let each = each.collect::<Vec<_>>().join(", ");
        let mut told = format!("kernels {:.3} ms of {whole:.3} ({each})", milliseconds(all));
        let uploaded = self.device.resident.uploaded() - before.uploaded;
        if uploaded > 0 {
            told.push_str(&format!("; uploaded {:.1} MiB", uploaded as f64 / f64::from(1 << 20)));
        }
        let compiling = self.device.cache.spent() - before.compiling;
        if compiling > Duration::from_micros(50) {
            told.push_str(&format!("; compiled in {:.1} ms", milliseconds(compiling)));
        }
        told
    }

    /// The device as it is for a loop. Where it does not wait for a compiler, and one of the loop's collections is the processors' since code
    /// has to be compiled, code for what the loop reads would be for this run alone: none is made.
    fn device_of(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Device {
        let plan = task.plan;
        let awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.device.cache.hurries() || awaited.is_empty() {
            return self.device.clone();
        }
        let lets = || plan.block(plan.body).lets.iter();
        let is_awaited = |id: CollectionId| {
            let made = lets().find(|definition| definition.defines.contains(&id));
            made.is_some_and(|LetPlan { defines, kind, .. }| match kind {
                LetKind::Loop(of) if of.device.of != Host => awaited.contains(&what(&Task { plan, defines, of })),
                _ => false,
            })
        };
        let is_here = |id: CollectionId| matches!(inputs.held(id), Ok(Some(_)));
        let mut reads = lets().filter(|of| of.defines == task.defines).flat_map(|of| collections_read(plan, of));
        match reads.any(|id| !is_here(id) && is_awaited(id)) {
            true => self.device.with(Patience::Looks),
            false => self.device.clone(),
        }
    }

    /// Remembers whether a loop was declined because its code is to come.
    pub(super) fn note_awaited(&self, task: &Task<'_>, outcome: &Outcome) {
        let is_to_come = matches!(outcome, Outcome::Declined(why) if *why == LATER || *why == OTHER_FORM);
        let mut awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        if is_to_come {
            if awaited.len() >= REFUSED_MAX {
                awaited.clear();
            }
            awaited.insert(what(task));
        } else if !awaited.is_empty() {
            awaited.remove(&what(task));
        }
    }

    fn run_loop(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Done<Vec<Given>> {
        inputs.context().check()?;
        let (device, of) = (&self.device_of(task, inputs), task.of);
        let reads = Reads::new(task, device)?;
        if let Some(rest) = &of.unmatched {
            return unmatched::run((task, rest), inputs, device, &reads);
        }
        let mut given: Vec<Option<Given>> = of.generators.iter().map(|_| None).collect();
        let is_reduce = |&(_, generator): &(usize, &GeneratorPlan)| matches!(generator.kind, GeneratorKind::Reduce(_));
        let reduces: Vec<(usize, &GeneratorPlan)> = of.generators.iter().enumerate().filter(is_reduce).collect();
        if !reduces.is_empty() {
            let made = reduce((task, inputs), device, &reads, &reduces)?;
            for (made, (at, _)) in made.into_iter().zip(&reduces) {
                given[*at] = Some(given_of(device, made)?);
            }
        }
        for (at, generator) in of.generators.iter().enumerate() {
            if let GeneratorKind::TopK(plan) = &generator.kind {
                given[at] = Some(top((task, inputs), device, &reads, (&generator.conditions, plan))?);
                continue;
            }
            let Some(wanted) = wanted(generator) else { continue };
            check_order_of_groups(task, inputs)?;
            let made = collect((task, inputs), device, &reads, &wanted)?;
            inputs.context().check()?;
            // Codes of what failed are of no layout.
            reads.check_rows()?;
            given[at] = Some(held((task, at), device, &generator.kind, made)?);
        }
        inputs.context().check()?;
        given.into_iter().map(|given| given.map_or_else(|| decline("bug: a generator that gave nothing"), Ok)).collect()
    }
}

/// Runs the reductions of a loop, in one kernel.
pub(super) fn reduce<'p>(
    (task, inputs): (&Task<'_>, &dyn Inputs),
    device: &Device,
    reads: &Reads,
    generators: &[(usize, &'p GeneratorPlan)],
) -> Done<Vec<Fold<'p>>> {
    let mut lowering = Lowering::new((task, inputs), device, reads);
    let pieces = lowering.pieces()?;
    let reaches = reaches(&lowering, &pieces, generators)?;
    if let ([(at, GeneratorPlan { conditions, kind: GeneratorKind::Reduce(plan) })], [own]) = (generators, &reaches[..])
    {
        let like = reads.keys.borrow().get(at).cloned();
        let fold = Fold::new((plan, conditions), !is_collected(task, task.defines[*at]), own.clone()).like(like);
        if let Some(fold) = by_parts((task, inputs), device, reads, fold)? {
            reads.check_rows()?;
            return Ok(vec![fold]);
        }
    }
    let mut reaches = reaches.into_iter();
    let mut folds = Vec::new();
    for (at, generator) in generators {
        if let GeneratorKind::Reduce(reduce) = &generator.kind {
            let may_be_hashed = !is_collected(task, task.defines[*at]);
            let (reaches, like) = (reaches.next().unwrap_or_default(), reads.keys.borrow().get(at).cloned());
            folds.push(Fold::new((reduce, &generator.conditions), may_be_hashed, reaches).like(like));
        }
    }
    let has_runs = |fold: &Fold<'_>| fold.plan.rows.clustered && !fold.plan.aggregates.is_empty();
    if folds.iter().any(has_runs) {
        lowering.stretch = STRETCH;
    }
    let body = lowering.apart(|to| {
        to.nest(&pieces, |to| {
            let mut taken = to.queue_bytes;
            for ((_, generator), fold) in generators.iter().zip(&mut folds) {
                to.filter(&generator.conditions, |to| fold.tuple(to, &pieces, taken))?;
                taken += fold.shared_bytes;
            }
            Ok(())
        })
    })?;
    folds.iter().try_for_each(|fold| fold.begin(&mut lowering))?;
    lowering.put(body);
    folds.iter_mut().try_for_each(|fold| fold.end(&mut lowering))?;
    let queue_bytes = lowering.queue_bytes;
    let shared = queue_bytes + folds.iter().map(|fold| fold.shared_bytes).sum::<usize>();
    let (kernel, arguments, shared) = lowering.finish("reduce", shared);
    let module = device.cache.module(&*device.driver, &kernels(&[kernel]))?;
    if pieces.count > 0 {
        let mut shape = device.shape(pieces.count, shared);
        if queue_bytes > 0 {
            shape.threads = device.driver.limits().threads;
        }
        device.driver.launch(&*module, "reduce", shape, &arguments)?;
    }
    reads.check_rows()?;
    Ok(folds)
}

/// A number of what a loop is, of what tables: what it makes of these is the same each time.
pub(super) fn what(task: &Task<'_>) -> u64 {
    struct Hashing(FxHasher);
    impl std::fmt::Write for Hashing {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            text.hash(&mut self.0);
            Ok(())
        }
    }
    let mut hashing = Hashing(FxHasher::default());
    for collection in &task.plan.collections {
        if let Some(table) = &collection.table {
            (table.handle, &table.columns).hash(&mut hashing.0);
        }
    }
    // The rest of a plan depends on where other loops are placed.
    let LoopPlan { expressions, levels, generators, .. } = task.of;
    let nodes: Vec<&Operation> = expressions.nodes.iter().map(|node| &node.operation).collect();
    let mut all = write!(hashing, "{nodes:?} {levels:?}");
    for GeneratorPlan { conditions, kind } in generators {
        all = all.and(write!(hashing, "{conditions:?}")).and(match kind {
            GeneratorKind::Collect { value, .. } => write!(hashing, "{value:?}"),
            GeneratorKind::TopK(plan) => write!(hashing, "{plan:?}"),
            GeneratorKind::BucketCollect(plan) => write!(hashing, "{:?} {:?}", plan.key, plan.value),
            GeneratorKind::Reduce(plan) => write!(hashing, "{:?} {:?}", plan.key, plan.aggregates),
        });
    }
    all.expect("to hash a text cannot fail");
    hashing.0.finish()
}

/// What a loop defines, as texts of programs name it.
pub(super) fn names(task: &Task<'_>) -> String {
    task.defines.iter().map(|define| format!("%{}", define.0)).collect::<Vec<_>>().join(", ")
}

/// The rows that a generator collects, if it does.
pub(super) fn wanted(generator: &GeneratorPlan) -> Option<Wanted<'_>> {
    let (key, value) = match &generator.kind {
        GeneratorKind::Reduce(_) | GeneratorKind::TopK(_) => return None,
        GeneratorKind::Collect { value, .. } => (None, value),
        GeneratorKind::BucketCollect(plan) => (Some((&plan.key[..], &plan.layout)), &plan.value),
    };
    Some(Wanted { conditions: &generator.conditions, value, key, most: ROWS_MAX, takes_columns: true })
}

/// Rows that were collected, as they are held.
pub(super) fn held(
    (task, at): (&Task<'_>, usize),
    device: &Device,
    kind: &GeneratorKind,
    made: Collected,
) -> Done<Given> {
    let held: Arc<dyn Held> = match kind {
        GeneratorKind::BucketCollect(BucketPlan { key_types, types, .. }) => {
            Arc::new(Kept(Arc::new(HeldBuckets::new(device, made, (key_types, types))?)))
        }
        _ => Arc::new(Kept(Arc::new(HeldRows { level: made.level, types: task.plan.types(task.defines[at]) }))),
    };
    Ok(Given::Held(held))
}

/// Rows that are collected have an order, and which of two groups comes first in a hash table depends on who was first.
pub(super) fn check_order_of_groups(task: &Task<'_>, inputs: &dyn Inputs) -> Done<()> {
    let Some(Source::Rows(collection)) = task.of.levels.first().map(|level| &level.source) else { return Ok(()) };
    match inputs.held(*collection)?.as_ref().and_then(HeldGroups::of) {
        Some(groups) if groups.table.slots.is_some() => decline("rows of hashed groups"),
        _ => Ok(()),
    }
}

/// Whether a loop of the plan collects rows of the groups that a generator makes.
fn is_collected(task: &Task<'_>, of: CollectionId) -> bool {
    let collects = |generator: &GeneratorPlan| {
        matches!(generator.kind, GeneratorKind::Collect { .. } | GeneratorKind::BucketCollect(_))
    };
    task.plan.blocks.iter().flat_map(|block| &block.lets).any(|definition| match &definition.kind {
        LetKind::Loop(plan) => {
            plan.levels.first().is_some_and(|level| matches!(level.source, Source::Rows(rows) if rows == of))
                && plan.generators.iter().any(collects)
        }
        _ => false,
    })
}

/// What a reduction gives: what other loops read stays on the device.
pub(super) fn given_of(device: &Device, fold: Fold<'_>) -> Done<Given> {
    let plan = fold.plan;
    match fold.finish() {
        // A condition that is never true: nothing was lowered behind it.
        None => decline(NO_TUPLE),
        Some(Groups::Bits { layout, bits }) => Ok(Given::Held(Arc::new(Kept(Arc::new(HeldSet { layout, bits }))))),
        Some(Groups::Table { layout: Some(layout), table }) if may_be_kept(&table) => {
            let finder = Finder::new(&table, device)?;
            let empty = layout.parts.iter().map(|_| Value::Null).chain(plan.aggregates.iter().map(empty_of)).collect();
            let groups = HeldGroups { layout, table, empty, finder, finish: Finish::of(plan) };
            Ok(Given::Held(Arc::new(Kept(Arc::new(groups)))))
        }
        Some(Groups::Table { layout, table }) => {
            if let Some(finish) = Finish::of(plan) {
                return finish.groups(layout.as_ref(), &table, &Finder::new(&table, device)?);
            }
            partial_of_table(layout.as_ref(), &table, &Finder::new(&table, device)?)
                .map(|groups| Given::Partial(vec![groups]))
        }
    }
}

/// Whether what is kept cannot fail when it is finished: no sum may leave its type.
fn may_be_kept(table: &Table) -> bool {
    table.cells.iter().all(|cell| match (cell.kind, cell.data_type.integer_bounds()) {
        (CellKind::Sum { .. }, _) if let Some(reach) = cell.reach => {
            cell.data_type == DataType::Double && reach.has_doubles_up_to(cell.most)
        }
        (CellKind::Sum { .. }, Some((_, most))) => most.unsigned_abs() >= cell.most,
        (CellKind::Sum { .. }, None) => false,
        _ => true,
    })
}

/// What a lookup gives that finds no group.
fn empty_of(aggregate: &AggregatePlan) -> Value {
    match aggregate.kind.reduction {
        Reduction::CountRows | Reduction::Count => Value::Int(0),
        Reduction::Any => Value::Boolean(false),
        Reduction::All => Value::Boolean(true),
        _ => Value::Null,
    }
}

impl Backend for Gpu {
    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self, task: &Task<'_>) -> Placement {
        let refused = {
            let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            if refused.is_empty() { None } else { refused.get(&what(task)).cloned() }
        };
        if let Some(why) = refused {
            self.note(task, &format!("left to the host as before: {why}"));
            return Placement::Declines(why);
        }
        let why = match shape(task) {
            Ok(()) => return Placement::Takes(Cow::Borrowed("it scans and reduces")),
            Err(Stop::Declined(why)) => why,
            Err(Stop::Failed(error)) => error.to_string().into(),
        };
        self.note(task, &format!("left to the host: {why}"));
        Placement::Declines(why)
    }

    fn run(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<Outcome> {
        let looks = inputs.takes_notes().then(|| self.watch());
        let mut done = self.run_loop(task, inputs);
        if is_full(&done) && self.device.resident.evict_all() {
            // Columns that nobody reads have gone, and there may be room for what this loop makes.
            done = self.run_loop(task, inputs);
            if is_full(&done) {
                done = decline(NO_ROOM);
            }
        }
        if let Some(before) = looks {
            inputs.note(self.told(&before));
            let name = names(task);
            for source in self.device.cache.watched() {
                inputs.note_code(format!("// {name} on {}\n{source}\n", self.name));
            }
        }
        let outcome = match done {
            Ok(given) if self.keeps => Outcome::Given(given),
            Ok(given) => Outcome::Given(given.into_iter().map(|each| brought(each, inputs)).collect::<Result<_>>()?),
            Err(Stop::Declined(why)) => Outcome::Declined(why),
            Err(Stop::Failed(error)) if ends_statement(&error) => return Err(error),
            // What could not be made is an error for those rows alone that ask it.
            Err(Stop::Failed(_)) => Outcome::Declined(Cow::Borrowed("what it reads has failed")),
        };
        self.note_awaited(task, &outcome);
        match &outcome {
            Outcome::Given(_) => self.note(task, "ran"),
            Outcome::Declined(why) => {
                self.note(task, &format!("declined: {why}"));
                self.refuse(task, why.clone());
            }
        }
        Ok(outcome)
    }

    fn prepare(&self) {
        let sources = super::rows::sources().chain(super::groups::sources());
        sources.for_each(|source| self.device.cache.begin(&*self.device.driver, source));
    }

    fn besides(&self) -> Besides {
        Besides { uploaded: self.device.resident.uploaded(), missed: self.device.cache.missed() }
    }

    fn is_preparing(&self) -> bool {
        self.device.cache.is_busy()
    }

    fn missing(&self, table: &column::Table, columns: &[u32]) -> u64 {
        let missing = columns.iter().filter(|&&column| !self.device.resident.has(&table.chunks, column));
        missing.map(|&column| bytes_of_column(table, column)).sum()
    }
}

/// Bytes of a column of a table, about.
pub(super) fn bytes_of_column(table: &column::Table, column: u32) -> u64 {
    let known = table.statistics.columns.get(column as usize);
    known.map_or(0.0, |known| known.estimates.average_bytes * table.statistics.rows as f64) as u64
}

/// Whether a loop may be tried again that was declined for this: there may be room another time, and other rows.
pub(super) fn passes(why: &str) -> bool {
    why.contains("memory") || PASSES.contains(&why)
}

/// Whether the card had too little memory for a loop.
fn is_full(done: &Done<Vec<Given>>) -> bool {
    matches!(done, Err(Stop::Declined(why)) if why.contains("memory"))
}

/// Whether an error is no matter of rows.
fn ends_statement(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Internal)
}

/// What was made, in the memory of the host.
pub(super) fn brought(given: Given, inputs: &dyn Inputs) -> Result<Given> {
    match given {
        Given::Held(held) => held.fetch(inputs.context()),
        other => Ok(other),
    }
}

/// Functions of what is no text that are lowered; of some types at least.
fn is_known(function: Function) -> bool {
    use Function as F;
    matches!(
        function,
        F::Add
            | F::Subtract
            | F::Multiply
            | F::Divide
            | F::Modulo
            | F::Negate
            | F::Abs
            | F::Equal
            | F::NotEqual
            | F::Less
            | F::LessEqual
            | F::Greater
            | F::GreaterEqual
            | F::IsDistinct
            | F::IsNotDistinct
            | F::And
            | F::Or
            | F::Not
            | F::IsNull
            | F::IsNotNull
            | F::IsTrue
            | F::IsFalse
            | F::Case
            | F::Coalesce
            | F::NullIf
            | F::Greatest
            | F::Least
            | F::InList
            | F::Cast
            | F::AssignCast
            | F::Extract(DatePart::Year | DatePart::Month | DatePart::Day)
    )
}

/// Whether a loop is of a shape that is known here, as far as its plan tells.
fn shape(task: &Task<'_>) -> Done<()> {
    let of = task.of;
    if let Some(rest) = &of.unmatched {
        unmatched::check(of)?;
        shape(&Task { of: rest, ..*task })?;
    }
    if of.expressions.is_volatile() {
        return decline("it differs from row to row");
    }
    let is_own = |operation: &Operation| matches!(operation, Operation::Call { function: Function::User(_), .. });
    if of.expressions.nodes.iter().any(|node| is_own(&node.operation)) {
        return decline("a function of the program's own");
    }
    let odd = |operation: &Operation| matches!(operation, Operation::Captured { .. } | Operation::Nested { .. });
    if of.expressions.nodes.iter().any(|node| odd(&node.operation)) {
        return decline("blocks for each row");
    }
    numeric::check(task)?;
    for node in &of.expressions.nodes {
        if matches!(node.register, Register::Interval | Register::Vectors(_)) {
            return decline(format!("a value of type {}", node.data_type));
        }
        if let Operation::Call { function, arguments } = &node.operation {
            let is_text = |&argument: &u32| of.expressions.nodes[argument as usize].register == Register::Text;
            let of_text = node.register == Register::Text || arguments.iter().any(is_text);
            if !of_text && !is_known(*function) {
                return decline(format!("{function:?}"));
            }
        }
    }
    for (at, level) in of.levels.iter().enumerate() {
        match (at, &level.source) {
            (_, Source::BucketOrNull { key, .. } | Source::BucketAndRest { key, .. }) if key.is_empty() => {
                return decline("each row beside all of another side");
            }
            (0, Source::Rows(_)) | (1.., Source::Bucket { .. } | Source::BucketOrNull { .. }) => {}
            (_, Source::BucketAndRest { .. }) => {}
            _ => return decline("a nest of another kind"),
        }
    }
    for generator in &of.generators {
        match &generator.kind {
            GeneratorKind::Collect { .. } | GeneratorKind::BucketCollect(_) => {}
            GeneratorKind::Reduce(plan) => {
                plan.aggregates.iter().try_for_each(|aggregate| Cell::of(aggregate, 1, 1, None).map(drop))?;
            }
            GeneratorKind::TopK(plan) => check_order(plan)?,
        }
    }
    Ok(())
}
