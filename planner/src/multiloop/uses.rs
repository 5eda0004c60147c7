//! Who reads what: uses of collections, free indices of scalars and blocks, nested blocks of lets.

use crate::multiloop::live::live_blocks;
use crate::multiloop::{BlockId, CollectionId, IndexId, Let, Program, Scalar, ScalarId, Source};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How often a collection is read in the live program, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// By `Rows` indices.
    pub rows: u32,
    /// By `Bucket`, `BucketOrNull` and `BucketAndRest` indices.
    pub buckets: u32,
    /// By `Lookup`, `Exists`, `Element` and `Single`: how many such scalars; one that two lets read counts twice.
    pub scalars: u32,
    /// By Sort, Window, Iterate and Concat, and as a block's result.
    pub whole: u32,
}

impl Use {
    /// Whether nothing reads it but one `Rows` index.
    pub fn is_one_rows(self) -> bool {
        self == Use { rows: 1, ..Use::default() }
    }
}

/// The uses of all collections of the live program, by collection.
pub fn collection_uses(program: &Program) -> Vec<Use> {
    let mut uses = vec![Use::default(); program.collections.len()];
    let mut seen = vec![false; program.scalars.len()];
    for id in live_blocks(program) {
        let block = program.block(id);
        uses[block.result.0 as usize].whole += 1;
        for each in &block.lets {
            match each {
                Let::Loop { multiloop, .. } => {
                    for index in &multiloop.nest {
                        match &index.source {
                            Source::Rows(collection) => uses[collection.0 as usize].rows += 1,
                            Source::Bucket { collection, .. }
                            | Source::BucketOrNull { collection, .. }
                            | Source::BucketAndRest { collection, .. } => {
                                uses[collection.0 as usize].buckets += 1;
                            }
                            Source::Count(_) => {}
                        }
                    }
                }
                Let::Sort { input, .. } | Let::Window { input, .. } | Let::Iterate { seed: input, .. } => {
                    uses[input.0 as usize].whole += 1;
                }
                Let::Concat { inputs, .. } => inputs.iter().for_each(|input| uses[input.0 as usize].whole += 1),
                Let::Values { .. } => {}
            }
            seen.fill(false);
            each.for_each_scalar(|id| {
                for_each_node(program, id, &mut seen, &mut |_, scalar| {
                    if let Scalar::Lookup { collection, .. }
                    | Scalar::Exists { collection, .. }
                    | Scalar::Element { collection, .. }
                    | Scalar::Single { collection, .. } = scalar
                    {
                        uses[collection.0 as usize].scalars += 1;
                    }
                });
            });
        }
    }
    uses
}

/// Visits a scalar and all below it that have not been seen, without what nested blocks hold.
pub fn for_each_node(program: &Program, id: ScalarId, seen: &mut Vec<bool>, visit: &mut impl FnMut(ScalarId, &Scalar)) {
    if std::mem::replace(&mut seen[id.0 as usize], true) {
        return;
    }
    let scalar = program.scalars.get(id);
    visit(id, scalar);
    match scalar {
        Scalar::Call { arguments, .. } => {
            arguments.iter().for_each(|&child| for_each_node(program, child, seen, visit));
        }
        Scalar::Lookup { key, .. } | Scalar::Exists { key, .. } => {
            key.iter().for_each(|part| for_each_node(program, part.scalar, seen, visit));
        }
        Scalar::Element { row, .. } => for_each_node(program, *row, seen, visit),
        _ => {}
    }
}

/// The `Nested` scalars of a let with their blocks, in the order in which they are met; not those inside blocks. The step of
/// an Iterate is no such block.
pub fn nested_of(program: &Program, each: &Let) -> Vec<(ScalarId, BlockId, u32)> {
    let mut found = Vec::new();
    if program.blocks.len() == 1 {
        return found;
    }
    let mut seen = vec![false; program.scalars.len()];
    each.for_each_scalar(|id| {
        for_each_node(program, id, &mut seen, &mut |id, scalar| {
            if let Scalar::Nested { block, field } = scalar {
                found.push((id, *block, *field));
            }
        });
    });
    found
}

/// All collections that a let reads: its inputs, what its scalars look up, and what its nested blocks read
/// (those that the blocks define themselves included).
pub fn collections_read(program: &Program, each: &Let) -> FxHashSet<CollectionId> {
    let mut read = FxHashSet::default();
    add_collections_read(program, each, &mut vec![false; program.scalars.len()], &mut read);
    read
}

fn add_collections_read(program: &Program, each: &Let, seen: &mut Vec<bool>, read: &mut FxHashSet<CollectionId>) {
    read.extend(each.inputs());
    let mut blocks: Vec<BlockId> = each.step().into_iter().collect();
    each.for_each_scalar(|id| {
        for_each_node(program, id, seen, &mut |_, scalar| match scalar {
            Scalar::Lookup { collection, .. }
            | Scalar::Exists { collection, .. }
            | Scalar::Element { collection, .. }
            | Scalar::Single { collection, .. } => {
                read.insert(*collection);
            }
            Scalar::Nested { block, .. } => blocks.push(*block),
            _ => {}
        });
    });
    for block in blocks {
        read.insert(program.block(block).result);
        program.block(block).lets.iter().for_each(|each| add_collections_read(program, each, seen, read));
    }
}

/// The indices that scalars, lets and blocks read and do not bind, each list in order. Kept while the program's
/// blocks stay as they are.
#[derive(Debug, Default)]
pub struct FreeIndices {
    scalars: FxHashMap<ScalarId, Rc<[IndexId]>>,
    blocks: FxHashMap<BlockId, Rc<[IndexId]>>,
}

impl FreeIndices {
    /// Of a scalar.
    pub fn scalar(&mut self, program: &Program, id: ScalarId) -> Rc<[IndexId]> {
        if let Some(known) = self.scalars.get(&id) {
            return known.clone();
        }
        let free: Rc<[IndexId]> = match program.scalars.get(id) {
            Scalar::Column { index, .. } => Rc::from([*index]),
            Scalar::Nested { block, .. } => self.block(program, *block),
            Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Single { .. } => Rc::from([]),
            scalar => {
                let mut all = Vec::new();
                for child in scalar.children() {
                    all.extend_from_slice(&self.scalar(program, child));
                }
                all.sort_unstable();
                all.dedup();
                Rc::from(all)
            }
        };
        self.scalars.insert(id, free.clone());
        free
    }

    /// Of a block.
    pub fn block(&mut self, program: &Program, id: BlockId) -> Rc<[IndexId]> {
        if let Some(known) = self.blocks.get(&id) {
            return known.clone();
        }
        let mut all = Vec::new();
        for each in &program.block(id).lets {
            all.extend(self.definition(program, each));
        }
        all.sort_unstable();
        all.dedup();
        let free: Rc<[IndexId]> = Rc::from(all);
        self.blocks.insert(id, free.clone());
        free
    }

    /// Of a let.
    pub fn definition(&mut self, program: &Program, each: &Let) -> Vec<IndexId> {
        let mut all = Vec::new();
        each.for_each_scalar(|id| all.extend_from_slice(&self.scalar(program, id)));
        if let Some(step) = each.step() {
            all.extend_from_slice(&self.block(program, step));
        }
        if let Let::Loop { multiloop, .. } = each {
            all.retain(|index| !multiloop.nest.iter().any(|bound| bound.id == *index));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}
