//! Goes through a program, block by block, and notes what each let reads.

use super::{Layout, Read, Stencil};
use crate::multiloop::uses::{FreeIndices, collections_read};
use crate::multiloop::{
    BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::dependencies::Definition;
use crate::rewrite::machinery::selectivity::Selectivity;
use rustc_hash::FxHashMap;

/// A loop around a nested block.
struct Around {
    indices: Vec<IndexId>,
    /// How often the block is asked by it, about.
    rows: f64,
    /// What the loop goes over.
    over: Option<CollectionId>,
}

pub(super) struct Walk<'p> {
    program: &'p Program,
    selectivity: Selectivity<'p>,
    free: FreeIndices,
    layouts: Vec<Layout>,
    rows: Vec<f64>,
    reads: Vec<Read>,
    around: Vec<Around>,
    /// The indices around its block that a collection of a nested block depends on, by collection.
    depends: Vec<Vec<IndexId>>,
    /// Blocks that have been gone through.
    seen: Vec<bool>,
    /// The position of what a let reads of a collection.
    noted: FxHashMap<(CollectionId, CollectionId), usize>,
    /// The last let that a scalar has been looked at for, by scalar.
    seen_for: Vec<Option<CollectionId>>,
}

/// A let, by the first collection that it defines: the block that it stands in, and how many rows around it ask for it.
#[derive(Clone, Copy)]
struct Place {
    reader: CollectionId,
    block: Option<BlockId>,
    asking: (f64, Option<CollectionId>),
}

impl<'p> Walk<'p> {
    /// Layouts and rows by collection, and what is read.
    pub(super) fn over(program: &'p Program, made: &'p [Option<Definition>]) -> (Vec<Layout>, Vec<f64>, Vec<Read>) {
        let count = program.collections.len();
        let mut walk = Walk {
            program,
            selectivity: Selectivity::of(program, made),
            free: FreeIndices::default(),
            layouts: vec![Layout::Local; count],
            rows: vec![0.0; count],
            reads: Vec::new(),
            around: Vec::new(),
            depends: vec![Vec::new(); count],
            seen: vec![false; program.blocks.len()],
            noted: FxHashMap::default(),
            seen_for: vec![None; program.scalars.len()],
        };
        for (at, collection) in program.collections.iter().enumerate() {
            if let Shape::Table { statistics, .. } = &collection.shape {
                walk.set(CollectionId(at as u32), statistics.likely_rows() as f64);
            }
        }
        walk.block(program.body, None);
        (walk.layouts, walk.rows, walk.reads)
    }

    fn set(&mut self, id: CollectionId, rows: f64) {
        self.rows[id.0 as usize] = rows;
        self.layouts[id.0 as usize] = Layout::of(rows);
    }

    fn rows_of(&self, id: CollectionId) -> f64 {
        self.rows[id.0 as usize]
    }

    fn block(&mut self, id: BlockId, nested: Option<BlockId>) {
        if std::mem::replace(&mut self.seen[id.0 as usize], true) {
            return;
        }
        for each in &self.program.block(id).lets {
            self.definition(each, nested);
        }
    }

    fn definition(&mut self, each: &'p Let, block: Option<BlockId>) {
        let place = Place { reader: each.defines()[0], block, asking: self.asking(each) };
        match each {
            Let::Loop { defines, multiloop } => self.multiloop(place, defines, multiloop),
            Let::Sort { define, input, .. } | Let::Window { define, input, .. } => {
                self.whole(place, *input);
                self.set(*define, self.rows_of(*input));
            }
            Let::Concat { define, inputs } => {
                inputs.iter().for_each(|&input| self.whole(place, input));
                self.set(*define, inputs.iter().map(|&input| self.rows_of(input)).sum());
            }
            Let::Values { define, rows } => {
                for &id in rows.iter().flatten() {
                    self.scalar(place, id);
                }
                self.set(*define, rows.len() as f64);
            }
            Let::Iterate { define, seed, working, step, .. } => {
                self.whole(place, *seed);
                for id in [*define, *working] {
                    self.set(id, self.rows_of(*seed));
                }
                self.block(*step, block);
            }
        }
    }

    /// How many rows around ask for what a let makes, and what they are rows of; one that nothing around it says anything to is
    /// made once.
    fn asking(&mut self, each: &'p Let) -> (f64, Option<CollectionId>) {
        let mut asked = self.free.definition(self.program, each);
        if !self.around.is_empty() {
            for read in collections_read(self.program, each) {
                asked.extend_from_slice(&self.depends[read.0 as usize]);
            }
        }
        for define in each.defines() {
            self.depends[define.0 as usize].clone_from(&asked);
        }
        let asks = |around: &&Around| around.indices.iter().any(|index| asked.contains(index));
        let asking = self.around.iter().filter(asks);
        asking.fold((1.0, None), |(times, over), around| (times * around.rows, over.or(around.over)))
    }

    fn multiloop(&mut self, place: Place, defines: &[CollectionId], multiloop: &'p Multiloop) {
        let nest = &multiloop.nest;
        // What the scalars of an index ask for, each setting in front of it asks; those of generators, the whole nest.
        for at in 0..nest.len() {
            let (times, over) = self.settings(place, multiloop, at);
            let here = Place { asking: (times, over), ..place };
            self.within(nest, times / place.asking.0, |walk| {
                nest[at].source.for_each_scalar(|id| walk.scalar(here, id));
            });
            self.source(here, multiloop, at);
        }
        let rows = self.selectivity.rows_of_nest(nest, &[]);
        self.within(nest, rows, |walk| {
            for generator in &multiloop.generators {
                generator.for_each_scalar(|id| walk.scalar(place, id));
            }
        });
        for (&define, generator) in defines.iter().zip(&multiloop.generators) {
            let found = self.selectivity.rows_of_nest(nest, generator.condition());
            self.set(define, rows_made(generator, found, || self.selectivity.keys_of_nest(nest, generator.key())));
        }
    }

