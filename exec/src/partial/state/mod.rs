//! The states of aggregates, for many groups at once: one array a reduction, indexed by group number. They are data: how rows
//! are folded in is a backend's.
//!
//! Every state is independent of the order of the rows and of how these were spread: integer sums are exact, float sums
//! too until the end, extremes have one representation for values that compare equal. (Which row `any_value` has depends on
//! who merges: in the order of the rows. What is gathered knows the places of its rows.)

pub(crate) mod any_value;
pub(crate) mod distinct;
pub(crate) mod extreme;
pub(crate) mod float_sum;
pub(crate) mod gathered;
pub(crate) mod integer_sum;
pub(crate) mod interval_sum;
pub(crate) mod logic;
pub(crate) mod moments;
pub(crate) mod numeric_sum;
pub(crate) mod statistics;
pub(crate) mod vector_sum;

use super::keys::picked;
use any_value::AnyValue;
use distinct::Distinct;
use extreme::Extreme;
use float_sum::FloatSums;
use gathered::Gathered;
use integer_sum::IntegerSums;
use interval_sum::IntervalSums;
use logic::Logic;
use moments::Moments;
use numeric_sum::NumericSums;
use statistics::Statistics;
use vector_sum::VectorSums;

/// The states of one aggregate, for some groups.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Count(Vec<i64>),
    Integers(IntegerSums),
    Floats(FloatSums),
    Intervals(IntervalSums),
    Extreme(Extreme),
    Logic(Logic),
    Value(AnyValue),
    Moments(Moments),
    Numerics(NumericSums),
    Distinct(Box<Distinct>),
    Gathered(Box<Gathered>),
    Statistics(Statistics),
    Vectors(Box<VectorSums>),
}

/// Calls the same method of whichever state it is.
macro_rules! each_state {
    ($self:expr, $inner:ident => $body:expr, count($counts:ident) => $count:expr) => {
        match $self {
            State::Count($counts) => $count,
            State::Integers($inner) => $body,
            State::Floats($inner) => $body,
            State::Intervals($inner) => $body,
            State::Extreme($inner) => $body,
            State::Logic($inner) => $body,
            State::Value($inner) => $body,
            State::Moments($inner) => $body,
            State::Numerics($inner) => $body,
            State::Distinct($inner) => $body,
            State::Gathered($inner) => $body,
            State::Statistics($inner) => $body,
            State::Vectors($inner) => $body,
        }
    };
}

impl State {
    /// How many groups.
    pub(crate) fn groups(&self) -> usize {
        each_state!(self, inner => inner.groups(), count(counts) => counts.len())
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        each_state!(self, inner => inner.bytes(), count(counts) => counts.capacity() * 8)
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(super) fn take(&self, groups: &[u32]) -> State {
        match self {
            State::Count(counts) => State::Count(picked(counts, groups)),
            State::Integers(sums) => State::Integers(sums.take(groups)),
            State::Floats(sums) => State::Floats(sums.take(groups)),
            State::Intervals(sums) => State::Intervals(sums.take(groups)),
            State::Extreme(extreme) => State::Extreme(extreme.take(groups)),
            State::Logic(logic) => State::Logic(logic.take(groups)),
            State::Value(value) => State::Value(value.take(groups)),
            State::Moments(moments) => State::Moments(moments.take(groups)),
            State::Numerics(sums) => State::Numerics(sums.take(groups)),
            State::Distinct(sets) => State::Distinct(Box::new(sets.take(groups))),
            State::Gathered(texts) => State::Gathered(Box::new(texts.take(groups))),
            State::Statistics(states) => State::Statistics(states.take(groups)),
            State::Vectors(sums) => State::Vectors(Box::new(sums.take(groups))),
        }
    }

    /// Whether states of both can be merged, because they are of one aggregate.
    pub(crate) fn is_like(&self, other: &State) -> bool {
        match (self, other) {
            (State::Count(_), State::Count(_))
            | (State::Floats(_), State::Floats(_))
            | (State::Intervals(_), State::Intervals(_)) => true,
            (State::Distinct(mine), State::Distinct(theirs)) => mine.is_like(theirs),
            (State::Gathered(mine), State::Gathered(theirs)) => mine.is_like(theirs),
            (State::Statistics(mine), State::Statistics(theirs)) => mine.is_like(theirs),
            (State::Integers(mine), State::Integers(theirs)) => mine.is_like(theirs),
            (State::Extreme(mine), State::Extreme(theirs)) => mine.is_like(theirs),
            (State::Logic(mine), State::Logic(theirs)) => mine.is_like(theirs),
            (State::Value(mine), State::Value(theirs)) => mine.is_like(theirs),
            (State::Moments(mine), State::Moments(theirs)) => mine.is_like(theirs),
            (State::Numerics(mine), State::Numerics(theirs)) => mine.is_like(theirs),
            (State::Vectors(mine), State::Vectors(theirs)) => mine.is_like(theirs),
            _ => false,
        }
    }
}
