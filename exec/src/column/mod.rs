//! Tables in memory: chunks of typed columns in compact physical form, plus statistics.
//!
//! A [`Table`] is an immutable snapshot. It is a list of [`Chunk`]s of at most [`CHUNK_ROWS`] rows, each with one
//! [`Column`] a field. The logical type is the field's; the physical form is the column's, chunk by chunk:
//! integers, dates, times and decimals that fit become unsigned offsets from the chunk's minimum (frame of
//! reference), in steps if that makes them narrower, low-cardinality text becomes codes of a sorted dictionary, other
//! text one byte buffer with offsets (searched as a whole). Registered RecordBatches keep their arrays where a physical form
//! exists for them. Clones of a column have one `identity`, by which devices know its values again; clones
//! of a table have one list of chunks.

pub mod append;
pub mod arrow;
pub mod build;
mod cache;
pub mod change;
pub mod chunks;
pub(crate) mod column_builder;
mod common;
mod compact;
mod compact_text;
pub mod dictionary;
pub mod distinct;
pub(crate) mod divisor;
pub mod domain;
pub mod form;
pub mod hash;
mod homes;
pub mod identity;
pub mod lazy;
pub mod narrow;
pub mod order_key;
mod proof;
pub mod row_index;
mod shared_dictionary;
mod slab;
pub mod statistics;
mod strings;
#[cfg(test)]
mod tests;
pub mod value;
pub mod vectors;
pub mod zones;

use crate::Result;
use crate::workers::context::{Context, Reservation};
use ::arrow::buffer::Buffer;
use ::arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
pub use cache::{CachedTable, ColumnCache};
pub use chunks::Chunks;
pub use dictionary::Dictionary;
use identity::Identity;
pub use lazy::{ColumnReader, LazyColumns, Span};
use multiloop_planner::catalog::TableStatistics;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::Field;
use multiloop_planner::value::Interval;
pub use order_key::text_order;
use std::sync::Arc;

/// Rows in a chunk, at most. All chunks of one load but its last have exactly so many; small inserts and registered
/// batches leave shorter ones.
pub const CHUNK_ROWS: usize = 1 << 16;

/// Rows of a lazy chunk that are read at once, at most.
pub(crate) const PIECE_ROWS: usize = 1 << 17;

/// An immutable snapshot of a table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Names and types.
    pub fields: Vec<Field>,
    /// The rows, in order.
    pub chunks: Chunks,
    /// What is known of them.
    pub statistics: Arc<TableStatistics>,
}

/// Some rows of a table.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// How many.
    pub rows: usize,
    /// One a field.
    pub columns: Vec<Column>,
    /// Smallest and largest value of each column that has a value, as numbers that are in order as values are: integers of 64 bits
    /// as they are, floats by [`float_key`](order_key::float_key), text by [`text_order`]. Loops leave out chunks by them. None says
    /// nothing.
    pub ranges: Vec<Option<(i64, i64)>>,
    /// The node of the machine that first touched the memory of its columns, whose workers take it first; None of chunks that
    /// nobody placed.
    pub home: Option<usize>,
    /// The memory that the chunk counts for, given back with its last reference; snapshots share it.
    pub reservation: Option<Arc<Reservation>>,
    /// What reads its columns, of a chunk that has none: see [`lazy`].
    pub lazy: Option<LazyColumns>,
}

impl Chunk {
    /// A chunk of columns of equal length, nothing known of their ranges, counted nowhere.
    pub fn new(rows: usize, columns: Vec<Column>) -> Self {
        debug_assert!(columns.iter().all(|column| column.rows() == rows), "columns of a chunk are of one length");
        let ranges = vec![None; columns.len()];
        Chunk { rows, columns, ranges, home: None, reservation: None, lazy: None }
    }

    /// The same, counting for its columns and so many bytes beside them. An error (53200) if there is not the memory.
    pub(crate) fn counted(mut self, beside: usize, context: &Context) -> Result<Arc<Chunk>> {
        let mut memory = Reservation::new(&context.memory);
        memory.add(self.bytes() + beside)?;
        self.reservation = Some(Arc::new(memory));
        Ok(Arc::new(self))
    }
}

/// One column of a chunk.
#[derive(Clone, Debug)]
pub struct Column {
    /// The values; what stands at a NULL is any valid value of the form.
    pub data: ColumnData,
    /// Which rows are not NULL; none if no row is.
    pub nulls: Option<NullBuffer>,
    /// By which devices know it again; whoever changes the values gives it another one.
    pub identity: Identity,
}

impl Column {
    /// A column of these values.
    pub fn new(data: ColumnData, nulls: Option<NullBuffer>) -> Self {
        Column { data, nulls, identity: Identity::default() }
    }

    /// The same values in another form.
    pub(crate) fn set_data(&mut self, data: ColumnData) {
        (self.data, self.identity) = (data, Identity::default());
    }
}

