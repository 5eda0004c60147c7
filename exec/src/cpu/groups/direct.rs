//! Direct: codes lie close enough that an array over them finds the groups.

use super::assigned::Assigned;
use crate::cpu::groups::splitters::{SharedSplitters, Splitters};
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::decode::decode_all;
use crate::cpu::table::direct::{FAR_ENTRIES, direct, direct_all};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::keys::Keys;
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use std::ops::Range;

/// `entries[code - base]` is one more than the group's number, 0 if there is none; `codes` is the way back.
#[derive(Debug)]
pub(crate) struct Direct {
    pub(crate) layout: KeyLayout,
    pub(crate) base: u32,
    pub(crate) entries: Vec<u32>,
    pub(crate) codes: Vec<u64>,
}

/// Groups that say where an array over codes is cut, at most.
const CUTS_SAMPLE: usize = 1 << 14;

/// Where an array over the codes of a layout is cut into the parts of a merge: by some groups that are there, if nobody has cut
/// it.
pub(crate) fn splitters_of<'s>(layout: &KeyLayout, codes: &[u64], splitters: &'s SharedSplitters) -> &'s Splitters {
    let some = || codes.iter().copied().step_by(codes.len() / CUTS_SAMPLE + 1).collect::<Vec<u64>>();
    splitters.of(layout.codes().unwrap_or_default() as usize, some)
}

impl Direct {
    /// No groups yet, of keys of these codes.
    pub(crate) fn new(layout: KeyLayout, codes: Range<usize>) -> Self {
        let entries = vec![0; codes.len()];
        Direct { layout, base: codes.start as u32, entries, codes: Vec::new() }
    }

    /// The codes of a part of a merge, or all.
    pub(super) fn range_of(
        layout: &KeyLayout,
        codes: &[u64],
        part: Option<usize>,
        splitters: &SharedSplitters,
    ) -> Range<usize> {
        match part {
            Some(part) => {
                let (start, end) = splitters_of(layout, codes, splitters).range(part);
                start..end
            }
            None => 0..layout.codes().unwrap_or_default() as usize,
        }
    }

    pub(super) fn can_index(&self) -> bool {
        self.entries.len() <= FAR_ENTRIES
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.len() * 4 + self.codes.capacity() * 8
    }

    pub(super) fn assign(&mut self, codes: &mut Codes, assigned: &mut Assigned) {
        let each = codes.without_duplicates(KeyWidth::Bits64);
        direct_all(&mut self.entries, self.base, &mut self.codes, &each.bits64, &mut assigned.groups);
        assigned.take_duplicates(&codes.duplicates);
    }

    /// The same of codes of 32 bits.
    pub(super) fn assign_short(&mut self, codes: &[u32], assigned: &mut Assigned) {
        let Direct { base, entries, codes: met, .. } = self;
        let mut duplicates = std::mem::take(&mut assigned.duplicates);
        duplicates.find(codes, None);
        if duplicates.any() {
            duplicates.firsts(codes, &mut assigned.firsts);
            direct_all(entries, *base, met, &assigned.firsts, &mut assigned.groups);
            assigned.take_duplicates(&duplicates);
        } else {
            direct_all(entries, *base, met, codes, &mut assigned.groups);
        }
        assigned.duplicates = duplicates;
    }

    /// The groups of these codes.
    pub(crate) fn groups(&mut self, codes: &[u32], groups: &mut Vec<u32>) {
        direct_all(&mut self.entries, self.base, &mut self.codes, codes, groups);
    }

    /// Adds groups that have these codes; gives their numbers here.
    pub(super) fn merge(&mut self, from: &[u64], chosen: &[u32]) -> Vec<u32> {
        let Direct { base, entries, codes, .. } = self;
        chosen.iter().map(|&group| direct(entries, *base, codes, from[group as usize])).collect()
    }

    /// The groups in the order of their codes.
    pub(super) fn ordered(&self) -> Vec<u32> {
        if self.codes.is_sorted() {
            return (0..self.codes.len() as u32).collect();
        }
        self.entries.iter().filter(|&&entry| entry != 0).map(|&entry| entry - 1).collect()
    }

    /// The keys of some groups, a column a part.
    pub(super) fn keys(&self, groups: &[u32]) -> Vec<ColumnBuilder> {
        decode_all(&self.layout, &groups.iter().map(|&group| self.codes[group as usize]).collect::<Vec<u64>>())
    }

    pub(super) fn into_keys(self) -> Keys {
        Keys::Listed { layout: self.layout, codes: self.codes }
    }

    /// The keys; it has none then.
    pub(super) fn take_keys(&mut self) -> Keys {
        let codes = std::mem::take(&mut self.codes);
        codes.iter().for_each(|&code| self.entries[code as usize - self.base as usize] = 0);
        Keys::Listed { layout: self.layout.clone(), codes }
    }
}
