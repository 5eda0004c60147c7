//! Changes of a table's rows: the next snapshot, which shares with this one all columns of chunks in which nothing changes.
//!
//! 1. A row keeps its number. An update replaces values where they stand, in a copy of the column of the chunk that has the row: of
//!    four columns of which one is set the three others stay what they are, and so does every chunk without such a row. A copy is
//!    one of the codes or offsets where the new values have a place in the chunk's form; else the form changes.
//! 2. A deletion sets a mark in a column that stands behind the table's own ([`Table::with_marks`]). Queries filter by it, so nothing
//!    below them knows of deletions, and chunks that have none are known by the range of their marks.
//! 3. Where many rows of a chunk are marked, they are dropped ([`Table::without_marked`]); numbers change then.
//!
//! What was proven of a column holds no longer than [`Proofs`] say. Where a good part of the rows
//! has changed, all of them are looked at anew, of the columns that have changed.

mod columns;
pub(super) mod gather;
mod patch;
#[cfg(test)]
mod tests;

use super::append::{recode, share_dictionary};
use super::statistics::{self, Summary};
use super::{CHUNK_ROWS, Chunk, Column, ColumnData, Table};
use crate::workers::context::Context;
use crate::{Error, Result};
use ::arrow::buffer::ScalarBuffer;
use multiloop_planner::catalog::{ColumnStatistics, Estimates, Proofs, TableStatistics};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// A change of at least the so manieth part of the rows has the columns that it changes looked at anew.
const REST_RATIO: usize = 8;

/// Marked rows are dropped of chunks where there are more than so many times as many as of others: what that costs goes by those that
/// stay, so it is a third of a copy for each that goes.
const DROPPED_RATIO: usize = 3;

/// Numbers of a chunk's rows, which all chunks share.
static NUMBERS: LazyLock<ScalarBuffer<u16>> = LazyLock::new(|| (0..CHUNK_ROWS).map(|row| row as u16).collect());

/// Marks of a chunk without deleted rows, likewise.
static UNMARKED: LazyLock<ScalarBuffer<u8>> = LazyLock::new(|| vec![0; CHUNK_ROWS].into());

impl Table {
    /// The same rows with their numbers, from 0, in a last column.
    pub fn numbered(&self) -> Table {
        let mut start = 0;
        let numbers = |chunk: &Chunk| {
            let first = start;
            start += chunk.rows as i64;
            let data = match NUMBERS.len() {
                most if chunk.rows <= most => {
                    ColumnData::Frame16 { base: first, offsets: NUMBERS.slice(0, chunk.rows) }
                }
                _ => ColumnData::Int64((first..start).collect()),
            };
            (data, (chunk.rows > 0).then(|| (first, start - 1)))
        };
        let rows = self.rows() as u64;
        let proofs = Proofs {
            min: (rows > 0).then_some(Value::Int(0)),
            max: (rows > 0).then(|| Value::Int(rows as i64 - 1)),
            unique: true,
            unique_values: true,
            sorted: true,
            clustered: true,
            ..Proofs::default()
        };
        let estimates = Estimates { distinct: Some(rows), average_bytes: 2.0, ..Estimates::default() };
        self.with_column(
            Field::new("row number", DataType::BigInt, false),
            ColumnStatistics { proofs, estimates },
            numbers,
        )
    }

    /// The same rows with a last column that marks none of them as deleted.
    pub fn with_marks(&self) -> Table {
        let unmarked = |chunk: &Chunk| {
            let offsets = match UNMARKED.len() {
                most if chunk.rows <= most => UNMARKED.slice(0, chunk.rows),
                _ => vec![0; chunk.rows].into(),
            };
            (ColumnData::Frame8 { base: 0, offsets }, (chunk.rows > 0).then_some((0, 0)))
        };
        let statistics = marks_statistics(self.rows() as u64, 0, self.rows() == 0);
        self.with_column(Field::new("deleted", DataType::SmallInt, false), statistics, unmarked)
    }

    /// The same rows with one more column, which costs nothing: of each chunk its values and their range.
    fn with_column(
        &self,
        field: Field,
        statistics: ColumnStatistics,
        mut of: impl FnMut(&Chunk) -> (ColumnData, Option<(i64, i64)>),
    ) -> Table {
        let with = |chunk: &Arc<Chunk>| {
            let mut with = Chunk::clone(chunk);
            let (data, range) = of(chunk);
            with.columns.push(Column::new(data, None));
            with.ranges.push(range);
            Arc::new(with)
        };
        let chunks = self.chunks.iter().map(with).collect();
        let fields = self.fields.iter().cloned().chain([field]).collect();
        let mut all = TableStatistics::clone(&self.statistics);
        all.columns.push(statistics);
        Table { fields, chunks, statistics: Arc::new(all) }
    }

