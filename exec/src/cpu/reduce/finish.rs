//! The groups of all workers, put together: parts that are merged on their own, clustered groups one behind the other, or those
//! of one worker as they are; then as columns.
//!
//! What workers hand over is data ([`Ended`]), so it does not matter whether they are threads here or were somewhere else: where
//! their pieces are numbered in the order of the rows, what comes of them is what one worker gives.

use super::super::aggregate::{Accumulator, finish_all};
use super::buffers::{Part, PartitionBuffers};
use super::core::Core;
use super::merge::{Ended, Merge};
use super::show::{Shown, append_parts, put_together};
use super::{Reducer, clustered};
use crate::cpu::groups::direct::splitters_of;
use crate::cpu::groups::grouper::Grouper;
use crate::cpu::groups::ranked::Known;
use crate::cpu::groups::splitters::{MERGE_PARTS, SharedSplitters};
use crate::cpu::index::KeyIndex;
use crate::cpu::table::parts::{part_range, shift_of};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::PartialGroups;
use crate::partial::hash::part_of_hash;
use crate::partial::keys::{Keys, occupied};
use crate::partial::order::Order;
use crate::partial::state::State;
use crate::plan::tree::ReducePlan;
use crate::workers::context::{Context, Reservation};
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, Result};

/// Groups of all workers beyond which a merge is done in parts: fewer are merged before 64 parts of each have been told. What a few
/// of them hold much of is cut among the workers all the same, by what it is (`Accumulator::merge_shares`), and so is their end.
const MERGE_ALONE: usize = if cfg!(test) { 1 << 13 } else { 1 << 15 };

/// Bytes of all workers up to which they are freed by one of them.
const FREED_ALONE: usize = 1 << 22;

/// The groups of all workers, as columns (keys, then aggregates) and a number of rows.
pub(crate) fn finish(
    mut reducers: Vec<Reducer<'_>>,
    context: &Context,
    pool: Option<&Pool>,
) -> Result<(Vec<ColumnBuilder>, usize)> {
    let workers = Workers { pool, context };
    if reducers.len() == 1
        && reducers.iter().all(Reducer::is_whole)
        && let Some(only) = reducers.pop()
    {
        let Reducer { core, group_filter, reservation, .. } = only;
        return put_together(vec![Shown::of(core, group_filter, false, reservation, workers)?], workers);
    }
    let Some((merge, ended)) = hand_over(reducers, workers)? else { return Ok((Vec::new(), 0)) };
    finish_ended(&merge, ended, workers)
}

/// What the workers of a reduction hand over, and what merges it; nothing of none.
pub(crate) fn hand_over<'p>(
    mut reducers: Vec<Reducer<'p>>,
    workers: Workers<'_>,
) -> Result<Option<(Merge<'p>, Vec<Ended<'p>>)>> {
    let Some(first) = reducers.first_mut() else { return Ok(None) };
    let merge =
        Merge { plan: first.core.plan, splitters: first.splitters.clone(), group_filter: first.group_filter.take() };
    // To free a large table takes a while; few groups that hold little are not worth waking anybody.
    let few = reducers.iter().map(|reducer| reducer.core.grouper.len()).sum::<usize>() <= MERGE_ALONE
        && reducers.iter().map(|reducer| reducer.reservation.bytes()).sum::<usize>() <= FREED_ALONE;
    let ended = match few {
        true => reducers.into_iter().map(Reducer::end).collect::<Result<Vec<_>>>()?,
        false => workers.map(reducers, Reducer::end)?,
    };
    Ok(Some((merge, ended)))
}

/// The groups that were handed over, as columns and a number of rows.
pub(crate) fn finish_ended(
    merge: &Merge<'_>,
    ended: Vec<Ended<'_>>,
    workers: Workers<'_>,
) -> Result<(Vec<ColumnBuilder>, usize)> {
    let Some(first) = ended.first() else { return Ok((Vec::new(), 0)) };
    if let (Keys::Listed { .. }, Order::Clustered(_)) = (&first.groups.keys, &first.groups.order) {
        return clustered::finish(merge, ended, workers);
    }
    let shown = merge_parts(merge, ended, Found::No, workers, |core, is_part, mut reservation| {
        reservation.resize(core.bytes())?;
        Shown::of(core, merge.group_filter(), is_part, reservation, workers)
    })?;
    put_together(shown, workers)
}

