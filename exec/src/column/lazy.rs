//! Rows that stay where they are, in a file say, until a loop reads a column of them.
//!
//! A lazy [`Chunk`] has rows and ranges, but no columns: whoever wants some of these asks its [`ColumnReader`]. What the chunk
//! says of itself (ranges, NULLs) comes from whoever wrote the rows. It may leave out the chunk as it is; plans rest on it, too,
//! so each column that is read is held against it.

use super::build::{Storage, TableBuilder};
use super::cache::{CachedChunk, CachedTable};
use super::{CHUNK_ROWS, Chunk, Column, ColumnData, Dictionary, PIECE_ROWS, Table};
use crate::workers::context::{Context, Reservation};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Some rows of a chunk.
type Piece = (Arc<Chunk>, Range<usize>);

/// Some rows of a lazy chunk's column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which.
    pub rows: Range<usize>,
    /// Least and greatest value.
    pub range: Option<(i64, i64)>,
    /// How many are NULL.
    pub nulls: Option<usize>,
}

/// Reads columns of a lazy chunk.
pub trait ColumnReader: Debug + Send + Sync {
    /// Some rows of a column (by its position in the table), in any form of its field's type.
    ///
    /// # Errors
    /// 22P04 if what is read is not what it should be, and 58030 or 58P01 if it cannot be read.
    fn read(&self, column: usize, rows: Range<usize>) -> Result<Column>;

    /// The same for who copies all values at once, and lets go of these: text may be views of what was read.
    ///
    /// # Errors
    /// As of [`ColumnReader::read`].
    fn read_to_copy(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        self.read(column, rows)
    }

    /// What a column is.
    fn field(&self, column: usize) -> &Field;

    /// How many rows of the chunk are NULL in a column, if that is known.
    fn nulls(&self, column: usize) -> Option<usize>;

    /// What is known of parts of the chunk's rows in a column, if it is: in order, all rows together. It leaves out rows, and is
    /// believed. Ranges are as a chunk's, also of text: see [`text_order`](super::text_order).
    fn spans(&self, _column: usize) -> Option<Arc<[Span]>> {
        None
    }

    /// Whether one of some values may be among a column's: integers as they are carried.
    fn may_have(&self, _column: usize, _values: &[i64]) -> bool {
        true
    }

    /// Whether one of some texts may be among a column's.
    fn may_have_text(&self, _column: usize, _texts: &[Box<[u8]>]) -> bool {
        true
    }

    /// The dictionary whose codes a column of text is read as, in this chunk and in every other one of its table, if there is one.
    ///
    /// # Errors
    /// As of [`ColumnReader::read`].
    fn dictionary(&self, column: usize) -> Result<Option<Arc<Dictionary>>>;

    /// Where the rows come from, for errors.
    fn place(&self) -> String;
}

/// The columns of a lazy chunk.
#[derive(Clone, Debug)]
pub struct LazyColumns {
    reader: Arc<dyn ColumnReader>,
    cached: Option<Arc<CachedChunk>>,
}

impl LazyColumns {
    /// What reads them.
    pub fn reader(&self) -> &dyn ColumnReader {
        &*self.reader
    }
}

impl Chunk {
    /// Rows that are read when they are asked for; of a table whose columns are kept, if it is one, the chunk of a number.
    pub fn lazy(
        rows: usize,
        ranges: Vec<Option<(i64, i64)>>,
        reader: Arc<dyn ColumnReader>,
        cached: Option<(&Arc<CachedTable>, u32)>,
    ) -> Self {
        // Files may have integers where their table has floats, whose ranges are in another order.
        let is_float = |column: usize| matches!(reader.field(column).data_type, DataType::Real | DataType::Double);
        let ranges: Vec<_> =
            ranges.into_iter().enumerate().map(|(column, range)| range.filter(|_| !is_float(column))).collect();
        let cached = cached.map(|(table, chunk)| CachedChunk::new(Arc::clone(table), chunk, rows, ranges.len()));
        let lazy = Some(LazyColumns { reader, cached: cached.map(Arc::new) });
        Chunk { ranges, lazy, ..Chunk::new(rows, Vec::new()) }
    }

    /// How many rows of a column are NULL, if that is known.
    pub(crate) fn null_count(&self, column: usize) -> Option<usize> {
        match &self.lazy {
            Some(lazy) => lazy.reader.nulls(column),
            None => Some(self.columns.get(column)?.nulls.as_ref().map_or(0, |nulls| nulls.null_count())),
        }
    }

    /// The dictionary of a column of text.
    pub(crate) fn dictionary(&self, column: usize) -> Result<Option<Arc<Dictionary>>> {
        match &self.lazy {
            Some(lazy) => lazy.reader.dictionary(column),
            None => Ok(self.columns[column].data.dictionary().cloned()),
        }
    }

