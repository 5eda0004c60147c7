//! Smallest and largest values of frames: of those seen, a queue keeps the rows that may still be the best of a frame, from
//! best to worst. A row that comes drives out all that are no better, for they also go sooner.

use super::layout::Layout;
use super::pieces::Sorted;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::cpu::vector::rows::NO_ROW;
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Value, compare_floats};
use multiloop_planner::window::Frame;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::Range;

/// For some rows in order the row whose value is the smallest or the largest that they see, by its number among all; `NO_ROW`
/// where they see none. The column is in order.
pub(super) fn extremes(
    (frame, largest): (Frame, bool),
    (column, data_type): (&ColumnBuilder, DataType),
    sorted: &Sorted<'_>,
    rows: Range<usize>,
) -> Result<Vec<u32>> {
    let layout = sorted.layout;
    /// By an order of rows.
    macro_rules! by {
        (|$a:ident, $b:ident| $compare:expr) => {
            if largest {
                best_rows((layout, frame), rows, column, |$a: usize, $b: usize| $compare.is_gt())?
            } else {
                best_rows((layout, frame), rows, column, |$a: usize, $b: usize| $compare.is_lt())?
            }
        };
    }
    let mut found = match &column.data {
        _ if data_type == DataType::Numeric => numeric_rows((frame, largest), column, layout, rows)?,
        BuilderData::Bool(values) => by!(|a, b| values[a].cmp(&values[b])),
        BuilderData::I32(values) => by!(|a, b| values[a].cmp(&values[b])),
        BuilderData::I64(values) => by!(|a, b| values[a].cmp(&values[b])),
        BuilderData::I128(values) => by!(|a, b| values[a].cmp(&values[b])),
        BuilderData::F64(values) => by!(|a, b| compare_floats(values[a], values[b])),
        BuilderData::Code { codes, .. } => by!(|a, b| codes[a].cmp(&codes[b])),
        BuilderData::Text(_) => by!(|a, b| column.text(a).cmp(column.text(b))),
        BuilderData::Numerics(_) => return Err(Error::internal("numerics of another type")),
        BuilderData::Interval(values) => {
            let key = |row: usize| (values[row].comparable_micros(), values[row].form());
            by!(|a, b| key(a).cmp(&key(b)))
        }
    };
    found.iter_mut().filter(|row| **row != NO_ROW).for_each(|row| *row = sorted.rows[*row as usize]);
    Ok(found)
}

/// The best row of each frame, among sorted ones.
fn best_rows(
    (layout, frame): (&Layout, Frame),
    rows: Range<usize>,
    column: &ColumnBuilder,
    is_better: impl Fn(usize, usize) -> bool,
) -> Result<Vec<u32>> {
    let mut found = Vec::with_capacity(rows.len());
    let (mut queue, mut end) = (VecDeque::<u32>::new(), 0);
    layout.each_frame(frame, rows, |seen, count| {
        if seen.start >= end {
            queue.clear();
            end = seen.start;
        }
        for row in (end..seen.end).filter(|&row| !column.is_null(row)) {
            while queue.back().is_some_and(|&last| !is_better(last as usize, row)) {
                queue.pop_back();
            }
            queue.push_back(row as u32);
        }
        end = seen.end;
        while queue.front().is_some_and(|&first| (first as usize) < seen.start) {
            queue.pop_front();
        }
        found.extend(std::iter::repeat_n(queue.front().copied().unwrap_or(NO_ROW), count));
        Ok(())
    })?;
    Ok(found)
}

/// The same of numerics, which only values can compare.
fn numeric_rows(
    (frame, largest): (Frame, bool),
    column: &ColumnBuilder,
    layout: &Layout,
    rows: Range<usize>,
) -> Result<Vec<u32>> {
    let mut seen: Option<Range<usize>> = None;
    layout.each_frame(frame, rows.clone(), |frame, _| {
        seen = Some(seen.take().map_or(frame.clone(), |seen| seen.start.min(frame.start)..seen.end.max(frame.end)));
        Ok(())
    })?;
    let seen = seen.unwrap_or(0..0);
    let vector = column.slice(seen.clone()).into_vector();
    let values: Vec<Value> = (0..seen.len()).map(|row| vector.value(row, DataType::Numeric)).collect();
    let better = if largest { Ordering::Greater } else { Ordering::Less };
    best_rows((layout, frame), rows, column, |a, b| {
        let (a, b) = (&values[a - seen.start], &values[b - seen.start]);
        a.compare(b).then_with(|| a.compare_forms(b)) == better
    })
}
