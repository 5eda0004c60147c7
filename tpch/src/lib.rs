//! TPC-H: data, queries, known answers, and the runner that times and verifies them.
//!
//! `data` generates or reads the eight tables, `queries` has the 22 standard texts with the validation parameters,
//! `linq` the same as closures that Rust checks,
//! `answers` what they give at scale factors 0.01, 0.1, 1 and 10, `run` times and compares, `report` prints,
//! `compare` runs other engines beside it; `streams`, `refresh` and `throughput` run queries beside changes.

pub mod answers;
pub mod compare;
mod data;
pub mod linq;
mod machine;
mod queries;
pub mod refresh;
mod report;
mod run;
mod streams;
mod throughput;

pub use data::{OnRows, TABLES, generate, read_parquet};
pub use queries::query;
pub use report::{print_table, print_throughput};
pub use run::{Options, QueryReport, Report, run};
pub use streams::stream_count;
pub use throughput::{OnStep, RefreshReport, StreamQuery, StreamReport, Throughput, throughput};
