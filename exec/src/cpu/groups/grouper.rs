//! Numbers the groups of a reduction while its rows pass, in the way that the plan chose: each way is a type of its own.
//!
//! By code: [`Few`], [`Set`], [`Direct`], and [`Known`] for parts of a merge; by runs of equal keys: [`Clustered`]; by hash:
//! [`Hashed`]. What is known of the groups leaves as [`Keys`] and their [`Order`], and comes from other workers as these.

use super::super::vector::Vector;
use super::assigned::Assigned;
use super::clustered::Clustered;
use super::direct::Direct;
use super::few::Few;
use super::hashed::Hashed;
use super::set::Set;
use crate::cpu::groups::masks::Present;
use crate::cpu::groups::ranked::Known;
use crate::cpu::groups::splitters::SharedSplitters;
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::integer::IntegerKeys;
use crate::cpu::keys::part_values::{KeyPartValues, PartValues};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::PartialGroups;
use crate::partial::keys::Keys;
use crate::partial::order::Order;
use crate::plan::code_range::{CodeRange, WideRange};
use crate::plan::group_kind::{GroupKind, Numbering};
use crate::plan::key_layout::KeyLayout;
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use std::ops::Range;

/// The groups of one worker (or of one part of a merge).
#[derive(Debug)]
pub(crate) enum Grouper {
    One,
    Few(Few),
    Set(Set),
    Direct(Direct),
    /// Of a part of a merge of Direct ones.
    Known(Known),
    Ordered(Clustered),
    Hash(Hashed),
}

impl Grouper {
    /// No groups yet, of keys of this layout, numbered in this way.
    pub(crate) fn new(layout: &KeyLayout, types: &[DataType], numbering: Numbering) -> Self {
        let codes = layout.codes().unwrap_or_default() as usize;
        match numbering.kind {
            GroupKind::Few => Grouper::Few(Few::new(layout.clone(), 0..codes, false)),
            GroupKind::Dense => Grouper::Few(Few::new(layout.clone(), 0..codes, true)),
            GroupKind::Ordered => Grouper::Ordered(Clustered::new(layout.clone())),
            GroupKind::Set => Grouper::Set(Set::new(layout.clone())),
            GroupKind::Direct => Grouper::Direct(Direct::new(layout.clone(), 0..codes)),
            GroupKind::Hash => Grouper::Hash(Hashed::new(layout.hashed(), types, numbering.own_index)),
        }
    }

    /// No groups yet, for a merge of groups like these: all of them, or those of part `part` of [`MERGE_PARTS`](super::splitters::MERGE_PARTS).
    pub(crate) fn like(
        groups: &PartialGroups,
        types: &[DataType],
        part: Option<usize>,
        splitters: &SharedSplitters,
    ) -> Self {
        match (&groups.keys, &groups.order) {
            (Keys::One, _) => Grouper::One,
            (Keys::Numbered { layout, seen, dense, .. }, _) => {
                Grouper::Few(Few::new(layout.clone(), Few::range_of(seen.len(), part), *dense))
            }
            (Keys::Set { layout, .. }, _) => Grouper::Set(Set::new(layout.clone())),
            (Keys::Listed { layout, .. }, Order::Clustered(_)) => Grouper::Ordered(Clustered::new(layout.clone())),
            (Keys::Listed { layout, codes }, _) => {
                Grouper::Direct(Direct::new(layout.clone(), Direct::range_of(layout, codes, part, splitters)))
            }
            (Keys::Hashed { layout, .. }, order) => {
                Grouper::Hash(Hashed::new(layout.clone(), types, matches!(order, Order::Unseen)))
            }
        }
    }

    /// The groups as data, by their numbers.
    pub(crate) fn into_partial(self) -> Result<(Keys, Order)> {
        Ok(match self {
            Grouper::One => (Keys::One, Order::Codes),
            Grouper::Few(few) => (few.into_keys(), Order::Codes),
            Grouper::Set(set) => (set.into_keys(), Order::Codes),
            Grouper::Direct(direct) => (direct.into_keys(), Order::Codes),
            Grouper::Ordered(clustered) => clustered.into_partial(),
            Grouper::Hash(hashed) => hashed.into_partial(),
            Grouper::Known(_) => return Err(Error::internal("groups of a merge's part do not leave it")),
        })
    }

