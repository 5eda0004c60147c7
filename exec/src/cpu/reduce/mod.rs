//! Reduce and BucketReduce: groups and their accumulators, per worker, merged at the end.
//!
//! 1. Every worker folds its morsels into groups and accumulators of its own (`core`). Where there are many groups, it puts rows
//!    into partition buffers instead (`buffers`), by the lowest bits of their keys' hashes, or by their codes.
//! 2. It ends by handing over what it knows of its groups as data (`partial`), with the rows that are left in its buffers.
//! 3. With several workers the groups are parted as rows are; every part is merged on its own, in parallel (`finish`), or segment
//!    by segment where rows came clustered (`clustered`).
//! 4. The groups of a part are put in the order of (hash, first row), or of the key where its code is the group's number (`show`).
//!    Parts follow one another. So the result depends on nothing but the rows.

pub(crate) mod blocks;
pub(crate) mod buffer_keys;
pub(crate) mod buffers;
pub(crate) mod core;
pub(crate) mod finish;
pub(crate) mod group_filter;
pub(crate) mod merge;
pub(crate) mod neighbours;
pub(crate) mod show;

mod close_groups;
mod clustered;
mod fold;

use super::aggregate::{Accumulator, TileGroups};
use super::expression::filter::{Filtered, MaskIf};
use super::kernels::sum::sums_by_masks;
use super::vector::Vector;
use crate::cpu::collections::claims::Passed;
use crate::cpu::expression::tile::Tile;
use crate::cpu::groups::assigned::Assigned;
use crate::cpu::groups::grouper::Grouper;
use crate::cpu::groups::splitters::{MERGE_PARTS, SharedSplitters};
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::part_values::{KeyPartValues, PartValues};
use crate::cpu::reduce::buffer_keys::{TileKeys, partitioned_layout};
use crate::cpu::reduce::buffers::PartitionBuffers;
use crate::cpu::reduce::core::Core;
use crate::cpu::reduce::finish::by_part;
use crate::cpu::reduce::group_filter::GroupFilter;
use crate::cpu::reduce::merge::Ended;
use crate::cpu::vector::bitmap::Bitmap;
use crate::plan::group_kind::Numbering;
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use crate::plan::tree::{AggregatePlan, ReducePlan};
use crate::workers::context::{Context, Reservation};
use crate::{Error, Result};
pub(crate) use fold::{Fold, Folding};
use multiloop_planner::multiloop::{Reduction, ScalarId};

/// Codes in an array that lie at most so far apart lie close by.
const NEAR_CODES: u64 = 64;

/// The groups of one worker.
pub(crate) struct Reducer<'p> {
    pub(crate) core: Core<'p>,
    /// Rows that came when there were many groups, which are not among those above.
    buffers: Option<Box<PartitionBuffers<'p>>>,
    partitions: Partitions,
    /// Where arrays over codes are cut into parts; all workers share it.
    splitters: SharedSplitters,
    /// How many share all rows.
    workers: usize,
    codes: Codes,
    /// Codes of keys of one integer.
    short: Vec<u32>,
    assigned: Assigned,
    folding: Folding,
    group_filter: Option<GroupFilter<'p>>,
    /// Groups up to this one have been looked at by `group_filter`.
    closed: usize,
    mask: Bitmap,
    /// Any or All of all rows, once a piece of work has decided it.
    decided: Option<Accumulator>,
    /// What a debug build knows of clustered rows.
    passed: Passed,
    reservation: Reservation,
    /// Tuples since memory was last counted.
    uncounted: usize,
}

/// Whether rows are partitioned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partitions {
    /// They cannot be, or it would not pay.
    No,
    /// Once there are many groups.
    Later,
    Yes,
}

/// Tuples between two counts of memory.
const COUNT_ROWS: usize = 1 << 17;

/// Bytes of room for groups of a tile that are not reserved beforehand.
const ROOM_BYTES: usize = 1 << 20;

