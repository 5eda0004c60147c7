//! Registers: the forms in which scalars are computed.

use serde::{Deserialize, Serialize};

/// The form in which a scalar is computed. Integer-like types (smallint to bigint, date, time, timestamp, decimal)
/// take the narrowest of the three integer registers that their value range allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Register {
    /// boolean, and NULL without a type.
    Bool,
    /// Integer-like, proven to fit 32 bits.
    I32,
    /// Integer-like, proven to fit 64 bits.
    I64,
    /// Integer-like, of any value.
    I128,
    /// real (rounded to 32 bits) and double.
    F64,
    /// text, as views or as dictionary codes.
    Text,
    /// interval.
    Interval,
    /// vector, of so many elements.
    Vectors(u32),
}
