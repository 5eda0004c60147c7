//! What OVER says, before anything is known of the columns that it names.

use super::bounds::{FrameBound, FrameRange};
use super::expression::Order;
use super::tree::Tree;
use multiloop_planner::window::{Exclude, FrameUnit};

/// The rows that a call over a window sees.
#[derive(Clone, Default)]
pub(super) struct Window {
    /// PARTITION BY.
    pub(super) partition: Vec<Tree>,
    /// ORDER BY.
    pub(super) order: Vec<Order>,
    /// Which rows of the partition; none is SQL's usual frame.
    pub(super) frame: Option<WindowFrame>,
}

impl Window {
    /// Sets which rows of the partition it sees.
    pub(super) fn set_frame(&mut self, unit: FrameUnit, frame: impl FrameRange) {
        let (FrameBound(start), FrameBound(end)) = frame.bounds();
        self.frame = Some(WindowFrame { unit, start, end, exclude: Exclude::NoOthers });
    }

    /// Leaves rows out of its frame, or of SQL's usual one.
    pub(super) fn exclude(&mut self, exclude: Exclude) {
        let usual = || WindowFrame { unit: FrameUnit::Range, start: Bound::First, end: Bound::Current, exclude };
        self.frame.get_or_insert_with(usual).exclude = exclude;
    }
}

/// ROWS, GROUPS or RANGE between two bounds.
#[derive(Clone)]
pub(super) struct WindowFrame {
    /// What is counted.
    pub(super) unit: FrameUnit,
    /// Where it begins.
    pub(super) start: Bound,
    /// Where it ends.
    pub(super) end: Bound,
    /// What is left out.
    pub(super) exclude: Exclude,
}

/// Where a frame begins or ends.
#[derive(Clone)]
pub(super) enum Bound {
    /// UNBOUNDED PRECEDING.
    First,
    /// `n PRECEDING`.
    Before(Tree),
    /// CURRENT ROW.
    Current,
    /// `n FOLLOWING`.
    Behind(Tree),
    /// UNBOUNDED FOLLOWING.
    Last,
}
