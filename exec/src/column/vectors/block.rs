//! Blocks of elements, and the elements of one vector in them.

use crate::column::ColumnData;
use ::arrow::buffer::ScalarBuffer;
use multiloop_planner::value::Value;
use std::sync::Arc;

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

/// The blocks that vectors lie in.
#[derive(Clone, Debug)]
pub(super) enum Blocks {
    /// Those that were added one by one.
    Own(Vec<Block>),
    /// A list that many tiles have: a block a chunk of a table.
    Shared(Arc<[Block]>),
}

impl Block {
    /// Whether both are the same memory.
    pub(super) fn is_same(&self, other: &Block) -> bool {
        match (self, other) {
            (Block::F32(a), Block::F32(b)) => a.as_ptr() == b.as_ptr() && a.len() == b.len(),
            (Block::F64(a), Block::F64(b)) => a.as_ptr() == b.as_ptr() && a.len() == b.len(),
            _ => false,
        }
    }

    /// How many elements.
    pub(super) fn len(&self) -> usize {
        match self {
            Block::F32(values) => values.len(),
            Block::F64(values) => values.len(),
        }
    }

    /// Bytes of an element.
    pub(super) fn width(&self) -> usize {
        match self {
            Block::F32(_) => size_of::<f32>(),
            Block::F64(_) => size_of::<f64>(),
        }
    }

    /// The elements of a vector of some length.
    #[inline]
    pub(super) fn get(&self, row: u32, length: usize) -> Elements<'_> {
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

    /// The vectors of these columns, a block each: an empty one of a column that has none.
    pub(crate) fn of_columns<'c>(columns: impl Iterator<Item = &'c ColumnData>) -> Arc<[Block]> {
        columns.map(|data| Block::of_column(data).unwrap_or(Block::F32(Vec::new().into()))).collect()
    }

    /// Whether it has no elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
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

    pub(super) fn push_reals(self, to: &mut Vec<f32>) {
        match self {
            Elements::F32(values) => to.extend_from_slice(values),
            Elements::F64(values) => to.extend(values.iter().map(|&value| value as f32)),
        }
    }

    pub(super) fn push_doubles(self, to: &mut Vec<f64>) {
        match self {
            Elements::F32(values) => to.extend(values.iter().map(|&value| f64::from(value))),
            Elements::F64(values) => to.extend_from_slice(values),
        }
    }
}

impl Blocks {
    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[Block] {
        match self {
            Blocks::Own(blocks) => blocks,
            Blocks::Shared(blocks) => blocks,
        }
    }

    /// To be added to: a list that others have is copied.
    pub(super) fn own(&mut self) -> &mut Vec<Block> {
        if let Blocks::Shared(blocks) = self {
            *self = Blocks::Own(blocks.to_vec());
        }
        match self {
            Blocks::Own(blocks) => blocks,
            Blocks::Shared(_) => unreachable!("copied above"),
        }
    }

    /// Forgets all; keeps the memory of a list of its own.
    pub(super) fn clear(&mut self) {
        match self {
            Blocks::Own(blocks) => blocks.clear(),
            Blocks::Shared(_) => *self = Blocks::default(),
        }
    }
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks::Own(Vec::new())
    }
}
