//! The table of which predicates may move to which side of a join. All passes use it. All rules ask it.
//!
//! | join  | from above, left | from above, right | ON, left only | ON, right only |
//! |-------|------------------|-------------------|---------------|----------------|
//! | inner | into left        | into right        | into left     | into right     |
//! | left  | into left        | stays             | stays         | into right     |
//! | full  | stays            | stays             | stays         | stays          |
//! | semi  | into left        | (no such column)  | into left     | into right     |
//! | anti  | into left        | (no such column)  | stays         | into right     |
//!
//! Why a left join's ON keeps its left conjuncts: a left row that fails them is not dropped, it is given NULLs;
//! an anti join even keeps it. Why nothing from above enters the right of a left join: a right row dropped below
//! turns a match into NULLs, and those rows would come out. (If the predicate is not TRUE for NULLs, the join is
//! made an inner one first; see `strict`.)

use crate::join_kind::JoinKind;

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The left.
    Left,
    /// The right.
    Right,
}

/// Whether a pure predicate on one side's columns, applied above the join, may be applied to that side instead.
pub(super) fn may_cross_from_above(kind: JoinKind, side: Side) -> bool {
    match kind {
        JoinKind::Inner => true,
        JoinKind::Left | JoinKind::Semi | JoinKind::Anti => side == Side::Left,
        JoinKind::Full => false,
    }
}

/// Whether a pure conjunct of ON that reads one side's columns only may be applied to that side instead.
pub(super) fn may_cross_from_on(kind: JoinKind, side: Side) -> bool {
    match kind {
        JoinKind::Inner | JoinKind::Semi => true,
        JoinKind::Left | JoinKind::Anti => side == Side::Right,
        JoinKind::Full => false,
    }
}
