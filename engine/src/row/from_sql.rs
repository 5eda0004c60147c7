//! The Rust types that values of results become.

use super::value::ValueRef;
use crate::{DataType, Error, ErrorKind, Interval, Numeric, Result};
use std::sync::Arc;

/// A Rust type that values of a result become. A type of one's own is made of another one, or of a [`ValueRef`]:
///
/// ```
/// use multiloop::{DataType, Engine, FromSql, Result, ValueRef};
///
/// #[derive(Debug, PartialEq)]
/// struct Days(i32);
///
/// impl FromSql<'_> for Days {
///     fn from_sql(value: ValueRef<'_>) -> Result<Self> {
///         match value {
///             ValueRef::Date(days) => Ok(Days(days)),
///             other => Err(other.mismatch::<Self>()),
///         }
///     }
///
///     fn takes(data_type: DataType) -> bool {
///         data_type == DataType::Date
///     }
/// }
///
/// let session = Engine::new()?.session();
/// assert_eq!(session.query_scalar::<Days>("SELECT date '1970-01-03'", ())?, Days(2));
/// assert_eq!(session.query_scalar::<Option<Days>>("SELECT NULL::date", ())?, None);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub trait FromSql<'r>: Sized {
    /// The value as this type.
    ///
    /// # Errors
    /// 42804 for one of another type, 22002 for NULL, 22003 for a number that the type does not hold.
    fn from_sql(value: ValueRef<'r>) -> Result<Self>;

    /// Whether values of an SQL type become this one, so that results without rows, and NULLs, are checked, too.
    fn takes(data_type: DataType) -> bool;

    /// Several of them: of an array or a vector; bytes are those of a bytea.
    #[doc(hidden)]
    fn all_from_sql(value: ValueRef<'r>) -> Result<Vec<Self>> {
        match value {
            ValueRef::List(list) => list.iter().map(Self::from_sql).collect(),
            ValueRef::Vector(elements) => elements.iter().map(|&of| Self::from_sql(ValueRef::Real(of))).collect(),
            ValueRef::DoubleVector(elements) => {
                elements.iter().map(|&of| Self::from_sql(ValueRef::Double(of))).collect()
            }
            other => Err(other.mismatch::<Vec<Self>>()),
        }
    }

    /// Whether values of an SQL type are several of them.
    #[doc(hidden)]
    fn takes_all(data_type: DataType) -> bool {
        if let Some((of, _)) = data_type.vector_of() {
            return Self::takes(of);
        }
        // An array of several dimensions has the type of one.
        data_type.element().is_some_and(|element| Self::takes(element) || Self::takes(data_type))
    }
}

macro_rules! from_sql {
    ($($rust:ty, $takes:pat $(if $condition:expr)?, {$($value:pat => $made:expr,)*};)*) => {
        $(impl<'r> FromSql<'r> for $rust {
            #[inline]
            fn from_sql(value: ValueRef<'r>) -> Result<Self> {
                Ok(match value {
                    $($value => $made,)*
                    other => return Err(other.mismatch::<Self>()),
                })
            }

            fn takes(data_type: DataType) -> bool {
                matches!(data_type, $takes $(if $condition)?)
            }
        })*
    };
}

from_sql! {
    bool, DataType::Boolean, { ValueRef::Boolean(value) => value, };
    Interval, DataType::Interval, { ValueRef::Interval(value) => value, };
    [u8; 16], DataType::Uuid, { ValueRef::Uuid(value) => *value, };
    &'r [u8], DataType::Bytea | DataType::Uuid, {
        ValueRef::Bytes(value) => value,
        ValueRef::Uuid(value) => value,
    };
}

/// The elements where they lie.
impl<'r> FromSql<'r> for &'r [f32] {
    #[inline]
    fn from_sql(value: ValueRef<'r>) -> Result<Self> {
        match value {
            ValueRef::Vector(elements) => Ok(elements),
            other => Err(other.mismatch::<Self>()),
        }
    }

    fn takes(data_type: DataType) -> bool {
        data_type.vector_of().is_some_and(|(of, _)| of == DataType::Real)
    }
}

