//! Where the bits of floats are that are summed. Of columns that is known; of what is computed a kernel of its own goes over the tuples
//! first.
//!
//! The processors have a sum of floats as an integer, in units of a power of two that all groups share, and round it once, at the end.
//! So does a device: with the lowest bit of all as the unit nothing is lost, and a sum does not depend on the order of the rows.

use super::fold::word;
use crate::gpu::code::expression::{Binary, Expression, Variable};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::print::kernels;
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::columns::reach::Reach;
use crate::gpu::driver::{Argument, Buffer, packed};
use crate::gpu::lower::Lowering;
use crate::gpu::lower::nest::Pieces;
use crate::gpu::stop::{Done, decline};
use crate::plan::nodes::Operation;
use crate::plan::register::Register;
use crate::plan::tree::{AggregatePlan, GeneratorKind, GeneratorPlan, ReducePlan};
use multiloop_planner::multiloop::{Reduction, ScalarId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Of each reduction of a loop, for each aggregate that sums floats, where their bits are.
type Reaches = Vec<Vec<Option<Reach>>>;

/// What is looked for: an aggregate of a reduction, and what a thread has found of it.
struct Wanted {
    of: (usize, usize),
    top: Variable,
    bottom: Variable,
}

/// What kernels have found in memory that is still there and does not change: who asks the same again need not go over the rows.
#[derive(Debug, Default)]
pub(crate) struct Found(Mutex<VecDeque<Entry>>);

#[derive(Debug)]
struct Entry {
    source: String,
    /// Its arguments, but for what it writes to.
    arguments: Vec<u128>,
    /// Those that are memory: while it is there nothing else has its address.
    memory: Vec<Weak<Buffer>>,
    reaches: Vec<Reach>,
}

/// Kernels that are remembered, at most.
const FOUND_MAX: usize = 256;

impl Found {
    fn get(&self, source: &str, arguments: &[u128]) -> Option<Vec<Reach>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|entry| entry.memory.iter().all(|memory| memory.strong_count() > 0));
        let entry = all.iter().find(|entry| entry.arguments == arguments && entry.source == source)?;
        Some(entry.reaches.clone())
    }

    fn keep(&self, entry: Entry) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= FOUND_MAX {
            all.pop_front();
        }
        all.push_back(entry);
    }
}

/// Whether an aggregate sums floats.
fn sums_floats(aggregate: &AggregatePlan) -> bool {
    aggregate.kind.reduction == Reduction::Sum && matches!(aggregate.kind.argument, Some((_, Register::F64)))
}

