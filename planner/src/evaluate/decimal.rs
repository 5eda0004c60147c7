//! Arithmetic of decimals: unscaled 128-bit integers whose scales are in their types.
//!
//! Every result is exact or, where digits are lost (division, a smaller scale), rounded half away from zero.
//! Intermediates have 256 bits, so that an overflow is reported only if the result itself has too many digits.

use super::wide::Wide;
use crate::error::{Error, ErrorKind, Result};
use crate::numeric::powers;
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;

/// The error for NaN where a narrow decimal is to be.
pub(super) fn nan() -> Error {
    Error::new(ErrorKind::DecimalNan, "NaN as a decimal of so many digits is not supported")
}

/// 10^exponent, for an exponent of at most 38.
pub fn power_of_ten(exponent: u8) -> i128 {
    debug_assert!(exponent <= DECIMAL_DIGITS_MAX);
    powers::power_of_ten(exponent.into()).expect("a decimal has at most 38 digits")
}

/// Decimal digits; of zero one.
pub fn digits_of(magnitude: u128) -> u8 {
    let digits = magnitude.checked_ilog10().unwrap_or(0) + 1;
    u8::try_from(digits).expect("128 bits are at most 39 digits")
}

/// 22003 for a value that the decimal type cannot hold. Of the most digits that there are it may be the narrow form
/// alone that overflows.
pub fn overflow(data_type: DataType) -> Error {
    let DataType::Decimal { precision, scale } = data_type else {
        return Error::new(ErrorKind::NumericOverflow, "numeric field overflow");
    };
    let kind = if precision == DECIMAL_DIGITS_MAX { ErrorKind::DecimalOverflow } else { ErrorKind::NumericOverflow };
    Error::new(kind, "numeric field overflow").with_detail(format!(
        "A field with precision {precision}, scale {scale} must round to an absolute value less than 10^{}.",
        precision - scale
    ))
}

/// The value if it has no more digits than its type allows, else 22003. None stands for a value beyond 128 bits.
pub fn checked(value: Option<i128>, data_type: DataType) -> Result<Value> {
    let DataType::Decimal { precision, .. } = data_type else {
        return Err(Error::internal(format!("{data_type} is no decimal type")));
    };
    match value {
        Some(value) if value.unsigned_abs() < power_of_ten(precision).unsigned_abs() => Ok(Value::Decimal(value)),
        _ => Err(overflow(data_type)),
    }
}

/// The same number at another scale, rounded half away from zero; None beyond 128 bits.
pub fn rescale(value: i128, from_scale: u8, to_scale: u8) -> Option<i128> {
    if to_scale >= from_scale {
        value.checked_mul(power_of_ten(to_scale - from_scale))
    } else {
        Some(divide_rounded(value, power_of_ten(from_scale - to_scale)))
    }
}

/// Quotient rounded half away from zero. The divisor is positive and at most 10^38.
pub fn divide_rounded(value: i128, divisor: i128) -> i128 {
    let (quotient, remainder) = (value / divisor, value % divisor);
    let round = remainder.unsigned_abs() >= divisor.unsigned_abs() - remainder.unsigned_abs();
    if round { quotient + value.signum() } else { quotient }
}

/// `a * b`, whose exact scale is the sum of theirs, at the scale wanted; None beyond 128 bits.
pub fn multiply(a: i128, b: i128, exact_scale: u8, scale: u8) -> Option<i128> {
    if exact_scale == scale
        && let Some(product) = a.checked_mul(b)
    {
        return Some(product);
    }
    let product = Wide::product(a.unsigned_abs(), b.unsigned_abs());
    scaled_quotient(product, Wide::new(1), i32::from(scale) - i32::from(exact_scale), (a < 0) != (b < 0))
}

/// `a / b` at the scale wanted; None beyond 128 bits. The divisor is not 0.
pub fn divide(a: i128, a_scale: u8, b: i128, b_scale: u8, scale: u8) -> Option<i128> {
    let shift = i32::from(scale) + i32::from(b_scale) - i32::from(a_scale);
    let (dividend, divisor) = (Wide::new(a.unsigned_abs()), Wide::new(b.unsigned_abs()));
    scaled_quotient(dividend, divisor, shift, (a < 0) != (b < 0))
}

