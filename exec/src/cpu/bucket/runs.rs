//! Runs of equal keys: how the groups of clustered rows lie in a tile. Where runs end is found by comparing every code
//! with the next one, many at once; sums are then differences of running sums, and no tuple needs the number of its group.

use super::super::bitmap::Bitmap;
use super::super::kernels::{truth_of_pairs, vectorised_with};
use std::ops::Range;

/// The runs of a tile's tuples. Each is a group, and groups follow one another.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// The group of the first run.
    first: u32,
    /// The tuples behind each run.
    ends: Vec<u32>,
    differ: Bitmap,
}

impl Runs {
    /// Finds the runs of these codes. The groups before have the codes `keys`, to which new ones are added; if `goes_on`,
    /// the first run may be of the last of them.
    pub(crate) fn find<T: Copy + Into<u64> + PartialEq>(&mut self, codes: &[T], keys: &mut Vec<u64>, goes_on: bool) {
        self.ends.clear();
        self.first = keys.len() as u32;
        let (Some(&first), [_, next @ ..]) = (codes.first(), codes) else { return };
        vectorised_with((&codes[..next.len()], next, &mut self.differ, |a, b| a != b), truth_of_pairs);
        self.differ.push_positions(&mut self.ends);
        self.ends.iter_mut().for_each(|end| *end += 1);
        self.ends.push(codes.len() as u32);
        let continues = goes_on && keys.last() == Some(&first.into());
        self.first -= u32::from(continues);
        keys.extend(self.ends[usize::from(continues)..].iter().map(|&end| codes[end as usize - 1].into()));
    }

    /// The group of the first run.
    pub(crate) fn first(&self) -> usize {
        self.first as usize
    }

    /// The tuples behind each run.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The groups of the runs.
    pub(crate) fn groups(&self) -> Range<usize> {
        self.first()..self.first() + self.ends.len()
    }

    /// The groups and their tuples.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut start = 0;
        self.groups().zip(&self.ends).map(move |(group, &end)| {
            let run = start..end as usize;
            start = end as usize;
            (group, run)
        })
    }

    /// The group of every tuple.
    pub(crate) fn spread(&self, groups: &mut Vec<u32>) {
        groups.clear();
        self.iter().for_each(|(group, run)| groups.extend(std::iter::repeat_n(group as u32, run.len())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the runs of some tiles, and checks them against the groups that a loop over the codes finds.
    fn check(tiles: &[Vec<u32>]) {
        let (mut runs, mut keys, mut spread) = (Runs::default(), Vec::new(), Vec::new());
        let (mut expected_keys, mut goes_on) = (Vec::new(), false);
        for codes in tiles {
            runs.find(codes, &mut keys, goes_on);
            let mut expected = Vec::new();
            for (at, &code) in codes.iter().enumerate() {
                let same = if at == 0 {
                    goes_on && expected_keys.last() == Some(&u64::from(code))
                } else {
                    codes[at - 1] == code
                };
                if !same {
                    expected_keys.push(u64::from(code));
                }
                expected.push(expected_keys.len() as u32 - 1);
            }
            runs.spread(&mut spread);
            assert_eq!(spread, expected);
            assert_eq!(keys, expected_keys);
            assert_eq!(runs.groups().len(), runs.ends().len());
            goes_on = true;
        }
    }

    #[test]
    fn runs_are_the_groups_of_clustered_codes() {
        check(&[vec![]]);
        check(&[vec![5]]);
        check(&[vec![5], vec![], vec![5, 5, 6], vec![6], vec![7]]);
        check(&[vec![1; 63], vec![1; 64], vec![1; 65], vec![2; 100]]);
        for len in [63, 64, 65, 1000] {
            check(&[(0..len).collect(), (len..2 * len).collect()]);
            check(&[(0..len).map(|at| at / 3).collect(), (len..2 * len).map(|at| at / 3).collect()]);
            check(&[(0..len).map(|at| at / 70).collect()]);
        }
    }
}
