//! A row that is none is inserted.
//~ the trait bound `(): AppendRow` is not satisfied

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

/// Nothing.
pub fn insert() -> Result<u64> {
    Engine::new()?.session().insert("trips", [()])
}
