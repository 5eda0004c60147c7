//! SQL's types; `logical` has those that another type carries. How a value is stored (widths, dictionaries) is the business of `exec/column`, never of a type.

mod bits;
mod logical;
mod nested;
mod system;

pub use bits::BITS_MAX;
pub use logical::{OidKind, STRUCT_DEPTH_MAX};
pub use nested::{Nested, NestedType, VECTOR_LENGTH_MAX};
use serde::{Deserialize, Serialize};
use std::fmt;
pub use system::SystemType;

/// Digits that a decimal can hold: what fits 128 bits, as in Arrow's `Decimal128`.
pub const DECIMAL_DIGITS_MAX: u8 = 38;

/// The length of a varchar or char that has none.
pub const LENGTH_FREE: u32 = u32::MAX;

/// A logical SQL type, as PostgreSQL names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DataType {
    /// The type of a bare `NULL` (or an untyped parameter) before it is unified with something.
    Null,
    /// TRUE, FALSE or NULL.
    Boolean,
    /// 16-bit signed integer.
    SmallInt,
    /// 32-bit signed integer.
    Integer,
    /// 64-bit signed integer.
    BigInt,
    /// IEEE 754 binary32.
    Real,
    /// IEEE 754 binary64.
    Double,
    /// Exact number: `precision` digits in all (1 to 38), `scale` of them after the point. The narrow form of NUMERIC:
    /// an integer in registers and columns.
    Decimal {
        /// Digits in all, 1 to [`DECIMAL_DIGITS_MAX`].
        precision: u8,
        /// Digits after the point, 0 to `precision`.
        scale: u8,
    },
    /// Exact number of any number of digits, whose scale is each value's own; NaN and the infinities. The wide form of
    /// NUMERIC, text in registers and columns (`numeric/key.rs`).
    Numeric,
    /// UTF-8 string of any length.
    Text,
    /// UTF-8 string of at most so many characters; of any number of them if that is [`LENGTH_FREE`].
    Varchar(u32),
    /// Blank-padded string of exactly so many characters. Stored without its trailing blanks (they never
    /// matter in a comparison) and padded where a result leaves the engine. With [`LENGTH_FREE`] the common type of
    /// chars of different lengths: each value keeps its own blanks, and the binder takes them off wherever values
    /// are compared, sorted or grouped.
    Char(u32),
    /// Days since 1970-01-01.
    Date,
    /// Microseconds since midnight.
    Time,
    /// Microseconds since 1970-01-01 00:00, without time zone.
    Timestamp,
    /// Months, days and microseconds, kept apart as PostgreSQL does.
    Interval,
    /// A number that identifies an object of a catalog.
    Oid(OidKind),
    /// A name of an object: a string of at most 63 bytes.
    Name,
    /// `"char"`: one byte, or none.
    InternalChar,
    /// Bytes.
    Bytea,
    /// 128 bits that identify something.
    Uuid,
    /// JSON as it was written. It is not compared.
    Json,
    /// JSON in one form for all equal values.
    Jsonb,
    /// An instant: microseconds since 1970-01-01 00:00 UTC. It is read and shown in the session's time zone.
    TimestampTz,
    /// time with time zone: a time of day, and seconds that clocks are ahead of UTC (`evaluate/time_with_zone.rs`).
    TimeTz,
    /// A bit string of exactly so many bits; of any number of them if that is [`LENGTH_FREE`], as literals are.
    Bit(u32),
    /// A bit string of at most so many bits; of any number of them if that is [`LENGTH_FREE`].
    VarBit(u32),
    /// A path of SQL/JSON, in one form for all texts of it.
    JsonPath,
    /// A type that only the system's tables and functions have.
    System(SystemType),
    /// An array, a row, an enum, a struct or a vector. Of the last no column has values yet.
    Nested(Nested),
}

impl DataType {
    /// varchar without a length.
    pub const VARCHAR: DataType = DataType::Varchar(LENGTH_FREE);
    /// char without a length, `bpchar`.
    pub const BPCHAR: DataType = DataType::Char(LENGTH_FREE);

    /// A decimal type; the caller has checked `scale <= precision <= 38`.
    pub fn decimal(precision: u8, scale: u8) -> Self {
        debug_assert!((1..=DECIMAL_DIGITS_MAX).contains(&precision) && scale <= precision);
        DataType::Decimal { precision, scale }
    }

    /// smallint, integer or bigint.
    pub fn is_integer(self) -> bool {
        matches!(self, DataType::SmallInt | DataType::Integer | DataType::BigInt)
    }

    /// real or double precision.
    pub fn is_float(self) -> bool {
        matches!(self, DataType::Real | DataType::Double)
    }

    /// decimal of any precision.
    pub fn is_decimal(self) -> bool {
        matches!(self, DataType::Decimal { .. })
    }

    /// NUMERIC, narrow or wide.
    pub fn is_exact(self) -> bool {
        self.is_decimal() || self == DataType::Numeric
    }

    /// Integer, decimal, numeric or float.
    pub fn is_numeric(self) -> bool {
        self.is_integer() || self.is_float() || self.is_exact()
    }

    /// text, varchar or char.
    pub fn is_text(self) -> bool {
        matches!(self, DataType::Text | DataType::Varchar(_) | DataType::Char(_))
    }

