//! The chunk order of an ordered top-k: by the ranges of their sort keys, the best first. Who has enough rows leaves out what
//! cannot come before the last of them without looking at it.
//!
//! Which rows are kept does not depend on the order in which they come: ties are broken by all fields. Where something may
//! fail, every row is looked at all the same.

use crate::Result;
use crate::collections::rows::RowSet;
use crate::column::Span;
use crate::cpu::expression::chunk_test::Zone;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::nest::Piece;
use crate::cpu::multiloop::sink::Sink;
use crate::cpu::vector::rows::Source as TileSource;
use crate::plan::nodes::Operation;
use crate::plan::tree::{GeneratorKind, LoopPlan};
use multiloop_planner::multiloop::{CollectionId, Source};
use multiloop_planner::types::SortOrder;
use std::sync::Arc;

/// Rows of the first pieces: what is kept early rejects the most.
const FIRST_ROWS: usize = 1 << 12;

/// How many pieces are cut into such.
const FIRST_PIECES: usize = 2;

/// The column by which the outermost rows of a top-k are ordered first.
#[derive(Clone, Copy)]
pub(super) struct FirstKey {
    collection: CollectionId,
    field: u32,
    order: SortOrder,
    /// Whether a piece may be left out.
    skips: bool,
}

impl FirstKey {
    /// None of what makes something else, or is ordered by what is computed.
    pub(super) fn of(plan: &LoopPlan) -> Option<Self> {
        let [generator] = &plan.generators[..] else { return None };
        let GeneratorKind::TopK(top_k) = &generator.kind else { return None };
        let (&order, &first) = (top_k.order.first()?, top_k.arguments.first()?);
        let Source::Rows(collection) = plan.levels.first()?.source else { return None };
        let nodes = &plan.expressions.nodes;
        let Operation::Column { index: 0, field, optional: false } =
            nodes[*plan.expressions.numbers.get(&first)? as usize].operation
        else {
            return None;
        };
        let is_safe = nodes.iter().all(|node| !node.may_fail && !node.volatile);
        (top_k.rejects && plan.unmatched.is_none()).then_some(FirstKey { collection, field, order, skips: is_safe })
    }

    /// Pieces in the order in which they are begun.
    pub(super) fn ordered(self, frame: &Frame<'_>, pieces: Vec<Piece>) -> Result<Vec<Piece>> {
        let stored = frame.get(self.collection)?;
        let rows = stored.outermost()?;
        let known: Vec<Option<i64>> = (0..rows.chunks.len()).map(|chunk| self.best(rows, chunk)).collect();
        let mut ranked: Vec<(Option<i64>, Piece)> = pieces
            .into_iter()
            .map(|piece| match &piece {
                Piece::Rows { chunk, .. } => (known[*chunk], piece),
                _ => (None, piece),
            })
            .collect();
        if self.order.descending {
            // In a table that ascends the last rows are the best ones.
            ranked.reverse();
        }
        ranked.sort_by_key(|(best, _)| *best);
        let is_cut = rows.chunks.first().is_some_and(|chunk| chunk.lazy.is_none());
        let first = if is_cut { FIRST_PIECES.min(ranked.len()) } else { 0 };
        let rest = ranked.split_off(first);
        let mut ordered = Vec::new();
        ranked.into_iter().for_each(|(_, piece)| self.cut(piece, &mut ordered));
        ordered.extend(rest.into_iter().map(|(_, piece)| piece));
        Ok(ordered)
    }

    /// Adds a piece in small ones.
    fn cut(self, piece: Piece, to: &mut Vec<Piece>) {
        let Piece::Rows { chunk, rows } = piece else { return to.push(piece) };
        let starts = rows.clone().step_by(FIRST_ROWS);
        let part = |start: usize| Piece::Rows { chunk, rows: start..rows.end.min(start + FIRST_ROWS) };
        if self.order.descending {
            to.extend(starts.rev().map(part));
        } else {
            to.extend(starts.map(part));
        }
    }

    /// A number that is the less the better the best row of a chunk is; none where NULL may be, which is better than all, or nothing
    /// is known.
    fn best(self, rows: &RowSet, chunk: usize) -> Option<i64> {
        let source = TileSource::Chunk { chunk: Arc::clone(&rows.chunks[chunk]), fields: rows.fields.clone() };
        let Span { range, nulls, .. } = source.known(self.field)?;
        let (least, greatest) = range?;
        if self.order.nulls_first && nulls != Some(0) {
            return None;
        }
        // -1 - x turns the order around, of the least number, too.
        Some(if self.order.descending { !greatest } else { least })
    }

    /// Whether no row of a piece can be among those that are kept.
    pub(super) fn is_beaten(self, frame: &Frame<'_>, piece: &Piece, sinks: &[Sink<'_>]) -> Result<bool> {
        let ([Sink::TopK(top_k)], Piece::Rows { chunk, .. }, true) = (sinks, piece, self.skips) else {
            return Ok(false);
        };
        let Some(last) = top_k.last_key() else { return Ok(false) };
        let stored = frame.get(self.collection)?;
        let last = if self.order.descending { !last } else { last };
        Ok(self.best(stored.outermost()?, *chunk).is_some_and(|best| best > last))
    }
}