/// The groups of all workers, found by what they were numbered by: their index, their aggregates as columns, and a number
/// of rows. Their order depends on who had what; nobody sees it. For reducers that all say [`Reducer::can_index`].
pub(crate) fn finish_index(
    reducers: Vec<Reducer<'_>>,
    workers: Workers<'_>,
) -> Result<(KeyIndex, Vec<ColumnBuilder>, usize)> {
    if let [first] = &reducers[..]
        && !first.is_partitioned()
    {
        let plan = first.core.plan;
        return index_of(plan, reducers.into_iter().map(|only| (only.core, only.reservation)).collect(), workers);
    }
    match hand_over(reducers, workers)? {
        Some((merge, ended)) => finish_ended_index(&merge, ended, workers),
        None => Err(Error::internal("no worker reduced")),
    }
}

/// The same of what was handed over: sets, or hashed groups whose order nobody sees.
pub(crate) fn finish_ended_index<'p>(
    merge: &Merge<'p>,
    ended: Vec<Ended<'p>>,
    workers: Workers<'_>,
) -> Result<(KeyIndex, Vec<ColumnBuilder>, usize)> {
    let merged = merge_parts(merge, ended, Found::ByKey, workers, |core, _, mut reservation| {
        reservation.resize(core.bytes())?;
        Ok((core, reservation))
    })?;
    index_of(merge.plan, merged, workers)
}

/// Merged groups as their index. What they hold counts until they are one.
fn index_of(
    plan: &ReducePlan,
    mut merged: Vec<(Core<'_>, Reservation)>,
    workers: Workers<'_>,
) -> Result<(KeyIndex, Vec<ColumnBuilder>, usize)> {
    let taken = merged.iter_mut().map(|(core, _)| (std::mem::take(&mut core.accumulators), &core.grouper));
    let columns = workers.map(taken.collect(), |(accumulators, grouper): (Vec<Accumulator>, &Grouper)| {
        // Numbers that no row has are left out.
        let groups = grouper.is_dense().then(|| grouper.occupied());
        let mut columns = finish_all(accumulators, &plan.aggregates, Some(workers))?;
        if let Some(groups) = &groups {
            columns.iter_mut().for_each(|column| *column = column.take(groups));
        }
        Ok((columns, groups.map_or(grouper.len(), |groups| groups.len())))
    })?;
    let (columns, _) = append_parts(columns, workers)?;
    let (groupers, _held): (Vec<Grouper>, Vec<Reservation>) =
        merged.into_iter().map(|(core, reservation)| (core.grouper, reservation)).unzip();
    let (index, rows) = KeyIndex::of_groups(groupers, workers)?;
    Ok((index, columns, rows))
}

/// Whether merged groups are to be found by what numbers them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    No,
    ByKey,
}

/// What is made of the groups of several workers, by part, as soon as a part is merged: what it holds is close by then, and
/// serves the next part. `make` takes a part's groups, whether they are one of [`MERGE_PARTS`], and what counts for them.
pub(crate) fn merge_parts<'p, T: Send>(
    merge: &Merge<'p>,
    mut ended: Vec<Ended<'p>>,
    found: Found,
    workers: Workers<'_>,
    make: impl Fn(Core<'p>, bool, Reservation) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let buffers: Vec<PartitionBuffers<'p>> =
        ended.iter_mut().filter_map(|ended| ended.buffers.take()).map(|buffers| *buffers).collect();
    let Some(first) = ended.first() else { return Ok(Vec::new()) };
    let total: usize = ended.iter().map(|ended| ended.groups.keys.len()).sum();
    let splits = splits(&first.groups) && (total > MERGE_ALONE || !buffers.is_empty());
    let parts = if splits { MERGE_PARTS } else { 1 };
    if !splits && buffers.is_empty() && ended.len() > 1 {
        let all = ended.iter().map(|ended| (&ended.groups, by_part(&ended.groups, 1, &merge.splitters).concat()));
        let mut merged = merge.core(&first.groups, None)?;
        merged.merge_few(&all.collect::<Vec<_>>(), workers)?;
        if ended.iter().map(|ended| ended.groups.bytes()).sum::<usize>() > FREED_ALONE {
            free(ended, workers)?;
        }
        return Ok(vec![make(merged, false, Reservation::new(&workers.context.memory))?]);
    }
    if splits {
        workers.map(ended.iter().collect(), |ended: &Ended<'_>| {
            ended.groups.states.iter().for_each(sort_for_parts);
            Ok(())
        })?;
    }
    // Where numbers are codes, a part's groups lie side by side.
    let in_ranges = splits && matches!(first.groups.keys, Keys::Numbered { .. });
    let by_part = |ended: &Ended<'p>| Ok(by_part(&ended.groups, parts, &merge.splitters));
    let chosen = if in_ranges { Vec::new() } else { workers.map(ended.iter().collect(), by_part)? };
    let mut buffered: Vec<(usize, Vec<Part<'p>>)> = (0..parts).map(|part| (part, Vec::new())).collect();
    for rows in buffers {
        buffered.iter_mut().zip(rows.into_parts()).for_each(|((_, buffered), part)| buffered.push(part));
    }
    let made = workers.map(buffered, |(part, mut buffered)| {
        let done = buffered.first_mut().and_then(|part| part.done.take());
        let known = (!buffered.is_empty() && done.is_none() && found == Found::No)
            .then(|| Known::of_part(&first.groups, part, &merge.splitters))
            .flatten();
        let mut merged = match (done, known) {
            (Some(done), _) => *done,
            (None, Some(mut known)) => {
                buffered.iter().for_each(|rows| rows.tell(&mut known));
                ended.iter().zip(&chosen).for_each(|(ended, chosen)| known.tell(&ended.groups, &chosen[part]));
                Core::new(merge.plan, Grouper::Known(known.count()?))?
            }
            (None, None) => merge.core(&first.groups, splits.then_some(part))?,
        };
        for (number, ended) in ended.iter().enumerate() {
            match chosen.get(number) {
                Some(chosen) => merged.merge(&ended.groups, &chosen[part])?,
                None => merged.merge(&ended.groups, &occupied_in(&ended.groups, part))?,
            }
        }
        buffered.into_iter().try_for_each(|rows| rows.fold_into(&mut merged, ended.len() > 1))?;
        make(merged, splits, Reservation::new(&workers.context.memory))
    })?;
    if splits {
        // To free many groups takes a while, too.
        free(ended, workers)?;
    }
    Ok(made)
}

