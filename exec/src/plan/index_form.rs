//! How the group of a key is found in a finished collection.

use crate::plan::key_layout::KeyLayout;
use crate::technique::Technique;

/// What an index can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexForm {
    Direct,
    Ranked,
    Hash,
}

/// The form of an index of so many rows. A code costs Direct 4 bytes and Ranked 2 bits, whether it is a key or not;
/// a row costs Hash about 24 bytes, and much time.
///
/// Unless indexes are built often, 4 MiB of bits are cheaper than to hash what probes them.
pub(crate) fn index_form(layout: &KeyLayout, rows: u64, often: bool) -> IndexForm {
    let ranked = if often { 1 << 16 } else { 1 << 24 };
    let is_near = |codes: u64| codes <= 1 << 12 || (codes / 4 <= rows && codes <= DIRECT_MAX);
    let is_dense = |codes: u64| codes <= ranked || codes / 2048 <= rows && codes <= 1 << 32;
    match layout.codes() {
        Some(codes) if Technique::DirectIndex.is_on() && is_near(codes) => IndexForm::Direct,
        Some(codes) if Technique::Ranked.is_on() && is_dense(codes) => IndexForm::Ranked,
        _ => IndexForm::Hash,
    }
}

/// Codes up to which Direct is in the cache close by; beyond, Ranked is, with its less than two bits a code.
pub(crate) const DIRECT_MAX: u64 = 1 << 16;
