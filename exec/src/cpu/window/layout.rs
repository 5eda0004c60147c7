//! The layout of sorted rows: where partitions and peer groups begin, and the frames of each row.

use crate::Result;
use multiloop_planner::window::{Frame, FrameBound, FrameUnit};
use std::ops::Range;

/// Rows in order.
#[derive(Debug)]
pub(super) struct Layout {
    /// The first row of each partition, and then how many rows there are.
    partitions: Vec<u32>,
    /// The same of groups of peers.
    peers: Vec<u32>,
}

impl Layout {
    /// From what tells each row from the one before: the number of a key. The first keys are of the partition, all of them of
    /// partition and order.
    pub(super) fn new(marks: &[u16], (partition, keys): (usize, usize)) -> Self {
        let starts = |keys: usize| {
            let begins = |(row, &mark): (u32, &u16)| (row == 0 || usize::from(mark) < keys).then_some(row);
            let mut starts: Vec<u32> = (0..).zip(marks).filter_map(begins).collect();
            starts.push(marks.len() as u32);
            starts
        };
        Layout { partitions: starts(partition), peers: starts(keys) }
    }

    pub(super) fn rows(&self) -> usize {
        self.partitions.last().map_or(0, |&rows| rows as usize)
    }

    /// All rows in pieces of about so many. Partitions stay whole if they are to.
    pub(super) fn pieces(&self, rows: usize, whole: bool) -> Vec<Range<usize>> {
        let (all, mut start, mut pieces) = (self.rows(), 0, Vec::new());
        while start < all {
            let mut end = all.min(start + rows);
            if whole {
                end = self.partitions[self.partitions.partition_point(|&first| (first as usize) < end)] as usize;
            }
            pieces.push(start..end);
            start = end;
        }
        pieces
    }

    /// The partitions that some rows are in, each with those of the rows that are its.
    pub(super) fn partitions(&self, rows: Range<usize>) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        groups(&self.partitions, rows)
    }

    /// The same of groups of peers.
    pub(super) fn peers(&self, rows: Range<usize>) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        groups(&self.peers, rows)
    }

    /// How many groups of peers begin before a row.
    pub(super) fn peers_before(&self, row: usize) -> usize {
        self.peers.partition_point(|&first| (first as usize) < row)
    }

    /// The group of peers with a number.
    pub(super) fn group(&self, number: usize) -> Range<usize> {
        self.peers[number] as usize..self.peers[number + 1] as usize
    }

    /// Gives what rows see, from row to row, and how many rows one behind the other see it. Within a partition neither end goes
    /// back, and a partition lies behind the one before it. The frame has no arguments (`Frames` sees to these).
    #[inline(always)]
    pub(super) fn each_frame(
        &self,
        frame: Frame,
        rows: Range<usize>,
        mut each: impl FnMut(Range<usize>, usize) -> Result<()>,
    ) -> Result<()> {
        for (partition, own) in self.partitions(rows) {
            if is_whole(frame) {
                each(partition, own.len())?;
            } else if frame.unit == FrameUnit::Rows {
                own.into_iter().try_for_each(|row| each(bounds(frame, &partition, row), 1))?;
            } else {
                let groups = self.peers_before(partition.start)..self.peers_before(partition.end);
                let mut group = self.peers.partition_point(|&first| first as usize <= own.start) - 1;
                let mut row = own.start;
                while row < own.end {
                    let next = own.end.min(self.peers[group + 1] as usize);
                    let seen = bounds(frame, &groups, group);
                    each(self.peers[seen.start] as usize..self.peers[seen.end] as usize, next - row)?;
                    (row, group) = (next, group + 1);
                }
            }
        }
        Ok(())
    }
}

/// Whether a frame is all of its partition.
pub(super) fn is_whole(frame: Frame) -> bool {
    frame.start == FrameBound::First && frame.end == FrameBound::Last
}

/// The groups that rows are in, by the first row of each, with those of the rows that are its.
fn groups(starts: &[u32], rows: Range<usize>) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let first = starts.partition_point(|&start| start as usize <= rows.start).saturating_sub(1);
    let groups = starts[first..].windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
    let (from, to) = (rows.start, rows.end);
    let meets = groups.take_while(move |group| group.start < to && from < to);
    meets.map(move |group| (group.clone(), group.start.max(from)..group.end.min(to)))
}

