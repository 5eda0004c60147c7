//! Integers in fewer bits: the range of some, and their distances from the least.

use super::kernel;

kernel! {
    /// The least and the greatest of some integers; of none the least is above the greatest.
    pub(crate) fn bounds[](values: impl Iterator<Item = i64>) -> (i64, i64) {
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        values.for_each(|value| (low, high) = (low.min(value), high.max(value)));
        (low, high)
    }
}

kernel! {
    /// Writes what `offset` makes of each value.
    pub(crate) fn write_offsets[T: Copy, O](values: &[T], out: &mut [O], offset: impl Fn(T) -> O) {
        out.iter_mut().zip(values).for_each(|(out, &value)| *out = offset(value));
    }
}
