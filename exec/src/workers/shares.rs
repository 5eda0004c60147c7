//! The NUMA schedule of a loop: workers of a node take pieces whose memory is near first, then what other nodes have left.
//!
//! 1. Each node has a share: the numbers that have their home there, and of those that have none an equal part.
//! 2. A worker takes the next number of its node's share. Once that is used up, it turns to the next node's, by number, and
//!    behind the last to the first one's.
//! 3. Where the work decides on which node memory is, a node is waited for: until the first of its workers comes, which takes as
//!    long as waking it up, and then until its share is used up. Not for ever: its workers may have another statement's work,
//!    and it may have none that is free.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long the first worker of a node is waited for: several times what waking it up takes. Tests want to know who takes what.
const COMES_WITHIN: Duration = Duration::from_millis(if cfg!(test) { 10_000 } else { 2 });

/// How long a node that has begun is waited for, for each number of its share: what copying a large chunk takes.
const TAKES_A_NUMBER: Duration = Duration::from_millis(if cfg!(test) { 10_000 } else { 5 });

/// The node of each number, if it has one.
pub(super) type NodeOf<'a> = &'a dyn Fn(usize) -> Option<usize>;

/// Where numbers are at home.
#[derive(Clone, Copy)]
pub(super) enum Home<'a> {
    /// Anywhere.
    Nowhere,
    /// They are better done there.
    Near(NodeOf<'a>),
    /// They are done there, unless its workers do not come.
    At(NodeOf<'a>),
}

/// For each node the numbers that its workers take first.
pub(super) struct Shares {
    /// All numbers, node by node; None if they are in order.
    order: Option<Vec<u32>>,
    nodes: Vec<Share>,
    /// Since when nodes are waited for.
    begun: Option<Instant>,
}

/// A node's part of all numbers, by their places in the order.
struct Share {
    next: AtomicUsize,
    end: usize,
    count: usize,
    /// One of its own workers has taken a number.
    has_come: AtomicBool,
}

impl Shares {
    /// Shares of the numbers below `count`.
    pub(super) fn new(count: usize, nodes: usize, home: Home<'_>) -> Self {
        let even = |number: usize| number * nodes / count.max(1);
        let (home, waits) = match home {
            Home::Near(home) if nodes > 1 => (home, false),
            Home::At(home) if nodes > 1 => (home, true),
            _ => {
                let bounds = (0..=nodes).map(|node| (count * node).div_ceil(nodes));
                return Shares::of(None, &bounds.collect::<Vec<_>>(), false);
            }
        };
        let node = |number: usize| home(number).map_or_else(|| even(number), |node| node % nodes);
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_cached_key(|&number| node(number as usize));
        let bounds = (0..=nodes).map(|bound| order.partition_point(|&number| node(number as usize) < bound));
        let bounds: Vec<usize> = bounds.collect();
        Shares::of(Some(order), &bounds, waits)
    }

    fn of(order: Option<Vec<u32>>, bounds: &[usize], waits: bool) -> Self {
        let share = |bounds: &[usize]| Share {
            next: AtomicUsize::new(bounds[0]),
            end: bounds[1],
            count: bounds[1] - bounds[0],
            has_come: AtomicBool::new(false),
        };
        Shares { order, nodes: bounds.windows(2).map(share).collect(), begun: waits.then(Instant::now) }
    }

    /// Whether nodes are waited for.
    pub(super) fn wait(&self) -> bool {
        self.begun.is_some()
    }

    /// The next number for a worker of a node.
    pub(super) fn take(&self, own: usize) -> Option<usize> {
        let nodes = self.nodes.len();
        let place = (0..nodes).map(|step| (own + step) % nodes).find_map(|node| {
            let share = &self.nodes[node];
            match self.begun {
                Some(_) if node == own => share.has_come.store(true, Ordering::Relaxed),
                Some(begun) => share.wait(begun),
                None => {}
            }
            share.take()
        })?;
        Some(self.order.as_ref().map_or(place, |order| order[place] as usize))
    }

    /// Whether there is a number left.
    pub(super) fn any_left(&self) -> bool {
        self.nodes.iter().any(Share::is_left)
    }
}

impl Share {
    fn is_left(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.end
    }

    fn take(&self) -> Option<usize> {
        // Looking first keeps the counter from running away.
        if !self.is_left() {
            return None;
        }
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        (place < self.end).then_some(place)
    }

    /// Returns when its own workers have left nothing, or are not worth waiting for.
    fn wait(&self, begun: Instant) {
        let patience = || match self.has_come.load(Ordering::Relaxed) {
            true => COMES_WITHIN + TAKES_A_NUMBER * self.count as u32,
            false => COMES_WITHIN,
        };
        while self.is_left() && begun.elapsed() < patience() {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that workers of these nodes take, one after the other, until none is left.
    fn taken(shares: &Shares, nodes: &[usize]) -> Vec<usize> {
        nodes.iter().cycle().map_while(|&node| shares.take(node)).collect()
    }

    #[test]
    fn numbers_without_a_home_are_dealt_evenly() {
        for (count, nodes) in [(1, 1), (1, 4), (7, 2), (8, 4), (9, 4), (3, 4)] {
            let shares = || Shares::new(count, nodes, Home::Nowhere);
            for node in 0..nodes {
                let own = (0..count).filter(|number| number * nodes / count == node);
                let all = taken(&shares(), &[node]);
                assert!(own.eq(all.iter().copied().take_while(|number| number * nodes / count == node)));
                assert_eq!(all.len(), count);
            }
            let mut by_all = taken(&shares(), &(0..nodes).collect::<Vec<_>>());
            by_all.sort_unstable();
            assert_eq!(by_all, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn numbers_are_taken_at_home_first_and_stolen_from_the_next_node() {
        for nodes in [2, 4] {
            // Twelve chunks of which any are left out: the others keep their homes.
            for left_out in [0, 0b1010_1010_1010, 0b111, 0b1111_1111_0111, 0b0001_0001_0001] {
                let kept: Vec<usize> = (0..12).filter(|chunk| left_out >> chunk & 1 == 0).collect();
                let home = |number: usize| Some(kept[number] % nodes);
                let near = Home::Near(&home);
                for node in 0..nodes {
                    let order = taken(&Shares::new(kept.len(), nodes, near), &[node]);
                    let mut expected: Vec<usize> = (0..kept.len()).collect();
                    expected.sort_by_key(|&number| (kept[number] % nodes + nodes - node) % nodes);
                    assert_eq!(order, expected, "node {node} of {nodes}, without {left_out:b}");
                }
                // As long as each has some left, nobody takes another's.
                let shares = Shares::new(kept.len(), nodes, near);
                let least = (0..nodes).map(|node| kept.iter().filter(|chunk| *chunk % nodes == node).count()).min();
                for _ in 0..least.unwrap_or(0) {
                    (0..nodes).for_each(|node| assert_eq!(home(shares.take(node).unwrap()), Some(node)));
                }
            }
        }
        // Homes of another machine, and numbers that have none.
        let home = |number: usize| number.is_multiple_of(2).then_some(7);
        let near = Home::Near(&home);
        let mut all = taken(&Shares::new(9, 2, near), &[1]);
        assert_eq!(all[0], 0);
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<_>>());
        assert!(Shares::new(0, 2, near).take(0).is_none() && Shares::new(0, 3, Home::Nowhere).take(2).is_none());
    }

    #[test]
    fn where_memory_is_placed_a_node_is_waited_for() {
        let home = |number: usize| Some(number % 2);
        let shares = Shares::new(4, 2, Home::At(&home));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                assert_eq!(shares.take(1), Some(1));
                std::thread::sleep(Duration::from_millis(20));
                assert_eq!(shares.take(1), Some(3));
            });
            assert_eq!([0; 3].map(|node| shares.take(node)), [Some(0), Some(2), None]);
        });
    }

    #[test]
    fn a_node_is_not_waited_for_longer_than_that() {
        let home = |number: usize| Some(number % 2);
        let longer_ago = |time: Duration| Instant::now().checked_sub(time + Duration::from_millis(1));
        // Nobody comes.
        let absent = Shares { begun: longer_ago(COMES_WITHIN), ..Shares::new(4, 2, Home::At(&home)) };
        assert_eq!(taken(&absent, &[0]), [0, 2, 1, 3]);
        // One comes, and stays away then.
        let busy =
            Shares { begun: longer_ago(COMES_WITHIN + 3 * TAKES_A_NUMBER), ..Shares::new(6, 2, Home::At(&home)) };
        assert_eq!(busy.take(1), Some(1));
        assert_eq!(taken(&busy, &[0]), [0, 2, 4, 3, 5]);
    }
}
