//! What window functions mean: which rows are peers, which rows a frame holds, and what a function says of a row.

use crate::error::{Error, ErrorKind, Result};
use crate::value::Value;
use crate::window::{Frame, FrameBound, FrameUnit, WindowFunction};
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

/// A function over one partition.
#[derive(Debug)]
pub struct Windowed<'a> {
    function: WindowFunction,
    /// Those of all rows, in order.
    arguments: &'a [&'a [Value]],
    peers: &'a Peers,
    frame: Frame,
    /// Of ntile the row that says how many buckets there are.
    first: usize,
}

impl<'a> Windowed<'a> {
    /// A function over rows with these arguments, as many as it takes.
    pub fn new(function: WindowFunction, arguments: &'a [&'a [Value]], peers: &'a Peers, frame: Frame) -> Self {
        let first = arguments.first().and_then(|values| values.iter().position(|value| !value.is_null()));
        Windowed { function, arguments, peers, frame, first: first.unwrap_or(peers.rows()) }
    }

    /// What it says of a row.
    ///
    /// # Errors
    /// 22014 and 22016, of ntile and nth_value of less than one.
    pub fn value(&self, row: usize) -> Result<Value> {
        let Windowed { arguments, peers, .. } = *self;
        let (rows, alike) = (peers.rows(), peers.of(row));
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
            WindowFunction::Lag => moved(arguments, row, -1),
            WindowFunction::Lead => moved(arguments, row, 1),
            WindowFunction::FirstValue => {
                let seen = peers.frame(self.frame, row);
                if seen.is_empty() { Value::Null } else { arguments[0][seen.start].clone() }
            }
            WindowFunction::LastValue => {
                let seen = peers.frame(self.frame, row);
                if seen.is_empty() { Value::Null } else { arguments[0][seen.end - 1].clone() }
            }
            WindowFunction::NthValue => {
                let number = &arguments[1][row];
                if number.is_null() {
                    return Ok(Value::Null);
                }
                let number = at_least_one(number, ErrorKind::InvalidNthValue, "nth_value")?;
                let seen = peers.frame(self.frame, row);
                if number > seen.len() { Value::Null } else { arguments[0][seen.start + number - 1].clone() }
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

/// (value, offset, default): the value of the row so far away, in a direction.
fn moved(arguments: &[&[Value]], row: usize, direction: i128) -> Value {
    let [values, offsets, defaults] = arguments else { return Value::Null };
    let Value::Int(offset) = offsets[row] else { return Value::Null };
    let to = row as i128 + direction * i128::from(offset);
    let found = usize::try_from(to).ok().and_then(|to| values.get(to));
    found.unwrap_or(&defaults[row]).clone()
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
                        };
                        let seen = |other: &usize| {
                            let from = place(*other) - place(row);
                            distance(start) <= from && from <= distance(end)
                        };
                        let expected: Vec<usize> = (0..keys.len()).filter(seen).collect();
                        let found = peers.frame(Frame { unit, start, end }, row);
                        assert_eq!(found.collect::<Vec<_>>(), expected, "{unit:?} {start:?} {end:?} of {row}");
                    }
                }
            }
        }
        assert_eq!(Peers::new(0, |_| true).rows(), 0);
    }
}