    /// The same rows without the last column.
    pub fn without_last(&self) -> Table {
        let without = |chunk: &Arc<Chunk>| {
            let mut without = Chunk::clone(chunk);
            without.columns.pop();
            without.ranges.pop();
            Arc::new(without)
        };
        let mut table = Table { chunks: self.chunks.iter().map(without).collect(), ..self.clone() };
        table.fields.pop();
        Arc::make_mut(&mut table.statistics).columns.pop();
        table
    }

    /// The snapshot in which these rows, whose numbers ascend, have other values in some columns: those of the rows of `values`, a
    /// table of these columns alone, of the same types.
    ///
    /// # Errors
    /// 57014 and 53200 as for all statements; XX000 for values that are not of the columns' types.
    pub fn patched(&self, rows: &[usize], columns: &[usize], values: &Table, context: &Context) -> Result<Table> {
        debug_assert!(rows.is_sorted_by(|a, b| a < b), "numbers of rows ascend");
        let types = |(at, &column): (usize, &usize)| values.fields[at].data_type == self.fields[column].data_type;
        if values.rows() != rows.len() || !columns.iter().enumerate().all(types) {
            return Err(Error::internal("new values are not of the columns' types"));
        }
        let touched = self.touched(rows);
        let is_large = rows.len() * REST_RATIO >= self.rows();
        let patched = context.workers().map(touched, |touched: Touched| {
            context.check()?;
            let chunk = &self.chunks[touched.chunk];
            let local: Vec<u32> = rows[touched.rows.clone()].iter().map(|row| (row - touched.start) as u32).collect();
            let mut with = Chunk::clone(chunk);
            for (at, &column) in columns.iter().enumerate() {
                let new = values.values_of(at, touched.rows.clone());
                let field = &self.fields[column];
                let old = &chunk.columns[column];
                let data_type = field.data_type;
                let made = patch::patched(old, &local, &new, field)?;
                with.ranges[column] = match local.len() * REST_RATIO < chunk.rows {
                    true => patch::widened(chunk.ranges[column], old, &new, data_type),
                    false => Summary::of(&made, data_type).zone(),
                };
                with.columns[column] = made;
            }
            Ok((touched.chunk, with.counted(0, context)?))
        })?;
        let mut chunks = self.chunks.to_vec();
        let changed: Vec<usize> = patched.iter().map(|(chunk, _)| *chunk).collect();
        patched.into_iter().for_each(|(at, chunk)| chunks[at] = chunk);
        for &column in columns {
            let first = chunks.first().and_then(|chunk| chunk.columns[column].data.dictionary().cloned());
            match first {
                Some(first) if !is_large => changed.iter().for_each(|&at| recode(&mut chunks[at], column, &first)),
                _ => share_dictionary(&mut chunks, 0, column, context)?,
            }
        }
        let mut table = Table { chunks: chunks.into(), ..self.clone() };
        if is_large {
            return table.measured_columns(columns, context);
        }
        let all = Arc::make_mut(&mut table.statistics);
        for (at, &column) in columns.iter().enumerate() {
            let nulls = table.chunks.iter().map(|chunk| chunk.columns[column].null_count() as u64).sum();
            let new = (&values.statistics.columns[at], values.statistics.rows);
            all.columns[column] = statistics::patch((&all.columns[column], all.rows), new, nulls);
        }
        Ok(table)
    }

