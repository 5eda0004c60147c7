//! A last index over the positions of arrays of which nothing but the elements is read: `unnest`. Its tiles are made of the elements at
//! once. No position is written down for them, nor the tuple that has the array, unless something else of this is read for each.

use super::{COUNT_WORTH_TELLING, Nest};
use crate::Result;
use crate::cpu::kernels::array::elements::{Arrays, Place, fill, fits};
use crate::cpu::multiloop::sink::Sink;
use crate::plan::expressions::Expressions;
use crate::plan::nodes::Operation;
use crate::plan::tree::{GeneratorKind, LoopPlan};
use crate::technique::Technique;
use multiloop_planner::evaluate::array::Form;
use multiloop_planner::function::{ArrayFunction, Function};
use multiloop_planner::multiloop::{ScalarId, Source};
use std::sync::atomic::Ordering;

/// Bytes of an element that is a text, about: for progress.
const TEXT_BYTES: usize = 16;

/// What the last index of a nest goes over.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    level: usize,
    /// The node of the arrays, and that of the elements.
    array: u32,
    element: u32,
    form: Form,
    /// Whether other indices are read for each element.
    reads_others: bool,
}

impl Elements {
    /// The elements of which the last index counts the positions, if nothing else of these is read.
    pub(super) fn of(plan: &LoopPlan) -> Option<Self> {
        let level = plan.levels.len().checked_sub(1).filter(|&last| last > 0)?;
        let own = &plan.levels[level];
        let Source::Count(count) = own.source else { return None };
        if own.one || own.range.is_some() || !own.matches.is_empty() || !Technique::ArrayElements.is_on() {
            return None;
        }
        let expressions = &plan.expressions;
        let call = |number: u32| match &expressions.nodes[number as usize].operation {
            Operation::Call { function, arguments } => Some((*function, &arguments[..])),
            _ => None,
        };
        let Some((Function::Cast, &[number])) = call(expressions.number(count) as u32) else { return None };
        let Some((Function::Array(ArrayFunction::Cardinality, of), &[array])) = call(number) else { return None };
        let form = Form::of(of)?;
        let element = only_reader(expressions, level)?;
        let node = &expressions.nodes[element as usize];
        let is_element = match call(element) {
            Some((Function::Array(ArrayFunction::Nth, own), &[own_array, _])) => own == of && own_array == array,
            _ => false,
        };
        let reads_others = reads_others(plan, level, element);
        let found = Elements { level, array, element, form, reads_others };
        (is_element && fits(form, node.register) && !node.volatile).then_some(found)
    }
}

/// The only node that reads an index, and does so by its second argument.
fn only_reader(expressions: &Expressions, level: usize) -> Option<u32> {
    let is_own = |number: u32| {
        let operation = &expressions.nodes[number as usize].operation;
        matches!(operation, Operation::Column { index, .. } if *index == level)
    };
    if expressions.numbers.values().any(|&number| is_own(number)) {
        return None;
    }
    let mut only = None;
    for (node, number) in expressions.nodes.iter().zip(0..) {
        let arguments = node.operation.arguments();
        match (arguments.iter().position(|&argument| is_own(argument)), only) {
            (None, _) => {}
            (Some(1), None) if arguments.len() == 2 && !is_own(arguments[0]) => only = Some(number),
            _ => return None,
        }
    }
    only
}

/// Whether something that is computed for each element reads another index.
fn reads_others(plan: &LoopPlan, level: usize, element: u32) -> bool {
    let nodes = &plan.expressions.nodes;
    let mut roots: Vec<ScalarId> = plan.levels[level].conditions.clone();
    for generator in &plan.generators {
        roots.extend(&generator.conditions);
        match &generator.kind {
            GeneratorKind::Collect { value, .. } => roots.extend(value),
            GeneratorKind::Reduce(reduce) => {
                roots.extend(reduce.key.iter().flatten());
                for aggregate in &reduce.aggregates {
                    roots.extend(aggregate.argument.iter().chain(&aggregate.condition));
                    if aggregate.row_text.is_some() {
                        return true;
                    }
                }
            }
            GeneratorKind::TopK(_) | GeneratorKind::BucketCollect(_) => return true,
        }
    }
    let is_below = |number: u32| (1..=level).contains(&nodes[number as usize].reach);
    if roots.iter().any(|&root| is_below(plan.expressions.number(root) as u32)) {
        return true;
    }
    nodes.iter().zip(0..).filter(|(node, number)| node.reach > level && *number != element).any(|(node, _)| {
        let asks = matches!(node.operation, Operation::Nested { .. } | Operation::Lookup { .. });
        asks || node.operation.arguments().into_iter().any(is_below)
    })
}

impl Nest<'_> {
    /// Goes over the elements of the tuples' arrays; false if it did nothing.
    pub(super) fn expand_elements(&mut self, level: usize, sinks: &mut [Sink<'_>]) -> Result<bool> {
        let Some(Elements { array, element, form, reads_others, .. }) = self.elements.filter(|own| own.level == level)
        else {
            return Ok(false);
        };
        if self.stops || self.grows {
            return Ok(false);
        }
        self.tile.ensure(array)?;
        let Some(arrays) = Arrays::of(self.tile.top(array)) else { return Ok(false) };
        let is_shared = arrays.is_shared();
        // Of few tuples with many elements these are the work that there is to do.
        let each = if let Form::Fixed(fixed) = form { fixed.stride() } else { TEXT_BYTES };
        let all = (arrays.bytes() / each) as u64;
        let progress = (all > COUNT_WORTH_TELLING).then(|| &*self.frame.shared.context.progress);
        if let Some(progress) = progress {
            progress.total.fetch_add(all, Ordering::Relaxed);
        }
        let register = self.tile.expressions.nodes[element as usize].register;
        let (mut parents, rows) = self.spare.pop().unwrap_or_default();
        let (mut place, mut told) = (Place::default(), 0);
        loop {
            let mut elements = self.tile.memory_above(element);
            let Some(arrays) = Arrays::again(self.tile.top(array), is_shared) else { break };
            parents.clear();
            let own = reads_others.then_some(&mut parents);
            fill((form, register), &arrays, &mut place, own, &mut elements);
            if elements.len == 0 {
                break;
            }
            self.frame.check()?;
            let mark = self.tile.depth();
            self.tile.expand_to(element, elements, reads_others.then_some(&parents));
            let outcome = self.reached(level, sinks);
            self.tile.truncate(mark);
            outcome?;
            if let Some(progress) = progress {
                let done = (place.passed / each) as u64;
                progress.done.fetch_add(done - told, Ordering::Relaxed);
                told = done;
            }
        }
        if let Some(progress) = progress {
            progress.done.fetch_add(all.saturating_sub(told), Ordering::Relaxed);
        }
        self.give_back(parents, rows);
        Ok(true)
    }
}
