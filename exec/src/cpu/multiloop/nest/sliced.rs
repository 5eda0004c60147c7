//! Indices whose rows are in order (`multiloop/slices.rs`): each tuple goes on with the slice of them that a search finds.

use super::Nest;
use super::pairs::Pairs;
use crate::Result;
use crate::cpu::index::Spans;
use crate::cpu::multiloop::sink::Sink;
use crate::cpu::multiloop::slices::InKeyOrder;
use multiloop_planner::multiloop::ScalarId;
use std::ops::Range;
use std::sync::Arc;

/// The rows of an index in order, slices of them, and the conditions that are left to be checked.
pub(super) type Found<'a> = (Arc<InKeyOrder>, Vec<Range<usize>>, &'a [ScalarId]);

impl<'a> Nest<'a> {
    /// The rows of an index in order, of each tuple the slice of them that a search finds, and which conditions are left; none if
    /// the index is not searched.
    pub(super) fn slices(
        &mut self,
        level: usize,
        groups: Option<(&[u32], &[u32], &Spans)>,
    ) -> Result<Option<Found<'a>>> {
        let Some(Some(order)) = self.orders.get(level).cloned() else { return Ok(None) };
        let plan = self.plan;
        let Some(range) = &plan.levels[level].range else { return Ok(None) };
        let Some(slices) = order.slices(&mut self.tile, range, groups)? else { return Ok(None) };
        let left: &[ScalarId] = if order.in_order { &range.rest_in_order } else { &range.rest };
        Ok(Some((order, slices, left)))
    }

    /// Tuples with those rows, of all or of their groups, that a search finds; false if the index is not searched.
    pub(super) fn expand_slices(
        &mut self,
        level: usize,
        groups: Option<(&[u32], &[u32], &Spans)>,
        sinks: &mut [Sink<'_>],
    ) -> Result<bool> {
        let Some((order, slices, left)) = self.slices(level, groups)? else { return Ok(false) };
        if let Some(source) = order.source.clone() {
            self.tile.set_source(level, source);
        }
        let is_last = level + 1 == self.plan.levels.len() && self.waiting.conditions(level, left).is_empty();
        if let ([sink], true) = (&mut *sinks, is_last)
            && sink.counts_rows()
        {
            sink.add_rows(slices.iter().map(Range::len).sum());
            return Ok(true);
        }
        self.left[level] = Some(left);
        let mut pairs = Pairs::new(self);
        let mut outcome = Ok(());
        for (at, slice) in slices.into_iter().enumerate() {
            let tuple = groups.map_or(at as u32, |(tuples, ..)| tuples[at]);
            outcome = pairs
                .push_rows(tuple, &order.rows[slice], |nest, parents, rows| nest.pairs(level, parents, rows, sinks));
            if outcome.is_err() {
                break;
            }
        }
        outcome.and_then(|()| pairs.finish(|nest, parents, rows| nest.pairs(level, parents, rows, sinks)))?;
        self.left[level] = None;
        Ok(true)
    }
}
