//! Integers in fewer bits: the range of some, and their distances from the least.

use crate::cpu::simd::kernel::kernel;
use std::mem::MaybeUninit;

kernel! {
    /// The least and the greatest of some integers; of none the least is above the greatest.
    pub(crate) fn bounds[](values: impl Iterator<Item = i64>) -> (i64, i64) {
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        values.for_each(|value| (low, high) = (low.min(value), high.max(value)));
        (low, high)
    }
}

kernel! {
    /// Writes what `offset` makes of each value, of which there are as many as places.
    pub(crate) fn write_offsets['a, T: Copy, O: Copy](
        values: &[T],
        places: &'a mut [MaybeUninit<O>],
        offset: impl Fn(T) -> O,
    ) -> &'a mut [O] {
        assert_eq!(values.len(), places.len());
        places.iter_mut().zip(values).for_each(|(place, &value)| {
            place.write(offset(value));
        });
        // SAFETY: each place has been written.
        unsafe { places.assume_init_mut() }
    }
}
