//! A tile: some tuples of a nest, and the scalars computed of them.
//!
//! A tuple is one setting of the nest's indices that are reached so far; a tile holds up to a few thousand of them.
//! A tile is a stack of *levels*, each derived from the one below: `start` makes the first (the outermost index
//! stands on a range of rows), `expand` adds an index (parents may repeat: a join), `select` keeps some tuples (a
//! filter). Vectors computed at a level stay there; a higher level takes them over by position if it wants them, so
//! nothing is computed twice and going back (`truncate`) costs nothing. The memory of popped levels is reused.
//!
//! A worker makes one tile per loop and uses it for all its morsels:
//!
//! ```text
//! let mut tile = Tile::new(&expressions, &collections, bindings);
//! tile.set_source(0, Source::chunk(chunk, fields));
//! for each range of at most TILE_ROWS rows:
//!     tile.start(first, len);
//!     tile.filter(&conjuncts)?;                  // pushes a level if tuples fall away
//!     let mark = tile.depth();
//!     tile.evaluate(key)?;                       // probe; make pairs (parents, rows)
//!     for each part of at most TILE_ROWS pairs:
//!         tile.expand(&parents, &rows);
//!         tile.filter(&more)?;
//!         tile.evaluate(value)?; … tile.vector(value) …
//!         tile.truncate(mark);
//! ```

use crate::cpu::collections::bindings::Bindings;
use crate::cpu::expression::environment::{Collections, Neighbours};
use crate::cpu::simd::kernel::append;
use crate::cpu::vector::Vector;
use crate::cpu::vector::rows::{Rows, Source, Tuples};
use crate::plan::expressions::Expressions;
use multiloop_planner::multiloop::{CollectionId, ScalarId};
use rustc_hash::FxHashMap;

/// Tuples of a nest and the scalars computed of them; see the file's head.
pub struct Tile<'a> {
    pub(crate) expressions: &'a Expressions,
    pub(crate) collections: &'a dyn Collections,
    pub(crate) bindings: Bindings<'a>,
    pub(crate) sources: Vec<Option<Source>>,
    /// Level 0 holds what reads no index (one tuple, never popped); `start` makes level 1.
    pub(crate) levels: Vec<Level>,
    /// Levels in use; those behind are kept for their memory.
    pub(crate) depth: usize,
    pub(crate) caches: crate::cpu::expression::Caches,
    /// What strings that grow hold.
    pub(crate) held: crate::cpu::expression::Held,
    /// By collection: what makes own groups for the rows of the outermost index.
    pub(crate) neighbours: FxHashMap<CollectionId, Box<dyn Neighbours + 'a>>,
}

/// One level of a tile.
#[derive(Debug, Default)]
pub(crate) struct Level {
    pub(crate) tuples: Tuples,
    /// For each tuple the tuple of the level below that it comes from.
    pub(crate) parents: Vec<u32>,
    /// By expression number; valid where `computed` says so.
    pub(crate) vectors: Vec<Vector>,
    pub(crate) computed: Vec<bool>,
    /// The numbers set in `computed`, to unset them.
    pub(crate) touched: Vec<u32>,
}

impl Level {
    fn reset(&mut self, expressions: usize) {
        for number in self.touched.drain(..) {
            self.computed[number as usize] = false;
        }
        if self.vectors.len() < expressions {
            self.vectors.resize_with(expressions, Vector::default);
            self.computed.resize(expressions, false);
        }
    }
}

impl<'a> Tile<'a> {
    /// A tile without tuples.
    pub fn new(expressions: &'a Expressions, collections: &'a dyn Collections, bindings: Bindings<'a>) -> Self {
        let mut ground = Level { tuples: Tuples { len: 1, rows: Vec::new() }, ..Level::default() };
        ground.reset(expressions.len());
        Tile {
            expressions,
            collections,
            bindings,
            sources: vec![None; expressions.indices()],
            levels: vec![ground],
            depth: 1,
            caches: crate::cpu::expression::Caches::default(),
            held: crate::cpu::expression::Held::default(),
            neighbours: FxHashMap::default(),
        }
    }

    /// Says what the rows of an index (by position in the nest) are rows of; before a `start` or the `expand` of it.
    pub fn set_source(&mut self, index: usize, source: Source) {
        self.sources[index] = Some(source);
    }

    /// Makes the outermost index stand on `len` rows from `first` on; all levels of before are gone.
    pub fn start(&mut self, first: u32, len: usize) {
        self.depth = 1;
        self.held.bytes = 0;
        let level = self.push();
        level.tuples.len = len;
        level.tuples.rows.clear();
        level.tuples.rows.push(Rows::Range(first));
    }

    /// Adds the next index of the nest: new tuple i is old tuple `parents[i]`, with the index on `rows[i]`.
    pub fn expand(&mut self, parents: &[u32], rows: &[u32]) {
        assert_eq!(parents.len(), rows.len(), "a row for each tuple");
        self.derive(parents, 1);
        let outer = self.levels[self.depth - 2].tuples.rows.len();
        let lists = &mut self.levels[self.depth - 1].tuples.rows;
        if lists.len() == outer {
            lists.push(Rows::List(Vec::with_capacity(parents.len())));
        }
        let mut list = lists[outer].take_memory();
        list.extend_from_slice(rows);
        lists[outer] = Rows::List(list);
    }

