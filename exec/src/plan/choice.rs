//! Choices: what was chosen, why, and what is chosen once more when the data is at hand.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A choice, and what decided it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Choice<T> {
    pub(crate) of: T,
    pub(crate) why: Cow<'static, str>,
}

/// A choice that only the data can make: what is expected of it, among what it will be, and by what test.
///
/// The function that made it is called again, with what is known by then; the run notes what it gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Adaptive<T> {
    pub(crate) expected: Choice<T>,
    /// All that it may become; one candidate is certain.
    pub(crate) candidates: Vec<T>,
    /// What decides between these.
    pub(crate) test: Cow<'static, str>,
}

impl<T> Choice<T> {
    /// This, because of that.
    pub(crate) fn new(of: T, why: impl Into<Cow<'static, str>>) -> Self {
        Choice { of, why: why.into() }
    }
}

impl<T: PartialEq> Adaptive<T> {
    /// What is expected, and what else it may become.
    pub(crate) fn new(expected: Choice<T>, others: impl IntoIterator<Item = T>, test: &'static str) -> Self
    where
        T: Clone,
    {
        let mut candidates = vec![expected.of.clone()];
        for other in others {
            if !candidates.contains(&other) {
                candidates.push(other);
            }
        }
        Adaptive { expected, candidates, test: test.into() }
    }

    /// Whether the data has no say.
    pub(crate) fn is_certain(&self) -> bool {
        self.candidates.len() == 1
    }

    /// Whether the data may choose this.
    pub(crate) fn allows(&self, chosen: &T) -> bool {
        self.candidates.contains(chosen)
    }
}
