//! Splitters that divide an array over codes into parts of about as many rows each, for a parallel merge. Codes are rarely met
//! evenly. Where the first part of a key is one of eight in fifty, eight parts in 64 of one length would have all rows.

use crate::cpu::table::parts::shift_of;
use std::sync::{Arc, OnceLock};

/// Parts of a merge, and of the order of hashed groups.
pub(crate) const MERGE_PARTS: usize = 64;

/// Runs of codes that no splitter divides, at most.
const CELLS: usize = 1 << 10;

/// The parts of an array: runs of codes, one behind the other.
#[derive(Debug)]
pub(crate) struct Splitters {
    /// How many codes there are.
    len: usize,
    /// How far a code is shifted to give its cell.
    shift: u32,
    /// For each cell its part.
    parts: Vec<u8>,
}

/// The splitters that all workers of a reduction share; made by the first one that asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedSplitters(Arc<OnceLock<Splitters>>);

impl SharedSplitters {
    /// The splitters of `len` codes. If there are none yet they go by some of the codes that were met.
    pub(crate) fn of<C: Into<u64>>(&self, len: usize, met: impl FnOnce() -> Vec<C>) -> &Splitters {
        self.0.get_or_init(|| Splitters::new(len, met()))
    }
}

impl Splitters {
    /// Divides `len` codes by how often they were met. That may say little of rows to come: half of each part's weight is its
    /// length, so that none has more than twice its share of codes.
    fn new<C: Into<u64>>(len: usize, met: Vec<C>) -> Self {
        let shift = shift_of(len, CELLS);
        let mut counts = vec![0u64; len.div_ceil(1 << shift)];
        let all = met.len().max(1) as u64;
        met.into_iter().for_each(|code| counts[(code.into() >> shift) as usize] += 1);
        let weight = |count: &u64| count * counts.len() as u64 + all;
        let total: u64 = counts.iter().map(weight).sum();
        let mut before = 0;
        let part = |count: &u64| {
            let middle = 2 * before + weight(count);
            before += weight(count);
            (middle * MERGE_PARTS as u64 / (2 * total)) as u8
        };
        Splitters { len, shift, parts: counts.iter().map(part).collect() }
    }

    /// The part that a code belongs to.
    #[inline(always)]
    pub(crate) fn part(&self, code: u64) -> u8 {
        self.parts[(code >> self.shift) as usize]
    }

    /// The first code of a part, and the one behind its last.
    pub(crate) fn range(&self, part: usize) -> (usize, usize) {
        let bound = |part: usize| {
            let cell = self.parts.partition_point(|&other| usize::from(other) < part);
            (cell << self.shift).min(self.len)
        };
        (bound(part), bound(part + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(splitters: &Splitters) {
        let mut next = 0;
        for part in 0..MERGE_PARTS {
            let (start, end) = splitters.range(part);
            assert_eq!(start, next);
            assert!((start..end).all(|code| usize::from(splitters.part(code as u64)) == part));
            next = end;
        }
        assert_eq!(next, splitters.len);
    }

    #[test]
    fn parts_follow_one_another() {
        for len in [1, 2, 63, 64, 65, 1_000, CELLS, CELLS + 1, 100_000] {
            check(&Splitters::new(len, Vec::<u64>::new()));
            check(&Splitters::new(len, vec![len as u64 - 1; 1_000]));
            check(&Splitters::new(len, (0..len as u64).collect()));
        }
    }

    #[test]
    fn parts_have_as_many_rows_each() {
        let len = 50 * 3_750;
        // Every sixth of fifty runs is met.
        let met: Vec<u64> = (0..30_000).map(|row| (row % 8 * 6 + 1) * 3_750 + row * 7_919 % 3_750).collect();
        let splitters = Splitters::new(len, met.clone());
        check(&splitters);
        let mut rows = [0usize; MERGE_PARTS];
        met.iter().for_each(|&code| rows[usize::from(splitters.part(code))] += 1);
        let most = rows.iter().max().expect("there are parts");
        assert!(*most <= 2 * met.len() / MERGE_PARTS + met.len() * 50 / 8 / CELLS, "{most}");
        // Without splitters by rows it would be an eighth.
        assert!(rows.iter().filter(|&&rows| rows > 0).count() > MERGE_PARTS / 2);
        // What was met says nothing of what comes: no part is longer than two of one length, and a cell.
        let first = Splitters::new(len, vec![5u64; 30_000]);
        check(&first);
        assert!((0..MERGE_PARTS).all(|part| {
            let (start, end) = first.range(part);
            end - start <= 2 * len / MERGE_PARTS + len / CELLS * 2
        }));
    }
}
