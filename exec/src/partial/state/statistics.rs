//! Statistics of each group (`sums/statistic`).

use crate::column::order_key::{float_key, text_order};
use crate::sums::statistic::Summary;
use multiloop_planner::evaluate::statistic::Statistic;
use multiloop_planner::value::Value;

/// The states of each group.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    pub(crate) kind: Statistic,
    pub(crate) states: Vec<Summary>,
    /// Of places in an order the number of each state's last value, behind which none is wanted; else empty.
    pub(crate) limits: Vec<i64>,
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
        let limits = match kind {
            Statistic::Nth(_) => states.iter().map(|state| limit_of(state, kind)).collect(),
            _ => Vec::new(),
        };
        Statistics { kind, heap: heap_bytes(&states), states, limits }
    }

    /// Changes a group's state, and counts the memory that it takes.
    pub(crate) fn change<T>(&mut self, group: usize, change: impl FnOnce(&mut Summary) -> T) -> T {
        let state = &mut self.states[group];
        let before = state.heap_bytes();
        let changed = change(state);
        self.heap = self.heap.saturating_sub(before).saturating_add(state.heap_bytes());
        if let Some(limit) = self.limits.get_mut(group) {
            *limit = limit_of(state, self.kind);
        }
        changed
    }

    pub(crate) fn groups(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.heap = self.heap.saturating_sub(heap_bytes(self.states.get(groups..).unwrap_or_default()));
        let (kind, before) = (self.kind, self.states.len());
        self.states.resize_with(groups, || Summary::new(kind));
        if let Statistic::Nth(_) = kind {
            self.limits.resize(groups, i64::MAX);
        }
        self.heap = self.heap.saturating_add(heap_bytes(self.states.get(before..).unwrap_or_default()));
    }

    pub(crate) fn bytes(&self) -> usize {
        let limits = self.limits.capacity() * size_of::<i64>();
        (self.states.capacity() * size_of::<Summary>() + limits).saturating_add(self.heap)
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

/// A number that is never less than that of a value that stands before it; 0 of values that have none. A number that is not among
/// those of 64 bits is the last one on its side.
pub(crate) fn order_of(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        Value::Boolean(value) => (*value).into(),
        Value::Decimal(value) => clamped(*value),
        Value::Float(value) => float_key(*value),
        Value::Text(text) => text_order(text.as_bytes()),
        _ => 0,
    }
}

/// The next number of 64 bits.
pub(crate) fn clamped(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// The number of the value at the place of a state, turned around if the order is descending.
fn limit_of(state: &Summary, kind: Statistic) -> i64 {
    let descending = matches!(kind, Statistic::Nth(nth) if nth.descending);
    let last = state.at_place(kind).map(order_of);
    last.map_or(i64::MAX, |last| if descending { !last } else { last })
}
