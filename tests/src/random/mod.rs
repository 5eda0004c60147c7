//! Random SQL beside PostgreSQL.
//!
//! 1. A seed gives tables (`data`) and statements over them (`query`, `kinds`, `subquery`, `expression`), some of which read tables
//!    that were changed before (`changed`), all of them by choices that are kept (`choices`).
//! 2. Both engines run each statement: Multiloop in a process of its own (`worker`), PostgreSQL over its protocol
//!    (`postgres`). Where tables are small, Multiloop runs it in every way: interpreted, and with the rules off.
//! 3. What differs (`outcome`) in rows, types, SQLSTATE, or fifty times in how long it took, is made smaller and shown
//!    with all that it takes to see it again (`hunt`).
//!
//! By hand: `cargo run -p multiloop-tests --bin random -- --minutes 60`.

mod changed;
mod choices;
mod data;
mod expression;
mod hunt;
mod kinds;
mod outcome;
mod postgres;
mod query;
mod subquery;
mod worker;
mod writer;

pub(crate) use choices::Choices;
pub use data::Size;
pub use hunt::{Finding, Hunt, Report, hunt};
pub use outcome::{Outcome, difference};
pub use worker::{outcome_within, serve};
