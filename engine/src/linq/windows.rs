//! Windows as users write them.

use super::bounds::FrameRange;
use super::expression::{Expression, Order};
use super::over::Window;
use multiloop_planner::window::{Exclude, FrameUnit};

/// What OVER says: see [`window`].
#[derive(Clone, Default)]
pub struct WindowSpec {
    pub(super) window: Window,
}

/// All rows as a window, to be made smaller.
pub fn window() -> WindowSpec {
    WindowSpec::default()
}

impl WindowSpec {
    /// Only the rows that are equal in these.
    #[must_use]
    pub fn partition_by(mut self, keys: impl IntoIterator<Item = Expression>) -> Self {
        self.window.partition = keys.into_iter().map(|key| key.tree).collect();
        self
    }

    /// The rows in an order.
    #[must_use]
    pub fn order_by<O: Into<Order>>(mut self, keys: impl IntoIterator<Item = O>) -> Self {
        self.window.order = keys.into_iter().map(Into::into).collect();
        self
    }

    /// Over rows at a distance from the current one, counted by rows: `-2..=0` are it and the two before, `..` are all.
    #[must_use]
    pub fn rows(self, frame: impl FrameRange) -> Self {
        self.framed(FrameUnit::Rows, frame)
    }

    /// Over the rows whose only key of the order is at a distance from the current row's: `-10..=0` are those at most 10 below it.
    #[must_use]
    pub fn range(self, frame: impl FrameRange) -> Self {
        self.framed(FrameUnit::Range, frame)
    }

    /// Over rows at a distance from the current one, counted by groups of rows that the order does not tell apart.
    #[must_use]
    pub fn groups(self, frame: impl FrameRange) -> Self {
        self.framed(FrameUnit::Groups, frame)
    }

    /// Leaves out the current row; after [`WindowSpec::rows`] and its kin.
    #[must_use]
    pub fn exclude_current_row(self) -> Self {
        self.excluding(Exclude::CurrentRow)
    }

    /// Leaves out the current row and its peers.
    #[must_use]
    pub fn exclude_group(self) -> Self {
        self.excluding(Exclude::Group)
    }

    /// Leaves out the current row's peers.
    #[must_use]
    pub fn exclude_ties(self) -> Self {
        self.excluding(Exclude::Ties)
    }

    fn framed(mut self, unit: FrameUnit, frame: impl FrameRange) -> Self {
        self.window.set_frame(unit, frame);
        self
    }

    fn excluding(mut self, what: Exclude) -> Self {
        self.window.exclude(what);
        self
    }
}
