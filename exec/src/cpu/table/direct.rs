//! Direct: an array over all codes says which group a code has.

use crate::cpu::simd::kernel::prefetch_here;
use crate::technique::Technique;

/// Entries beyond which they are not in the cache close by.
pub(crate) const FAR_ENTRIES: usize = 1 << 17;

/// How many keys ahead their entries are asked for.
const PREFETCH_KEYS: usize = 32;

/// Codes that are looked at together.
const BLOCK: usize = 1024;

/// When more than one in so many codes of a block begins a group, those of the next one are taken without a branch:
/// nobody could foretell it.
const NEW_ONE_IN: usize = 32;

/// The groups of codes, new ones where there are none yet.
pub(crate) fn direct_all<T: Copy + Into<u64>>(
    entries: &mut [u32],
    base: u32,
    met: &mut Vec<u64>,
    codes: &[T],
    groups: &mut Vec<u32>,
) {
    groups.clear();
    groups.reserve(codes.len());
    let is_far = entries.len() > FAR_ENTRIES && Technique::Prefetch.is_on();
    let mut many_new = met.is_empty();
    for (number, block) in codes.chunks(BLOCK).enumerate() {
        let prefetch = |entries: &[u32], at: usize| {
            if is_far && let Some(&next) = codes.get(number * BLOCK + at + PREFETCH_KEYS) {
                prefetch_here(entries.as_ptr().wrapping_add((next.into() as usize).wrapping_sub(base as usize)));
            }
        };
        let before = met.len();
        if many_new {
            let mut count = before;
            met.resize(before + block.len(), 0);
            groups.extend(block.iter().enumerate().map(|(at, &code)| {
                prefetch(entries, at);
                direct_without_branch(entries, base, met, &mut count, code.into())
            }));
            met.truncate(count);
        } else {
            groups.extend(block.iter().enumerate().map(|(at, &code)| {
                prefetch(entries, at);
                direct(entries, base, met, code.into())
            }));
        }
        many_new = (met.len() - before) * NEW_ONE_IN > block.len();
    }
}

/// As [`direct`]; behind the `count` codes that have groups there is room for one more.
#[inline(always)]
fn direct_without_branch(entries: &mut [u32], base: u32, met: &mut [u64], count: &mut usize, code: u64) -> u32 {
    let entry = &mut entries[code as usize - base as usize];
    met[*count] = code;
    let is_new = *entry == 0;
    *count += usize::from(is_new);
    *entry = if is_new { *count as u32 } else { *entry };
    *entry - 1
}

/// The group of a code, new if it has none yet.
#[inline]
pub(crate) fn direct(entries: &mut [u32], base: u32, codes: &mut Vec<u64>, code: u64) -> u32 {
    let entry = &mut entries[code as usize - base as usize];
    if *entry == 0 {
        codes.push(code);
        *entry = codes.len() as u32;
    }
    *entry - 1
}
