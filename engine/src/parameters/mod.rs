//! Parameters of statements, from Rust's own types.
//!
//! A [`Parameter`] is a value with the SQL type of its Rust type. A statement says the type of each `$1`, `$2`, … by the place where
//! it stands; `convert` gives the value that form, or says that the statement has to be bound again with the parameter's own type,
//! as it is for a literal. `types` has the Rust types ([`ToParameter`]), `list` all parameters of a statement ([`Parameters`]),
//! `names` finds names in a text.
//!
//! | Rust | SQL, where the statement does not say |
//! |---|---|
//! | `bool` | boolean |
//! | `i8`, `u8`, `i16` | smallint |
//! | `u16`, `i32` | integer |
//! | `u32`, `i64`, `isize` | bigint |
//! | `u64`, `usize` | bigint, beyond it numeric |
//! | `i128`, `u128`, [`Decimal`](crate::Decimal), [`Numeric`](crate::Numeric) | numeric, with its own digits |
//! | `f32`, `f64` | real, double precision; where a numeric is needed, the number that they print |
//! | `str`, `String`, `Cow<str>`, `Arc<str>` | of no type, as a literal in quotes: a date, a number, a uuid, … |
//! | `[u8]`, `Vec<u8>` | bytea |
//! | [`Date`](crate::Date), [`Time`](crate::Time), [`Timestamp`](crate::Timestamp), [`TimestampTz`](crate::TimestampTz) | date, … |
//! | [`Interval`](crate::Interval), [`Uuid`](crate::Uuid) | interval, uuid |
//! | slices, arrays and `Vec`s of these | arrays; within each other, arrays of several dimensions; numbers where a vector is needed, a vector |
//! | `Option` of these | the same, or NULL |
//! | [`Value`](crate::Value) | of the type that the statement says |
//! | `(Value, DataType)` | of this type |
//!
//! ```
//! use multiloop::{Engine, params};
//!
//! let session = Engine::new()?.session();
//! session.sql("CREATE TABLE trips (city text, km decimal(8,1), day date)")?;
//! session.execute("INSERT INTO trips VALUES ($1, $2, $3)", params!["Bern", 90.5, "2026-01-02"])?;
//! for km in [params![50], params![50.25], params!["50"]] {
//!     let far: i64 = session.query_scalar("SELECT count(*) FROM trips WHERE km > $1", km)?;
//!     assert_eq!(far, 1);
//! }
//! # Ok::<(), multiloop::Error>(())
//! ```

mod convert;
mod list;
mod names;
#[cfg(test)]
mod tests;
mod types;

pub use list::{ParameterList, Parameters};
pub(crate) use names::{Numbered, highest_number, with_numbers};
pub use types::ToParameter;

use crate::{DataType, Interval, Numeric, Value};
use std::sync::Arc;

/// A value for a parameter of a statement: see [`ToParameter`].
///
/// ```
/// use multiloop::{Parameter, ToParameter};
///
/// let both: [Parameter; 2] = [50.to_parameter(), "Bern".to_parameter()];
/// assert_ne!(both[0], both[1]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter(Kind);

impl Parameter {
    /// Whether it is a value in the engine's own form, which nobody has looked at yet.
    pub(crate) fn is_given_as_it_is(&self) -> bool {
        matches!(self.0, Kind::Value(_) | Kind::Typed(..))
    }
}

/// What a parameter is; where a type stands beside a value, it is that of the Rust type.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Null(DataType),
    Boolean(bool),
    Integer(i64, DataType),
    Float(f64, DataType),
    Exact(Arc<Numeric>),
    /// A literal in quotes: it has no type.
    Text(Arc<str>),
    /// The hexadecimal digits of bytes.
    Bytes(Arc<str>),
    Interval(Interval),
    /// Elements, and the type of theirs; [`DataType::Null`] for texts.
    Array(Vec<Parameter>, DataType),
    /// The same of elements that are reals, or doubles: there may be many, as in a vector.
    Floats(Arc<[f64]>, DataType),
    /// A value of whatever type the statement says.
    Value(Value),
    Typed(Value, DataType),
}

/// The parameters of a statement in order, of any types that are [`ToParameter`].
///
/// ```
/// use multiloop::{Engine, params};
///
/// let session = Engine::new()?.session();
/// let sql = "SELECT $1::int + coalesce($2, 2)";
/// assert_eq!(session.query_scalar::<i32>(sql, params![40, None::<i32>])?, 42);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        $crate::ParameterList::of(::std::vec![$($crate::ToParameter::to_parameter(&$value)),*])
    };
}

/// The parameters of a statement by name: `:name` or `$name` in its text. The name may be given with its mark or without.
///
/// ```
/// use multiloop::{Engine, named_params};
///
/// let session = Engine::new()?.session();
/// let both = named_params! { ":more": 2, "much": 40 };
/// assert_eq!(session.query_scalar::<i32>("SELECT :much::int + $more", both)?, 42);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[macro_export]
macro_rules! named_params {
    ($($name:literal : $value:expr),* $(,)?) => {
        $crate::ParameterList::named(::std::vec![$(($name, $crate::ToParameter::to_parameter(&$value))),*])
    };
}
