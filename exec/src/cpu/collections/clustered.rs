//! Groups of clustered tables that are computed on demand, when a loop looks them up.

use crate::collections::rows::RowSet;
use crate::column::{CHUNK_ROWS, Chunk, Column};
use crate::cpu::vector::rows::Source;
use std::sync::Arc;

/// A clustered table, whose groups are made where they are asked for.
#[derive(Clone, Debug)]
pub(crate) struct OwnGroups {
    pub(crate) rows: RowSet,
    /// The field that is the key.
    pub(crate) field: u32,
}

impl OwnGroups {
    /// Of these rows by one of their fields; none if a run goes over more than two chunks.
    pub(crate) fn of(rows: &RowSet, field: u32) -> Option<Self> {
        let position = rows.position(field) as usize;
        let goes_on = |chunk: &Arc<Chunk>| {
            let key = &chunk.columns[position];
            !key.data.is_integer() || key.nulls.is_some() || key.integer(0) == key.integer(chunk.rows - 1)
        };
        let fits = |chunk: &Arc<Chunk>| chunk.rows > 0 && chunk.rows <= CHUNK_ROWS && !goes_on(chunk);
        rows.chunks.iter().all(fits).then(|| OwnGroups { rows: rows.clone(), field })
    }

    pub(crate) fn key(&self, chunk: usize) -> &Column {
        &self.rows.chunks[chunk].columns[self.rows.position(self.field) as usize]
    }

    pub(crate) fn source(&self, chunk: usize) -> Source {
        Source::Chunk { chunk: Arc::clone(&self.rows.chunks[chunk]), fields: self.rows.fields.clone() }
    }
}
