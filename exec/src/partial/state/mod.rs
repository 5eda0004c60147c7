//! The states of aggregates, for many groups at once: one array a reduction, indexed by group number. They are data: how rows
//! are folded in is a backend's.
//!
//! Every state is independent of the order of the rows and of how these were spread: integer sums are exact, float sums
//! too until the end, extremes have one representation for values that compare equal. (Which row `any_value` has depends on
//! who merges: in the order of the rows.)

pub(crate) mod any_value;
pub(crate) mod distinct;
pub(crate) mod extreme;
pub(crate) mod float_sum;
pub(crate) mod integer_sum;
pub(crate) mod interval_sum;
pub(crate) mod logic;
pub(crate) mod moments;
pub(crate) mod numeric_sum;

use any_value::AnyValue;
use distinct::Distinct;
use extreme::Extreme;
use float_sum::FloatSums;
use integer_sum::IntegerSums;
use interval_sum::IntervalSums;
use logic::Logic;
use moments::Moments;
use numeric_sum::NumericSums;

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
}
