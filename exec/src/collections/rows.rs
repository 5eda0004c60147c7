//! Rows in chunks.

use crate::column::{Chunk, Chunks};
use crate::workers::context::Reservation;
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Rows in chunks.
#[derive(Clone, Debug)]
pub(crate) struct RowSet {
    pub(crate) chunks: Chunks,
    /// For each field its position among the chunks' columns; none if they are the same.
    pub(crate) fields: Option<Arc<[u32]>>,
    pub(crate) rows: usize,
    /// What the rows count for; shared by clones.
    pub(crate) reservation: Option<Arc<Reservation>>,
}

impl RowSet {
    /// Rows in chunks whose columns are the fields.
    pub(crate) fn new(chunks: Vec<Arc<Chunk>>) -> Self {
        RowSet::of(chunks.into())
    }

    /// The same, of a list of chunks that others have, too.
    pub(crate) fn of(chunks: Chunks) -> Self {
        let rows = chunks.rows();
        RowSet { chunks, fields: None, rows, reservation: None }
    }

    /// The position of a field among the chunks' columns.
    pub(crate) fn position(&self, field: u32) -> u32 {
        self.fields.as_ref().map_or(field, |fields| fields[field as usize])
    }

    /// The value of a field in the only row.
    pub(crate) fn single(&self, field: u32, data_type: DataType) -> Result<Value> {
        let Some(chunk) = self.chunks.iter().find(|chunk| chunk.rows > 0) else {
            return Err(Error::internal("a reduction without its row"));
        };
        Ok(chunk.columns[self.position(field) as usize].value(0, data_type))
    }
}
