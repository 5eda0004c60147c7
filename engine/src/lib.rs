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
//! A statement may nest deeply, and gets a stack of its own where the thread that asks has less than [`STATEMENT_BYTES`] of it. Who
//! runs many short statements asks from a thread with such a stack, or from within [`with_deep_stack`].
//!
//! The source, low to high: `guard` stands around statements, `timer` calls back when a time has passed, `turn` is a lock whose
//! waiters hear a cancel, `plan` is the road from text to program, `tallies` what statements took, `sight` how values are shown
//! and read, `sliced` batches of bounded size, `stream` what comes back, `reader` that as Arrow's readers, `asynchronous` as
//! streams of batches and `pretty` as a table of text, `format` reads and writes files, `catalog` has the tables (`keys` keeps
//! them unique, `grants` says whose they are), `storage` keeps what is committed, `settings` and `notify` what clients set and tell, `roles` and `access` who may
//! enter, `transaction` what a session sees and changes, `activity` what sessions do, `system` the catalogs of what there is,
//! `rights` who may do what, `snapshot` what one statement sees, `names` objects by number, `hashed` what queries hash, `engine`
//! what sessions share. `tuples` lists those that are rows, `parameters` are values from Rust, `row` gives it values, `types` are
//! those that Rust lacks, `functions` those that it registers, `provider` reads stores of users' own. `running` is what a statement
//! has from its session, `explain` and `statement` what every kind does; `session` and `linq` are what users call. `guides` runs
//! the code of the pages in `docs/`.

// What `#[derive(Row)]` generates names this crate from outside.
extern crate self as multiloop;

mod access;
mod activity;
#[cfg(feature = "async")]
mod asynchronous;
mod calls;
mod catalog;
mod counters;
mod drawn;
mod effects;
mod engine;
mod explain;
pub mod format;
pub mod functions;
mod grants;
mod guard;
#[cfg(doctest)]
mod guides;
mod hashed;
mod keys;
pub mod linq;
mod maintenance;
mod names;
mod notify;
mod parameters;
mod plan;
mod pretty;
mod provider;
mod reader;
mod rights;
mod roles;
mod row;
mod row_locks;
mod running;
mod session;
mod settings;
mod sight;
mod sliced;
mod snapshot;
mod statement;
mod storage;
mod stream;
mod summary;
mod system;
mod tallies;
mod timer;
mod transaction;
mod tuples;
mod turn;
mod types;

pub use activity::{Signal, SignalCallback};
#[cfg(feature = "async")]
pub use asynchronous::BatchStream;
pub use engine::{Engine, EngineBuilder};
pub use functions::{Aggregate, AggregateFunction, ScalarFunction, TableFunction};
pub use multiloop_derive::Row;
pub use multiloop_exec::workers::context::Cancellation;
#[doc(hidden)]
pub use multiloop_exec::{DeviceUse, Devices, Rates, about_cards, first_card};
pub use multiloop_planner::catalog::{FileOption, FileOptions, OptionValue};
pub use multiloop_planner::error::{Error, ErrorKind, Position, Result, Subject};
pub use multiloop_planner::evaluate::zone::Zone;
pub use multiloop_planner::function::{IntervalStyle, Volatility};
pub use multiloop_planner::numeric::Numeric;
pub use multiloop_planner::relation::builder::{FunctionKind, FunctionSummary, functions};
pub use multiloop_planner::rewrite::RewriteOptions;
pub use multiloop_planner::stack::{STATEMENT_BYTES, deep as with_deep_stack};
pub use multiloop_planner::types::{DataType, Field, NestedType, OidKind, SystemType};
pub use multiloop_planner::value::{Interval, Value};
pub use notify::{Notification, NotifyCallback};
pub use parameters::{Parameter, ParameterList, Parameters, ToParameter};
pub use plan::{Timings, rewrite_options};
pub use provider::{
    Batches, ColumnEstimate, ColumnRange, Condition, ProviderError, RowCount, Scan, TableEstimates, TablePart,
    TableProvider, Test,
};
pub use reader::ResultReader;
pub use roles::{Roles, Verifier};
pub use row::{ColumnIndex, FromRow, FromSql, ListRef, MappedRows, Row, Rows, TypedRows, ValueRef};
pub use running::{Backend, SessionOptions};
pub use session::{AppendField, AppendRow, Appender, ReadSnapshot, RowWriter};
pub use session::{CopyIn, CopyOut, Execution, Prepared, ProgressCallback, Session, Statement};
pub use sight::Sight;
pub use storage::{Checked, Recovery};
pub use stream::{Notice, ResultStream};
pub use transaction::TransactionStatus;
#[doc(hidden)]
pub use types::literals as __literal;
pub use types::{Date, Decimal, Time, Timestamp, TimestampTz, Uuid};

/// What the code that `#[derive(Row)]` generates calls.
#[doc(hidden)]
pub mod __derive {
    pub use crate::row::{NamedColumns, check_named as check_column};
}

/// The version of Arrow whose types this API takes and gives.
pub use arrow;
