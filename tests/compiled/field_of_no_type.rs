//! A field whose type values of queries do not have.
//~ `u8` is no type that values of a query have

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

/// Of a byte.
#[derive(Row, Debug)]
pub struct Small {
    /// A number.
    pub a: u8,
}
