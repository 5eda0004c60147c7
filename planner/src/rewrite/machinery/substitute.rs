//! Replaces columns, scalars and collections by others, through the whole DAG and into nested blocks.
//!
//! A block whose content changes becomes a new block; the old one is dead. Hash-consing demands that: a `Nested`
//! node knows its block's effects. New blocks keep the inner indices and collections of the old one, because
//! what is replaced *moves*. Where it is *copied* (the original stays alive), ask for `copying`, which gives the
//! copies' indices and collections new ids.

use crate::multiloop::{
    Block, BlockId, CollectionId, Generator, Index, IndexId, Let, Multiloop, Program, Scalar, ScalarId, ScalarMap,
};
use rustc_hash::FxHashMap;

/// What to replace by what. Fill it, then apply it to all places of one scope; results are kept for the next.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    columns: FxHashMap<IndexId, Vec<ScalarId>>,
    indices: FxHashMap<IndexId, IndexId>,
    collections: FxHashMap<CollectionId, CollectionId>,
    /// What has been replaced, given and found out.
    scalars: ScalarMap,
    blocks: FxHashMap<BlockId, BlockId>,
    copies: bool,
}

impl Substitution {
    /// Nothing is replaced yet; what changes moves.
    pub fn new() -> Self {
        Substitution::default()
    }

    /// Nothing is replaced yet; the original stays alive.
    pub fn copying() -> Self {
        Substitution { copies: true, ..Substitution::default() }
    }

    /// A loop with indices of its own, for another place than that where the original stays alive.
    pub fn copied(program: &mut Program, mut multiloop: Multiloop) -> Multiloop {
        let mut copy = Substitution::copying();
        for index in &mut multiloop.nest {
            copy.index(program, index);
        }
        for generator in &mut multiloop.generators {
            copy.generator(program, generator);
        }
        multiloop
    }

    /// The columns of an index become these scalars, one a field.
    pub fn replace_index(&mut self, index: IndexId, fields: Vec<ScalarId>) {
        self.columns.insert(index, fields);
    }

    /// An index becomes another with the same fields.
    pub fn rename_index(&mut self, index: IndexId, to: IndexId) {
        self.indices.insert(index, to);
    }

    /// What reads a block reads another one that has the same fields, as values.
    pub fn readers_of(program: &mut Program, block: BlockId, to: BlockId) -> Self {
        let mut readers = Substitution::new();
        for field in 0..program.collection(program.block(block).result).fields.len() as u32 {
            let (from, to) = (program.nested(block, field), program.nested(to, field));
            let position = program.scalars.position(from);
            program.scalars.set_position(to, position);
            readers.replace_scalar(from, to);
        }
        readers
    }

    /// A scalar becomes another.
    pub fn replace_scalar(&mut self, scalar: ScalarId, by: ScalarId) {
        self.scalars.insert(scalar, by);
    }

    /// What reads a collection reads another with the same fields.
    pub fn rename_collection(&mut self, collection: CollectionId, to: CollectionId) {
        self.collections.insert(collection, to);
    }

    /// A scalar with everything replaced.
    pub fn scalar(&mut self, program: &mut Program, id: ScalarId) -> ScalarId {
        if let Some(known) = self.scalars.get(id) {
            return known;
        }
        let data_type = program.scalars.data_type(id);
        let new = match program.scalars.get(id) {
            Scalar::Constant(_) | Scalar::Parameter(_) => id,
            Scalar::Column { index, field } => {
                let (index, field) = (*index, *field);
                if let Some(columns) = self.columns.get(&index) {
                    columns[field as usize]
                } else if let Some(&to) = self.indices.get(&index) {
                    program.scalars.column(to, field, data_type)
                } else {
                    id
                }
            }
            Scalar::Single { collection, field } => match self.collections.get(collection) {
                Some(&to) => {
                    let field = *field;
                    program.scalars.intern(Scalar::Single { collection: to, field }, data_type)
                }
                None => id,
            },
            Scalar::Nested { block, field } => {
                let (block, field) = (*block, *field);
                let to = self.block(program, block);
                if to == block { id } else { program.nested(to, field) }
            }
            Scalar::Call { .. } | Scalar::Lookup { .. } | Scalar::Exists { .. } | Scalar::Element { .. } => {
                self.node(program, id)
            }
        };
        if new != id {
            let position = program.scalars.position(id);
            program.scalars.set_position(new, position);
        }
        self.scalars.insert(id, new);
        new
    }

