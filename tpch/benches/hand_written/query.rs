//! What a hand-written query is, and the rows that it gives.

use crate::generate::date_text;
use crate::simd::Simd;
use crate::tables::Tables;
use std::fmt;

/// One query as a loop over columns.
pub(crate) trait HandWritten {
    /// Its number in TPC-H.
    const NUMBER: usize;

    /// Rows of the largest table that it reads, and bytes of all columns that it reads, each counted once and whole.
    fn input(tables: &Tables) -> (usize, usize);

    /// From columns to final rows. Implementations are `#[inline(always)]`, as is all that they call, so that
    /// they are compiled for the instructions of their caller.
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row>;
}

/// A row of a result.
pub(crate) type Row = Vec<Cell>;

/// A value of a result. It prints as the known answers have it.
pub(crate) enum Cell {
    Integer(i64),
    /// Unscaled, and digits after the point.
    Decimal(i128, usize),
    Double(f64),
    /// Days after the columns' first.
    Date(u16),
    Text(String),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Integer(value) => write!(f, "{value}"),
            Cell::Decimal(value, scale) => {
                let unit = 10i128.pow(*scale as u32);
                let sign = if *value < 0 { "-" } else { "" };
                let value = value.abs();
                write!(f, "{sign}{}.{:0scale$}", value / unit, value % unit)
            }
            Cell::Double(value) => write!(f, "{value}"),
            Cell::Date(day) => f.write_str(&date_text(*day)),
            Cell::Text(text) => f.write_str(text),
        }
    }
}