    /// As [`Grouper::into_partial`], leaving none; rows to come are partitioned by their keys.
    pub(crate) fn take_partial(&mut self, types: &[DataType]) -> Result<(Keys, Order)> {
        match self {
            Grouper::Direct(direct) => Ok((direct.take_keys(), Order::Codes)),
            Grouper::Hash(hashed) => Ok(hashed.take_partial(types)),
            _ => Err(Error::internal("groups whose rows are not partitioned")),
        }
    }

    /// Whether it finds its groups by their keys as an index does, and as fast.
    pub(crate) fn can_index(&self) -> bool {
        match self {
            Grouper::Set(_) => true,
            Grouper::Hash(hashed) => hashed.own_index,
            Grouper::Direct(direct) => direct.can_index(),
            Grouper::Few(few) => few.can_index(),
            Grouper::One | Grouper::Known(_) | Grouper::Ordered(_) => false,
        }
    }

    /// The groups from `first` on that are complete, with their codes: of clustered rows all but the last one, and the
    /// one that a piece of work began with.
    pub(crate) fn complete(&self, first: usize) -> Range<usize> {
        if let Grouper::Ordered(clustered) = self { clustered.complete(first) } else { 0..0 }
    }

    /// Of some groups in a row leaves only those at these positions.
    pub(crate) fn retain(&mut self, groups: Range<usize>, kept: &[u32]) {
        if let Grouper::Ordered(clustered) = self {
            retain(&mut clustered.codes, groups, kept);
        }
    }

    /// How many groups there is room for.
    pub(crate) fn len(&self) -> usize {
        match self {
            Grouper::One => 1,
            Grouper::Few(few) => few.seen.len(),
            // Nothing is kept by group.
            Grouper::Set(_) => 0,
            Grouper::Direct(direct) => direct.codes.len(),
            Grouper::Ordered(clustered) => clustered.codes.len(),
            Grouper::Known(known) => known.len(),
            Grouper::Hash(hashed) => hashed.table.len(),
        }
    }

    /// So many groups in all are likely to come.
    pub(crate) fn expect(&mut self, groups: usize) {
        if let Grouper::Hash(hashed) = self {
            hashed.table.expect(groups);
        }
    }

