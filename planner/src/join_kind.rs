//! Kinds of joins.

/// The joins. `Cross` is Inner with the condition TRUE; `Right` is swapped into `Left` by the binder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are SQL's own names")]
pub enum JoinKind {
    Inner,
    Left,
    Full,
    /// Left rows with at least one match.
    Semi,
    /// Left rows without a match (NOT EXISTS).
    Anti,
}
