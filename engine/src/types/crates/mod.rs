//! Types of other crates, each behind the feature of its name: as parameters, from rows, and to and from the engine's own types.
//!
//! | feature | types |
//! |---|---|
//! | `chrono` | `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `DateTime`, `TimeDelta` |
//! | `time` | `Date`, `Time`, `PrimitiveDateTime`, `OffsetDateTime`, `Duration` |
//! | `uuid` | `Uuid` |
//! | `rust_decimal` | `Decimal` |
//!
//! What SQL has and a crate has not, as the infinities, is an error (22008, 22003) where it is to become one of its types.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(feature = "time")]
mod time;
#[cfg(feature = "uuid")]
mod uuid;

/// Makes a type of another crate a parameter, by the value that carries it and its SQL type, and something that rows give, by way of
/// one of the engine's own types.
#[cfg(any(feature = "chrono", feature = "rust_decimal", feature = "time"))]
macro_rules! by_own_type {
    ($($rust:ty, $own:ty, $value:ident => $parameter:expr;)*) => {
        $(impl crate::FromSql<'_> for $rust {
            fn from_sql(value: crate::ValueRef<'_>) -> crate::Result<Self> {
                let own = <$own as crate::FromSql<'_>>::from_sql(value).map_err(|error| match error.kind() {
                    crate::ErrorKind::TypeMismatch | crate::ErrorKind::UnexpectedNull => value.mismatch::<Self>(),
                    _ => error,
                })?;
                own.try_into()
            }

            fn takes(data_type: crate::DataType) -> bool {
                <$own as crate::FromSql<'_>>::takes(data_type)
            }
        }

        impl crate::ToParameter for $rust {
            fn to_parameter(&self) -> crate::Parameter {
                let $value = self;
                crate::ToParameter::to_parameter(&$parameter)
            }

            fn sql_type() -> crate::DataType {
                <$own as crate::ToParameter>::sql_type()
            }
        })*
    };
}
#[cfg(any(feature = "chrono", feature = "rust_decimal", feature = "time"))]
use by_own_type;

/// The error (22008) for an interval that is not one length of time: a month is of no number of days.
#[cfg(any(feature = "chrono", feature = "time"))]
#[cold]
fn has_months() -> crate::Error {
    crate::Error::new(crate::ErrorKind::DatetimeOverflow, "an interval with months is no length of time")
}