    /// A call, lookup or exists with its children replaced.
    fn node(&mut self, program: &mut Program, id: ScalarId) -> ScalarId {
        let (mut at, mut changed) = (0, false);
        while let Some(child) = program.scalars.get(id).child(at) {
            changed |= self.scalar(program, child) != child;
            at += 1;
        }
        let node = program.scalars.node(id);
        let renamed = match &node.scalar {
            Scalar::Lookup { collection, .. }
            | Scalar::Exists { collection, .. }
            | Scalar::Element { collection, .. } => self.collections.get(collection).copied(),
            _ => None,
        };
        if !changed && renamed.is_none() {
            return id;
        }
        let data_type = node.data_type;
        let mut new = node.scalar.map_children(|child| self.scalars.get(child).unwrap_or(child));
        if let (
            Scalar::Lookup { collection, .. } | Scalar::Exists { collection, .. } | Scalar::Element { collection, .. },
            Some(to),
        ) = (&mut new, renamed)
        {
            *collection = to;
        }
        program.scalars.intern(new, data_type)
    }

    /// Replaces in all of these.
    pub fn all(&mut self, program: &mut Program, scalars: &mut [ScalarId]) {
        scalars.iter_mut().for_each(|id| *id = self.scalar(program, *id));
    }

    /// A block with everything replaced: itself if nothing in it is.
    pub fn block(&mut self, program: &mut Program, id: BlockId) -> BlockId {
        if let Some(&known) = self.blocks.get(&id) {
            return known;
        }
        let mut lets = program.block(id).lets.clone();
        let mut changed = false;
        for each in &mut lets {
            changed |= self.definition(program, each);
        }
        let result = program.block(id).result;
        let to = self.collections.get(&result).copied().unwrap_or(result);
        let new = if changed || to != result { program.add_block(Block { lets, result: to }) } else { id };
        self.blocks.insert(id, new);
        new
    }

    /// Replaces in a let; whether anything changed.
    pub fn definition(&mut self, program: &mut Program, each: &mut Let) -> bool {
        let mut changed = false;
        match each {
            Let::Loop { multiloop, .. } => {
                for index in &mut multiloop.nest {
                    changed |= self.index(program, index);
                }
                for generator in &mut multiloop.generators {
                    changed |= self.generator(program, generator);
                }
            }
            Let::Sort { input, .. } | Let::Window { input, .. } => changed |= self.collection(input),
            Let::Iterate { seed, working, step, .. } => {
                changed |= self.collection(seed);
                if self.copies {
                    self.copy_define(program, working);
                }
                let to = self.block(program, *step);
                changed |= std::mem::replace(step, to) != to;
            }
            Let::Concat { inputs, .. } => inputs.iter_mut().for_each(|input| changed |= self.collection(input)),
            Let::Values { rows, .. } => rows.iter_mut().flatten().for_each(|id| changed |= self.change(program, id)),
        }
        if self.copies {
            self.copy_defines(program, each);
            changed = true;
        }
        changed
    }

    fn copy_defines(&mut self, program: &mut Program, each: &mut Let) {
        let defines: &mut [CollectionId] = match each {
            Let::Loop { defines, .. } => defines,
            Let::Sort { define, .. }
            | Let::Window { define, .. }
            | Let::Iterate { define, .. }
            | Let::Concat { define, .. }
            | Let::Values { define, .. } => std::slice::from_mut(define),
        };
        defines.iter_mut().for_each(|define| self.copy_define(program, define));
    }

    fn copy_define(&mut self, program: &mut Program, define: &mut CollectionId) {
        let copy = program.collection(*define).clone();
        let to = program.add_collection(copy.fields, copy.shape);
        self.collections.insert(*define, to);
        *define = to;
    }

    /// Replaces in an index's source, and when copying gives it a new id; whether anything changed.
    pub fn index(&mut self, program: &mut Program, index: &mut Index) -> bool {
        let mut changed = false;
        if let Some(collection) = index.source.collection_mut() {
            changed |= self.collection(collection);
        }
        if self.copies {
            let to = program.add_index();
            self.indices.insert(index.id, to);
            index.id = to;
            changed = true;
        }
        index.source.for_each_scalar_mut(|id| changed |= self.change(program, id));
        changed
    }

    /// Replaces in a generator; whether anything changed.
    pub fn generator(&mut self, program: &mut Program, generator: &mut Generator) -> bool {
        let mut changed = false;
        generator.for_each_scalar_mut(|id| changed |= self.change(program, id));
        changed
    }

    fn change(&mut self, program: &mut Program, id: &mut ScalarId) -> bool {
        let new = self.scalar(program, *id);
        std::mem::replace(id, new) != new
    }

    fn collection(&mut self, collection: &mut CollectionId) -> bool {
        match self.collections.get(collection) {
            Some(&to) => {
                *collection = to;
                true
            }
            None => false,
        }
    }
}
