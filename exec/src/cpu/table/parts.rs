//! Partitions of groups by the bits of their hashes.

/// How far codes below `len` are shifted to give their part of `parts`.
pub(crate) fn shift_of(len: usize, parts: usize) -> u32 {
    len.div_ceil(parts).next_power_of_two().trailing_zeros()
}

/// Which of `len` codes a part has.
pub(crate) fn part_range(len: usize, part: usize, parts: usize) -> (usize, usize) {
    let bound = |part: usize| (part << shift_of(len, parts)).min(len);
    (bound(part), bound(part + 1))
}
