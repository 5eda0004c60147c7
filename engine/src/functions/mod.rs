//! Functions of one's own, which SQL calls by their names: closures over Rust's values or Arrow's arrays.
//!
//! | | what it is | made of |
//! |---|---|---|
//! | [`ScalarFunction`] | a value for each row | a closure over values, or over arrays |
//! | [`AggregateFunction`] | a value for each group | an [`Aggregate`]: a state, and what rows do to it |
//! | [`TableFunction`] | rows, in FROM | a closure that gives record batches |
//!
//! A function belongs to the engine, and all its sessions call it. Names may be overloaded by the types of their parameters, and
//! arguments are cast as for any function of SQL. A function of the same name and types replaces the one before; a name of SQL's
//! own functions is refused (42723). Functions that users write in SQL do not come before one of the name that is registered.
//!
//! Unless a function says otherwise it is [immutable](crate::Volatility::Immutable), so that calls of constants are evaluated once
//! while a statement is planned, and *strict*: where an argument is NULL it is NULL, or the row does not count, without a call. It
//! is evaluated for no row that does not reach it, by several threads at once. Its panics are errors of the statement (XX000), its
//! errors are, too: an [`Error`](crate::Error) as it is, any other as 38000. A function does not run statements of an engine (0A000),
//! and a closure that holds the engine that it is registered with keeps it for good.
//!
//! ```
//! use multiloop::{Engine, ScalarFunction};
//!
//! let engine = Engine::new()?;
//! engine.register_scalar(ScalarFunction::new("wind_chill", |celsius: f64, kmh: f64| {
//!     let wind = kmh.powf(0.16);
//!     13.12 + 0.6215 * celsius - 11.37 * wind + 0.3965 * celsius * wind
//! }))?;
//! let session = engine.session();
//! session.sql("CREATE TABLE weather AS SELECT * FROM (VALUES ('Bern', -5, 20.0), ('Basel', NULL, 5.0)) w(city, t, wind)")?;
//! let chill = "SELECT round(wind_chill(t, wind)) FROM weather ORDER BY city";
//! let felt = session.query_as::<(Option<f64>,)>(chill, ())?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(felt, [(None,), (Some(-12.0),)]);
//! # Ok::<(), multiloop::Error>(())
//! ```
//!
//! The source: `values` brings values to a closure and back, `closure` says which closures there are, `scalar`, `aggregate` and
//! `table` are the kinds of functions, `registry` has those of an engine by name.

mod aggregate;
mod closure;
mod registry;
mod scalar;
mod table;
mod values;

pub use aggregate::{Aggregate, AggregateFunction};
pub use closure::{Arguments, Closure, FunctionOutput, TableOutput};
pub(crate) use registry::Functions;
pub use scalar::ScalarFunction;
pub use table::TableFunction;
