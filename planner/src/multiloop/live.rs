//! What of a program its result can reach. Rules leave dead scalars, blocks and collections behind; whoever goes
//! through a program goes through its live part.

use super::{BlockId, CollectionId, Let, Program, Scalar, ScalarId, Shape};

/// The blocks that can be reached, an enclosing one before those nested in it.
pub fn live_blocks(program: &Program) -> Vec<BlockId> {
    if program.blocks.len() == 1 {
        return vec![program.body];
    }
    let mut walk = Walk::new(program);
    walk.block(program.body);
    walk.blocks
}

/// The tables that can be reached, by id.
pub(super) fn live_tables(program: &Program) -> Vec<CollectionId> {
    let mut walk = Walk::new(program);
    walk.block(program.body);
    let is_table = |id: &CollectionId| matches!(program.collection(*id).shape, Shape::Table { .. });
    let mut tables: Vec<CollectionId> = walk.collections.into_iter().filter(is_table).collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

/// All that can be reached.
pub(super) struct Live {
    /// An enclosing block comes before those nested in it.
    pub(super) blocks: Vec<BlockId>,
    /// By id: what live lets define, and the tables that are read.
    pub(super) collections: Vec<bool>,
    scalars: usize,
}

impl Live {
    pub(super) fn of(program: &Program) -> Self {
        let mut walk = Walk::new(program);
        walk.block(program.body);
        let scalars = walk.seen.iter().filter(|&&seen| seen).count();
        let mut collections = vec![false; program.collections.len()];
        let lets = walk.blocks.iter().flat_map(|&id| &program.block(id).lets);
        let live = lets.flat_map(Let::defines).chain(&walk.collections);
        live.for_each(|id| collections[id.0 as usize] = true);
        Live { blocks: walk.blocks, collections, scalars }
    }

    /// Whether nothing of the program is dead.
    pub(super) fn is_all(&self, program: &Program) -> bool {
        self.blocks.len() == program.blocks.len()
            && self.scalars == program.scalars.len()
            && self.collections.iter().all(|&live| live)
    }
}

struct Walk<'p> {
    program: &'p Program,
    seen: Vec<bool>,
    seen_blocks: Vec<bool>,
    blocks: Vec<BlockId>,
    collections: Vec<CollectionId>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Self {
        Walk {
            program,
            seen: vec![false; program.scalars.len()],
            seen_blocks: vec![false; program.blocks.len()],
            blocks: Vec::new(),
            collections: Vec::new(),
        }
    }

    fn block(&mut self, id: BlockId) {
        if std::mem::replace(&mut self.seen_blocks[id.0 as usize], true) {
            return;
        }
        self.blocks.push(id);
        let program = self.program;
        let block = program.block(id);
        self.collections.push(block.result);
        for each in &block.lets {
            match each {
                Let::Loop { multiloop, .. } => {
                    for index in &multiloop.nest {
                        self.collections.extend(index.source.collection());
                    }
                }
                Let::Sort { input, .. } | Let::Window { input, .. } => self.collections.push(*input),
                Let::Iterate { seed, working, step, .. } => {
                    self.collections.extend([*seed, *working]);
                    self.block(*step);
                }
                Let::Concat { inputs, .. } => self.collections.extend(inputs),
                Let::Values { .. } => {}
            }
            each.for_each_scalar(|id| self.scalar(id));
        }
    }

    fn scalar(&mut self, id: ScalarId) {
        if std::mem::replace(&mut self.seen[id.0 as usize], true) {
            return;
        }
        match self.program.scalars.get(id) {
            Scalar::Column { .. } | Scalar::Constant(_) | Scalar::Parameter(_) => {}
            Scalar::Call { arguments, .. } => arguments.iter().for_each(|&child| self.scalar(child)),
            Scalar::Lookup { collection, key, .. } | Scalar::Exists { collection, key } => {
                self.collections.push(*collection);
                key.iter().for_each(|part| self.scalar(part.scalar));
            }
            Scalar::Element { collection, row, .. } => {
                self.collections.push(*collection);
                self.scalar(*row);
            }
            Scalar::Single { collection, .. } => self.collections.push(*collection),
            Scalar::Nested { block, .. } => self.block(*block),
        }
    }
}
