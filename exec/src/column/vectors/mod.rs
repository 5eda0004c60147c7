//! Vectors of one length, as tiles and growing columns have them: each is a place in a block of elements.
//!
//! Tiles share the blocks of the columns that they read, so that nothing on the way copies the elements of a vector that is only
//! looked at: a vector costs eight bytes there. What is kept for longer than a tile (`keep`) shares a block only if it keeps a good
//! part of it; few vectors of a large block are copied, since they would hold all of it.
//!
//! A block holds reals or doubles. Vectors whose type says reals may stand in blocks of doubles that are exactly reals (constants,
//! and what functions give value by value), and vectors of doubles in blocks of reals (casts).

mod block;
mod keep;

#[cfg(test)]
mod tests;

pub use block::{Block, Elements};

use block::Blocks;
use multiloop_planner::types::VECTOR_LENGTH_MAX;
use multiloop_planner::value::{Value, compare_floats};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::sync::Arc;

/// Which vector of which block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    block: u32,
    row: u32,
}

impl Place {
    /// What stands at a NULL: zeros.
    pub(crate) const NONE: Place = Place { block: u32::MAX, row: 0 };
    /// The block of copied reals.
    const REALS: u32 = u32::MAX - 1;
    /// The block of copied doubles.
    const DOUBLES: u32 = u32::MAX - 2;
}

/// What stands at a NULL.
static ZEROS: [f32; VECTOR_LENGTH_MAX as usize] = [0.0; VECTOR_LENGTH_MAX as usize];

/// Vectors of one length.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    length: usize,
    blocks: Blocks,
    /// Elements that were copied; tiles have none.
    reals: Vec<f32>,
    doubles: Vec<f64>,
    places: Vec<Place>,
    /// Bytes of the blocks that were added.
    shared: usize,
    /// Whether the column that is made of these may be of doubles.
    is_wide: bool,
}

/// How many of the last blocks are looked at for one that comes again.
const BLOCKS_SEARCHED: usize = 8;

impl Vectors {
    /// No vectors, of a length of at least one.
    pub fn new(length: usize) -> Self {
        debug_assert!(length > 0, "a vector has an element");
        Vectors { length, ..Vectors::default() }
    }

    /// All vectors of a block, in order.
    pub fn of_block(length: usize, block: Block) -> Self {
        debug_assert_eq!(block.len() % length, 0, "whole vectors");
        let mut vectors = Vectors::new(length);
        vectors.places = (0..(block.len() / length) as u32).map(|row| Place { block: 0, row }).collect();
        vectors.add_block(&block);
        vectors
    }

    /// These values, of which all but NULLs are vectors of this length.
    pub(crate) fn of_values(length: usize, values: &[Value]) -> Self {
        let mut elements = Vec::new();
        let mut vectors = Vectors::new(length);
        for value in values {
            vectors.places.push(match value {
                Value::Vector(vector) if vector.len() == length => {
                    elements.extend_from_slice(vector);
                    Place { block: 0, row: (elements.len() / length - 1) as u32 }
                }
                _ => Place::NONE,
            });
        }
        vectors.add_block(&Block::F64(elements.into()));
        vectors
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Elements of each.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The elements of one; zeros at a NULL.
    #[inline]
    pub fn get(&self, position: usize) -> Elements<'_> {
        self.at(self.places[position])
    }

