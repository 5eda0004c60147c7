//! Division of what 64 bits hold, as most quotients' operands are. The scaled dividend seldom fits, so it goes as on paper:
//! first as many digits of it as 64 bits have room for, then of what is left over times a power of ten, and so on. What
//! is known of the divisor is found out once: with a reciprocal a step is a multiplication.

use super::SCALE_MAX;
use super::powers::log10_64;
use super::scale::{DIGITS, SHOWN_MAX, SIGNIFICANT_MIN};
use super::small::SmallNumeric;

/// 10^0 to 10^19.
const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// The digits that so many bits hold whatever they are: 10^digits is at most 2^bits.
const DIGITS_OF_BITS: [u8; 65] = {
    let mut digits = [0; 65];
    let mut bits = 1;
    while bits < digits.len() {
        let next = digits[bits - 1] + 1;
        digits[bits] = if next < 20 && 10u128.pow(next as u32) <= 1 << bits { next } else { next - 1 };
        bits += 1;
    }
    digits
};

/// A number that is not zero, and by which others are divided.
#[derive(Clone, Copy, Debug)]
pub struct Divisor {
    number: SmallNumeric,
    /// Its leading digit of base 10000, and the exponent of that.
    weight: i32,
    first: u64,
    /// The digits, if 60 bits hold them, else 0.
    magnitude: u64,
    /// (2^64 - 1) / magnitude.
    reciprocal: u64,
    /// What is less than the divisor fits 64 bits with so many digits more.
    digits: u32,
    /// Its zeros, if it is a power of ten: its quotients have the dividend's digits.
    zeros: Option<u32>,
}

/// As `Numeric::divide`, by a number that is the divisor of this one alone, so that a reciprocal is not worth it: one division of
/// 128 bits by 64. None where these do not do, or the divisor is zero.
#[inline]
pub(super) fn divide_once(dividend: SmallNumeric, divisor: SmallNumeric) -> Option<SmallNumeric> {
    let a = u64::try_from(dividend.unscaled.unsigned_abs()).ok()?;
    let b = u64::try_from(divisor.unscaled.unsigned_abs()).ok()?;
    if b == 0 || dividend.scale > SCALE_MAX || divisor.scale > SCALE_MAX {
        return None;
    }
    let ((weight_a, place_a), (weight_b, place_b)) =
        (leading_place(a, dividend.scale), leading_place(b, divisor.scale));
    let is_less = is_first_less((a, place_a), (b, place_b))?;
    let to = scale_of_weight(weight_a - weight_b - i32::from(is_less), dividend.scale.max(divisor.scale));
    let shift = usize::try_from(to as i32 + divisor.scale as i32 - dividend.scale as i32).ok()?;
    // 10^19 at most twice.
    let scaled = match shift.checked_sub(POWERS.len() - 1) {
        None | Some(0) => u128::from(a) * u128::from(POWERS[shift]),
        Some(more) => {
            (u128::from(a) * u128::from(POWERS[POWERS.len() - 1])).checked_mul((*POWERS.get(more)?).into())?
        }
    };
    let b = u128::from(b);
    let quotient = scaled / b;
    let rest = scaled - quotient * b;
    let quotient = i128::try_from(quotient + u128::from(rest >= b - rest)).ok()?;
    let is_negative = (dividend.unscaled < 0) != (divisor.unscaled < 0);
    Some(SmallNumeric::new(if is_negative { -quotient } else { quotient }, to))
}

/// Whether the leading base-10000 digit of one number is no greater than another's, which is not zero; None where 64 bits are too
/// few to tell.
#[inline]
fn is_first_less((a, place_a): (u64, i32), (b, place_b): (u64, i32)) -> Option<bool> {
    if a == 0 {
        return Some(true);
    }
    let power = |place: i32| POWERS.get(place.unsigned_abs() as usize).copied();
    // Digits at negative places end behind the number's, with zeros.
    let first_b = if place_b >= 0 { b / power(place_b)? } else { b.checked_mul(power(place_b)?)? };
    Some(match power(place_a)? {
        power if place_a >= 0 => u128::from(a) < u128::from(first_b + 1) * u128::from(power),
        power => a.checked_mul(power)? <= first_b,
    })
}

/// The scale of a quotient of this weight, no less than the operands'.
#[inline]
fn scale_of_weight(weight: i32, own: u32) -> u32 {
    (SIGNIFICANT_MIN as i32 - weight * DIGITS as i32).max(own as i32).clamp(0, SHOWN_MAX as i32) as u32
}

/// The exponent of the leading base-10000 digit, and by how many digits it stands from the unscaled number's end; of zero that
/// of a number with the leading digit 0 that stands at 10000^0.
#[inline]
fn leading_place(magnitude: u64, scale: u32) -> (i32, i32) {
    let Some(exponent) = log10_64(magnitude) else { return (0, scale as i32) };
    let weight = (exponent as i32 - scale as i32) >> 2;
    (weight, (weight << 2) + scale as i32)
}

impl SmallNumeric {
    /// As `Numeric::divide`; None where the divisor is zero.
    pub fn checked_divide(self, other: Self) -> Option<Self> {
        match divide_once(self, other) {
            Some(quotient) => Some(quotient),
            None => Divisor::new(other)?.divide(self),
        }
    }
}

impl Divisor {
    /// None of zero.
    pub fn new(number: SmallNumeric) -> Option<Divisor> {
        let whole = u64::try_from(number.unscaled.unsigned_abs()).unwrap_or(u64::MAX);
        let zeros = whole.leading_zeros();
        if whole == 0 || number.scale > SCALE_MAX {
            return None;
        }
        if zeros < 4 {
            return Some(Divisor { number, weight: 0, first: 0, magnitude: 0, reciprocal: 0, digits: 0, zeros: None });
        }
        let (weight, place) = leading_place(whole, number.scale);
        let factor = POWERS[place.unsigned_abs() as usize];
        let first = if place >= 0 { whole / factor } else { whole * factor };
        let digits = DIGITS_OF_BITS[zeros as usize].into();
        let zeros = log10_64(whole).filter(|&zeros| POWERS[zeros as usize] == whole);
        Some(Divisor { number, weight, first, magnitude: whole, reciprocal: u64::MAX / whole, digits, zeros })
    }

