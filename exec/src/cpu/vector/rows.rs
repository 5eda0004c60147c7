//! The row number in each source of every tuple of a nest.

use crate::column::dictionary::Dictionary;
use crate::column::{Chunk, Column};
pub use crate::cpu::vector::NO_ROW;
use crate::cpu::vector::chunked::Chunked;
use crate::workers::context::{Memory, Reservation};
use crate::{Error, Result};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// Tuples in a tile, at most (an `expand` may go beyond; nothing depends on it but the caches).
pub const TILE_ROWS: usize = 32768;

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
    pub(crate) fn take_memory(&mut self) -> Vec<u32> {
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
    /// Rows of a lazy chunk. Row numbers count among these rows.
    Lazy(Arc<LazyRows>),
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
    pub(crate) fn dictionary(&self, field: u32) -> Option<&Arc<Dictionary>> {
        match self {
            Source::Chunked(rows) => rows.dictionary(field),
            _ => self.column(field).and_then(|column| column.data.dictionary()),
        }
    }

    /// The column of a field; none for a Count, or if it is not one, or cannot be read.
    pub fn column(&self, field: u32) -> Option<&Column> {
        match self {
            Source::Chunk { chunk, fields } => {
                let position = fields.as_ref().map_or(field, |fields| fields[field as usize]);
                Some(&chunk.columns[position as usize])
            }
            Source::Lazy(rows) => rows.column(field).as_ref().ok(),
            Source::Chunked(_) | Source::Count { .. } => None,
        }
    }
}

/// Some rows of a lazy chunk, whose columns are read when the first expression asks for them.
#[derive(Debug)]
pub struct LazyRows {
    chunk: Arc<Chunk>,
    rows: Range<usize>,
    /// For each field the position of its column.
    fields: Arc<[u32]>,
    /// Of each field whether another loop will read it, too.
    again: Arc<[bool]>,
    read: Box<[OnceLock<Result<Column>>]>,
    reservation: Mutex<Reservation>,
}

impl LazyRows {
    /// These rows of a chunk, of which nothing is read yet; of each field whether another loop will read it, too.
    pub(crate) fn new(
        (chunk, rows): (Arc<Chunk>, Range<usize>),
        (fields, again): (Arc<[u32]>, Arc<[bool]>),
        memory: &Arc<Memory>,
    ) -> Self {
        let read = fields.iter().map(|_| OnceLock::new()).collect();
        LazyRows { chunk, rows, fields, again, read, reservation: Mutex::new(Reservation::new(memory)) }
    }

    /// Whether the column of a field has been read.
    pub(crate) fn has_read(&self, field: u32) -> bool {
        self.read[field as usize].get().is_some()
    }

    /// The column of a field. What fails does so again for whoever asks.
    pub(crate) fn column(&self, field: u32) -> &Result<Column> {
        self.read[field as usize].get_or_init(|| {
            let again = self.again.get(field as usize).copied().unwrap_or(false);
            let column = self.chunk.read(self.fields[field as usize] as usize, self.rows.clone(), again)?;
            let mut reservation = self.reservation.lock().map_err(|_| Error::internal("a worker panicked"))?;
            reservation.add(column.bytes())?;
            Ok(column)
        })
    }
}

/// The number that stands for no group.
pub(crate) const NO_GROUP: u32 = u32::MAX;
