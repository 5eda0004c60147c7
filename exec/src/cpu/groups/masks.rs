//! The groups among the tuples of a tile, where they are few: each with a mask of its tuples, so that counts and sums go
//! group by group over whole words, without a branch and without going through memory for every tuple.

use super::super::kernels::mask::Lane;
use crate::cpu::vector::bitmap::Bitmap;
use crate::technique::Technique;

/// Groups of a tile, at most: each costs a pass over the tuples.
const GROUPS_MAX: usize = 8;

/// Tiles that are not looked at after one with too many groups, at most.
const SKIP_MAX: u32 = 64;

/// When a group has fewer than one in so many tuples, a pass over all of them costs more than to pick its own.
const SPARSE: usize = 64;

/// Combinations of codes that are looked for, at most.
const COMBINATIONS_MAX: usize = 16;

/// A part of a key, as codes of a small dictionary.
pub(crate) struct DictionaryPart<'a> {
    pub(crate) codes: &'a [u8],
    /// Which are not NULL; none if none is.
    pub(crate) valid: Option<Bitmap>,
    /// How many codes there are.
    pub(crate) count: usize,
    /// Where its code, plus one, stands in a packed key.
    pub(crate) shift: u32,
}

impl DictionaryPart<'_> {
    /// How many codes there may be, NULL's among them.
    fn codes(&self) -> usize {
        self.count + usize::from(self.valid.is_some())
    }
}

/// Groups and their tuples.
#[derive(Debug, Default)]
pub(crate) struct Present {
    groups: Vec<u32>,
    /// For each group its tuples; those behind are kept for their memory.
    masks: Vec<Bitmap>,
    /// For each group how many tuples it has.
    counts: Vec<usize>,
    /// For each group that has few of the tuples which these are; memory behind that.
    lists: Vec<Vec<u32>>,
    rest: Bitmap,
    /// How many tiles to leave out, and how many more after the next one with too many groups.
    skip: (u32, u32),
}

