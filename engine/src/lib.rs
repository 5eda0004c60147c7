//! Multiloop, an in-memory analytics engine: SQL and LINQ-style queries over Arrow columns.
//!
//! An [`Engine`] holds tables; a [`Session`] runs statements on them and gives Arrow record batches back.
//!
//! ```
//! use multiloop::Engine;
//!
//! let session = Engine::new()?.session();
//! session.sql("CREATE TABLE fruit (name text, price decimal(6,2))")?;
//! session.sql("INSERT INTO fruit VALUES ('apple', 1.20), ('pear', 0.95)")?;
//! for batch in session.sql("SELECT name, price * 2 AS two FROM fruit ORDER BY price")? {
//!     println!("{:?}", batch?);
//! }
//! # Ok::<(), multiloop::Error>(())
//! ```
//!
//! Read the source in this order: `engine` and `session` are the API, `catalog` the tables, `plan` the road from
//! text to program, `statement` what every kind of statement does, `guard` what stands around them, `stream` what comes
//! back, `format` files.

mod catalog;
mod engine;
mod explain;
pub mod format;
mod guard;
mod keys;
pub mod linq;
mod plan;
mod prepared;
mod session;
mod statement;
mod stream;

pub use engine::{Engine, EngineBuilder};
pub use multiloop_exec::context::Cancellation;
pub use multiloop_planner::error::{Error, ErrorKind, Position, Result};
pub use multiloop_planner::rewrite::RewriteOptions;
pub use multiloop_planner::types::{DataType, Field};
pub use multiloop_planner::value::{Interval, Value};
pub use plan::Timings;
pub use prepared::Prepared;
pub use session::{Backend, ProgressCallback, Session, SessionOptions};
pub use stream::ResultStream;

/// The version of Arrow whose types this API takes and gives.
pub use arrow;
