//! Conditions on groups, asked before groups become rows.
//!
//! Where the only reader of a reduction's groups is a loop that begins by leaving most of them out (HAVING), groups of
//! clustered rows are left out as soon as they are complete: otherwise every order would become a row for the sake of a
//! few large ones. The reader asks again, so leaving groups in is never wrong.

use super::gather::{self, Gathered};
use super::plan::LoopPlan;
use super::run::Frame;
use super::tile::{Source, Tile};
use crate::Result;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// The conditions of the only reader of some groups.
pub(super) struct Having<'p> {
    tile: Tile<'p>,
    conditions: &'p [ScalarId],
    types: Vec<DataType>,
}

impl<'p> Having<'p> {
    /// The conditions that `reader` asks of each row of the groups, whose fields have these types.
    pub(super) fn new(frame: &'p Frame<'p>, reader: &'p LoopPlan<'p>, types: Vec<DataType>) -> Self {
        let tile = Tile::new(&reader.expressions, frame, frame.bindings());
        let conditions = reader.levels.first().map_or(&[][..], |level| &level.conditions);
        Having { tile, conditions, types }
    }

    /// The positions of the groups that pass, of as many as there are rows in these columns.
    pub(super) fn passing(&mut self, columns: Vec<Gathered>, rows: usize) -> Result<Vec<u32>> {
        let chunk = gather::into_chunk(columns, &self.types, rows)?;
        self.tile.set_source(0, Source::chunk(Arc::new(chunk)));
        self.tile.start(0, rows);
        let mark = self.tile.depth();
        self.tile.filter(self.conditions)?;
        let mut passing = Vec::new();
        self.tile.origins(mark, &mut passing);
        Ok(passing)
    }
}
