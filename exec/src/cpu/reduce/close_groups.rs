//! Closes groups of clustered rows as soon as they are complete, so that HAVING drops them while rows still come.
//!
//! Most are left out in the very tile that they begin in. So their codes are not written until it is known which are wanted:
//! until then a group has the tuple behind its rows in its code's place.

use super::super::aggregate::Accumulator;
use super::Reducer;
use crate::cpu::expression::tile::Tile;
use crate::cpu::reduce::group_filter::GroupFilter;
use crate::{Error, Result};
use multiloop_planner::multiloop::ScalarId;
use std::ops::Range;

impl<'p> Reducer<'p> {
    /// Whether groups of a tile may wait for their codes: if HAVING can leave groups out before all rows are seen and reads
    /// no keys, and if the keys still have codes once an aggregate has loaded them into a register.
    pub(crate) fn codes_may_wait(&self, tile: &Tile<'_>, parts: &[ScalarId]) -> bool {
        let is_asked = |group_filter: &GroupFilter<'_>| !group_filter.reads(0..self.core.plan.key_types.len());
        self.group_filter.as_ref().is_some_and(is_asked)
            && self.can_be_cut()
            && matches!(parts, &[part] if tile.is_narrow_integer(part))
    }

    /// Whether groups can be left out of all aggregates. Those that hold floats, for one, are not cut.
    fn can_be_cut(&self) -> bool {
        self.core.accumulators.iter().all(Accumulator::can_be_cut)
    }

    /// Gives the groups that wait for their codes these, if they are wanted; the others are left out.
    pub(crate) fn end_waiting(&mut self, tile: &mut Tile<'_>, parts: &[ScalarId]) -> Result<()> {
        let Some(first) = self.assigned.waits.take() else { return Ok(()) };
        let first = first - self.close(first)?;
        let keys = match (parts, self.core.grouper.code_range()) {
            (&[part], Some(range)) => tile.integers(part, range)?,
            _ => None,
        };
        let Some(keys) = keys else { return Err(Error::internal("keys of runs that do not lie in a column")) };
        self.core.grouper.write_codes(first, &keys);
        Ok(())
    }

    /// Leaves out complete groups that nobody wants; gives how many of them were in front of a group.
    pub(crate) fn close(&mut self, before: usize) -> Result<usize> {
        if !self.can_be_cut() {
            return Ok(0);
        }
        let Some(mut group_filter) = self.group_filter.take() else { return Ok(0) };
        let groups = self.core.grouper.complete(self.closed);
        let mut left_out = 0;
        if !groups.is_empty()
            && let Some(kept) = self.passing(&mut group_filter, groups.clone())?
        {
            self.core.grouper.retain(groups.clone(), &kept);
            self.core.accumulators.iter_mut().for_each(|accumulator| accumulator.retain(groups.clone(), &kept));
            self.closed = groups.start + kept.len();
            let in_front = before.clamp(groups.start, groups.end) - groups.start;
            left_out = in_front - kept.partition_point(|&at| (at as usize) < in_front);
        }
        self.group_filter = Some(group_filter);
        Ok(left_out)
    }

    /// The positions of those among some groups of clustered rows that are wanted; none if that cannot be told yet.
    fn passing(&self, group_filter: &mut GroupFilter<'p>, groups: Range<usize>) -> Result<Option<Vec<u32>>> {
        let keys = self.core.plan.key_types.len();
        let mut columns = vec![None; keys + self.core.accumulators.len()];
        if group_filter.reads(0..keys) {
            let numbers: Vec<u32> = (groups.start as u32..groups.end as u32).collect();
            let shown = self.core.grouper.keys(&numbers)?;
            columns.iter_mut().zip(shown).for_each(|(column, shown)| *column = Some(shown));
        }
        for (number, (accumulator, aggregate)) in
            self.core.accumulators.iter().zip(&self.core.plan.aggregates).enumerate()
        {
            let Some(column) = accumulator.peek(groups.clone(), aggregate.kind.data_type) else { return Ok(None) };
            columns[keys + number] = Some(column).filter(|_| group_filter.reads(keys + number..keys + number + 1));
        }
        group_filter.passing(columns, groups.len()).map(Some)
    }
}
