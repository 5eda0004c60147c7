//! A program without what its result cannot reach: rules leave dead scalars, blocks and collections behind, and
//! whoever comes later goes through them, or makes room for them.

use super::live::Live;
use super::{Block, BlockId, CollectionId, Let, Program, Scalar, ScalarId, ScalarMap, ScalarNode, Scalars};
use crate::function::Effects;

impl Program {
    /// Drops what the result cannot reach. Scalars, collections and blocks get new ids; indices keep theirs.
    pub fn compact(&mut self) {
        let live = Live::of(self);
        if live.is_all(self) {
            return;
        }
        let mut compaction = Compaction {
            old: std::mem::take(&mut self.scalars),
            new: Scalars::default(),
            scalars: ScalarMap::default(),
            collections: numbers(&live.collections),
            blocks: vec![None; self.blocks.len()],
        };
        for (number, block) in live.blocks.iter().enumerate() {
            compaction.blocks[block.0 as usize] = Some(BlockId(number as u32));
        }
        let mut all: Vec<Option<Block>> = std::mem::take(&mut self.blocks).into_iter().map(Some).collect();
        let mut blocks: Vec<Block> = live.blocks.iter().filter_map(|id| all[id.0 as usize].take()).collect();
        for block in &mut blocks {
            compaction.collection(&mut block.result);
            block.lets.iter_mut().for_each(|each| compaction.definition(each));
        }
        let mut flags = live.collections.iter();
        self.collections.retain(|_| flags.next().copied().unwrap_or(false));
        self.body = compaction.block(self.body);
        self.blocks = blocks;
        self.scalars = compaction.new;
    }
}

/// The new number of each old one that stays.
fn numbers(stays: &[bool]) -> Vec<Option<CollectionId>> {
    let mut next = 0;
    let number = |&stays: &bool| {
        next += u32::from(stays);
        stays.then(|| CollectionId(next - 1))
    };
    stays.iter().map(number).collect()
}

struct Compaction {
    old: Scalars,
    new: Scalars,
    scalars: ScalarMap,
    collections: Vec<Option<CollectionId>>,
    blocks: Vec<Option<BlockId>>,
}

impl Compaction {
    fn collection(&self, id: &mut CollectionId) {
        *id = self.collections[id.0 as usize].expect("what is live reads nothing dead");
    }

    fn block(&self, id: BlockId) -> BlockId {
        self.blocks[id.0 as usize].expect("what is live reads nothing dead")
    }

    fn definition(&mut self, each: &mut Let) {
        match each {
            Let::Loop { defines, multiloop } => {
                defines.iter_mut().for_each(|define| self.collection(define));
                for index in &mut multiloop.nest {
                    if let Some(collection) = index.source.collection_mut() {
                        self.collection(collection);
                    }
                }
            }
            Let::Sort { define, input, .. } => {
                self.collection(define);
                self.collection(input);
            }
            Let::Window { define, input, .. } => {
                self.collection(define);
                self.collection(input);
            }
            Let::Iterate { define, seed, working, step, .. } => {
                self.collection(define);
                self.collection(seed);
                self.collection(working);
                *step = self.block(*step);
            }
            Let::Concat { define, inputs } => {
                self.collection(define);
                inputs.iter_mut().for_each(|input| self.collection(input));
            }
            Let::Values { define, .. } => self.collection(define),
        }
        each.for_each_scalar_mut(|id| *id = self.scalar(*id));
    }

    fn scalar(&mut self, id: ScalarId) -> ScalarId {
        if let Some(known) = self.scalars.get(id) {
            return known;
        }
        let mut at = 0;
        while let Some(child) = self.old.get(id).child(at) {
            self.scalar(child);
            at += 1;
        }
        let ScalarNode { scalar, data_type } = self.old.node(id);
        let mut scalar = scalar.map_children(|child| self.scalars.get(child).expect("children come first"));
        let mut nested = Effects::PURE;
        match &mut scalar {
            Scalar::Lookup { collection, .. }
            | Scalar::Exists { collection, .. }
            | Scalar::Element { collection, .. }
            | Scalar::Single { collection, .. } => self.collection(collection),
            Scalar::Nested { block, .. } => (*block, nested) = (self.block(*block), self.old.effects(id)),
            Scalar::Column { .. } | Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Call { .. } => {}
        }
        let new = self.new.intern_with(ScalarNode { scalar, data_type: *data_type }, nested);
        self.new.set_position(new, self.old.position(id));
        self.scalars.insert(id, new);
        new
    }
}
