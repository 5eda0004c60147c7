//! What makes the bytes of columns: the workers, part by part, in the memory that the card reads itself, while the parts before are on
//! their way. Nothing is made twice, and a statement that is cancelled stops at the next part.

use crate::column::{Chunk, Column};
use crate::gpu::code::types::Type;
use crate::gpu::driver::{Buffer, Driver};
use crate::gpu::stop::{Done, decline};
use crate::workers::schedule::Workers;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that a worker makes at once; in tests few, so that there are several. A multiple of all elements' sizes.
const PART: usize = if cfg!(test) { 64 } else { 256 << 10 };

/// Chunks that a worker looks at, at once.
const CHUNKS: usize = if cfg!(test) { 2 } else { 16 };

/// A device, and who makes what goes there.
#[derive(Clone, Copy)]
pub(crate) struct Loader<'l> {
    pub(crate) driver: &'l Arc<dyn Driver>,
    pub(crate) workers: Workers<'l>,
}

impl Loader<'_> {
    /// Memory of bytes that `make` makes, which gets the place of a part, and the part.
    pub(super) fn buffer(&self, bytes: usize, make: impl Fn(usize, &mut [u8]) + Sync) -> Done<Arc<Buffer>> {
        let buffer = Buffer::new(self.driver, bytes)?;
        self.put(buffer.address, bytes, make)?;
        Ok(buffer)
    }

    /// The same in memory that is there.
    pub(super) fn put(&self, address: u64, bytes: usize, make: impl Fn(usize, &mut [u8]) + Sync) -> Done<()> {
        self.driver.upload_made(address, bytes, &mut |at, slab| {
            let parts = slab.chunks_mut(PART).enumerate().map(|(number, part)| (at + number * PART, part)).collect();
            self.workers.map(parts, |(at, part)| {
                make(at, part);
                Ok(())
            })?;
            Ok(())
        })
    }

    /// What is made of each chunk, by its number.
    pub(super) fn each<T: Send>(&self, chunks: usize, make: impl Fn(usize) -> T + Sync) -> Done<Vec<T>> {
        let some = (0..chunks).step_by(CHUNKS).map(|first| first..chunks.min(first + CHUNKS)).collect();
        let made = self.workers.map(some, |some: Range<usize>| Ok(some.map(&make).collect::<Vec<T>>()))?;
        Ok(made.into_iter().flatten().collect())
    }
}

/// A column of some chunks, whose rows have numbers over all of them.
pub(super) struct Rows<'c> {
    pub(super) chunks: &'c [Arc<Chunk>],
    pub(super) columns: Vec<&'c Column>,
    /// Where each chunk's rows begin, and where the last ones end.
    starts: Vec<usize>,
}

impl<'c> Rows<'c> {
    pub(super) fn of(chunks: &'c [Arc<Chunk>], position: usize) -> Done<Self> {
        let columns = chunks.iter().map(|chunk| chunk.columns.get(position)).collect::<Option<Vec<&Column>>>();
        let Some(columns) = columns else { return decline("rows that lie in a file") };
        let starts = places(columns.iter().map(|column| column.rows()));
        Ok(Rows { chunks, columns, starts })
    }

    /// How many rows.
    pub(super) fn count(&self) -> usize {
        self.starts[self.columns.len()]
    }

    /// Calls something for each chunk that has some of these rows: its number, and which of its rows.
    pub(super) fn each(&self, rows: Range<usize>, with: impl FnMut(usize, Range<usize>)) {
        each_within(&self.starts, rows, with);
    }

    /// An array of the rows' elements: `write` gets the number of a chunk, some of its rows, and where they go.
    pub(super) fn array(
        &self,
        loader: Loader<'_>,
        element: Type,
        write: impl Fn(usize, Range<usize>, &mut [u8]) + Sync,
    ) -> Done<Arc<Buffer>> {
        let size = element.bytes();
        loader.buffer(self.count() * size, |at, part| {
            let (first, mut rest) = (at / size, part);
            self.each(first..first + rest.len() / size, |chunk, rows| {
                let (to, others) = std::mem::take(&mut rest).split_at_mut(rows.len() * size);
                write(chunk, rows, to);
                rest = others;
            });
        })
    }
}

/// Where parts of such lengths begin that lie side by side, and where the last one ends.
pub(super) fn places(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut places = vec![0];
    let mut end = 0;
    places.extend(lengths.map(|length| {
        end += length;
        end
    }));
    places
}

/// Calls something for each of some parts that lie side by side which has some of a range: its number, and what of it.
pub(super) fn each_within(places: &[usize], range: Range<usize>, mut with: impl FnMut(usize, Range<usize>)) {
    let mut at = range.start;
    let mut number = places.partition_point(|&place| place <= at).saturating_sub(1);
    while at < range.end {
        let (start, end) = (places[number], places[number + 1].min(range.end));
        if end > at {
            with(number, at - start..end - start);
            at = end;
        }
        number += 1;
    }
}

/// Writes numbers, lowest bytes first.
pub(super) fn put<const N: usize>(to: &mut [u8], values: impl Iterator<Item = [u8; N]>) {
    to.chunks_exact_mut(N).zip(values).for_each(|(to, value)| to.copy_from_slice(&value));
}

/// Writes the lowest bytes of numbers, as many as an element has.
pub(super) fn put_as(to: &mut [u8], element: Type, values: impl Iterator<Item = u64>) {
    match element {
        Type::U8 => put(to, values.map(|value| [value as u8])),
        Type::U16 => put(to, values.map(|value| (value as u16).to_le_bytes())),
        Type::U32 => put(to, values.map(|value| (value as u32).to_le_bytes())),
        _ => put(to, values.map(u64::to_le_bytes)),
    }
}

/// The narrowest type of offsets.
pub(super) fn width_of(most: u64) -> Type {
    match most {
        0..=0xff => Type::U8,
        0x100..=0xffff => Type::U16,
        0x1_0000..=0xffff_ffff => Type::U32,
        _ => Type::I64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_side_by_side() {
        let places = places([3, 0, 2, 0, 0, 4, 0].into_iter());
        assert_eq!(places, [0, 3, 3, 5, 5, 5, 9, 9]);
        let within = |range: Range<usize>| {
            let mut found = Vec::new();
            each_within(&places, range, |number, of| found.push((number, of)));
            found
        };
        assert_eq!(within(0..9), [(0, 0..3), (2, 0..2), (5, 0..4)]);
        assert_eq!(within(2..6), [(0, 2..3), (2, 0..2), (5, 0..1)]);
        assert_eq!(within(3..5), [(2, 0..2)]);
        assert_eq!(within(8..9), [(5, 3..4)]);
        assert!(within(4..4).is_empty() && within(9..9).is_empty());
    }
}
