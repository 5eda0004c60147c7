//! Few, and Dense: a key's code is its group.

use super::assigned::Assigned;
use super::splitters::MERGE_PARTS;
use crate::cpu::groups::masks::Present;
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::decode::decode_all;
use crate::cpu::keys::integer::IntegerKeys;
use crate::cpu::table::direct::FAR_ENTRIES;
use crate::cpu::table::parts::part_range;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::keys::{Keys, occupied};
use crate::plan::key_layout::KeyLayout;
use std::ops::Range;

/// A group's number is its code less `base`. Of dense ones there may be many.
#[derive(Debug)]
pub(crate) struct Few {
    pub(crate) layout: KeyLayout,
    pub(crate) base: u32,
    /// Which groups have rows.
    pub(crate) seen: Vec<bool>,
    pub(crate) dense: bool,
}

impl Few {
    /// No groups yet, of keys of these codes.
    pub(crate) fn new(layout: KeyLayout, codes: Range<usize>, dense: bool) -> Self {
        Few { layout, base: codes.start as u32, seen: vec![false; codes.len()], dense }
    }

    /// The codes of a part of a merge, or all of so many.
    pub(super) fn range_of(codes: usize, part: Option<usize>) -> Range<usize> {
        let (start, end) = part.map_or((0, codes), |part| part_range(codes, part, MERGE_PARTS));
        start..end
    }

    pub(super) fn can_index(&self) -> bool {
        self.dense && self.seen.len() <= FAR_ENTRIES
    }

    pub(super) fn assign(&mut self, codes: &Codes, mask: Option<&Bitmap>, assigned: &mut Assigned) {
        assign_few(codes, mask, &mut self.seen, (&mut assigned.groups, &mut assigned.present));
    }

    /// The same for keys of one integer.
    pub(super) fn assign_integers(
        &mut self,
        keys: &IntegerKeys<'_>,
        len: usize,
        mask: Option<&Bitmap>,
        assigned: &mut Assigned,
    ) {
        keys.codes(len, &mut assigned.groups);
        mark_dense(&mut assigned.groups, mask, &mut self.seen);
    }

    /// The groups that have rows.
    pub(super) fn occupied(&self) -> Vec<u32> {
        occupied(&self.seen, 0..self.seen.len())
    }

    /// Adds groups whose codes are so much above their numbers; gives their numbers here.
    pub(super) fn merge(&mut self, base: u32, chosen: &[u32]) -> Vec<u32> {
        let groups: Vec<u32> = chosen.iter().map(|&group| group + base - self.base).collect();
        groups.iter().for_each(|&group| self.seen[group as usize] = true);
        groups
    }

    /// The keys of some groups, a column a part.
    pub(super) fn keys(&self, groups: &[u32]) -> Vec<ColumnBuilder> {
        decode_all(&self.layout, &groups.iter().map(|&group| (group + self.base).into()).collect::<Vec<u64>>())
    }

    pub(super) fn into_keys(self) -> Keys {
        Keys::Numbered { layout: self.layout, base: self.base, seen: self.seen, dense: self.dense }
    }
}

/// As `Grouper::assign`, where a key's code is its group: notes in `seen` which there are.
fn assign_few(
    codes: &Codes,
    mask: Option<&Bitmap>,
    seen: &mut [bool],
    (groups, present): (&mut Vec<u32>, &mut Present),
) {
    groups.clear();
    groups.extend(codes.bits64.iter().map(|&code| code as u32));
    if let Some(mask) = mask {
        put_aside(mask, groups, seen.len());
    }
    if present.find(groups, mask) {
        present.iter().for_each(|(group, _)| seen[group] = true);
    } else {
        // Nobody asks whether the group behind the last is there.
        let mark = |&group: &u32| seen.get_mut(group as usize).into_iter().for_each(|seen| *seen = true);
        groups.iter().for_each(mark);
    }
}

/// Notes in `seen` which groups there are, and puts tuples that a mask does not have into one behind the last.
fn mark_dense(groups: &mut [u32], mask: Option<&Bitmap>, seen: &mut [bool]) {
    if let Some(mask) = mask {
        put_aside(mask, groups, seen.len());
    }
    groups.iter().for_each(|&group| {
        if let Some(seen) = seen.get_mut(group as usize) {
            *seen = true;
        }
    });
}

/// Gives tuples that a mask does not have the group `aside`.
pub(crate) fn put_aside(mask: &Bitmap, groups: &mut [u32], aside: usize) {
    for (block, &word) in groups.chunks_mut(64).zip(mask.words()) {
        let mut dropped = !word;
        if block.len() < 64 {
            dropped &= (1 << block.len()) - 1;
        }
        while dropped != 0 {
            block[dropped.trailing_zeros() as usize] = aside as u32;
            dropped &= dropped - 1;
        }
    }
}