    /// Some rows of a column of a lazy chunk; an error (22P04) if they are not as the chunk says. Whoever knows that others will ask
    /// for them `again` says so.
    pub(crate) fn read(&self, column: usize, rows: Range<usize>, again: bool) -> Result<Column> {
        let Some(lazy) = &self.lazy else { return Err(Error::internal("columns that are here are not read")) };
        let read = |rows: Range<usize>, _| {
            self.checked(&*lazy.reader, (column, &rows), lazy.reader.read(column, rows.clone())?)
        };
        match &lazy.cached {
            Some(cached) => cached.read((&*lazy.reader, column), rows, again, read),
            None => read(rows, false),
        }
    }

    /// As [`Chunk::read`], as [`ColumnReader::read_to_copy`] gives them.
    pub(crate) fn read_to_copy(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        let Some(lazy) = &self.lazy else { return Err(Error::internal("columns that are here are not read")) };
        let read = |rows: Range<usize>, is_kept: bool| {
            let read = match is_kept {
                true => lazy.reader.read(column, rows.clone()),
                false => lazy.reader.read_to_copy(column, rows.clone()),
            };
            self.checked(&*lazy.reader, (column, &rows), read?)
        };
        match &lazy.cached {
            Some(cached) => cached.read((&*lazy.reader, column), rows, false, read),
            None => read(rows, false),
        }
    }

    /// Rows that were read, if they are as the chunk says.
    fn checked(
        &self,
        reader: &dyn ColumnReader,
        (column, rows): (usize, &Range<usize>),
        read: Column,
    ) -> Result<Column> {
        let wrong = |what: String| {
            let message = format!("malformed file {}: column {} {what}", reader.place(), column + 1);
            Err(Error::new(ErrorKind::BadFile, message))
        };
        if read.rows() != rows.len() {
            return wrong(format!("has {} rows where there should be {}", read.rows(), rows.len()));
        }
        let nulls = read.nulls.as_ref().map_or(0, |nulls| nulls.null_count());
        if let Some(known) = reader.nulls(column)
            && (nulls > known || rows.len() - nulls > self.rows - known)
        {
            return wrong("has another number of NULLs than its statistics say".to_owned());
        }
        if let Some((low, high)) = self.ranges[column]
            && !is_within(&read, low, high)
        {
            return wrong(format!("has values other than its statistics say, from {low} to {high}"));
        }
        Ok(read)
    }
}

/// Whether all integers of a column lie between two; of other values nothing is asked.
fn is_within(column: &Column, low: i64, high: i64) -> bool {
    let far = |row: usize| column.integer(row).is_some_and(|value| value < low.into() || value > high.into());
    let slow = || (0..column.rows()).all(|row| column.is_null(row) || !far(row));
    // What stands at a NULL may be anything: only then is it worth a second look.
    quick(&column.data, low, high).unwrap_or(true) || slow()
}

/// Whether all that stands in a column of integers is between two.
fn quick(data: &ColumnData, low: i64, high: i64) -> Option<bool> {
    /// A difference is negative where a value is outside: one that is so far that it wraps is so on the other side.
    fn all<T: Copy + Into<i64>>(values: &[T], low: i64, high: i64) -> bool {
        let outside = values
            .iter()
            .fold(0, |outside, &value| outside | value.into().wrapping_sub(low) | high.wrapping_sub(value.into()));
        outside >= 0
    }
    /// The offsets of values in steps from a base.
    fn offsets<T: Copy + Ord + Into<u64>>(offsets: &[T], base: i64, step: i64, low: i64, high: i64) -> bool {
        let Some(&first) = offsets.first() else { return true };
        let (min, max) = offsets.iter().fold((first, first), |(min, max), &offset| (min.min(offset), max.max(offset)));
        let value = |offset: T| i128::from(base) + i128::from(step) * i128::from(offset.into());
        value(min) >= low.into() && value(max) <= high.into()
    }
    Some(match data {
        ColumnData::Frame8 { base, offsets: of } => offsets(of, *base, 1, low, high),
        ColumnData::Frame16 { base, offsets: of } => offsets(of, *base, 1, low, high),
        ColumnData::Frame32 { base, offsets: of } => offsets(of, *base, 1, low, high),
        ColumnData::Stepped8 { base, step, offsets: of } => offsets(of, *base, *step, low, high),
        ColumnData::Stepped16 { base, step, offsets: of } => offsets(of, *base, *step, low, high),
        ColumnData::Stepped32 { base, step, offsets: of } => offsets(of, *base, *step, low, high),
        ColumnData::Int16(values) => all(values, low, high),
        ColumnData::Int32(values) => all(values, low, high),
        ColumnData::Int64(values) => all(values, low, high),
        ColumnData::Int128(_) => false,
        _ => return None,
    })
}

impl Table {
    /// Whether some of its rows are read only when they are asked for.
    pub fn is_lazy(&self) -> bool {
        self.chunks.is_lazy()
    }

