//! 256-bit unsigned integers, as far as decimals need them: a product of two 128-bit numbers, and its quotient.
//!
//! A decimal's value fits 128 bits, but the way to it may not: 38 digits times 38 digits, or a dividend that is
//! scaled up before it is divided. Only those go through here.

/// An unsigned integer of 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide {
    high: u128,
    low: u128,
}

const HALF: u32 = 64;
const LOW_HALF: u128 = u64::MAX as u128;

impl Wide {
    /// A 128-bit number.
    pub(super) fn new(low: u128) -> Self {
        Wide { high: 0, low }
    }

    /// The full product of two 128-bit numbers, by 64-bit halves.
    pub(super) fn product(a: u128, b: u128) -> Self {
        let (a_high, a_low) = (a >> HALF, a & LOW_HALF);
        let (b_high, b_low) = (b >> HALF, b & LOW_HALF);
        let bottom = a_low * b_low;
        let middle = a_high * b_low + (bottom >> HALF);
        let other = a_low * b_high + (middle & LOW_HALF);
        Wide { high: a_high * b_high + (middle >> HALF) + (other >> HALF), low: (other << HALF) | (bottom & LOW_HALF) }
    }

    /// This times a 128-bit number, if 256 bits hold it.
    pub(super) fn checked_multiply(self, factor: u128) -> Option<Self> {
        let top = Wide::product(self.high, factor);
        let bottom = Wide::product(self.low, factor);
        if top.high != 0 {
            return None;
        }
        Some(Wide { high: bottom.high.checked_add(top.low)?, low: bottom.low })
    }

    /// The 128-bit number that this is, if it is one.
    pub(super) fn narrow(self) -> Option<u128> {
        (self.high == 0).then_some(self.low)
    }

    /// The quotient rounded half up, if 128 bits hold it. The divisor is not 0 and below 2^255.
    pub(super) fn divide_rounded(self, divisor: Wide) -> Option<u128> {
        let (quotient, remainder) = self.divide(divisor);
        let round_up = remainder.doubled() >= divisor;
        quotient.narrow()?.checked_add(u128::from(round_up))
    }

    /// Quotient and remainder by shifting and subtracting, one bit at a time. The divisor is below 2^255, so
    /// that the doubled remainder never overflows.
    pub(super) fn divide(self, divisor: Wide) -> (Wide, Wide) {
        debug_assert!(divisor > Wide::new(0) && divisor.high >> 127 == 0);
        if let (Some(a), Some(b)) = (self.narrow(), divisor.narrow()) {
            return (Wide::new(a / b), Wide::new(a % b));
        }
        let (mut quotient, mut remainder) = (Wide::new(0), Wide::new(0));
        for bit in (0..256).rev() {
            remainder = remainder.doubled();
            remainder.low |= self.bit(bit);
            quotient = quotient.doubled();
            if remainder >= divisor {
                remainder = remainder.minus(divisor);
                quotient.low |= 1;
            }
        }
        (quotient, remainder)
    }

    fn bit(self, position: u32) -> u128 {
        if position >= 128 { (self.high >> (position - 128)) & 1 } else { (self.low >> position) & 1 }
    }

    fn doubled(self) -> Self {
        Wide { high: (self.high << 1) | (self.low >> 127), low: self.low << 1 }
    }

    fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Wide { high: self.high - other.high - u128::from(borrow), low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_quotients_are_inverse() {
        let numbers = [1, 2, 3, 10, u64::MAX as u128, 1 << 64, 10u128.pow(38) - 1, u128::MAX >> 1];
        for a in numbers {
            for b in numbers {
                let product = Wide::product(a, b);
                assert_eq!(product.divide(Wide::new(b)), (Wide::new(a), Wide::new(0)), "{a} * {b}");
                if let Some(narrow) = a.checked_mul(b) {
                    assert_eq!(product.narrow(), Some(narrow));
                }
            }
        }
    }

    #[test]
    fn quotients_round_half_up() {
        assert_eq!(Wide::new(5).divide_rounded(Wide::new(2)), Some(3));
        assert_eq!(Wide::new(4).divide_rounded(Wide::new(3)), Some(1));
        assert_eq!(Wide::product(u128::MAX, 2).divide_rounded(Wide::new(1)), None);
        assert_eq!(Wide::product(u128::MAX, 3).divide_rounded(Wide::new(3)), Some(u128::MAX));
    }

    #[test]
    fn a_product_of_three_overflows_beyond_256_bits() {
        let big = Wide::product(u128::MAX, u128::MAX);
        assert_eq!(big.checked_multiply(1), Some(big));
        assert_eq!(big.checked_multiply(2), None);
    }
}
