//! Keys of groups: the parts of a key as one number or a string of bytes.
//!
//! `part_values` are the values of one part; `codes` turns parts into numbers by dense loops where it can (`pack`), `integer` and `wide` read keys of one integer where
//! they lie, `text` those of one string, `short` packs strings of few bytes. `duplicates` finds rows that repeat the key before
//! them, `measure` how far apart keys lie, `decode` shows the keys of numbered groups.

pub(crate) mod codes;
pub(crate) mod decode;
pub(crate) mod duplicates;
pub mod integer;
pub(crate) mod measure;
pub(crate) mod pack;
pub(crate) mod part_values;
pub(crate) mod short;
pub(crate) mod text;
pub(crate) mod valid;
pub(crate) mod wide;
