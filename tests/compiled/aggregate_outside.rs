//! An aggregate of a value outside of a group.
//~ `Expr<i64>` is not an iterator

use multiloop::{Engine, Result, Row};

/// A trip.
#[derive(Row, Debug)]
#[row(table = "trips")]
pub struct Trip {
    /// From where.
    pub city: String,
    /// How far.
    pub km: i64,
    /// Why, if it is known.
    pub note: Option<String>,
}

/// How far.
pub fn far() -> Result<Vec<i64>> {
    let session = Engine::new()?.session();
    session.rows_of::<Trip>()?.select(|trip| trip.km.sum()).collect()
}
