//! What window functions mean: which rows are peers, which rows a frame holds, and what a function says of a row.

use crate::error::{Error, ErrorKind, Result};
use crate::value::Value;
use crate::window::{Exclude, Frame, FrameBound, FrameUnit, WindowFunction};
use std::ops::Range;

/// The rows of a partition, in order, and which of them are peers.
#[derive(Clone, Debug)]
pub struct Peers {
    /// The first row of each group of peers, and then how many rows there are.
    starts: Vec<usize>,
    /// The group of each row.
    groups: Vec<usize>,
}

impl Peers {
    /// So many rows; `differs` says of each but the first whether it is no peer of the row before.
    pub fn new(rows: usize, mut differs: impl FnMut(usize) -> bool) -> Self {
        let (mut starts, mut groups) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            if row == 0 || differs(row) {
                starts.push(row);
            }
            groups.push(starts.len() - 1);
        }
        starts.push(rows);
        Peers { starts, groups }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.groups.len()
    }

    /// A row and its peers.
    pub fn of(&self, row: usize) -> Range<usize> {
        self.group(self.groups[row])
    }

    fn group(&self, group: usize) -> Range<usize> {
        self.starts[group]..self.starts[group + 1]
    }

    /// The rows that a row sees. Going from row to row, neither end of a frame goes back.
    pub fn frame(&self, frame: Frame, row: usize) -> Range<usize> {
        let start = self.bound(frame.unit, frame.start, row).start;
        let end = self.bound(frame.unit, frame.end, row).end;
        start..end.max(start)
    }

    /// What stands at a bound: a row or a group of peers, or nothing, before or behind all rows.
    fn bound(&self, unit: FrameUnit, bound: FrameBound, row: usize) -> Range<usize> {
        let rows = self.rows();
        let (at, count) = match unit {
            FrameUnit::Rows => (row, rows),
            FrameUnit::Groups | FrameUnit::Range => (self.groups[row], self.starts.len() - 1),
        };
        let distance = |distance: u64| usize::try_from(distance).unwrap_or(usize::MAX);
        let found = match bound {
            FrameBound::First => return 0..0,
            FrameBound::Last => return rows..rows,
            // Arguments are resolved before (`Frames::bound`).
            FrameBound::BeforeArgument(_) | FrameBound::BehindArgument(_) | FrameBound::Key(_) => return rows..rows,
            FrameBound::Current => Some(at),
            FrameBound::Before(before) => at.checked_sub(distance(before)),
            FrameBound::Behind(behind) => Some(at.saturating_add(distance(behind))),
        };
        match (found, unit) {
            (None, _) => 0..0,
            (Some(at), _) if at >= count => rows..rows,
            (Some(at), FrameUnit::Rows) => at..at + 1,
            (Some(at), FrameUnit::Groups | FrameUnit::Range) => self.group(at),
        }
    }
}

/// The frames of one partition's rows.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    peers: &'a Peers,
    frame: Frame,
    /// Its arguments, each of all rows, in order.
    arguments: &'a [&'a [Value]],
    /// Whether the order goes down.
    descending: bool,
}

impl<'a> Frames<'a> {
    /// A frame of rows, with its arguments. `descending` says whether keys go down.
    pub fn new(peers: &'a Peers, frame: Frame, arguments: &'a [&'a [Value]], descending: bool) -> Self {
        Frames { peers, frame, arguments, descending }
    }

    /// The rows from bound to bound.
    pub fn span(&self, row: usize) -> Range<usize> {
        let start = self.bound(self.frame.start, row).start;
        let end = self.bound(self.frame.end, row).end;
        start..end.max(start)
    }

    /// The rows that a row sees, in order.
    pub fn rows(&self, row: usize) -> Vec<usize> {
        let alike = self.peers.of(row);
        let is_seen = |other: &usize| match self.frame.exclude {
            Exclude::NoOthers => true,
            Exclude::CurrentRow => *other != row,
            Exclude::Group => !alike.contains(other),
            Exclude::Ties => *other == row || !alike.contains(other),
        };
        self.span(row).filter(is_seen).collect()
    }

    fn bound(&self, bound: FrameBound, row: usize) -> Range<usize> {
        let distance = |argument: u8| match self.arguments[usize::from(argument)][row] {
            Value::Int(distance) => u64::try_from(distance).unwrap_or(0),
            _ => 0,
        };
        let bound = match bound {
            FrameBound::BeforeArgument(argument) => FrameBound::Before(distance(argument)),
            FrameBound::BehindArgument(argument) => FrameBound::Behind(distance(argument)),
            FrameBound::Key(argument) => return self.keys(row, &self.arguments[usize::from(argument)][row]),
            other => other,
        };
        self.peers.bound(self.frame.unit, bound, row)
    }

    /// From the first row whose key is not before a value to the last one whose key is not behind it.
    fn keys(&self, row: usize, value: &Value) -> Range<usize> {
        let keys = self.arguments[0];
        if keys[row].is_null() {
            return self.peers.of(row);
        }
        let first = keys.iter().position(|key| !key.is_null()).unwrap_or(keys.len());
        let last = keys.iter().rposition(|key| !key.is_null()).map_or(first, |last| last + 1);
        let order = |key: &Value| if self.descending { value.compare(key) } else { key.compare(value) };
        let from = (first..last).find(|&at| order(&keys[at]).is_ge()).unwrap_or(last);
        let to = (first..last).rfind(|&at| order(&keys[at]).is_le()).map_or(first, |at| at + 1);
        from..to
    }
}

/// A function over one partition.
#[derive(Debug)]
pub struct Windowed<'a> {
    function: WindowFunction,
    /// Those of all rows, in order.
    arguments: &'a [&'a [Value]],
    frames: Frames<'a>,
    /// Of ntile the row that says how many buckets there are.
    first: usize,
}

