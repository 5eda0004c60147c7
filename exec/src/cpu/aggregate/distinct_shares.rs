//! Merging the distinct arguments of a few groups of several workers: in parts by the hashes of groups and arguments, each of which is
//! merged on its own, by whoever comes. Where arguments are only counted, nothing of them is kept.
//!
//! Strings that are no short ones are found where they lie; other arguments by keys of their own (`distinct`).

use super::distinct::{DEAR_MEMBERS, Filling, MemberForm, room_for};
use super::distinct_texts::{hash_of, text_of};
use crate::cpu::groups::first_rows::firsts;
use crate::cpu::groups::splitters::MERGE_PARTS;
use crate::cpu::keys::short::longest;
use crate::cpu::simd::kernel::prefetch_here;
use crate::cpu::table::GroupTable;
use crate::cpu::table::slots::{BATCH, Slots};
use crate::cpu::vector::Vector;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::partial::hash::part_of_hash;
use crate::partial::state::distinct::{Distinct, Members, Met};
use crate::technique::Technique;
use crate::workers::context::Reservation;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::meter;
use multiloop_planner::multiloop::Reduction;

/// What one worker has of the arguments of some groups, and for each of its groups the one that it becomes.
pub(super) struct Share<'a> {
    pub(super) sets: &'a Distinct,
    pub(super) numbers: Vec<u32>,
}

/// What comes of shares.
pub(super) enum Merged {
    Sets(Box<Distinct>),
    /// How many arguments each group has, where that is all that is asked.
    Counts(Vec<i64>),
}

/// The members of one share: their groups, as they become, and their values.
struct Own<'a> {
    groups: Vec<u32>,
    values: &'a ColumnBuilder,
}

/// Members, by part, that no other share before has: what was made of each part's, or their rows by share.
struct News {
    /// By part, then by share.
    rows: Vec<Vec<Vec<u32>>>,
    /// By part.
    counts: Vec<Vec<i64>>,
}

/// Bytes that a member takes while it is merged, about: its key or hash, its place in its part, and a slot.
const MERGED_BYTES: usize = 64;

/// Groups of which each part has counts of its own.
const COUNTED_MAX: usize = 1 << 12;

/// Bytes up to which strings may be keys themselves.
const SHORT_MAX: usize = 15;

/// Whether shares are worth merging by all workers: all are lists, and they are long.
pub(super) fn is_dear(shares: &[&Distinct]) -> bool {
    let listed = |sets: &&Distinct| matches!(sets.met, Met::Listed(_));
    shares.iter().all(listed) && shares.iter().map(|sets| members_of(sets)).sum::<usize>() > DEAR_MEMBERS
}

/// Members of a list.
fn members_of(sets: &Distinct) -> usize {
    if let Met::Listed(members) = &sets.met { members.groups.len() } else { 0 }
}

/// Bytes that the members of sets take until they are merged: twice as they are, and once more their strings as keys.
fn merged_bytes(sets: &Distinct) -> usize {
    let strings = match &sets.met {
        Met::Listed(Members { values, .. }) => {
            let own = if let BuilderData::Text(text) = &values.data { &text.views[..] } else { &[] };
            2 * values.bytes() + own.iter().map(|view| view.length as usize).sum::<usize>()
        }
        Met::Bits(_) => 0,
    };
    members_of(sets) * MERGED_BYTES + strings
}

