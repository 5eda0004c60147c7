//! Which types aggregates take and give, as PostgreSQL has it.

use super::types::SqlType;
use crate::{Date, Decimal, Interval, Numeric, Time, Timestamp, TimestampTz, Uuid};

/// Types that can be summed.
#[diagnostic::on_unimplemented(message = "values of type `{Self}` cannot be summed")]
pub trait Summed {
    /// What the sum is.
    type Sum: SqlType;
}

/// Types that have an average.
#[diagnostic::on_unimplemented(message = "values of type `{Self}` have no average")]
pub trait Averaged {
    /// What the average is.
    type Average: SqlType;
}

/// Types of numbers.
#[diagnostic::on_unimplemented(message = "`{Self}` is no type of numbers")]
pub trait Number {}

/// Types with a least and a greatest value.
#[diagnostic::on_unimplemented(message = "values of type `{Self}` have no least and greatest")]
pub trait Ordered {}

macro_rules! aggregates {
    ($($rust:ty => $sum:ty, $average:ty;)*) => {
        $(impl Summed for $rust {
            type Sum = $sum;
        }

        impl Averaged for $rust {
            type Average = $average;
        })*
    };
}

aggregates! {
    i16 => i64, Decimal;
    i32 => i64, Decimal;
    i64 => Decimal, Decimal;
    f32 => f32, f64;
    f64 => f64, f64;
    Decimal => Decimal, Decimal;
    Numeric => Numeric, Numeric;
    Interval => Interval, Interval;
}

macro_rules! numbers {
    ($($rust:ty),*) => {
        $(impl Number for $rust {})*
    };
}

numbers!(i16, i32, i64, f32, f64, Decimal, Numeric);

macro_rules! ordered {
    ($($rust:ty),*) => {
        $(impl Ordered for $rust {})*
    };
}

ordered!(
    i16,
    i32,
    i64,
    f32,
    f64,
    Decimal,
    Numeric,
    Interval,
    String,
    Vec<u8>,
    Date,
    Time,
    Timestamp,
    TimestampTz,
    Uuid
);
