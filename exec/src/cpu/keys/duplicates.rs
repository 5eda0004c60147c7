//! Runs of equal keys among neighbouring rows: each run probes a hash table, or an array over codes, once.
//!
//! Nothing need prove that rows come clustered: the first keys of a tile say whether it pays.

use super::super::kernels::fill_truth_of_pairs;
use crate::cpu::kernels::member::BLOCK;
use crate::cpu::simd::kernel::{kernel, vectorised};
use crate::cpu::vector::bitmap::Bitmap;
use crate::technique::Technique;

/// Keys that say whether most neighbours are alike.
const SAMPLE: usize = 1024;

/// The runs of equal keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct DuplicateRuns {
    /// The tuples behind each run; none if runs have not been looked for, or would not pay.
    ends: Vec<u32>,
    /// Which tuples are the last of a run, if there are runs.
    lasts: Bitmap,
    more: Bitmap,
}

impl DuplicateRuns {
    /// Forgets the runs.
    pub(crate) fn clear(&mut self) {
        self.ends.clear();
    }

    /// Looks for runs of keys, if most neighbours are alike; those marked absent are no neighbours of the others.
    pub(crate) fn find<T: Copy + PartialEq>(&mut self, keys: &[T], absent: Option<&[bool]>) {
        self.ends.clear();
        let sample = &keys[..keys.len().min(SAMPLE)];
        let alike = sample.windows(2).filter(|pair| pair[0] == pair[1]).count();
        if alike == 0 || alike * 2 + 1 < sample.len() || !Technique::DuplicateRuns.is_on() {
            return;
        }
        ends_of(keys, &mut self.lasts, &mut self.ends, |differ| {
            if let Some(absent @ [_, next @ ..]) = absent {
                fill_truth_of_pairs(&absent[..next.len()], next, &mut self.more, |a, b| a != b);
                differ.or(&self.more);
            }
        });
    }

    /// The tuples behind each run.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Which tuples are the last of a run.
    pub(crate) fn lasts(&self) -> &Bitmap {
        &self.lasts
    }

    /// Whether there are runs.
    pub(crate) fn any(&self) -> bool {
        !self.ends.is_empty()
    }

    /// The first tuple of a run.
    #[inline(always)]
    pub(crate) fn start(&self, run: usize) -> usize {
        if run == 0 { 0 } else { self.ends[run - 1] as usize }
    }

    /// What the first tuple of each run has.
    pub(crate) fn firsts<T: Copy>(&self, values: &[T], firsts: &mut Vec<T>) {
        firsts.clear();
        firsts.extend((0..self.ends.len()).map(|run| values[self.start(run)]));
    }

    /// Gives all tuples of a run what the run has.
    pub(crate) fn spread(&self, numbers: &mut Vec<u32>) {
        if self.any() {
            let of_runs = std::mem::take(numbers);
            spread(&self.ends, |run| of_runs[run], numbers);
        }
    }
}

kernel! {
    /// Makes `numbers` those of tuples, by the tuples behind each run and a function that gives the number of a run.
    pub(crate) fn spread[](ends: &[u32], number: impl Fn(usize) -> u32, numbers: &mut Vec<u32>) {
        const LANES: usize = 8;
        let len = ends.last().map_or(0, |&end| end as usize);
        numbers.clear();
        numbers.resize(len + LANES, 0);
        let mut start = 0;
        for (run, &end) in ends.iter().enumerate() {
            // Most runs are short: what is written behind the end the next run overwrites.
            let (mut at, end, number) = (start, end as usize, number(run));
            while at < end {
                numbers[at..at + LANES].fill(number);
                at += LANES;
            }
            start = end;
        }
        numbers.truncate(len);
    }
}

/// The tuples behind each run of equal keys, and which are the last of one, of one key at least. `more` may add to where
/// neighbours differ.
pub(crate) fn ends_of<T: Copy + PartialEq>(
    keys: &[T],
    lasts: &mut Bitmap,
    ends: &mut Vec<u32>,
    more: impl FnOnce(&mut Bitmap),
) {
    let [_, next @ ..] = keys else { return };
    fill_truth_of_pairs(&keys[..next.len()], next, lasts, |a, b| a != b);
    more(lasts);
    let mut words = std::mem::take(lasts).into_words();
    words.resize(keys.len().div_ceil(BLOCK), 0);
    lasts.set_words(keys.len(), words);
    lasts.set(next.len(), true);
    lasts.push_positions(ends);
    vectorised(|| ends.iter_mut().for_each(|end| *end += 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(keys: &[u64], absent: Option<&[bool]>, finds: bool) {
        let mut duplicates = DuplicateRuns::default();
        duplicates.find(keys, absent);
        assert_eq!(duplicates.any(), finds);
        if !finds {
            return;
        }
        let is = |tuple: usize| absent.is_some_and(|absent| absent[tuple]);
        let begins = |tuple: &usize| *tuple == 0 || keys[*tuple] != keys[*tuple - 1] || is(*tuple) != is(*tuple - 1);
        let starts: Vec<usize> = (0..keys.len()).filter(begins).collect();
        assert_eq!((0..duplicates.ends().len()).map(|run| duplicates.start(run)).collect::<Vec<_>>(), starts);
        let mut numbers: Vec<u32> = (0..starts.len() as u32).collect();
        duplicates.spread(&mut numbers);
        let expected: Vec<u32> =
            (0..keys.len()).map(|tuple| starts.partition_point(|&start| start <= tuple) as u32 - 1).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn runs_are_found_where_they_pay() {
        check(&[], None, false);
        check(&[1], None, false);
        check(&[1, 1], None, true);
        check(&[1, 2], None, false);
        for len in [63, 64, 65, 1_000, 5_000] {
            for each in [2, 3, 70] {
                let keys: Vec<u64> = (0..len).map(|at| at / each % 7).collect();
                check(&keys, None, true);
                let absent: Vec<bool> = (0..len).map(|at| at % 13 < 4).collect();
                check(&keys, Some(&absent), true);
            }
            check(&(0..len).collect::<Vec<_>>(), None, false);
            check(&vec![7; len as usize], None, true);
        }
    }
}
