//! The plan: every decision about how a program runs, as a value. It knows no device.
//!
//! `tree` is the plan as a value: each choice a field, with what decided it (`choice`). `compile` makes it: where each condition
//! is evaluated, which collections need an index, which lets of nested blocks are computed once (`invariance`), which of these for
//! many rows at once (`batch`), which by search among rows in order (`searched`), as indices of joins are, too (`range_join`), which for many rows by a loop over their own (`interchange`). `nodes` compiles scalars, each with the
//! `register` that holds its values, and `expressions` are those of a loop; `key_layout` lays out keys, `group_kind` and
//! `index_form` choose how groups are numbered and found (once more when the data is at hand), by `limits`; `gates` says what
//! need not be made; `aggregate` says what is kept of a reduction, `row_text` takes apart what lists are made of, `in_place` which buckets a table already is, `read_fields`
//! which fields anybody reads, `readers` who reads a collection, and how, `reads` what a let reads, `placement` which device
//! runs a loop. `explain` prints the plan, `outline` has it as a tree, `estimate` says
//! how long it takes at most if that is short, `statistics` is what a run notes.

pub(crate) mod aggregate;
pub(crate) mod batch;
pub(crate) mod choice;
pub mod code_range;
pub(crate) mod compile;
pub(crate) mod estimate;
pub(crate) mod explain;
pub mod expressions;
pub(crate) mod gates;
pub(crate) mod group_kind;
pub(crate) mod in_place;
pub(crate) mod index_form;
pub(crate) mod interchange;
pub(crate) mod invariance;
pub(crate) mod key_layout;
pub(crate) mod limits;
pub mod nodes;
pub(crate) mod outline;
pub(crate) mod placement;
mod put_off;
pub(crate) mod range_join;
pub(crate) mod read_fields;
mod readers;
pub(crate) mod reads;
pub mod register;
pub(crate) mod row_text;
pub(crate) mod searched;
pub(crate) mod statistics;
pub(crate) mod tree;

#[cfg(test)]
mod tests;

pub use compile::plan;
pub use explain::{Explained, Numbers, explain, explain_plan};
pub use limits::Limits;
pub use outline::{Node, Relationship};
pub use statistics::LetStatistics;
pub use tree::{Machine, Plan};
