//! Speculation: a plan may evaluate what can fail for more rows than the query does, as long as another plan stands
//! by for when something fails.
//!
//! A correlated subquery that becomes groups and a lookup computes groups that nobody may ask for, and a join by
//! expressions computes the keys of rows that nobody may match. Where one of these expressions may fail, that would
//! raise errors that the query does not have; left alone, both are quadratic. So there are two plans:
//!
//! 1. The *speculating* plan does it all the same. It evaluates what the careful plan does, and more; less only where any
//!    rule may, because a condition drops the row first.
//! 2. If nothing fails in it, its rows are the query's.
//! 3. If it fails, but for what fails whatever the plan (`ErrorKind::is_of_any_plan`), its rows are dropped, and the *careful* plan, in which
//!    nothing that may fail is moved to more rows, runs in its place. Its rows, or its error, are the answer.
//!
//! So every error, and the absence of one, is the careful plan's: a key that fails is an error exactly where a row of
//! the other side is compared with it. A statement that fails takes longer, and one whose errors no row reaches is as
//! slow as if there were no speculation. Nothing of a result is handed out before all of it is there (`exec`), so that
//! nobody has seen the dropped rows.
//!
//! What a rule has to keep under speculation: never fewer evaluations of what may fail (point 1), the same rows where
//! nothing fails, and nothing volatile is moved, for that has no second try.

use serde::{Deserialize, Serialize};

/// Whether a plan may speculate, and whether it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Speculation {
    /// It may not: this is the careful plan, the meaning of the query.
    #[default]
    Never,
    /// It may, and has not so far.
    Allowed,
    /// It does: who runs it has to have the careful plan ready.
    Made,
}

impl Speculation {
    /// Whether what is not volatile may be evaluated for more rows.
    pub fn is_allowed(self) -> bool {
        self != Speculation::Never
    }

    /// Notes that something that may fail has been moved to more rows.
    pub fn make(&mut self) {
        debug_assert!(self.is_allowed(), "bug: a careful plan was to speculate");
        *self = Speculation::Made;
    }
}
