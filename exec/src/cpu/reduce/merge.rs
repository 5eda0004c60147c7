//! What workers hand over at the end of a reduction, and what a merge of it needs.

use super::buffers::PartitionBuffers;
use super::core::Core;
use crate::cpu::groups::grouper::Grouper;
use crate::cpu::groups::splitters::SharedSplitters;
use crate::cpu::reduce::group_filter::GroupFilter;
use crate::partial::PartialGroups;
use crate::partial::order::Order;
use crate::plan::tree::ReducePlan;
use crate::workers::context::{Context, Reservation};
use crate::{Error, Result};

/// What a worker ends with: groups, and rows that it has partitioned by their keys and not folded in.
pub(crate) struct Ended<'p> {
    pub(crate) groups: PartialGroups,
    pub(crate) buffers: Option<Box<PartitionBuffers<'p>>>,
    /// What they hold counts as long as they are there.
    pub(super) _held: Reservation,
}

impl Ended<'_> {
    /// Groups that came from somewhere else; there is no more to them.
    pub(crate) fn elsewhere(groups: PartialGroups, context: &Context) -> Result<Self> {
        let mut reservation = Reservation::new(&context.memory);
        reservation.resize(groups.bytes())?;
        Ok(Ended { groups, buffers: None, _held: reservation })
    }
}

/// What a merge of groups of one reduction needs beside them.
pub(crate) struct Merge<'p> {
    pub(crate) plan: &'p ReducePlan,
    /// Where arrays over codes are cut; all workers share it.
    pub(crate) splitters: SharedSplitters,
    /// The conditions that groups must pass to be wanted.
    pub(crate) group_filter: Option<GroupFilter<'p>>,
}

impl<'p> Merge<'p> {
    /// No groups yet, for some that are like these: all of them or those of a part.
    pub(super) fn core(&self, like: &PartialGroups, part: Option<usize>) -> Result<Core<'p>> {
        Core::new(self.plan, Grouper::like(like, &self.plan.key_types, part, &self.splitters))
    }

    /// Whether these are parts of the groups of this reduction, which can be merged.
    ///
    /// # Errors
    /// An internal error if they are not: whoever made them is wrong.
    pub(crate) fn check(&self, parts: &[PartialGroups]) -> Result<()> {
        let kinds = self.plan.aggregates.iter().map(|aggregate| aggregate.kind.accumulator());
        let accumulators = kinds.collect::<Result<Vec<_>>>()?;
        let is_of_plan = |groups: &PartialGroups| {
            let keys = groups.keys.layout().map(|layout| layout.parts.len());
            keys == self.plan.key.as_ref().map(|_| self.plan.key_types.len())
                && (self.plan.rows.keys_unread || !matches!(groups.order, Order::Unseen))
                && groups.states.len() == accumulators.len()
                && groups.states.iter().zip(&accumulators).all(|(state, own)| state.is_like(&own.state))
                && groups.states.iter().all(|state| state.groups() == groups.keys.len())
        };
        let are_alike = parts.iter().all(|part| parts[0].check_like(part).is_ok());
        if are_alike && parts.iter().all(is_of_plan) {
            return Ok(());
        }
        Err(Error::internal("partial groups of another reduction"))
    }

    pub(super) fn group_filter(&self) -> Option<GroupFilter<'p>> {
        self.group_filter.as_ref().map(GroupFilter::fork)
    }
}