    /// Does something as if it stood in a nested block of a loop.
    fn within(&mut self, nest: &[Index], rows: f64, work: impl FnOnce(&mut Self)) {
        let indices = nest.iter().map(|index| index.id).collect();
        self.around.push(Around { indices, rows, over: nest[0].source.collection() });
        work(self);
        self.around.pop();
    }

    /// How many settings the indices in front of one have, with all that is around the loop, and what they are rows of.
    fn settings(&mut self, place: Place, multiloop: &Multiloop, at: usize) -> (f64, Option<CollectionId>) {
        let Multiloop { nest, generators } = multiloop;
        if at == 0 {
            return place.asking;
        }
        let (front, rest) = nest.split_at(at);
        let mut conditions = generators[0].condition().to_vec();
        let reads_rest = |free: &[IndexId]| rest.iter().any(|index| free.contains(&index.id));
        conditions.retain(|&id| !reads_rest(&self.free.scalar(self.program, id)));
        let rows = self.selectivity.rows_of_nest(front, &conditions);
        (place.asking.0 * rows, place.asking.1.or(front[0].source.collection()))
    }

    /// What an index of a nest reads.
    fn source(&mut self, place: Place, multiloop: &Multiloop, at: usize) {
        let index = &multiloop.nest[at];
        let Some(collection) = index.source.collection() else { return };
        let is_keyed = index.source.probe().is_some_and(|(key, _)| !key.is_empty());
        let is_first = at == 0 && place.asking.1.is_none();
        let stencil = match (&index.source, is_keyed) {
            _ if matches!(self.program.collection(collection).shape, Shape::Single) => Stencil::Const,
            (Source::Rows(_), _) if is_first => Stencil::One,
            (_, true) => self.keyed(index.source.probe().map_or(&[], |(key, _)| key)),
            _ if self.is_compared(multiloop, index) => Stencil::Unknown,
            _ => Stencil::All,
        };
        self.read(place, collection, stencil);
    }

    /// Whether rows of an index count by a comparison with rows in front of it, for all generators.
    fn is_compared(&mut self, multiloop: &Multiloop, index: &Index) -> bool {
        let is_across = |walk: &mut Self, &id: &ScalarId| {
            let free = walk.free.scalar(walk.program, id);
            free.contains(&index.id) && free.iter().any(|other| *other != index.id)
        };
        let own = index.source.probe().map_or(&[][..], |(_, condition)| condition);
        own.iter().any(|id| is_across(self, id))
            || multiloop.generators.iter().all(|generator| generator.condition().iter().any(|id| is_across(self, id)))
    }

    fn keyed(&mut self, key: &[KeyPart]) -> Stencil {
        let is_fixed = key.iter().all(|part| self.free.scalar(self.program, part.scalar).is_empty());
        if is_fixed { Stencil::Const } else { Stencil::Interval }
    }

    /// What a let that is no loop reads: each row once.
    fn whole(&mut self, place: Place, collection: CollectionId) {
        let stencil = if place.asking.1.is_none() { Stencil::One } else { Stencil::All };
        self.read(place, collection, stencil);
    }

    /// What a scalar asks for, and the blocks in it.
    fn scalar(&mut self, place: Place, id: ScalarId) {
        // What many scalars share is looked at once for a let.
        if self.seen_for[id.0 as usize].replace(place.reader) == Some(place.reader) {
            return;
        }
        let program = self.program;
        match program.scalars.get(id) {
            Scalar::Lookup { collection, key, .. } | Scalar::Exists { collection, key } => {
                key.iter().for_each(|part| self.scalar(place, part.scalar));
                let stencil = self.keyed(key);
                self.read(place, *collection, stencil);
            }
            Scalar::Single { collection, .. } => self.read(place, *collection, Stencil::Const),
            // What has found the row is a lookup or a search.
            Scalar::Element { collection, row, .. } => {
                self.scalar(place, *row);
                self.read(place, *collection, Stencil::Interval);
            }
            Scalar::Nested { block, .. } => self.block(*block, Some(*block)),
            Scalar::Call { arguments, .. } => arguments.iter().for_each(|&argument| self.scalar(place, argument)),
            Scalar::Column { .. } | Scalar::Constant(_) | Scalar::Parameter(_) => {}
        }
    }

    /// Notes that a let reads a collection: once, as it does at worst.
    fn read(&mut self, place: Place, collection: CollectionId, stencil: Stencil) {
        let Place { reader, block, asking } = place;
        match self.noted.get(&(reader, collection)) {
            Some(&at) if self.reads[at].stencil >= stencil => {}
            Some(&at) => (self.reads[at].stencil, self.reads[at].asking) = (stencil, asking),
            None => {
                self.noted.insert((reader, collection), self.reads.len());
                self.reads.push(Read { reader, collection, stencil, block, asking });
            }
        }
    }
}

/// How many rows a generator makes of so many that pass its condition.
fn rows_made(generator: &Generator, found: f64, keys: impl FnOnce() -> f64) -> f64 {
    match generator {
        Generator::Collect { .. } | Generator::BucketCollect { .. } => found,
        Generator::BucketReduce { .. } => found.min(keys()),
        // The rows of a top-k are few, as a rule.
        Generator::Reduce { .. } => 1.0,
    }
}
