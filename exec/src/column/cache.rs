//! Columns of lazy chunks that statements have asked for more than once, as they were read.
//!
//! What is kept is some rows of a column of one chunk, a cell: as many as loops read at once. A cell is kept when it is asked for
//! the second time, so that a file that is read once costs nothing more. Where there is no room, one gives way that was last used
//! before the new one was asked for last: a scan of a file that is larger than the cache keeps what it has of it, each time,
//! and does not push out its beginning by its end (as LRU-K, O'Neil et al., SIGMOD 1993, with two references). Statements that need
//! the memory get it: then cells go, the oldest first.

use super::lazy::PIECE_ROWS;
use super::{Column, ColumnReader};
use crate::Result;
use crate::workers::context::{Memory, Reclaim, Reservation};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Part of the memory that may be filled with cells.
const PART: usize = 4;

/// Some rows of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Cell {
    table: u64,
    chunk: u32,
    column: u32,
    part: u32,
}

#[derive(Debug)]
struct Kept {
    column: Column,
    used: u64,
    _reservation: Reservation,
}

/// Cells of all tables that an engine reads.
#[derive(Debug)]
pub struct ColumnCache {
    memory: Arc<Memory>,
    cells: Mutex<HashMap<Cell, Kept>>,
    /// Counts what is asked.
    clock: AtomicU64,
    tables: AtomicU64,
}

impl ColumnCache {
    /// One that has a quarter of a memory, and gives it back when that runs out.
    pub fn new(memory: &Arc<Memory>) -> Arc<Self> {
        let limit = memory.limit() / PART;
        let (cells, clock, tables) = (Mutex::default(), AtomicU64::new(1), AtomicU64::new(0));
        let cache = Arc::new(ColumnCache { memory: memory.child(limit), cells, clock, tables });
        let reclaim: Arc<dyn Reclaim> = Arc::clone(&cache) as Arc<dyn Reclaim>;
        memory.set_reclaim(Arc::downgrade(&reclaim));
        cache
    }

    /// A table whose columns are kept.
    pub fn table(self: &Arc<Self>) -> Arc<CachedTable> {
        Arc::new(CachedTable { cache: Arc::clone(self), number: self.tables.fetch_add(1, Ordering::Relaxed) })
    }

    /// The time of whatever is asked now: greater than all before.
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    fn get(&self, cell: Cell) -> Option<Column> {
        let now = self.now();
        let mut cells = self.cells();
        let kept = cells.get_mut(&cell)?;
        kept.used = now;
        Some(kept.column.clone())
    }

    /// Keeps a cell that was asked for at an earlier time, too, if there is room, or some that were not used since.
    fn keep(&self, cell: Cell, column: &Column, asked: u64) {
        let Ok(reservation) = self.room(column.bytes(), asked) else { return };
        let kept = Kept { column: column.clone(), used: self.now(), _reservation: reservation };
        self.cells().insert(cell, kept);
    }

    fn cells(&self) -> MutexGuard<'_, HashMap<Cell, Kept>> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many bytes. No lock is held while they are asked for: whoever has the memory may ask back for cells.
    fn room(&self, bytes: usize, asked: u64) -> Result<Reservation> {
        let mut reservation = Reservation::new(&self.memory);
        match reservation.add(bytes) {
            Err(_) if self.drop_oldest(bytes, asked) => reservation.add(bytes)?,
            outcome => outcome?,
        }
        Ok(reservation)
    }

    /// Drops cells that were not used since a time, the oldest first, until so many bytes are free; none if these would not be.
    fn drop_oldest(&self, bytes: usize, since: u64) -> bool {
        let mut cells = self.cells();
        let mut old: Vec<(u64, Cell, usize)> = cells
            .iter()
            .filter(|(_, kept)| kept.used < since)
            .map(|(cell, kept)| (kept.used, *cell, kept.column.bytes()))
            .collect();
        old.sort_unstable_by_key(|(used, ..)| *used);
        let mut freed = 0;
        let enough = old.iter().position(|(.., bytes_of)| {
            freed += bytes_of;
            freed >= bytes
        });
        let Some(last) = enough else { return false };
        for (_, cell, _) in &old[..=last] {
            cells.remove(cell);
        }
        true
    }
}

impl Reclaim for ColumnCache {
    fn reclaim(&self, bytes: usize) -> bool {
        if self.drop_oldest(bytes, u64::MAX) {
            return true;
        }
        // All of them are fewer.
        let mut cells = self.cells();
        let had = !cells.is_empty();
        cells.clear();
        had
    }
}

/// A table whose columns are kept. They are forgotten with it.
#[derive(Debug)]
pub struct CachedTable {
    cache: Arc<ColumnCache>,
    number: u64,
}

impl Drop for CachedTable {
    fn drop(&mut self) {
        self.cache.cells().retain(|cell, _| cell.table != self.number);
    }
}

/// A lazy chunk of such a table.
#[derive(Debug)]
pub(super) struct CachedChunk {
    table: Arc<CachedTable>,
    chunk: u32,
    rows: usize,
    /// By column, and part of as many rows as are kept at once: when it was asked for.
    asked: Box<[OnceLock<Box<[Asked]>>]>,
}

