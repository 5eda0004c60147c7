//! Rust's own `==` gives no expression.
//~ binary operation `==` cannot be applied to type `Expr<i64>`

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

/// One of them.
pub fn one() -> Result<Vec<Trip>> {
    let session = Engine::new()?.session();
    session.rows_of::<Trip>()?.filter(|trip| trip.km == 5).collect()
}
