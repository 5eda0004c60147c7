//! Smallest and largest values of frames: of those seen, a queue keeps the rows that may still be the best of a frame, from
//! best to worst. A row that comes drives out all that are no better, for they also go sooner.

use super::frames::Frames;
use super::sorted::Sorted;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::cpu::vector::rows::NO_ROW;
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Value, compare_floats};
use multiloop_planner::window::Exclude;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::Range;

/// For some rows in order the row whose value is the smallest or the largest that they see, by its number among all; `NO_ROW`
/// where they see none. The column is in order.
pub(super) fn extremes(
    (frames, largest): (&Frames<'_>, bool),
    (column, data_type): (&ColumnBuilder, DataType),
    sorted: &Sorted<'_>,
    rows: Range<usize>,
) -> Result<Vec<u32>> {
    /// By an order of rows.
    macro_rules! by {
        (|$a:ident, $b:ident| $compare:expr) => {
            if largest {
                best_rows(frames, rows, column, |$a: usize, $b: usize| $compare.is_gt())?
            } else {
                best_rows(frames, rows, column, |$a: usize, $b: usize| $compare.is_lt())?
            }
        };
    }
    let mut found = match &column.data {
        _ if data_type == DataType::Numeric => numeric_rows((frames, largest), column, rows)?,
        BuilderData::Bool(values) => by!(|a, b| values[a].cmp(&values[b])),
        BuilderData::I32(values) => by!(|a, b| values[a].cmp(&values[b])),
        BuilderData::I64(values) => by!(|a, b| values[a].cmp(&values[b])),
        BuilderData::I128(values) => by!(|a, b| values[a].cmp(&values[b])),
        BuilderData::F64(values) => by!(|a, b| compare_floats(values[a], values[b])),
        BuilderData::Code { codes, .. } => by!(|a, b| codes[a].cmp(&codes[b])),
        BuilderData::Text(_) => by!(|a, b| column.text(a).cmp(column.text(b))),
        BuilderData::Vectors(vectors) => by!(|a, b| vectors.compare(a, b)),
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
    frames: &Frames<'_>,
    rows: Range<usize>,
    column: &ColumnBuilder,
    is_better: impl Fn(usize, usize) -> bool,
) -> Result<Vec<u32>> {
    let mut found = Vec::with_capacity(rows.len());
    let mut left = Best::default();
    if frames.frame.exclude == Exclude::NoOthers {
        frames.each(rows, |seen, count| {
            left.move_to(seen, column, &is_better);
            found.extend(std::iter::repeat_n(left.best().unwrap_or(NO_ROW), count));
            Ok(())
        })?;
        return Ok(found);
    }
    let mut right = Best::default();
    frames.each_parts(rows, |parts| {
        left.move_to(parts.left, column, &is_better);
        right.move_to(parts.right, column, &is_better);
        let own = parts.own.filter(|&row| !column.is_null(row)).map(|row| row as u32);
        let all = [left.best(), own, right.best()].into_iter().flatten();
        let best = all.reduce(|best, row| if is_better(row as usize, best as usize) { row } else { best });
        found.push(best.unwrap_or(NO_ROW));
        Ok(())
    })?;
    Ok(found)
}

/// The rows of a range that may still be the best ones.
#[derive(Default)]
struct Best {
    queue: VecDeque<u32>,
    held: Range<usize>,
}

impl Best {
    fn move_to(&mut self, seen: Range<usize>, column: &ColumnBuilder, is_better: &impl Fn(usize, usize) -> bool) {
        let Best { queue, held } = self;
        // Frames whose bounds are arguments may go back.
        if seen.start >= held.end || seen.start < held.start || seen.end < held.end {
            queue.clear();
            *held = seen.start..seen.start;
        }
        for row in (held.end..seen.end).filter(|&row| !column.is_null(row)) {
            while queue.back().is_some_and(|&last| !is_better(last as usize, row)) {
                queue.pop_back();
            }
            queue.push_back(row as u32);
        }
        while queue.front().is_some_and(|&first| (first as usize) < seen.start) {
            queue.pop_front();
        }
        *held = seen;
    }

    fn best(&self) -> Option<u32> {
        self.queue.front().copied()
    }
}

/// The same of numerics, which only values can compare.
fn numeric_rows(
    (frames, largest): (&Frames<'_>, bool),
    column: &ColumnBuilder,
    rows: Range<usize>,
) -> Result<Vec<u32>> {
    let mut seen: Option<Range<usize>> = None;
    frames.each(rows.clone(), |frame, _| {
        seen = Some(seen.take().map_or(frame.clone(), |seen| seen.start.min(frame.start)..seen.end.max(frame.end)));
        Ok(())
    })?;
    let seen = seen.unwrap_or(0..0);
    let vector = column.slice(seen.clone()).into_vector();
    let values: Vec<Value> = (0..seen.len()).map(|row| vector.value(row, DataType::Numeric)).collect();
    let better = if largest { Ordering::Greater } else { Ordering::Less };
    best_rows(frames, rows, column, |a, b| {
        let (a, b) = (&values[a - seen.start], &values[b - seen.start]);
        a.compare(b).then_with(|| a.compare_forms(b)) == better
    })
}
