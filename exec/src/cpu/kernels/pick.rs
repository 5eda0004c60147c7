//! Gathers the values at given positions.

use crate::cpu::simd::kernel::append;
use crate::cpu::simd::prefetch::Prefetcher;
use crate::cpu::vector::rows::NO_ROW;
use std::hint::select_unpredictable;

/// Appends the values of a list of rows. `optional` says that there may be [`NO_ROW`]s.
#[inline(always)]
pub(crate) fn pick<P: Copy, R: Default>(
    values: &[P],
    list: &[u32],
    optional: bool,
    out: &mut Vec<R>,
    mut convert: impl FnMut(P) -> R,
) {
    if optional {
        if values.is_empty() {
            return out.resize_with(out.len() + list.len(), R::default);
        }
        append(out, list, |row| {
            // Nobody foresees which rows are none: to choose is cheaper than to branch.
            let is_none = row == NO_ROW;
            let value = convert(values[select_unpredictable(is_none, 0, row as usize)]);
            select_unpredictable(is_none, R::default(), value)
        });
    } else if let Some(mut prefetcher) = Prefetcher::of(values, list) {
        out.extend(list.iter().map(|&row| {
            prefetcher.prefetch(1);
            convert(values[row as usize])
        }));
    } else {
        append(out, list, |row| convert(values[row as usize]));
    }
}
