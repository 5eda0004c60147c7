//! A row that is no row of lifted values.
//~ String` is no row of lifted values

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

/// Cities.
pub fn cities() -> Result<Vec<String>> {
    let session = Engine::new()?.session();
    session.rows_of::<Trip>()?.select(|_| String::new()).collect()
}