    /// A string of any length, so that any other is one as it is stored.
    pub fn is_free_text(self) -> bool {
        matches!(self, DataType::Text | DataType::VARCHAR | DataType::BPCHAR)
    }

    /// Digits after the point: 0 for everything that is not a decimal.
    pub fn scale(self) -> u8 {
        if let DataType::Decimal { scale, .. } = self { scale } else { 0 }
    }

    /// Smallest and largest value of an integer-like type, in its unit (a decimal's is 10^-scale).
    /// None for types whose values are not integers.
    pub fn integer_bounds(self) -> Option<(i128, i128)> {
        match self {
            DataType::Boolean => Some((0, 1)),
            DataType::SmallInt => Some((i16::MIN.into(), i16::MAX.into())),
            DataType::Integer | DataType::Date => Some((i32::MIN.into(), i32::MAX.into())),
            DataType::BigInt | DataType::Time | DataType::Timestamp => Some((i64::MIN.into(), i64::MAX.into())),
            DataType::Decimal { precision, .. } => {
                let limit = 10i128.pow(u32::from(precision)) - 1;
                Some((-limit, limit))
            }
            _ => None,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataType::Null => f.write_str("unknown"),
            DataType::Boolean => f.write_str("boolean"),
            DataType::SmallInt => f.write_str("smallint"),
            DataType::Integer => f.write_str("integer"),
            DataType::BigInt => f.write_str("bigint"),
            DataType::Real => f.write_str("real"),
            DataType::Double => f.write_str("double precision"),
            DataType::Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            DataType::Numeric => f.write_str("numeric"),
            DataType::Text => f.write_str("text"),
            DataType::Varchar(LENGTH_FREE) => f.write_str("varchar"),
            DataType::Char(LENGTH_FREE) => f.write_str("bpchar"),
            DataType::Varchar(length) => write!(f, "varchar({length})"),
            DataType::Char(length) => write!(f, "char({length})"),
            DataType::Date => f.write_str("date"),
            DataType::Time => f.write_str("time"),
            DataType::Timestamp => f.write_str("timestamp"),
            DataType::Interval => f.write_str("interval"),
            DataType::Oid(kind) => f.write_str(kind.name()),
            DataType::Name => f.write_str("name"),
            DataType::InternalChar => f.write_str("\"char\""),
            DataType::Bytea => f.write_str("bytea"),
            DataType::Uuid => f.write_str("uuid"),
            DataType::Json => f.write_str("json"),
            DataType::Jsonb => f.write_str("jsonb"),
            DataType::TimestampTz => f.write_str("timestamptz"),
            DataType::TimeTz => f.write_str("timetz"),
            DataType::Bit(LENGTH_FREE) => f.write_str("bit"),
            DataType::Bit(length) => write!(f, "bit({length})"),
            DataType::VarBit(LENGTH_FREE) => f.write_str("bit varying"),
            DataType::VarBit(length) => write!(f, "bit varying({length})"),
            DataType::JsonPath => f.write_str("jsonpath"),
            DataType::System(of) => f.write_str(of.name()),
            DataType::Nested(nested) => nested.fmt(f),
        }
    }
}

/// PostgreSQL's categories: values of one can have a common type, values of two cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PostgreSQL's own words")]
pub enum Category {
    Unknown,
    Boolean,
    Numeric,
    String,
    DateTime,
    TimeSpan,
    BitString,
    Array,
    Enum,
    UserDefined,
    Internal,
    Composite,
}

impl DataType {
    /// The category.
    pub fn category(self) -> Category {
        match self {
            DataType::Null => Category::Unknown,
            DataType::Boolean => Category::Boolean,
            DataType::Date | DataType::Time | DataType::TimeTz | DataType::Timestamp | DataType::TimestampTz => {
                Category::DateTime
            }
            DataType::Interval => Category::TimeSpan,
            DataType::Name => Category::String,
            DataType::InternalChar => Category::Internal,
            DataType::Bytea | DataType::Uuid | DataType::Json | DataType::Jsonb | DataType::JsonPath => {
                Category::UserDefined
            }
            DataType::Bit(_) | DataType::VarBit(_) => Category::BitString,
            DataType::System(_) => Category::Internal,
            DataType::Nested(nested) => match nested.get() {
                NestedType::List(_) | NestedType::ZeroBased(_) => Category::Array,
                NestedType::Enum { .. } => Category::Enum,
                NestedType::Vector(..) => Category::UserDefined,
                NestedType::Struct(_) | NestedType::Row { .. } => Category::Composite,
            },
            text if text.is_text() => Category::String,
            _ => Category::Numeric,
        }
    }
}

/// A named, typed column of a table or of a collection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// Column name, already case-folded.
    pub name: String,
    /// Logical type.
    pub data_type: DataType,
    /// Whether NULL can occur. `false` is a proof, `true` is only a possibility.
    pub nullable: bool,
}

impl Field {
    /// A field of this name, type and nullability.
    pub fn new(name: impl Into<String>, data_type: DataType, nullable: bool) -> Self {
        Field { name: name.into(), data_type, nullable }
    }
}

/// Direction and place of NULLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct SortOrder {
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST; PostgreSQL's default is first for DESC, last for ASC.
    pub nulls_first: bool,
}