impl CachedChunk {
    pub(super) fn new(table: Arc<CachedTable>, chunk: u32, rows: usize, columns: usize) -> Self {
        CachedChunk { table, chunk, rows, asked: (0..columns).map(|_| OnceLock::new()).collect() }
    }

    /// Some rows of a column: those that are kept, or those that are read now. Whoever knows that others will ask for these `again`
    /// says so.
    pub(super) fn read(
        &self,
        (reader, column): (&dyn ColumnReader, usize),
        rows: Range<usize>,
        again: bool,
        read: impl Fn(Range<usize>) -> Result<Column>,
    ) -> Result<Column> {
        let part = rows.start / PIECE_ROWS;
        let of_part = part * PIECE_ROWS..self.rows.min((part + 1) * PIECE_ROWS);
        if rows.end > of_part.end {
            return read(rows);
        }
        let cache = &self.table.cache;
        let cell = Cell { table: self.table.number, chunk: self.chunk, column: column as u32, part: part as u32 };
        let within = rows.start - of_part.start..rows.end - of_part.start;
        let of =
            |whole: Column| if within.len() == whole.rows() { whole } else { whole.slice(within.start, within.len()) };
        if let Some(kept) = cache.get(cell) {
            return Ok(of(kept));
        }
        // A few rows are no reason to read all that are around them.
        if within.len() < of_part.len() / 2 {
            return read(rows);
        }
        let parts = self.rows.div_ceil(PIECE_ROWS);
        let asked = &self.asked[column].get_or_init(|| (0..parts).map(|_| Asked::default()).collect())[part];
        let now = cache.now();
        let Some(before) = asked.again(&within, now).or(again.then_some(now)) else { return read(rows) };
        let whole = read(of_part)?.narrowest(reader.field(column))?;
        cache.keep(cell, &whole, before);
        Ok(of(whole))
    }
}

/// When a part of a column was asked for first, and from which of its rows on.
#[derive(Debug, Default)]
struct Asked(AtomicU64);

/// Bits of a row's number in its part.
const ROW_BITS: u32 = 20;

const _: () = assert!(PIECE_ROWS <= 1 << ROW_BITS);

impl Asked {
    /// Notes that rows of a part are asked for now; gives when this was so before, if the rows are among those, too. A part may be read
    /// in several steps by who goes over it once: then they share no row.
    fn again(&self, rows: &Range<usize>, now: u64) -> Option<u64> {
        let first = now << ROW_BITS | rows.start as u64;
        match self.0.compare_exchange(0, first, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => None,
            Err(before) if rows.contains(&((before & ((1 << ROW_BITS) - 1)) as usize)) => {
                self.0.store(first, Ordering::Relaxed);
                Some(before >> ROW_BITS)
            }
            Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_planner::types::DataType;
    use multiloop_planner::value::Value;

    fn column(value: i64) -> Column {
        Column::from_values(DataType::BigInt, &[value, value + 1].map(Value::Int))
    }

    fn cell(part: u32) -> Cell {
        Cell { table: 7, chunk: 0, column: 0, part }
    }

    #[test]
    fn a_part_is_asked_for_again_when_its_rows_are() {
        let asked = Asked::default();
        assert_eq!(asked.again(&(8..16), 1), None);
        assert_eq!(asked.again(&(0..8), 2), None);
        assert_eq!(asked.again(&(16..20), 3), None);
        assert_eq!(asked.again(&(0..20), 4), Some(1));
        assert_eq!(asked.again(&(0..20), 5), Some(4));
    }

    #[test]
    fn who_was_asked_for_earlier_gives_way() {
        let bytes = column(0).bytes();
        let memory = Memory::new(bytes * 2 * PART);
        let cache = ColumnCache::new(&memory);
        cache.keep(cell(0), &column(0), 0);
        cache.keep(cell(1), &column(1), 0);
        // Both were used since.
        cache.keep(cell(2), &column(2), 1);
        assert!(cache.get(cell(2)).is_none());
        assert!(cache.get(cell(0)).is_some());
        let now = cache.now();
        assert!(cache.get(cell(0)).is_some());
        cache.keep(cell(2), &column(2), now);
        assert!(cache.get(cell(1)).is_none() && cache.get(cell(0)).is_some() && cache.get(cell(2)).is_some());
        assert_eq!(memory.used(), 2 * bytes);
        drop(CachedTable { cache: Arc::clone(&cache), number: 7 });
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn statements_get_the_memory() {
        let bytes = column(0).bytes();
        let memory = Memory::new(bytes * 2 * PART);
        let cache = ColumnCache::new(&memory);
        cache.keep(cell(0), &column(0), 0);
        cache.keep(cell(1), &column(1), 0);
        let mut statement = Reservation::new(&memory.child(usize::MAX));
        statement.add(bytes * 2 * PART).expect("cells give way");
        assert!(cache.get(cell(0)).is_none() && cache.get(cell(1)).is_none());
        assert!(statement.add(1).is_err());
        // Nor is there room for others meanwhile.
        cache.keep(cell(0), &column(0), 0);
        assert!(cache.get(cell(0)).is_none());
        drop(statement);
        assert_eq!(memory.used(), 0);
    }
}
