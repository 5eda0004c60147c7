//! The planner: from SQL text to an optimised program of multiloops.
//!
//! Read in this order: `types`, `value`, `function` and `window` are the vocabulary; `catalog` is what the planner asks
//! of tables; `sql` walks text and has `relation::builder` make a `relation` of it; `lower` turns that into the `multiloop`
//! IR; `rewrite` holds the rules; `analysis` what is proven about programs; `speculation` what plans may do that is not
//! proven. `stack` is where all of that has room to nest, `meter` how long loops over one value hear their statement, `sequence`
//! the random numbers of a session.

pub mod analysis;
pub mod catalog;
pub mod counters;
pub mod error;
pub mod evaluate;
pub mod function;
pub mod join_kind;
pub mod lower;
pub mod meter;
pub mod multiloop;
pub mod numeric;
pub mod relation;
pub mod rewrite;
pub mod sequence;
pub mod speculation;
pub mod sql;
pub mod stack;
pub mod types;
pub mod value;
pub mod window;

pub use error::{Error, ErrorKind, Position, Result};
pub use types::{DataType, Field};
pub use value::Value;
