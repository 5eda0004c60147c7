//! Functions of doubles beyond SQL's own (`MathFunction`): angles in degrees, hyperbolic functions, kinds of numbers; with
//! `width_bucket` below it.
//!
//! Angles in degrees are PostgreSQL's: multiples of 30 and 45 have exact sines, since each is divided by what the library gives
//! for the angle that it is known for.

use super::math::out_of_range;
use super::vector::Element;
use super::{Call, width_bucket};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, MathFunction};
use crate::types::DataType;
use crate::value::Value;

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use MathFunction as M;
    let Function::Math(function) = call.function else { return Ok(None) };
    Ok(Some(match function {
        M::ArcTangentOfQuotientInDegrees => Value::Float(arc_in_degrees(call.float(0)?.atan2(call.float(1)?))),
        M::IsNan => Value::Boolean(call.float(0)?.is_nan()),
        M::IsInfinite => Value::Boolean(call.float(0)?.is_infinite()),
        M::IsFinite => Value::Boolean(call.float(0)?.is_finite()),
        M::SignBit => Value::Boolean(call.float(0)?.is_sign_negative()),
        M::WidthBucket => Value::Int(width_bucket::of_doubles(call)?),
        M::WidthBucketOfNumerics => Value::Int(width_bucket::of_numerics(call)?),
        M::BitCount => {
            let number = call.int(0)?;
            Value::Int(i64::from(match call.types[0] {
                DataType::SmallInt => (number as i16).count_ones(),
                DataType::Integer => (number as i32).count_ones(),
                _ => number.count_ones(),
            }))
        }
        _ => Value::Float(of_double(function, call.float(0)?)?),
    }))
}

/// The value of a function of one double; NaN where it fails.
pub fn math_of(function: MathFunction, a: f64) -> f64 {
    of_double(function, a).unwrap_or(f64::NAN)
}

fn of_double(function: MathFunction, a: f64) -> Result<f64> {
    use MathFunction as M;
    if a.is_nan() {
        return Ok(f64::NAN);
    }
    let is_angle = matches!(
        function,
        M::SineOfDegrees | M::CosineOfDegrees | M::TangentOfDegrees | M::CotangentOfDegrees | M::Cotangent
    );
    if is_angle && a.is_infinite() {
        return Err(out_of_range());
    }
    Ok(match function {
        M::SineOfDegrees => sine(a),
        M::CosineOfDegrees => cosine(a),
        M::TangentOfDegrees => tangent(a, false),
        M::CotangentOfDegrees => tangent(a, true),
        M::ArcSineInDegrees | M::ArcCosineInDegrees if !(-1.0..=1.0).contains(&a) => return Err(out_of_range()),
        M::ArcSineInDegrees => a.signum() * arc_sine(a.abs()),
        M::ArcCosineInDegrees if a >= 0.0 => arc_cosine(a),
        M::ArcCosineInDegrees => 90.0 + arc_sine(-a),
        M::ArcTangentInDegrees => arc_in_degrees(a.atan()),
        M::Cotangent => 1.0 / a.tan(),
        M::HyperbolicSine => a.sinh(),
        M::HyperbolicCosine => a.cosh(),
        M::HyperbolicTangent => a.tanh(),
        M::HyperbolicArcSine => a.asinh(),
        M::HyperbolicArcCosine if a < 1.0 => return Err(out_of_range()),
        M::HyperbolicArcCosine => a.acosh(),
        M::HyperbolicArcTangent if !(-1.0..=1.0).contains(&a) => return Err(out_of_range()),
        M::HyperbolicArcTangent => a.atanh(),
        M::Log2 if a <= 0.0 => {
            let what = if a == 0.0 { "zero" } else { "a negative number" };
            return Err(Error::new(ErrorKind::InvalidLogarithm, format!("cannot take logarithm of {what}")));
        }
        M::Log2 => a.log2(),
        M::Gamma if a == 0.0 => {
            return Err(Error::new(ErrorKind::NumericOverflow, "cannot take gamma of zero"));
        }
        M::Gamma => gamma(a),
        M::LogGamma => log_gamma(a),
        // As of a vector's element.
        M::Sigmoid => a.sigmoid(),
        M::Even => even(a),
        _ => return Err(Error::internal(format!("{function:?} is no function of a double"))),
    })
}

/// What the library gives for a known angle; hidden from a compiler that would give it another way.
fn known(value: f64, of: impl Fn(f64) -> f64) -> f64 {
    of(std::hint::black_box(value))
}

/// The sine of 0 to 30 degrees.
fn sine_to_30(degrees: f64) -> f64 {
    degrees.to_radians().sin() / known(30.0, |degrees| degrees.to_radians().sin()) / 2.0
}

/// The cosine of 0 to 60 degrees.
fn cosine_to_60(degrees: f64) -> f64 {
    let rest = |degrees: f64| 1.0 - degrees.to_radians().cos();
    1.0 - rest(degrees) / known(60.0, rest) / 2.0
}

/// The sine of 0 to 90 degrees.
fn quarter_sine(degrees: f64) -> f64 {
    if degrees <= 30.0 { sine_to_30(degrees) } else { cosine_to_60(90.0 - degrees) }
}

fn quarter_cosine(degrees: f64) -> f64 {
    if degrees <= 60.0 { cosine_to_60(degrees) } else { sine_to_30(90.0 - degrees) }
}

