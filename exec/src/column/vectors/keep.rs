//! Vectors that are kept for longer than a tile: what columns grow by, rows that are taken of them, what they hold, what they become.
//!
//! A block may be a chunk of a table, which others hold anyway, or what a function made for a tile, or a chunk of a file, which
//! nobody else holds. Nobody can tell. So a block is shared if a good part of it is kept ([`SPARSE`]), and counted as a whole;
//! vectors of any other are copied, one behind the other. So what is held is never much more than what is kept, and what is
//! counted never less than what is held.

use super::{Block, Elements, Place, Vectors};
use crate::column::ColumnData;
use rustc_hash::FxHashMap;

/// Bytes of a block, for each byte of its vectors that are kept, beyond which these are copied.
const SPARSE: usize = 4;

/// Bytes below which blocks are not worth being shared, unless more of their vectors is kept than they have.
const SHARED_BYTES: usize = 1 << 16;

impl Vectors {
    /// Appends vectors of another at these positions, to keep them.
    pub(crate) fn append(&mut self, from: &Vectors, positions: impl Iterator<Item = usize> + Clone) {
        let places = positions.map(|position| from.places[position]);
        self.is_wide |= from.is_wide;
        let numbers = self.share(from, places.clone());
        self.places.reserve(places.size_hint().0);
        let mut last = None;
        for place in places {
            let number = match last {
                Some((block, number)) if block == place.block => number,
                _ => numbers.get(&place.block).copied(),
            };
            last = Some((place.block, number));
            let place = match number {
                Some(block) => Place { block, ..place },
                None => self.copy(from, place),
            };
            self.places.push(place);
        }
    }

    /// Appends all vectors of another.
    pub(crate) fn append_all(&mut self, mut from: Vectors) {
        from.close();
        self.append(&from, 0..from.len());
    }

    /// The vectors at these positions.
    pub(crate) fn take(&self, rows: impl ExactSizeIterator<Item = usize> + Clone) -> Vectors {
        let mut taken = Vectors::new(self.length);
        taken.append(self, rows);
        taken
    }

    /// The numbers here of those blocks of another that are shared, where vectors at these places of it are kept. It has blocks of
    /// tables' chunks of which no vector is kept.
    fn share(&mut self, from: &Vectors, places: impl Iterator<Item = Place>) -> FxHashMap<u32, u32> {
        let blocks = from.blocks.as_slice();
        let mut kept: FxHashMap<u32, usize> = FxHashMap::default();
        let (mut last, mut rows) = (Place::NONE.block, 0);
        for place in places {
            if place.block != last {
                *kept.entry(last).or_default() += rows;
                (last, rows) = (place.block, 0);
            }
            rows += 1;
        }
        *kept.entry(last).or_default() += rows;
        let mut kept: Vec<(u32, usize)> = kept.into_iter().collect();
        kept.sort_unstable();
        let mut numbers = FxHashMap::default();
        for (number, rows) in kept {
            let Some(block) = blocks.get(number as usize) else { continue };
            let elements = rows.saturating_mul(self.length);
            // Few vectors that are repeated, as those of a build side are by a join, are fewer in their block than as copies.
            let is_small = block.len() * block.width() < SHARED_BYTES && elements <= block.len();
            let is_sparse = block.len() / SPARSE > elements || is_small;
            let here = if is_sparse { self.known(block) } else { Some(self.add_block(block)) };
            here.into_iter().for_each(|here| _ = numbers.insert(number, here));
        }
        numbers
    }

    /// Copies the elements at a place of another; gives their place here.
    pub(super) fn copy(&mut self, from: &Vectors, place: Place) -> Place {
        if place == Place::NONE {
            return place;
        }
        let row = |elements: usize| (elements / self.length) as u32;
        match from.at(place) {
            Elements::F32(elements) => {
                let row = row(self.reals.len());
                self.reals.extend_from_slice(elements);
                Place { block: Place::REALS, row }
            }
            Elements::F64(elements) => {
                let row = row(self.doubles.len());
                self.doubles.extend_from_slice(elements);
                self.is_wide = true;
                Place { block: Place::DOUBLES, row }
            }
        }
    }

