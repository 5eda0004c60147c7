//! Ranking functions: those of the position of a row in its partition.

use super::layout::Layout;
use super::sorted::Sorted;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::{ErrorKind, Result};
use multiloop_planner::evaluate::window::{at_least_one, bucket};
use multiloop_planner::multiloop::WindowField;
use multiloop_planner::value::Value;
use multiloop_planner::window::WindowFunction;
use std::ops::Range;

/// What a function of place says of some rows.
pub(super) fn place(function: WindowFunction, layout: &Layout, rows: Range<usize>) -> ColumnBuilder {
    let (mut counts, mut shares) = (Vec::new(), Vec::new());
    for (partition, own) in layout.partitions(rows) {
        let (start, count) = (partition.start, partition.len());
        match function {
            WindowFunction::Rank => {
                let peers = layout.peers(own);
                peers.for_each(|(group, own)| repeat(&mut counts, (group.start - start + 1) as i64, own.len()));
            }
            WindowFunction::DenseRank => {
                let before = layout.peers_before(start);
                let first = layout.peers_before(own.start + 1) - before;
                let peers = layout.peers(own).zip(first as i64..);
                peers.for_each(|((_, own), number)| repeat(&mut counts, number, own.len()));
            }
            WindowFunction::PercentRank => {
                let share = |group: Range<usize>| match count {
                    1 => 0.0,
                    _ => (group.start - start) as f64 / (count - 1) as f64,
                };
                layout.peers(own).for_each(|(group, own)| repeat(&mut shares, share(group), own.len()));
            }
            WindowFunction::CumeDist => {
                let share = |group: Range<usize>| (group.end - start) as f64 / count as f64;
                layout.peers(own).for_each(|(group, own)| repeat(&mut shares, share(group), own.len()));
            }
            // The number of the row.
            _ => counts.extend(own.map(|row| (row - start + 1) as i64)),
        }
    }
    match function {
        WindowFunction::PercentRank | WindowFunction::CumeDist => ColumnBuilder::from_floats(shares, None),
        _ => integers(counts, None),
    }
}

fn repeat<T: Copy>(values: &mut Vec<T>, value: T, times: usize) {
    values.extend(std::iter::repeat_n(value, times));
}

/// Integers, in 32 bits if these are enough.
pub(super) fn integers(values: Vec<i64>, valid: Option<Vec<bool>>) -> ColumnBuilder {
    let is_narrow = values.iter().fold(true, |all, &value| all & (value == i64::from(value as i32)));
    let mut column = ColumnBuilder::from_i64(Vec::new(), None);
    column.len = values.len();
    column.valid = valid.filter(|valid| valid.contains(&false));
    column.data = match is_narrow {
        true => BuilderData::I32(values.into_iter().map(|value| value as i32).collect()),
        false => BuilderData::I64(values),
    };
    column
}

/// The integer that a column has in a row; none of NULL.
#[inline]
pub(super) fn integer(column: &ColumnBuilder, row: usize) -> Option<i64> {
    if column.is_null(row) {
        return None;
    }
    match &column.data {
        BuilderData::I32(values) => Some(values[row].into()),
        BuilderData::I64(values) => Some(values[row]),
        BuilderData::I128(values) => i64::try_from(values[row]).ok(),
        _ => None,
    }
}

/// The buckets of the rows of whole partitions.
pub(super) fn ntile(field: &WindowField, sorted: &Sorted<'_>, rows: Range<usize>) -> Result<ColumnBuilder> {
    let column = sorted.column(field.arguments[0]);
    let (mut values, mut valid) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for (partition, _) in sorted.layout.partitions(rows) {
        let said = |row: usize| integer(column, sorted.rows[row] as usize);
        let first = partition.clone().find_map(|row| Some((row, said(row)?)));
        let Some((first, buckets)) = first else {
            values.resize(values.len() + partition.len(), 0);
            valid.resize(values.len(), false);
            continue;
        };
        let buckets = at_least_one(&Value::Int(buckets), ErrorKind::InvalidNtile, "ntile")?;
        let count = partition.len();
        for row in partition {
            let number = row.checked_sub(first).map(|place| bucket(place, count, buckets) as i64 + 1);
            values.push(number.unwrap_or(0));
            valid.push(number.is_some());
        }
    }
    Ok(integers(values, Some(valid)))
}
