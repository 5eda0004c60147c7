//! Partial groups, as data.

pub(crate) mod state;
