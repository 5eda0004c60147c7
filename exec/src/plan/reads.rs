//! What a let of a plan reads.

use crate::plan::expressions::Expressions;
use crate::plan::nodes::Operation;
use crate::plan::tree::{LetKind, LetPlan, LoopPlan, Plan};
use multiloop_planner::multiloop::{BlockId, CollectionId};
use rustc_hash::FxHashSet;

/// All collections that a let reads, those of its nested blocks and rounds included (and what these define themselves), in order.
pub(crate) fn collections_read(plan: &Plan, definition: &LetPlan) -> Vec<CollectionId> {
    let mut found = Found { plan, read: FxHashSet::default(), blocks: FxHashSet::default() };
    found.definition(definition);
    let mut read: Vec<CollectionId> = found.read.into_iter().collect();
    read.sort_unstable();
    read
}

struct Found<'p> {
    plan: &'p Plan,
    read: FxHashSet<CollectionId>,
    blocks: FxHashSet<BlockId>,
}

impl Found<'_> {
    fn definition(&mut self, definition: &LetPlan) {
        match &definition.kind {
            LetKind::Loop(of) => self.of_loop(of),
            LetKind::Sort { input, .. } | LetKind::Window { input, .. } => self.read.extend([*input]),
            LetKind::Iterate { seed, step, .. } => {
                self.read.insert(*seed);
                self.block(*step);
            }
            LetKind::Concat { inputs } => self.read.extend(inputs),
            LetKind::Values { expressions, .. } => self.expressions(expressions),
        }
    }

    fn of_loop(&mut self, of: &LoopPlan) {
        self.read.extend(of.levels.iter().filter_map(|level| level.source.collection()));
        self.expressions(&of.expressions);
        if let Some(unmatched) = &of.unmatched {
            self.of_loop(unmatched);
        }
    }

    fn expressions(&mut self, expressions: &Expressions) {
        for node in &expressions.nodes {
            match &node.operation {
                Operation::Find { collection, .. }
                | Operation::Lookup { collection, .. }
                | Operation::Exists { collection, .. }
                | Operation::Element { collection, .. }
                | Operation::Single { collection, .. } => {
                    self.read.insert(*collection);
                }
                Operation::Nested { block, .. } => self.block(*block),
                _ => {}
            }
        }
    }

    fn block(&mut self, id: BlockId) {
        if !self.blocks.insert(id) {
            return;
        }
        let plan = self.plan;
        self.read.insert(plan.block(id).result);
        plan.block(id).lets.iter().for_each(|each| self.definition(each));
        if let Some(batch) = plan.batches.get(&id) {
            self.block(batch.block);
        }
        if let Some(searched) = plan.searched.get(&id) {
            self.read.insert(searched.over);
            searched.candidates.iter().for_each(|candidate| self.block(candidate.block));
        }
    }
}
