//! The scalars of a let that read what its block makes: lookups by key, and the one row of a Reduce.

use crate::multiloop::{BlockId, CollectionId, Program, Scalar, ScalarId};

/// The scalars, those within nested blocks too, that read one of these collections, each behind what it is made of. None if a
/// nested block goes over one of them.
pub(super) fn reads_of(
    program: &Program,
    scalars: Vec<ScalarId>,
    is_made: impl Fn(CollectionId) -> bool,
) -> Option<Vec<ScalarId>> {
    let seen = vec![false; program.scalars.len()];
    let mut walk = Walk { program, is_made, seen, found: Vec::new(), goes_over_one: false };
    scalars.into_iter().for_each(|id| walk.scalar(id));
    (!walk.goes_over_one).then_some(walk.found)
}

/// The collection that a scalar reads, if it is one that does.
pub(super) fn collection_of(program: &Program, id: ScalarId) -> Option<CollectionId> {
    match program.scalars.get(id) {
        Scalar::Lookup { collection, .. }
        | Scalar::Exists { collection, .. }
        | Scalar::Element { collection, .. }
        | Scalar::Single { collection, .. } => Some(*collection),
        _ => None,
    }
}

struct Walk<'p, F> {
    program: &'p Program,
    is_made: F,
    seen: Vec<bool>,
    found: Vec<ScalarId>,
    goes_over_one: bool,
}

impl<F: Fn(CollectionId) -> bool> Walk<'_, F> {
    fn scalar(&mut self, id: ScalarId) {
        if std::mem::replace(&mut self.seen[id.0 as usize], true) {
            return;
        }
        let scalar = self.program.scalars.get(id);
        scalar.each_child().for_each(|child| self.scalar(child));
        if let Scalar::Nested { block, .. } = scalar {
            self.block(*block);
        }
        if collection_of(self.program, id).is_some_and(&self.is_made) {
            self.found.push(id);
        }
    }

    fn block(&mut self, id: BlockId) {
        let block = self.program.block(id);
        self.goes_over_one |= (self.is_made)(block.result);
        for each in &block.lets {
            self.goes_over_one |= each.inputs().iter().any(|input| (self.is_made)(*input));
            each.for_each_scalar(|id| self.scalar(id));
            if let Some(step) = each.step() {
                self.block(step);
            }
        }
    }
}
