//! Growing columns, as data: what loops append to, what intermediate results are until they become columns, and what partial
//! groups keep of values that are no numbers. How they grow is a backend's.

use super::vectors::Vectors;
use super::{Dictionary, TextView};
use arrow::buffer::Buffer;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::value::Interval;
use std::sync::Arc;

/// Bytes of an arena from which on it is closed and a new one begun: offsets have 32 bits.
pub(crate) const ARENA_MAX: usize = 1 << 30;

/// A growing column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnBuilder {
    pub(crate) data: BuilderData,
    /// A bit a row; none while there is no NULL.
    pub(crate) valid: Option<Vec<bool>>,
    pub(crate) len: usize,
}

/// The values of a growing column; at a NULL any value.
#[derive(Clone, Debug)]
pub(crate) enum BuilderData {
    Bool(Vec<bool>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    I128(Vec<i128>),
    F64(Vec<f64>),
    Text(BuilderText),
    Code {
        codes: Vec<u32>,
        dictionary: Arc<Dictionary>,
    },
    Interval(Vec<Interval>),
    /// numeric, of which 128 bits hold all digits; others are texts.
    Numerics(Vec<SmallNumeric>),
    /// vectors.
    Vectors(Vectors),
}

/// Growing strings: views into the buffers that they come from, and those of an arena of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuilderText {
    pub(crate) views: Vec<TextView>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) arena: Vec<u8>,
    /// The buffers of the last vector, and where they stand among `buffers`.
    pub(crate) known: Option<(Arc<[Buffer]>, Vec<u32>)>,
}

impl ColumnBuilder {
    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let data = match &self.data {
            BuilderData::Bool(values) => values.capacity(),
            BuilderData::I32(values) => values.capacity() * 4,
            BuilderData::I64(values) => values.capacity() * 8,
            BuilderData::I128(values) => values.capacity() * 16,
            BuilderData::F64(values) => values.capacity() * 8,
            BuilderData::Text(text) => text.bytes(),
            BuilderData::Code { codes, .. } => codes.capacity() * 4,
            BuilderData::Interval(values) => values.capacity() * size_of::<Interval>(),
            BuilderData::Numerics(values) => values.capacity() * size_of::<SmallNumeric>(),
            BuilderData::Vectors(vectors) => vectors.bytes(),
        };
        data + self.valid.as_ref().map_or(0, Vec::capacity)
    }

    /// Whether the rows of both can stand in one column: they are of one type, in whatever form. What has no values is of any.
    pub(crate) fn is_like(&self, other: &ColumnBuilder) -> bool {
        let kind = |column: &ColumnBuilder| match &column.data {
            _ if column.len == 0 => None,
            // NULLs of no type.
            BuilderData::Bool(_) if column.valid.as_ref().is_some_and(|valid| !valid.contains(&true)) => None,
            BuilderData::Bool(_) => Some(0),
            BuilderData::I32(_) | BuilderData::I64(_) | BuilderData::I128(_) => Some(1),
            BuilderData::F64(_) => Some(2),
            BuilderData::Text(_) | BuilderData::Code { .. } | BuilderData::Numerics(_) => Some(3),
            BuilderData::Interval(_) => Some(4),
            BuilderData::Vectors(vectors) => Some(4 + vectors.length()),
        };
        match (kind(self), kind(other)) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => true,
        }
    }

    /// Makes strings of its own ones of a buffer, and vectors ones of a block: whoever takes rows from here on takes no bytes.
    pub(crate) fn close_arena(&mut self) {
        match &mut self.data {
            BuilderData::Text(text) if !text.arena.is_empty() => text.close_arena(),
            BuilderData::Vectors(vectors) => vectors.close(),
            _ => {}
        }
    }

    /// The rows at these positions.
    pub(crate) fn take(&self, rows: &[u32]) -> ColumnBuilder {
        fn pick<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|&row| values[row as usize]).collect()
        }
        let data = match &self.data {
            BuilderData::Bool(values) => BuilderData::Bool(pick(values, rows)),
            BuilderData::I32(values) => BuilderData::I32(pick(values, rows)),
            BuilderData::I64(values) => BuilderData::I64(pick(values, rows)),
            BuilderData::I128(values) => BuilderData::I128(pick(values, rows)),
            BuilderData::F64(values) => BuilderData::F64(pick(values, rows)),
            BuilderData::Text(text) => BuilderData::Text(text.take(rows.iter().map(|&row| row as usize))),
            BuilderData::Code { codes, dictionary } => {
                BuilderData::Code { codes: pick(codes, rows), dictionary: Arc::clone(dictionary) }
            }
            BuilderData::Interval(values) => BuilderData::Interval(pick(values, rows)),
            BuilderData::Numerics(values) => BuilderData::Numerics(pick(values, rows)),
            BuilderData::Vectors(vectors) => BuilderData::Vectors(vectors.take(rows.iter().map(|&row| row as usize))),
        };
        let valid = self.valid.as_ref().map(|valid| pick(valid, rows));
        ColumnBuilder { data, valid, len: rows.len() }
    }
}

impl BuilderText {
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
    pub(crate) fn take(&self, rows: impl ExactSizeIterator<Item = usize>) -> BuilderText {
        let views = Vec::with_capacity(rows.len());
        let mut taken = BuilderText { views, buffers: self.buffers.clone(), ..BuilderText::default() };
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
