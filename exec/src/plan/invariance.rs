//! Which collections depend on the rows that enclosing loops stand on (or are volatile). All others are computed
//! once, even when they stand in a nested block that is evaluated for every row, or in the step of an iteration: what reads
//! its rounds varies.

use multiloop_planner::multiloop::{Block, BlockId, CollectionId, IndexId, Let, Program, Scalar, ScalarId};
use rustc_hash::FxHashSet;

/// The collections that must be computed anew whenever their block is evaluated: the body's, or one of others that nothing of it
/// asks.
pub(crate) fn variant_collections(program: &Program, others: &[BlockId]) -> FxHashSet<CollectionId> {
    let mut variance = Variance { program, variant: FxHashSet::default() };
    variance.block(program.body());
    for &other in others {
        variance.block(program.block(other));
    }
    variance.variant
}

struct Variance<'p> {
    program: &'p Program,
    variant: FxHashSet<CollectionId>,
}

/// What a piece of program reads from around it.
#[derive(Default)]
struct Reads {
    indices: FxHashSet<IndexId>,
    collections: FxHashSet<CollectionId>,
    volatile: bool,
}

impl Reads {
    fn add(&mut self, other: Reads) {
        self.indices.extend(other.indices);
        self.collections.extend(other.collections);
        self.volatile |= other.volatile;
    }
}

impl Variance<'_> {
    fn block(&mut self, block: &Block) -> Reads {
        let mut all = Reads::default();
        for definition in &block.lets {
            let reads = self.definition(definition);
            let varies = !reads.indices.is_empty()
                || reads.volatile
                || reads.collections.iter().any(|collection| self.variant.contains(collection));
            if varies {
                self.variant.extend(definition.defines());
            }
            all.add(reads);
        }
        all.collections.insert(block.result);
        for definition in &block.lets {
            for defined in definition.defines() {
                all.collections.remove(defined);
            }
        }
        all
    }

    fn definition(&mut self, definition: &Let) -> Reads {
        let mut reads = Reads::default();
        match definition {
            Let::Loop { multiloop, .. } => {
                for index in &multiloop.nest {
                    reads.collections.extend(index.source.collection());
                    reads.add(self.scalars(index.source.scalars()));
                }
                for generator in &multiloop.generators {
                    reads.add(self.scalars(generator.scalars()));
                }
                for index in &multiloop.nest {
                    reads.indices.remove(&index.id);
                }
            }
            Let::Sort { input, .. } | Let::Window { input, .. } => {
                reads.collections.insert(*input);
            }
            Let::Iterate { seed, working, step, .. } => {
                self.variant.insert(*working);
                reads.add(self.block(self.program.block(*step)));
                reads.collections.remove(working);
                reads.collections.insert(*seed);
            }
            Let::Concat { inputs, .. } => reads.collections.extend(inputs),
            Let::Values { rows, .. } => reads.add(self.scalars(rows.iter().flatten().copied().collect())),
        }
        reads
    }

    fn scalars(&mut self, mut stack: Vec<ScalarId>) -> Reads {
        let program = self.program;
        let mut reads = Reads::default();
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            reads.volatile |= program.scalars.effects(id).volatile;
            let scalar = program.scalars.get(id);
            match scalar {
                Scalar::Column { index, .. } => {
                    reads.indices.insert(*index);
                }
                Scalar::Lookup { collection, .. }
                | Scalar::Exists { collection, .. }
                | Scalar::Element { collection, .. }
                | Scalar::Single { collection, .. } => {
                    reads.collections.insert(*collection);
                }
                Scalar::Nested { block, .. } => reads.add(self.block(program.block(*block))),
                Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Call { .. } => {}
            }
            stack.extend(scalar.children());
        }
        reads
    }
}