/// Frees what workers had, each by one of them.
fn free(ended: Vec<Ended<'_>>, workers: Workers<'_>) -> Result<()> {
    workers.map(ended, |ended| {
        drop(ended);
        Ok(())
    })?;
    Ok(())
}

/// Makes what is kept of each row ready to be merged part by part.
fn sort_for_parts(state: &State) {
    if let State::Gathered(gathered) = state {
        gathered.sort_for_parts();
    }
}

/// Whether a merge of many groups is done in parts.
fn splits(groups: &PartialGroups) -> bool {
    match (&groups.keys, &groups.order) {
        (Keys::Listed { .. }, order) => matches!(order, Order::Codes),
        (Keys::Hashed { .. }, _) => true,
        (Keys::Numbered { dense, .. }, _) => *dense,
        (Keys::One | Keys::Set { .. }, _) => false,
    }
}

/// The groups by part of a merge: one, or [`MERGE_PARTS`].
pub(super) fn by_part(groups: &PartialGroups, parts: usize, splitters: &SharedSplitters) -> Vec<Vec<u32>> {
    if parts == 1 {
        // What a set has is merged as a whole.
        return vec![if let Keys::Set { .. } = groups.keys { Vec::new() } else { groups.keys.occupied() }];
    }
    match &groups.keys {
        Keys::Listed { layout, codes } => {
            let splitters = splitters_of(layout, codes, splitters);
            parted(0..codes.len() as u32, parts, |group| splitters.part(codes[group as usize]).into())
        }
        Keys::Hashed { codes, .. } => {
            parted(0..codes.len() as u32, parts, |group| part_of_hash(codes.hash(group as usize), parts))
        }
        Keys::Numbered { seen, .. } => {
            let shift = shift_of(seen.len(), parts);
            parted(groups.keys.occupied(), parts, |group| group as usize >> shift)
        }
        Keys::One | Keys::Set { .. } => parted(groups.keys.occupied(), parts, |_| 0),
    }
}

fn parted(groups: impl IntoIterator<Item = u32>, parts: usize, part: impl Fn(u32) -> usize) -> Vec<Vec<u32>> {
    let mut chosen: Vec<Vec<u32>> = vec![Vec::new(); parts];
    groups.into_iter().for_each(|group| chosen[part(group)].push(group));
    chosen
}

/// The groups of Dense that have rows and are in a part of [`MERGE_PARTS`].
fn occupied_in(groups: &PartialGroups, part: usize) -> Vec<u32> {
    let Keys::Numbered { seen, .. } = &groups.keys else { return Vec::new() };
    let (start, end) = part_range(seen.len(), part, MERGE_PARTS);
    occupied(seen, start..end)
}
