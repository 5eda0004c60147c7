//! Proof that equal values of a column stand together, and with that how many values there are: runs of equal values that
//! begin with values of different hashes begin with different values.
//!
//! Where a sketch says that there are about as many values as runs, a load leaves it at a `Conjecture`, unless the runs are few,
//! and [`Table::settle`] proves it for the first who asks. It seldom fails then; and if it fails, then soon: a sample is looked
//! at first.
//!
//! 1. Each piece of the rows (a chunk, or some short ones) partitions the hashes of its runs' first values, within the cache.
//! 2. A part's hashes of all pieces go into one table, which lies in the cache, too.
//!
//! So keys that lie far apart, and strings, are as provenly unique or clustered as small integers are. The optimiser
//! makes most of it: `unique`, `distinct_arguments` and `single_row_groups` in the planner.

use super::hash::{for_each_hash, hash_of};
use super::{CHUNK_ROWS, Column, Table};
use crate::Result;
use crate::workers::context::{Context, Reservation};

/// Hashes of a part, on average: a table of them lies in a near cache.
const PART: u64 = 1 << 12;

/// Parts, at most: so many places that a piece writes to lie in the nearest cache.
const PARTS_MAX: u64 = 1 << 12;

/// Pieces of the work of looking at all parts, at most.
const PART_GROUPS: usize = 64;

impl Table {
    /// Finds out what has been asked of a column's values: whether its `Conjecture` is right. Gives whether there is an answer
    /// that was not there before: none if nobody has asked, or there is not the memory to find out.
    ///
    /// # Errors
    /// 57014 if the statement is cancelled.
    pub fn settle(&self, column: usize, context: &Context) -> Result<bool> {
        let known = self.statistics.columns.get(column).and_then(|column| column.proofs.conjecture.as_ref());
        let Some(conjecture) = known.filter(|conjecture| conjecture.is_asked() && !self.is_lazy()) else {
            return Ok(false);
        };
        let chunks: Vec<&Column> = self.chunks.iter().map(|chunk| &chunk.columns[column]).collect();
        let answer = runs_differ(&chunks, conjecture.runs(), context)?;
        answer.into_iter().for_each(|answer| conjecture.settle(answer));
        Ok(answer.is_some())
    }
}

/// Hashes in parts, and where each part ends.
struct Parted {
    hashes: Vec<u64>,
    ends: Vec<u32>,
}

impl Parted {
    fn part(&self, part: usize) -> &[u64] {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        &self.hashes[start as usize..self.ends[part] as usize]
    }
}

/// Whether all runs of equal values, of which there are so many, are proven to have values of their own. There are no NULLs.
/// None if there is not the memory to find out.
fn runs_differ(chunks: &[&Column], runs: u64, context: &Context) -> Result<Option<bool>> {
    let pieces = pieces(chunks);
    let parts = (runs / PART).next_power_of_two().min(PARTS_MAX) as usize;
    let mut working = Reservation::new(&context.memory);
    let bytes = runs as usize * size_of::<u64>() + pieces.len() * parts * size_of::<u32>();
    if working.add(bytes + 2 * CHUNK_ROWS * size_of::<u64>() * context.workers().count()).is_err() {
        return Ok(None);
    }
    if let Some(first) = pieces.first()
        && !differ(&mut Vec::new(), [&heads(&chunks[..first.end], None)[..]].into_iter())
    {
        return Ok(Some(false));
    }
    let parted = |piece: std::ops::Range<usize>| {
        let before = chunks[..piece.start].iter().rev().find(|column| column.rows() > 0);
        let last = before.map(|column| hash_of(column, column.rows() - 1));
        Ok(partition(&heads(&chunks[piece], last), parts))
    };
    let parted: Vec<Parted> = context.workers().map(pieces, parted)?;
    // Neighbours that have one hash and are not equal would hide a run.
    if parted.iter().map(|piece| piece.hashes.len() as u64).sum::<u64>() != runs {
        return Ok(Some(false));
    }
    // Some parts at a time, as each is the work of a moment.
    let groups = parts.min(PART_GROUPS);
    let of_group = |group: usize| {
        let mut slots = Vec::new();
        let mut parts = parts * group / groups..parts * (group + 1) / groups;
        Ok(parts.all(|part| differ(&mut slots, parted.iter().map(|piece| piece.part(part)))))
    };
    let all = context.workers().map((0..groups).collect(), of_group)?;
    Ok(Some(all.into_iter().all(|differ| differ)))
}

/// The same of few runs, at once.
pub(super) fn few_runs_differ(chunks: &[&Column], runs: u64) -> bool {
    let heads = heads(chunks, None);
    heads.len() as u64 == runs && differ(&mut Vec::new(), [&heads[..]].into_iter())
}

