//! Columns of lazy chunks that statements have asked for more than once, as they were read.
//!
//! What is kept is some rows of a column of one chunk, a cell: as many as loops read at once. A cell is kept when it is asked for
//! the second time, so that a file that is read once costs nothing more. Where there is no room, one gives way that was last used
//! before the new one was asked for last: a scan of a file that is larger than the cache keeps what it has of it, each time,
//! and does not push out its beginning by its end (as LRU-K, O'Neil et al., SIGMOD 1993, with two references). Statements that need
//! the memory get it: then cells go, the oldest first.

use super::{Column, ColumnReader, PIECE_ROWS};
use crate::Result;
use crate::workers::context::{Memory, Reclaim, Reservation};
use multiloop_planner::types::Field;
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

    /// Keeps a cell that was asked for at an earlier time, too, if there is room, or some that were not used since. Gives it as it is
    /// kept.
    fn keep(&self, cell: Cell, column: Column, field: &Field, asked: u64) -> Result<Column> {
        let Ok(mut reservation) = self.room(column.bytes(), asked) else { return Ok(column) };
        let column = column.narrowest(field)?;
        reservation.resize(column.bytes().min(reservation.bytes()))?;
        let kept = Kept { column: column.clone(), used: self.now(), _reservation: reservation };
        self.cells().insert(cell, kept);
        Ok(column)
    }

    fn cells(&self) -> MutexGuard<'_, HashMap<Cell, Kept>> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many bytes, of what is free or of cells that were not used since a time.
    fn room(&self, bytes: usize, asked: u64) -> Result<Reservation> {
        let mut reservation = Reservation::new(&self.memory);
        match reservation.add_free(bytes) {
            Err(_) if self.drop_oldest(bytes, asked) => reservation.add_free(bytes)?,
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
        if old.iter().map(|(.., bytes_of)| bytes_of).sum::<usize>() < bytes {
            return false;
        }
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
        self.drop_oldest(bytes, u64::MAX)
    }
}

/// A table whose columns are kept. They are forgotten with it.
#[derive(Debug)]
pub struct CachedTable {
    cache: Arc<ColumnCache>,
    number: u64,
}

impl CachedTable {
    /// Keeps a column of a chunk that has been read by the way, in its narrowest form, as far as there is room that nobody has.
    ///
    /// # Errors
    /// XX000 for a column that is not of the field's type.
    pub fn offer(&self, chunk: u32, column: u32, rows: &Column, field: &Field) -> Result<()> {
        for (part, start) in (0..rows.rows()).step_by(PIECE_ROWS).enumerate() {
            let cell = Cell { table: self.number, chunk, column, part: part as u32 };
            let of_part = rows.slice(start, PIECE_ROWS.min(rows.rows() - start));
            self.cache.keep(cell, of_part, field, 0)?;
        }
        Ok(())
    }
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

    /// Some rows of a column: those that are kept, or those that are read now, by `read`, which is told whether they will be kept.
    /// Whoever knows that others will ask for these `again` says so.
    pub(super) fn read(
        &self,
        (reader, column): (&dyn ColumnReader, usize),
        rows: Range<usize>,
        again: bool,
        read: impl Fn(Range<usize>, bool) -> Result<Column>,
    ) -> Result<Column> {
        let part = rows.start / PIECE_ROWS;
        let of_part = part * PIECE_ROWS..self.rows.min((part + 1) * PIECE_ROWS);
        if rows.is_empty() || rows.end > of_part.end {
            return read(rows, false);
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
            return read(rows, false);
        }
        let parts = self.rows.div_ceil(PIECE_ROWS);
        let asked = &self.asked[column].get_or_init(|| (0..parts).map(|_| Asked::default()).collect())[part];
        // Whoever will be asked for it again, but was not before, takes nobody's room.
        let Some(before) = asked.again(cache.now()).or(again.then_some(0)) else { return read(rows, false) };
        match read(of_part.clone(), true).and_then(|whole| cache.keep(cell, whole, reader.field(column), before)) {
            Ok(whole) => Ok(of(whole)),
            // What is wrong with rows that nobody has asked for is no error.
            Err(_) if rows != of_part => read(rows, false),
            Err(error) => Err(error),
        }
    }
}

/// When most of a part of a column was asked for last.
#[derive(Debug, Default)]
struct Asked(AtomicU64);

