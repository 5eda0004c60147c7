//! Buckets over the rows of a table, by row numbers, without copying the rows.
//!
//! A BucketCollect of all rows of a table by a column that statistics prove sorted and unique needs no copy of them: a group
//! is a row, and fields are read in the table when they are asked for (late materialisation). A key that fills its range is
//! its row's number, and then no row is looked at before a probe does (*Dense*); of any other the keys are read once
//! (*Ranked*).
//!
//! Rows in another order are better copied: to read 1.5 million rows of a table one by one took five times as long as to
//! bring their columns into the order of the keys.
//!
//! The rows that a probe finds are read from many chunks at once (`vector/chunked.rs`).

use super::claims::check_increasing;
use super::stored::{Buckets, Members};
use crate::Result;
use crate::collections::rows::RowSet;
use crate::column::Column;
use crate::cpu::index::KeyIndex;
use crate::cpu::vector::chunked::Chunked;
use crate::cpu::vector::rows::{NO_ROW, Source as TileSource};
use crate::plan::limits::Limits;
use crate::plan::tree::InPlace;
use crate::workers::schedule::Workers;
use std::sync::Arc;

impl InPlace {
    /// The rows of its table, if they can be read by their numbers.
    pub(crate) fn source(&self, rows: &RowSet) -> Option<TileSource> {
        if rows.rows >= NO_ROW as usize {
            return None;
        }
        let columns = self.fields.iter().map(|&field| rows.position(field));
        match &rows.chunks[..] {
            [] => None,
            [chunk] => Some(TileSource::Chunk { chunk: Arc::clone(chunk), fields: Some(columns.collect()) }),
            chunks => Some(TileSource::Chunked(Arc::new(Chunked::new(chunks, columns)))),
        }
    }

    /// The buckets, unless some other index than one of ranks is better for their keys.
    pub(crate) fn sorted(
        &self,
        rows: &RowSet,
        source: &TileSource,
        limits: &Limits,
        workers: Workers<'_>,
    ) -> Result<Option<Buckets>> {
        let key = &self.key;
        if cfg!(debug_assertions) {
            check_increasing(&key_columns(rows, key.field), key.dense.then_some(key.step))?;
        }
        let index = if key.dense {
            Some(KeyIndex::dense(key.layout.clone(), &workers.context.memory))
        } else {
            let columns = key_columns(rows, key.field);
            KeyIndex::of_sorted(&key.layout, &columns, limits, workers)?
        };
        let members = Members { source: source.clone(), rows: rows.rows };
        Ok(index.map(|index| Buckets::in_place(index, members)))
    }
}

fn key_columns(rows: &RowSet, field: u32) -> Vec<&Column> {
    let position = rows.position(field) as usize;
    rows.chunks.iter().map(|chunk| &chunk.columns[position]).collect()
}