    /// The snapshot in which these rows, whose numbers ascend, are marked as deleted, in a column of marks.
    pub fn marked(&self, rows: &[usize], marks: usize, context: &Context) -> Result<Table> {
        debug_assert!(rows.is_sorted_by(|a, b| a < b), "numbers of rows ascend");
        let mut chunks = self.chunks.to_vec();
        for touched in self.touched(rows) {
            context.check()?;
            let chunk = &self.chunks[touched.chunk];
            let mut marked = match &chunk.columns[marks].data {
                ColumnData::Frame8 { base: 0, offsets } => offsets.to_vec(),
                // As it is kept where there are no frames.
                _ => (0..chunk.rows).map(|row| Table::is_marked(&chunk.columns, row, marks).into()).collect(),
            };
            rows[touched.rows].iter().for_each(|row| marked[row - touched.start] = 1);
            let all = marked.iter().all(|&mark| mark == 1);
            let mut with = Chunk::clone(chunk);
            with.ranges[marks] = Some((i64::from(all), 1));
            with.columns[marks] = Column::new(ColumnData::Frame8 { base: 0, offsets: marked.into() }, None);
            chunks[touched.chunk] = with.counted(0, context)?;
        }
        let mut table = Table { chunks: chunks.into(), ..self.clone() };
        let all = Arc::make_mut(&mut table.statistics);
        let before = all.columns[marks].estimates.common.iter().find(|(mark, _)| *mark == Value::Int(1));
        let before = before.map_or(0.0, |(_, share)| share * all.rows as f64) as u64;
        let is_all = table.chunks.iter().all(|chunk| chunk.rows == 0 || chunk.ranges[marks] == Some((1, 1)));
        all.columns[marks] = marks_statistics(all.rows, (before + rows.len() as u64).min(all.rows), is_all);
        Ok(table)
    }

    /// How many rows are marked.
    pub fn marked_rows(&self, marks: usize) -> u64 {
        self.chunks.iter().map(|chunk| marked_in(chunk, marks) as u64).sum()
    }

    /// Whether a row is marked.
    pub fn is_marked(columns: &[Column], row: usize, marks: usize) -> bool {
        columns.get(marks).and_then(|column| column.integer(row)).is_some_and(|mark| mark != 0)
    }

    /// The snapshot without the rows that are marked in chunks where these are many, and the column of marks if none is left. None if
    /// all stays as it is.
    pub fn without_marked(&self, marks: usize, context: &Context) -> Result<Option<Table>> {
        self.without_marked_where(marks, |marked, others| marked > others * DROPPED_RATIO, context)
    }

    /// The same without any rows that are marked.
    pub fn without_any_marked(&self, marks: usize, context: &Context) -> Result<Option<Table>> {
        self.without_marked_where(marks, |marked, _| marked > 0, context)
    }

    /// The same of chunks of which a condition holds, of how many of their rows are marked and how many are not.
    fn without_marked_where(
        &self,
        marks: usize,
        drops: impl Fn(usize, usize) -> bool,
        context: &Context,
    ) -> Result<Option<Table>> {
        let dropped: Vec<usize> = (0..self.chunks.len())
            .filter(|&at| {
                let marked = marked_in(&self.chunks[at], marks);
                drops(marked, self.chunks[at].rows - marked)
            })
            .collect();
        if dropped.is_empty() {
            return Ok(None);
        }
        let made = context.workers().map(dropped.clone(), |at: usize| {
            context.check()?;
            let chunk = &self.chunks[at];
            let kept: Vec<u32> =
                (0..chunk.rows as u32).filter(|&row| !Table::is_marked(&chunk.columns, row as usize, marks)).collect();
            let columns = chunk.columns.iter().map(|column| gather::gather(column, &kept)).collect();
            let mut with = Chunk::new(kept.len(), columns);
            with.ranges.clone_from(&chunk.ranges);
            with.ranges[marks] = Some((0, 0));
            with.home = chunk.home;
            with.counted(0, context)
        })?;
        let mut chunks = self.chunks.to_vec();
        dropped.iter().zip(made).for_each(|(&at, chunk)| chunks[at] = chunk);
        chunks.retain(|chunk| chunk.rows > 0);
        let mut table = Table { chunks: chunks.into(), ..self.clone() };
        let marked = table.marked_rows(marks);
        let rows = table.rows() as u64;
        let gone = self.statistics.rows - rows;
        let all = Arc::make_mut(&mut table.statistics);
        all.rows = rows;
        for (at, column) in all.columns.iter_mut().enumerate() {
            column.proofs.nulls = table.chunks.iter().map(|chunk| chunk.columns[at].null_count() as u64).sum();
            let distinct = column.estimates.distinct.map(|distinct| match column.proofs.is_unique() {
                true => distinct.saturating_sub(gone),
                false => distinct,
            });
            column.estimates.distinct = distinct.map(|distinct| distinct.min(rows));
        }
        all.columns[marks] = marks_statistics(rows, marked, marked == rows);
        let table = if gone as usize * REST_RATIO >= self.rows() {
            let columns: Vec<usize> = (0..self.fields.len()).filter(|&at| at != marks).collect();
            table.measured_columns(&columns, context)?
        } else {
            table
        };
        Ok(Some(if marked == 0 && marks + 1 == table.fields.len() { table.without_last() } else { table }))
    }

