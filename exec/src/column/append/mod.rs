//! Appending to a table: a new snapshot that shares the old one's chunks. What it costs goes by the rows that come, not by
//! those that are there (of these only the list of chunks is copied, a pointer for each [`CHUNK_ROWS`] rows):
//!
//! 1. A large addition keeps its chunks. A small one is merged with the chunks at the end of the table that are not
//!    full and not much larger than itself, so that many small inserts leave few chunks and copy a row only a few
//!    times.
//! 2. New text whose strings the table's dictionary has becomes codes of it. Chunks that bring other strings keep a dictionary
//!    of their own, or bytes, until an addition that is itself a good part of the table has all of them put together.
//! 3. Statistics are merged. They are gathered anew where the addition is a good part of the table; and while that is no longer
//!    than a chunk each time that it has grown by an eighth.

#[cfg(test)]
pub(super) mod tests;

use super::{CHUNK_ROWS, Chunk, Column, Dictionary, Table, compact, compact_text, statistics};
use crate::workers::context::Context;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::types::Field;
use std::sync::Arc;

/// A chunk is merged with what follows it if it has at most so many times its rows.
const MERGE_RATIO: usize = 2;

/// An addition is a good part of a table that has at most so many times its rows.
const REST_RATIO: usize = 8;

impl Table {
    /// This table's rows followed by those of `rows`, a table of the same types (42804 if it is not). Neither is changed.
    pub fn append(&self, rows: &Table, context: &Context) -> Result<Table> {
        rows.check_types(&self.fields)?;
        if self.rows() == 0 && rows.rows() >= CHUNK_ROWS {
            return rows.clone().with_fields(self.fields.clone());
        }
        let renewed = self.is_renewed_by(rows);
        let mut chunks = self.chunks.to_vec();
        let mut kept = chunks.len();
        if rows.rows() >= CHUNK_ROWS {
            chunks.extend(rows.chunks.iter().cloned());
        } else if rows.rows() > 0 {
            let mut merged = rows.chunks.to_vec();
            let mut count = rows.rows();
            while let Some(last) = chunks.last()
                && count + last.rows <= CHUNK_ROWS
                && last.rows <= MERGE_RATIO * count
            {
                count += last.rows;
                merged.insert(0, chunks.pop().expect("there is a last"));
            }
            kept = chunks.len();
            let merged = self.merge(&chunks, &merged, context)?;
            chunks.push(merged);
        }
        if renewed {
            kept = 0;
        }
        for index in 0..self.fields.len() {
            context.check()?;
            share_dictionary(&mut chunks, kept, index, context)?;
        }
        let statistics = Arc::new(statistics::append(&self.statistics, &rows.statistics));
        let table = Table { fields: self.fields.clone(), chunks: chunks.into(), statistics };
        Ok(if renewed { table.measured(Some(context)) } else { table })
    }

    /// Whether an addition pays for a look at all rows: it is a good part of them, or they are few and have been looked at an
    /// eighth ago.
    fn is_renewed_by(&self, rows: &Table) -> bool {
        let (old, new) = (self.rows(), rows.rows());
        new > 0 && (new * REST_RATIO >= old || (old + new <= CHUNK_ROWS && steps(old) != steps(old + new)))
    }

    /// The same rows under other names, NULLs allowed or not. An error (42804) if there are other columns, or of other types.
    pub fn with_fields(self, fields: Vec<Field>) -> Result<Table> {
        self.check_types(&fields)?;
        Ok(Table { fields, ..self })
    }

