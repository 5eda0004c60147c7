//! Ends trees and blocks without nesting: what nobody else holds of a value is put on a list, one level after the other. A chain of
//! a hundred thousand steps would otherwise overflow the stack of the thread that drops it.

use super::block::{Block, JoinStep, Source};
use super::expression::Order;
use super::over::{Bound, Window};
use super::tree::{Call, Tree};
use std::mem;
use std::sync::Arc;

/// What waits for its end.
enum Part {
    Tree(Tree),
    Block(Box<Block>),
}

type Waiting = Vec<Part>;

impl Drop for Tree {
    fn drop(&mut self) {
        if self.nests() {
            let mut waiting = Vec::new();
            release_parts(self, &mut waiting);
            end(waiting);
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut waiting = Vec::new();
        release_block_parts(self, &mut waiting);
        end(waiting);
    }
}

fn end(mut waiting: Waiting) {
    while let Some(part) = waiting.pop() {
        match part {
            Part::Tree(mut tree) => release_parts(&mut tree, &mut waiting),
            Part::Block(mut block) => release_block_parts(&mut block, &mut waiting),
        }
    }
}

impl Tree {
    /// Whether it has parts.
    fn nests(&self) -> bool {
        !matches!(
            self,
            Tree::Column { .. }
                | Tree::Number(_)
                | Tree::Text(_)
                | Tree::Boolean(_)
                | Tree::Null
                | Tree::Typed(..)
                | Tree::Value(..)
                | Tree::Failure(_)
                | Tree::Parameter(_)
        )
    }
}

fn release(tree: &mut Tree, waiting: &mut Waiting) {
    if tree.nests() {
        waiting.push(Part::Tree(mem::replace(tree, Tree::Null)));
    }
}

fn release_one(tree: &mut Arc<Tree>, waiting: &mut Waiting) {
    if let Some(tree) = Arc::get_mut(tree) {
        release(tree, waiting);
    }
}

fn release_all(trees: &mut Arc<[Tree]>, waiting: &mut Waiting) {
    Arc::get_mut(trees).into_iter().flatten().for_each(|tree| release(tree, waiting));
}

fn release_order(order: &mut [Order], waiting: &mut Waiting) {
    order.iter_mut().for_each(|key| release(&mut key.tree, waiting));
}

fn release_shared(block: &mut Arc<Block>, waiting: &mut Waiting) {
    if let Some(block) = Arc::get_mut(block) {
        waiting.push(Part::Block(Box::new(mem::replace(block, Block::of(Source::Nothing)))));
    }
}

fn release_parts(tree: &mut Tree, waiting: &mut Waiting) {
    match tree {
        Tree::Not(a)
        | Tree::Unary(_, a)
        | Tree::NullTest(_, a)
        | Tree::Truth(_, _, a)
        | Tree::Cast(a, _)
        | Tree::Extract(_, a) => release_one(a, waiting),
        Tree::And(a, b)
        | Tree::Or(a, b)
        | Tree::AnyOf(a, b)
        | Tree::Compare(_, a, b)
        | Tree::Distinct(_, a, b)
        | Tree::Operator(_, a, b)
        | Tree::Like(_, a, b) => {
            release_one(a, waiting);
            release_one(b, waiting);
        }
        Tree::Between(a, b, c) => [a, b, c].into_iter().for_each(|tree| release_one(tree, waiting)),
        Tree::In(a, all) | Tree::Subscript(a, all) => {
            release_one(a, waiting);
            release_all(all, waiting);
        }
        Tree::Case(branches, otherwise) => {
            for (condition, result) in Arc::get_mut(branches).into_iter().flatten() {
                release(condition, waiting);
                release(result, waiting);
            }
            release_one(otherwise, waiting);
        }
        Tree::Array(all) => release_all(all, waiting),
        Tree::Call(call) => release_call(call, waiting),
        Tree::Scalar(block) | Tree::Exists(block) | Tree::ArrayOf(block) => release_shared(block, waiting),
        Tree::InRows(all, block) => {
            release_all(all, waiting);
            release_shared(block, waiting);
        }
        _ => {}
    }
}

fn release_call(call: &mut Call, waiting: &mut Waiting) {
    call.arguments.iter_mut().for_each(|arguments| release_all(arguments, waiting));
    call.filter.iter_mut().for_each(|filter| release_one(filter, waiting));
    release_order(&mut call.order, waiting);
    if let Some(Window { partition, order, frame }) = call.over.as_mut().and_then(Arc::get_mut) {
        partition.iter_mut().for_each(|key| release(key, waiting));
        release_order(order, waiting);
        for bound in frame.iter_mut().flat_map(|frame| [&mut frame.start, &mut frame.end]) {
            if let Bound::Before(distance) | Bound::Behind(distance) = bound {
                release(distance, waiting);
            }
        }
    }
}

fn release_block_parts(block: &mut Block, waiting: &mut Waiting) {
    release_source(&mut block.from, waiting);
    for JoinStep { source, on, .. } in &mut block.joins {
        release_source(source, waiting);
        release(on, waiting);
    }
    let conditions = block.filter.iter_mut().chain(&mut block.having);
    conditions.chain(&mut block.keys).chain(&mut block.distinct_on).for_each(|tree| release(tree, waiting));
    block.columns.iter_mut().flatten().for_each(|column| release(&mut column.tree, waiting));
    release_order(&mut block.order, waiting);
}

fn release_source(source: &mut Source, waiting: &mut Waiting) {
    match source {
        Source::Nothing | Source::Table { .. } | Source::State { .. } => {}
        Source::Iterate { iteration, .. } => {
            let until = iteration.until.as_mut().map(|(_, until)| until);
            let parts = until.into_iter().chain([&mut iteration.step, &mut iteration.seed]);
            parts.for_each(|block| release_shared(block, waiting));
        }
        Source::Derived { block, .. } | Source::Shared { block, .. } => release_shared(block, waiting),
        Source::Set { left, right, .. } => {
            release_shared(left, waiting);
            release_shared(right, waiting);
        }
        Source::Values { rows, .. } => {
            rows.iter_mut().flatten().for_each(|value| release(value, waiting));
        }
        Source::Function { call, .. } => release_call(call, waiting),
    }
}
