//! A value that may be NULL where the rows have none.
//~ mismatched types

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

/// Notes.
pub fn notes() -> Result<Vec<String>> {
    let session = Engine::new()?.session();
    session.rows_of::<Trip>()?.select(|trip| trip.note).collect()
}
