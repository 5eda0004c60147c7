//! Names of sources: those that users give, and numbers that get a name once a whole query is known.

use std::sync::Arc;

/// How an expression reaches a source's columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Alias {
    /// A name as it is written.
    Named(Arc<str>),
    /// A source by its number. A query that is built or printed gives each number a name of its own, which is `base` or begins with it.
    Numbered {
        /// The same for one source and all that reads its columns.
        id: u64,
        /// What the name begins with.
        base: Arc<str>,
    },
}

impl From<&str> for Alias {
    fn from(name: &str) -> Self {
        Alias::Named(Arc::from(name))
    }
}