/// Chunks that are looked at together: one, or as many short ones as one has rows.
fn pieces(chunks: &[&Column]) -> Vec<std::ops::Range<usize>> {
    let mut pieces: Vec<std::ops::Range<usize>> = Vec::new();
    let mut rows = 0;
    for (at, column) in chunks.iter().enumerate() {
        match pieces.last_mut() {
            Some(piece) if rows + column.rows() <= CHUNK_ROWS => piece.end = at + 1,
            _ => {
                pieces.push(at..at + 1);
                rows = 0;
            }
        }
        rows += column.rows();
    }
    pieces
}

/// The hashes of values that have another one than the value before; in front of all there is one of the hash `last`, if any.
fn heads(chunks: &[&Column], mut last: Option<u64>) -> Vec<u64> {
    let mut heads = Vec::with_capacity(chunks.iter().map(|column| column.rows()).sum());
    for column in chunks {
        for_each_hash(column, |hash| {
            if last != Some(hash) {
                heads.push(hash);
                last = Some(hash);
            }
        });
    }
    heads
}

/// Hashes in as many parts, a power of two, by their highest bits.
fn partition(hashes: &[u64], parts: usize) -> Parted {
    // Shifted by all bits is no shift.
    let part = |hash: u64| (hash >> 1 >> (63 - parts.trailing_zeros())) as usize;
    let mut ends = vec![0u32; parts];
    hashes.iter().for_each(|&hash| ends[part(hash)] += 1);
    let mut start = 0;
    ends.iter_mut().for_each(|end| start += std::mem::replace(end, start));
    let mut parted = vec![0; hashes.len()];
    for &hash in hashes {
        let place = &mut ends[part(hash)];
        parted[*place as usize] = hash;
        *place += 1;
    }
    Parted { hashes: parted, ends }
}

/// Whether no two hashes are equal, by a table in these slots.
fn differ<'h>(slots: &mut Vec<u64>, mut hashes: impl Iterator<Item = &'h [u64]> + Clone) -> bool {
    let count: usize = hashes.clone().map(<[u64]>::len).sum();
    let size = (count * 2).next_power_of_two();
    slots.clear();
    slots.resize(size, 0);
    hashes.all(|hashes| {
        hashes.iter().all(|&hash| {
            // An empty slot is 0, which no hash is then.
            let hash = hash.max(1);
            let mut at = hash as usize & (size - 1);
            while slots[at] != 0 && slots[at] != hash {
                at = (at + 1) & (size - 1);
            }
            std::mem::replace(&mut slots[at], hash) != hash
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::ColumnData;
    use super::*;
    use crate::workers::context::Memory;
    use crate::workers::pool::Pool;
    use std::sync::{Arc, LazyLock};

    static THREE: LazyLock<Context> = LazyLock::new(|| {
        Context::new(Memory::new(usize::MAX)).with_pool(&Arc::new(Pool::new(3).expect("threads start")))
    });

    fn column(values: impl IntoIterator<Item = i64>) -> Column {
        Column::new(ColumnData::Int64(values.into_iter().collect()), None)
    }

    fn proves(values: &[i64]) -> bool {
        let runs = 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
        let by = |rows: usize| {
            let chunks: Vec<Column> = values.chunks(rows).map(|chunk| column(chunk.iter().copied())).collect();
            let chunks: Vec<&Column> = chunks.iter().collect();
            let alone = runs_differ(&chunks, runs, &Context::new(Memory::new(usize::MAX))).expect("nobody cancels");
            assert_eq!(runs_differ(&chunks, runs, &THREE).expect("nobody cancels"), alone);
            assert_eq!(few_runs_differ(&chunks, runs), alone == Some(true));
            alone.expect("there is memory")
        };
        let all = by(values.len());
        assert!([1, 7, 1_000, CHUNK_ROWS].into_iter().all(|rows| by(rows) == all));
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
        assert_eq!(runs_differ(&[], 0, &THREE).unwrap(), Some(true));
        assert_eq!(runs_differ(&[&column([])], 0, &THREE).unwrap(), Some(true));
        assert_eq!(runs_differ(&[&column([]), &column([7, 7]), &column([])], 2, &THREE).unwrap(), Some(false));
        assert_eq!(runs_differ(&[&column([7]), &column([]), &column([7])], 1, &THREE).unwrap(), Some(true));
        let (one, little) = (column(0..100), Context::new(Memory::new(1_000)));
        assert_eq!(runs_differ(&[&one], 100, &THREE).unwrap(), Some(true));
        assert_eq!(runs_differ(&[&one], 100, &little).unwrap(), None);
        assert_eq!(little.memory.used(), 0);
        let cancelled = Context::new(Memory::new(usize::MAX));
        cancelled.cancellation.cancel();
        assert!(runs_differ(&[&one], 100, &cancelled).is_err());
    }
}