    /// As `Numeric::divide`; None where 128 bits might not do.
    #[inline]
    pub fn divide(&self, dividend: SmallNumeric) -> Option<SmallNumeric> {
        match u64::try_from(dividend.unscaled.unsigned_abs()) {
            Ok(magnitude) if self.magnitude != 0 && dividend.scale <= SCALE_MAX => {
                let to = self.scale_of(magnitude, dividend.scale);
                let shift = to as i32 + self.number.scale as i32 - dividend.scale as i32;
                let Some(quotient) = u32::try_from(shift).ok().and_then(|shift| self.quotient(magnitude, shift)) else {
                    return dividend.divide_by(self.number);
                };
                let is_negative = (dividend.unscaled < 0) != (self.number.unscaled < 0);
                Some(SmallNumeric::new(if is_negative { -quotient } else { quotient }, to))
            }
            _ => dividend.divide_by(self.number),
        }
    }

    /// `select_div_scale`.
    #[inline]
    fn scale_of(&self, magnitude: u64, scale: u32) -> u32 {
        let (weight, place) = leading_place(magnitude, scale);
        // Whether the dividend's leading digit is no greater than the divisor's.
        let is_less = if place >= 0 {
            // So large a place is zero's.
            let power = POWERS.get(place as usize).copied().unwrap_or(u64::MAX);
            u128::from(magnitude) < u128::from(self.first + 1) * u128::from(power)
        } else {
            magnitude * POWERS[place.unsigned_abs() as usize] <= self.first
        };
        scale_of_weight(weight - self.weight - i32::from(is_less), scale.max(self.number.scale))
    }

    /// `magnitude * 10^shift / divisor`, half up; None beyond 127 bits.
    #[inline]
    fn quotient(&self, magnitude: u64, shift: u32) -> Option<i128> {
        if let Some(power) = self.zeros.and_then(|zeros| POWERS.get(shift.checked_sub(zeros)? as usize)) {
            return i128::try_from(u128::from(magnitude) * u128::from(*power)).ok();
        }
        let step = u32::from(DIGITS_OF_BITS[magnitude.leading_zeros() as usize]).min(shift);
        let (whole, mut rest) = self.step(magnitude * POWERS[step as usize]);
        let mut left = shift - step;
        let mut quotient = u128::from(whole);
        let mut is_first = true;
        while left > 0 {
            let step = self.digits.min(left);
            let power = POWERS[step as usize];
            let (more, over) = self.step(rest * power);
            // Once there is no need to look: both factors have 64 bits.
            let scaled = if is_first { quotient * u128::from(power) } else { quotient.checked_mul(power.into())? };
            quotient = scaled.checked_add(more.into())?;
            (rest, is_first) = (over, false);
            left -= step;
        }
        let up = rest >= self.magnitude - rest;
        i128::try_from(quotient + u128::from(up)).ok()
    }

    /// Quotient and remainder.
    #[inline]
    fn step(&self, dividend: u64) -> (u64, u64) {
        // The reciprocal in units of 2^-64 is less than the true one by at most 1: the quotient is right, or less by one.
        let quotient = ((u128::from(dividend) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = dividend - quotient * self.magnitude;
        if rest >= self.magnitude { (quotient + 1, rest - self.magnitude) } else { (quotient, rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Numeric;

    /// Numbers around powers of ten and of two, and some between.
    fn numbers() -> Vec<SmallNumeric> {
        let powers = (0..20).map(|power| 10i128.pow(power)).chain((0..70).step_by(3).map(|bit| 1i128 << bit));
        let near = powers.flat_map(|power| [power - 1, power, power + 1, power * 3, power / 7 + 5]);
        let unscaled: Vec<i128> = near.chain([99_989_999, 12_345_678_901_234]).collect();
        let of_scale = |scale: u32| unscaled.iter().map(move |&unscaled| SmallNumeric::new(unscaled, scale));
        [0, 1, 2, 3, 4, 5, 9, 16, 20, 37].into_iter().flat_map(of_scale).collect()
    }

    #[test]
    fn quotients_are_those_of_all_digits() {
        let (mut quotients, mut quotients_once, mut state) = (0, 0, 1u64);
        for dividend in numbers() {
            for divisor in numbers() {
                // A part of all pairs.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if state >> 60 != 0 {
                    continue;
                }
                let dividend = SmallNumeric::new(dividend.unscaled * [1, -1][state as usize >> 20 & 1], dividend.scale);
                let divisor = SmallNumeric::new(divisor.unscaled * [1, -1][state as usize >> 21 & 1], divisor.scale);
                let Some(found) = Divisor::new(divisor).and_then(|divisor| divisor.divide(dividend)) else { continue };
                let expected = Numeric::from(dividend).divide(&divisor.into()).unwrap();
                assert_eq!(Numeric::from(found).to_string(), expected.to_string(), "{dividend:?} / {divisor:?}");
                if let Some(once) = divide_once(dividend, divisor) {
                    assert_eq!(once, found, "{dividend:?} / {divisor:?}");
                    quotients_once += 1;
                }
                quotients += 1;
            }
        }
        assert!(quotients > 10_000 && quotients_once > 5_000, "{quotients} {quotients_once}");
        assert!(Divisor::new(SmallNumeric::new(0, 3)).is_none());
    }
}