/// What is seen of `all` from `at`, one of them: from bound to bound, with what stands at these. Bounds are no arguments.
#[inline(always)]
pub(super) fn bounds(frame: Frame, all: &Range<usize>, at: usize) -> Range<usize> {
    let before = |distance: u64| usize::try_from(distance).ok().filter(|&distance| distance <= at - all.start);
    let behind = |distance: u64| usize::try_from(distance).ok().filter(|&distance| distance < all.end - at);
    let start = match frame.start {
        FrameBound::First => all.start,
        FrameBound::Before(distance) => before(distance).map_or(all.start, |distance| at - distance),
        FrameBound::Current => at,
        FrameBound::Behind(distance) => behind(distance).map_or(all.end, |distance| at + distance),
        FrameBound::Last | FrameBound::BeforeArgument(_) | FrameBound::BehindArgument(_) | FrameBound::Key(_) => {
            all.end
        }
    };
    let end = match frame.end {
        FrameBound::First => all.start,
        FrameBound::Before(distance) => before(distance).map_or(all.start, |distance| at - distance + 1),
        FrameBound::Current => at + 1,
        FrameBound::Behind(distance) => behind(distance).map_or(all.end, |distance| at + distance + 1),
        FrameBound::Last | FrameBound::BeforeArgument(_) | FrameBound::BehindArgument(_) | FrameBound::Key(_) => {
            all.end
        }
    };
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_planner::evaluate::window::Peers;

    /// Frames of partitions and peers of some sizes, for all rows and for pieces of them, are those that the words say.
    #[test]
    fn frames_are_those_of_the_specification() {
        use FrameBound::{Before, Behind, Current, First, Last};
        let sizes: [&[usize]; 4] = [&[1, 2, 1, 3], &[1], &[4], &[2, 2]];
        let mut marks = Vec::new();
        for sizes in sizes {
            for (group, &size) in sizes.iter().enumerate() {
                marks.extend((0..size).map(|row| if row > 0 { u16::MAX } else { u16::from(group > 0) }));
            }
        }
        let layout = Layout::new(&marks, (1, 2));
        let bounds =
            [First, Before(1), Before(3), Before(u64::MAX), Current, Behind(0), Behind(2), Behind(u64::MAX), Last];
        for unit in [FrameUnit::Rows, FrameUnit::Groups, FrameUnit::Range] {
            for (start, end) in bounds.iter().flat_map(|&start| bounds.map(|end| (start, end))) {
                let frame = Frame::of(unit, start, end);
                let (mut expected, mut first) = (Vec::new(), 0);
                for sizes in sizes {
                    let rows: usize = sizes.iter().sum();
                    let peers = Peers::new(rows, |row| marks[first + row] != u16::MAX);
                    expected.extend((0..rows).map(|row| {
                        let seen = peers.frame(frame, row);
                        if seen.is_empty() { 0..0 } else { first + seen.start..first + seen.end }
                    }));
                    first += rows;
                }
                for (from, to) in (0..=first).flat_map(|from| (from..=first).map(move |to| (from, to))) {
                    let mut found = Vec::new();
                    let add = |seen: Range<usize>, rows| {
                        found.extend(std::iter::repeat_n(if seen.is_empty() { 0..0 } else { seen }, rows));
                        Ok(())
                    };
                    layout.each_frame(frame, from..to, add).unwrap();
                    assert_eq!(found, expected[from..to], "{frame:?} of {from} to {to}");
                }
            }
        }
    }

    #[test]
    fn pieces_hold_whole_partitions() {
        let marks: Vec<u16> = (0..100).map(|row| if row % 7 == 0 { 0 } else { u16::MAX }).collect();
        let layout = Layout::new(&marks, (1, 1));
        for rows in [1, 6, 7, 8, 50, 99, 100, 200] {
            for whole in [false, true] {
                let pieces = layout.pieces(rows, whole);
                assert!(pieces.iter().flat_map(Clone::clone).eq(0..100));
                assert!(!whole || pieces.iter().all(|piece| piece.start % 7 == 0));
            }
        }
        assert!(Layout::new(&[], (0, 0)).pieces(5, true).is_empty());
    }
}
