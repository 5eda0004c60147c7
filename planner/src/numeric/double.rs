//! The numeric that a double is cast to: its 15 leading digits, without the zeros behind them. A double is an integer of 53
//! bits times a power of two; times the power of ten that leaves 15 digits before the point it fits 128 bits, if it is
//! not small or large beyond what columns of prices and rates have.

use super::powers::power_of_ten;
use super::small::SmallNumeric;

/// The digits that are kept: 15, so from the first of these to below the other.
const DIGITS_MIN: u128 = 10u128.pow(14);
const DIGITS_END: u128 = 10u128.pow(15);

/// 53 bits times 10^22 are less than 2^127.
const POWER_MAX: i32 = 22;

impl SmallNumeric {
    /// As `Numeric::from_double` of a double: None of what is small or large, or not finite, and where what is left out is
    /// one half.
    #[inline]
    pub fn from_double(value: f64) -> Option<Self> {
        let SmallNumeric { mut unscaled, mut scale } = Self::leading_of_double(value)?;
        let mut digits = unscaled.unsigned_abs() as u64;
        for (power, zeros) in [(100_000_000, 8), (10_000, 4), (100, 2), (10, 1)] {
            while scale >= zeros && digits.is_multiple_of(power) && digits != 0 {
                (digits, scale) = (digits / power, scale - zeros);
            }
        }
        unscaled = if unscaled < 0 { -i128::from(digits) } else { digits.into() };
        Some(SmallNumeric::new(unscaled, scale))
    }

    /// The same number, that may have zeros behind its digits.
    #[inline]
    pub fn leading_of_double(value: f64) -> Option<Self> {
        if value == 0.0 {
            return Some(SmallNumeric::new(0, 0));
        }
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7FF) as i32 - 1075;
        let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
        let shift = u32::try_from(-exponent).ok().filter(|shift| (1..=100).contains(shift))?;
        // The decimal exponent, or less than it by one.
        let guess = ((exponent + 52) * 1233) >> 12;
        [14 - guess, 13 - guess].into_iter().find_map(|power| {
            let power = u32::try_from(power).ok().filter(|&power| power <= POWER_MAX as u32)?;
            let scaled = mantissa * power_of_ten(power)?.unsigned_abs();
            let (whole, rest, half) = (scaled >> shift, scaled & ((1 << shift) - 1), 1 << (shift - 1));
            if !(DIGITS_MIN..DIGITS_END).contains(&whole) || rest == half {
                return None;
            }
            let digits = (whole + u128::from(rest > half)) as i128;
            Some(SmallNumeric::new(if value < 0.0 { -digits } else { digits }, power))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Numeric;

    #[test]
    fn doubles_are_cast_as_with_all_digits() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        let plain = (0..2_000).map(|cents| f64::from(cents) / 100.0);
        let powers = (-30..30).flat_map(|power| {
            let power = 10f64.powi(power);
            [power, power.next_down(), power.next_up(), power * 0.999_999_999_999_999_5, power * 1.5]
        });
        let any: Vec<f64> = (0..20_000).map(|_| f64::from_bits(random() << 11 | random() & 0x7FF)).collect();
        let usual: Vec<f64> =
            (0..20_000).map(|_| random() as f64 / [1e3, 1e9, 1e15, 1e20][random() as usize & 3]).collect();
        let ends =
            [0.0, f64::MAX, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, 5e-324, 0.5, 1e15, 999_999_999_999_999.5];
        let (mut found, mut of) = (0, 0);
        for value in plain.chain(powers).chain(any).chain(usual).chain(ends).flat_map(|value| [value, -value]) {
            of += 1;
            let Some(small) = SmallNumeric::from_double(value) else { continue };
            let expected = Numeric::from_double(value, false);
            assert_eq!(Numeric::from(small).to_string(), expected.to_string(), "{value:e}");
            let leading = SmallNumeric::leading_of_double(value).expect("the same doubles");
            assert_eq!(Numeric::from(leading).compare(&expected), std::cmp::Ordering::Equal, "{value:e}");
            found += 1;
        }
        assert!(found > of / 4, "{found} of {of}");
    }
}
