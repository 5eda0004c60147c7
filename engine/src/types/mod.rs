//! Rust's types for SQL's values of date, time, timestamp, uuid and numeric, where the standard library has none: small and `Copy`.
//!
//! | SQL | Rust |
//! |---|---|
//! | date | [`Date`] |
//! | time | [`Time`] |
//! | timestamp | [`Timestamp`] |
//! | timestamptz | [`TimestampTz`] |
//! | numeric | [`Decimal`] up to 38 digits, [`Numeric`](crate::Numeric) for any number of them |
//! | uuid | [`Uuid`] |
//!
//! They are printed and read as PostgreSQL prints and reads them, and compare as SQL compares them. Arithmetic that may leave the
//! range of a type is `checked_…` and gives None then: no operator panics.
//!
//! `moments` has what all days and times have, `date`, `time` and `timestamp` what is each one's own, `decimal` exact numbers, `uuid`
//! identifiers; `literals` the macros that make some while a program is compiled; `crates` types of other crates.
//!
//! ```
//! use multiloop::{Date, Decimal, Engine, date, decimal, params};
//!
//! let session = Engine::new()?.session();
//! session.sql("CREATE TABLE trips (day date, price decimal(8,2))")?;
//! session.execute("INSERT INTO trips VALUES ($1, $2)", params![date!(1998-09-02), decimal!(12.50)])?;
//! let (day, price) = session.query_one::<(Date, Decimal)>("SELECT day, price * 2 FROM trips", ())?;
//! assert_eq!((day.year(), day.to_string()), (1998, "1998-09-02".to_owned()));
//! assert_eq!(price, decimal!(25));
//! # Ok::<(), multiloop::Error>(())
//! ```

mod crates;
mod date;
mod decimal;
#[doc(hidden)]
pub mod literals;
mod moments;
#[cfg(test)]
mod tests;
mod time;
mod timestamp;
mod uuid;

pub use decimal::Decimal;
pub use moments::{Date, Time, Timestamp, TimestampTz};
pub use uuid::Uuid;

use crate::{Error, ErrorKind};

/// The error (22008) for what is no date, time or timestamp.
#[cold]
fn out_of_range(what: &str, shown: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::DatetimeOverflow, format!("{what} out of range: {shown}"))
}
