//! Value ranges.

use crate::multiloop::{CollectionId, Program, ScalarId};

/// What is proven about the values of a program.
#[derive(Clone, Debug, Default)]
pub struct Ranges {}

impl Ranges {
    /// Analyses a program.
    pub fn analyse(program: &Program) -> Self {
        let _ = program;
        Ranges {}
    }

    /// Smallest and largest value of an integer-like scalar, in its type's unit.
    pub fn of(&self, scalar: ScalarId) -> Option<(i128, i128)> {
        let _ = scalar;
        None
    }

    /// An upper bound of the rows of a collection.
    pub fn rows(&self, collection: CollectionId) -> Option<u64> {
        let _ = collection;
        None
    }
}
