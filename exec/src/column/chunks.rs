//! The chunks of rows, shared by all who have the same rows.
//!
//! A table of a thousand million rows has ten thousand chunks: to clone each of them, or to ask each how many rows it has, would take
//! longer than a device takes to go over a column of them. So snapshots of a table, and rows that a statement reads of it, have one
//! list of chunks, and devices know what they have of it by that list.

use super::zones::Zones;
use super::{Chunk, Dictionary};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Chunks, in order.
#[derive(Clone, Debug, Default)]
pub struct Chunks(Arc<List>);

/// What clones share.
#[derive(Debug, Default)]
struct List {
    all: Vec<Arc<Chunk>>,
    rows: usize,
    some_are_empty: bool,
    some_are_lazy: bool,
    /// Where each begins, once somebody asks.
    starts: OnceLock<Vec<usize>>,
    /// Of columns that somebody asked the one dictionary that all chunks have.
    dictionaries: Mutex<FxHashMap<usize, Option<Arc<Dictionary>>>>,
    /// What is known of each chunk of columns that somebody asked.
    zones: Mutex<FxHashMap<usize, Arc<Zones>>>,
    /// The list in so many parts, once somebody asks.
    parts: Mutex<FxHashMap<usize, Arc<[Part]>>>,
}

/// Neighbouring chunks of a list, as a list of their own.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which of the whole list's chunks the first one is, and how many rows are before it.
    pub first: usize,
    /// See `first`.
    pub start: usize,
    /// The chunks.
    pub chunks: Chunks,
}

/// A list of chunks that may go; two are equal if they are of one.
#[derive(Clone, Debug)]
pub struct ChunksWatch(Weak<List>);

impl Chunks {
    /// Rows of all chunks.
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// Whether some chunks' columns lie elsewhere.
    pub fn is_lazy(&self) -> bool {
        self.0.some_are_lazy
    }

    /// Of each chunk how many rows are before it.
    pub fn starts(&self) -> &[usize] {
        self.0.starts.get_or_init(|| {
            let mut end = 0;
            let start = |chunk: &Arc<Chunk>| {
                end += chunk.rows;
                end - chunk.rows
            };
            self.iter().map(start).collect()
        })
    }

    /// The chunk that has a row, and where that begins.
    pub fn holding(&self, row: usize) -> (usize, usize) {
        let chunk = self.starts().partition_point(|&start| start <= row) - 1;
        (chunk, self.starts()[chunk])
    }

    /// The rows of a chunk, without a look at it.
    pub fn rows_of(&self, number: usize) -> usize {
        let starts = self.starts();
        starts.get(number + 1).copied().unwrap_or(self.rows()) - starts[number]
    }

    /// The dictionary that all chunks share at a position; none if they have none or several, or lie in files that have not been read.
    pub fn dictionary(&self, position: usize) -> Option<Arc<Dictionary>> {
        let mut known = self.0.dictionaries.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(position).or_insert_with(|| self.shared_dictionary(position)).clone()
    }

    /// What is known of each chunk at a position, side by side. Only of chunks whose columns are here.
    pub fn zones(&self, position: usize) -> Arc<Zones> {
        let mut known = self.0.zones.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(position).or_insert_with(|| Arc::new(Zones::of(self, position))))
    }

    /// The list in so many parts of about as many rows each, some of which may have none; the same lists whenever somebody asks.
    pub fn parts(&self, count: usize) -> Arc<[Part]> {
        let mut known = self.0.parts.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(count).or_insert_with(|| self.cut(count)))
    }

    fn cut(&self, count: usize) -> Arc<[Part]> {
        let starts = self.starts();
        // A chunk belongs where its middle is.
        let part_of = |number: usize| {
            let middle = starts[number] as u128 * 2 + self.rows_of(number) as u128;
            (middle * count as u128 / (self.rows().max(1) as u128 * 2)).min(count as u128 - 1) as usize
        };
        let numbers: Vec<usize> = (0..self.len()).map(part_of).collect();
        let part = |number: usize| {
            let (first, end) =
                (numbers.partition_point(|&of| of < number), numbers.partition_point(|&of| of <= number));
            let start = starts.get(first).copied().unwrap_or(self.rows());
            Part { first, start, chunks: self[first..end].iter().cloned().collect() }
        };
        (0..count).map(part).collect()
    }

    fn shared_dictionary(&self, position: usize) -> Option<Arc<Dictionary>> {
        let of = |chunk: &Arc<Chunk>| chunk.columns.get(position)?.data.dictionary().cloned();
        let first = of(self.first()?)?;
        self.iter().all(|chunk| of(chunk).is_some_and(|other| Arc::ptr_eq(&other, &first))).then_some(first)
    }

    /// Those that have rows.
    #[must_use]
    pub fn with_rows(&self) -> Chunks {
        if self.0.some_are_empty { self.iter().filter(|chunk| chunk.rows > 0).cloned().collect() } else { self.clone() }
    }

    /// As a list of one's own: nothing is cloned where nobody else has it.
    #[must_use]
    pub fn into_vec(self) -> Vec<Arc<Chunk>> {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.all.clone(), |own| own.all)
    }

    /// Changes the list; clones keep what they have.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Vec<Arc<Chunk>>) -> T) -> T {
        let mut all = std::mem::take(self).into_vec();
        let changed = change(&mut all);
        *self = all.into();
        changed
    }

    /// What stays when the list goes.
    pub fn watch(&self) -> ChunksWatch {
        ChunksWatch(Arc::downgrade(&self.0))
    }

    /// Whether it is the list that somebody watches.
    pub fn is(&self, watch: &ChunksWatch) -> bool {
        std::ptr::eq(Arc::as_ptr(&self.0), watch.0.as_ptr())
    }
}