/// The angle of 0 to 180 degrees that has the same sine and tangent but for the sign, and that sign.
fn half_turn(degrees: f64) -> (f64, f64) {
    let (mut degrees, mut sign) = (degrees % 360.0, 1.0);
    if degrees < 0.0 {
        (degrees, sign) = (-degrees, -sign);
    }
    if degrees > 180.0 {
        (degrees, sign) = (360.0 - degrees, -sign);
    }
    (degrees, sign)
}

fn sine(degrees: f64) -> f64 {
    let (mut degrees, sign) = half_turn(degrees);
    if degrees > 90.0 {
        degrees = 180.0 - degrees;
    }
    sign * quarter_sine(degrees)
}

fn cosine(degrees: f64) -> f64 {
    let (mut degrees, mut sign) = ((degrees % 360.0).abs(), 1.0);
    if degrees > 180.0 {
        degrees = 360.0 - degrees;
    }
    if degrees > 90.0 {
        (degrees, sign) = (180.0 - degrees, -sign);
    }
    sign * quarter_cosine(degrees)
}

/// The tangent, or its inverse.
fn tangent(degrees: f64, is_inverse: bool) -> f64 {
    let (mut degrees, mut sign) = half_turn(degrees);
    if degrees > 90.0 {
        (degrees, sign) = (180.0 - degrees, -sign);
    }
    let quotient = |degrees: f64| match is_inverse {
        false => quarter_sine(degrees) / quarter_cosine(degrees),
        true => quarter_cosine(degrees) / quarter_sine(degrees),
    };
    let value = sign * (quotient(degrees) / known(45.0, quotient));
    // No negative zero.
    if value == 0.0 { 0.0 } else { value }
}

fn arc_sine(a: f64) -> f64 {
    if a <= 0.5 { a.asin() / known(0.5, f64::asin) * 30.0 } else { 90.0 - a.acos() / known(0.5, f64::acos) * 60.0 }
}

fn arc_cosine(a: f64) -> f64 {
    if a <= 0.5 { 90.0 - a.asin() / known(0.5, f64::asin) * 30.0 } else { a.acos() / known(0.5, f64::acos) * 60.0 }
}

fn arc_in_degrees(radians: f64) -> f64 {
    radians / known(1.0, f64::atan) * 45.0
}

/// The next even number away from zero.
fn even(a: f64) -> f64 {
    let up = if a >= 0.0 { a.ceil() } else { (-a).ceil() };
    let whole = if up % 2.0 == 0.0 { up } else { up + 1.0 };
    if a >= 0.0 { whole } else { -whole }
}

/// Lanczos' sum for the gamma function, with its constant g = 7.
fn lanczos(a: f64) -> (f64, f64) {
    const COEFFICIENTS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let sum = COEFFICIENTS[1..].iter().zip(1..).fold(COEFFICIENTS[0], |sum, (c, n)| sum + c / (a + f64::from(n)));
    (sum, a + 7.5)
}

fn gamma(a: f64) -> f64 {
    let pi = std::f64::consts::PI;
    if a.is_infinite() {
        return if a > 0.0 { a } else { f64::NAN };
    }
    if a == a.floor() && a > 0.0 && a <= 171.0 {
        return (1..a as u32).fold(1.0, |product, factor| product * f64::from(factor));
    }
    if a < 0.5 {
        return if a == a.floor() { f64::NAN } else { pi / ((pi * a).sin() * gamma(1.0 - a)) };
    }
    let (sum, t) = lanczos(a - 1.0);
    (2.0 * pi).sqrt() * t.powf(a - 0.5) * (-t).exp() * sum
}

fn log_gamma(a: f64) -> f64 {
    let pi = std::f64::consts::PI;
    if a.is_infinite() {
        return f64::INFINITY;
    }
    if a == a.floor() && a <= 0.0 {
        return f64::INFINITY;
    }
    if a < 0.5 {
        return (pi / (pi * a).sin().abs()).ln() - log_gamma(1.0 - a);
    }
    if a < 100.0 && a == a.floor() {
        return gamma(a).ln();
    }
    let (sum, t) = lanczos(a - 1.0);
    0.5 * (2.0 * pi).ln() + (a - 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_angles() {
        assert_eq!([0.0, 30.0, 90.0, 150.0, 180.0, 270.0, -30.0].map(sine), [0.0, 0.5, 1.0, 0.5, 0.0, -1.0, -0.5]);
        assert_eq!([0.0, 60.0, 90.0, 120.0, 180.0, 360.0].map(cosine), [1.0, 0.5, 0.0, -0.5, -1.0, 1.0]);
        assert_eq!([0.0, 45.0, 135.0, 180.0].map(|a| tangent(a, false)), [0.0, 1.0, -1.0, 0.0]);
        assert_eq!([0.0, 0.5, 1.0].map(arc_sine), [0.0, 30.0, 90.0]);
        assert_eq!([0.0, 0.5, 1.0].map(arc_cosine), [90.0, 60.0, 0.0]);
    }

    #[test]
    fn even_numbers() {
        assert_eq!([3.0, -3.0, 2.1, -2.1, 0.0, 0.5].map(even), [4.0, -4.0, 4.0, -4.0, 0.0, 2.0]);
        assert!((gamma(5.0) - 24.0).abs() < 1e-12 && (gamma(0.5) - std::f64::consts::PI.sqrt()).abs() < 1e-12);
        assert!((log_gamma(5.0) - 3.178_053_830_347_945_8).abs() < 1e-12);
    }
}
