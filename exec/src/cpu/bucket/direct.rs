//! Direct: an array over all codes says which group a code has.

use super::super::kernels::prefetch_here;
use crate::technique::Technique;

/// Entries beyond which they are not in the cache close by.
pub(super) const FAR_ENTRIES: usize = 1 << 17;

/// How many keys ahead their entries are asked for.
const KEYS_AHEAD: usize = 32;

/// The groups of codes, new ones where there are none yet.
pub(super) fn direct_all<T: Copy + Into<u64>>(
    entries: &mut [u32],
    base: u32,
    met: &mut Vec<u64>,
    codes: &[T],
    groups: &mut Vec<u32>,
) {
    groups.clear();
    if entries.len() <= FAR_ENTRIES || !Technique::LookAhead.is_on() {
        groups.extend(codes.iter().map(|&code| direct(entries, base, met, code.into())));
        return;
    }
    groups.extend(codes.iter().enumerate().map(|(at, &code)| {
        if let Some(&next) = codes.get(at + KEYS_AHEAD) {
            prefetch_here(entries.as_ptr().wrapping_add((next.into() as usize).wrapping_sub(base as usize)));
        }
        direct(entries, base, met, code.into())
    }));
}

/// The group of a code, new if it has none yet.
#[inline]
pub(super) fn direct(entries: &mut [u32], base: u32, codes: &mut Vec<u64>, code: u64) -> u32 {
    let entry = &mut entries[code as usize - base as usize];
    if *entry == 0 {
        codes.push(code);
        *entry = codes.len() as u32;
    }
    *entry - 1
}
