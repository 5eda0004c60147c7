//! Reduce and BucketReduce: groups and their accumulators, per worker, merged at the end.
//!
//! 1. Every worker folds its morsels into groups and accumulators of its own.
//! 2. With several workers the groups are dealt into parts by the lowest bits of their keys' hashes, or by their codes; every part is
//!    merged on its own, in parallel.
//! 3. The groups of a part are put in the order of (hash, key), or of the key where its code is the group's number.
//!    Parts follow one another. So the result depends on nothing but the rows.

pub(crate) mod blocks;
pub(crate) mod group_filter;
pub(crate) mod neighbours;
pub(crate) mod partition;
pub(crate) mod partition_keys;

mod close_groups;
mod fold;

use super::aggregate::{Accumulator, TileGroups};
use super::expression::filter::{Filtered, MaskIf};
use super::kernels::sum::sums_by_masks;
use super::vector::Vector;
use crate::cpu::collections::claims::Passed;
use crate::cpu::expression::tile::Tile;
use crate::cpu::groups::grouper::{Assigned, Grouper, MERGE_PARTS};
use crate::cpu::groups::splitters::SharedCuts;
use crate::cpu::index::KeyIndex;
use crate::cpu::keys::codes::{Codes, KeyPartValues, PartValues};
use crate::cpu::reduce::group_filter::Having;
use crate::cpu::reduce::partition::Dealt;
use crate::cpu::reduce::partition_keys::TileKeys;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::{Gathered, concat_all};
use crate::cpu::vector::rows::TILE_ROWS;
use crate::plan::group_kind::Numbering;
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use crate::plan::tree::ReducePlan;
use crate::workers::context::{Context, Reservation};
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use fold::fold;
pub(crate) use fold::{Fold, Folding};
use multiloop_planner::multiloop::ScalarId;
use std::ops::Range;

/// Codes in an array that lie at most so far apart lie close by.
const NEAR_CODES: u64 = 64;

/// Groups of all workers beyond which a merge is done in parts: fewer are merged before 64 parts of each have been told.
const MERGE_ALONE: usize = if cfg!(test) { 1 << 13 } else { 1 << 15 };

/// Clustered groups of a part of a merge, at least.
const ORDERED_PART: usize = 1 << 13;

/// Groups that are asked for together.
const HAVING_TILE: usize = if cfg!(test) { 1_000 } else { TILE_ROWS };

/// The groups of one worker.
pub(crate) struct Reducer<'p> {
    pub(crate) plan: &'p ReducePlan,
    pub(crate) grouper: Grouper,
    pub(crate) accumulators: Vec<Accumulator>,
    /// Rows that came when there were many groups, which are not among those above.
    dealt: Option<Box<Dealt<'p>>>,
    deals: Deals,
    /// How many share all rows.
    workers: usize,
    /// Whether these are the groups of one part of [`MERGE_PARTS`].
    is_part: bool,
    codes: Codes,
    /// Codes of keys of one integer.
    short: Vec<u32>,
    assigned: Assigned,
    folding: Folding,
    having: Option<Having<'p>>,
    /// Groups up to this one have been looked at by `having`.
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

/// Whether rows are dealt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deals {
    /// They cannot be, or it would not pay.
    No,
    /// Once there are many groups.
    Later,
    Yes,
}

/// Tuples between two counts of memory.
const COUNT_ROWS: usize = 1 << 17;

impl<'p> Reducer<'p> {
    /// No groups yet, of one of so many workers. The layout of keys may be narrower than the plan's, where the tables at hand
    /// prove more; there is none without a key.
    pub(crate) fn new(
        plan: &'p ReducePlan,
        keys: Option<&(KeyLayout, Numbering)>,
        workers: usize,
        cuts: &SharedCuts,
        context: &Context,
    ) -> Result<Self> {
        let grouper = match keys {
            Some((layout, numbering)) => Grouper::new(layout, &plan.key_types, *numbering).sharing(cuts),
            None => Grouper::One,
        };
        Ok(Reducer { workers, ..Reducer::of(plan, grouper, context)? })
    }

    /// The same, with conditions that groups must pass to be wanted.
    pub(crate) fn having(self, having: Having<'p>) -> Self {
        Reducer { having: Some(having), ..self }
    }

