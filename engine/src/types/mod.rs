//! Rust types for SQL's values: a field of a struct, a parameter, what a row gives.
//!
//! | SQL | Rust |
//! |---|---|
//! | date | [`Date`] |
//! | time | [`Time`] |
//! | timestamp | [`Timestamp`] |
//! | timestamptz | [`TimestampTz`] |
//! | numeric | [`Decimal`] up to 38 digits, [`Numeric`](crate::Numeric) for any number of them |
//! | uuid | [`Uuid`] |
//! | interval | [`Interval`](crate::Interval) |
//!
//! They are `Copy`, are printed and read as PostgreSQL prints and reads them, and compare as SQL compares them. `date`, `time`,
//! `timestamp`, `decimal` and `uuid` have one type each (`timestamp` two), `literal` reads what [`date!`](crate::date) and the
//! other macros are given while the program is compiled. Arithmetic that may leave the range of a type is `checked_…` and gives
//! None then: no operator panics.
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

mod date;
mod decimal;
#[doc(hidden)]
pub mod literal;
#[cfg(test)]
mod tests;
mod time;
mod timestamp;
mod uuid;

pub use date::Date;
pub use decimal::Decimal;
pub use time::Time;
pub use timestamp::{Timestamp, TimestampTz};
pub use uuid::Uuid;

use crate::{DataType, Error, ErrorKind, Result, Value};
use multiloop_planner::evaluate::{UTC, parse_in};

/// The number that carries a text of a date, a time or a timestamp.
fn read(text: &str, data_type: DataType) -> Result<i64> {
    match parse_in(text, data_type, UTC)? {
        Value::Int(value) => Ok(value),
        _ => Err(Error::internal("a moment was read as something else")),
    }
}

/// The error (22008) for parts that are no date, time or timestamp.
#[cold]
fn out_of_range(what: &str, shown: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::DatetimeOverflow, format!("{what} out of range: {shown}"))
}
