//! WITH: common table expressions.

use crate::relation::{ColumnId, CteId};

/// A CTE that a FROM may name.
#[derive(Clone, Debug)]
pub(super) struct CteInSight {
    /// Its name, case-folded.
    pub(super) name: String,
    /// Its id.
    pub(super) id: CteId,
    /// Its columns' names and ids, as its definition makes them.
    pub(super) columns: Vec<(String, ColumnId)>,
}
