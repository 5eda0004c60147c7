//! The groups of clustered rows, put together.

use super::core::Core;
use super::merge::{Ended, Merge};
use super::show::{Shown, put_together};
use crate::cpu::collections::claims::Passed;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::PartialGroups;
use crate::partial::keys::Keys;
use crate::partial::order::Order;
use crate::workers::context::Reservation;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use std::ops::Range;

/// Clustered groups of a part of a merge, at least.
const ORDERED_PART: usize = 1 << 13;

/// Segment by segment in the order of pieces. A group that goes on across the border of two segments is one; parts are cut
/// where none does.
pub(super) fn finish(
    merge: &Merge<'_>,
    ended: Vec<Ended<'_>>,
    workers: Workers<'_>,
) -> Result<(Vec<ColumnBuilder>, usize)> {
    let shown = each_part(merge, &ended, workers, |core, mut reservation| {
        reservation.resize(core.bytes())?;
        Shown::of(core, merge.group_filter(), false, reservation, workers)
    })?;
    put_together(shown, workers)
}

/// What is made of each part of the groups, in order; one part at least.
fn each_part<'p, T: Send>(
    merge: &Merge<'p>,
    ended: &[Ended<'p>],
    workers: Workers<'_>,
    make: impl Fn(Core<'p>, Reservation) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let Some(first) = ended.first() else { return Ok(Vec::new()) };
    let codes = ended.iter().map(|ended| codes(&ended.groups)).collect::<Result<Vec<&[u64]>>>()?;
    let mut all: Vec<(usize, usize, Range<u32>)> = Vec::new();
    for (worker, ended) in ended.iter().enumerate() {
        let Order::Clustered(segments) = &ended.groups.order else { continue };
        for (at, segment) in segments.iter().enumerate() {
            let end = segments.get(at + 1).map_or(codes[worker].len() as u32, |next| next.start);
            if segment.start < end {
                all.push((segment.pieces.0, worker, segment.start..end));
            }
        }
    }
    all.sort_unstable_by_key(|segment| segment.0);
    let code = |worker: usize, group: u32| codes[worker][group as usize];
    if cfg!(debug_assertions) {
        let groups = |(_, worker, groups): &(usize, usize, Range<u32>)| (*worker, groups.clone());
        let codes = all.iter().map(groups).flat_map(|(worker, groups)| groups.map(move |group| code(worker, group)));
        Passed::default().pass(codes)?;
    }
    let mut parts: Vec<Vec<(usize, Range<u32>)>> = Vec::new();
    let (mut size, mut last) = (usize::MAX, None);
    for (_, worker, groups) in all {
        if size >= ORDERED_PART && last != Some(code(worker, groups.start)) {
            parts.push(Vec::new());
            size = 0;
        }
        size += groups.len();
        last = Some(code(worker, groups.end - 1));
        if let Some(part) = parts.last_mut() {
            part.push((worker, groups));
        }
    }
    if parts.is_empty() {
        // Columns without rows.
        parts.push(Vec::new());
    }
    workers.map(parts, |part| {
        let mut merged = merge.core(&first.groups, None)?;
        for (worker, groups) in part {
            merged.merge_run(&ended[worker].groups, codes[worker], groups)?;
        }
        make(merged, Reservation::new(&workers.context.memory))
    })
}

/// The codes of clustered groups.
fn codes(groups: &PartialGroups) -> Result<&[u64]> {
    match &groups.keys {
        Keys::Listed { codes, .. } => Ok(codes),
        _ => Err(Error::internal("clustered groups without codes")),
    }
}
