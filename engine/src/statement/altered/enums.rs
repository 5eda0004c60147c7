//! ALTER TYPE of an enum.

use crate::catalog::{Qualified, State};
use crate::running::Runner;
use crate::stream::Notice;
use crate::{Error, Result};
use multiloop_planner::sql::Alteration;

impl Runner<'_> {
    /// ADD VALUE and RENAME VALUE.
    pub(super) fn alter_enum(&self, _: &mut State, _: &Qualified, _: &Alteration) -> Result<Vec<Notice>> {
        Err(Error::unsupported("ALTER TYPE … ADD VALUE is"))
    }
}
