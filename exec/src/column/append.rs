//! Appending to a table: a new snapshot that shares the old one's chunks.
//!
//! 1. A large addition keeps its chunks. A small one is merged with the chunks at the end of the table that are not
//!    full and not much larger than itself, so that many small inserts leave few chunks and copy a row only a few
//!    times.
//! 2. New text shares the table's dictionary. If it brings new strings, the column gets a larger dictionary, as long
//!    as that stays small; only codes are rewritten. A large dictionary does not grow.
//! 3. Statistics are merged, and gathered anew each time the table has grown by about an eighth.

use super::{CHUNK_ROWS, Chunk, Column, Table, compact, compact_text, statistics};
use crate::workers::context::{Context, Reservation};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::types::Field;
use std::sync::Arc;

/// A chunk is merged with what follows it if it has at most so many times its rows.
const MERGE_RATIO: usize = 2;

impl Table {
    /// This table's rows followed by those of `rows`, a table of the same types (42804 if it is not). Neither is changed.
    pub fn append(&self, rows: &Table, context: &Context) -> Result<Table> {
        rows.check_types(&self.fields)?;
        if self.rows() == 0 && rows.rows() >= CHUNK_ROWS {
            return rows.clone().with_fields(self.fields.clone());
        }
        let mut chunks = self.chunks.clone();
        if rows.rows() >= CHUNK_ROWS {
            chunks.extend(rows.chunks.iter().cloned());
        } else if rows.rows() > 0 {
            let mut merged = rows.chunks.clone();
            let mut count = rows.rows();
            while let Some(last) = chunks.last()
                && count + last.rows <= CHUNK_ROWS
                && last.rows <= MERGE_RATIO * count
            {
                count += last.rows;
                merged.insert(0, chunks.pop().expect("there is a last"));
            }
            let merged = self.merge(&chunks, &merged, context)?;
            chunks.push(Arc::new(merged));
        }
        for index in 0..self.fields.len() {
            context.check()?;
            self.share_dictionary(&mut chunks, index, context)?;
        }
        let statistics = Arc::new(statistics::append(&self.statistics, &rows.statistics));
        let table = Table { fields: self.fields.clone(), chunks, statistics };
        let grown = steps(self.rows()) != steps(table.rows());
        Ok(if grown { table.measured(Some(context)) } else { table })
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
        for chunk in &mut self.chunks {
            let chunk = Arc::make_mut(chunk);
            chunk.columns = order.iter().map(|&position| chunk.columns[position].clone()).collect();
            chunk.ranges = order.iter().map(|&position| chunk.ranges[position]).collect();
        }
        self
    }

    /// Some chunks as one, whose text is stored as that of the chunks before it.
    fn merge(&self, before: &[Arc<Chunk>], chunks: &[Arc<Chunk>], context: &Context) -> Result<Chunk> {
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
        let summary = |(column, field): (&Column, &Field)| statistics::Summary::of(column, field.data_type).range();
        let mut chunk = Chunk::new(chunks.iter().map(|chunk| chunk.rows).sum(), Vec::new());
        chunk.ranges = columns.iter().zip(&self.fields).map(summary).collect();
        chunk.columns = columns;
        let mut memory = Reservation::new(&context.memory);
        memory.add(chunk.bytes())?;
        chunk.reservation = Some(Arc::new(memory));
        Ok(chunk)
    }

    /// Makes one column's chunks share a dictionary again, if they have not too many strings for one.
    fn share_dictionary(&self, chunks: &mut [Arc<Chunk>], index: usize, context: &Context) -> Result<()> {
        let dictionaries = || chunks.iter().map(|chunk| chunk.columns[index].data.dictionary());
        let Some(first) = dictionaries().next().flatten() else { return Ok(()) };
        if dictionaries().all(|other| other.is_some_and(|other| Arc::ptr_eq(first, other))) {
            return Ok(());
        }
        let columns: Vec<&Column> = chunks.iter().map(|chunk| &chunk.columns[index]).collect();
        let shared = if first.len() > compact_text::GROWING_MAX {
            // It stays as it is, and chunks that bring other strings keep their own.
            Arc::clone(first)
        } else {
            let Some(union) = compact_text::union(&columns) else { return Ok(()) };
            // The old dictionary if it has them all, so that old chunks stay as they are.
            if union == **first { Arc::clone(first) } else { Arc::new(union) }
        };
        context.workers().map(chunks.iter_mut().collect(), |chunk| {
            let own = chunk.columns[index].data.dictionary();
            if own.is_some_and(|own| !Arc::ptr_eq(own, &shared) && compact_text::holds(&shared, own)) {
                compact_text::recode(&mut Arc::make_mut(chunk).columns[index], &shared);
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// A count that steps each time the rows have grown by an eighth.
fn steps(rows: usize) -> u32 {
    ((rows.max(1) as f64).ln() / 1.125f64.ln()) as u32
}
