//! Finding keys in a sorted column, one after the other: a merge that steps over many rows at once.

use crate::simd::Simd;
use crate::tables::Column;

/// How far ahead keys are asked for.
const KEYS_AHEAD: usize = 512;

/// The first row from `row` on whose key is at least `key`. `keys` is sorted, so what stands behind them ends
/// the search.
#[inline(always)]
pub(crate) fn seek<S: Simd>(simd: S, keys: &Column<u32>, mut row: usize, key: u32) -> usize {
    loop {
        keys.prefetch(row + KEYS_AHEAD);
        keys.prefetch(row + KEYS_AHEAD + 16);
        let less = simd.count_less_u32(keys.window(row), key);
        row += less;
        if less < 32 {
            return row;
        }
    }
}