impl Filling {
    /// What several workers have of an aggregate's arguments, together. Nothing is to be added behind it.
    pub(super) fn merge_shares(
        &mut self,
        group_count: usize,
        shares: Vec<Share<'_>>,
        workers: Workers<'_>,
    ) -> Result<Merged> {
        let mut reservation = Reservation::new(&workers.context.memory);
        reservation.resize(shares.iter().map(|share| merged_bytes(share.sets)).sum())?;
        let shares = workers.map(shares.iter().collect(), |share: &Share<'_>| match &share.sets.met {
            Met::Listed(members) => {
                let groups = members.groups.iter().map(|&group| share.numbers[group as usize]).collect();
                Ok(Own { groups, values: &members.values })
            }
            Met::Bits(_) => Err(Error::internal("a list of arguments that is none")),
        })?;
        let is_counted = self.plain.reduction == Reduction::Count && group_count <= COUNTED_MAX;
        let counted = is_counted.then_some(group_count);
        let are_texts = |own: &Own<'_>| matches!(own.values.data, BuilderData::Text(_)) && own.values.valid.is_none();
        let longest_of = |own: &Own<'_>| match &own.values.data {
            BuilderData::Text(texts) => texts.views.iter().map(|view| view.length as usize).max().unwrap_or(0),
            _ => 0,
        };
        let by_texts = Technique::DistinctViews.is_on()
            && shares.iter().all(are_texts)
            && shares.iter().map(longest_of).max().is_some_and(|longest| longest > SHORT_MAX);
        let news = match by_texts {
            true => new_texts(&shares, counted, workers)?,
            false => self.new_codes(&shares, (group_count, counted), workers)?,
        };
        self.table = None;
        if counted.is_some() {
            let mut counts = vec![0; group_count];
            for part in news.counts {
                counts.iter_mut().zip(part).for_each(|(count, more)| *count += more);
            }
            return Ok(Merged::Counts(counts));
        }
        let mut merged = Members::new(ColumnBuilder::new(self.argument.1));
        let mut new = news.rows;
        for (number, Own { groups, values }) in shares.iter().enumerate() {
            let mut rows: Vec<u32> = Vec::new();
            new.iter_mut().for_each(|part| rows.append(&mut part[number]));
            rows.sort_unstable();
            merged.groups.extend(rows.iter().map(|&row| groups[row as usize]));
            merged.values.append_all(values.take(&rows));
        }
        Ok(Merged::Sets(Box::new(Distinct { group_count, met: Met::Listed(merged) })))
    }

    /// The members that are new, found by keys.
    fn new_codes(
        &self,
        shares: &[Own<'_>],
        (group_count, counted): (usize, Option<usize>),
        workers: Workers<'_>,
    ) -> Result<News> {
        let values = workers.map(shares.iter().collect(), |own: &Own<'_>| Ok(own.values.clone().into_vector()))?;
        let longest = values.iter().map(longest).max().unwrap_or_default();
        let form = MemberForm::new(self.argument, self.plain.grid, room_for(group_count), longest);
        let coded = workers.map(shares.iter().zip(&values).collect(), |(own, values): (&Own<'_>, &Vector)| {
            let codes = form.codes(&own.groups, values);
            let parts = codes.parts(form.layout.width, MERGE_PARTS);
            Ok((codes, parts))
        })?;
        News::of(shares, counted, workers, |part| {
            let mut table = GroupTable::new(form.layout.width, 0);
            let (mut numbers, mut all) = (Vec::new(), Vec::with_capacity(coded.len()));
            for (codes, parts) in &coded {
                let before = table.len();
                table.insert_chosen(codes, &parts[part], &mut numbers);
                let new = firsts(&numbers, before, table.len());
                all.push(new.into_iter().map(|at| parts[part][at as usize]).collect::<Vec<u32>>());
            }
            Ok(all)
        })
    }
}

/// The members that are new, strings that are found where they lie.
fn new_texts(shares: &[Own<'_>], counted: Option<usize>, workers: Workers<'_>) -> Result<News> {
    let hashed = workers.map(shares.iter().collect(), |own: &Own<'_>| {
        let mut hashes: Vec<u64> = Vec::with_capacity(own.groups.len());
        let room = own.groups.len() / MERGE_PARTS * 9 / 8;
        let mut parts: Vec<Vec<u32>> = (0..MERGE_PARTS).map(|_| Vec::with_capacity(room)).collect();
        for (row, &group) in own.groups.iter().enumerate() {
            if row.is_multiple_of(BATCH) {
                meter::spend(BATCH * 32)?;
            }
            let hash = hash_of(group, Some(text_of(own.values, row)));
            parts[part_of_hash(hash, MERGE_PARTS)].push(row as u32);
            hashes.push(hash);
        }
        Ok((hashes, parts))
    })?;
    News::of(shares, counted, workers, |part| {
        let mut slots = Slots::new(0);
        slots.expect(hashed.iter().map(|(_, parts)| parts[part].len()).max().unwrap_or(0));
        // For each member its share and its row.
        let mut members: Vec<(u32, u32)> = Vec::new();
        let member = |&(share, row): &(u32, u32)| {
            let own = &shares[share as usize];
            (own.groups[row as usize], text_of(own.values, row as usize))
        };
        let mut all = Vec::with_capacity(shares.len());
        for (share, (own, (hashes, parts))) in shares.iter().zip(&hashed).enumerate() {
            let mut new = Vec::new();
            for rows in parts[part].chunks(BATCH) {
                meter::spend(rows.len() * 32)?;
                slots.reserve();
                rows.iter().for_each(|&row| slots.prefetch(hashes[row as usize]));
                for &row in rows {
                    prefetch_here(text_of(own.values, row as usize).as_ptr());
                    if let Some(known) = slots.candidate(hashes[row as usize]) {
                        prefetch_here(member(&members[known as usize]).1.as_ptr());
                    }
                }
                for &row in rows {
                    let key = (own.groups[row as usize], text_of(own.values, row as usize));
                    let is = |number: u32| member(&members[number as usize]) == key;
                    if slots.number(hashes[row as usize], is).is_none() {
                        members.push((share as u32, row));
                        new.push(row);
                    }
                }
            }
            all.push(new);
        }
        Ok(all)
    })
}

impl News {
    /// Of the rows that are new, by share, in each part; counts of so many groups if no more is wanted.
    fn of(
        shares: &[Own<'_>],
        counted: Option<usize>,
        workers: Workers<'_>,
        new_of_part: impl Fn(usize) -> Result<Vec<Vec<u32>>> + Sync,
    ) -> Result<Self> {
        let of_part = |part: usize| {
            let rows = new_of_part(part)?;
            let Some(groups) = counted else { return Ok((rows, Vec::new())) };
            let mut counts = vec![0i64; groups];
            for (own, rows) in shares.iter().zip(rows) {
                rows.into_iter().for_each(|row| counts[own.groups[row as usize] as usize] += 1);
            }
            Ok((Vec::new(), counts))
        };
        let (rows, counts) = workers.map((0..MERGE_PARTS).collect(), of_part)?.into_iter().unzip();
        Ok(News { rows, counts })
    }
}
