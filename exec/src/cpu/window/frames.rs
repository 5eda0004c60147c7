//! The frames of rows: with bounds that are arguments, and without what is excluded.
//!
//! A bound by key is searched from where the last row's was: with a constant offset it moves a few rows a row. What is excluded
//! leaves two ranges, neither end of which goes back where those of the frame do not, and perhaps the row itself
//! ([`Parts`]). So what slides over frames slides over both.

use super::layout::{Layout, bounds};
use super::places::integer;
use super::sorted::Sorted;
use crate::Result;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use multiloop_planner::multiloop::WindowField;
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Value, compare_floats};
use multiloop_planner::window::{Exclude, Frame, FrameBound, FrameUnit};
use std::cmp::Ordering;
use std::ops::Range;

/// The frames of some rows, in order.
pub(super) struct Frames<'a> {
    pub(super) layout: &'a Layout,
    pub(super) frame: Frame,
    /// Those of the frame, of the rows from the first one on.
    arguments: Vec<Argument>,
    first: usize,
    descending: bool,
}

/// What a row sees: two ranges, and perhaps the row itself between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) left: Range<usize>,
    pub(super) own: Option<usize>,
    pub(super) right: Range<usize>,
}

impl Parts {
    /// The ranges, in order.
    pub(super) fn ranges(&self) -> [Range<usize>; 3] {
        let own = self.own.map_or(self.left.end..self.left.end, |row| row..row + 1);
        [self.left.clone(), own, self.right.clone()]
    }

    /// How many rows.
    pub(super) fn len(&self) -> usize {
        self.left.len() + self.right.len() + usize::from(self.own.is_some())
    }
}

/// An argument of frames.
struct Argument {
    data: Data,
    valid: Option<Vec<bool>>,
}

enum Data {
    Integers(Vec<i64>),
    Wide(Vec<i128>),
    Floats(Vec<f64>),
    Values(Vec<Value>),
}

impl Argument {
    fn new(column: &ColumnBuilder, data_type: DataType, rows: &[u32]) -> Self {
        let each = || rows.iter().map(|&row| row as usize);
        let valid = column.valid.as_ref().map(|valid| each().map(|row| valid[row]).collect());
        let data = match &column.data {
            BuilderData::I32(values) => Data::Integers(each().map(|row| values[row].into()).collect()),
            BuilderData::I64(values) => Data::Integers(each().map(|row| values[row]).collect()),
            BuilderData::I128(values) => Data::Wide(each().map(|row| values[row]).collect()),
            BuilderData::F64(values) => Data::Floats(each().map(|row| values[row]).collect()),
            _ => {
                let vector = column.take(rows).into_vector();
                Data::Values((0..rows.len()).map(|row| vector.value(row, data_type)).collect())
            }
        };
        Argument { data, valid }
    }

    fn is_null(&self, row: usize) -> bool {
        self.valid.as_ref().is_some_and(|valid| !valid[row])
    }

    /// The order of a value of its and one of another argument, of the same type.
    fn compare(&self, row: usize, other: &Argument, of: usize) -> Ordering {
        match (&self.data, &other.data) {
            (Data::Integers(keys), Data::Integers(values)) => keys[row].cmp(&values[of]),
            (Data::Integers(keys), Data::Wide(values)) => i128::from(keys[row]).cmp(&values[of]),
            (Data::Wide(keys), Data::Integers(values)) => keys[row].cmp(&i128::from(values[of])),
            (Data::Wide(keys), Data::Wide(values)) => keys[row].cmp(&values[of]),
            (Data::Floats(keys), Data::Floats(values)) => compare_floats(keys[row], values[of]),
            (Data::Values(keys), Data::Values(values)) => keys[row].compare(&values[of]),
            _ => Ordering::Equal,
        }
    }

    /// A number of rows.
    fn distance(&self, row: usize) -> u64 {
        match &self.data {
            Data::Integers(values) => u64::try_from(values[row]).unwrap_or(0),
            Data::Wide(values) => u64::try_from(values[row]).unwrap_or(0),
            Data::Floats(_) | Data::Values(_) => 0,
        }
    }
}