impl Asked {
    /// Notes that it is asked for now; gives when it was before, if it was.
    fn again(&self, now: u64) -> Option<u64> {
        Some(self.0.swap(now, Ordering::Relaxed)).filter(|&before| before > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::ColumnData;
    use multiloop_planner::types::DataType;
    use multiloop_planner::value::Value;

    /// A column that has no narrower form.
    fn column(value: u32) -> Column {
        Column::from_values(DataType::Double, &[value, value + 1].map(|value| Value::Float(value.into())))
    }

    fn cell(part: u32) -> Cell {
        Cell { table: 7, chunk: 0, column: 0, part }
    }

    fn keep(cache: &ColumnCache, part: u32, asked: u64) {
        let field = Field::new("n", DataType::Double, true);
        let kept = cache.keep(cell(part), column(part), &field, asked).expect("it is of its type");
        assert_eq!(kept.value(1, DataType::Double), Value::Float(f64::from(part) + 1.0));
    }

    #[test]
    fn integers_are_kept_in_their_narrowest_form() {
        let memory = Memory::new(1 << 20);
        let cache = ColumnCache::new(&memory);
        let wide: Vec<i64> = (0..1_000).map(|value| (1 << 40) + value % 200).collect();
        let wide = Column::new(ColumnData::Int64(wide.into()), None);
        let kept = cache.keep(cell(0), wide.clone(), &Field::new("n", DataType::BigInt, false), 0).expect("it is kept");
        assert!(memory.used() < 2_000 && matches!(kept.data, ColumnData::Frame8 { .. }), "{}", memory.used());
        assert!((0..1_000).all(|row| kept.integer(row) == wide.integer(row)));
    }

    /// Reads nothing by itself.
    #[derive(Debug)]
    struct Fields(Field);

    impl ColumnReader for Fields {
        fn read(&self, _: usize, _: Range<usize>) -> Result<Column> {
            Err(crate::Error::internal("columns are read by whoever asks the cache"))
        }

        fn field(&self, _: usize) -> &Field {
            &self.0
        }

        fn nulls(&self, _: usize) -> Option<usize> {
            None
        }

        fn dictionary(&self, _: usize) -> Result<Option<Arc<crate::column::Dictionary>>> {
            Ok(None)
        }

        fn place(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn what_is_wrong_with_rows_that_nobody_asked_for_is_no_error() {
        let cache = ColumnCache::new(&Memory::new(1 << 20));
        let chunk = CachedChunk::new(cache.table(), 0, 100, 1);
        let reader = Fields(Field::new("n", DataType::BigInt, true));
        let column = |rows: Range<usize>, _| match rows.end {
            100 => Err(crate::Error::internal("the last row is bad")),
            _ => Ok(Column::new(ColumnData::Int64(rows.map(|row| row as i64).collect()), None)),
        };
        for _ in 0..3 {
            let read = chunk.read((&reader, 0), 0..80, false, column).expect("these rows are right");
            assert_eq!((read.rows(), read.integer(79)), (80, Some(79)));
            assert!(chunk.read((&reader, 0), 0..100, false, column).is_err());
        }
        assert!(chunk.read((&reader, 0), 50..50, false, column).is_ok_and(|read| read.rows() == 0));
    }

    #[test]
    fn what_was_asked_for_twice_is_not_read_again() {
        let cache = ColumnCache::new(&Memory::new(1 << 20));
        let chunk = CachedChunk::new(cache.table(), 0, 100, 1);
        let reader = Fields(Field::new("n", DataType::BigInt, true));
        let count = AtomicU64::new(0);
        let column = |rows: Range<usize>, _| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(Column::new(ColumnData::Int64(rows.map(|row| row as i64).collect()), None))
        };
        for (rows, again, reads) in
            [(0..100, false, 1), (20..100, false, 2), (0..100, false, 2), (10..12, false, 2), (99..100, true, 2)]
        {
            let read = chunk.read((&reader, 0), rows.clone(), again, column).expect("all rows are right");
            assert_eq!((read.rows(), read.integer(0)), (rows.len(), Some(rows.start as i128)));
            assert_eq!(count.load(Ordering::Relaxed), reads, "{rows:?}");
        }
    }

    #[test]
    fn who_was_asked_for_earlier_gives_way() {
        let bytes = column(0).bytes();
        let memory = Memory::new(bytes * 2 * PART);
        let cache = ColumnCache::new(&memory);
        keep(&cache, 0, 0);
        keep(&cache, 1, 0);
        // Both were used since.
        keep(&cache, 2, 1);
        assert!(cache.get(cell(2)).is_none());
        assert!(cache.get(cell(0)).is_some());
        let now = cache.now();
        assert!(cache.get(cell(0)).is_some());
        keep(&cache, 2, now);
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
        keep(&cache, 0, 0);
        keep(&cache, 1, 0);
        let mut statement = Reservation::new(&memory.child(usize::MAX));
        statement.add(bytes * 2 * PART).expect("cells give way");
        assert!(cache.get(cell(0)).is_none() && cache.get(cell(1)).is_none());
        assert!(statement.add(1).is_err());
        // Nor is there room for others meanwhile.
        keep(&cache, 0, 0);
        assert!(cache.get(cell(0)).is_none());
        drop(statement);
        assert_eq!(memory.used(), 0);
    }
}
