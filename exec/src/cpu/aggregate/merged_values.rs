//! Merging what several workers have gathered for a few groups: all rows of all of them, as columns that are copied by all workers,
//! and no look at which rows are those of which group.
//!
//! Where the order counts in which rows came, they are taken piece of work by piece of work: a worker did all of a piece, and has its
//! rows in order. So nothing is left to be sorted.

use super::gathered::piece_of;
use super::shared_groups::sharing;
use crate::Result;
use crate::cpu::simd::parallel_fill::written;
use crate::cpu::vector::builder::{ColumnBuilder, concat_all};
use crate::partial::state::gathered::Gathered;
use crate::workers::context::Reservation;
use crate::workers::schedule::Workers;
use multiloop_planner::multiloop::Gather;
use std::ops::Range;

/// What one worker has gathered, and for each of its groups the one that it becomes.
pub(super) struct Share<'a> {
    pub(super) gathered: &'a Gathered,
    pub(super) numbers: &'a [u32],
}

impl Gathered {
    /// What several workers have for so many groups, together; nothing if they are better merged one by one, because they are few, or
    /// one has texts of which another has the values.
    pub(super) fn merge_shares(
        how: Gather,
        group_count: usize,
        shares: &[Share<'_>],
        workers: Workers<'_>,
    ) -> Result<Option<Self>> {
        let rows = shares.iter().map(|share| share.gathered.groups.len()).sum();
        let shares: Vec<&Share<'_>> = shares.iter().filter(|share| !share.gathered.groups.is_empty()).collect();
        let Some(first) = shares.first().map(|share| share.gathered) else { return Ok(None) };
        let are_alike = shares.iter().all(|share| share.gathered.entries == first.entries);
        if sharing(Some(workers), rows).is_none() || !are_alike {
            return Ok(None);
        }
        // Slices of the columns, and these put together.
        let mut reservation = Reservation::new(&workers.context.memory);
        reservation.resize(2 * shares.iter().map(|share| share.gathered.row_bytes()).sum::<usize>())?;
        let mut runs: Vec<(u64, usize, Range<usize>)> = Vec::new();
        for (number, share) in shares.iter().enumerate() {
            match how {
                Gather::Arrived => runs.extend(share.gathered.pieces().map(|(piece, rows)| (piece, number, rows))),
                _ => runs.push((0, number, 0..share.gathered.groups.len())),
            }
        }
        runs.sort_by_key(|&(piece, ..)| piece);
        let numbered = runs.iter().map(|(_, number, rows)| (rows.len(), (shares[*number], rows.clone()))).collect();
        let groups = written(numbered, Some(workers), |(share, rows): (&Share<'_>, Range<usize>), places| {
            let numbers = share.gathered.groups[rows].iter().map(|&group| share.numbers[group as usize]);
            places.write_copy_of_slice(&numbers.collect::<Vec<u32>>())
        })?;
        let sources = 1 + first.keys.len();
        let work = (0..sources).flat_map(|column| runs.iter().map(move |(_, number, rows)| (column, *number, rows)));
        let slices = workers.map(work.collect(), |(column, number, rows): (usize, usize, &Range<usize>)| {
            let of = shares[number].gathered;
            let source = if column == 0 { &of.values } else { &of.keys[column - 1] };
            Ok(if rows.len() == source.len() { source.clone() } else { source.slice(rows.clone()) })
        })?;
        let mut slices = slices.into_iter();
        let parts: Vec<Vec<ColumnBuilder>> = (0..sources).map(|_| slices.by_ref().take(runs.len()).collect()).collect();
        let mut columns = concat_all(parts, workers)?.into_iter();
        let mut merged = Gathered::new(how);
        merged.group_count = group_count;
        merged.groups = groups;
        merged.values = columns.next().unwrap_or(merged.values);
        merged.keys = columns.collect();
        merged.entries = first.entries.clone();
        Ok(Some(merged))
    }

    /// Bytes of what is kept of each row.
    fn row_bytes(&self) -> usize {
        self.values.bytes() + self.keys.iter().map(ColumnBuilder::bytes).sum::<usize>() + self.groups.len() * 4
    }

    /// The pieces of work that rows are of, in the order in which they were done, and the rows of each.
    fn pieces(&self) -> impl Iterator<Item = (u64, Range<usize>)> {
        let mut start = 0;
        self.places.chunk_by(|&a, &b| piece_of(a) == piece_of(b)).map(move |run| {
            let rows = start..start + run.len();
            start = rows.end;
            (piece_of(run[0]), rows)
        })
    }
}