impl<'a> Frames<'a> {
    /// Those of some rows; with arguments these are whole partitions.
    pub(super) fn new(field: &WindowField, sorted: &Sorted<'a>, rows: Range<usize>) -> Self {
        let argument = |number: u8| {
            let argument = field.of_frame(number);
            Argument::new(sorted.column(argument), sorted.types[argument as usize], &sorted.rows[rows.clone()])
        };
        let arguments = (0..field.frame.arity() as u8).map(argument).collect();
        let Sorted { layout, descending, .. } = *sorted;
        Frames { layout, frame: field.frame, arguments, first: rows.start, descending }
    }

    /// Gives what rows see but for what is excluded, with how many rows one behind the other see it.
    #[inline(always)]
    pub(super) fn each(
        &self,
        rows: Range<usize>,
        mut each: impl FnMut(Range<usize>, usize) -> Result<()>,
    ) -> Result<()> {
        if self.arguments.is_empty() {
            return self.layout.each_frame(self.frame, rows, each);
        }
        for (partition, own) in self.layout.partitions(rows) {
            let groups = self.layout.peers_before(partition.start)..self.layout.peers_before(partition.end);
            let mut group = self.layout.peers_before(own.start + 1) - 1;
            let mut keys = Keys::new(self, partition.clone());
            for row in own {
                if self.layout.group(group).end <= row {
                    group += 1;
                }
                let frame = self.of_row(row);
                let seen = if frame.unit == FrameUnit::Rows {
                    bounds(frame, &partition, row)
                } else {
                    let seen = bounds(frame, &groups, group);
                    let start = |group: usize| {
                        if group < groups.end { self.layout.group(group).start } else { partition.end }
                    };
                    start(seen.start)..start(seen.end)
                };
                let peers = self.layout.group(group);
                let start = keys.bound(self, self.frame.start, (row, &peers), true).unwrap_or(seen.start);
                let end = keys.bound(self, self.frame.end, (row, &peers), false).unwrap_or(seen.end);
                each(start..end.max(start), 1)?;
            }
        }
        Ok(())
    }

    /// Gives what each row sees.
    pub(super) fn each_parts(&self, rows: Range<usize>, mut each: impl FnMut(Parts) -> Result<()>) -> Result<()> {
        let (mut row, exclude) = (rows.start, self.frame.exclude);
        let mut group = self.layout.peers_before(row + 1).saturating_sub(1);
        self.each(rows, |seen, count| {
            for own in row..row + count {
                if self.layout.group(group).end <= own {
                    group += 1;
                }
                let hole = match exclude {
                    Exclude::NoOthers => seen.end..seen.end,
                    Exclude::CurrentRow => own..own + 1,
                    Exclude::Group | Exclude::Ties => self.layout.group(group),
                };
                let left = seen.start..hole.start.clamp(seen.start, seen.end);
                let right = hole.end.clamp(seen.start, seen.end)..seen.end;
                let own = (exclude == Exclude::Ties && seen.contains(&own)).then_some(own);
                each(Parts { left, own, right })?;
            }
            row += count;
            Ok(())
        })
    }

    /// The frame of a row, with the distances that are arguments; without bounds by key, which are found elsewhere.
    fn of_row(&self, row: usize) -> Frame {
        let bound = |bound: FrameBound, whole: FrameBound| match bound {
            FrameBound::Key(_) => whole,
            FrameBound::BeforeArgument(at) => {
                FrameBound::Before(self.arguments[usize::from(at)].distance(row - self.first))
            }
            FrameBound::BehindArgument(at) => {
                FrameBound::Behind(self.arguments[usize::from(at)].distance(row - self.first))
            }
            other => other,
        };
        let start = bound(self.frame.start, FrameBound::First);
        Frame { start, end: bound(self.frame.end, FrameBound::Last), ..self.frame }
    }
}

/// Where the bounds by key of the last row of a partition were.
struct Keys {
    /// The rows whose keys are not NULL.
    rows: Range<usize>,
    start: usize,
    end: usize,
}

impl Keys {
    fn new(frames: &Frames<'_>, partition: Range<usize>) -> Self {
        let is_null = |row: &usize| frames.arguments[0].is_null(row - frames.first);
        // NULLs stand at one end.
        let first = if partition.clone().next().is_some_and(|row| is_null(&row)) {
            partition.clone().find(|row| !is_null(row)).unwrap_or(partition.end)
        } else {
            partition.start
        };
        let last = partition.clone().rfind(|row| !is_null(row)).map_or(first, |row| row + 1);
        Keys { rows: first..last.max(first), start: first, end: first }
    }

