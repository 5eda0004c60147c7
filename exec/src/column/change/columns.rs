//! Columns that a table gets: one value for all of its rows, of which a chunk's worth is stored, once, and all chunks share it.

use crate::column::compact::compact;
use crate::column::{CHUNK_ROWS, Chunk, Column, Table};
use crate::workers::context::Context;
use crate::{Error, Result};
use multiloop_planner::catalog::TableStatistics;
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::sync::Arc;

impl Table {
    /// The same rows with one more column, at a position among the others, that has one value in all of them.
    ///
    /// # Errors
    /// 57014 and 53200 as for all statements; XX000 for a table whose rows are read when they are asked for.
    pub fn with_constant(&self, at: usize, field: Field, value: &Value, context: &Context) -> Result<Table> {
        if self.is_lazy() {
            return Err(Error::internal("a column was added to rows that are not there yet"));
        }
        let most = self.chunks.iter().map(|chunk| chunk.rows).max().unwrap_or(0);
        let stored = most.min(CHUNK_ROWS);
        let values = vec![value.clone(); stored];
        let column = compact(&[Column::from_values(field.data_type, &values)], &field, true)?;
        let shared = Chunk::new(stored, vec![column]).counted(0, context)?;
        let sample = Table { fields: vec![field.clone()], chunks: vec![shared].into(), statistics: Arc::default() };
        let sample = sample.measured(Some(context));
        let rows = self.rows() as u64;
        let mut measured = sample.statistics.columns[0].clone();
        if stored == 0 {
            measured = Table::empty(vec![field.clone()]).statistics.columns[0].clone();
        } else {
            let is_null = *value == Value::Null;
            measured.proofs.nulls = if is_null { rows } else { 0 };
            measured.proofs.unique = rows <= 1 && !is_null;
            measured.proofs.unique_values = rows <= 1 || is_null;
            (measured.proofs.sorted, measured.proofs.clustered) = (true, true);
            measured.proofs.conjecture = None;
        }
        let mut chunks = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            context.check()?;
            let mut with = Chunk::clone(chunk);
            let (column, range) = match sample.chunks.first() {
                Some(shared) if chunk.rows <= shared.rows => (shared.columns[0].slice(0, chunk.rows), shared.ranges[0]),
                // A chunk of rows that a program has registered may be longer.
                _ => {
                    let values = vec![value.clone(); chunk.rows];
                    (compact(&[Column::from_values(field.data_type, &values)], &field, true)?, None)
                }
            };
            with.columns.insert(at, column);
            with.ranges.insert(at, range.filter(|_| chunk.rows > 0));
            chunks.push(Arc::new(with));
        }
        let mut fields = self.fields.clone();
        fields.insert(at, field);
        let mut statistics = TableStatistics::clone(&self.statistics);
        statistics.columns.insert(at, measured);
        Ok(Table { fields, chunks: chunks.into(), statistics: Arc::new(statistics) })
    }
}