/// Where one string lies. Invariant: within its buffer, and valid UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextView {
    /// Which of the buffers; [`TextView::ARENA`] for bytes of the views' own.
    pub buffer: u32,
    /// First byte.
    pub offset: u32,
    /// How many bytes.
    pub length: u32,
}

impl TextView {
    /// The `buffer` of strings that lie in an arena of their own.
    pub const ARENA: u32 = u32::MAX;

    /// A string of no bytes.
    pub const EMPTY: TextView = TextView { buffer: TextView::ARENA, offset: 0, length: 0 };

    /// The bytes of the string in its buffer.
    pub fn bytes_in(self, buffer: &[u8]) -> &[u8] {
        &buffer[self.offset as usize..self.offset as usize + self.length as usize]
    }

    /// The bytes of its buffer from the string's first one on.
    pub(crate) fn bytes_behind(self, buffer: &[u8]) -> &[u8] {
        &buffer[self.offset as usize..]
    }
}

/// The physical forms. Logical types per form: `Frame*`, `Stepped*` and `Int*` hold every integer-like type (smallint to bigint,
/// date in days, time and timestamp in microseconds, decimal unscaled).
#[derive(Clone, Debug)]
pub enum ColumnData {
    /// base + offset.
    Frame8 {
        /// The chunk's minimum.
        base: i64,
        /// Offsets from it.
        offsets: ScalarBuffer<u8>,
    },
    /// base + offset.
    Frame16 {
        /// The chunk's minimum.
        base: i64,
        /// Offsets from it.
        offsets: ScalarBuffer<u16>,
    },
    /// base + offset; base + the largest offset fits i64.
    Frame32 {
        /// The chunk's minimum.
        base: i64,
        /// Offsets from it.
        offsets: ScalarBuffer<u32>,
    },
    /// base + step × offset: values that lie evenly apart, where a plain frame would be wider. As for the other two, the
    /// step is above 1, and base + step × the largest offset fits i64.
    Stepped8 {
        /// The chunk's minimum.
        base: i64,
        /// What divides every value's distance from it.
        step: i64,
        /// Distances from it, in steps.
        offsets: ScalarBuffer<u8>,
    },
    /// base + step × offset.
    Stepped16 {
        /// The chunk's minimum.
        base: i64,
        /// What divides every value's distance from it.
        step: i64,
        /// Distances from it, in steps.
        offsets: ScalarBuffer<u16>,
    },
    /// base + step × offset.
    Stepped32 {
        /// The chunk's minimum.
        base: i64,
        /// What divides every value's distance from it.
        step: i64,
        /// Distances from it, in steps.
        offsets: ScalarBuffer<u32>,
    },
    /// As registered.
    Int16(ScalarBuffer<i16>),
    /// As registered.
    Int32(ScalarBuffer<i32>),
    /// As registered, or too wide for a frame.
    Int64(ScalarBuffer<i64>),
    /// Decimals that do not fit 64 bits, or as registered.
    Int128(ScalarBuffer<i128>),
    /// real.
    Float32(ScalarBuffer<f32>),
    /// double.
    Float64(ScalarBuffer<f64>),
    /// Vectors of reals: so many elements a row, those of a row side by side; at a NULL any.
    Vectors32 {
        /// Elements a row, at least one.
        length: usize,
        /// As many as rows times the length.
        values: ScalarBuffer<f32>,
    },
    /// Vectors of doubles.
    Vectors64 {
        /// Elements a row, at least one.
        length: usize,
        /// As many as rows times the length.
        values: ScalarBuffer<f64>,
    },
    /// boolean.
    Boolean(BooleanBuffer),
    /// Text as 8-bit codes.
    Dictionary8 {
        /// One a row.
        codes: ScalarBuffer<u8>,
        /// What they stand for; shared by the chunks of one load.
        dictionary: Arc<Dictionary>,
    },
    /// Text as 16-bit codes.
    Dictionary16 {
        /// One a row.
        codes: ScalarBuffer<u16>,
        /// What they stand for; shared by the chunks of one load.
        dictionary: Arc<Dictionary>,
    },
    /// Text as 32-bit codes.
    Dictionary32 {
        /// One a row.
        codes: ScalarBuffer<u32>,
        /// What they stand for; shared by the chunks of one load.
        dictionary: Arc<Dictionary>,
    },
    /// Text: row i is `bytes[offsets[i]..offsets[i + 1]]`, valid UTF-8. In a slice or a registered array the first
    /// offset need not be 0, nor the last the end of `bytes`.
    Text {
        /// One more than rows.
        offsets: OffsetBuffer<i32>,
        /// The strings, one after the other.
        bytes: Buffer,
    },
    /// Text that lies elsewhere: intermediate results show the bytes of the tables that they come from. No table
    /// has it.
    Views {
        /// One a row.
        views: Arc<Vec<TextView>>,
        /// Where the strings lie.
        buffers: Arc<[Buffer]>,
    },
    /// interval.
    Interval(Arc<[Interval]>),
    /// numeric, of which 128 bits hold all digits: in intermediate results. Tables have such numbers as text.
    Numerics(Arc<Vec<SmallNumeric>>),
}