    /// The elements at a place.
    #[inline]
    fn at(&self, place: Place) -> Elements<'_> {
        match self.blocks.as_slice().get(place.block as usize) {
            Some(block) => block.get(place.row, self.length),
            None => self.copied(place),
        }
    }

    /// The same of what was copied, and of nothing.
    fn copied(&self, place: Place) -> Elements<'_> {
        let start = place.row as usize * self.length;
        match place.block {
            Place::REALS => Elements::F32(&self.reals[start..start + self.length]),
            Place::DOUBLES => Elements::F64(&self.doubles[start..start + self.length]),
            _ => Elements::F32(&ZEROS[..self.length]),
        }
    }

    /// Whether the vectors at these positions are all stored as reals.
    pub(crate) fn are_reals(&self, mut positions: impl Iterator<Item = usize>) -> bool {
        let blocks = self.blocks.as_slice();
        // Neighbours are of one block, as a rule.
        let mut known = Place::NONE.block;
        positions.all(|position| {
            let block = self.places[position].block;
            let is_known = block == known;
            known = block;
            is_known
                || match blocks.get(block as usize) {
                    Some(block) => matches!(block, Block::F32(_)),
                    None => block != Place::DOUBLES,
                }
        })
    }

    /// Forgets all vectors, keeps the memory of their places.
    pub(crate) fn clear(&mut self) {
        let (mut blocks, mut places) = (std::mem::take(&mut self.blocks), std::mem::take(&mut self.places));
        blocks.clear();
        places.clear();
        *self = Vectors { length: self.length, blocks, places, ..Vectors::default() };
    }

    /// Forgets all vectors; those that come have this length.
    pub(crate) fn reset(&mut self, length: usize) {
        self.clear();
        self.length = length;
    }

    /// The number of a block here.
    pub(crate) fn add_block(&mut self, block: &Block) -> u32 {
        if let Some(known) = self.known(block) {
            return known;
        }
        self.shared += block.len() * block.width();
        self.is_wide |= matches!(block, Block::F64(_));
        let blocks = self.blocks.own();
        blocks.push(block.clone());
        blocks.len() as u32 - 1
    }

    /// The number of a block that is one of the last that were added.
    fn known(&self, block: &Block) -> Option<u32> {
        let last = self.blocks.as_slice().iter().enumerate().rev().take(BLOCKS_SEARCHED);
        last.into_iter().find(|(_, known)| known.is_same(block)).map(|(number, _)| number as u32)
    }

    /// Says which blocks vectors lie in; of no vectors yet.
    pub(crate) fn set_blocks(&mut self, blocks: &Arc<[Block]>) {
        debug_assert!(self.places.is_empty(), "vectors lie in the blocks of before");
        self.blocks = Blocks::Shared(Arc::clone(blocks));
    }

    /// Says that these are of doubles, whatever blocks they lie in.
    pub(crate) fn set_wide(&mut self) {
        self.is_wide = true;
    }

    /// Appends rows of a block that was [added](Vectors::add_block), which lie within it; none is zeros.
    pub(crate) fn extend(&mut self, block: u32, rows: impl Iterator<Item = Option<u32>>) {
        self.places.extend(rows.map(|row| row.map_or(Place::NONE, |row| Place { block, row })));
    }

    /// The same of rows of several blocks.
    pub(crate) fn extend_from(&mut self, rows: impl Iterator<Item = Option<(u32, u32)>>) {
        self.places.extend(rows.map(|row| row.map_or(Place::NONE, |(block, row)| Place { block, row })));
    }

    /// Appends the zeros of NULLs until there are so many vectors, or forgets those beyond.
    pub(crate) fn resize(&mut self, len: usize) {
        self.places.resize(len, Place::NONE);
    }

    /// Room for more places.
    pub(crate) fn reserve_exact(&mut self, more: usize) {
        self.places.reserve_exact(more);
    }

    /// Puts vectors of a tile in the places of those here, for no longer than a tile: `at` gives both positions.
    pub(crate) fn set_all(&mut self, from: &Vectors, at: impl Iterator<Item = (usize, usize)>) {
        self.is_wide |= from.is_wide;
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        for (position, other) in at {
            let Place { block, row } = from.places[other];
            self.places[position] = match from.blocks.as_slice().get(block as usize) {
                Some(known) => {
                    let number = *numbers.entry(block).or_insert_with(|| self.add_block(known));
                    Place { block: number, row }
                }
                None => self.copy(from, from.places[other]),
            };
        }
    }

    /// Makes this the vectors of a tile at these positions, for no longer than a tile.
    pub(crate) fn gather(&mut self, from: &Vectors, positions: impl Iterator<Item = usize>) {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend(positions.map(|position| from.places[position]));
        let (blocks, reals, doubles) = (from.blocks.clone(), from.reals.clone(), from.doubles.clone());
        *self = Vectors { blocks, reals, doubles, places, ..*from };
    }

    /// The block in which all vectors lie one behind the other, and the row of the first; none if they do not.
    fn together(&self) -> Option<(u32, usize)> {
        let first = *self.places.first()?;
        let follows =
            |(at, place): (usize, &Place)| place.block == first.block && place.row as usize == first.row as usize + at;
        self.places.iter().enumerate().all(follows).then_some((first.block, first.row as usize))
    }

    /// The elements of all vectors, one behind the other.
    pub(crate) fn doubles(&self) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.len() * self.length);
        (0..self.len()).for_each(|position| self.get(position).push_doubles(&mut values));
        values
    }

    /// An order of two vectors, for where all fields of rows break ties: as [`Value::compare`].
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (self.get(a), self.get(b));
        let mut elements = (0..self.length).map(|at| compare_floats(a.at(at), b.at(at)));
        elements.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// An order of those that it finds equal: as [`Value::compare_forms`].
    pub(crate) fn compare_forms(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (self.get(a), self.get(b));
        let form = |at: usize| if a.at(at).is_nan() { Ordering::Equal } else { a.at(at).total_cmp(&b.at(at)) };
        (0..self.length).map(form).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}
