//! What a lifted value's type says: which SQL type it is, and whether it may be NULL.

use super::aggregates::{Averaged, Summed};
use super::grouped::Emptiness;
use crate::row::FromSql;
use crate::{DataType, Date, Decimal, Interval, Numeric, Time, Timestamp, TimestampTz, Uuid};

/// A Rust type that values of queries have. `Option<T>` is a `T` that may be NULL.
///
/// Types are exact: an `i64` is a bigint and no integer, so that the compiler knows the type of each sum as SQL does. A column of
/// another type is an error when its table is opened; [`Expr::cast`](super::Expr::cast) converts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type that values of a query have",
    note = "there are `bool`, `i16`, `i32`, `i64`, `f32`, `f64`, `String`, `Decimal`, `Numeric`, `Date`, `Time`, `Timestamp`, `TimestampTz`, `Interval`, `Uuid`, `Vec<u8>`, `[f32; N]`, `[f64; N]`, `Vec<f32>`, `Vec<f64>`, and `Option` of each"
)]
pub trait SqlType: for<'r> FromSql<'r> + Sized + 'static {
    /// The type without NULL.
    type Base: SqlType<Base = Self::Base>;
    /// The type with NULL.
    type Optional: SqlType<Base = Self::Base>;
    /// Another type, with NULL if this one has it: what a function gives that is NULL for NULL.
    type Carry<O: SqlType>: SqlType<Base = O::Base>;
    /// Whether it has NULL.
    const OPTIONAL: bool;

    /// The SQL type of its values.
    fn sql_type() -> DataType;

    /// Whether it is the type of a column.
    fn is_of(data_type: DataType) -> bool {
        data_type == Self::sql_type()
    }
}

/// What a sum over rows gives that may not be there.
pub(super) type SumOf<E, T> = <E as Emptiness>::Of<<T as SqlType>::Carry<<<T as SqlType>::Base as Summed>::Sum>>;

/// What an average over rows gives that may not be there.
pub(super) type AverageOf<E, T> =
    <E as Emptiness>::Of<<T as SqlType>::Carry<<<T as SqlType>::Base as Averaged>::Average>>;

/// What a function of two values gives that is NULL where one of them is.
pub(super) type Both<A, B, O> = <A as SqlType>::Carry<<B as SqlType>::Carry<O>>;

macro_rules! sql_types {
    ($($rust:ty, $sql:expr $(, { $of:pat })?;)*) => {
        $(impl SqlType for $rust {
            type Base = $rust;
            type Optional = Option<$rust>;
            type Carry<O: SqlType> = O;
            const OPTIONAL: bool = false;

            fn sql_type() -> DataType {
                $sql
            }

            $(fn is_of(data_type: DataType) -> bool {
                matches!(data_type, $of)
            })?
        }

        impl SqlType for Option<$rust> {
            type Base = $rust;
            type Optional = Self;
            type Carry<O: SqlType> = O::Optional;
            const OPTIONAL: bool = true;

            fn sql_type() -> DataType {
                <$rust>::sql_type()
            }

            fn is_of(data_type: DataType) -> bool {
                <$rust>::is_of(data_type)
            }
        })*
    };
}

sql_types! {
    bool, DataType::Boolean;
    i16, DataType::SmallInt;
    i32, DataType::Integer;
    i64, DataType::BigInt;
    f32, DataType::Real;
    f64, DataType::Double;
    Numeric, DataType::Numeric, { DataType::Numeric | DataType::Decimal { .. } };
    Decimal, DataType::Numeric, { DataType::Numeric | DataType::Decimal { .. } };
    Interval, DataType::Interval;
    Date, DataType::Date;
    Time, DataType::Time;
    Timestamp, DataType::Timestamp;
    TimestampTz, DataType::TimestampTz;
    Uuid, DataType::Uuid;
    String, DataType::Text, { DataType::Text | DataType::Varchar(_) | DataType::Char(_) };
    Vec<u8>, DataType::Bytea;
}
