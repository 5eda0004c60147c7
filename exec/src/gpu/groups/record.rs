//! Records: how a group lies in the memory of a table.
//!
//! What a row adds to stands together, so that it is in one sector of the card's memory: words of 64 bits first, then those of 32.
//! Whether a group has rows is a bit of its flags; or, where a cell tells it, its being no zero, and if no aggregate has flags
//! of its own then there is no word for them.

use super::SEEN;
use super::cell::{Cell, CellKind};
use crate::gpu::code::expression::{Binary, Expression, Variable};
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::lower::Lowering;
use std::sync::Arc;

/// What a group has of memory, in words of 32 bits.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// How many words; even if some are pairs.
    pub(crate) words: u32,
    /// Where its flags are, if it has some.
    pub(crate) flags: Option<u32>,
    /// The first word of each cell.
    pub(crate) cells: Vec<u32>,
    pub(crate) seen: Seen,
    /// Whether some words are pairs.
    has_pairs: bool,
}

/// What tells that a group has rows: these words, which may be the same one, are not zero where a mask has ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) words: [u32; 2],
    pub(crate) mask: u32,
}

/// A record's words in a kernel, of the group at hand.
#[derive(Clone, Debug)]
pub(crate) struct InTable {
    /// The table's memory as words of 32 bits, and of 64.
    pub(crate) views: Views,
    /// The number of its first word.
    first: Expression,
    has_pairs: bool,
}

/// A table's memory, twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Views {
    pub(crate) words: Variable,
    pub(crate) pairs: Variable,
}

impl Record {
    /// The record of these cells, one of which may tell that there are rows.
    pub(crate) fn new(cells: &[Cell], tells: Option<usize>) -> Self {
        let mut at = 0;
        let mut places = vec![0; cells.len()];
        for (place, cell) in places.iter_mut().zip(cells).filter(|(_, cell)| !cell.narrow) {
            *place = at;
            at += 2 * cell.words() as u32;
        }
        let has_pairs = at > 0;
        for (place, cell) in places.iter_mut().zip(cells).filter(|(_, cell)| cell.narrow) {
            *place = at;
            at += cell.words() as u32;
        }
        let has_flags = tells.is_none() || cells.iter().any(|cell| cell.flag.is_some() && cell.kind != CellKind::Count);
        let flags = has_flags.then_some(at);
        at += u32::from(has_flags);
        let seen = match (flags, tells) {
            (None, Some(cell)) => {
                let first = places[cell];
                let last = if cells[cell].narrow { first } else { first + 1 };
                Seen { words: [first, last], mask: u32::MAX }
            }
            _ => Seen { words: [flags.unwrap_or(0); 2], mask: SEEN },
        };
        let words = if has_pairs { at.next_multiple_of(2) } else { at };
        Record { words, flags, cells: places, seen, has_pairs }
    }

    /// Bytes of a group.
    pub(crate) fn bytes(&self) -> usize {
        self.words as usize * 4
    }
}

impl Lowering<'_> {
    /// The memory of records.
    pub(crate) fn views(&mut self, of: &Arc<Buffer>) -> Views {
        Views { words: self.memory(Type::U32, of), pairs: self.memory(Type::U64, of) }
    }

    /// The record of a group.
    pub(crate) fn record(&mut self, record: &Record, views: Views, group: &Expression) -> InTable {
        // Words are counted in pairs where there are some: an even number each.
        let each = if record.has_pairs { record.words / 2 } else { record.words };
        let group = group.clone().cast(Type::U64);
        let first = match each {
            1 => group,
            _ => Expression::binary(Binary::Multiply, group, Expression::number(each.into(), Type::U64)),
        };
        InTable { views, first: self.hold(first), has_pairs: record.has_pairs }
    }
}

impl InTable {
    fn behind(first: Expression, by: u32) -> Expression {
        match by {
            0 => first,
            _ => Expression::binary(Binary::Add, first, Expression::number(by.into(), Type::U64)),
        }
    }

    /// The number of a word of 32 bits.
    pub(crate) fn word_at(&self, at: u32) -> Expression {
        let first = match self.has_pairs {
            true => Expression::binary(Binary::Multiply, self.first.clone(), Expression::number(2, Type::U64)),
            false => self.first.clone(),
        };
        Self::behind(first, at)
    }

    /// A word of 32 bits.
    pub(crate) fn word(&self, at: u32) -> Expression {
        self.views.words.at(self.word_at(at))
    }

    /// Where it is.
    pub(crate) fn word_address(&self, at: u32) -> Expression {
        self.views.words.address(self.word_at(at))
    }

    /// The number of a pair whose first word is this one.
    pub(crate) fn pair_at(&self, at: u32) -> Expression {
        Self::behind(self.first.clone(), at / 2)
    }

    /// A pair, as a word of 64 bits, whose first word is this one.
    pub(crate) fn pair(&self, at: u32) -> Expression {
        self.views.pairs.at(self.pair_at(at))
    }

    /// Where it is.
    pub(crate) fn pair_address(&self, at: u32) -> Expression {
        self.views.pairs.address(self.pair_at(at))
    }

    /// Whether the group has rows.
    pub(crate) fn has_rows(&self, seen: &Seen) -> Expression {
        let zero = Expression::number(0, Type::U32);
        let [first, last] = seen.words;
        if first != last {
            return Expression::binary(Binary::NotEqual, self.pair(first), Expression::number(0, Type::U64));
        }
        let word = match seen.mask {
            u32::MAX => self.word(first),
            mask => Expression::binary(Binary::BitAnd, self.word(first), Expression::number(mask.into(), Type::U32)),
        };
        Expression::binary(Binary::NotEqual, word, zero)
    }
}