/// `dividend * 10^shift / divisor`, rounded half away from zero; None beyond 128 bits.
///
/// A dividend that overflows 256 bits when scaled up makes a quotient beyond 128 bits, as the divisor has at
/// most 128 bits then.
fn scaled_quotient(dividend: Wide, divisor: Wide, shift: i32, negative: bool) -> Option<i128> {
    let mut scaled = if shift >= 0 { dividend } else { divisor };
    let mut left = shift.unsigned_abs();
    while left > 0 {
        let step = left.min(u32::from(DECIMAL_DIGITS_MAX));
        let Some(next) = scaled.checked_multiply(10u128.pow(step)) else {
            // A divisor this large leaves nothing of the dividend.
            return if shift >= 0 { None } else { Some(0) };
        };
        scaled = next;
        left -= step;
    }
    let (dividend, divisor) = if shift >= 0 { (scaled, divisor) } else { (dividend, scaled) };
    let magnitude = i128::try_from(dividend.divide_rounded(divisor)?).ok()?;
    Some(if negative { -magnitude } else { magnitude })
}

/// The double nearest to a decimal.
pub fn to_double(value: i128, scale: u8) -> f64 {
    // Both operands are exact doubles here, so the quotient is rounded once.
    if value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS && scale <= 22 {
        return value as f64 / power_of_ten(scale) as f64;
    }
    format!("{value}e-{scale}").parse().expect("digits and an exponent are a number")
}

/// The real nearest to a decimal, as a double.
pub fn to_real(value: i128, scale: u8) -> f64 {
    let real: f32 = format!("{value}e-{scale}").parse().expect("digits and an exponent are a number");
    f64::from(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: i128 = 10i128.pow(38) - 1;

    #[test]
    fn rescaling_rounds_half_away_from_zero() {
        for (value, from, to, expected) in [
            (125, 2, 1, Some(13)),
            (-125, 2, 1, Some(-13)),
            (124, 2, 1, Some(12)),
            (5, 1, 0, Some(1)),
            (-5, 1, 0, Some(-1)),
            (4, 1, 0, Some(0)),
            (7, 0, 3, Some(7000)),
            (MAX, 38, 0, Some(1)),
            (MAX, 0, 1, None),
        ] {
            assert_eq!(rescale(value, from, to), expected, "{value} from {from} to {to}");
        }
    }

    #[test]
    fn division_scales_up_through_256_bits() {
        assert_eq!(divide(1, 0, 3, 0, 16), Some(3_333_333_333_333_333));
        assert_eq!(divide(2, 0, 3, 0, 16), Some(6_666_666_666_666_667));
        assert_eq!(divide(-2, 0, 3, 0, 2), Some(-67));
        assert_eq!(divide(MAX, 6, MAX, 6, 37), Some(10i128.pow(37)));
        assert_eq!(divide(MAX, 0, 1, 38, 38), None);
        assert_eq!(divide(1, 38, MAX, 0, 0), Some(0));
        assert_eq!(divide(0, 0, MAX, 38, 38), Some(0));
    }

    #[test]
    fn products_may_lose_scale() {
        assert_eq!(multiply(MAX, MAX, 76, 38), Some(MAX - 1));
        assert_eq!(multiply(15, 15, 2, 1), Some(23));
        assert_eq!(multiply(-15, 15, 2, 2), Some(-225));
        assert_eq!(multiply(MAX, 2, 0, 0), None);
    }

    #[test]
    fn doubles_are_the_nearest() {
        assert_eq!(to_double(1, 1), 0.1);
        assert_eq!(to_double(123_456_789_012_345_678_901_234, 10), 12_345_678_901_234.568);
        assert_eq!(to_double(MAX, 0), 1e38);
        assert_eq!(to_real(1, 1), f64::from(0.1f32));
    }
}
