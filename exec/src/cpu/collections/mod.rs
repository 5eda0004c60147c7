//! What a let's result is in memory: rows, buckets of rows, groups with an index over their keys (`stored`); buckets that a
//! sorted table already is (`in_place`). `claims` checks in debug builds that what flows is as it was proven.

pub mod bindings;
pub(crate) mod claims;
pub(crate) mod clustered;
pub(crate) mod in_place;
pub(crate) mod stored;