/// The elements where they lie.
impl<'r> FromSql<'r> for &'r [f64] {
    #[inline]
    fn from_sql(value: ValueRef<'r>) -> Result<Self> {
        match value {
            ValueRef::DoubleVector(elements) => Ok(elements),
            other => Err(other.mismatch::<Self>()),
        }
    }

    fn takes(data_type: DataType) -> bool {
        data_type.vector_of().is_some_and(|(of, _)| of == DataType::Double)
    }
}

macro_rules! floats_from_sql {
    ($($rust:ty),*) => {
        $(
            /// A vector of as many elements, or an array of as many.
            impl<'r, const N: usize> FromSql<'r> for [$rust; N] {
                fn from_sql(value: ValueRef<'r>) -> Result<Self> {
                    let all = <$rust>::all_from_sql(value).map_err(|error| match error.kind() {
                        ErrorKind::TypeMismatch => value.mismatch::<Self>(),
                        _ => error,
                    })?;
                    all.try_into().map_err(|all: Vec<_>| {
                        let name = super::rust_name::<Self>();
                        let message = format!("{} elements do not become {name}", all.len());
                        Error::new(ErrorKind::VectorLength, message)
                    })
                }

                fn takes(data_type: DataType) -> bool {
                    let is_long = data_type.vector_of().is_none_or(|(_, length)| length as usize == N);
                    is_long && <$rust>::takes_all(data_type)
                }
            }
        )*
    };
}

floats_from_sql!(f32, f64);

impl<'r> FromSql<'r> for f32 {
    #[inline]
    fn from_sql(value: ValueRef<'r>) -> Result<Self> {
        match value {
            ValueRef::Real(value) => Ok(value),
            ValueRef::SmallInt(value) => Ok(value.into()),
            other => Err(other.mismatch::<Self>()),
        }
    }

    fn takes(data_type: DataType) -> bool {
        matches!(data_type, DataType::Real | DataType::SmallInt)
    }

    fn all_from_sql(value: ValueRef<'r>) -> Result<Vec<Self>> {
        match value {
            ValueRef::Vector(elements) => Ok(elements.to_vec()),
            ValueRef::List(list) => list.iter().map(Self::from_sql).collect(),
            other => Err(other.mismatch::<Vec<Self>>()),
        }
    }
}

impl FromSql<'_> for f64 {
    #[inline]
    fn from_sql(value: ValueRef<'_>) -> Result<Self> {
        Ok(match value {
            ValueRef::Double(value) => value,
            ValueRef::Real(value) => value.into(),
            ValueRef::SmallInt(value) => value.into(),
            ValueRef::Integer(value) => value.into(),
            ValueRef::BigInt(value) => value as f64,
            ValueRef::Decimal { unscaled, scale } => nearest(unscaled, scale),
            ValueRef::Numeric(text) => Numeric::parse(text)?.to_double(),
            other => return Err(other.mismatch::<Self>()),
        })
    }

    fn takes(data_type: DataType) -> bool {
        data_type.is_numeric()
    }
}

/// The nearest double of a decimal.
pub(crate) fn nearest(unscaled: i128, scale: u8) -> f64 {
    /// Powers of ten up to this one, and integers of this size, are doubles, and so their quotient is rounded once.
    const POWER_MAX: u8 = 22;
    const INTEGER_MAX: u128 = 1 << 53;
    if scale <= POWER_MAX && unscaled.unsigned_abs() <= INTEGER_MAX {
        return unscaled as f64 / 10f64.powi(scale.into());
    }
    Numeric::new(unscaled, scale.into()).to_double()
}

impl FromSql<'_> for Numeric {
    fn from_sql(value: ValueRef<'_>) -> Result<Self> {
        Ok(match value {
            ValueRef::Decimal { unscaled, scale } => Numeric::new(unscaled, scale.into()),
            ValueRef::Numeric(text) => Numeric::parse(text)?,
            ValueRef::SmallInt(value) => Numeric::from_integer(value),
            ValueRef::Integer(value) => Numeric::from_integer(value),
            ValueRef::BigInt(value) => Numeric::from_integer(value),
            other => return Err(other.mismatch::<Self>()),
        })
    }

    fn takes(data_type: DataType) -> bool {
        data_type.is_exact() || data_type.is_integer()
    }
}