    /// Makes blocks of what was copied: whoever takes rows from here on may share them, as tiles do.
    pub(crate) fn close(&mut self) {
        let (reals, doubles) = (shortened(&mut self.reals), shortened(&mut self.doubles));
        let reals = reals.map(|reals| (Place::REALS, Block::F32(reals.into())));
        let doubles = doubles.map(|doubles| (Place::DOUBLES, Block::F64(doubles.into())));
        for (copied, block) in reals.into_iter().chain(doubles) {
            let number = self.add_block(&block);
            let places = self.places.iter_mut().filter(|place| place.block == copied);
            places.for_each(|place| place.block = number);
        }
    }

    /// The vectors, each at its place: `places` has every number below theirs once.
    pub(crate) fn put(&self, places: &[u32]) -> Vectors {
        let mut put = self.clone();
        self.places.iter().zip(places).for_each(|(&vector, &place)| put.places[place as usize] = vector);
        put
    }

    /// Moves what stands behind the first `len` vectors to its places among them.
    pub(crate) fn settle_tail(&mut self, places: &[u32], len: usize) {
        let (all, tail) = self.places.split_at_mut(len);
        tail.iter().zip(places).for_each(|(&vector, &place)| all[place as usize] = vector);
        self.places.truncate(len);
    }

    /// Bytes held, or those of the column that is made of these vectors if that has more: some vector may be there many times.
    pub(crate) fn bytes(&self) -> usize {
        let copied = self.reals.capacity() * size_of::<f32>() + self.doubles.capacity() * size_of::<f64>();
        let width = if self.is_wide { size_of::<f64>() } else { size_of::<f32>() };
        let column = self.len().saturating_mul(self.length).saturating_mul(width);
        column.max(self.shared + copied).saturating_add(self.places.capacity() * size_of::<Place>())
    }

    /// All vectors as a column of reals: those of a block where they lie together, else copied.
    pub(crate) fn into_reals(mut self) -> ColumnData {
        let length = self.length;
        if self.doubles.is_empty()
            && let Some(Block::F32(values)) = self.take_together()
        {
            return ColumnData::Vectors32 { length, values };
        }
        let mut values = Vec::with_capacity(self.len() * length);
        (0..self.len()).for_each(|position| self.get(position).push_reals(&mut values));
        ColumnData::Vectors32 { length, values: values.into() }
    }

    /// All vectors as a column of doubles, as [`Vectors::into_reals`].
    pub(crate) fn into_doubles(mut self) -> ColumnData {
        let length = self.length;
        if self.reals.is_empty()
            && let Some(Block::F64(values)) = self.take_together()
        {
            return ColumnData::Vectors64 { length, values };
        }
        let mut values = Vec::with_capacity(self.len() * length);
        (0..self.len()).for_each(|position| self.get(position).push_doubles(&mut values));
        ColumnData::Vectors64 { length, values: values.into() }
    }

    /// All vectors, if these lie one behind the other in a block, or were copied so, and are a good part of it.
    fn take_together(&mut self) -> Option<Block> {
        let (block, row) = self.together()?;
        let (start, len) = (row * self.length, self.len() * self.length);
        match (block, self.blocks.as_slice().get(block as usize)) {
            (_, Some(block)) if block.len() / SPARSE > len => None,
            (_, Some(Block::F32(values))) => Some(Block::F32(values.slice(start, len))),
            (_, Some(Block::F64(values))) => Some(Block::F64(values.slice(start, len))),
            (Place::REALS, _) if (start, len) == (0, self.reals.len()) => {
                shortened(&mut self.reals).map(|values| Block::F32(values.into()))
            }
            (Place::DOUBLES, _) if (start, len) == (0, self.doubles.len()) => {
                shortened(&mut self.doubles).map(|values| Block::F64(values.into()))
            }
            _ => None,
        }
    }
}

/// Elements without the room behind them, if there are any.
fn shortened<T>(elements: &mut Vec<T>) -> Option<Vec<T>> {
    let mut elements = std::mem::take(elements);
    elements.shrink_to_fit();
    (!elements.is_empty()).then_some(elements)
}
