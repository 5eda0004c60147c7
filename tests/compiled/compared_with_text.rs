//! A number is compared with a text.
//~ a value of type `i64` cannot be compared with one of type

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

/// Far ones.
pub fn far() -> Result<Vec<Trip>> {
    let session = Engine::new()?.session();
    session.rows_of::<Trip>()?.filter(|trip| trip.km.gt("far")).collect()
}
