//! Where the frames of windows begin and end: Rust's ranges, in the typed form and in the untyped one.

use super::expression::Expression;
use super::tree::{Bound, Tree};
use std::ops::{RangeFrom, RangeFull, RangeInclusive, RangeToInclusive};

/// One end of a window's frame: [`preceding`], [`current_row`] and [`following`], or in the typed form
/// [`window::preceding`](super::window::preceding) and its kin. A number says the same: below 0 it is before the current row.
#[derive(Clone)]
pub struct FrameBound(pub(super) Bound);

/// The frame of a window: a range, of which both ends count. Numbers are distances from the current row, `0` is the row itself, and
/// an end that is left out is that of the partition: `-2..=0`, `..=0`, `..`. Distances that are no whole numbers are
/// [`FrameBound`]s: `preceding(interval("7 days"))..=current_row()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no frame of a window",
    note = "frames are ranges of `i64` or of `FrameBound` that include their ends: `-1..=0`, `..=0`, `preceding(x)..=following(y)`, `..`"
)]
pub trait FrameRange {
    /// Where it begins, and where it ends.
    #[doc(hidden)]
    fn bounds(self) -> (FrameBound, FrameBound);
}

/// So many rows or groups before the current row, or a value so much smaller.
pub fn preceding(distance: impl Into<Expression>) -> FrameBound {
    FrameBound(Bound::Before(distance.into().tree))
}

/// The current row; of RANGE and GROUPS its peers, too.
pub fn current_row() -> FrameBound {
    FrameBound(Bound::Current)
}

/// So many rows or groups behind the current row, or a value so much greater.
pub fn following(distance: impl Into<Expression>) -> FrameBound {
    FrameBound(Bound::Behind(distance.into().tree))
}

impl From<i64> for FrameBound {
    fn from(at: i64) -> Self {
        let distance = || Tree::Number(at.unsigned_abs().to_string());
        FrameBound(match at {
            0 => Bound::Current,
            ..0 => Bound::Before(distance()),
            _ => Bound::Behind(distance()),
        })
    }
}

impl FrameRange for RangeFull {
    fn bounds(self) -> (FrameBound, FrameBound) {
        (FrameBound(Bound::First), FrameBound(Bound::Last))
    }
}

macro_rules! ranges {
    ($($end:ty),*) => {
        $(impl FrameRange for RangeInclusive<$end> {
            fn bounds(self) -> (FrameBound, FrameBound) {
                let (start, end) = self.into_inner();
                (start.into(), end.into())
            }
        }

        impl FrameRange for RangeFrom<$end> {
            fn bounds(self) -> (FrameBound, FrameBound) {
                (self.start.into(), FrameBound(Bound::Last))
            }
        }

        impl FrameRange for RangeToInclusive<$end> {
            fn bounds(self) -> (FrameBound, FrameBound) {
                (FrameBound(Bound::First), self.end.into())
            }
        })*
    };
}

ranges!(i64, FrameBound);
