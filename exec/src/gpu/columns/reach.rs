//! Where the bits of floats stand: that tells in which units their sums are integers.

use crate::sums::exact_sum::{EXPONENT_MAX, EXPONENT_MIN, decompose};

/// Between which places the bits of some floats stand. The lowest bit that a double can have is at place 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// One more than the place of the lowest of the 53 bits of the largest number; 0 if all are zero.
    top: u32,
    /// [`BOTTOM`] less the place of the lowest bit that is set.
    bottom: u32,
    /// Whether some are not finite.
    pub(crate) has_odd: bool,
}

/// More than any place.
const BOTTOM: u32 = 1 << 12;

/// Bits of a double's integer.
const INTEGER_BITS: u32 = 53;

/// What `float_top` gives of what is not finite.
const ODD: u32 = 0xffff;

impl Reach {
    /// The reach of some floats.
    pub(crate) fn of(values: impl Iterator<Item = f64>) -> Self {
        values.fold(Reach::default(), |reach, value| {
            let (integer, exponent) = decompose(value);
            let place = (exponent - EXPONENT_MIN) as u32;
            let own = match (value.is_finite(), integer) {
                (false, _) => Reach { has_odd: true, ..Reach::default() },
                (true, 0) => Reach::default(),
                _ => Reach { top: place + 1, bottom: BOTTOM - place - integer.trailing_zeros(), has_odd: false },
            };
            reach.and(own)
        })
    }

    /// The reach of all that `float_top` and `float_bottom` have looked at.
    pub(crate) fn of_words(top: u32, bottom: u32) -> Self {
        let has_odd = top == ODD;
        Reach { top: if has_odd { 0 } else { top }, bottom, has_odd }
    }

    /// The reach of both.
    pub(crate) fn and(self, other: Self) -> Self {
        let (top, bottom) = (self.top.max(other.top), self.bottom.max(other.bottom));
        Reach { top, bottom, has_odd: self.has_odd || other.has_odd }
    }

    /// The place of the bit that is counted: all finite ones are integers of it.
    pub(crate) fn place(self) -> u32 {
        (BOTTOM - self.bottom).min((EXPONENT_MAX - EXPONENT_MIN) as u32)
    }

    /// Whether so many of these bits together, and the next double, are finite.
    pub(crate) fn has_doubles_up_to(self, most: u128) -> bool {
        let exponent = self.place() as i32 + EXPONENT_MIN + (u128::BITS - most.leading_zeros()) as i32;
        exponent < f64::MAX_EXP
    }

    /// These integers are less than two to this power.
    pub(crate) fn bits(self) -> u32 {
        match self.top {
            0 => 0,
            top => top - 1 + INTEGER_BITS - self.place(),
        }
    }
}
