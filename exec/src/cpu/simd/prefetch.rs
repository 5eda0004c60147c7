//! Rows of a list that lie far apart: what they have is asked for some rows ahead, since the hardware does not foresee it,
//! and a request for each line of the cache may be under way at once.
//!
//! Every kernel that gathers does so: the processor foresees what follows in memory, not what a list says.

use crate::cpu::simd::kernel::prefetch_here;
use crate::technique::Technique;

/// How many rows of a list ahead their values are asked for. Neighbours often lie in one line of the cache.
pub(crate) const PREFETCH_ROWS: usize = 192;

/// Rows of which fewer than one in so many is on a list lie so far apart that each costs a request of its own.
const SPARSE: u32 = 8;

/// The rows of a list that have not been asked for.
pub(crate) struct Prefetcher<'a, T> {
    values: &'a [T],
    later: std::slice::Iter<'a, u32>,
}

impl<'a, T> Prefetcher<'a, T> {
    /// Asks for what the first rows of an increasing list have; none if its rows lie close by.
    #[inline(always)]
    pub(crate) fn of(values: &'a [T], list: &'a [u32]) -> Option<Self> {
        let (first, last) = (list.first()?, list.last()?);
        let is_sparse = last.abs_diff(*first) / SPARSE > list.len() as u32;
        (is_sparse && Technique::Prefetch.is_on()).then(|| {
            let mut prefetcher = Prefetcher { values, later: list.iter() };
            prefetcher.prefetch(PREFETCH_ROWS);
            prefetcher
        })
    }

    /// Asks for what so many rows more have.
    #[inline(always)]
    pub(crate) fn prefetch(&mut self, rows: usize) {
        let next = self.later.by_ref().take(rows);
        next.for_each(|&row| prefetch_here(self.values.as_ptr().wrapping_add(row as usize)));
    }
}
