//! What OVER says, before anything is known of the columns that it names.

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
