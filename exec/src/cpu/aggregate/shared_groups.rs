//! Cuts what is to be done for groups among the workers by how many rows they have, not by how many groups there are: a handful of
//! groups may hold all rows, and one of them nearly all.
//!
//! * Groups side by side with about a worker's share of the rows are one piece of work ([`stretches`]).
//! * Where a pass goes over all rows, whatever their groups, it is cut by rows ([`pieces_of`]). Where each row is to be written behind
//!   the others of its group, each piece counts first, and then has a place of its own in each group ([`split_by`]).

use crate::Result;
use crate::workers::schedule::Workers;
use multiloop_planner::meter;
use std::ops::Range;

/// Rows of a piece of work, at least: to hand over fewer takes longer than they do.
const ROWS_MIN: usize = if cfg!(test) { 16 } else { 1 << 13 };

/// Rows between two looks at whether to go on.
const LOOK_ROWS: usize = 1 << 14;

/// Pieces for each worker: so many balance what takes longer.
const PIECES_A_WORKER: usize = 4;

/// The workers, if there are several and so many rows are worth handing over.
pub(super) fn sharing(workers: Option<Workers<'_>>, rows: usize) -> Option<Workers<'_>> {
    workers.filter(|workers| !workers.is_one() && rows >= 4 * ROWS_MIN)
}

/// Rows that a piece of work should have of so many.
pub(super) fn rows_of_piece(rows: usize, workers: Option<Workers<'_>>) -> usize {
    match sharing(workers, rows) {
        Some(workers) => rows.div_ceil(workers.count() * PIECES_A_WORKER).max(ROWS_MIN),
        None => rows.max(1),
    }
}

/// What `work` makes of each item, by the workers if there are some.
pub(super) fn map_all<I: Send, T: Send>(
    workers: Option<Workers<'_>>,
    items: Vec<I>,
    work: impl Fn(I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    match workers {
        Some(workers) if items.len() > 1 => workers.map(items, work),
        _ => items.into_iter().map(work).collect(),
    }
}

/// Consecutive pieces of so many rows. Each is to have a place in each of so many groups, so there are few where groups are many.
pub(super) fn pieces_of(rows: usize, groups: usize, workers: Option<Workers<'_>>) -> Vec<Range<usize>> {
    let least = groups.saturating_mul(2 * workers.map_or(1, |workers| workers.count() * PIECES_A_WORKER));
    let each = if rows < least { rows.max(1) } else { rows_of_piece(rows, workers) };
    let mut all: Vec<Range<usize>> = (0..rows).step_by(each).map(|start| start..rows.min(start + each)).collect();
    if all.is_empty() {
        all.push(0..0);
    }
    all
}

/// Groups side by side, of which each stretch has about so many rows, or is one group. `starts`: where the rows of each begin.
pub(super) fn stretches(starts: &[u32], rows: usize) -> Vec<Range<usize>> {
    let (mut all, mut first) = (Vec::new(), 0);
    for group in 0..starts.len().saturating_sub(1) {
        let own = (starts[group + 1] - starts[group]) as usize;
        if group > first && own + (starts[group] - starts[first]) as usize > rows {
            all.push(first..group);
            first = group;
        }
    }
    if first + 1 < starts.len() {
        all.push(first..starts.len() - 1);
    }
    all
}

/// What each piece has of each of so many groups, which lie behind each other, in each the pieces' values.
fn split_by<'a, T>(mut all: &'a mut [T], lengths: &[Vec<usize>], groups: usize) -> Vec<Vec<&'a mut [T]>> {
    let mut own: Vec<Vec<&mut [T]>> = lengths.iter().map(|_| Vec::with_capacity(groups)).collect();
    for group in 0..groups {
        for (own, lengths) in own.iter_mut().zip(lengths) {
            let (places, behind) = all.split_at_mut(lengths[group]);
            own.push(places);
            all = behind;
        }
    }
    own
}

/// The values of rows in order of their groups, of which each begins where `starts` says.
pub(super) fn by_group<T: Copy + Default + Send>(
    numbers: &[u32],
    starts: &[u32],
    value: impl Fn(usize) -> T + Sync,
    workers: Option<Workers<'_>>,
) -> Result<Vec<T>> {
    let groups = starts.len() - 1;
    let mut all = vec![T::default(); numbers.len()];
    let pieces = pieces_of(numbers.len(), groups, sharing(workers, numbers.len()));
    if pieces.len() == 1 {
        let (mut next, mut row) = (starts.to_vec(), 0);
        for some in numbers.chunks(LOOK_ROWS) {
            meter::spend(some.len() * 2)?;
            for &group in some {
                let place = &mut next[group as usize];
                all[*place as usize] = value(row);
                *place += 1;
                row += 1;
            }
        }
        return Ok(all);
    }
    let counts = map_all(workers, pieces.clone(), |rows| {
        let mut counts = vec![0usize; groups];
        numbers[rows].iter().for_each(|&group| counts[group as usize] += 1);
        Ok(counts)
    })?;
    let places = split_by(&mut all, &counts, groups);
    map_all(workers, pieces.into_iter().zip(places).collect(), |(rows, mut places): (Range<usize>, Vec<&mut [T]>)| {
        meter::check()?;
        let mut next = vec![0usize; groups];
        for row in rows {
            let group = numbers[row] as usize;
            places[group][next[group]] = value(row);
            next[group] += 1;
        }
        Ok(())
    })?;
    Ok(all)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cpu::index::{sort_by_group, starts_of};
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;
    use std::sync::OnceLock;

    /// What comes of work by no workers, and by several.
    pub(crate) fn by_all<T: PartialEq + std::fmt::Debug>(work: impl Fn(Option<Workers<'_>>) -> T) -> T {
        static POOLS: OnceLock<[Pool; 2]> = OnceLock::new();
        let (alone, context) = (work(None), Context::new(Memory::new(usize::MAX)));
        for pool in POOLS.get_or_init(|| [2, 7].map(|threads| Pool::new(threads).unwrap())) {
            assert_eq!(work(Some(Workers { pool: Some(pool), context: &context })), alone, "{}", pool.threads());
        }
        alone
    }

    #[test]
    fn rows_are_in_order_of_their_groups() {
        for (rows, groups) in [(0, 1), (1, 1), (3000, 1), (3000, 7), (3000, 2000), (70, 70)] {
            let number = |row: u32| if row.is_multiple_of(3) { 0 } else { row.wrapping_mul(2_654_435_761) % groups };
            let numbers: Vec<u32> = (0..rows).map(number).collect();
            let starts = starts_of(&numbers, groups as usize);
            let ordered = by_all(|workers| by_group(&numbers, &starts, |row| row as u32, workers).unwrap());
            assert_eq!(ordered, sort_by_group(&numbers, &starts));
        }
    }

    #[test]
    fn stretches_have_all_groups_once() {
        let starts = [0, 0, 5, 5, 105, 107, 109, 109];
        assert_eq!(stretches(&starts, 4), [0..1, 1..2, 2..3, 3..4, 4..7]);
        assert_eq!(stretches(&starts, 1000).len(), 1);
        assert!(stretches(&[0], 4).is_empty());
        assert_eq!(stretches(&[0, 0], 4).len(), 1);
    }
}