    fn of(plan: &'p ReducePlan, grouper: Grouper, context: &Context) -> Result<Self> {
        Reducer::counting(plan, grouper, Reservation::new(&context.memory))
    }

    /// Without groups; what it holds is counted there.
    pub(crate) fn counting(plan: &'p ReducePlan, grouper: Grouper, reservation: Reservation) -> Result<Self> {
        let accumulators = plan.aggregates.iter().map(|aggregate| aggregate.kind.accumulator());
        let mut reducer = Reducer {
            plan,
            deals: if partition::may_deal(plan, &grouper) { Deals::Later } else { Deals::No },
            dealt: None,
            workers: 1,
            is_part: false,
            grouper,
            accumulators: accumulators.collect::<Result<Vec<_>>>()?,
            codes: Codes::default(),
            short: Vec::new(),
            assigned: Assigned::default(),
            folding: Folding::default(),
            having: None,
            closed: 0,
            mask: Bitmap::default(),
            decided: None,
            passed: Passed::default(),
            reservation,
            uncounted: 0,
        };
        let room = reducer.grouper.len();
        reducer.accumulators.iter_mut().for_each(|accumulator| accumulator.resize(room));
        Ok(reducer)
    }

    /// The tuples to come are of this piece of work.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        self.grouper.begin_piece(piece);
        self.passed.begin_piece();
        // Each piece goes on until it has decided, whoever did which.
        if self.is_decided()
            && let Some(mut own) = self.plan.aggregates[0].kind.accumulator().ok()
        {
            own.resize(1);
            self.decided = Some(std::mem::replace(&mut self.accumulators[0], own));
        }
    }

    /// Whether no row to come of this piece of work changes anything.
    pub(crate) fn is_decided(&self) -> bool {
        self.plan.can_be_decided() && self.accumulators.first().is_some_and(|accumulator| accumulator.is_decided(0))
    }

    /// The same, with what pieces of before have decided; whether any has.
    pub(crate) fn recall(&mut self) -> bool {
        if let Some(decided) = self.decided.take() {
            self.accumulators[0] = decided;
        }
        self.is_decided()
    }

    /// Whether rows came to it that were partitioned by their keys.
    pub(crate) fn is_partitioned(&self) -> bool {
        self.dealt.is_some()
    }

    /// Whether what its groups are numbered by can find them by their keys.
    pub(crate) fn can_index(&self) -> bool {
        self.grouper.can_index()
    }

    /// Whether it does better with a mask where conditions drop few tuples of a tile.
    pub(crate) fn takes_masks(&self) -> bool {
        self.plan.masks && matches!(self.grouper, Grouper::One | Grouper::Few { .. })
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
        let parts = self.plan.parts();
        if self.deals == Deals::Yes {
            return self.deal(tile, parts);
        }
        let before = self.grouper.len();
        self.assigned.may_wait = self.codes_may_wait(tile, parts);
        let masks = self.assign(tile, parts, mask)?;
        let room = self.grouper.len();
        let in_order = self.grouper.numbers_in_order();
        if in_order && room > before && self.plan.aggregates.iter().any(|aggregate| aggregate.takes_first_row) {
            self.begin_groups(tile, before)?;
        }
        let Assigned { groups, present, runs, has_runs, .. } = &mut self.assigned;
        if *has_runs && self.plan.aggregates.iter().any(|aggregate| !aggregate.condition.is_empty()) {
            runs.spread(groups);
        }
        let groups = (self.plan.key.is_some() || mask.is_some()).then_some(&groups[..]);
        let all = match groups {
            _ if *has_runs => TileGroups::Runs(runs),
            _ if masks => TileGroups::Masks(present),
            Some(groups) => TileGroups::Each(groups, (!present.is_empty()).then_some(&*present)),
            None => TileGroups::One,
        };
        let fold = Fold { all, groups, mask, room, skips_first: in_order };
        self.folding.fold_all(tile, &mut self.accumulators, &self.plan.aggregates, fold)?;
        self.end_waiting(tile, parts)?;
        if self.deals == Deals::Later && self.workers > 1 && self.accumulators.iter().any(Accumulator::is_dear_to_merge)
        {
            self.deals = Deals::Yes;
        }
        self.uncounted += len;
        if self.uncounted > COUNT_ROWS { self.account() } else { Ok(()) }
    }

    /// Gives the tuples that began the groups from `before` on to the aggregates that want no others.
    fn begin_groups(&mut self, tile: &mut Tile<'_>, before: usize) -> Result<()> {
        let room = self.grouper.len();
        let tuples = self.assigned.beginnings(before, room);
        let groups: Vec<u32> = (before as u32..room as u32).collect();
        let mark = tile.depth();
        tile.select(&tuples);
        for (accumulator, aggregate) in self.accumulators.iter_mut().zip(&self.plan.aggregates) {
            if aggregate.takes_first_row {
                accumulator.resize(room);
                fold(tile, accumulator, aggregate, TileGroups::Each(&groups, None))?;
            }
        }
        tile.truncate(mark);
        Ok(())
    }

    /// Finds the groups of the active tuples; whether as masks, without a number for each tuple.
    fn assign(&mut self, tile: &mut Tile<'_>, parts: &[ScalarId], mask: Option<&Bitmap>) -> Result<bool> {
        let plain = || self.plan.aggregates.iter().all(|aggregate| aggregate.condition.is_empty());
        if sums_by_masks()
            && let Some(layout) = self.grouper.few()
            && plain()
            && let Some(parts) = tile.dictionary_parts(parts, layout)
            && self.assigned.present.combine(&parts, tile.len(), mask)
        {
            self.grouper.mark(&self.assigned.present);
            return Ok(true);
        }
        let before = self.grouper.len();
        if let (&[part], Some(range)) = (parts, self.grouper.code_range())
            && let len = tile.len()
            && let Some(keys) = tile.integers(part, range)?
        {
            if cfg!(debug_assertions) && matches!(self.grouper, Grouper::Ordered { .. }) {
                keys.codes(len, &mut self.short);
                self.passed.pass(self.short.iter().map(|&code| code.into()))?;
            }
            self.grouper.assign_integers(&keys, len, mask, &mut self.short, &mut self.assigned);
            let seen = (before, self.grouper.len());
            if self.deals == Deals::Later && partition::pays(seen, &self.short, Some(NEAR_CODES), self.workers) {
                self.deals = Deals::Yes;
            }
            return Ok(false);
        }
        if let (&[part], Some(range)) = (parts, self.grouper.wide_range())
            && tile.wide_codes(part, range, &mut self.codes)?
        {
            self.grouper.assign_wide(&mut self.codes, &mut self.assigned);
        } else {
            parts.iter().try_for_each(|&part| tile.evaluate(part))?;
            let key: Vec<&Vector> = parts.iter().map(|&part| tile.vector(part)).collect();
            self.grouper.assign(&key, tile.len(), mask, &mut self.codes, &mut self.assigned);
            if cfg!(debug_assertions) && matches!(self.grouper, Grouper::Ordered { .. }) {
                self.passed.pass(self.codes.bits64.iter().copied())?;
            }
        }
        let hashed = matches!(self.grouper, Grouper::Hash { .. });
        // What is not dealt has to be merged, and to find hashed groups once more is dear.
        let near = if hashed { (self.workers == 1).then_some(0) } else { Some(NEAR_CODES) };
        if self.deals == Deals::Later {
            let (seen, codes) = ((before, self.grouper.len()), &self.codes);
            let is_wide = self.grouper.layout().is_some_and(|layout| layout.width == KeyWidth::Bits128);
            let pays = if is_wide {
                partition::pays(seen, &codes.bits128, near, self.workers)
            } else {
                partition::pays(seen, &codes.bits64, near, self.workers)
            };
            if pays {
                self.deals = Deals::Yes;
            }
        }
        Ok(false)
    }

    /// Deals the active tuples of a tile.
    fn deal(&mut self, tile: &mut Tile<'_>, parts: &[ScalarId]) -> Result<()> {
        let len = tile.len();
        let dealt = self.dealt.get_or_insert_with(|| Box::new(Dealt::new(self.plan, self.workers)));
        let keys = match (parts, self.grouper.code_range(), self.grouper.wide_range()) {
            (&[part], Some(range), _) if let Some(keys) = tile.integers(part, range)? => {
                keys.codes(len, &mut self.short);
                TileKeys::Direct(&self.short)
            }
            (&[part], _, Some(range)) if tile.wide_codes(part, range, &mut self.codes)? => {
                self.grouper.pass(&self.codes, &mut self.short)
            }
            _ => {
                parts.iter().try_for_each(|&part| tile.evaluate(part))?;
                let values = |&part: &ScalarId| PartValues::Vector(tile.vector(part));
                let key: Vec<KeyPartValues<'_>> =
                    parts.iter().map(|part| KeyPartValues { values: values(part), null_matches: true }).collect();
                let Some(layout) = self.grouper.layout() else { return Err(Error::internal("keys without codes")) };
                self.codes.encode(layout, &key, len);
                self.grouper.pass(&self.codes, &mut self.short)
            }
        };
        dealt.arguments().iter().try_for_each(|&argument| tile.evaluate(argument))?;
        let arguments: Vec<&Vector> = dealt.arguments().iter().map(|&argument| tile.vector(argument)).collect();
        dealt.add(&self.grouper, keys, &arguments);
        if dealt.is_full() {
            self.settle()?;
        }
        self.uncounted += len;
        if self.uncounted > COUNT_ROWS { self.account() } else { Ok(()) }
    }

    /// Folds dealt rows into the groups of their parts; groups of before go there, too.
    fn settle(&mut self) -> Result<()> {
        let Some(mut dealt) = self.dealt.take() else { return Ok(()) };
        let chosen = self.by_part(MERGE_PARTS);
        dealt.settle(|part| {
            let grouper = self.grouper.fresh(&self.plan.key_types, part, MERGE_PARTS);
            // This reducer counts for what they hold.
            let mut groups = Reducer::counting(self.plan, grouper, self.reservation.fork())?;
            groups.merge(self, &chosen[part])?;
            Ok(groups)
        })?;
        self.dealt = Some(dealt);
        self.grouper.clear(&self.plan.key_types);
        let accumulators = self.plan.aggregates.iter().map(|aggregate| aggregate.kind.accumulator());
        self.accumulators = accumulators.collect::<Result<Vec<_>>>()?;
        Ok(())
    }

    /// The groups by part of a merge.
    fn by_part(&self, parts: usize) -> Vec<Vec<u32>> {
        let mut dealt: Vec<Vec<u32>> = vec![Vec::new(); parts];
        for group in self.grouper.occupied() {
            let part = if parts == 1 { 0 } else { self.grouper.part(group) };
            dealt[part].push(group);
        }
        dealt
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
        let dealt = self.dealt.as_ref().map_or(0, |dealt| dealt.bytes());
        self.grouper.bytes() + self.accumulators.iter().map(Accumulator::bytes).sum::<usize>() + dealt
    }

    pub(crate) fn merge(&mut self, other: &Reducer<'_>, chosen: &[u32]) -> Result<()> {
        let numbers = self.grouper.merge(&other.grouper, chosen);
        let room = self.grouper.len();
        for (mine, theirs) in self.accumulators.iter_mut().zip(&other.accumulators) {
            mine.resize(room);
            mine.merge(&theirs.state, chosen, &numbers)?;
        }
        Ok(())
    }

    /// Merges consecutive groups of clustered rows, of which the first may be the last one here.
    fn merge_run(&mut self, other: &Reducer<'_>, mut run: Range<u32>) -> Result<()> {
        if self.grouper.continues(&other.grouper, run.start) {
            self.merge(other, &[run.start])?;
            run.start += 1;
        }
        let before = self.grouper.len();
        self.grouper.append(&other.grouper, run.clone());
        let room = self.grouper.len();
        for (mine, theirs) in self.accumulators.iter_mut().zip(&other.accumulators) {
            if !mine.append(&theirs.state, run.start as usize..run.end as usize) {
                let (from, into): (Vec<u32>, Vec<u32>) =
                    (run.clone().collect(), (before as u32..room as u32).collect());
                mine.resize(room);
                mine.merge(&theirs.state, &from, &into)?;
            }
        }
        Ok(())
    }

    /// The groups that are wanted, in order, as columns: keys, then aggregates.
    fn finish(self) -> Result<Shown> {
        let Reducer { plan, grouper, accumulators, having, is_part, mut reservation, .. } = self;
        let finished = accumulators.into_iter().zip(&plan.aggregates);
        let finished = finished.map(|(accumulator, aggregate)| accumulator.finish(aggregate.kind.data_type));
        let finished = finished.collect::<Result<Vec<_>>>()?;
        let wanted = match having {
            Some(having) if plan.key.is_some() => wanted(having, &grouper, &finished)?,
            _ => None,
        };
        let shown = match wanted {
            Some(groups) => show(&grouper, finished, &grouper.in_order(groups))?,
            None if is_part && grouper.is_ordered_part() => {
                let rows = grouper.len();
                let mut columns = grouper.into_keys();
                columns.extend(finished);
                (columns, rows)
            }
            None => match grouper.places() {
                Some(places) => {
                    let mut columns = grouper.placed_keys(&places);
                    columns.extend(finished.into_iter().map(|column| column.put(&places)));
                    (columns, places.len())
                }
                None => show(&grouper, finished, &grouper.ordered())?,
            },
        };
        reservation.resize(shown.0.iter().map(Gathered::bytes).sum())?;
        Ok(Shown { columns: shown.0, rows: shown.1, reservation })
    }
}

