//! Proof that equal values of a column stand together, and with that how many values there are: runs of equal values that
//! begin with values of different hashes begin with different values.
//!
//! It is asked for where a sketch says that there are about as many values as runs, so it seldom fails; and if it fails, then
//! soon: a sample is looked at first.
//!
//! So keys that lie far apart, and strings, are as provenly unique or clustered as small integers are. The optimiser
//! makes most of it: `unique`, `distinct_arguments` and `single_row_groups` in the planner.

use super::Column;
use super::distinct::hash_of;
use crate::workers::context::Reservation;
use crate::workers::schedule::{Workers, all};

/// Hashes that are looked at first.
const SAMPLE: usize = 1 << 16;

/// Hashes of a part, on average: a table of them lies in the closest cache.
const PART: usize = 1 << 11;

/// Pieces of the work of looking at all parts, at most.
const PART_GROUPS: usize = 64;

/// Whether all runs of equal values, of which there are so many, are proven to have values of their own. There are no NULLs.
/// If there is not the memory to find out, they are not.
pub(super) fn runs_differ(chunks: &[&Column], runs: u64, workers: Option<Workers<'_>>) -> bool {
    let mut working = workers.map(|workers| Reservation::new(&workers.context.memory));
    // Hashes as they grow and put together, later partitioned.
    if working.as_mut().is_some_and(|working| working.add(runs as usize * 3 * size_of::<u64>()).is_err()) {
        return false;
    }
    let heads: Vec<Vec<u64>> = all(workers, chunks.len(), |chunk| heads_of(chunks[chunk]));
    let mut hashes: Vec<u64> = Vec::with_capacity(heads.iter().map(Vec::len).sum());
    let mut last = None;
    for (column, heads) in chunks.iter().zip(&heads) {
        // A run may go on in the next chunk.
        let goes_on = last.is_some() && heads.first().copied() == last;
        hashes.extend_from_slice(&heads[usize::from(goes_on)..]);
        last = column.rows().checked_sub(1).map(|row| hash_of(column, row)).or(last);
    }
    drop(heads);
    // Neighbours that have one hash and are not equal would hide a run.
    hashes.len() as u64 == runs && all_differ(&hashes, workers)
}

/// The hashes of values that are not like the one before.
fn heads_of(column: &Column) -> Vec<u64> {
    let mut heads = Vec::new();
    let mut last = None;
    for row in 0..column.rows() {
        let hash = hash_of(column, row);
        if last != Some(hash) {
            heads.push(hash);
            last = Some(hash);
        }
    }
    heads
}

/// Whether no two hashes are equal.
fn all_differ(hashes: &[u64], workers: Option<Workers<'_>>) -> bool {
    let sample = &hashes[..hashes.len().min(SAMPLE)];
    differ(sample) && (sample.len() == hashes.len() || parts_differ(hashes, workers))
}

/// The same of many, by parts of them.
fn parts_differ(hashes: &[u64], workers: Option<Workers<'_>>) -> bool {
    let parts = hashes.len().div_ceil(PART).next_power_of_two();
    let shift = 64 - parts.trailing_zeros();
    let part = |hash: u64| (hash >> shift) as usize;
    let mut ends = vec![0usize; parts];
    hashes.iter().for_each(|&hash| ends[part(hash)] += 1);
    let mut start = 0;
    ends.iter_mut().for_each(|end| start += std::mem::replace(end, start));
    let mut partitioned = vec![0; hashes.len()];
    for &hash in hashes {
        let place = &mut ends[part(hash)];
        partitioned[*place] = hash;
        *place += 1;
    }
    let of_part = |part: usize| &partitioned[if part == 0 { 0 } else { ends[part - 1] }..ends[part]];
    // Some parts at a time, as each is the work of a moment.
    let groups = parts.min(PART_GROUPS);
    let of_group =
        |group: usize| (parts * group / groups..parts * (group + 1) / groups).all(|part| differ(of_part(part)));
    all(workers, groups, of_group).into_iter().all(|differ| differ)
}

/// The same by one table.
fn differ(hashes: &[u64]) -> bool {
    let size = (hashes.len() * 2).next_power_of_two();
    let mut slots = vec![0u64; size];
    hashes.iter().all(|&hash| {
        // An empty slot is 0, which no hash is then.
        let hash = hash.max(1);
        let mut at = hash as usize & (size - 1);
        while slots[at] != 0 && slots[at] != hash {
            at = (at + 1) & (size - 1);
        }
        std::mem::replace(&mut slots[at], hash) != hash
    })
}

#[cfg(test)]
mod tests {
    use super::super::ColumnData;
    use super::*;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;
    use std::sync::{Arc, LazyLock};

    static THREE: LazyLock<Context> = LazyLock::new(|| {
        Context::new(Memory::new(usize::MAX)).with_pool(&Arc::new(Pool::new(3).expect("threads start")))
    });

    fn column(values: impl IntoIterator<Item = i64>) -> Column {
        Column { data: ColumnData::Int64(values.into_iter().collect()), nulls: None }
    }

    fn proves(values: &[i64]) -> bool {
        let runs = 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
        let by = |rows: usize| {
            let chunks: Vec<Column> = values.chunks(rows).map(|chunk| column(chunk.iter().copied())).collect();
            let chunks: Vec<&Column> = chunks.iter().collect();
            let alone = runs_differ(&chunks, runs, None);
            assert_eq!(runs_differ(&chunks, runs, Some(THREE.workers())), alone);
            alone
        };
        let all = by(values.len());
        assert!([1, 7, 1_000].into_iter().all(|rows| by(rows) == all));
        all
    }

    #[test]
    fn values_that_come_again_are_found() {
        let far = |at: i64| at.wrapping_mul(6_364_136_223_846_793_005);
        for (rows, each) in [(1, 1), (2, 1), (2, 2), (100, 7), (70_000, 1), (300_000, 4)] {
            let values: Vec<i64> = (0..rows).map(|row| far(row / each)).collect();
            assert!(proves(&values), "{rows} rows, {each} each");
            if rows / each > 2 {
                let mut again = values.clone();
                *again.last_mut().unwrap() = values[0];
                assert!(!proves(&again), "{rows} rows, {each} each");
                *again.last_mut().unwrap() = values[values.len() / 2];
                assert!(!proves(&again), "{rows} rows, {each} each");
            }
        }
    }

    #[test]
    fn without_values_or_memory() {
        assert!(runs_differ(&[], 0, None));
        assert!(runs_differ(&[&column([])], 0, None));
        assert!(!runs_differ(&[&column([7, 7])], 2, None));
        let (one, little) = (column(0..100), Context::new(Memory::new(1_000)));
        assert!(runs_differ(&[&one], 100, None) && !runs_differ(&[&one], 100, Some(little.workers())));
        assert_eq!(little.memory.used(), 0);
    }
}
