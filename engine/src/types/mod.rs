//! Rust's types for SQL's values of date, time, timestamp, uuid and numeric, where the standard library has none: small and `Copy`.
//!
//! `moments` has days and times, `decimal` exact numbers, `uuid` identifiers; `literals` the macros that make some while a program is
//! compiled.

mod decimal;
mod literals;
mod moments;
mod uuid;

pub use decimal::Decimal;
pub use moments::{Date, Time, Timestamp, TimestampTz};
pub use uuid::Uuid;
