//! Powers of ten within 128 bits, looked up: making one takes as many multiplications as it has bits, and a quotient of two
//! numerics asks for four.

/// 10^0 to 10^38.
const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// 10^exponent; None beyond 128 bits.
#[inline]
pub fn power_of_ten(exponent: u32) -> Option<i128> {
    POWERS.get(exponent as usize).copied()
}

/// The exponent of the greatest power of ten that is not greater than a magnitude; None of zero.
#[inline]
pub(super) fn log10(magnitude: u128) -> Option<u32> {
    // With 128 bits it divides, which most numbers need not.
    u64::try_from(magnitude).map_or_else(|_| magnitude.checked_ilog10(), log10_64)
}

/// The same of 64 bits.
#[inline]
pub(super) fn log10_64(magnitude: u64) -> Option<u32> {
    // 1233 / 4096 is the logarithm of 2, but for what shows in no 64 bits: the guess is right, or greater by one.
    let guess = ((64 - magnitude.leading_zeros()) * 1233) >> 12;
    let power = POWERS[guess as usize] as u128;
    if magnitude == 0 { None } else { Some(guess - u32::from(u128::from(magnitude) < power)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_logarithms_are_those_of_integers() {
        for exponent in 0..39 {
            let power = 10i128.pow(exponent);
            assert_eq!(power_of_ten(exponent), Some(power));
            for magnitude in [power as u128 - 1, power as u128, power as u128 + 1] {
                assert_eq!(log10(magnitude), magnitude.checked_ilog10());
            }
        }
        for bit in 0..64 {
            for magnitude in [1u64 << bit, (1u64 << bit) - 1] {
                assert_eq!(log10_64(magnitude), magnitude.checked_ilog10());
            }
        }
        assert_eq!(power_of_ten(39), None);
        assert_eq!(log10(u64::MAX.into()), Some(19));
        assert_eq!(log10(u128::from(u64::MAX) + 1), Some(19));
        assert_eq!(log10(u128::MAX), Some(38));
    }
}
