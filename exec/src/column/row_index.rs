//! An index from values to rows: by hashes, and growing with its table.
//!
//! A table only ever gets rows behind those that it has, so an index that knows the first of them stays right for all later
//! snapshots, and is kept beside them: who asks lets it look at the rows that it has not seen, each once. So what a row that
//! is appended costs does not depend on how many there are.
//!
//! An entry is half of the hash and the number of a row, in one of `PARTS` tables by other bits of the hash: many rows at
//! once are partitioned to these, so that each is filled while it lies in the caches, and a table that grows is a small part of all.

use super::hash::{hash_of, hash_text, mix};
use super::{Chunk, Column, Table};
use crate::Result;
use crate::workers::context::{Context, Reservation};
use hashbrown::HashTable;
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// Parts of the hashes; a power of two.
const PARTS: usize = 256;

/// Bytes that a row takes while many are added, about: its entry as it is partitioned, and its slot in a table that has just grown.
const WORKING_BYTES: usize = 28;

/// Rows of some tables by the hashes of what they have.
#[derive(Debug)]
pub struct RowIndex {
    parts: Vec<HashTable<Entry>>,
    rows: usize,
    /// Bytes of all parts.
    bytes: usize,
    memory: Reservation,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    row: u32,
}

impl Entry {
    /// What its table goes by.
    fn slot(&self) -> u64 {
        slot(self.hash)
    }
}

fn slot(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn part_of(hash: u64) -> usize {
    (hash >> 32) as usize % PARTS
}

impl RowIndex {
    /// Rows have numbers of 32 bits: a table of more has no index.
    pub const ROWS_MAX: usize = u32::MAX as usize;

    /// An index of no rows, which counts against the context's memory.
    pub fn new(context: &Context) -> Self {
        RowIndex { parts: vec![HashTable::new(); PARTS], rows: 0, bytes: 0, memory: Reservation::new(&context.memory) }
    }

    /// How many rows it has seen: the first ones.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The first row of this hash that `is` the one asked for, if there is one.
    pub fn find(&self, hash: u64, mut is: impl FnMut(usize) -> bool) -> Option<usize> {
        let half = hash as u32;
        let is = |entry: &Entry| entry.hash == half && is(entry.row as usize);
        self.parts[part_of(hash)].find(slot(half), is).map(|entry| entry.row as usize)
    }

    /// Sees one row more; None is a row that nobody asks for. An error (53200) if there is not the memory.
    pub fn push(&mut self, hash: Option<u64>) -> Result<()> {
        let row = self.rows as u32;
        self.rows += 1;
        if let Some(hash) = hash {
            self.put(part_of(hash), &[Entry { hash: hash as u32, row }]);
        }
        if self.bytes > self.memory.bytes() { self.memory.resize(self.bytes) } else { Ok(()) }
    }

    /// Sees so many rows more. An error (53200) if there is not the memory; how many it has seen is
    /// right then, too.
    pub fn extend(&mut self, hashes: impl Iterator<Item = Option<u64>>, rows: usize) -> Result<()> {
        debug_assert!(self.rows + rows <= RowIndex::ROWS_MAX, "rows have numbers of 32 bits");
        if rows < PARTS {
            return hashes.take(rows).try_for_each(|hash| self.push(hash));
        }
        let mut working = self.memory.fork();
        working.add(rows * WORKING_BYTES)?;
        let mut partitioned: Vec<Vec<Entry>> = vec![Vec::new(); PARTS];
        for (row, hash) in (self.rows..).zip(hashes.take(rows)) {
            let Some(hash) = hash else { continue };
            partitioned[part_of(hash)].push(Entry { hash: hash as u32, row: row as u32 });
        }
        for (part, entries) in partitioned.into_iter().enumerate() {
            self.put(part, &entries);
        }
        self.rows += rows;
        drop(working);
        self.memory.resize(self.bytes)
    }

    fn put(&mut self, part: usize, entries: &[Entry]) {
        let part = &mut self.parts[part];
        let before = part.allocation_size();
        part.reserve(entries.len(), Entry::slot);
        for entry in entries {
            part.insert_unique(entry.slot(), *entry, Entry::slot);
        }
        self.bytes += part.allocation_size() - before;
    }
}

/// Where the rows of a table lie, by their numbers.
#[derive(Debug)]
pub struct RowPlaces<'t> {
    table: &'t Table,
    starts: Vec<usize>,
}

