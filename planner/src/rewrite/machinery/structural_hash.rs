//! Structural hashes of lets and scalars, independent of the ids of their indices, so that candidates for equality are found
//! among thousands of lets.

use crate::multiloop::{Generator, Index, IndexId, Let, Program, Scalar, ScalarId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// What is known of the looks of a program's scalars.
#[derive(Default)]
pub(in crate::rewrite) struct StructuralHashes {
    /// The place of each index in its nest.
    places: FxHashMap<IndexId, usize>,
    scalars: FxHashMap<ScalarId, u64>,
}

/// What the nest of a loop looks like, keys and conditions apart; the same for all that is no loop.
pub(in crate::rewrite) fn nest_hash(each: &Let) -> Option<u64> {
    let Let::Loop { multiloop, .. } = each else { return None };
    let mut hasher = FxHasher::default();
    for index in &multiloop.nest {
        std::mem::discriminant(&index.source).hash(&mut hasher);
        index.source.collection().hash(&mut hasher);
    }
    Some(hasher.finish())
}

impl StructuralHashes {
    /// What each collection of a let looks like, in order.
    pub(in crate::rewrite) fn of(&mut self, program: &Program, each: &Let) -> Vec<u64> {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(each).hash(&mut hasher);
        match each {
            Let::Loop { multiloop, .. } => {
                self.nest(program, &multiloop.nest, &mut hasher);
                let look = |generator: &Generator| {
                    let mut hasher = hasher.clone();
                    std::mem::discriminant(generator).hash(&mut hasher);
                    generator.for_each_scalar(|id| self.scalar(program, id).hash(&mut hasher));
                    hasher.finish()
                };
                return multiloop.generators.iter().map(look).collect();
            }
            Let::Sort { input, order, .. } => (input, order).hash(&mut hasher),
            Let::Window { input, partition, order, functions, .. } => {
                (input, partition, order, functions).hash(&mut hasher);
            }
            Let::Iterate { seed, step, distinct, enough, last, .. } => {
                (seed, step, distinct, enough, last).hash(&mut hasher)
            }
            Let::Concat { inputs, .. } => inputs.hash(&mut hasher),
            Let::Values { rows, .. } => {
                rows.len().hash(&mut hasher);
                rows.iter().flatten().for_each(|&id| self.scalar(program, id).hash(&mut hasher));
            }
        }
        vec![hasher.finish()]
    }

    fn nest(&mut self, program: &Program, nest: &[Index], hasher: &mut FxHasher) {
        self.places.extend(nest.iter().enumerate().map(|(place, index)| (index.id, place)));
        for Index { source, .. } in nest {
            std::mem::discriminant(source).hash(hasher);
            source.collection().hash(hasher);
            source.for_each_scalar(|id| self.scalar(program, id).hash(hasher));
        }
    }

    fn scalar(&mut self, program: &Program, id: ScalarId) -> u64 {
        if let Some(&known) = self.scalars.get(&id) {
            return known;
        }
        let mut hasher = FxHasher::default();
        match program.scalars.get(id) {
            Scalar::Column { index, field } => {
                // Of another loop around the let the place says enough, too.
                (0, self.places.get(index), field).hash(&mut hasher);
            }
            // Equal constants are one scalar.
            Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Single { .. } => (1, id).hash(&mut hasher),
            Scalar::Nested { field, .. } => (2, field).hash(&mut hasher),
            scalar => {
                std::mem::discriminant(scalar).hash(&mut hasher);
                match scalar {
                    Scalar::Call { function, .. } => std::mem::discriminant(function).hash(&mut hasher),
                    Scalar::Lookup { collection, field, .. } | Scalar::Element { collection, field, .. } => {
                        (collection, field).hash(&mut hasher);
                    }
                    Scalar::Exists { collection, .. } => collection.hash(&mut hasher),
                    _ => {}
                }
                for child in scalar.each_child() {
                    self.scalar(program, child).hash(&mut hasher);
                }
            }
        }
        let look = hasher.finish();
        self.scalars.insert(id, look);
        look
    }
}