/// Groups as columns, and how many.
struct Shown {
    columns: Vec<Gathered>,
    rows: usize,
    reservation: Reservation,
}

/// Of groups whose aggregates are these columns the numbers of those that are wanted; none if all are. Exactly these are left,
/// whoever had which: how many there are chooses what their reader does.
fn wanted(mut having: Having<'_>, grouper: &Grouper, finished: &[Gathered]) -> Result<Option<Vec<u32>>> {
    let (all, keys) = (grouper.occupied(), having.fields() - finished.len());
    let mut wanted = Vec::new();
    for groups in all.chunks(HAVING_TILE) {
        let mut columns = vec![None; having.fields()];
        if having.reads(0..keys) {
            columns.iter_mut().zip(grouper.keys(groups)?).for_each(|(column, shown)| *column = Some(shown));
        }
        for (at, column) in (keys..).zip(finished).filter(|&(at, _)| having.reads(at..at + 1)) {
            columns[at] = Some(column.take(groups));
        }
        wanted.extend(having.passing(columns, groups.len())?.into_iter().map(|at| groups[at as usize]));
    }
    Ok((wanted.len() < all.len()).then_some(wanted))
}

/// Groups of these numbers, as columns: keys, then aggregates.
fn show(grouper: &Grouper, finished: Vec<Gathered>, groups: &[u32]) -> Result<(Vec<Gathered>, usize)> {
    let mut columns = grouper.keys(groups)?;
    let all = groups.len() == grouper.len() && groups.is_sorted();
    columns.extend(finished.into_iter().map(|column| if all { column } else { column.take(groups) }));
    Ok((columns, groups.len()))
}