impl<'a> Windowed<'a> {
    /// A function over rows with these arguments, as many as it takes.
    pub fn new(function: WindowFunction, arguments: &'a [&'a [Value]], frames: Frames<'a>) -> Self {
        let first = arguments.first().and_then(|values| values.iter().position(|value| !value.is_null()));
        Windowed { function, arguments, frames, first: first.unwrap_or(frames.peers.rows()) }
    }

    /// What it says of a row.
    ///
    /// # Errors
    /// 22014 and 22016, of ntile and nth_value of less than one.
    pub fn value(&self, row: usize) -> Result<Value> {
        let Windowed { arguments, frames, .. } = *self;
        let peers = frames.peers;
        let (rows, alike) = (peers.rows(), peers.of(row));
        let counts = |row: usize| !frames.frame.ignore_nulls || !arguments[0][row].is_null();
        let seen = || frames.rows(row).into_iter().filter(|&row| counts(row));
        let value_of = |row: Option<usize>| row.map_or(Value::Null, |row| arguments[0][row].clone());
        Ok(match self.function {
            WindowFunction::RowNumber => count(row + 1),
            WindowFunction::Rank => count(alike.start + 1),
            WindowFunction::DenseRank => count(peers.groups[row] + 1),
            WindowFunction::PercentRank if rows == 1 => Value::Float(0.0),
            WindowFunction::PercentRank => Value::Float(alike.start as f64 / (rows - 1) as f64),
            WindowFunction::CumeDist => Value::Float(alike.end as f64 / rows as f64),
            WindowFunction::Ntile if row < self.first => Value::Null,
            WindowFunction::Ntile => {
                let buckets = at_least_one(&arguments[0][self.first], ErrorKind::InvalidNtile, "ntile")?;
                count(bucket(row - self.first, rows, buckets) + 1)
            }
            WindowFunction::Lag => moved(arguments, row, -1, counts),
            WindowFunction::Lead => moved(arguments, row, 1, counts),
            WindowFunction::FirstValue => value_of(seen().next()),
            WindowFunction::LastValue => value_of(seen().next_back()),
            WindowFunction::NthValue => {
                let number = &arguments[1][row];
                if number.is_null() {
                    return Ok(Value::Null);
                }
                let number = at_least_one(number, ErrorKind::InvalidNthValue, "nth_value")?;
                value_of(seen().nth(number - 1))
            }
        })
    }
}

fn count(rows: usize) -> Value {
    Value::Int(i64::try_from(rows).unwrap_or(i64::MAX))
}

/// The argument of a function that counts from one.
///
/// # Errors
/// Of this kind, if it is less.
pub fn at_least_one(value: &Value, kind: ErrorKind, function: &str) -> Result<usize> {
    match value {
        Value::Int(value @ 1..) => Ok(usize::try_from(*value).unwrap_or(usize::MAX)),
        _ => Err(Error::new(kind, format!("argument of {function} must be greater than zero"))),
    }
}

/// Which of so many buckets a row of so many is in, from 0: the first ones hold one row more where rows are left over.
pub fn bucket(row: usize, rows: usize, buckets: usize) -> usize {
    let (each, larger) = (rows / buckets, rows % buckets);
    let in_larger = larger * (each + 1);
    if row < in_larger { row / (each + 1) } else { larger + (row - in_larger) / each.max(1) }
}

