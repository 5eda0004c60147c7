//! Statistics of each group (`sums/statistic`).

use crate::sums::statistic::Summary;
use multiloop_planner::evaluate::statistic::Statistic;

/// The states of each group.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    pub(crate) kind: Statistic,
    pub(crate) states: Vec<Summary>,
    /// Bytes that states hold elsewhere.
    heap: usize,
}

impl Statistics {
    /// For no groups.
    pub(crate) fn new(kind: Statistic) -> Self {
        Statistics::of(kind, Vec::new())
    }

    /// Of these states.
    pub(crate) fn of(kind: Statistic, states: Vec<Summary>) -> Self {
        Statistics { kind, heap: heap_bytes(&states), states }
    }

    /// Changes a group's state, and counts the memory that it takes.
    pub(crate) fn change<T>(&mut self, group: usize, change: impl FnOnce(&mut Summary) -> T) -> T {
        let state = &mut self.states[group];
        let before = state.heap_bytes();
        let changed = change(state);
        self.heap = self.heap.saturating_sub(before).saturating_add(state.heap_bytes());
        changed
    }

    pub(crate) fn groups(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.heap = self.heap.saturating_sub(heap_bytes(self.states.get(groups..).unwrap_or_default()));
        let (kind, before) = (self.kind, self.states.len());
        self.states.resize_with(groups, || Summary::new(kind));
        self.heap = self.heap.saturating_add(heap_bytes(self.states.get(before..).unwrap_or_default()));
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.states.capacity() * size_of::<Summary>()).saturating_add(self.heap)
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        Statistics::of(self.kind, groups.iter().map(|&group| self.states[group as usize].clone()).collect())
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// Bytes that states hold elsewhere. Those of a program's aggregates are what it says.
fn heap_bytes(states: &[Summary]) -> usize {
    states.iter().map(Summary::heap_bytes).fold(0, usize::saturating_add)
}