    /// Where a bound by key lies for a row, which has these peers; none for other bounds.
    fn bound(
        &mut self,
        frames: &Frames<'_>,
        bound: FrameBound,
        (row, peers): (usize, &Range<usize>),
        is_start: bool,
    ) -> Option<usize> {
        let FrameBound::Key(number) = bound else { return None };
        let (keys, values) = (&frames.arguments[0], &frames.arguments[usize::from(number)]);
        if keys.is_null(row - frames.first) {
            return Some(if is_start { peers.start } else { peers.end });
        }
        let is_behind = |at: usize| {
            let order = keys.compare(at - frames.first, values, row - frames.first);
            let order = if frames.descending { order.reverse() } else { order };
            if is_start { order.is_ge() } else { order.is_gt() }
        };
        let last = if is_start { &mut self.start } else { &mut self.end };
        *last = first_from(self.rows.clone(), *last, is_behind);
        Some(*last)
    }
}

/// The first of some rows that passes, where all behind it do; the end if none does. It is looked for around a row.
fn first_from(rows: Range<usize>, around: usize, passes: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (rows.start, rows.end);
    if around > low && passes(around - 1) {
        high = around - 1;
        let mut step = 1;
        while high > low && high - low > step && passes(high - step) {
            high -= step;
            step *= 2;
        }
        low = low.max(high.saturating_sub(step));
    } else {
        low = around.max(low);
        let mut step = 1;
        while low < high && !passes((low + step - 1).min(high - 1)) {
            low = (low + step).min(high);
            step *= 2;
        }
        high = high.min(low + step);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if passes(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The number of a row of those that count: all, or those where a column is not NULL.
pub(super) struct Counted {
    first: usize,
    /// For each row how many of those before it count, and these; none if all do.
    ranks: Option<(Vec<u32>, Vec<u32>)>,
}

impl Counted {
    /// Of some rows in order; `column` says which of them count.
    pub(super) fn new(column: Option<&ColumnBuilder>, sorted: &Sorted<'_>, rows: Range<usize>) -> Self {
        let nullable = column.filter(|column| column.valid.is_some());
        let ranks = nullable.map(|column| {
            let (mut ranks, mut places) = (Vec::with_capacity(rows.len() + 1), Vec::new());
            for row in rows.clone() {
                ranks.push(places.len() as u32);
                if !column.is_null(sorted.rows[row] as usize) {
                    places.push(row as u32);
                }
            }
            ranks.push(places.len() as u32);
            (ranks, places)
        });
        Counted { first: rows.start, ranks }
    }

    /// How many rows count before one.
    pub(super) fn rank(&self, row: usize) -> usize {
        self.ranks.as_ref().map_or(row, |(ranks, _)| ranks[row - self.first] as usize)
    }

    /// The row that so many count before.
    pub(super) fn row(&self, rank: usize) -> usize {
        self.ranks.as_ref().map_or(rank, |(_, places)| places[rank] as usize)
    }

    /// The row with a number, from 0, of those of some parts that count; from the last one back, if that is asked.
    pub(super) fn nth(&self, parts: &Parts, number: usize, back: bool) -> Option<usize> {
        let mut left = number;
        let mut ranges = parts.ranges().map(|rows| self.rank(rows.start)..self.rank(rows.end));
        if back {
            ranges.reverse();
        }
        for range in ranges {
            if left < range.len() {
                return Some(self.row(if back { range.end - 1 - left } else { range.start + left }));
            }
            left -= range.len();
        }
        None
    }
}

/// The integer that says how many rows, in a row of a column in the input's order.
pub(super) fn number(column: &ColumnBuilder, sorted: &Sorted<'_>, row: usize) -> Option<i64> {
    integer(column, sorted.rows[row] as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_passes_from_wherever_it_is_looked_for() {
        for (start, end) in [(0, 0), (3, 4), (2, 9), (0, 40)] {
            for around in start..=end {
                for answer in start..=end {
                    assert_eq!(first_from(start..end, around, |row| row >= answer), answer, "{start} {end} {around}");
                }
            }
        }
    }
}