/// Where the bits of the floats are that a loop's reductions sum.
pub(crate) fn reaches<'p>(
    of: &Lowering<'_>,
    pieces: &Pieces,
    generators: &[(usize, &'p GeneratorPlan)],
) -> Done<Reaches> {
    let reduce = |(_, generator): &(usize, &'p GeneratorPlan)| match &generator.kind {
        GeneratorKind::Reduce(plan) => Some((plan, &generator.conditions[..])),
        _ => None,
    };
    let reduces: Vec<(&ReducePlan, &[ScalarId])> = generators.iter().filter_map(reduce).collect();
    let mut found: Reaches = reduces.iter().map(|(plan, _)| vec![None; plan.aggregates.len()]).collect();
    if !reduces.iter().any(|(plan, _)| plan.aggregates.iter().any(sums_floats)) {
        return Ok(found);
    }
    let mut to = Lowering::new((of.task, of.inputs), of.device, of.reads);
    to.over(pieces);
    let mut wanted = Vec::new();
    let body = to.apart(|to| {
        to.nest(pieces, |to| {
            for (at, (plan, conditions)) in reduces.iter().enumerate() {
                if plan.aggregates.iter().any(sums_floats) {
                    to.filter(conditions, |to| look(to, plan, (at, &mut found[at]), &mut wanted))?;
                }
            }
            Ok(())
        })
    })?;
    if wanted.is_empty() || pieces.count == 0 {
        return Ok(found);
    }
    run(to, pieces, (body, &wanted))?.into_iter().zip(&wanted).try_for_each(|(reach, wanted)| {
        found[wanted.of.0][wanted.of.1] = Some(reach);
        if reach.has_odd { decline("a row fails") } else { Ok(()) }
    })?;
    Ok(found)
}

/// What is known of a value that is a column.
fn known(to: &Lowering<'_>, value: ScalarId) -> Option<Reach> {
    match to.node_at(to.task.of.expressions.number(value) as u32).operation {
        Operation::Column { index, field, .. } if to.groups_of(index).is_none() => {
            to.column_of(index, field).ok()?.reach
        }
        _ => None,
    }
}

/// Looks at what the tuple at hand adds to sums of floats of which nothing is known.
fn look(
    to: &mut Lowering<'_>,
    plan: &ReducePlan,
    (reduce, found): (usize, &mut [Option<Reach>]),
    wanted: &mut Vec<Wanted>,
) -> Done<()> {
    for (at, aggregate) in plan.aggregates.iter().enumerate().filter(|(_, aggregate)| sums_floats(aggregate)) {
        let Some(argument) = aggregate.argument else { continue };
        found[at] = known(to, argument);
        if found[at].is_some() {
            continue;
        }
        let (top, bottom) = (to.later(Type::U32), to.later(Type::U32));
        wanted.push(Wanted { of: (reduce, at), top, bottom });
        to.filter(&aggregate.condition, |to| {
            let argument = to.root(argument)?;
            to.when(argument.null.not(), |to| {
                for (best, helper) in [(top, Helper::FloatTop), (bottom, Helper::FloatBottom)] {
                    let own = to.hold(Expression::Call(helper, vec![argument.value.clone()]));
                    let is_more = Expression::binary(Binary::Greater, own.clone(), best.get());
                    to.assign(best, Expression::select(is_more, own, best.get()));
                }
                Ok(())
            })
        })?;
    }
    Ok(())
}

/// Runs the kernel: what is wanted, one after the other.
fn run(mut to: Lowering<'_>, pieces: &Pieces, (body, wanted): (Vec<Statement>, &[Wanted])) -> Done<Vec<Reach>> {
    let (device, reads) = (to.device, to.reads);
    let words = Buffer::zeroed(&device.driver, wanted.len() * 8)?;
    let memory = to.memory(Type::U32, &words);
    let best = || wanted.iter().flat_map(|wanted| [wanted.top, wanted.bottom]);
    best().for_each(|best| to.push(Statement::Declare(best, word(0))));
    to.put(body);
    for (at, best) in best().enumerate() {
        to.call(Helper::Most32, vec![memory.address(word(at as u32)), best.get()]);
    }
    let queue_bytes = to.queue_bytes;
    let (kernel, arguments, shared) = to.finish("reach", queue_bytes);
    let source = kernels(&[kernel]);
    let is_read = |argument: &&Argument| match argument {
        Argument::Memory(memory) => !Arc::ptr_eq(memory, &words) && !Arc::ptr_eq(memory, &reads.error),
        _ => true,
    };
    let read: Vec<Argument> = arguments.iter().filter(is_read).cloned().collect();
    let known = packed(&read);
    if let Some(reaches) = device.reaches.get(&source, &known) {
        return Ok(reaches);
    }
    let module = device.cache.module(&*device.driver, &source)?;
    let mut shape = device.shape(pieces.count, shared);
    if queue_bytes > 0 {
        shape.threads = device.driver.limits().threads;
    }
    device.driver.launch(&*module, "reach", shape, &arguments)?;
    reads.check_rows()?;
    let words: Vec<u32> = words.values(wanted.len() * 2)?;
    let reaches: Vec<Reach> = words.chunks_exact(2).map(|words| Reach::of_words(words[0], words[1])).collect();
    let memory = read.iter().filter_map(|argument| match argument {
        Argument::Memory(memory) => Some(Arc::downgrade(memory)),
        _ => None,
    });
    let memory = memory.collect();
    device.reaches.keep(Entry { source, arguments: known, memory, reaches: reaches.clone() });
    Ok(reaches)
}
