//! Queries of the same rows as sets.

use super::query::{Query, columns_of, fresh};
use super::record::Lifted;
use crate::linq::block::{Block, SetOperation, Source};
use crate::linq::tree::Alias;
use std::sync::Arc;

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $operation:ident $all:literal;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(&self, other: &Self) -> Self {
            self.combined(other, SetOperation::$operation, $all)
        })*
    };
}

impl<R: Lifted> Query<'_, R> {
    operations! {
        /// The rows of both, each once.
        ///
        /// ```
        /// let session = multiloop::Engine::new()?.session();
        /// let (a, b) = (session.values([1_i32, 2, 2]), session.values([2_i32, 3]));
        /// assert_eq!(a.union(&b).order_by(|n| n).collect()?, [1, 2, 3]);
        /// assert_eq!(a.union_all(&b).order_by(|n| n).collect()?, [1, 2, 2, 2, 3]);
        /// assert_eq!(a.intersect(&b).collect()?, [2]);
        /// assert_eq!(a.except(&b).collect()?, [1]);
        /// # Ok::<(), multiloop::Error>(())
        /// ```
        union Union false;
        /// The rows of both.
        union_all Union true;
        /// The rows that both have, each once.
        intersect Intersect false;
        /// The rows that both have, each as often as in the one with fewer of it.
        intersect_all Intersect true;
        /// The rows that the other one has not, each once.
        except Except false;
        /// The rows, each as often as it is here more than in the other one.
        except_all Except true;
    }

    fn combined(&self, other: &Self, operation: SetOperation, all: bool) -> Self {
        let (left, names) = self.finished();
        let (right, _) = other.finished();
        let alias = Alias::Numbered { id: fresh(), base: Arc::from("combined") };
        let columns = columns_of(&alias, names);
        let source = Source::Set { operation, all, left: Arc::new(left), right: Arc::new(right), alias };
        self.with(Block::of(source), columns, false).failing(other.failure.clone()).failing(self.stranger(other))
    }
}
