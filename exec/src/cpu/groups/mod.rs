//! Numbering the groups of a reduction while its rows pass by.
//!
//! `grouper` does so in one of the ways that the plan chose: by code, by hash, in order. `few` and `masks` are for a handful of
//! groups, `runs` for keys whose equal values lie side by side, `first_rows` for groups that are their first rows, `ranked`
//! for keys that were partitioned first, by `splitters`.

pub(crate) mod few;
pub(crate) mod first_rows;
pub(crate) mod grouper;
pub(crate) mod masks;
pub(crate) mod ranked;
pub(crate) mod runs;
pub(crate) mod splitters;