    /// These rows, by their numbers, in this order, as a table of some columns.
    pub fn rows_at(&self, rows: &[usize], columns: &[usize], context: &Context) -> Result<Table> {
        let starts = self.chunks.starts();
        let fields: Vec<Field> = columns.iter().map(|&column| self.fields[column].clone()).collect();
        let mut chunks = Vec::with_capacity(rows.len().div_ceil(CHUNK_ROWS));
        for rows in rows.chunks(CHUNK_ROWS) {
            context.check()?;
            // Neighbours of one chunk are gathered together.
            let mut runs: Vec<(usize, Vec<u32>)> = Vec::new();
            for &row in rows {
                let known = runs.last().map(|(chunk, _)| *chunk);
                let is_in = |chunk: &usize| (starts[*chunk]..starts[*chunk] + self.chunks[*chunk].rows).contains(&row);
                let chunk = known.filter(is_in).unwrap_or_else(|| self.chunks.holding(row).0);
                let at = (row - starts[chunk]) as u32;
                match runs.last_mut() {
                    Some((last, run)) if *last == chunk => run.push(at),
                    _ => runs.push((chunk, vec![at])),
                }
            }
            let column = |(at, &column): (usize, &usize)| {
                let pieces: Vec<Column> = runs
                    .iter()
                    .map(|(chunk, rows)| gather::gather(&self.chunks[*chunk].columns[column], rows))
                    .collect();
                super::compact::compact(&pieces, &fields[at], true)
            };
            let columns = columns.iter().enumerate().map(column).collect::<Result<Vec<_>>>()?;
            chunks.push(Arc::new(Chunk::new(rows.len(), columns)));
        }
        let table = Table { fields, chunks: chunks.into(), statistics: Arc::default() };
        Ok(table.measured(Some(context)))
    }

    /// The chunks in which rows lie, whose numbers ascend.
    fn touched(&self, rows: &[usize]) -> Vec<Touched> {
        let mut touched = Vec::new();
        let mut next = 0;
        while next < rows.len() {
            let (chunk, start) = self.chunks.holding(rows[next]);
            let end = start + self.chunks[chunk].rows;
            let last = next + rows[next..].partition_point(|&row| row < end);
            touched.push(Touched { chunk, start, rows: next..last });
            next = last;
        }
        touched
    }

    /// A column's values of some rows, in pieces.
    fn values_of(&self, column: usize, rows: Range<usize>) -> Vec<Column> {
        let mut pieces = Vec::new();
        let mut next = rows.start;
        while next < rows.end {
            let (chunk, start) = self.chunks.holding(next);
            let end = rows.end.min(start + self.chunks[chunk].rows);
            pieces.push(self.chunks[chunk].columns[column].slice(next - start, end - next));
            next = end;
        }
        pieces
    }
}

/// Rows that are changed, of one chunk.
struct Touched {
    /// Which.
    chunk: usize,
    /// The number of its first row.
    start: usize,
    /// Where in the list of rows.
    rows: Range<usize>,
}

/// How many rows of a chunk are marked.
fn marked_in(chunk: &Chunk, marks: usize) -> usize {
    match &chunk.columns[marks].data {
        _ if chunk.ranges[marks] == Some((0, 0)) => 0,
        // So many marks are a number of eight bits, which lanes add up.
        ColumnData::Frame8 { base: 0, offsets } => {
            offsets.chunks(u8::MAX.into()).map(|marks| usize::from(marks.iter().sum::<u8>())).sum()
        }
        _ => (0..chunk.rows).filter(|&row| Table::is_marked(&chunk.columns, row, marks)).count(),
    }
}

/// What is known of marks, of which there are about so many.
pub fn marks_statistics(rows: u64, marked: u64, is_all: bool) -> ColumnStatistics {
    let (least, most) = (i64::from(is_all && rows > 0), i64::from(marked > 0));
    let proofs = Proofs {
        min: (rows > 0).then_some(Value::Int(least)),
        max: (rows > 0).then_some(Value::Int(most)),
        ..Proofs::default()
    };
    let share = (rows - marked) as f64 / rows.max(1) as f64;
    let common: Arc<[(Value, f64)]> = match marked {
        0 => Arc::default(),
        _ => [(Value::Int(0), share), (Value::Int(1), 1.0 - share)].into(),
    };
    let distinct = Some((most - least + 1) as u64);
    let estimates = Estimates { distinct, average_bytes: 1.0, common, ..Estimates::default() };
    ColumnStatistics { proofs, estimates }
}