/// The groups of all workers, as columns (keys, then aggregates) and a number of rows.
pub(crate) fn finish(
    mut reducers: Vec<Reducer<'_>>,
    context: &Context,
    pool: Option<&Pool>,
) -> Result<(Vec<Gathered>, usize)> {
    let whole = |reducer: &Reducer<'_>| match &reducer.grouper {
        Grouper::Ordered { segments, .. } => segments.len() <= 1,
        _ => reducer.dealt.is_none(),
    };
    if reducers.len() == 1
        && reducers.iter().all(whole)
        && let Some(only) = reducers.pop()
    {
        return put_together(vec![only.finish()?], Workers { pool, context });
    }
    let Some(first) = reducers.first() else { return Ok((Vec::new(), 0)) };
    let plan = first.plan;
    if let Grouper::Ordered { .. } = first.grouper {
        return finish_ordered(reducers, context, pool);
    }
    if first.grouper.is_set() {
        let mut all = Reducer::of(plan, first.grouper.fresh(&plan.key_types, 0, 1), context)?;
        reducers.iter().for_each(|reducer| all.grouper.unite(&reducer.grouper));
        all.having = first.having.as_ref().map(Having::fork);
        return put_together(vec![all.finish()?], Workers { pool, context });
    }
    let workers = Workers { pool, context };
    put_together(merge_parts(reducers, Found::No, workers, Reducer::finish)?, workers)
}

