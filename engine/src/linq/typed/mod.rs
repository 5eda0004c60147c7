//! Queries as closures over lifted values, which Rust's compiler checks. See [`Query`].
//!
//! A closure runs once, while its query is built (it is staged, as in the Delite papers): what it does with the lifted values of a
//! row becomes a tree of the untyped form, and the loop over rows sees no closure. So the typed form adds nothing to what
//! [the other one](super) can say, and both have one meaning.
//!
//! Read in this order: `types` says what a type of a value is; `arena` is where values live, `expr` what they are, `literal`,
//! `operators`, `conditions`, `text`, `times`, `vectors`, `functions` what is done with them; `record` has rows of them, `query` the steps on rows,
//! with `order`, `joins`, `sets`, `grouped` with `aggregates`, `subqueries`, `window`; `values` and `table` begin a query, `run` ends it, `prepared`
//! runs one with parameters.

mod aggregates;
mod arena;
mod conditions;
mod expr;
mod functions;
mod grouped;
mod iterate;
mod joins;
mod literal;
mod operators;
mod order;
mod prepared;
pub(super) mod query;
mod record;
mod run;
mod sets;
mod subqueries;
mod table;
mod text;
mod times;
mod types;
mod values;
mod vectors;
pub mod window;

pub use aggregates::{Averaged, Number, Ordered, Summed};
pub use conditions::Condition;
pub use expr::Expr;
pub use functions::{Case, Choice, Logistic, call, case};
pub use grouped::{Emptiness, Group, Grouped, NeverEmpty, PerhapsEmpty};
pub use iterate::Rounds;
pub use literal::{IntoExpr, literal, null_of};
pub use operators::{Comparable, Compared, Minus, Modulo, Over, Plus, Signed, Times, Unified};
pub use order::{Key, Keys};
pub use prepared::{Bound, PreparedQuery};
pub use query::Query;
pub use record::{Append, Columns, FieldReader, Fields, Lifted, Maybe, RowReader};
pub use run::QueryRows;
pub use table::{Record, RecordColumn, check_schema};
pub use times::{Dated, Timed};
pub use types::SqlType;
pub use values::IntoRow;
pub use vectors::{Measured, Outer, ProductOf, VectorType};
