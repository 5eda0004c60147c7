//! LINQ-style queries: their expressions and steps are given a meaning by the same builder of relations that SQL text is
//! bound with, so that the same query written either way has the same names, types, errors and plan.
//!
//! `expression` with `functions`, `vectors`, `windows` and `bounds`, and `frame` with `steps`, are what users call, and, checked by the compiler, `typed`. They make a `tree` for each expression (with `over`) and a `block` for each SELECT
//! level, whose sources have an `alias`; `survey` looks at a whole query, `walk` builds it, `print` says it in SQL, `release` ends it.
//!
//! ```
//! use multiloop::Engine;
//! use multiloop::linq::{col, count, sum};
//!
//! let session = Engine::new()?.session();
//! session.sql("CREATE TABLE sales AS SELECT * FROM (VALUES ('a', 1), ('b', 2), ('a', 3)) AS t (shop, amount)")?;
//! let by_shop = session
//!     .table("sales")
//!     .filter(col("amount").gt(0))
//!     .group_by([col("shop")])
//!     .select([col("shop"), sum(col("amount")).alias("total"), count().alias("sales")])
//!     .order_by([col("shop").asc()]);
//! assert_eq!(by_shop.run()?.collect_batches()?[0].num_rows(), 2);
//! # Ok::<(), multiloop::Error>(())
//! ```

mod alias;
mod block;
mod bounds;
mod expression;
mod frame;
mod functions;
mod over;
mod print;
mod release;
mod steps;
mod survey;
mod tree;
mod typed;
mod vectors;
mod walk;
mod windows;

pub use bounds::{FrameBound, FrameRange, current_row, following, preceding};
pub use expression::{
    Expression, Order, avg, col, count, count_of, date, function, interval, lit, max, min, not, null, parameter, sum,
    when,
};
pub use frame::{Frame, Join};
pub use functions::{
    array, array_of, dense_rank, exists, grouping, lag, lead, rank, row_in_frame, row_number, scalar, value,
};
pub use typed::*;
pub use vectors::{IntoVector, vector};
pub use windows::{WindowSpec, window};
