//! Growing columns, as data: what loops append to, what intermediate results are until they become columns, and what partial
//! groups keep of values that are no numbers. How they grow is a backend's.

use super::{Dictionary, TextView};
use arrow::buffer::Buffer;
use multiloop_planner::value::Interval;
use std::sync::Arc;

/// A growing column.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    pub(crate) data: GatheredData,
    /// A bit a row; none while there is no NULL.
    pub(crate) valid: Option<Vec<bool>>,
    pub(crate) len: usize,
}

/// The values of a growing column; at a NULL any value.
#[derive(Clone, Debug)]
pub(crate) enum GatheredData {
    Bool(Vec<bool>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    I128(Vec<i128>),
    F64(Vec<f64>),
    Text(GatheredText),
    Code { codes: Vec<u32>, dictionary: Arc<Dictionary> },
    Interval(Vec<Interval>),
}

/// Growing strings: views into the buffers that they come from, and those of an arena of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct GatheredText {
    pub(crate) views: Vec<TextView>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) arena: Vec<u8>,
    /// The buffers of the last vector, and where they stand among `buffers`.
    pub(crate) known: Option<(Arc<[Buffer]>, Vec<u32>)>,
}

impl Gathered {
    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let data = match &self.data {
            GatheredData::Bool(values) => values.capacity(),
            GatheredData::I32(values) => values.capacity() * 4,
            GatheredData::I64(values) => values.capacity() * 8,
            GatheredData::I128(values) => values.capacity() * 16,
            GatheredData::F64(values) => values.capacity() * 8,
            GatheredData::Text(text) => text.bytes(),
            GatheredData::Code { codes, .. } => codes.capacity() * 4,
            GatheredData::Interval(values) => values.capacity() * size_of::<Interval>(),
        };
        data + self.valid.as_ref().map_or(0, Vec::capacity)
    }
}

impl GatheredText {
    /// The bytes of a string.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> &[u8] {
        let view = self.views[row];
        view.bytes_in(if view.buffer == TextView::ARENA { &self.arena } else { &self.buffers[view.buffer as usize] })
    }

    /// Bytes held, without those of buffers, which are others'.
    pub(crate) fn bytes(&self) -> usize {
        self.views.capacity() * size_of::<TextView>() + self.arena.capacity()
    }
}
