//! Finds the collections whose evaluation may fail.
//!
//! Effects of a scalar are its own: a `Single`, `Lookup` or `Exists` is pure, and yet reading it is an error if the let
//! behind it fails (lets are lazy). Whoever moves a question to where more rows ask it has to know.

use crate::multiloop::uses::{collections_read, for_each_node, nested_of};
use crate::multiloop::{BlockId, CollectionId, Let, Program, Scalar, ScalarId};

/// Which collections cannot be relied upon, of a program as it is.
pub(in crate::rewrite) struct Fallible {
    collections: Vec<bool>,
    /// Whether there is any of them.
    any: bool,
}

impl Fallible {
    /// Of the live program.
    pub(in crate::rewrite) fn of(program: &Program) -> Self {
        let mut failing = Fallible { collections: vec![false; program.collections.len()], any: false };
        failing.block(program, program.body, &mut vec![false; program.blocks.len()]);
        failing
    }

    /// A let comes behind what stands in its blocks, which come behind what stands in front of the let.
    fn block(&mut self, program: &Program, id: BlockId, seen: &mut [bool]) {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            return;
        }
        for each in &program.block(id).lets {
            let nested = nested_of(program, each).into_iter().map(|(_, nested, _)| nested);
            for nested in nested.chain(each.step()) {
                self.block(program, nested, seen);
            }
            if self.definition(program, each) {
                each.defines().iter().for_each(|define| self.collections[define.0 as usize] = true);
                self.any = true;
            }
        }
    }

    /// Whether making a let's collections may fail.
    fn definition(&self, program: &Program, each: &Let) -> bool {
        each.effects(program).may_fail || self.reads_failing(program, each)
    }

    /// Whether a collection may fail to be made.
    pub(in crate::rewrite) fn collection(&self, id: CollectionId) -> bool {
        self.collections[id.0 as usize]
    }

    /// Whether a let reads what may fail.
    pub(in crate::rewrite) fn reads_failing(&self, program: &Program, each: &Let) -> bool {
        self.any && collections_read(program, each).iter().any(|read| self.collections[read.0 as usize])
    }

    /// Whether evaluating a scalar has no effect, not even that of what it asks.
    pub(in crate::rewrite) fn is_pure(&self, program: &Program, id: ScalarId) -> bool {
        let mut pure = program.scalars.effects(id).is_pure();
        if pure && self.any {
            for_each_node(program, id, &mut vec![false; program.scalars.len()], &mut |_, scalar| match scalar {
                Scalar::Single { collection, .. }
                | Scalar::Lookup { collection, .. }
                | Scalar::Exists { collection, .. }
                | Scalar::Element { collection, .. } => pure &= !self.collections[collection.0 as usize],
                Scalar::Nested { block, .. } => {
                    let lets = &program.block(*block).lets;
                    pure &= !lets.iter().any(|each| self.reads_failing(program, each));
                }
                _ => {}
            });
        }
        pure
    }
}
