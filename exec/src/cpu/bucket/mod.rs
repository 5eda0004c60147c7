//! Buckets: how keys find groups.
//!
//! `key` turns the parts of a key into one number (or a string of bytes), by dense loops where it can (`pack`);
//! one string is a key where it lies (`text_keys`). `table` numbers distinct keys by hashing (`slots`), those of bytes with
//! `byte_keys`; a `key_filter` stands before a large one that is probed. `grouper` numbers the groups of a reduction while
//! its rows pass by, in one of the ways of `kind`, and `group_keys` shows their keys (`waiting` has those that are dealt first, in
//! `blocks`, and `known` numbers them where all have been dealt);
//! `index` finds the group of a key in a
//! finished collection by whatever suits its keys: an array over the codes (Direct), a bitmap with ranks (Ranked, of keys in
//! order by `sorted`), nothing but the range of the keys (Dense) or a hash table (Hash). Large ones are built in `parts`, hash
//! tables by `hash_parts`.

pub(super) mod blocks;
mod byte_keys;
pub(super) mod cuts;
mod direct;
mod domain;
pub(super) mod few;
pub(super) mod firsts;
pub(super) mod group_keys;
pub(super) mod grouper;
mod hash_parts;
pub(super) mod index;
pub(super) mod key;
mod key_filter;
pub(super) mod kind;
pub(super) mod known;
mod pack;
mod parts;
pub(super) mod present;
mod ranks;
mod repeats;
pub(super) mod runs;
mod slots;
mod sorted;
pub(super) mod table;
mod text_keys;
mod translation;
pub(super) mod waiting;
