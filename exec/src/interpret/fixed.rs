//! Loop-invariant lets: those that read no index from outside of themselves, nothing volatile, and no collection that changes.
//! A nested block computes them once, not for every row around it.

use super::Definition;
use multiloop_planner::multiloop::{
    Block, BlockId, CollectionId, IndexId, Let, Program, Scalar, ScalarId, Shape, Source,
};
use rustc_hash::FxHashSet;

/// For each collection (but tables, and what no reachable block defines) its let.
pub(super) fn definitions(program: &Program) -> Vec<Option<Definition<'_>>> {
    let mut definitions: Vec<Option<Definition>> = vec![None; program.collections.len()];
    let mut blocks = vec![program.body];
    let mut seen = FxHashSet::default();
    while let Some(block) = blocks.pop() {
        if !seen.insert(block) {
            continue;
        }
        for r#let in &program.block(block).lets {
            let mut reads = Reads::default();
            reads.add_let(program, r#let);
            for define in r#let.defines() {
                definitions[define.0 as usize] = Some(Definition { r#let, fixed: false });
            }
            blocks.extend(reads.blocks);
        }
    }
    let mut known = vec![None; program.collections.len()];
    for id in 0..program.collections.len() {
        let fixed = is_fixed(program, &definitions, CollectionId(id as u32), &mut known);
        if let Some(definition) = &mut definitions[id] {
            definition.fixed = fixed;
        }
    }
    definitions
}

fn is_fixed(
    program: &Program,
    definitions: &[Option<Definition>],
    id: CollectionId,
    known: &mut Vec<Option<bool>>,
) -> bool {
    if matches!(program.collection(id).shape, Shape::Table { .. }) {
        return true;
    }
    if let Some(fixed) = known[id.0 as usize] {
        return fixed;
    }
    let Some(definition) = definitions[id.0 as usize] else { return false };
    let mut reads = Reads::default();
    reads.add_let(program, definition.r#let);
    let outside = |collection: &&CollectionId| !reads.defined.contains(collection);
    let fixed = !reads.volatile
        && reads.indices.is_subset(&reads.bound)
        && reads.collections.iter().filter(outside).all(|read| is_fixed(program, definitions, *read, known));
    known[id.0 as usize] = Some(fixed);
    fixed
}

/// What a let reads and makes, nested blocks and all.
#[derive(Default)]
struct Reads {
    indices: FxHashSet<IndexId>,
    bound: FxHashSet<IndexId>,
    collections: FxHashSet<CollectionId>,
    defined: FxHashSet<CollectionId>,
    blocks: Vec<BlockId>,
    scalars: FxHashSet<ScalarId>,
    volatile: bool,
}

impl Reads {
    fn add_block(&mut self, program: &Program, block: &Block) {
        self.collections.insert(block.result);
        for r#let in &block.lets {
            self.add_let(program, r#let);
        }
    }

    fn add_let(&mut self, program: &Program, r#let: &Let) {
        self.defined.extend(r#let.defines());
        match r#let {
            Let::Loop { multiloop, .. } => {
                for index in &multiloop.nest {
                    self.bound.insert(index.id);
                    self.add_source(program, &index.source);
                }
                for scalar in multiloop.generators.iter().flat_map(|generator| generator.scalars()) {
                    self.add_scalar(program, scalar);
                }
            }
            Let::Sort { input, .. } | Let::Window { input, .. } => {
                self.collections.insert(*input);
            }
            Let::Iterate { seed, working, step, .. } => {
                self.collections.insert(*seed);
                self.defined.insert(*working);
                self.blocks.push(*step);
                self.add_block(program, program.block(*step));
            }
            Let::Concat { inputs, .. } => self.collections.extend(inputs),
            Let::Values { rows, .. } => rows.iter().flatten().for_each(|scalar| self.add_scalar(program, *scalar)),
        }
    }

    fn add_source(&mut self, program: &Program, source: &Source) {
        self.collections.extend(source.collection());
        for scalar in source.scalars() {
            self.add_scalar(program, scalar);
        }
    }

    fn add_scalar(&mut self, program: &Program, id: ScalarId) {
        if !self.scalars.insert(id) {
            return;
        }
        self.volatile |= program.scalars.effects(id).volatile;
        let scalar = program.scalars.get(id);
        match scalar {
            Scalar::Column { index, .. } => {
                self.indices.insert(*index);
            }
            Scalar::Lookup { collection, .. }
            | Scalar::Exists { collection, .. }
            | Scalar::Element { collection, .. }
            | Scalar::Single { collection, .. } => {
                self.collections.insert(*collection);
            }
            Scalar::Nested { block, .. } => {
                self.blocks.push(*block);
                self.add_block(program, program.block(*block));
            }
            Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Call { .. } => {}
        }
        for child in scalar.children() {
            self.add_scalar(program, child);
        }
    }
}