    /// All rows of a lazy table, read and made compact by all workers, as a table of these fields, whose types are those of its own.
    pub fn load(&self, fields: Vec<Field>, context: &Context) -> Result<Table> {
        let mut builder = TableBuilder::new(fields, Storage::Compact, context);
        context.progress.total.fetch_add(self.rows() as u64, Ordering::Relaxed);
        for wave in self.pieces().chunks(context.workers().count()) {
            let columns = 0..self.fields.len();
            let work = wave.iter().flat_map(|piece| columns.clone().map(move |column| (piece, column))).collect();
            let read = |((chunk, rows), column): (&Piece, usize)| {
                context.check()?;
                chunk.read_to_copy(column, rows.clone())
            };
            let mut read = context.workers().map(work, read)?.into_iter();
            for (_, rows) in wave {
                builder.push_columns(rows.len(), read.by_ref().take(columns.len()).collect())?;
                context.progress.done.fetch_add(rows.len() as u64, Ordering::Relaxed);
            }
        }
        builder.finish()
    }

    /// Chunks of these columns alone, in this order: read by the workers of a context, and counted against its memory, if there
    /// is one.
    pub fn read(&self, columns: &[u32], context: Option<&Context>) -> Result<Vec<Arc<Chunk>>> {
        let pieces = self.pieces();
        let work: Vec<(&Piece, u32)> =
            pieces.iter().flat_map(|piece| columns.iter().map(move |&column| (piece, column))).collect();
        let read = |((chunk, rows), column): (&Piece, u32)| {
            context.map_or(Ok(()), Context::check)?;
            let read = match &chunk.lazy {
                Some(_) => chunk.read(column as usize, rows.clone(), false)?,
                None => chunk.columns[column as usize].slice(rows.start, rows.len()),
            };
            let reservation = context.map(|context| {
                let mut reservation = Reservation::new(&context.memory);
                reservation.add(read.bytes()).map(|()| reservation)
            });
            Ok((read, reservation.transpose()?))
        };
        let read = match context {
            Some(context) => context.workers().map(work, read)?,
            None => work.into_iter().map(read).collect::<Result<Vec<_>>>()?,
        };
        let mut read = read.into_iter();
        let mut chunks = Vec::new();
        for (_, rows) in &pieces {
            let (columns, reservations): (Vec<Column>, Vec<Option<Reservation>>) =
                read.by_ref().take(columns.len()).unzip();
            let all = reservations.into_iter().flatten().reduce(|mut all, one| {
                all.absorb(one);
                all
            });
            let reservation = all.map(Arc::new);
            for start in (0..rows.len()).step_by(CHUNK_ROWS) {
                let rows = CHUNK_ROWS.min(rows.len() - start);
                let columns = columns.iter().map(|column| column.slice(start, rows)).collect();
                chunks.push(Arc::new(Chunk { reservation: reservation.clone(), ..Chunk::new(rows, columns) }));
            }
        }
        Ok(chunks)
    }

    /// All rows, in pieces that are read at once.
    fn pieces(&self) -> Vec<Piece> {
        let cut = |chunk: &Arc<Chunk>| {
            let chunk = Arc::clone(chunk);
            let starts = (0..chunk.rows).step_by(PIECE_ROWS);
            starts.map(move |start| (Arc::clone(&chunk), start..chunk.rows.min(start + PIECE_ROWS)))
        };
        self.chunks.iter().flat_map(cut).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::buffer::NullBuffer;

    #[test]
    fn values_outside_are_found_wherever_they_lie() {
        let extremes = [i64::MIN, i64::MIN + 1, -7, -1, 0, 1, 5, 1 << 40, i64::MAX - 1, i64::MAX];
        for low in extremes {
            for high in extremes.into_iter().filter(|&high| high >= low) {
                for value in extremes {
                    let is_in = (low..=high).contains(&value);
                    let column = |data| Column::new(data, None);
                    let inside = low.clamp(low, high);
                    assert_eq!(is_within(&column(ColumnData::Int64(vec![inside, value].into())), low, high), is_in);
                    let wide = ColumnData::Int128(vec![value.into(), inside.into()].into());
                    assert_eq!(is_within(&column(wide), low, high), is_in);
                    let frame = ColumnData::Frame8 { base: value, offsets: vec![0].into() };
                    assert_eq!(is_within(&column(frame), low, high), is_in);
                    let nulls = Some(NullBuffer::from(vec![true, false]));
                    let data = ColumnData::Int64(vec![inside, value].into());
                    assert!(is_within(&Column::new(data, nulls), low, high));
                }
            }
        }
        let texts = Column::from_values(
            multiloop_planner::types::DataType::Text,
            &[multiloop_planner::value::Value::text("a")],
        );
        assert!(is_within(&texts, 0, 0));
    }
}
