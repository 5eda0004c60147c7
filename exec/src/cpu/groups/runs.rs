//! Runs of equal keys: how the groups of clustered rows lie in a tile. Where runs end is found by comparing every code
//! with the next one, many at once; sums are then differences of running sums, and no tuple needs the number of its group.

use crate::cpu::keys::duplicates::{DuplicateRuns, ends_of, spread};
use crate::cpu::keys::integer::{IntegerKeys, Values, with_code};
use crate::cpu::simd::kernel::append;
use crate::cpu::vector::bitmap::Bitmap;
use std::ops::Range;

impl IntegerKeys<'_> {
    /// Finds the runs of keys that are as they lie, without NULLs, as [`Runs::find`] does; false if they are not, and nothing
    /// is done.
    pub(crate) fn runs(&self, runs: &mut Runs, keys: &mut Vec<u64>, goes_on: bool, ends: bool) -> bool {
        let lie = self.rows.is_none() && self.valid.is_none();
        if lie {
            with_code!(self, |values, code| runs.find(values, |value| code(value).into(), keys, goes_on, ends));
        }
        lie
    }
}

/// The runs of a tile's tuples, each of a group. Those of clustered rows follow one another.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// The group of the first run, if they follow one another.
    first: u32,
    /// The groups of runs that do not.
    numbers: Vec<u32>,
    /// The tuples behind each run.
    ends: Vec<u32>,
    /// Which tuples are the last of a run.
    lasts: Bitmap,
}

impl Runs {
    /// Finds the runs of these values, each of which has a code. The groups before have the codes `keys`, to which new ones are
    /// added, or with `ends` the tuple behind each run; if `goes_on`, the first run may be of the last of them.
    #[inline(always)]
    pub(crate) fn find<T: Copy + PartialEq>(
        &mut self,
        values: &[T],
        code: impl Fn(T) -> u64,
        keys: &mut Vec<u64>,
        goes_on: bool,
        ends: bool,
    ) {
        self.ends.clear();
        self.numbers.clear();
        self.first = keys.len() as u32;
        let Some(&first) = values.first() else { return };
        ends_of(values, &mut self.lasts, &mut self.ends, |_| {});
        let continues = goes_on && keys.last() == Some(&code(first));
        self.first -= u32::from(continues);
        let new = &self.ends[usize::from(continues)..];
        if ends { append(keys, new, u64::from) } else { append(keys, new, |end| code(values[end as usize - 1])) }
    }

    /// Finds the runs of these values, of groups from 0 on.
    pub(crate) fn find_alike<T: Copy + PartialEq>(&mut self, values: &[T]) {
        self.first = 0;
        self.numbers.clear();
        self.ends.clear();
        ends_of(values, &mut self.lasts, &mut self.ends, |_| {});
    }

    /// Takes runs of so many tuples each, of groups from `first` on.
    pub(crate) fn set_lengths(&mut self, first: u32, lengths: &[u32]) {
        self.first = first;
        self.numbers.clear();
        self.ends.clear();
        let mut end = 0;
        append(&mut self.ends, lengths, |length| {
            end += length;
            end
        });
        self.lasts.reset(end as usize, false);
        self.ends.iter().for_each(|&end| self.lasts.set(end as usize - 1, true));
    }

    /// Takes runs of neighbours that are alike, and their groups.
    pub(crate) fn set(&mut self, duplicates: &DuplicateRuns, numbers: &mut Vec<u32>) {
        self.ends.clear();
        self.ends.extend_from_slice(duplicates.ends());
        self.lasts.copy_from(duplicates.lasts());
        std::mem::swap(&mut self.numbers, numbers);
    }

    /// The tuples behind each run.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Which tuples are the last of a run.
    pub(crate) fn lasts(&self) -> &Bitmap {
        &self.lasts
    }

    /// The groups of the runs, if they follow one another.
    pub(crate) fn consecutive(&self) -> Option<Range<usize>> {
        let first = self.first as usize;
        self.numbers.is_empty().then(|| first..first + self.ends.len())
    }

    /// The groups and their tuples.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let (mut start, is_list) = (0, !self.numbers.is_empty());
        self.ends.iter().enumerate().map(move |(at, &end)| {
            let run = start..end as usize;
            start = end as usize;
            (if is_list { self.numbers[at] as usize } else { self.first as usize + at }, run)
        })
    }

    /// The first tuples of groups from `before` on, which come in order.
    pub(crate) fn firsts(&self, before: usize) -> Vec<u32> {
        let mut next = before;
        let begins = |(group, run): (usize, Range<usize>)| {
            let is_new = group == next;
            next += usize::from(is_new);
            is_new.then_some(run.start as u32)
        };
        self.iter().filter_map(begins).collect()
    }

    /// The group of every tuple.
    pub(crate) fn spread(&self, groups: &mut Vec<u32>) {
        match &self.numbers[..] {
            [] => spread(&self.ends, |run| self.first + run as u32, groups),
            numbers => spread(&self.ends, |run| numbers[run], groups),
        }
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
            runs.find(codes, u64::from, &mut keys, goes_on, false);
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
            assert!((0..codes.len()).all(|at| runs.lasts().get(at) == runs.ends().contains(&(at as u32 + 1))));
            let mut alike = Runs::default();
            alike.find_alike(codes);
            assert_eq!(alike.ends(), runs.ends());
            let (lengths, mut same): (Vec<u32>, _) =
                (runs.iter().map(|(_, run)| run.len() as u32).collect(), Runs::default());
            same.set_lengths(runs.consecutive().map_or(0, |groups| groups.start as u32), &lengths);
            assert!(same.iter().eq(runs.iter()) && (codes.is_empty() || same.lasts().words() == runs.lasts().words()));
            assert_eq!(runs.consecutive().map(|groups| groups.len()), Some(runs.ends().len()));
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
