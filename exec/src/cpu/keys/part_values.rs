//! The values of one part of some keys, as codes are made of them: those of a tile, or of a growing column.

use super::super::vector::Vector;
use crate::cpu::kernels::member::BLOCK;
use crate::cpu::vector::builder::ColumnBuilder;

/// The bits of a NaN that is not the canonical one: no value has them, so that NULL does.
pub(crate) const NULL_FLOAT: u64 = 0x7ff8_0000_0000_0001;

/// One part's values for some tuples.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PartValues<'a> {
    /// Of a tile.
    Vector(&'a Vector),
    /// Of a growing column.
    ColumnBuilder(&'a ColumnBuilder),
}

/// One part of the keys to encode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyPartValues<'a> {
    pub(crate) values: PartValues<'a>,
    /// Whether NULL is a value like any other; otherwise the key of a NULL is absent.
    pub(crate) null_matches: bool,
}

impl KeyPartValues<'_> {
    pub(crate) fn is_null(&self, tuple: usize) -> bool {
        match self.values {
            PartValues::Vector(vector) => vector.is_null(tuple),
            PartValues::ColumnBuilder(column) => column.is_null(tuple),
        }
    }

    pub(crate) fn may_be_null(&self) -> bool {
        match self.values {
            PartValues::Vector(vector) => vector.nulls.is_some(),
            PartValues::ColumnBuilder(column) => column.valid.is_some(),
        }
    }

    /// Which of the tuples of block `number`, of which there are `len`, are not NULL, a bit each.
    pub(crate) fn valid_word(&self, number: usize, len: usize) -> u64 {
        match self.values {
            PartValues::Vector(Vector { nulls: Some(valid), constant: false, .. }) => valid.words()[number],
            _ => (0..len).fold(0, |word, at| word | u64::from(!self.is_null(number * BLOCK + at)) << at),
        }
    }

    /// The bytes of a string; None for NULL.
    pub(crate) fn text(&self, tuple: usize) -> Option<&[u8]> {
        if self.is_null(tuple) {
            return None;
        }
        Some(match self.values {
            PartValues::Vector(vector) => vector.text(tuple).unwrap_or("").as_bytes(),
            PartValues::ColumnBuilder(column) => column.text(tuple),
        })
    }
}