/// The groups of all workers, found by what they were numbered by: their index, their aggregates as columns, and a number
/// of rows. Their order depends on who had what; nobody sees it. For reducers that all say [`Reducer::can_index`].
pub(crate) fn finish_index(
    reducers: Vec<Reducer<'_>>,
    workers: Workers<'_>,
) -> Result<(KeyIndex, Vec<Gathered>, usize)> {
    let context = workers.context;
    let Some(first) = reducers.first() else { return Err(Error::internal("no worker reduced")) };
    let plan = first.plan;
    let mut merged = if reducers.len() == 1 && first.dealt.is_none() {
        reducers
    } else if first.grouper.is_set() {
        let mut all = Reducer::of(plan, first.grouper.fresh(&plan.key_types, 0, 1), context)?;
        reducers.iter().for_each(|reducer| all.grouper.unite(&reducer.grouper));
        vec![all]
    } else {
        merge_parts(reducers, Found::ByKey, workers, Ok)?
    };
    let taken = merged.iter_mut().map(|reducer| (std::mem::take(&mut reducer.accumulators), &reducer.grouper));
    let columns = workers.map(taken.collect(), |(accumulators, grouper): (Vec<Accumulator>, &Grouper)| {
        // Numbers that no row has are left out.
        let groups = grouper.is_dense().then(|| grouper.occupied());
        let columns = accumulators.into_iter().zip(&plan.aggregates).map(|(accumulator, aggregate)| {
            let column = accumulator.finish(aggregate.kind.data_type)?;
            Ok(match &groups {
                Some(groups) => column.take(groups),
                None => column,
            })
        });
        Ok((columns.collect::<Result<Vec<_>>>()?, groups.map_or(grouper.len(), |groups| groups.len())))
    })?;
    let (columns, _) = append_parts(columns, workers)?;
    let (index, rows) = KeyIndex::of_groups(merged.into_iter().map(|reducer| reducer.grouper).collect(), workers)?;
    Ok((index, columns, rows))
}