    /// The memory that a node has on the level above the top one.
    pub(in crate::cpu) fn memory_above(&mut self, number: u32) -> Vector {
        let vector = self.levels.get_mut(self.depth).and_then(|level| level.vectors.get_mut(number as usize));
        vector.map(std::mem::take).unwrap_or_default()
    }

    /// Adds the next index of the nest, of which nothing is read but a node: this is what it is for the new tuples. Without the old tuples
    /// that these come from nothing may be read of any other index.
    pub(in crate::cpu) fn expand_to(&mut self, number: u32, vector: Vector, parents: Option<&[u32]>) {
        let outer = self.tuples().rows.len();
        if let Some(parents) = parents {
            assert_eq!(parents.len(), vector.len, "an old tuple for each");
            self.derive(parents, 0);
        } else {
            self.push();
        }
        let level = &mut self.levels[self.depth - 1];
        if parents.is_none() {
            level.parents.clear();
            level.tuples.rows.clear();
        }
        level.tuples.len = vector.len;
        level.tuples.rows.resize(outer, Rows::Range(0));
        level.tuples.rows.push(Rows::Range(0));
        self.set_computed(number, vector);
    }

    /// Keeps the tuples at these positions, in this order.
    pub fn select(&mut self, positions: &[u32]) {
        self.derive(positions, 0);
    }

    /// How many levels there are, for `truncate`.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Goes back to the level that was on top when `depth` was asked for.
    pub fn truncate(&mut self, depth: usize) {
        assert!((1..=self.depth).contains(&depth), "a depth of before");
        self.depth = depth;
    }

    /// The active tuples.
    pub fn tuples(&self) -> &Tuples {
        &self.levels[self.depth - 1].tuples
    }

    /// How many tuples are active.
    pub fn len(&self) -> usize {
        self.tuples().len
    }

    /// Whether no tuple is active.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For each active tuple the tuple of the level at `depth` that it comes from (positions of before the
    /// `filter`s and `expand`s since).
    pub fn origins(&self, depth: usize, origins: &mut Vec<u32>) {
        origins.clear();
        if depth >= self.depth {
            origins.extend(0..self.len() as u32);
            return;
        }
        origins.extend_from_slice(&self.levels[self.depth - 1].parents);
        for level in (depth..self.depth - 1).rev() {
            let parents = &self.levels[level].parents;
            origins.iter_mut().for_each(|origin| *origin = parents[*origin as usize]);
        }
    }

    /// The values of a scalar that `evaluate` was called for at this level.
    ///
    /// # Panics
    /// If it was not.
    pub fn vector(&self, scalar: ScalarId) -> &Vector {
        let number = self.expressions.number(scalar);
        let level = &self.levels[self.depth - 1];
        assert!(level.computed[number], "bug: vector() before evaluate()");
        &level.vectors[number]
    }

    /// Says what a node is for the active tuples.
    pub(super) fn set_computed(&mut self, number: u32, vector: Vector) {
        debug_assert_eq!(vector.len, self.len(), "a value a tuple");
        let level = &mut self.levels[self.depth - 1];
        level.vectors[number as usize] = vector;
        level.computed[number as usize] = true;
        level.touched.push(number);
    }

    /// Forgets what some nodes are for the active tuples, and what was remembered of their functions: what is the same for all tuples
    /// of a tile is not the same any more.
    pub(super) fn forget(&mut self, numbers: &[u32]) {
        self.caches.forget(numbers);
        let level = &mut self.levels[self.depth - 1];
        numbers.iter().for_each(|&number| level.computed[number as usize] = false);
        level.touched.retain(|&number| level.computed[number as usize]);
    }

    fn push(&mut self) -> &mut Level {
        if self.levels.len() == self.depth {
            self.levels.push(Level::default());
        }
        self.depth += 1;
        let level = &mut self.levels[self.depth - 1];
        level.reset(self.expressions.len());
        level
    }

    /// Derives a level with the indices of the one below and room for `more`.
    fn derive(&mut self, parents: &[u32], more: usize) {
        self.push();
        let (below, above) = self.levels.split_at_mut(self.depth - 1);
        let (from, level) = (&below[self.depth - 2].tuples, &mut above[0]);
        level.parents.clear();
        level.parents.extend_from_slice(parents);
        level.tuples.len = parents.len();
        level.tuples.rows.truncate(from.rows.len() + more);
        for (index, rows) in from.rows.iter().enumerate() {
            if level.tuples.rows.len() == index {
                level.tuples.rows.push(Rows::List(Vec::new()));
            }
            let mut list = level.tuples.rows[index].take_memory();
            match rows {
                Rows::Range(start) => append(&mut list, parents, |parent| start + parent),
                Rows::List(rows) => append(&mut list, parents, |parent| rows[parent as usize]),
            }
            level.tuples.rows[index] = Rows::List(list);
        }
    }
}
