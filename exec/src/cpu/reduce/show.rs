//! Converts groups to columns: those that are wanted, in order.

use super::core::Core;
use crate::Result;
use crate::cpu::aggregate::finish_all;
use crate::cpu::groups::grouper::Grouper;
use crate::cpu::reduce::group_filter::GroupFilter;
use crate::cpu::vector::builder::{ColumnBuilder, concat_all};
use crate::cpu::vector::rows::TILE_ROWS;
use crate::workers::context::Reservation;
use crate::workers::schedule::Workers;

/// Groups that are asked for together.
const HAVING_TILE: usize = if cfg!(test) { 1_000 } else { TILE_ROWS };

/// Groups as columns, and how many.
pub(crate) struct Shown {
    columns: Vec<ColumnBuilder>,
    rows: usize,
    reservation: Reservation,
}

impl Shown {
    /// The groups that are wanted, in order, as columns: keys that are read, then aggregates. `is_part`: they are those of one
    /// part of a merge in parts.
    pub(crate) fn of(
        core: Core<'_>,
        group_filter: Option<GroupFilter<'_>>,
        is_part: bool,
        mut reservation: Reservation,
        workers: Workers<'_>,
    ) -> Result<Self> {
        let Core { plan, grouper, accumulators } = core;
        let read = &plan.keys_read;
        let finished = finish_all(accumulators, &plan.aggregates, Some(workers))?;
        let wanted = match group_filter {
            Some(group_filter) if plan.key.is_some() => wanted(group_filter, &grouper, &finished)?,
            _ => None,
        };
        let (columns, rows) = match (wanted, grouper) {
            (Some(groups), grouper) => show((&grouper, read), finished, &grouper.in_order(groups))?,
            (None, Grouper::Hash(hashed)) if is_part && hashed.is_ordered_part() => {
                let rows = hashed.table.len();
                let mut columns = hashed.into_keys(read);
                columns.extend(finished);
                (columns, rows)
            }
            (None, Grouper::Hash(hashed)) if let Some(places) = hashed.places() => {
                let mut columns = hashed.placed_keys(&places, read);
                columns.extend(finished.into_iter().map(|mut column| {
                    column.close_arena();
                    column.put(&places)
                }));
                (columns, places.len())
            }
            (None, grouper) => show((&grouper, read), finished, &grouper.ordered())?,
        };
        reservation.resize(columns.iter().map(ColumnBuilder::bytes).sum())?;
        Ok(Shown { columns, rows, reservation })
    }
}

/// Of groups whose aggregates are these columns the numbers of those that are wanted; none if all are. Exactly these are left,
/// whoever had which: how many there are chooses what their reader does.
fn wanted(
    mut group_filter: GroupFilter<'_>,
    grouper: &Grouper,
    finished: &[ColumnBuilder],
) -> Result<Option<Vec<u32>>> {
    let (all, keys) = (grouper.occupied(), group_filter.fields() - finished.len());
    let mut wanted = Vec::new();
    for groups in all.chunks(HAVING_TILE) {
        let mut columns = vec![None; group_filter.fields()];
        if group_filter.reads(0..keys) {
            columns.iter_mut().zip(grouper.keys(groups)?).for_each(|(column, shown)| *column = Some(shown));
        }
        for (at, column) in (keys..).zip(finished).filter(|&(at, _)| group_filter.reads(at..at + 1)) {
            columns[at] = Some(column.take(groups));
        }
        wanted.extend(group_filter.passing(columns, groups.len())?.into_iter().map(|at| groups[at as usize]));
    }
    Ok((wanted.len() < all.len()).then_some(wanted))
}

/// Groups of these numbers, as columns: keys that are read, then aggregates.
fn show(
    (grouper, read): (&Grouper, &[bool]),
    finished: Vec<ColumnBuilder>,
    groups: &[u32],
) -> Result<(Vec<ColumnBuilder>, usize)> {
    let mut columns = if read.contains(&true) { grouper.keys(groups)? } else { Vec::new() };
    let mut is_read = read.iter();
    columns.retain(|_| is_read.next().is_none_or(|&is_read| is_read));
    let all = groups.len() == grouper.len() && groups.is_sorted();
    columns.extend(finished.into_iter().map(|column| if all { column } else { column.take(groups) }));
    Ok((columns, groups.len()))
}

/// The groups of all parts, one part behind the other, as columns, and how many.
pub(super) fn put_together(parts: Vec<Shown>, workers: Workers<'_>) -> Result<(Vec<ColumnBuilder>, usize)> {
    let parts = parts.into_iter().map(|part| ((part.columns, part.rows), part.reservation));
    // What columns hold counts until they are together.
    let (parts, _held): (Vec<_>, Vec<Reservation>) = parts.unzip();
    append_parts(parts, workers)
}

/// The rows of all parts, one part behind the other.
pub(super) fn append_parts(
    parts: Vec<(Vec<ColumnBuilder>, usize)>,
    workers: Workers<'_>,
) -> Result<(Vec<ColumnBuilder>, usize)> {
    let rows = parts.iter().map(|(_, rows)| rows).sum();
    let mut columns: Vec<Vec<ColumnBuilder>> = Vec::new();
    for (part, _) in parts {
        columns.resize_with(part.len(), Vec::new);
        columns.iter_mut().zip(part).for_each(|(column, part)| column.push(part));
    }
    Ok((concat_all(columns, workers)?, rows))
}
