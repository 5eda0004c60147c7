//! Vectors of one length, as tiles and growing columns have them: each is a place in a block of elements. Blocks are shared with
//! the columns that they come from, so that nothing on the way copies the elements of a vector that is only carried: a vector
//! costs eight bytes until a column is made of it, and none more where those of the column lie one behind the other in one block.
//!
//! A block holds reals or doubles. Vectors whose type says reals may stand in blocks of doubles that are exactly reals (constants,
//! and what functions give value by value).

use super::ColumnData;
use ::arrow::buffer::ScalarBuffer;
use multiloop_planner::types::VECTOR_LENGTH_MAX;
use multiloop_planner::value::{Value, compare_floats};
use std::cmp::Ordering;

/// Elements of vectors, which lie one behind the other.
#[derive(Clone, Debug)]
pub enum Block {
    /// Of reals.
    F32(ScalarBuffer<f32>),
    /// Of doubles.
    F64(ScalarBuffer<f64>),
}

/// The elements of a vector.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a> {
    /// Of reals.
    F32(&'a [f32]),
    /// Of doubles.
    F64(&'a [f64]),
}

/// Which vector of which block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    block: u32,
    row: u32,
}

impl Place {
    /// What stands at a NULL: zeros.
    pub(crate) const NONE: Place = Place { block: u32::MAX, row: 0 };
}

/// What stands at a NULL.
static ZEROS: [f32; VECTOR_LENGTH_MAX as usize] = [0.0; VECTOR_LENGTH_MAX as usize];

/// Vectors of one length.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    length: usize,
    blocks: Vec<Block>,
    places: Vec<Place>,
}

/// How many of the last blocks are looked at for one that comes again.
const BLOCKS_SEARCHED: usize = 8;

impl Block {
    /// Whether both are the same memory.
    fn is_same(&self, other: &Block) -> bool {
        match (self, other) {
            (Block::F32(a), Block::F32(b)) => a.as_ptr() == b.as_ptr() && a.len() == b.len(),
            (Block::F64(a), Block::F64(b)) => a.as_ptr() == b.as_ptr() && a.len() == b.len(),
            _ => false,
        }
    }

    /// The elements of a vector of some length.
    #[inline]
    fn get(&self, row: u32, length: usize) -> Elements<'_> {
        let start = row as usize * length;
        match self {
            Block::F32(values) => Elements::F32(&values[start..start + length]),
            Block::F64(values) => Elements::F64(&values[start..start + length]),
        }
    }

    /// The vectors of a column; none of a column of another form.
    pub(crate) fn of_column(data: &ColumnData) -> Option<Block> {
        match data {
            ColumnData::Vectors32 { values, .. } => Some(Block::F32(values.clone())),
            ColumnData::Vectors64 { values, .. } => Some(Block::F64(values.clone())),
            _ => None,
        }
    }
}

impl Elements<'_> {
    /// How many.
    pub fn len(self) -> usize {
        match self {
            Elements::F32(values) => values.len(),
            Elements::F64(values) => values.len(),
        }
    }

    /// An element.
    #[inline]
    pub fn at(self, at: usize) -> f64 {
        match self {
            Elements::F32(values) => values[at].into(),
            Elements::F64(values) => values[at],
        }
    }

    /// Whether there is none, as of no vector.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The vector as a value.
    pub fn to_value(self) -> Value {
        match self {
            Elements::F32(values) => Value::Vector(values.iter().map(|&value| value.into()).collect()),
            Elements::F64(values) => Value::vector(values),
        }
    }

    fn push_reals(self, to: &mut Vec<f32>) {
        match self {
            Elements::F32(values) => to.extend_from_slice(values),
            Elements::F64(values) => to.extend(values.iter().map(|&value| value as f32)),
        }
    }

    fn push_doubles(self, to: &mut Vec<f64>) {
        match self {
            Elements::F32(values) => to.extend(values.iter().map(|&value| f64::from(value))),
            Elements::F64(values) => to.extend_from_slice(values),
        }
    }
}

impl Vectors {
    /// No vectors, of a length of at least one.
    pub fn new(length: usize) -> Self {
        debug_assert!(length > 0, "a vector has an element");
        Vectors { length, ..Vectors::default() }
    }

    /// All vectors of a block, in order.
    pub fn of_block(length: usize, block: Block) -> Self {
        let elements = match &block {
            Block::F32(values) => values.len(),
            Block::F64(values) => values.len(),
        };
        debug_assert_eq!(elements % length, 0, "whole vectors");
        let places = (0..(elements / length) as u32).map(|row| Place { block: 0, row }).collect();
        Vectors { length, blocks: vec![block], places }
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
        vectors.blocks.push(Block::F64(elements.into()));
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
        let Place { block, row } = self.places[position];
        match self.blocks.get(block as usize) {
            Some(block) => block.get(row, self.length),
            None => Elements::F32(&ZEROS[..self.length]),
        }
    }

