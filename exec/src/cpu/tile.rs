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

use super::bitmap::Bitmap;
use super::chunked::Chunked;
use super::expression::Expressions;
use super::kernels::append;
use super::own_groups::{Maker, Neighbours};
use super::probe::{Key, KeyRange};
use super::vector::{Register, Vector};
use crate::Result;
use crate::column::{Chunk, Column, Dictionary};
use crate::context::Context;
use multiloop_planner::multiloop::{BlockId, CollectionId, IndexId, ScalarId};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Tuples in a tile, at most (an `expand` may go beyond; nothing depends on it but the caches).
pub const TILE_ROWS: usize = 32768;

/// The row number that stands for no row: a `BucketOrNull` index that found none. Its fields are NULL.
pub const NO_ROW: u32 = u32::MAX;

/// The rows on which one index stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Tuple i stands on this row plus i.
    Range(u32),
    /// One a tuple; [`NO_ROW`] for none.
    List(Vec<u32>),
}

impl Rows {
    /// The memory of a list, emptied.
    fn take_memory(&mut self) -> Vec<u32> {
        let Rows::List(list) = self else { return Vec::new() };
        let mut list = std::mem::take(list);
        list.clear();
        list
    }

    /// The row on which a tuple stands.
    #[inline]
    pub fn get(&self, tuple: usize) -> u32 {
        match self {
            Rows::Range(start) => start + tuple as u32,
            Rows::List(rows) => rows[tuple],
        }
    }
}

/// The active tuples of a level.
#[derive(Clone, Debug, Default)]
pub struct Tuples {
    /// How many.
    pub len: usize,
    /// The rows of each index reached so far, in nest order.
    pub rows: Vec<Rows>,
}

/// What the rows of an index are rows of.
#[derive(Clone, Debug)]
pub enum Source {
    /// Columns in memory: a table's chunk, a materialised collection, a bucket's members. Row numbers count in it.
    Chunk {
        /// The columns.
        chunk: Arc<Chunk>,
        /// For each field of the index its position among the chunk's columns; none if they are the same.
        fields: Option<Arc<[u32]>>,
    },
    /// Rows of several chunks, by their numbers among all.
    Chunked(Arc<Chunked>),
    /// A `Count`: the only field is `start` + row number.
    Count {
        /// Position of row 0.
        start: i64,
    },
}

impl Source {
    /// A chunk whose columns are the index's fields.
    pub fn chunk(chunk: Arc<Chunk>) -> Self {
        Source::Chunk { chunk, fields: None }
    }

    /// The dictionary that holds all strings of a field, if there is one.
    pub(super) fn dictionary(&self, field: u32) -> Option<&Arc<Dictionary>> {
        match self {
            Source::Chunked(rows) => rows.dictionary(field),
            _ => self.column(field).and_then(|column| column.data.dictionary()),
        }
    }

    /// The column of a field; none for a Count, or if it is not one.
    pub fn column(&self, field: u32) -> Option<&Column> {
        let Source::Chunk { chunk, fields } = self else { return None };
        let position = fields.as_ref().map_or(field, |fields| fields[field as usize]);
        Some(&chunk.columns[position as usize])
    }
}

/// The fields of enclosing loops' rows that a nested block reads.
pub type Captured = FxHashMap<(IndexId, u32), Value>;

/// The values that a loop gets from around it.
#[derive(Clone, Copy, Debug)]
pub struct Bindings<'a> {
    /// `$1`, `$2`, ….
    pub parameters: &'a [Value],
    /// In a nested block the fields of enclosing rows.
    pub captured: &'a Captured,
}

/// What expressions ask of the collections computed so far. Implemented by whoever runs the program.
pub trait Collections: Sync {
    /// What the statement shares that they belong to, if there is one.
    fn context(&self) -> Option<&Context> {
        None
    }

    /// How a collection's keys are found, if they are one integer each.
    fn integer_keys(&self, _collection: CollectionId) -> Result<Option<KeyRange>> {
        Ok(None)
    }

    /// The least and the greatest value that a part of a collection's keys can have, NULL apart, if it is integer-like;
    /// the least is above the greatest if there are no keys at all.
    fn key_range(&self, _collection: CollectionId, _part: usize) -> Result<Option<(i128, i128)>> {
        Ok(None)
    }

    /// How the groups of a collection are made, if that is left to the rows that ask for them.
    fn own_groups(&self, _collection: CollectionId) -> Result<Option<Maker<'_>>> {
        Ok(None)
    }

    /// For each of `len` tuples the row of its key's group, [`NO_ROW`] if there is none.
    fn find(&self, collection: CollectionId, key: &Key<'_>, len: usize, rows: &mut Vec<u32>) -> Result<()>;

    /// Field `field` of the groups at these rows, or what the field's reduction gives for no rows where there is
    /// [`NO_ROW`]. `out` may be filled in any register that holds the field's type.
    fn lookup(&self, collection: CollectionId, rows: Vec<u32>, field: u32, out: &mut Vector) -> Result<()>;

    /// Field `field` of a table's rows with these numbers, NULL where there is [`NO_ROW`], in a register that holds it.
    fn element(
        &self,
        collection: CollectionId,
        rows: Vec<u32>,
        field: u32,
        register: Register,
        out: &mut Vector,
    ) -> Result<()>;

    /// For each of `len` tuples whether there is a group of its key. `out` is to be reset.
    fn exists(&self, collection: CollectionId, key: &Key<'_>, len: usize, out: &mut Bitmap) -> Result<()>;

    /// Field of the only row of a collection.
    fn single(&self, collection: CollectionId, field: u32) -> Result<Value>;

    /// Field of the only row of a block, evaluated with these fields of enclosing loops (all that it reads).
    fn nested(&self, block: BlockId, field: u32, captured: &Captured) -> Result<Value>;
}

/// Tuples of a nest and the scalars computed of them; see the file's head.
pub struct Tile<'a> {
    pub(super) expressions: &'a Expressions,
    pub(super) collections: &'a dyn Collections,
    pub(super) bindings: Bindings<'a>,
    pub(super) sources: Vec<Option<Source>>,
    /// Level 0 holds what reads no index (one tuple, never popped); `start` makes level 1.
    pub(super) levels: Vec<Level>,
    /// Levels in use; those behind are kept for their memory.
    pub(super) depth: usize,
    pub(super) caches: super::expression::Caches,
    /// What strings that grow hold.
    pub(super) held: super::expression::Held,
    /// By collection: what makes own groups for the rows of the outermost index.
    pub(super) neighbours: FxHashMap<CollectionId, Box<Neighbours<'a>>>,
}

/// One level of a tile.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) tuples: Tuples,
    /// For each tuple the tuple of the level below that it comes from.
    pub(super) parents: Vec<u32>,
    /// By expression number; valid where `computed` says so.
    pub(super) vectors: Vec<Vector>,
    pub(super) computed: Vec<bool>,
    /// The numbers set in `computed`, to unset them.
    pub(super) touched: Vec<u32>,
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
            caches: super::expression::Caches::default(),
            held: super::expression::Held::default(),
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
