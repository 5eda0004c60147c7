//! An enum is no row.
//~ a row is a struct with named fields, and this is an enum

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

/// Of two.
#[derive(Row, Debug)]
pub enum Kind {
    /// One.
    One,
}