    /// The rows to come are of this piece.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        match self {
            Grouper::Ordered(clustered) => clustered.begin_piece(piece),
            Grouper::Hash(hashed) => hashed.firsts.begin_piece(piece),
            _ => {}
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Grouper::One => 0,
            Grouper::Few(few) => few.seen.len(),
            Grouper::Set(set) => set.words.len() * 8,
            Grouper::Direct(direct) => direct.bytes(),
            Grouper::Known(known) => known.bytes(),
            Grouper::Ordered(clustered) => clustered.bytes(),
            Grouper::Hash(hashed) => hashed.bytes(),
        }
    }

    /// The group of each of `len` tuples. `One` leaves `groups` alone, and so do `Set`, which has none, and what gives
    /// runs: `Ordered`, and `Direct` and `Hash` where most neighbours are alike. `Few` says which groups are among them, if
    /// these are few. For `One` and `Few` there may be a mask: tuples that it does not have are put into a group behind the last.
    pub(crate) fn assign(
        &mut self,
        key: &[&Vector],
        len: usize,
        mask: Option<&Bitmap>,
        codes: &mut Codes,
        assigned: &mut Assigned,
    ) {
        debug_assert!(mask.is_none() || matches!(self, Grouper::One | Grouper::Few(_)), "who takes masks");
        assigned.has_runs = false;
        assigned.present.clear();
        let encode = |codes: &mut Codes, layout: &KeyLayout| {
            let part = |vector| KeyPartValues { values: PartValues::Vector(vector), null_matches: true };
            let parts: Vec<KeyPartValues<'_>> = key.iter().map(|&vector| part(vector)).collect();
            codes.encode(layout, &parts, len);
        };
        match self {
            Grouper::One => {
                if let Some(mask) = mask {
                    assigned.groups.clear();
                    assigned.groups.resize(len, 0);
                    super::few::put_aside(mask, &mut assigned.groups, 1);
                    assigned.present.set(0, mask);
                }
            }
            Grouper::Few(few) => {
                encode(codes, &few.layout);
                few.assign(codes, mask, assigned);
            }
            Grouper::Set(set) => {
                encode(codes, &set.layout);
                set.add(codes.bits64.iter().copied());
            }
            Grouper::Direct(direct) => {
                encode(codes, &direct.layout);
                direct.assign(codes, assigned);
            }
            Grouper::Ordered(clustered) => {
                encode(codes, &clustered.layout);
                clustered.assign(codes, assigned);
            }
            Grouper::Known(_) => unreachable!("its rows have been partitioned"),
            Grouper::Hash(hashed) => {
                encode(codes, &hashed.layout);
                hashed.assign(key, codes, assigned);
            }
        }
    }

    /// The codes of keys of one integer, where [`Grouper::assign_wide`] takes them.
    pub(crate) fn wide_range(&self) -> Option<WideRange> {
        if let Grouper::Hash(hashed) = self { hashed.layout.wide_range() } else { None }
    }

    /// As [`Grouper::assign`], for the codes of keys of one integer.
    pub(crate) fn assign_wide(&mut self, codes: &mut Codes, assigned: &mut Assigned) {
        assigned.present.clear();
        if let Grouper::Hash(hashed) = self {
            hashed.assign(&[], codes, assigned);
        }
    }

    /// Whether codes are the numbers of groups, some of which no row may have.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self, Grouper::Few(few) if few.dense)
    }

    /// The layout of few keys whose codes are their groups.
    pub(crate) fn few(&self) -> Option<&KeyLayout> {
        match self {
            Grouper::Few(few) if !few.dense => Some(&few.layout),
            _ => None,
        }
    }

    /// Notes which of few groups there are.
    pub(crate) fn mark(&mut self, present: &Present) {
        if let Grouper::Few(few) = self {
            present.iter().for_each(|(group, _)| few.seen[group] = true);
        }
    }

    /// The codes of keys of one integer, where [`Grouper::assign_integers`] takes them.
    pub(crate) fn code_range(&self) -> Option<CodeRange> {
        match self {
            Grouper::Few(few) if few.dense => few.layout.code_range(),
            Grouper::Set(set) => set.layout.code_range(),
            Grouper::Direct(direct) => direct.layout.code_range(),
            Grouper::Ordered(clustered) => clustered.layout.code_range(),
            Grouper::One | Grouper::Few(_) | Grouper::Known(_) | Grouper::Hash(_) => None,
        }
    }

    /// As [`Grouper::assign`], for keys of one integer. `codes` is memory for their codes; these are left there, unless
    /// rows are clustered or codes are groups.
    pub(crate) fn assign_integers(
        &mut self,
        keys: &IntegerKeys<'_>,
        len: usize,
        mask: Option<&Bitmap>,
        codes: &mut Vec<u32>,
        assigned: &mut Assigned,
    ) {
        assigned.has_runs = false;
        assigned.present.clear();
        match self {
            Grouper::Few(few) => few.assign_integers(keys, len, mask, assigned),
            Grouper::Set(set) => {
                keys.codes(len, codes);
                set.add(codes.iter().map(|&code| code.into()));
            }
            Grouper::Direct(direct) => {
                keys.codes(len, codes);
                direct.assign_short(codes, assigned);
            }
            Grouper::Ordered(clustered) => clustered.assign_integers(keys, len, codes, assigned),
            Grouper::One | Grouper::Known(_) | Grouper::Hash(_) => unreachable!("these have no range of codes"),
        }
    }

    /// Gives groups from `first` on, which wait for it, their codes.
    pub(crate) fn write_codes(&mut self, first: usize, keys: &IntegerKeys<'_>) {
        if let Grouper::Ordered(clustered) = self {
            keys.codes_before(&mut clustered.codes[first..]);
        }
    }

    /// The groups that have rows.
    pub(crate) fn occupied(&self) -> Vec<u32> {
        match self {
            Grouper::Few(few) => few.occupied(),
            Grouper::Set(set) => set.occupied(),
            Grouper::One | Grouper::Direct(_) | Grouper::Known(_) | Grouper::Ordered(_) | Grouper::Hash(_) => {
                (0..self.len() as u32).collect()
            }
        }
    }

    /// The groups that have rows, in an order that depends on nothing but the rows: by part of a merge and then as their
    /// first rows came, of codes, or as the clustered rows came.
    pub(crate) fn ordered(&self) -> Vec<u32> {
        match self {
            Grouper::Direct(direct) => direct.ordered(),
            Grouper::Hash(hashed) => hashed.in_order((0..hashed.table.len() as u32).collect()),
            Grouper::One | Grouper::Few(_) | Grouper::Set(_) | Grouper::Known(_) | Grouper::Ordered(_) => {
                self.occupied()
            }
        }
    }

    /// Some of the groups, which come in the order of their numbers, in the order of [`Grouper::ordered`].
    pub(crate) fn in_order(&self, mut groups: Vec<u32>) -> Vec<u32> {
        match self {
            Grouper::One | Grouper::Few(_) | Grouper::Set(_) | Grouper::Known(_) | Grouper::Ordered(_) => groups,
            Grouper::Direct(direct) => {
                groups.sort_unstable_by_key(|&group| direct.codes[group as usize]);
                groups
            }
            Grouper::Hash(hashed) => hashed.in_order(groups),
        }
    }

    /// Adds groups of others that are like these; gives their numbers here.
    pub(crate) fn merge(&mut self, other: &PartialGroups, chosen: &[u32]) -> Result<Vec<u32>> {
        Ok(match (self, &other.keys) {
            (Grouper::One, Keys::One) => chosen.to_vec(),
            (Grouper::Few(few), Keys::Numbered { base, .. }) => few.merge(*base, chosen),
            (Grouper::Direct(direct), Keys::Listed { codes, .. }) => direct.merge(codes, chosen),
            (Grouper::Known(known), Keys::Listed { codes, .. }) => {
                chosen.iter().map(|&group| known.group(codes[group as usize] as u32)).collect()
            }
            (Grouper::Ordered(clustered), Keys::Listed { codes, .. }) => clustered.merge(codes, chosen),
            (Grouper::Hash(hashed), Keys::Hashed { codes, columns, .. }) => {
                hashed.merge((codes, columns), &other.order, chosen)?
            }
            (Grouper::Set(set), Keys::Set { words, .. }) => {
                set.unite(words);
                Vec::new()
            }
            _ => return Err(Error::internal("merged groups that are numbered in two ways")),
        })
    }

    /// The keys of some groups, a column a part.
    pub(crate) fn keys(&self, groups: &[u32]) -> Result<Vec<ColumnBuilder>> {
        Ok(match self {
            Grouper::One => Vec::new(),
            Grouper::Few(few) => few.keys(groups),
            Grouper::Set(set) => set.keys(groups),
            Grouper::Direct(direct) => direct.keys(groups),
            Grouper::Ordered(clustered) => clustered.keys(groups),
            Grouper::Known(known) => known.keys(groups),
            Grouper::Hash(hashed) => hashed.keys_of(groups),
        })
    }
}

/// Of some elements in a row leaves only those at these ascending positions among them.
pub(crate) fn retain<T: Copy>(values: &mut Vec<T>, range: Range<usize>, kept: &[u32]) {
    for (to, &from) in kept.iter().enumerate() {
        values[range.start + to] = values[range.start + from as usize];
    }
    values.drain(range.start + kept.len()..range.end);
}
