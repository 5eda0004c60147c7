//! Folding a tile's tuples into accumulators, aggregate by aggregate: tuples that an aggregate's condition drops go to a group
//! that nobody reads, or are left out.

use super::super::aggregate::{Accumulator, TileGroups};
use crate::Result;
use crate::cpu::expression::fold::fold;
use crate::cpu::expression::tile::Tile;
use crate::cpu::groups::few::put_aside;
use crate::cpu::vector::bitmap::Bitmap;
use crate::plan::tree::AggregatePlan;
use multiloop_planner::multiloop::ScalarId;

/// The tuples of a tile and their groups.
#[derive(Clone, Copy)]
pub(crate) struct Fold<'t> {
    /// The groups, in the form that suits them.
    pub(in crate::cpu) all: TileGroups<'t>,
    /// For each tuple its group, if that is known: aggregates with conditions need it.
    pub(in crate::cpu) groups: Option<&'t [u32]>,
    /// Which tuples are there at all; none if all are.
    pub(in crate::cpu) mask: Option<&'t Bitmap>,
    /// The number behind the last group.
    pub(in crate::cpu) room: usize,
}

/// Memory for aggregates with conditions: which groups get the tuples of a tile.
#[derive(Default)]
pub(crate) struct Folding {
    mask: Bitmap,
    /// For each tuple its group, or one behind the last if the condition drops it.
    groups: Vec<u32>,
    positions: Vec<u32>,
}

/// How a tile goes on behind a condition.
#[derive(Clone, Copy)]
enum Spilled {
    /// Enough tuples pass: all go on, those that do not pass to a group that nobody reads.
    Yes,
    /// Tuples that pass are selected.
    No,
    /// None passes.
    Nothing,
}

/// When fewer than one tuple in so many passes, selecting them is cheaper than to carry all along.
const SPILL_MAX: usize = 4;

impl Folding {
    /// Folds the active tuples into the accumulators of some aggregates.
    pub(in crate::cpu) fn fold_all(
        &mut self,
        tile: &mut Tile<'_>,
        accumulators: &mut [Accumulator],
        aggregates: &[AggregatePlan],
        Fold { all, groups, mask, room }: Fold<'_>,
    ) -> Result<()> {
        let aside = usize::from(mask.is_some());
        let mut known: Option<(&[ScalarId], Spilled)> = None;
        for (accumulator, aggregate) in accumulators.iter_mut().zip(aggregates) {
            if aggregate.shares.is_some() {
                accumulator.resize(room);
                continue;
            }
            accumulator.resize(room + aside);
            let mut spilled = Spilled::No;
            if aggregate.spills() {
                spilled = match known {
                    Some((condition, spilled)) if condition == aggregate.condition => spilled,
                    _ => self.fill(tile, &aggregate.condition, mask, groups, room)?,
                };
                known = Some((&aggregate.condition[..], spilled));
            }
            match spilled {
                Spilled::Nothing => {}
                Spilled::Yes => {
                    accumulator.resize(room + 1);
                    fold(tile, accumulator, aggregate, TileGroups::Each(&self.groups, None))?;
                }
                Spilled::No if aggregate.condition.is_empty() => {
                    fold(tile, accumulator, aggregate, all)?;
                }
                Spilled::No => {
                    self.chosen(tile, accumulator, aggregate, groups)?;
                    // If another condition's groups were known, they are gone.
                    known = known.filter(|_| aggregate.spills());
                }
            }
            accumulator.resize(room);
        }
        Ok(())
    }

    /// Decides, and fills `mask` and `groups`. `room` is the number behind the last group; `outer` says which tuples are
    /// there at all.
    fn fill(
        &mut self,
        tile: &mut Tile<'_>,
        condition: &[ScalarId],
        outer: Option<&Bitmap>,
        groups: Option<&[u32]>,
        room: usize,
    ) -> Result<Spilled> {
        tile.mask(condition, &mut self.mask)?;
        if let Some(outer) = outer {
            self.mask.and(outer);
        }
        let passing = self.mask.count_ones();
        if passing == 0 || passing * SPILL_MAX < tile.len() {
            return Ok(if passing == 0 { Spilled::Nothing } else { Spilled::No });
        }
        self.groups.clear();
        match groups {
            Some(groups) => self.groups.extend_from_slice(groups),
            None => self.groups.resize(tile.len(), 0),
        }
        put_aside(&self.mask, &mut self.groups, room);
        Ok(Spilled::Yes)
    }

    /// Folds in the tuples that pass the condition, and evaluates the argument for these alone.
    fn chosen(
        &mut self,
        tile: &mut Tile<'_>,
        accumulator: &mut Accumulator,
        aggregate: &AggregatePlan,
        groups: Option<&[u32]>,
    ) -> Result<()> {
        let mark = tile.depth();
        if aggregate.spills() {
            // `fill` has found out which.
            self.positions.clear();
            self.mask.push_positions(&mut self.positions);
            tile.select(&self.positions);
        } else {
            tile.filter(&aggregate.condition)?;
            tile.origins(mark, &mut self.positions);
        }
        let groups = groups.map(|groups| {
            self.groups.clear();
            self.groups.extend(self.positions.iter().map(|&position| groups[position as usize]));
            &self.groups[..]
        });
        let groups = groups.map_or(TileGroups::One, |groups| TileGroups::Each(groups, None));
        fold(tile, accumulator, aggregate, groups)?;
        tile.truncate(mark);
        Ok(())
    }
}
