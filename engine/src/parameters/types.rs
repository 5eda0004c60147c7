//! The Rust types that parameters have.

use super::{Kind, Parameter};
use crate::{DataType, Interval, Numeric, Value};
use multiloop_planner::evaluate::bytes::to_hex;
use std::borrow::Cow;
use std::sync::Arc;

/// A Rust type whose values can be parameters of statements.
///
/// A type of one's own says how it is shown, and is a literal then, or which other one it is:
///
/// ```
/// use multiloop::{DataType, Engine, Parameter, ToParameter, params};
///
/// struct Day(u32);
///
/// impl ToParameter for Day {
///     fn to_parameter(&self) -> Parameter {
///         format!("2026-01-{}", self.0).to_parameter()
///     }
///
///     fn sql_type() -> DataType {
///         DataType::Date
///     }
/// }
///
/// let session = Engine::new()?.session();
/// assert_eq!(session.query_scalar::<i32>("SELECT $1::date - '2026-01-01'", params![Day(3)])?, 2);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub trait ToParameter {
    /// The value as a parameter.
    fn to_parameter(&self) -> Parameter;

    /// The SQL type of these values where a statement does not say which it needs; [`DataType::Null`] for that of literals in
    /// quotes, which have none.
    fn sql_type() -> DataType;

    /// Values in a row: an array, and bytes are a bytea.
    #[doc(hidden)]
    fn slice_to_parameter(slice: &[Self]) -> Parameter
    where
        Self: Sized,
    {
        let of = Self::sql_type();
        Parameter(Kind::Array(slice.iter().map(Self::to_parameter).collect(), of.element().unwrap_or(of)))
    }

    /// The type of values in a row.
    #[doc(hidden)]
    fn slice_type() -> DataType {
        match Self::sql_type() {
            DataType::Null => DataType::list(DataType::Text),
            of if of.element().is_some() => of,
            of => DataType::list(of),
        }
    }
}

macro_rules! to_parameter {
    ($($rust:ty, $sql:expr, $value:ident => $kind:expr;)*) => {
        $(impl ToParameter for $rust {
            fn to_parameter(&self) -> Parameter {
                let $value = self;
                Parameter($kind)
            }

            fn sql_type() -> DataType {
                $sql
            }
        })*
    };
}

to_parameter! {
    bool, DataType::Boolean, value => Kind::Boolean(*value);
    i8, DataType::SmallInt, value => Kind::Integer((*value).into(), DataType::SmallInt);
    i16, DataType::SmallInt, value => Kind::Integer((*value).into(), DataType::SmallInt);
    u16, DataType::Integer, value => Kind::Integer((*value).into(), DataType::Integer);
    i32, DataType::Integer, value => Kind::Integer((*value).into(), DataType::Integer);
    u32, DataType::BigInt, value => Kind::Integer((*value).into(), DataType::BigInt);
    i64, DataType::BigInt, value => Kind::Integer(*value, DataType::BigInt);
    isize, DataType::BigInt, value => Kind::Integer(*value as i64, DataType::BigInt);
    u64, DataType::BigInt, value => large(*value);
    usize, DataType::BigInt, value => large(*value as u64);
    i128, DataType::Numeric, value => Kind::Exact(Arc::new(Numeric::from_integer(*value)));
    u128, DataType::Numeric, value => Kind::Exact(Arc::new(Numeric::from_integer(*value)));
    Numeric, DataType::Numeric, value => Kind::Exact(Arc::new(value.clone()));
    Interval, DataType::Interval, value => Kind::Interval(*value);
    str, DataType::Null, value => Kind::Text(Arc::from(value));
    String, DataType::Null, value => Kind::Text(Arc::from(value.as_str()));
    Box<str>, DataType::Null, value => Kind::Text(Arc::from(&**value));
    Arc<str>, DataType::Null, value => Kind::Text(Arc::clone(value));
    Cow<'_, str>, DataType::Null, value => Kind::Text(Arc::from(&**value));
    Value, DataType::Null, value => Kind::Value(value.clone());
    (Value, DataType), DataType::Null, value => Kind::Typed(value.0.clone(), value.1);
}

/// A number that bigint may not hold.
fn large(value: u64) -> Kind {
    match i64::try_from(value) {
        Ok(value) => Kind::Integer(value, DataType::BigInt),
        Err(_) => Kind::Exact(Arc::new(Numeric::from_integer(value))),
    }
}

macro_rules! float_to_parameter {
    ($($rust:ty, $sql:expr;)*) => {
        $(impl ToParameter for $rust {
            fn to_parameter(&self) -> Parameter {
                Parameter(Kind::Float((*self).into(), $sql))
            }

            fn sql_type() -> DataType {
                $sql
            }

            fn slice_to_parameter(slice: &[$rust]) -> Parameter {
                Parameter(Kind::Floats(slice.iter().map(|&value| value.into()).collect(), $sql))
            }
        })*
    };
}

float_to_parameter! {
    f32, DataType::Real;
    f64, DataType::Double;
}

/// One is a smallint, several are bytes.
impl ToParameter for u8 {
    fn to_parameter(&self) -> Parameter {
        Parameter(Kind::Integer((*self).into(), DataType::SmallInt))
    }

    fn sql_type() -> DataType {
        DataType::SmallInt
    }

    fn slice_to_parameter(slice: &[u8]) -> Parameter {
        Parameter(Kind::Bytes(Arc::from(to_hex(slice))))
    }

    fn slice_type() -> DataType {
        DataType::Bytea
    }
}

impl ToParameter for Parameter {
    fn to_parameter(&self) -> Parameter {
        self.clone()
    }

    fn sql_type() -> DataType {
        DataType::Null
    }
}

impl<T: ToParameter> ToParameter for Option<T> {
    fn to_parameter(&self) -> Parameter {
        match self {
            Some(value) => value.to_parameter(),
            None => Parameter(Kind::Null(T::sql_type())),
        }
    }

    fn sql_type() -> DataType {
        T::sql_type()
    }
}

impl<T: ToParameter + ?Sized> ToParameter for &T {
    fn to_parameter(&self) -> Parameter {
        (**self).to_parameter()
    }

    fn sql_type() -> DataType {
        T::sql_type()
    }
}

macro_rules! array_to_parameter {
    ($(($($of:tt)*), $rust:ty;)*) => {
        $(impl<$($of)*> ToParameter for $rust {
            fn to_parameter(&self) -> Parameter {
                T::slice_to_parameter(self)
            }

            fn sql_type() -> DataType {
                T::slice_type()
            }
        })*
    };
}

array_to_parameter! {
    (T: ToParameter), [T];
    (T: ToParameter), Vec<T>;
    (T: ToParameter, const N: usize), [T; N];
}
