//! Numbering the groups of a reduction while its rows pass by.
//!
//! `grouper` does so in one of the ways that the plan chose, each a type of its own: by code (`few`, `set`, `direct`), by runs of
//! equal keys (`clustered`), by hash (`hashed`); `assigned` is what it gives a tile. `masks` are for a handful of groups, `runs`
//! for keys whose equal values lie side by side, `first_rows` for groups in the order of their first rows, `ranked` for keys that
//! were partitioned first, by `splitters`.

pub(crate) mod assigned;
pub(crate) mod clustered;
pub(crate) mod direct;
pub(crate) mod few;
pub(crate) mod first_rows;
pub(crate) mod grouper;
pub(crate) mod hashed;
pub(crate) mod masks;
pub(crate) mod ranked;
pub(crate) mod runs;
pub(crate) mod set;
pub(crate) mod splitters;
