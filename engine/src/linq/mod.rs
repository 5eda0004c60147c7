//! LINQ-style queries: their expressions and steps are given a meaning by the same builder of relations that SQL text is
//! bound with, so that the same query written either way has the same names, types, errors and plan.
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

mod block;
mod expression;
mod frame;
mod named;
mod print;
mod tree;
mod typed;

pub use expression::{
    Expression, Order, avg, col, count, count_of, date, function, interval, lit, max, min, not, null, parameter, sum,
    when,
};
pub use frame::{Frame, Join};
pub use typed::*;