    /// Forgets all vectors, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.places.clear();
    }

    /// Forgets all vectors; those that come have this length.
    pub(crate) fn reset(&mut self, length: usize) {
        self.clear();
        self.length = length;
    }

    /// The number of a block here.
    pub(crate) fn add_block(&mut self, block: &Block) -> u32 {
        let last = self.blocks.iter().enumerate().rev().take(BLOCKS_SEARCHED);
        if let Some((known, _)) = last.into_iter().find(|(_, known)| known.is_same(block)) {
            return known as u32;
        }
        self.blocks.push(block.clone());
        self.blocks.len() as u32 - 1
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

    /// Room for more.
    pub(crate) fn reserve_exact(&mut self, more: usize) {
        self.places.reserve_exact(more);
    }

    /// Appends vectors of another at these positions.
    pub(crate) fn append(&mut self, from: &Vectors, positions: impl Iterator<Item = usize>) {
        let known: Vec<u32> = from.blocks.iter().map(|block| self.add_block(block)).collect();
        let place = |position: usize| {
            let Place { block, row } = from.places[position];
            known.get(block as usize).map_or(Place::NONE, |&block| Place { block, row })
        };
        self.places.extend(positions.map(place));
    }

    /// Appends all vectors of another.
    pub(crate) fn append_all(&mut self, from: &Vectors) {
        self.append(from, 0..from.len());
    }

    /// Puts vectors of another in the places of those here: `at` gives both positions.
    pub(crate) fn set_all(&mut self, from: &Vectors, at: impl Iterator<Item = (usize, usize)>) {
        let known: Vec<u32> = from.blocks.iter().map(|block| self.add_block(block)).collect();
        for (position, other) in at {
            let Place { block, row } = from.places[other];
            self.places[position] = known.get(block as usize).map_or(Place::NONE, |&block| Place { block, row });
        }
    }

    /// Makes this the vectors of `from` at these positions.
    pub(crate) fn gather(&mut self, from: &Vectors, positions: &[u32]) {
        self.clear();
        self.length = from.length;
        self.blocks.extend_from_slice(&from.blocks);
        self.places.extend(positions.iter().map(|&position| from.places[position as usize]));
    }

    /// The vectors at these positions.
    pub(crate) fn take(&self, rows: impl ExactSizeIterator<Item = usize>) -> Vectors {
        let mut taken = Vectors { length: self.length, blocks: Vec::new(), places: Vec::with_capacity(rows.len()) };
        if rows.len() >= self.blocks.len() {
            taken.blocks.clone_from(&self.blocks);
            taken.places.extend(rows.map(|row| self.places[row]));
            return taken;
        }
        for row in rows {
            let Place { block, row } = self.places[row];
            let place = match self.blocks.get(block as usize) {
                Some(block) => Place { block: taken.add_block(block), row },
                None => Place::NONE,
            };
            taken.places.push(place);
        }
        taken
    }

    /// The vectors, each at its place: `places` has every number below theirs once.
    pub(crate) fn put(&self, places: &[u32]) -> Vectors {
        let mut put = Vectors { places: vec![Place::NONE; self.len()], ..self.clone() };
        self.places.iter().zip(places).for_each(|(&vector, &place)| put.places[place as usize] = vector);
        put
    }

    /// Moves what stands behind the first `len` vectors to its places among them.
    pub(crate) fn settle_tail(&mut self, places: &[u32], len: usize) {
        let (all, tail) = self.places.split_at_mut(len);
        tail.iter().zip(places).for_each(|(&vector, &place)| all[place as usize] = vector);
        self.places.truncate(len);
    }

    /// Bytes held, and those of the column that is made of them: elements count where vectors are kept, even as long as they are
    /// shared with where they come from.
    pub(crate) fn bytes(&self) -> usize {
        let is_double = |block: &Block| matches!(block, Block::F64(_));
        let width = if self.blocks.iter().all(is_double) { size_of::<f64>() } else { size_of::<f32>() };
        let elements = self.len().saturating_mul(self.length).saturating_mul(width);
        elements.saturating_add(self.places.capacity() * size_of::<Place>())
    }

    /// The block in which all vectors lie one behind the other, and the row of the first; none if they do not.
    pub fn together(&self) -> Option<(&Block, usize)> {
        let first = *self.places.first()?;
        let block = self.blocks.get(first.block as usize)?;
        let follows =
            |(at, place): (usize, &Place)| place.block == first.block && place.row as usize == first.row as usize + at;
        self.places.iter().enumerate().all(follows).then_some((block, first.row as usize))
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

    /// All vectors as a column of reals: those of a block where they lie together, else copied.
    pub(crate) fn into_reals(self) -> ColumnData {
        let length = self.length;
        if let Some((Block::F32(values), start)) = self.together() {
            return ColumnData::Vectors32 { length, values: values.slice(start * length, self.len() * length) };
        }
        let mut values = Vec::with_capacity(self.len() * length);
        (0..self.len()).for_each(|position| self.get(position).push_reals(&mut values));
        ColumnData::Vectors32 { length, values: values.into() }
    }

    /// All vectors as a column of doubles, as [`Vectors::into_reals`].
    pub(crate) fn into_doubles(self) -> ColumnData {
        let length = self.length;
        if let Some((Block::F64(values), start)) = self.together() {
            return ColumnData::Vectors64 { length, values: values.slice(start * length, self.len() * length) };
        }
        let mut values = Vec::with_capacity(self.len() * length);
        (0..self.len()).for_each(|position| self.get(position).push_doubles(&mut values));
        ColumnData::Vectors64 { length, values: values.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Column;
    use multiloop_planner::types::DataType;

    fn value(number: usize) -> Value {
        Value::vector([number as f64, number as f64 + 0.5].as_slice())
    }

    /// Vectors of a block of so many: each is what its number says.
    fn block(from: usize, count: usize) -> Vectors {
        let elements = (from..from + count).flat_map(|number| [number as f32, number as f32 + 0.5]);
        Vectors::of_block(2, Block::F32(elements.collect()))
    }

    fn values(vectors: &Vectors) -> Vec<Value> {
        (0..vectors.len()).map(|position| vectors.get(position).to_value()).collect()
    }

    fn start_of(data: &ColumnData) -> *const u8 {
        data.buffers()[0].expect("vectors are one buffer").as_ptr()
    }

    #[test]
    fn those_that_lie_together_are_not_copied() {
        let all = block(0, 100);
        let whole = start_of(&all.clone().into_reals());
        let rows: Vec<u32> = (10..60).collect();
        let mut gathered = Vectors::new(2);
        gathered.gather(&all, &rows);
        let column = gathered.into_reals();
        assert_eq!(start_of(&column), whole.wrapping_add(10 * 2 * size_of::<f32>()));
        let taken = all.take([5, 6, 8].into_iter());
        assert!(taken.together().is_none());
        let column = Column::new(taken.into_reals(), None);
        let data_type = DataType::vector(DataType::Real, 2);
        assert_eq!((0..3).map(|row| column.value(row, data_type)).collect::<Vec<_>>(), [5, 6, 8].map(value));
        assert!(all.into_doubles().buffers()[0].expect("a buffer").len() == 100 * 2 * size_of::<f64>());
    }

    #[test]
    fn vectors_of_many_blocks_are_put_together() {
        let mut all = Vectors::new(2);
        for part in 0..50 {
            all.append_all(&block(part * 3, 3));
        }
        // The same block again is known.
        let again = block(150, 2);
        all.append_all(&again);
        all.append_all(&again.take([1].into_iter()));
        let mut expected: Vec<Value> = (0..152).chain([151]).map(value).collect();
        assert_eq!(values(&all), expected);
        assert_eq!(all.blocks.len(), 51);
        all.resize(154);
        let zeros = Value::vector([0.0, 0.0].as_slice());
        expected.push(zeros.clone());
        assert_eq!(values(&all), expected);
        let few = all.take([152, 0, 153, 77].into_iter());
        assert_eq!(few.blocks.len(), 3);
        assert_eq!(values(&few), [value(151), value(0), zeros.clone(), value(77)]);
        let places: Vec<u32> = (0..154).rev().collect();
        let put = all.put(&places);
        expected.reverse();
        assert_eq!(values(&put), expected);
        let mut chosen = Vectors::new(2);
        chosen.resize(3);
        chosen.set_all(&put, [(1, 0), (2, 153)].into_iter());
        assert_eq!(values(&chosen), [zeros.clone(), zeros.clone(), value(0)]);
        chosen.set_all(&put, [(1, 2)].into_iter());
        assert_eq!(values(&chosen), [zeros, value(151), value(0)]);
    }

    #[test]
    fn values_of_doubles_become_reals_of_a_column() {
        let given = [value(7), Value::Null, value(9)];
        let vectors = Vectors::of_values(2, &given);
        assert!(matches!(vectors.get(0), Elements::F64(_)));
        let column = Column::new(vectors.clone().into_reals(), None);
        assert_eq!(column.value(2, DataType::vector(DataType::Real, 2)), value(9));
        assert_eq!(vectors.doubles(), [7.0, 7.5, 0.0, 0.0, 9.0, 9.5]);
        assert!(vectors.bytes() >= 3 * 2 * size_of::<f64>());
    }

    #[test]
    fn an_order_breaks_ties() {
        let number = |elements: [f64; 2]| Value::vector(elements.as_slice());
        let all = [number([1.0, f64::NAN]), number([1.0, 2.0]), number([-0.0, 5.0]), number([0.0, 5.0])];
        let vectors = Vectors::of_values(2, &all);
        for a in 0..all.len() {
            for b in 0..all.len() {
                assert_eq!(vectors.compare(a, b), all[a].compare(&all[b]), "{a} and {b}");
                assert_eq!(vectors.compare_forms(a, b), all[a].compare_forms(&all[b]), "{a} and {b}");
            }
        }
        assert_eq!(vectors.compare(0, 1), Ordering::Greater);
        assert_eq!((vectors.compare(2, 3), vectors.compare_forms(2, 3)), (Ordering::Equal, Ordering::Less));
    }
}
