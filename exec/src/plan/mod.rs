//! What is decided about a program before it runs. It knows no device.
//!
//! `compile` goes over the lets: where each condition is evaluated, which collections need an index, which lets of nested
//! blocks are computed once (`invariance`). `nodes` compiles scalars, each with the `register` that holds its values;
//! `key_layout` lays out keys, `group_kind` and `index_form` choose how groups are numbered and found, `aggregate` what
//! is kept of a reduction, `in_place` which buckets a table already is. `explain` says all that, `statistics` what a run notes.

pub(crate) mod aggregate;
pub mod code_range;
pub(crate) mod compile;
pub(crate) mod explain;
pub(crate) mod group_kind;
pub(crate) mod in_place;
pub(crate) mod index_form;
pub(crate) mod invariance;
pub(crate) mod key_layout;
pub mod nodes;
pub mod register;
pub(crate) mod statistics;

pub use explain::{Placement, place};
pub use statistics::LetStatistics;
