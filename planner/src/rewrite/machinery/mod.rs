//! What the rules share: replacing parts of programs, asking what is known of them, and the steps that several rules take.
//! `README.md` in the folder above has a table of them.

pub(super) mod change_limit;
pub(super) mod collect_rows;
pub(super) mod conditions;
pub(super) mod dependencies;
pub(super) mod exists_block;
pub(super) mod fallible;
pub(super) mod field_liveness;
pub(super) mod first_places;
pub(super) mod inner_indices;
pub(super) mod key_lookups;
pub(super) mod nested_any;
pub(super) mod partition_groups;
pub(super) mod restore_fields;
pub(super) mod reversed_join;
pub(super) mod same_nest;
pub(super) mod selectivity;
pub(super) mod sibling_generator;
pub(super) mod structural_hash;
pub mod substitute;