/// (value, offset, default): the value of the row so far away, in a direction, of those that count.
fn moved(arguments: &[&[Value]], row: usize, direction: i128, counts: impl Fn(usize) -> bool) -> Value {
    let [values, offsets, defaults] = arguments else { return Value::Null };
    let Value::Int(offset) = offsets[row] else { return Value::Null };
    let offset = direction * i128::from(offset);
    let nth = |distance: i128| usize::try_from(distance).ok().and_then(|distance| distance.checked_sub(1));
    let found = match offset {
        0 => Some(row),
        1.. => nth(offset).and_then(|nth| (row + 1..values.len()).filter(|&row| counts(row)).nth(nth)),
        _ => nth(-offset).and_then(|nth| (0..row).rev().filter(|&row| counts(row)).nth(nth)),
    };
    found.map_or(&defaults[row], |row| &values[row]).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Buckets differ by one row at most, larger ones first, and no row is left out.
    #[test]
    fn buckets_are_as_equal_as_can_be() {
        for rows in 0..40 {
            for buckets in 1..50 {
                let mut sizes = vec![0; buckets];
                (0..rows).for_each(|row| sizes[bucket(row, rows, buckets)] += 1);
                let expected = |at: usize| rows / buckets + usize::from(at < rows % buckets);
                assert!(sizes.iter().enumerate().all(|(at, &size)| size == expected(at)), "{rows} in {buckets}");
            }
        }
    }

    /// Every frame against the rows that pass what the words say, one by one.
    #[test]
    fn frames_hold_what_they_say() {
        use FrameBound::{Before, Behind, Current, First, Last};
        let keys = [1, 1, 2, 3, 3, 3, 7];
        let peers = Peers::new(keys.len(), |row| keys[row] != keys[row - 1]);
        let group = |row: usize| keys[..=row].windows(2).filter(|pair| pair[0] != pair[1]).count() as i64;
        for unit in [FrameUnit::Rows, FrameUnit::Groups, FrameUnit::Range] {
            let place = |row: usize| if unit == FrameUnit::Rows { row as i64 } else { group(row) };
            for start in [First, Before(1), Before(9), Current, Behind(2), Behind(u64::MAX)] {
                for end in [Before(u64::MAX), Before(1), Current, Behind(1), Behind(9), Last] {
                    for row in 0..keys.len() {
                        let distance = |bound| match bound {
                            First => i64::MIN,
                            Before(rows) => -i64::try_from(rows).unwrap_or(1 << 40),
                            Current => 0,
                            Behind(rows) => i64::try_from(rows).unwrap_or(1 << 40),
                            Last => i64::MAX,
                            other => unreachable!("{other:?} is not among them"),
                        };
                        let seen = |other: &usize| {
                            let from = place(*other) - place(row);
                            distance(start) <= from && from <= distance(end)
                        };
                        let expected: Vec<usize> = (0..keys.len()).filter(seen).collect();
                        let found = peers.frame(Frame::of(unit, start, end), row);
                        assert_eq!(found.collect::<Vec<_>>(), expected, "{unit:?} {start:?} {end:?} of {row}");
                    }
                }
            }
        }
        assert_eq!(Peers::new(0, |_| true).rows(), 0);
    }

    /// Frames by keys, with the rows that they leave out.
    #[test]
    fn frames_of_keys() {
        let key = |key: Option<i64>| key.map_or(Value::Null, Value::Int);
        let keys: Vec<Value> = [Some(1), Some(1), Some(3), Some(7), None, None].map(key).to_vec();
        let at = |distance: i64| -> Vec<Value> {
            let moved = |key: &Value| if let Value::Int(key) = key { Value::Int(key + distance) } else { Value::Null };
            keys.iter().map(moved).collect()
        };
        let (below, above) = (at(-2), at(4));
        let arguments: [&[Value]; 3] = [&keys, &below, &above];
        let peers = Peers::new(keys.len(), |row| keys[row] != keys[row - 1]);
        let frame = Frame::of(FrameUnit::Range, FrameBound::Key(1), FrameBound::Key(2));
        let seen = |exclude| {
            let frames = Frames::new(&peers, Frame { exclude, ..frame }, &arguments, false);
            (0..keys.len()).map(|row| frames.rows(row)).collect::<Vec<_>>()
        };
        let [all, nulls] = [vec![0, 1, 2], vec![4, 5]];
        assert_eq!(
            seen(Exclude::NoOthers),
            [all.clone(), all.clone(), vec![0, 1, 2, 3], vec![3], nulls.clone(), nulls]
        );
        assert_eq!(seen(Exclude::Group), [vec![2], vec![2], vec![0, 1, 3], vec![], vec![], vec![]]);
        assert_eq!(seen(Exclude::Ties), [vec![0, 2], vec![1, 2], vec![0, 1, 2, 3], vec![3], vec![4], vec![5]]);
        assert_eq!(seen(Exclude::CurrentRow)[1], [0, 2]);
    }
}
