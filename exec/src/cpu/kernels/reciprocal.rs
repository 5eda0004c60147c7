//! Division of integers by one divisor as a multiplication (Granlund and Montgomery, "Division by Invariant Integers using
//! Multiplication", PLDI 1994, figure 5.2): a division takes some twenty cycles and has no vector instruction.

/// What a divisor other than 0, 1 and -1 is multiplied by instead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reciprocal {
    /// One more than 2^(bits + shift) by the divisor, without its sign; less than 2^bits.
    magic: u64,
    /// How much more than its bits a product is shifted.
    shift: u32,
    is_negative: bool,
}

impl Reciprocal {
    /// Of a divisor that fits so many bits; none of 0, 1 and -1.
    pub(super) fn new(divisor: i64, bits: u32) -> Option<Self> {
        let size = divisor.unsigned_abs();
        if size < 2 {
            return None;
        }
        // The logarithm, rounded up, and less one.
        let shift = 63 - (size - 1).leading_zeros();
        let magic = 1 + (1_u128 << (bits + shift)) / u128::from(size);
        Some(Reciprocal { magic: u64::try_from(magic).ok()?, shift, is_negative: divisor < 0 })
    }
}

/// Integers that are divided so.
pub(super) trait Divided: Copy {
    const BITS: u32;

    /// The divisor as [`Reciprocal::new`] has it; none of integers that are not divided so.
    fn divisor(self) -> Option<i64>;

    /// The quotient, cut towards zero.
    fn quotient(self, by: Reciprocal) -> Self;
}

impl Divided for i32 {
    const BITS: u32 = 32;

    fn divisor(self) -> Option<i64> {
        Some(self.into())
    }

    #[inline(always)]
    fn quotient(self, by: Reciprocal) -> Self {
        let product = i64::from(self).wrapping_mul(by.magic as i64);
        let quotient = (product >> (32 + by.shift)) as i32 - (self >> 31);
        if by.is_negative { quotient.wrapping_neg() } else { quotient }
    }
}

impl Divided for i64 {
    const BITS: u32 = 64;

    fn divisor(self) -> Option<i64> {
        Some(self)
    }

    #[inline(always)]
    fn quotient(self, by: Reciprocal) -> Self {
        let product = i128::from(self) * i128::from(by.magic);
        let quotient = ((product >> 64) as i64 >> by.shift) - (self >> 63);
        if by.is_negative { quotient.wrapping_neg() } else { quotient }
    }
}

impl Divided for i128 {
    const BITS: u32 = 128;

    fn divisor(self) -> Option<i64> {
        None
    }

    fn quotient(self, _: Reciprocal) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers of two, of ten, and what is next to them, of both signs; and some others.
    fn interesting() -> Vec<i64> {
        let powers = (0..63).map(|bits| 1_i64 << bits).chain((0..19).map(|digits| 10_i64.pow(digits)));
        let mut all: Vec<i64> = powers.flat_map(|power| [power - 1, power, power + 1]).collect();
        all.extend([i64::MAX, i64::MIN, i64::MIN + 1, 7, 641, 86_400, 1_000_003, 6_700_417, 0x5555_5555, 0x2492_4925]);
        all.extend((1..200_u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64 >> (at % 50)));
        all.extend(all.clone().into_iter().map(i64::wrapping_neg));
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn quotients_are_those_of_division() {
        let all = interesting();
        for &divisor in all.iter().filter(|divisor| divisor.unsigned_abs() > 1) {
            let by = Reciprocal::new(divisor, 64).expect("it has one");
            for &value in &all {
                // Multiples, and what is next to them, are where a quotient is near another.
                let multiple = value / divisor * divisor;
                for value in [value, multiple, multiple.wrapping_sub(1), multiple.wrapping_add(1)] {
                    assert_eq!(value.quotient(by), value / divisor, "{value} / {divisor}");
                }
            }
        }
        assert!([0, 1, -1].iter().all(|&divisor| Reciprocal::new(divisor, 64).is_none()));
    }

    #[test]
    fn quotients_of_32_bits() {
        let all: Vec<i32> = interesting().into_iter().filter_map(|value| i32::try_from(value).ok()).collect();
        for &divisor in all.iter().chain(&[i32::MIN, i32::MAX]).filter(|divisor| divisor.unsigned_abs() > 1) {
            let by = Reciprocal::new(divisor.into(), 32).expect("it has one");
            for &value in all.iter().chain(&[i32::MIN, i32::MAX]) {
                let multiple = value / divisor * divisor;
                for value in [value, multiple, multiple.wrapping_sub(1), multiple.wrapping_add(1)] {
                    assert_eq!(value.quotient(by), value / divisor, "{value} / {divisor}");
                }
            }
        }
    }
}
