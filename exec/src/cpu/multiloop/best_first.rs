//! The chunk order of an ordered top-k: by the ranges of their sort keys, then of the fields that break ties, the best first. Who
//! has enough rows leaves out what cannot come before the last of them without looking at it.
//!
//! Which rows are kept does not depend on the order in which they come: ties are broken by all fields. Where something may
//! fail, every row is looked at all the same.

use crate::Result;
use crate::collections::rows::RowSet;
use crate::column::Span;
use crate::cpu::expression::chunk_test::Zone;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::last_row::Compared;
use crate::cpu::multiloop::nest::Piece;
use crate::cpu::multiloop::sink::Sink;
use crate::cpu::multiloop::top_k::LastKey;
use crate::cpu::vector::rows::Source as TileSource;
use crate::plan::nodes::Operation;
use crate::plan::register::Register;
use crate::plan::tree::{GeneratorKind, LoopPlan};
use multiloop_planner::multiloop::{CollectionId, Source};
use multiloop_planner::types::SortOrder;
use std::cmp::Ordering;
use std::sync::Arc;

/// Rows of the first pieces: what is kept early rejects the most.
const FIRST_ROWS: usize = 1 << 12;

/// How many pieces are cut into such.
const FIRST_PIECES: usize = 2;

/// Columns by which pieces are put in order.
const RANKING_COLUMNS: usize = 3;

/// The columns by which the outermost rows of a top-k are compared first, up to an argument that is none.
pub(super) struct ChunkKeys {
    collection: CollectionId,
    keys: Vec<ChunkKey>,
    /// Whether a piece may be left out.
    skips: bool,
}

/// One of them.
struct ChunkKey {
    field: u32,
    order: SortOrder,
    /// Whether ranges say all of a value: of texts they have the first bytes.
    exact: bool,
}

impl ChunkKeys {
    /// None of what makes something else, or is ordered by what is computed.
    pub(super) fn of(plan: &LoopPlan) -> Option<Self> {
        let [generator] = &plan.generators[..] else { return None };
        let GeneratorKind::TopK(top_k) = &generator.kind else { return None };
        let Source::Rows(collection) = plan.levels.first()?.source else { return None };
        // Which error is met first is not to depend on what comes first.
        if top_k.order.is_empty() || !top_k.rejects || !top_k.failing.is_empty() || plan.unmatched.is_some() {
            return None;
        }
        let nodes = &plan.expressions.nodes;
        let key = |argument: &Compared| {
            let node = &nodes[*plan.expressions.numbers.get(&argument.scalar)? as usize];
            let Operation::Column { index: 0, field, optional: false } = node.operation else { return None };
            Some(ChunkKey { field, order: argument.order, exact: node.register != Register::Text })
        };
        let keys: Vec<ChunkKey> = Compared::all(top_k).0.iter().map_while(key).collect();
        let skips = nodes.iter().all(|node| !node.may_fail && !node.volatile);
        (!keys.is_empty()).then_some(ChunkKeys { collection, keys, skips })
    }

    /// Pieces in the order in which they are begun.
    pub(super) fn ordered(&self, frame: &Frame<'_>, pieces: Vec<Piece>) -> Result<Vec<Piece>> {
        let stored = frame.get(self.collection)?;
        let rows = stored.outermost()?;
        let ranked_by = &self.keys[..self.keys.len().min(RANKING_COLUMNS)];
        let best = |chunk: usize| ranked_by.iter().map(|key| key.best(rows, chunk)).collect::<Vec<_>>();
        let known: Vec<Vec<Option<i64>>> = (0..rows.chunks.len()).map(best).collect();
        let mut ranked: Vec<(&[Option<i64>], Piece)> = pieces
            .into_iter()
            .map(|piece| match &piece {
                Piece::Rows { chunk, .. } => (&known[*chunk][..], piece),
                _ => (&[][..], piece),
            })
            .collect();
        if self.is_descending() {
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

    fn is_descending(&self) -> bool {
        self.keys.first().is_some_and(|key| key.order.descending)
    }

    /// Adds a piece in small ones.
    fn cut(&self, piece: Piece, to: &mut Vec<Piece>) {
        let Piece::Rows { chunk, rows } = piece else { return to.push(piece) };
        let starts = rows.clone().step_by(FIRST_ROWS);
        let part = |start: usize| Piece::Rows { chunk, rows: start..rows.end.min(start + FIRST_ROWS) };
        if self.is_descending() {
            to.extend(starts.rev().map(part));
        } else {
            to.extend(starts.map(part));
        }
    }

    /// Whether no row of a piece can be among those that are kept: what is best of its chunk in each column is worse than what the
    /// last row has, or ties with it in columns before the one in which it is worse.
    pub(super) fn is_beaten(&self, frame: &Frame<'_>, piece: &Piece, sinks: &[Sink<'_>]) -> Result<bool> {
        let ([Sink::TopK(top_k)], Piece::Rows { chunk, .. }, true) = (sinks, piece, self.skips) else {
            return Ok(false);
        };
        let stored = frame.get(self.collection)?;
        let rows = stored.outermost()?;
        for (at, key) in self.keys.iter().enumerate() {
            if let Some(order) = top_k.last_text(at).and_then(|last| key.compare_best_text(rows, *chunk, last)) {
                match order {
                    Ordering::Equal => continue,
                    order => return Ok(order.is_gt()),
                }
            }
            let (Some(best), Some(last)) = (key.best(rows, *chunk), top_k.last_key(at)) else { return Ok(false) };
            let last = match last {
                LastKey::Of(last) => last,
                // NULL comes before all of its values, or behind them.
                LastKey::Null => return Ok(key.order.nulls_first),
                LastKey::Unknown => return Ok(false),
            };
            match best.cmp(&if key.order.descending { !last } else { last }) {
                Ordering::Greater => return Ok(true),
                Ordering::Equal if key.exact => {}
                _ => return Ok(false),
            }
        }
        Ok(false)
    }
}

impl ChunkKey {
    /// A number that is the less the better the best row of a chunk is; none where NULL may be, which is better than all, or nothing
    /// is known.
    fn best(&self, rows: &RowSet, chunk: usize) -> Option<i64> {
        let source = TileSource::Chunk { chunk: Arc::clone(&rows.chunks[chunk]), fields: rows.fields.clone() };
        let Span { range, nulls, .. } = source.known(self.field)?;
        let (least, greatest) = range?;
        if self.order.nulls_first && nulls != Some(0) {
            return None;
        }
        // -1 - x turns the order around, of the least number, too.
        Some(if self.order.descending { !greatest } else { least })
    }

    /// How the best string of a chunk's dictionary, which the chunk need not have, compares with one in the order; none where there is
    /// no dictionary, or NULL may be, which is better than all.
    fn compare_best_text(&self, rows: &RowSet, chunk: usize, last: &str) -> Option<Ordering> {
        let chunk = Some(&rows.chunks[chunk]).filter(|chunk| chunk.lazy.is_none())?;
        let position = rows.fields.as_ref().map_or(self.field, |fields| fields[self.field as usize]);
        let column = chunk.columns.get(position as usize)?;
        if self.order.nulls_first && column.nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0) {
            return None;
        }
        let dictionary = column.data.dictionary()?;
        let greatest = (dictionary.len() as u32).checked_sub(1)?;
        Some(if self.order.descending { last.cmp(dictionary.get(greatest)) } else { dictionary.get(0).cmp(last) })
    }
}
