//! Growing columns, as data: what loops append to, what intermediate results are until they become columns, and what partial
//! groups keep of values that are no numbers. How they grow is a backend's.

use super::{Dictionary, TextView};
use arrow::buffer::Buffer;
use multiloop_planner::value::Interval;
use std::sync::Arc;

/// Bytes of an arena from which on it is closed and a new one begun: offsets have 32 bits.
pub(crate) const ARENA_MAX: usize = 1 << 30;

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

    /// Whether the rows of both can stand in one column: they are of one type, in whatever form. What has no values is of any.
    pub(crate) fn is_like(&self, other: &Gathered) -> bool {
        let kind = |column: &Gathered| match column.data {
            _ if column.len == 0 => None,
            // NULLs of no type.
            GatheredData::Bool(_) if column.valid.as_ref().is_some_and(|valid| !valid.contains(&true)) => None,
            GatheredData::Bool(_) => Some(0),
            GatheredData::I32(_) | GatheredData::I64(_) | GatheredData::I128(_) => Some(1),
            GatheredData::F64(_) => Some(2),
            GatheredData::Text(_) | GatheredData::Code { .. } => Some(3),
            GatheredData::Interval(_) => Some(4),
        };
        match (kind(self), kind(other)) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => true,
        }
    }

    /// The rows at these positions.
    pub(crate) fn take(&self, rows: &[u32]) -> Gathered {
        fn pick<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|&row| values[row as usize]).collect()
        }
        let data = match &self.data {
            GatheredData::Bool(values) => GatheredData::Bool(pick(values, rows)),
            GatheredData::I32(values) => GatheredData::I32(pick(values, rows)),
            GatheredData::I64(values) => GatheredData::I64(pick(values, rows)),
            GatheredData::I128(values) => GatheredData::I128(pick(values, rows)),
            GatheredData::F64(values) => GatheredData::F64(pick(values, rows)),
            GatheredData::Text(text) => GatheredData::Text(text.take(rows.iter().map(|&row| row as usize))),
            GatheredData::Code { codes, dictionary } => {
                GatheredData::Code { codes: pick(codes, rows), dictionary: Arc::clone(dictionary) }
            }
            GatheredData::Interval(values) => GatheredData::Interval(pick(values, rows)),
        };
        let valid = self.valid.as_ref().map(|valid| pick(valid, rows));
        Gathered { data, valid, len: rows.len() }
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

    /// Appends a string to be copied.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.arena.len() + bytes.len() > ARENA_MAX {
            self.close_arena();
        }
        let offset = u32::try_from(self.arena.len()).expect("an arena is closed before it is so large");
        let length = u32::try_from(bytes.len()).expect("a string is below 4 GiB");
        self.arena.extend_from_slice(bytes);
        self.views.push(TextView { buffer: TextView::ARENA, offset, length });
    }

    /// The strings at these positions.
    pub(crate) fn take(&self, rows: impl ExactSizeIterator<Item = usize>) -> GatheredText {
        let views = Vec::with_capacity(rows.len());
        let mut taken = GatheredText { views, buffers: self.buffers.clone(), ..GatheredText::default() };
        for row in rows {
            match self.views[row] {
                TextView { buffer: TextView::ARENA, .. } => taken.push(self.get(row)),
                view => taken.views.push(view),
            }
        }
        taken
    }

    /// Makes the arena a buffer like any other.
    pub(crate) fn close_arena(&mut self) {
        let buffer = self.buffers.len() as u32;
        self.buffers.push(std::mem::take(&mut self.arena).into());
        let arena = self.views.iter_mut().filter(|view| view.buffer == TextView::ARENA);
        arena.for_each(|view| view.buffer = buffer);
    }
}
