//! A struct that does not derive `Row`.
//~ `Plain` is no struct whose fields are columns
//~ `#[derive(multiloop::Row)]` makes it one

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

/// Not derived.
#[derive(Debug)]
pub struct Plain {
    /// A number.
    pub a: i32,
}

/// None.
pub fn none() -> Result<()> {
    Engine::new()?.session().rows_in::<Plain>("plain").map(drop)
}