/// Whether merged groups are to be found by what numbers them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    No,
    ByKey,
}

/// What is made of the groups of several workers, by part, as soon as a part is merged: what it holds is close by then, and
/// serves the next part.
fn merge_parts<'p, T: Send>(
    mut reducers: Vec<Reducer<'p>>,
    found: Found,
    workers: Workers<'_>,
    make: impl Fn(Reducer<'p>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let dealt_rows: Vec<Dealt<'p>> =
        reducers.iter_mut().filter_map(|reducer| reducer.dealt.take()).map(|dealt| *dealt).collect();
    let Some(first) = reducers.first() else { return Ok(Vec::new()) };
    let (plan, context) = (first.plan, workers.context);
    let total: usize = reducers.iter().map(|reducer| reducer.grouper.len()).sum();
    let splits = first.grouper.splits() && (total > MERGE_ALONE || !dealt_rows.is_empty());
    let parts = if splits { MERGE_PARTS } else { 1 };
    // Where numbers are codes, a part's groups lie side by side.
    let in_ranges = parts > 1 && first.grouper.is_dense();
    let by_part = |reducer: &Reducer<'p>| Ok(reducer.by_part(parts));
    let dealt = if in_ranges { Vec::new() } else { workers.map(reducers.iter().collect(), by_part)? };
    let mut waiting: Vec<(usize, Vec<partition::Part<'p>>)> = (0..parts).map(|part| (part, Vec::new())).collect();
    for rows in dealt_rows {
        waiting.iter_mut().zip(rows.into_parts()).for_each(|((_, waiting), part)| waiting.push(part));
    }
    let made = workers.map(waiting, |(part, mut waiting)| {
        let done = waiting.first_mut().and_then(|part| part.done.take());
        let to_know = (!waiting.is_empty() && done.is_none()).then(|| first.grouper.to_know(part)).flatten();
        let mut merged = match (done, to_know) {
            (Some(done), _) => *done,
            (None, Some(mut known)) if found == Found::No => {
                waiting.iter().for_each(|rows| rows.tell(&mut known));
                reducers.iter().zip(&dealt).for_each(|(reducer, dealt)| reducer.grouper.tell(&dealt[part], &mut known));
                Reducer::of(plan, Grouper::of_known(known)?, context)?
            }
            _ => Reducer::of(plan, first.grouper.fresh(&plan.key_types, part, parts), context)?,
        };
        for (number, reducer) in reducers.iter().enumerate() {
            match dealt.get(number) {
                Some(dealt) => merged.merge(reducer, &dealt[part])?,
                None => merged.merge(reducer, &reducer.grouper.occupied_in(part, parts))?,
            }
        }
        waiting.into_iter().try_for_each(|rows| rows.fold_into(&mut merged, reducers.len() > 1))?;
        merged.is_part = parts == MERGE_PARTS;
        merged.having = first.having.as_ref().map(Having::fork);
        merged.account()?;
        make(merged)
    })?;
    if parts > 1 {
        // To free many groups takes a while, too.
        workers.map(reducers, |reducer| {
            drop(reducer);
            Ok(())
        })?;
    }
    Ok(made)
}

/// The groups of all parts, one part behind the other, as columns, and how many.
fn put_together(parts: Vec<Shown>, workers: Workers<'_>) -> Result<(Vec<Gathered>, usize)> {
    let parts = parts.into_iter().map(|part| ((part.columns, part.rows), part.reservation));
    // What columns hold counts until they are together.
    let (parts, _held): (Vec<_>, Vec<Reservation>) = parts.unzip();
    append_parts(parts, workers)
}

/// The rows of all parts, one part behind the other.
fn append_parts(parts: Vec<(Vec<Gathered>, usize)>, workers: Workers<'_>) -> Result<(Vec<Gathered>, usize)> {
    let rows = parts.iter().map(|(_, rows)| rows).sum();
    let mut columns: Vec<Vec<Gathered>> = Vec::new();
    for (part, _) in parts {
        columns.resize_with(part.len(), Vec::new);
        columns.iter_mut().zip(part).for_each(|(column, part)| column.push(part));
    }
    Ok((concat_all(columns, workers)?, rows))
}

/// The groups of clustered rows: segment by segment in the order of pieces. A group that goes on across the border
/// of two segments is one; parts are cut where none does.
fn finish_ordered(
    reducers: Vec<Reducer<'_>>,
    context: &Context,
    pool: Option<&Pool>,
) -> Result<(Vec<Gathered>, usize)> {
    let Some(first) = reducers.first() else { return Ok((Vec::new(), 0)) };
    let plan = first.plan;
    let mut all: Vec<(usize, usize, Range<u32>)> = Vec::new();
    for (worker, reducer) in reducers.iter().enumerate() {
        let Grouper::Ordered { codes, segments, .. } = &reducer.grouper else { continue };
        for (at, segment) in segments.iter().enumerate() {
            let end = segments.get(at + 1).map_or(codes.len() as u32, |next| next.start);
            if segment.start < end {
                all.push((segment.pieces.0, worker, segment.start..end));
            }
        }
    }
    all.sort_unstable_by_key(|segment| segment.0);
    let code = |worker: usize, group: u32| match &reducers[worker].grouper {
        Grouper::Ordered { codes, .. } => codes[group as usize],
        _ => 0,
    };
    if cfg!(debug_assertions) {
        let groups = |(_, worker, groups): &(usize, usize, Range<u32>)| (*worker, groups.clone());
        let codes = all.iter().map(groups).flat_map(|(worker, groups)| groups.map(move |group| code(worker, group)));
        Passed::default().pass(codes)?;
    }
    let mut parts: Vec<Vec<(usize, Range<u32>)>> = Vec::new();
    let (mut size, mut last) = (usize::MAX, None);
    for (_, worker, groups) in all {
        if size >= ORDERED_PART && last != Some(code(worker, groups.start)) {
            parts.push(Vec::new());
            size = 0;
        }
        size += groups.len();
        last = Some(code(worker, groups.end - 1));
        if let Some(part) = parts.last_mut() {
            part.push((worker, groups));
        }
    }
    let merge = |part: Vec<(usize, Range<u32>)>| {
        let mut merged = Reducer::of(plan, first.grouper.fresh(&plan.key_types, 0, 1), context)?;
        for (worker, groups) in part {
            merged.merge_run(&reducers[worker], groups)?;
        }
        merged.account()?;
        merged.having = first.having.as_ref().map(Having::fork);
        merged.finish()
    };
    if parts.is_empty() {
        // Columns without rows.
        parts.push(Vec::new());
    }
    let workers = Workers { pool, context };
    put_together(workers.map(parts, merge)?, workers)
}
