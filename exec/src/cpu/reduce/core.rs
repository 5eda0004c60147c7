//! The core of a reduction: groups and their accumulators, without the row sources above it.

use super::super::aggregate::Accumulator;
use crate::Result;
use crate::cpu::groups::grouper::Grouper;
use crate::partial::PartialGroups;
use crate::partial::state::State;
use crate::plan::tree::ReducePlan;
use crate::workers::schedule::Workers;
use std::ops::Range;

/// Groups, and what is known of them.
pub(crate) struct Core<'p> {
    pub(crate) plan: &'p ReducePlan,
    pub(crate) grouper: Grouper,
    pub(crate) accumulators: Vec<Accumulator>,
}

impl<'p> Core<'p> {
    /// Without rows.
    pub(crate) fn new(plan: &'p ReducePlan, grouper: Grouper) -> Result<Self> {
        let mut core = Core { plan, grouper, accumulators: accumulators(plan)? };
        core.resize();
        Ok(core)
    }

    /// The tuples to come are of this piece of work; pieces are numbered in the order of their rows.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        self.grouper.begin_piece(piece);
        self.accumulators.iter_mut().for_each(|accumulator| accumulator.begin_piece(piece));
    }

    /// Makes room for all groups in the accumulators.
    pub(crate) fn resize(&mut self) {
        let room = self.grouper.len();
        self.accumulators.iter_mut().for_each(|accumulator| accumulator.resize(room));
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.grouper.bytes() + self.accumulators.iter().map(Accumulator::bytes).sum::<usize>()
    }

    /// The groups as data.
    pub(crate) fn into_partial(self) -> Result<PartialGroups> {
        let (keys, order) = self.grouper.into_partial()?;
        Ok(PartialGroups { keys, order, states: states(self.accumulators) })
    }

    /// As [`Core::into_partial`], leaving none; rows to come are partitioned by their keys.
    pub(crate) fn take_partial(&mut self) -> Result<PartialGroups> {
        let (keys, order) = self.grouper.take_partial(&self.plan.key_types)?;
        let taken = std::mem::replace(&mut self.accumulators, accumulators(self.plan)?);
        Ok(PartialGroups { keys, order, states: states(taken) })
    }

    /// Adds some groups of others.
    pub(crate) fn merge(&mut self, other: &PartialGroups, chosen: &[u32]) -> Result<()> {
        let numbers = self.grouper.merge(other, chosen)?;
        let room = self.grouper.len();
        for (mine, theirs) in self.accumulators.iter_mut().zip(&other.states) {
            mine.resize(room);
            mine.merge(theirs, chosen, &numbers)?;
        }
        Ok(())
    }

    /// Adds the groups of several workers, of which there are few: there are none yet, and none come behind them. What
    /// they hold much of is merged by all workers.
    pub(crate) fn merge_few(&mut self, all: &[(&PartialGroups, Vec<u32>)], workers: Workers<'_>) -> Result<()> {
        let numbers = all.iter().map(|(groups, chosen)| self.grouper.merge(groups, chosen));
        let numbers = numbers.collect::<Result<Vec<Vec<u32>>>>()?;
        let room = self.grouper.len();
        for (at, mine) in self.accumulators.iter_mut().enumerate() {
            mine.resize(room);
            let share = |((groups, chosen), numbers): (&(&'_ PartialGroups, Vec<u32>), &Vec<u32>)| {
                let mut of_group = vec![0; groups.states[at].groups()];
                chosen.iter().zip(numbers).for_each(|(&from, &into)| of_group[from as usize] = into);
                of_group
            };
            let shares = all.iter().zip(&numbers).map(|(own, numbers)| (&own.0.states[at], share((own, numbers))));
            if mine.merge_shares(&shares.collect::<Vec<_>>(), room, workers)? {
                continue;
            }
            for ((groups, chosen), numbers) in all.iter().zip(&numbers) {
                mine.merge(&groups.states[at], chosen, numbers)?;
            }
        }
        Ok(())
    }

    /// Adds consecutive groups of clustered rows, of which the first may be the last one here.
    pub(crate) fn merge_run(&mut self, other: &PartialGroups, codes: &[u64], mut run: Range<u32>) -> Result<()> {
        if let Grouper::Ordered(clustered) = &self.grouper
            && clustered.codes.last() == Some(&codes[run.start as usize])
        {
            self.merge(other, &[run.start])?;
            run.start += 1;
        }
        let before = self.grouper.len();
        if let Grouper::Ordered(clustered) = &mut self.grouper {
            clustered.codes.extend_from_slice(&codes[run.start as usize..run.end as usize]);
        }
        let room = self.grouper.len();
        for (mine, theirs) in self.accumulators.iter_mut().zip(&other.states) {
            if !mine.append(theirs, run.start as usize..run.end as usize) {
                let (from, into): (Vec<u32>, Vec<u32>) =
                    (run.clone().collect(), (before as u32..room as u32).collect());
                mine.resize(room);
                mine.merge(theirs, &from, &into)?;
            }
        }
        Ok(())
    }
}

/// Accumulators of all aggregates, for no groups.
fn accumulators(plan: &ReducePlan) -> Result<Vec<Accumulator>> {
    plan.aggregates.iter().map(|aggregate| aggregate.kind.accumulator()).collect()
}

fn states(accumulators: Vec<Accumulator>) -> Vec<State> {
    accumulators.into_iter().map(|accumulator| accumulator.state).collect()
}