impl ChunksWatch {
    /// Whether the last who had the list has let it go.
    pub fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl Deref for Chunks {
    type Target = [Arc<Chunk>];

    fn deref(&self) -> &[Arc<Chunk>] {
        &self.0.all
    }
}

impl From<Vec<Arc<Chunk>>> for Chunks {
    fn from(all: Vec<Arc<Chunk>>) -> Self {
        let rows = all.iter().map(|chunk| chunk.rows).sum();
        let some_are_empty = all.iter().any(|chunk| chunk.rows == 0);
        let some_are_lazy = all.iter().any(|chunk| chunk.lazy.is_some());
        Chunks(Arc::new(List { all, rows, some_are_empty, some_are_lazy, ..List::default() }))
    }
}

impl FromIterator<Arc<Chunk>> for Chunks {
    fn from_iter<I: IntoIterator<Item = Arc<Chunk>>>(chunks: I) -> Self {
        chunks.into_iter().collect::<Vec<_>>().into()
    }
}

impl<'a> IntoIterator for &'a Chunks {
    type Item = &'a Arc<Chunk>;
    type IntoIter = std::slice::Iter<'a, Arc<Chunk>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Chunks {
    type Item = Arc<Chunk>;
    type IntoIter = std::vec::IntoIter<Arc<Chunk>>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[usize]) -> Chunks {
        rows.iter().map(|&rows| Arc::new(Chunk::new(rows, Vec::new()))).collect()
    }

    #[test]
    fn parts_are_about_as_large() {
        let rows = |chunks: &Chunks, count: usize| -> Vec<(usize, usize, usize)> {
            chunks.parts(count).iter().map(|part| (part.first, part.start, part.chunks.rows())).collect()
        };
        let chunks = of(&[2, 3, 0, 4, 1]);
        assert_eq!(rows(&chunks, 1), [(0, 0, 10)]);
        assert_eq!(rows(&chunks, 2), [(0, 0, 5), (2, 5, 5)]);
        assert_eq!(rows(&of(&[1, 100, 1]), 3), [(0, 0, 1), (1, 1, 100), (2, 101, 1)]);
        assert_eq!(rows(&of(&[7]), 3), [(0, 0, 0), (0, 0, 7), (1, 7, 0)]);
        assert_eq!(rows(&of(&[]), 2), [(0, 0, 0), (0, 0, 0)]);
        assert_eq!(rows(&of(&[0, 0]), 2), [(0, 0, 0), (2, 0, 0)]);
        let watch = chunks.parts(2)[1].chunks.watch();
        assert!(chunks.clone().parts(2)[1].chunks.is(&watch));
        drop(chunks);
        assert!(watch.is_gone());
    }

    #[test]
    fn clones_are_one_list_until_one_changes() {
        let mut chunks = of(&[2, 3]);
        let watch = chunks.watch();
        let clone = chunks.clone();
        assert!(clone.is(&watch));
        assert!(clone.with_rows().is(&watch));
        chunks.change(|all| all.push(Arc::new(Chunk::new(0, Vec::new()))));
        assert!(!chunks.is(&watch));
        assert_eq!((chunks.len(), chunks.rows(), chunks.with_rows().len(), clone.len()), (3, 5, 2, 2));
        drop(clone);
        assert!(watch.is_gone());
        assert_eq!(chunks.starts(), [0, 2, 5]);
        assert_eq!((of(&[]).rows(), of(&[]).starts()), (0, &[][..]));
    }
}
