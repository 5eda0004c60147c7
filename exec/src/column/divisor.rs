//! The greatest common divisor of many integers, and exact division by it.

use multiloop_planner::analysis::ranges::common_divisor;

/// The widest step in which distances lie of which `range` is one, if there are at most `most` steps in it.
pub(crate) fn common_step(mut distances: impl Iterator<Item = u64>, range: u64, most: u64) -> Option<u64> {
    let mut step = range;
    // A step that fails is at least halved, so there are few rounds; most columns leave after a few values.
    while step > 0 && range / step <= most {
        let divisor = Divisor::new(step);
        let Some(other) = distances.find(|&distance| divisor.quotient(distance).is_none()) else { return Some(step) };
        step = common_divisor(step, other);
    }
    None
}

/// Divides what it divides without a remainder by one multiplication, and finds out what it does not divide.
/// Source: Granlund and Montgomery, Division by Invariant Integers using Multiplication (1994), section 9.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    divisor: u64,
    /// The inverse of the odd part, modulo 2^64.
    inverse: u64,
    /// The even part, as the power of two.
    shift: u32,
    /// The largest quotient.
    most: u64,
}

impl Divisor {
    /// Of a number above 0.
    pub(crate) fn new(divisor: u64) -> Self {
        let shift = divisor.trailing_zeros();
        let odd = divisor >> shift;
        // Right in the low five bits; each of Newton's steps doubles them.
        let mut inverse = odd.wrapping_mul(3) ^ 2;
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        Divisor { divisor, inverse, shift, most: u64::MAX / divisor }
    }

    /// What it divides by.
    pub(crate) fn divisor(&self) -> u64 {
        self.divisor
    }

    /// What multiples are multiplied by, modulo 2^64, before they are rotated.
    pub(crate) fn inverse(&self) -> u64 {
        self.inverse
    }

    /// By how many bits products are rotated to the right.
    pub(crate) fn shift(&self) -> u32 {
        self.shift
    }

    /// The quotient of a multiple.
    #[inline]
    pub(crate) fn exact(&self, number: u64) -> u64 {
        number.wrapping_mul(self.inverse).rotate_right(self.shift)
    }

    /// The quotient, if there is no remainder. The [`Divisor::exact`] one of anything else is above that of all multiples.
    #[inline]
    pub(crate) fn quotient(&self, number: u64) -> Option<u64> {
        Some(self.exact(number)).filter(|&quotient| quotient <= self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_find_multiples() {
        let divisors = [1, 2, 3, 7, 10, 64, 100, 1_000_000, (1 << 32) - 1, 1 << 32, 1 << 63, u64::MAX / 3, u64::MAX];
        for divisor in divisors {
            let made = Divisor::new(divisor);
            let near = |number: u64| [number.wrapping_sub(1), number, number.wrapping_add(1)];
            let multiples = [0u64, 1, 2, 255, 65_535, 1 << 40].map(|times| times.wrapping_mul(divisor));
            for number in multiples.into_iter().chain([u64::MAX, 1 << 63]).flat_map(near) {
                let expected = (number % divisor == 0).then_some(number / divisor);
                assert_eq!(made.quotient(number), expected, "{number} / {divisor}");
            }
        }
    }
}