    fn check_types(&self, fields: &[Field]) -> Result<()> {
        let types = |fields: &[Field]| fields.iter().map(|field| field.data_type).collect::<Vec<_>>();
        if types(&self.fields) == types(fields) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::TypeMismatch, "the rows are not of the table's types"))
    }

    /// The same rows with the columns in another order: for each its position here.
    pub fn rearranged(mut self, order: &[usize]) -> Table {
        if order.iter().copied().eq(0..self.fields.len()) {
            return self;
        }
        let statistics = Arc::make_mut(&mut self.statistics);
        statistics.columns = order.iter().map(|&position| statistics.columns[position].clone()).collect();
        self.fields = order.iter().map(|&position| self.fields[position].clone()).collect();
        self.chunks.change(|chunks| {
            for chunk in chunks {
                let chunk = Arc::make_mut(chunk);
                chunk.columns = order.iter().map(|&position| chunk.columns[position].clone()).collect();
                chunk.ranges = order.iter().map(|&position| chunk.ranges[position]).collect();
            }
        });
        self
    }

    /// The same rows with other columns in some places: those of a table of as many rows, in chunks alike.
    pub fn with_columns(mut self, places: &[usize], other: Table) -> Result<Table> {
        let rows = |table: &Table| table.chunks.iter().map(|chunk| chunk.rows).collect::<Vec<_>>();
        if places.len() != other.fields.len() || rows(&self) != rows(&other) {
            return Err(Error::internal("columns of other rows do not go into a table"));
        }
        let statistics = Arc::make_mut(&mut self.statistics);
        for (at, &place) in places.iter().enumerate() {
            statistics.columns[place] = other.statistics.columns[at].clone();
            self.fields[place] = other.fields[at].clone();
        }
        self.chunks.change(|chunks| {
            for (chunk, from) in chunks.iter_mut().zip(other.chunks) {
                let from = Arc::unwrap_or_clone(from);
                let chunk = Arc::make_mut(chunk);
                let mut gone = 0;
                for ((&place, column), range) in places.iter().zip(from.columns).zip(from.ranges) {
                    gone += chunk.columns[place].bytes();
                    (chunk.columns[place], chunk.ranges[place]) = (column, range);
                }
                let memory =
                    (chunk.reservation.take().and_then(Arc::into_inner), from.reservation.and_then(Arc::into_inner));
                if let (Some(mut memory), Some(more)) = memory {
                    memory.absorb(more);
                    let bytes = memory.bytes().saturating_sub(gone);
                    memory.resize(bytes)?;
                    chunk.reservation = Some(Arc::new(memory));
                }
            }
            Ok(())
        })?;
        Ok(self)
    }

    /// Some chunks as one, whose text is stored as that of the chunks before it.
    fn merge(&self, before: &[Arc<Chunk>], chunks: &[Arc<Chunk>], context: &Context) -> Result<Arc<Chunk>> {
        context.check()?;
        let fields = self.fields.iter().enumerate().collect();
        let columns = context.workers().map(fields, |(index, field): (usize, &Field)| {
            let pieces: Vec<Column> = chunks.iter().map(|chunk| chunk.columns[index].clone()).collect();
            let dictionary = before.first().is_none_or(|chunk| chunk.columns[index].data.dictionary().is_some());
            let mut column = compact::compact(&pieces, field, dictionary)?;
            if before.is_empty() && field.data_type.is_text() {
                compact_text::unify(&mut [&mut column], field, Some(&context.memory), context.workers())?;
            }
            Ok(column)
        })?;
        let summary = |(column, field): (&Column, &Field)| statistics::Summary::of(column, field.data_type).zone();
        let mut chunk = Chunk::new(chunks.iter().map(|chunk| chunk.rows).sum(), Vec::new());
        chunk.ranges = columns.iter().zip(&self.fields).map(summary).collect();
        chunk.columns = columns;
        let dictionaries = chunk.columns.iter().filter_map(|column| column.data.dictionary());
        let dictionaries: usize = dictionaries.map(|dictionary| dictionary.bytes()).sum();
        chunk.counted(dictionaries, context)
    }
}

/// Makes one column's chunks share a dictionary again: all of them if none is `kept`, and else those behind the first so many,
/// as far as they bring no strings of their own.
pub(super) fn share_dictionary(chunks: &mut [Arc<Chunk>], kept: usize, index: usize, context: &Context) -> Result<()> {
    let own = |chunk: &Arc<Chunk>| chunk.columns[index].data.dictionary().cloned();
    let Some(first) = chunks.first().and_then(own) else { return Ok(()) };
    let mut shared = Arc::clone(&first);
    if kept == 0 {
        if chunks.iter().all(|chunk| own(chunk).is_some_and(|other| Arc::ptr_eq(&first, &other))) {
            return Ok(());
        }
        // A large one stays as it is, and chunks that bring other strings keep their own.
        if first.len() <= compact_text::GROWING_MAX {
            let columns: Vec<&Column> = chunks.iter().map(|chunk| &chunk.columns[index]).collect();
            let Some(union) = compact_text::union(&columns) else { return Ok(()) };
            // The old dictionary if it has them all, so that old chunks stay as they are.
            if union != *first {
                shared = Arc::new(union);
            }
        }
    }
    let recoded = |chunk: &mut Arc<Chunk>| {
        recode(chunk, index, &shared);
        Ok(())
    };
    context.workers().map(chunks[kept..].iter_mut().collect(), recoded)?;
    Ok(())
}

/// Makes a chunk's column codes of a dictionary that has all of its strings.
pub(super) fn recode(chunk: &mut Arc<Chunk>, index: usize, shared: &Arc<Dictionary>) {
    let own = chunk.columns[index].data.dictionary();
    if own.is_some_and(|own| !Arc::ptr_eq(own, shared) && compact_text::holds(shared, own)) {
        compact_text::recode(&mut Arc::make_mut(chunk).columns[index], shared);
    }
}

/// A count that steps each time the rows have grown by an eighth.
fn steps(rows: usize) -> u32 {
    ((rows.max(1) as f64).ln() / 1.125f64.ln()) as u32
}