impl Present {
    /// Knows of no groups.
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
    }

    /// Whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// There is one group, with these tuples.
    pub(crate) fn set(&mut self, group: u32, tuples: &Bitmap) {
        self.clear();
        if Technique::GroupMasks.is_on() {
            self.push(group).copy_from(tuples);
            self.weigh(tuples.len());
        }
    }

    /// Looks which groups there are among the tuples (of a mask, if there is one); false if they are too many, or were
    /// just before. Then nothing is known.
    pub(crate) fn find(&mut self, groups: &[u32], mask: Option<&Bitmap>) -> bool {
        self.clear();
        if !Technique::GroupMasks.is_on() {
            return false;
        }
        if self.skip.0 > 0 {
            self.skip.0 -= 1;
            return false;
        }
        match mask {
            Some(mask) => self.rest.copy_from(mask),
            None => self.rest.reset(groups.len(), true),
        }
        while let Some(first) = self.rest.first_one() {
            if self.groups.len() == GROUPS_MAX {
                let more = (self.skip.1 * 2).clamp(1, SKIP_MAX);
                self.skip = (more, more);
                self.clear();
                return false;
            }
            let group = groups[first];
            let mut rest = std::mem::take(&mut self.rest);
            let tuples = self.push(group);
            u32::within(groups, group, 0, tuples);
            tuples.and(&rest);
            rest.and_not(tuples);
            self.rest = rest;
        }
        self.skip = (0, 0);
        self.weigh(groups.len());
        true
    }

    /// Finds the groups from the parts of their keys, without a number for each tuple: a mask for each code of each part,
    /// and of these all combinations that there are. False if these may be too many.
    pub(crate) fn combine(&mut self, parts: &[DictionaryPart<'_>], len: usize, mask: Option<&Bitmap>) -> bool {
        self.clear();
        let combinations = parts.iter().map(DictionaryPart::codes).try_fold(1usize, usize::checked_mul);
        if combinations.is_none_or(|combinations| combinations > COMBINATIONS_MAX) || !Technique::GroupMasks.is_on() {
            return false;
        }
        let all = mask.map_or_else(|| Bitmap::new(len, true), Bitmap::clone);
        let mut found = vec![(0u64, all)];
        let mut of_code = Bitmap::default();
        for part in parts {
            let mut finer = Vec::new();
            let mut split = |code: u64, of_code: &Bitmap| {
                for (group, tuples) in &found {
                    let mut both = of_code.clone();
                    both.and(tuples);
                    if both.first_one().is_some() {
                        finer.push((group | code << part.shift, both));
                    }
                }
            };
            let mut others = Bitmap::default();
            for code in 0..part.count {
                if code > 0 && code + 1 == part.count {
                    // What has none of the codes before.
                    of_code.copy_from(&others);
                    of_code.invert();
                } else {
                    u8::within(part.codes, code as u8, 0, &mut of_code);
                    if code == 0 {
                        others.copy_from(&of_code);
                    } else {
                        others.or(&of_code);
                    }
                }
                if let Some(valid) = &part.valid {
                    of_code.and(valid);
                }
                split(code as u64 + 1, &of_code);
            }
            if let Some(valid) = &part.valid {
                of_code.copy_from(valid);
                of_code.invert();
                split(0, &of_code);
            }
            found = finer;
        }
        for (group, tuples) in found {
            *self.push(group as u32) = tuples;
        }
        self.weigh(len);
        true
    }

    /// The groups and their tuples.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Bitmap)> {
        self.groups.iter().map(|&group| group as usize).zip(&self.masks)
    }

    /// The groups, and how many tuples each has.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.groups.iter().map(|&group| group as usize).zip(self.counts.iter().copied())
    }

    /// The groups that have many of the tuples, and these.
    pub(crate) fn many(&self) -> impl Iterator<Item = (usize, &Bitmap)> {
        self.iter().zip(&self.lists).filter(|(_, list)| list.is_empty()).map(|(group, _)| group)
    }

    /// The groups that have few of the tuples, and the numbers of these.
    pub(crate) fn few(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let lists = self.groups.iter().map(|&group| group as usize).zip(&self.lists);
        lists.filter(|(_, list)| !list.is_empty()).map(|(group, list)| (group, &list[..]))
    }

    /// As [`Present::many`], of each group its place among all.
    pub(crate) fn many_at(&self) -> impl Iterator<Item = (usize, &Bitmap)> {
        let all = self.iter().zip(&self.lists).enumerate();
        all.filter(|(_, (_, list))| list.is_empty()).map(|(at, ((_, tuples), _))| (at, tuples))
    }

    /// As [`Present::few`], of each group its place among all.
    pub(crate) fn few_at(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let lists = self.lists[..self.groups.len()].iter().enumerate();
        lists.filter(|(_, list)| !list.is_empty()).map(|(at, list)| (at, &list[..]))
    }

    /// Finds out how many of so many tuples each group has.
    fn weigh(&mut self, len: usize) {
        self.counts.clear();
        self.lists.resize_with(self.groups.len().max(self.lists.len()), Vec::new);
        for (tuples, list) in self.masks[..self.groups.len()].iter().zip(&mut self.lists) {
            let count = tuples.count_ones();
            self.counts.push(count);
            list.clear();
            if count * SPARSE < len {
                tuples.push_positions(list);
            }
        }
    }

    fn push(&mut self, group: u32) -> &mut Bitmap {
        let at = self.groups.len();
        self.groups.push(group);
        if self.masks.len() == at {
            self.masks.push(Bitmap::default());
        }
        &mut self.masks[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_are_in_the_mask_of_their_group() {
        let mut present = Present::default();
        for len in [0, 1, 63, 64, 65, 1000] {
            let groups: Vec<u32> = (0..len).map(|tuple| (tuple * tuple % 5) as u32).collect();
            let mut mask = Bitmap::default();
            mask.fill(len, |tuple| tuple % 3 > 0);
            for mask in [None, Some(&mask)] {
                assert!(present.find(&groups, mask));
                let mut seen = vec![0; len];
                for (group, tuples) in present.iter() {
                    assert_eq!(tuples.len(), len);
                    for (tuple, seen) in seen.iter_mut().enumerate().filter(|(tuple, _)| tuples.get(*tuple)) {
                        assert_eq!(groups[tuple] as usize, group);
                        *seen += 1;
                    }
                }
                assert!((0..len).all(|tuple| seen[tuple] == u32::from(mask.is_none_or(|mask| mask.get(tuple)))));
            }
        }
    }

    #[test]
    fn combinations_are_the_groups_of_packed_keys() {
        for len in [0, 1, 64, 1000] {
            let first: Vec<u8> = (0..len).map(|tuple| (tuple * tuple % 3) as u8).collect();
            let second: Vec<u8> = (0..len).map(|tuple| (tuple % 7 / 4) as u8).collect();
            let mut valid = Bitmap::default();
            valid.fill(len, |tuple| tuple % 11 > 4);
            let parts = [
                DictionaryPart { codes: &first, valid: None, count: 3, shift: 0 },
                DictionaryPart { codes: &second, valid: Some(valid), count: 2, shift: 2 },
            ];
            let second = |tuple: usize| if tuple % 11 > 4 { u32::from(second[tuple] + 1) } else { 0 };
            let group = |tuple: usize| u32::from(first[tuple] + 1) | second(tuple) << 2;
            let groups: Vec<u32> = (0..len).map(group).collect();
            let mut mask = Bitmap::default();
            mask.fill(len, |tuple| tuple % 3 > 0);
            for mask in [None, Some(&mask)] {
                let (mut found, mut combined) = (Present::default(), Present::default());
                assert!(found.find(&groups, mask) && combined.combine(&parts, len, mask));
                let sorted = |present: &Present| {
                    let mut all: Vec<(usize, Bitmap)> =
                        present.iter().map(|(group, tuples)| (group, tuples.clone())).collect();
                    all.sort_by_key(|(group, _)| *group);
                    all
                };
                assert_eq!(sorted(&combined), sorted(&found));
            }
        }
        let codes = [0; 8];
        let many = [DictionaryPart { codes: &codes, valid: None, count: 17, shift: 0 }];
        assert!(!Present::default().combine(&many, 8, None));
    }

    #[test]
    fn many_groups_are_not_looked_for_in_every_tile() {
        let (mut present, many) = (Present::default(), (0..9).collect::<Vec<u32>>());
        let found: Vec<bool> = (0..200).map(|_| present.find(&many, None)).collect();
        assert!(found.iter().all(|found| !found) && present.is_empty());
        let (few, before) = (vec![7; 100], present.skip.0);
        (0..before).for_each(|_| assert!(!present.find(&few, None)));
        assert!(present.find(&few, None));
        assert_eq!(present.iter().map(|(group, tuples)| (group, tuples.count_ones())).collect::<Vec<_>>(), [(7, 100)]);
    }
}
