//! What is known of the order of groups: enough that parts of one set of rows, put together, are in the order of the whole.

use super::PartialGroups;

/// The order that groups are shown in.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    /// Of their codes, which all parts have alike; of what has no key none is needed.
    Codes,
    /// Of the rows, which came clustered by their keys: groups are numbered in it within each segment.
    Clustered(Vec<Segment>),
    /// Of their first rows, within parts by the hashes of their keys: where each group's first row came. A place is a piece of
    /// work and the number of a tuple in it. Whoever cuts rows numbers the pieces: in the order of the rows.
    FirstRows(Vec<u64>),
    /// Nobody sees it.
    Unseen,
}

/// Groups of pieces that one worker did one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The pieces, by number: the first and the last.
    pub(crate) pieces: (usize, usize),
    /// Its first group; the last one is before the next segment's.
    pub(crate) start: u32,
}

impl Order {
    /// The order among these groups, which come in the order of their numbers and become the numbers 0, 1, 2, …
    pub(super) fn take(&self, groups: &[u32]) -> Order {
        match self {
            Order::Codes => Order::Codes,
            Order::Clustered(segments) => {
                let before = |start: u32| groups.partition_point(|&group| group < start) as u32;
                let moved = segments.iter().map(|segment| Segment { start: before(segment.start), ..*segment });
                Order::Clustered(moved.collect())
            }
            Order::FirstRows(places) => Order::FirstRows(super::keys::picked(places, groups)),
            Order::Unseen => Order::Unseen,
        }
    }

    /// Whether both are of one kind.
    pub(super) fn is_like(&self, other: &Order) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Order::Codes | Order::Unseen => 0,
            Order::Clustered(segments) => segments.capacity() * size_of::<Segment>(),
            Order::FirstRows(places) => places.capacity() * 8,
        }
    }
}

/// Puts groups behind others: the places of their rows are numbered behind those of the others.
pub(crate) fn put_behind(groups: &mut Vec<PartialGroups>, more: Vec<PartialGroups>) {
    let places = |of: &PartialGroups| if let Order::FirstRows(places) = &of.order { places.len() as u64 } else { 0 };
    let mut before: u64 = groups.iter().map(places).sum();
    for mut other in more {
        let own = places(&other);
        if let Order::FirstRows(places) = &mut other.order {
            places.iter_mut().for_each(|place| *place += before);
        }
        before += own;
        groups.push(other);
    }
}