impl<'p> Reducer<'p> {
    /// No groups yet, of one of so many workers. The layout of keys may be narrower than the plan's, where the tables at hand
    /// prove more; there is none without a key.
    pub(crate) fn new(
        plan: &'p ReducePlan,
        keys: Option<&(KeyLayout, Numbering)>,
        workers: usize,
        splitters: &SharedSplitters,
        context: &Context,
    ) -> Result<Self> {
        let grouper = match keys {
            Some((layout, numbering)) => Grouper::new(layout, &plan.key_types, *numbering),
            None => Grouper::One,
        };
        let may_partition = buffers::may_partition(plan, &grouper);
        Ok(Reducer {
            core: Core::new(plan, grouper)?,
            buffers: None,
            partitions: if may_partition { Partitions::Later } else { Partitions::No },
            splitters: splitters.clone(),
            workers,
            codes: Codes::default(),
            short: Vec::new(),
            assigned: Assigned::default(),
            folding: Folding::default(),
            group_filter: None,
            closed: 0,
            mask: Bitmap::default(),
            decided: None,
            passed: Passed::default(),
            reservation: Reservation::new(&context.memory),
            uncounted: 0,
        })
    }

    /// The same, with conditions that groups must pass to be wanted.
    pub(crate) fn group_filter(self, group_filter: GroupFilter<'p>) -> Self {
        Reducer { group_filter: Some(group_filter), ..self }
    }