impl<'t> RowPlaces<'t> {
    /// Of a table.
    pub fn new(table: &'t Table) -> Self {
        let mut rows = 0;
        let start = |chunk: &Arc<Chunk>| {
            rows += chunk.rows;
            rows - chunk.rows
        };
        RowPlaces { table, starts: table.chunks.iter().map(start).collect() }
    }

    /// The columns that have a row, and its place in them.
    pub fn of(&self, row: usize) -> (&'t [Column], usize) {
        let chunk = self.starts.partition_point(|&start| start <= row) - 1;
        (&self.table.chunks[chunk].columns, row - self.starts[chunk])
    }

    /// The same of all rows from one on.
    pub fn from(&self, row: usize) -> impl Iterator<Item = (&'t [Column], usize)> {
        let first = self.starts.partition_point(|&start| start <= row).saturating_sub(1);
        let chunks = self.table.chunks.iter().zip(&self.starts).skip(first);
        chunks.flat_map(move |(chunk, &start)| {
            (row.saturating_sub(start)..chunk.rows).map(|at| (chunk.columns.as_slice(), at))
        })
    }
}

/// The same for all values of a type that are equal in SQL's sense, in whatever form their column is; any at a NULL.
pub fn hash_value(column: &Column, row: usize, data_type: DataType) -> u64 {
    match data_type {
        // Equal numbers can look different.
        DataType::Numeric if !column.is_null(row) => match column.value(row, data_type).group_key() {
            multiloop_planner::value::Value::Text(key) => hash_text(key.as_bytes()),
            _ => 0,
        },
        _ => hash_of(column, row),
    }
}

/// The hash of several values of which these are the hashes, in order.
pub fn hash_values(hashes: impl Iterator<Item = u64>) -> u64 {
    hashes.fold(0, |all, hash| mix(all.rotate_left(7) ^ hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workers::context::Memory;
    use multiloop_planner::types::Field;
    use multiloop_planner::value::Value;

    #[test]
    fn rows_are_found_however_they_came() {
        let context = Context::new(Memory::new(usize::MAX));
        // Many have one hash, some have none.
        let hash = |row: usize| (!row.is_multiple_of(11)).then(|| mix((row as u64 / 2) % 5_000));
        for pieces in [vec![1; 3_000], vec![20_000], vec![0, 1, 255, 256, 257, 10_000, 1, 1, 0, 9_229]] {
            let mut index = RowIndex::new(&context);
            for rows in pieces {
                let from = index.rows();
                index.extend((from..from + rows).map(hash), rows).expect("there is memory");
                assert_eq!(index.rows(), from + rows);
            }
            for row in 0..index.rows() + 5 {
                let found = hash(row).and_then(|hash| index.find(hash, |other| other == row));
                assert_eq!(found, (row < index.rows() && row % 11 > 0).then_some(row));
            }
            assert!(context.memory.used() > 0);
            drop(index);
            assert_eq!(context.memory.used(), 0);
        }
        let little = Context::new(Memory::new(10_000));
        let mut index = RowIndex::new(&little);
        assert!(index.extend((0..10_000).map(hash), 10_000).is_err());
        assert_eq!((index.rows(), index.find(mix(7), |_| true), little.memory.used()), (0, None, 0));
    }

    #[test]
    fn places_of_rows_in_uneven_chunks() {
        let fields = || vec![Field::new("x", DataType::BigInt, false)];
        let mut table = Table::empty(fields());
        for rows in [5, 1, 0, 3, 1] {
            let first = table.rows() as i64;
            let rows: Vec<Vec<Value>> = (first..first + rows).map(|row| vec![Value::Int(row)]).collect();
            table.chunks.change(|chunks| {
                chunks.extend(Table::from_values(fields(), &rows).chunks);
                chunks.push(Arc::new(Chunk::new(0, vec![Column::from_values(DataType::BigInt, [])])));
            });
        }
        let places = RowPlaces::new(&table);
        let value = |(columns, at): (&[Column], usize)| columns[0].integer(at);
        for row in 0..table.rows() {
            assert_eq!(value(places.of(row)), Some(row as i128));
        }
        for from in 0..=table.rows() + 1 {
            let found: Vec<i128> = places.from(from).filter_map(value).collect();
            assert_eq!(found, (from as i128..table.rows() as i128).collect::<Vec<_>>());
        }
    }
}
