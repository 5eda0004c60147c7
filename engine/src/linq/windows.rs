//! Windows as users write them.

use super::expression::{Expression, Order};
use super::over::{Bound, Window, WindowFrame};
use multiloop_planner::window::{Exclude, FrameUnit};

/// What OVER says: see [`window`].
#[derive(Clone, Default)]
pub struct WindowSpec {
    pub(super) window: Window,
}

/// Where a window's frame begins or ends: [`unbounded_preceding`], [`preceding`], [`current_row`], [`following`] and
/// [`unbounded_following`].
#[derive(Clone)]
pub struct FrameBound {
    bound: Bound,
}

/// All rows as a window, to be made smaller.
pub fn window() -> WindowSpec {
    WindowSpec::default()
}

/// The partition's first row.
pub fn unbounded_preceding() -> FrameBound {
    FrameBound { bound: Bound::First }
}

/// So many rows or groups before the current row, or a value so much smaller.
pub fn preceding(distance: impl Into<Expression>) -> FrameBound {
    FrameBound { bound: Bound::Before(distance.into().tree) }
}

/// The current row; of RANGE and GROUPS its peers, too.
pub fn current_row() -> FrameBound {
    FrameBound { bound: Bound::Current }
}

/// So many rows or groups behind the current row, or a value so much greater.
pub fn following(distance: impl Into<Expression>) -> FrameBound {
    FrameBound { bound: Bound::Behind(distance.into().tree) }
}

/// The partition's last row.
pub fn unbounded_following() -> FrameBound {
    FrameBound { bound: Bound::Last }
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

    /// Of the partition the rows between two, which are counted by rows.
    #[must_use]
    pub fn rows(self, start: FrameBound, end: FrameBound) -> Self {
        self.framed(FrameUnit::Rows, start, end)
    }

    /// Of the partition the rows whose key is between two values.
    #[must_use]
    pub fn range(self, start: FrameBound, end: FrameBound) -> Self {
        self.framed(FrameUnit::Range, start, end)
    }

    /// Of the partition the rows between two, which are counted by groups of rows that the order does not tell apart.
    #[must_use]
    pub fn groups(self, start: FrameBound, end: FrameBound) -> Self {
        self.framed(FrameUnit::Groups, start, end)
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

    fn framed(mut self, unit: FrameUnit, start: FrameBound, end: FrameBound) -> Self {
        let (start, end) = (start.bound, end.bound);
        self.window.frame = Some(WindowFrame { unit, start, end, exclude: Exclude::NoOthers });
        self
    }

    fn excluding(mut self, what: Exclude) -> Self {
        let usual = WindowFrame {
            unit: FrameUnit::Range,
            start: Bound::First,
            end: Bound::Current,
            exclude: Exclude::NoOthers,
        };
        self.window.frame.get_or_insert(usual).exclude = what;
        self
    }
}