    /// The tuples to come are of this piece of work.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        self.core.begin_piece(piece);
        self.passed.begin_piece();
        // Each piece goes on until it has decided, whoever did which.
        if self.is_decided()
            && let Some(mut own) = self.core.plan.aggregates[0].kind.accumulator().ok()
        {
            own.resize(1);
            self.decided = Some(std::mem::replace(&mut self.core.accumulators[0], own));
        }
    }

    /// Whether no row to come of this piece of work changes anything.
    pub(crate) fn is_decided(&self) -> bool {
        self.core.plan.can_be_decided()
            && self.core.accumulators.first().is_some_and(|accumulator| accumulator.is_decided(0))
    }

    /// Whether it counts all rows, and does nothing else.
    pub(crate) fn counts_rows(&self) -> bool {
        let counts = |plan: &AggregatePlan| plan.kind.reduction == Reduction::CountRows && plan.condition.is_empty();
        self.core.plan.key.is_none() && self.core.plan.aggregates.iter().all(counts)
    }

    /// Counts so many rows more.
    pub(crate) fn add_rows(&mut self, rows: usize) {
        for accumulator in &mut self.core.accumulators {
            accumulator.resize(1);
            accumulator.add_rows(rows);
        }
    }

    /// The same, with what pieces of before have decided; whether any has.
    pub(crate) fn recall(&mut self) -> bool {
        if let Some(decided) = self.decided.take() {
            self.core.accumulators[0] = decided;
        }
        self.is_decided()
    }

    /// Whether rows came to it that were partitioned by their keys.
    pub(crate) fn is_partitioned(&self) -> bool {
        self.buffers.is_some()
    }

    /// Whether what its groups are numbered by can find them by their keys.
    pub(crate) fn can_index(&self) -> bool {
        self.core.grouper.can_index()
    }

    /// Whether it does better with a mask where conditions drop few tuples of a tile.
    pub(crate) fn takes_masks(&self) -> bool {
        self.core.plan.masks && matches!(self.core.grouper, Grouper::One | Grouper::Few { .. })
    }

    /// Folds in the active tuples of a tile that pass the conditions.
    pub(crate) fn update_where(&mut self, tile: &mut Tile<'_>, conditions: &[ScalarId]) -> Result<()> {
        let mut mask = std::mem::take(&mut self.mask);
        let outcome = match tile.filter_or_mask(conditions, MaskIf::FewFall, &mut mask) {
            Ok(Filtered::Masked) => self.update(tile, Some(&mask)),
            Ok(Filtered::Selected) if tile.is_empty() => Ok(()),
            Ok(Filtered::Selected) => self.update(tile, None),
            Err(error) => Err(error),
        };
        self.mask = mask;
        outcome
    }

    /// Folds in the active tuples of a tile; with a mask, which few groups can have, those that it has.
    pub(crate) fn update(&mut self, tile: &mut Tile<'_>, mask: Option<&Bitmap>) -> Result<()> {
        let len = tile.len();
        let parts = self.core.plan.parts();
        if self.partitions == Partitions::Yes {
            return self.partition(tile, parts);
        }
        self.assigned.may_wait = self.codes_may_wait(tile, parts);
        let masks = self.assign(tile, parts, mask)?;
        let room = self.core.grouper.len();
        let more: usize = self.core.accumulators.iter().map(|accumulator| accumulator.room_bytes(room)).sum();
        if more > ROOM_BYTES {
            self.reservation.resize(self.bytes().saturating_add(more))?;
        }
        let Assigned { groups, present, runs, has_runs, .. } = &mut self.assigned;
        if *has_runs && self.core.plan.aggregates.iter().any(|aggregate| !aggregate.condition.is_empty()) {
            runs.spread(groups);
        }
        let groups = (self.core.plan.key.is_some() || mask.is_some()).then_some(&groups[..]);
        let all = match groups {
            _ if *has_runs => TileGroups::Runs(runs),
            _ if masks => TileGroups::Masks(present),
            Some(groups) => TileGroups::Each(groups, (!present.is_empty()).then_some(&*present)),
            None => TileGroups::One,
        };
        let fold = Fold { all, groups, mask, room };
        self.folding.fold_all(tile, &mut self.core.accumulators, &self.core.plan.aggregates, fold)?;
        self.end_waiting(tile, parts)?;
        if self.partitions == Partitions::Later
            && self.workers > 1
            && self.core.accumulators.iter().any(Accumulator::is_dear_to_merge)
        {
            self.partitions = Partitions::Yes;
        }
        self.uncounted += len;
        if self.uncounted > COUNT_ROWS { self.account() } else { Ok(()) }
    }

    /// Finds the groups of the active tuples; whether as masks, without a number for each tuple.
    fn assign(&mut self, tile: &mut Tile<'_>, parts: &[ScalarId], mask: Option<&Bitmap>) -> Result<bool> {
        let plain = || self.core.plan.aggregates.iter().all(|aggregate| aggregate.condition.is_empty());
        if sums_by_masks()
            && let Some(layout) = self.core.grouper.few()
            && plain()
            && let Some(parts) = tile.dictionary_parts(parts, layout)
            && self.assigned.present.combine(&parts, tile.len(), mask)
        {
            self.core.grouper.mark(&self.assigned.present);
            return Ok(true);
        }
        let before = self.core.grouper.len();
        if let (&[part], Some(range)) = (parts, self.core.grouper.code_range())
            && let len = tile.len()
            && let Some(keys) = tile.integers(part, range)?
        {
            if cfg!(debug_assertions) && matches!(self.core.grouper, Grouper::Ordered { .. }) {
                keys.codes(len, &mut self.short);
                self.passed.pass(self.short.iter().map(|&code| code.into()))?;
            }
            self.core.grouper.assign_integers(&keys, len, mask, &mut self.short, &mut self.assigned);
            let seen = (before, self.core.grouper.len());
            if self.partitions == Partitions::Later && buffers::pays(seen, &self.short, Some(NEAR_CODES), self.workers)
            {
                self.partitions = Partitions::Yes;
            }
            return Ok(false);
        }
        if let (&[part], Some(range)) = (parts, self.core.grouper.wide_range())
            && tile.wide_codes(part, range, &mut self.codes)?
        {
            self.core.grouper.assign_wide(&mut self.codes, &mut self.assigned);
        } else {
            parts.iter().try_for_each(|&part| tile.evaluate(part))?;
            let key: Vec<&Vector> = parts.iter().map(|&part| tile.vector(part)).collect();
            self.core.grouper.assign(&key, tile.len(), mask, &mut self.codes, &mut self.assigned);
            if cfg!(debug_assertions) && matches!(self.core.grouper, Grouper::Ordered { .. }) {
                self.passed.pass(self.codes.bits64.iter().copied())?;
            }
        }
        let hashed = matches!(self.core.grouper, Grouper::Hash { .. });
        // What is not partitioned has to be merged, and to find hashed groups once more is dear.
        let near = if hashed { (self.workers == 1).then_some(0) } else { Some(NEAR_CODES) };
        if self.partitions == Partitions::Later {
            let (seen, codes) = ((before, self.core.grouper.len()), &self.codes);
            let pays = match partitioned_layout(&self.core.grouper).map(|layout| layout.width) {
                Some(KeyWidth::Bytes | KeyWidth::Text) => buffers::pays_bytes(seen, codes, self.workers),
                Some(KeyWidth::Bits128) => buffers::pays(seen, &codes.bits128, near, self.workers),
                Some(KeyWidth::Bits32 | KeyWidth::Bits64) => buffers::pays(seen, &codes.bits64, near, self.workers),
                None => false,
            };
            if pays {
                self.partitions = Partitions::Yes;
            }
        }
        Ok(false)
    }

    /// Puts the active tuples of a tile into partition buffers.
    fn partition(&mut self, tile: &mut Tile<'_>, parts: &[ScalarId]) -> Result<()> {
        let len = tile.len();
        let grouper = &mut self.core.grouper;
        let keys = match (parts, grouper.code_range(), grouper.wide_range()) {
            (&[part], Some(range), _) if let Some(keys) = tile.integers(part, range)? => {
                keys.codes(len, &mut self.short);
                TileKeys::Direct(&self.short)
            }
            (&[part], _, Some(range)) if tile.wide_codes(part, range, &mut self.codes)? => {
                TileKeys::pass(grouper, &self.codes, &mut self.short)
            }
            _ => {
                parts.iter().try_for_each(|&part| tile.evaluate(part))?;
                let values = |&part: &ScalarId| PartValues::Vector(tile.vector(part));
                let key: Vec<KeyPartValues<'_>> =
                    parts.iter().map(|part| KeyPartValues { values: values(part), null_matches: true }).collect();
                let layout = partitioned_layout(grouper).ok_or_else(|| Error::internal("keys without codes"))?;
                self.codes.encode(layout, &key, len);
                TileKeys::pass(grouper, &self.codes, &mut self.short)
            }
        };
        let layout = partitioned_layout(grouper).ok_or_else(|| Error::internal("keys without codes"))?;
        let (plan, workers) = (self.core.plan, self.workers);
        let buffers = self.buffers.get_or_insert_with(|| Box::new(PartitionBuffers::new(plan, workers)));
        for &argument in buffers.arguments() {
            let mut takers = plan.aggregates.iter().zip(&self.core.accumulators);
            if takers.all(|(aggregate, taker)| aggregate.argument != Some(argument) || taker.takes_numerics()) {
                tile.evaluate_numerics(argument)?;
            } else {
                tile.evaluate(argument)?;
            }
        }
        let arguments: Vec<&Vector> = buffers.arguments().iter().map(|&argument| tile.vector(argument)).collect();
        buffers.add((layout, &self.splitters), keys, &arguments);
        if buffers.is_full() {
            self.settle()?;
        }
        self.uncounted += len;
        if self.uncounted > COUNT_ROWS { self.account() } else { Ok(()) }
    }

    /// Folds the rows of the buffers into the groups of their parts; groups of before go there, too.
    fn settle(&mut self) -> Result<()> {
        let Some(mut buffers) = self.buffers.take() else { return Ok(()) };
        let groups = self.core.take_partial()?;
        let chosen = by_part(&groups, MERGE_PARTS, &self.splitters);
        let plan = self.core.plan;
        buffers.settle(|part| {
            let mut core = Core::new(plan, Grouper::like(&groups, &plan.key_types, Some(part), &self.splitters))?;
            core.merge(&groups, &chosen[part])?;
            Ok(core)
        })?;
        self.buffers = Some(buffers);
        Ok(())
    }

    /// Whether these are all groups, in the order of their numbers: nothing is left in buffers, nor to be put in order.
    pub(crate) fn is_whole(&self) -> bool {
        match &self.core.grouper {
            Grouper::Ordered(clustered) => clustered.segments.len() <= 1,
            _ => self.buffers.is_none(),
        }
    }

    /// Hands over what it has.
    pub(crate) fn end(self) -> Result<Ended<'p>> {
        let Reducer { core, buffers, mut reservation, .. } = self;
        let groups = core.into_partial()?;
        reservation.resize(groups.bytes() + buffers.as_ref().map_or(0, |buffers| buffers.bytes()))?;
        Ok(Ended { groups, buffers, _held: reservation })
    }

    /// Ends a piece of work: leaves out complete groups that nobody wants, and counts the rest.
    pub(crate) fn end_piece(&mut self) -> Result<()> {
        self.close(0)?;
        self.account()
    }

    /// Counts what is held against the memory limit.
    pub(crate) fn account(&mut self) -> Result<()> {
        self.uncounted = 0;
        self.reservation.resize(self.bytes())
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.core.bytes() + self.buffers.as_ref().map_or(0, |buffers| buffers.bytes())
    }
}
