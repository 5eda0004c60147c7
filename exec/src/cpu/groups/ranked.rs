//! Groups numbered by the rank of their code, where all keys of a part of a merge are known before its rows are grouped. A
//! group's number is the rank of its code, so groups are in the order of their codes, and what is looked at for each row is a
//! bit and a half a code instead of 32.
//!
//! Keys that wait for it are half as wide as others, and need no places of first rows. A part's groups become columns as
//! soon as it is merged.

use super::direct::splitters_of;
use super::splitters::SharedSplitters;
use crate::Result;
use crate::cpu::keys::decode::decode_all;
use crate::cpu::simd::kernel::{append, kernel};
use crate::cpu::simd::positions::push_positions;
use crate::cpu::table::ranks::Ranks;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::PartialGroups;
use crate::partial::keys::Keys;
use crate::partial::order::Order;
use crate::plan::key_layout::KeyLayout;

/// Keys among some consecutive codes, and their groups.
#[derive(Debug)]
pub(crate) struct Known {
    layout: KeyLayout,
    /// The first code; the others count from it.
    base: u32,
    codes: u32,
    ranks: Ranks,
    groups: u32,
}

impl Known {
    /// No keys yet; codes lie from `start` up to `end`. To be counted.
    pub(crate) fn new(layout: KeyLayout, start: usize, end: usize) -> Self {
        let codes = (end - start) as u32;
        Known { layout, base: start as u32, codes, ranks: Ranks::new(codes.into()), groups: 0 }
    }

    /// No keys yet of a part of a merge of groups that an array over codes numbers; none of groups that anything else does.
    pub(crate) fn of_part(groups: &PartialGroups, part: usize, splitters: &SharedSplitters) -> Option<Known> {
        let (Keys::Listed { layout, codes }, Order::Codes) = (&groups.keys, &groups.order) else { return None };
        let (start, end) = splitters_of(layout, codes, splitters).range(part);
        Some(Known::new(layout.clone(), start, end))
    }

    /// Adds the keys of some groups.
    pub(crate) fn tell(&mut self, groups: &PartialGroups, chosen: &[u32]) {
        if let Keys::Listed { codes, .. } = &groups.keys {
            self.add(chosen.iter().map(|&group| codes[group as usize] as u32));
        }
    }

    /// Makes codes keys.
    pub(crate) fn add(&mut self, codes: impl Iterator<Item = u32>) {
        codes.for_each(|code| self.ranks.set((code - self.base).into()));
    }

    /// All keys have been added.
    pub(crate) fn count(mut self) -> Result<Self> {
        self.groups = self.ranks.count()?;
        Ok(self)
    }

    /// How many groups.
    pub(crate) fn len(&self) -> usize {
        self.groups as usize
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        Ranks::bytes(self.codes.into())
    }

    /// The group of a key's code.
    #[inline(always)]
    pub(crate) fn group(&self, code: u32) -> u32 {
        self.ranks.rank(code - self.base)
    }

    /// Appends the groups of keys' codes.
    pub(crate) fn append_groups(&self, codes: &[u32], groups: &mut Vec<u32>) {
        append_groups(self, codes, groups);
    }

    /// The keys of some groups, a column a part.
    pub(crate) fn keys(&self, groups: &[u32]) -> Vec<ColumnBuilder> {
        let mut all = Vec::new();
        push_positions(self.ranks.bits(), self.len(), &mut all);
        let code = |&group: &u32| u64::from(all[group as usize] + self.base);
        decode_all(&self.layout, &groups.iter().map(code).collect::<Vec<u64>>())
    }
}

kernel! {
    /// Appends the groups of keys' codes.
    fn append_groups[](known: &Known, codes: &[u32], groups: &mut Vec<u32>) {
        append(groups, codes, |code| known.group(code));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::builder::BuilderData;
    use crate::plan::key_layout::PartDomain;

    #[test]
    fn groups_are_in_the_order_of_their_codes() {
        // A code is one more than the integer.
        let layout = KeyLayout::new(vec![PartDomain::integers(0, 9_999)]);
        for (start, end, step) in [(0, 0, 1), (0, 1, 1), (64, 128, 3), (100, 10_001, 7), (9_000, 10_001, 1_000)] {
            let mut known = Known::new(layout.clone(), start, end);
            let codes: Vec<u32> = (start as u32..end as u32).step_by(step).collect();
            // In no order, and twice.
            known.add(codes.iter().rev().copied());
            known.add(codes.iter().copied());
            let known = known.count().unwrap();
            assert_eq!(known.len(), codes.len());
            let mut groups = Vec::new();
            known.append_groups(&codes, &mut groups);
            assert!(groups.iter().enumerate().all(|(rank, &group)| rank as u32 == group));
            let some: Vec<u32> = (0..codes.len() as u32).step_by(2).collect();
            let BuilderData::I64(keys) = known.keys(&some).remove(0).data else { panic!("integers") };
            let expected: Vec<i64> = codes.iter().step_by(2).map(|&code| i64::from(code).max(1) - 1).collect();
            assert_eq!(keys, expected);
        }
    }
}