/// Whether values of a type may be whole numbers.
fn takes_integers(data_type: DataType) -> bool {
    data_type.is_integer()
        || matches!(data_type, DataType::Oid(_) | DataType::Numeric | DataType::Decimal { scale: 0, .. })
}

#[cold]
fn out_of_range<T>(value: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::NumericOverflow, format!("value \"{value}\" is out of range for {}", super::rust_name::<T>()))
}

/// A numeric that is a whole number.
#[cold]
fn whole<T>(text: &str) -> Result<i128> {
    let number = Numeric::parse(text)?;
    let whole = number.unscaled_at(0).filter(|whole| Numeric::from_integer(*whole).compare(&number).is_eq());
    whole.ok_or_else(|| out_of_range::<T>(text))
}

macro_rules! integer_from_sql {
    ($($rust:ty $(, $more:item)*;)*) => {
        $(impl<'r> FromSql<'r> for $rust {
            #[inline]
            fn from_sql(value: ValueRef<'r>) -> Result<Self> {
                let whole = match value {
                    ValueRef::SmallInt(value) => i128::from(value),
                    ValueRef::Integer(value) => i128::from(value),
                    ValueRef::BigInt(value) => i128::from(value),
                    ValueRef::Oid(value) => i128::from(value),
                    ValueRef::Decimal { unscaled, scale: 0 } => unscaled,
                    ValueRef::Numeric(text) => whole::<Self>(text)?,
                    other => return Err(other.mismatch::<Self>()),
                };
                <$rust>::try_from(whole).map_err(|_| out_of_range::<Self>(whole))
            }

            fn takes(data_type: DataType) -> bool {
                takes_integers(data_type)
            }

            $($more)*
        })*
    };
}

integer_from_sql! {
    i8;
    i16;
    i32;
    i64;
    i128;
    isize;
    u16;
    u32;
    u64;
    u128;
    usize;
    u8, fn all_from_sql(value: ValueRef<'r>) -> Result<Vec<Self>> {
        match value {
            ValueRef::List(list) => list.iter().map(Self::from_sql).collect(),
            other => <&[u8]>::from_sql(other).map(<[u8]>::to_vec).map_err(|_| other.mismatch::<Vec<u8>>()),
        }
    }, fn takes_all(data_type: DataType) -> bool {
        data_type.element().map_or_else(|| <&[u8]>::takes(data_type), Self::takes)
    };
}

impl<'r> FromSql<'r> for &'r str {
    #[inline]
    fn from_sql(value: ValueRef<'r>) -> Result<Self> {
        match value {
            ValueRef::Text(value) => Ok(value),
            other => Err(other.mismatch::<Self>()),
        }
    }

    /// Those whose values are their texts; numerics are numbers, and bytes bytes.
    fn takes(data_type: DataType) -> bool {
        match data_type {
            DataType::Null | DataType::TimeTz => true,
            DataType::Bytea | DataType::Uuid | DataType::Numeric => false,
            DataType::Nested(_) => {
                data_type.element().is_none() && data_type.struct_fields().is_none() && !data_type.is_vector()
            }
            other => other.carrier().is_text(),
        }
    }
}

macro_rules! owned_text {
    ($($rust:ty),*) => {
        $(impl<'r> FromSql<'r> for $rust {
            fn from_sql(value: ValueRef<'r>) -> Result<Self> {
                match value {
                    ValueRef::Text(value) => Ok(value.into()),
                    other => Err(other.mismatch::<Self>()),
                }
            }

            fn takes(data_type: DataType) -> bool {
                <&str>::takes(data_type)
            }
        })*
    };
}

owned_text!(String, Box<str>, Arc<str>);

impl<'r, T: FromSql<'r>> FromSql<'r> for Option<T> {
    #[inline]
    fn from_sql(value: ValueRef<'r>) -> Result<Self> {
        if value.is_null() { Ok(None) } else { T::from_sql(value).map(Some) }
    }

    /// A NULL whose type nothing says is of any.
    fn takes(data_type: DataType) -> bool {
        data_type == DataType::Null || T::takes(data_type)
    }
}

impl<'r, T: FromSql<'r>> FromSql<'r> for Vec<T> {
    fn from_sql(value: ValueRef<'r>) -> Result<Self> {
        T::all_from_sql(value)
    }

    fn takes(data_type: DataType) -> bool {
        T::takes_all(data_type)
    }
}
