//! Buckets that leave their rows where they are.
//!
//! A BucketCollect of all rows of a table by a column that statistics prove sorted and unique needs no copy of them: a group
//! is a row, and fields are read in the table when they are asked for (late materialisation). A key that fills its range is
//! its row's number, and then no row is looked at before a probe does (*Dense*); of any other the keys are read once
//! (*Ranked*).
//!
//! Rows in another order are better copied: to read 1.5 million rows of a table one by one took five times as long as to
//! bring their columns into the order of the keys.

use super::bucket::index::KeyIndex;
use super::bucket::key::{KeyLayout, PartDomain};
use super::chunked::Chunked;
use super::claims::check_increasing;
use super::plan::{LevelPlan, grid};
use super::run::Frame;
use super::stored::{Buckets, Members, RowSet};
use super::tile::{NO_ROW, Source as TileSource};
use crate::Result;
use crate::column::Column;
use crate::schedule::Workers;
use crate::technique::Technique;
use multiloop_planner::analysis::kept::proven;
use multiloop_planner::analysis::ranges::{Grid, Ranges};
use multiloop_planner::multiloop::{CollectionId, Index, Program, Scalar, ScalarId, Shape, Source};
use std::sync::Arc;

/// A BucketCollect whose rows are those of a table.
pub(super) struct InPlace {
    collection: CollectionId,
    /// The field of the table that each value is.
    fields: Vec<u32>,
    key: SortedKey,
}

/// A key that is a column of a table in whose rows it increases.
struct SortedKey {
    field: u32,
    layout: KeyLayout,
    /// Whether every integer of its range, in its steps, is a key.
    dense: bool,
    step: i128,
}

impl InPlace {
    /// Whether a bucket of a loop with this nest and no more conditions can leave its rows where they are, and how.
    pub(super) fn new(
        program: &Program,
        ranges: &Ranges,
        nest: &[Index],
        levels: &[LevelPlan<'_>],
        (key, value): (&[ScalarId], &[ScalarId]),
    ) -> Option<Self> {
        let ([Index { id, source: Source::Rows(collection) }], [level]) = (nest, levels) else { return None };
        if !level.conditions.is_empty() || !Technique::InPlace.is_on() {
            return None;
        }
        let field_of = |&scalar: &ScalarId| match program.scalars.get(scalar) {
            Scalar::Column { index, field } if index == id => Some(*field),
            _ => None,
        };
        let fields = value.iter().map(field_of).collect::<Option<Vec<u32>>>()?;
        let &[part] = key else { return None };
        let key = SortedKey::new(program, nest, part, (field_of(&part)?, grid(ranges, part)?))?;
        Some(InPlace { collection: *collection, fields, key })
    }

    /// Whether every integer of the keys' range, in their steps, is a key.
    pub(super) fn is_dense(&self) -> bool {
        self.key.dense
    }

    /// The rows, if they can be read by their numbers.
    pub(super) fn source(&self, frame: &Frame<'_>) -> Result<Option<TileSource>> {
        let stored = frame.get(self.collection)?;
        let rows = stored.rows()?;
        if rows.rows >= NO_ROW as usize {
            return Ok(None);
        }
        let columns = self.fields.iter().map(|&field| rows.position(field));
        Ok(match &rows.chunks[..] {
            [chunk] => Some(TileSource::Chunk { chunk: Arc::clone(chunk), fields: Some(columns.collect()) }),
            chunks => Chunked::new(chunks, columns).map(|rows| TileSource::Chunked(Arc::new(rows))),
        })
    }

    /// The buckets, unless some other index than one of ranks is better for their keys.
    pub(super) fn sorted(
        &self,
        frame: &Frame<'_>,
        source: &TileSource,
        workers: Workers<'_>,
    ) -> Result<Option<Buckets>> {
        let key = &self.key;
        let stored = frame.get(self.collection)?;
        let rows = stored.rows()?;
        if cfg!(debug_assertions) {
            check_increasing(&key_columns(rows, key.field), key.dense.then_some(key.step))?;
        }
        let index = if key.dense {
            Some(KeyIndex::dense(key.layout.clone(), &workers.context.memory))
        } else {
            let columns = key_columns(rows, key.field);
            KeyIndex::of_sorted(&key.layout, &columns, workers)?
        };
        let members = Members { source: source.clone(), rows: rows.rows };
        Ok(index.map(|index| Buckets::in_place(index, members)))
    }
}

impl SortedKey {
    fn new(program: &Program, nest: &[Index], key: ScalarId, (field, grid): (u32, Grid)) -> Option<Self> {
        let proofs = proven(program, nest, key, |_| false);
        let layout = KeyLayout::new(vec![PartDomain::Integer(grid)]);
        if !proofs.sorted || !proofs.unique || layout.code_range().is_none() {
            return None;
        }
        let collection = nest.first()?.source.collection()?;
        let Shape::Table { statistics, .. } = &program.collection(collection).shape else { return None };
        // So many different integers in a range of no more; NULL's code is one more.
        let dense = layout.codes()? == statistics.rows + 1 && Technique::Dense.is_on();
        Some(SortedKey { field, layout, dense, step: grid.step.into() })
    }
}

fn key_columns(rows: &RowSet, field: u32) -> Vec<&Column> {
    let position = rows.position(field) as usize;
    rows.chunks.iter().map(|chunk| &chunk.columns[position]).collect()
}
