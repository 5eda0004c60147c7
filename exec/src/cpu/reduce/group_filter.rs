//! Conditions on groups, asked before groups become rows.
//!
//! Where the only reader of a reduction's groups is a loop that begins by leaving most of them out (HAVING), groups of
//! clustered rows are left out as soon as they are complete, others once all rows are in: otherwise every order would
//! become a row for the sake of a few large ones. The reader asks again, so leaving groups in is never wrong.
//!
//! Exactly the groups that pass stay, so that how many there are, which chooses what their reader does, depends on the
//! rows alone.

use crate::Result;
use crate::column::{Chunk, Column, ColumnData};
use crate::cpu::collections::bindings::Bindings;
use crate::cpu::expression::environment::Collections;
use crate::cpu::expression::tile::Tile;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::Source;
use crate::plan::tree::LoopPlan;
use arrow::buffer::BooleanBuffer;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;
use std::ops::Range;
use std::sync::Arc;

/// The conditions of the only reader of some groups.
pub(crate) struct GroupFilter<'p> {
    around: (&'p dyn Collections, Bindings<'p>),
    reader: &'p LoopPlan,
    tile: Tile<'p>,
    conditions: &'p [ScalarId],
    types: Vec<DataType>,
    /// For each field whether conditions read it.
    read: Vec<bool>,
}

impl<'p> GroupFilter<'p> {
    /// The conditions that `reader` asks of each row of the groups, whose fields have these types.
    pub(crate) fn new(around: (&'p dyn Collections, Bindings<'p>), reader: &'p LoopPlan, types: Vec<DataType>) -> Self {
        let tile = Tile::new(&reader.expressions, around.0, around.1);
        let conditions = reader.levels.first().map_or(&[][..], |level| &level.conditions);
        let mut read = vec![false; types.len()];
        reader.expressions.columns_of(conditions).for_each(|field| read[field as usize] = true);
        GroupFilter { around, reader, tile, conditions, types, read }
    }

    /// The same conditions, for another thread.
    pub(crate) fn fork(&self) -> Self {
        GroupFilter::new(self.around, self.reader, self.types.clone())
    }

    /// How many fields the groups have.
    pub(crate) fn fields(&self) -> usize {
        self.types.len()
    }

    /// Whether the conditions read any of these fields.
    pub(crate) fn reads(&self, mut fields: Range<usize>) -> bool {
        fields.any(|field| self.read[field])
    }

    /// The positions of the groups that pass, of so many, whose fields are these columns, as far as they are read.
    pub(crate) fn passing(&mut self, columns: Vec<Option<ColumnBuilder>>, rows: usize) -> Result<Vec<u32>> {
        let columns = columns.into_iter().zip(&self.types).map(|(column, &data_type)| match column {
            Some(column) => column.into_plain_column(data_type),
            None => Ok(Column::new(ColumnData::Boolean(BooleanBuffer::new_unset(rows)), None)),
        });
        let chunk = Chunk::new(rows, columns.collect::<Result<Vec<_>>>()?);
        self.tile.set_source(0, Source::chunk(Arc::new(chunk)));
        self.tile.start(0, rows);
        let mark = self.tile.depth();
        self.tile.filter(self.conditions)?;
        let mut passing = Vec::new();
        self.tile.origins(mark, &mut passing);
        Ok(passing)
    }
}
