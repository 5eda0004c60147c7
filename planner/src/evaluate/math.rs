//! Functions of doubles: roots, powers, logarithms, angles. Where no real number is the answer they fail as
//! PostgreSQL does, and never give an infinity for finite arguments.

use super::Call;
use super::arithmetic::{overflow, underflow};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::value::Value;

/// The value, if the function is one of this file's.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    let value = match call.function {
        F::Power => power(call.float(0)?, call.float(1)?)?,
        F::Atan2 => call.float(0)?.atan2(call.float(1)?),
        F::SquareRoot
        | F::CubeRoot
        | F::Exp
        | F::Ln
        | F::Log10
        | F::Sin
        | F::Cos
        | F::Tan
        | F::Asin
        | F::Acos
        | F::Atan
        | F::Degrees
        | F::Radians => unary(call.function, call.float(0)?)?,
        _ => return Ok(None),
    };
    Ok(Some(Value::Float(value)))
}

fn unary(function: Function, a: f64) -> Result<f64> {
    use Function as F;
    if a.is_nan() {
        return Ok(f64::NAN);
    }
    match function {
        F::SquareRoot if a < 0.0 => {
            Err(Error::new(ErrorKind::InvalidPower, "cannot take square root of a negative number"))
        }
        F::SquareRoot => Ok(a.sqrt()),
        F::CubeRoot => Ok(a.cbrt()),
        F::Exp => exponential(a),
        F::Ln | F::Log10 => logarithm(function, a),
        F::Sin | F::Cos | F::Tan if a.is_infinite() => Err(out_of_range()),
        F::Sin => Ok(a.sin()),
        F::Cos => Ok(a.cos()),
        F::Tan => Ok(a.tan()),
        F::Asin | F::Acos if !(-1.0..=1.0).contains(&a) => Err(out_of_range()),
        F::Asin => Ok(a.asin()),
        F::Acos => Ok(a.acos()),
        F::Atan => Ok(a.atan()),
        F::Degrees => checked(a / (std::f64::consts::PI / 180.0), a.is_finite()),
        _ => Ok(a * (std::f64::consts::PI / 180.0)),
    }
}

pub(super) fn out_of_range() -> Error {
    Error::new(ErrorKind::NumericOverflow, "input is out of range")
}

fn checked(value: f64, finite_arguments: bool) -> Result<f64> {
    if value.is_infinite() && finite_arguments { Err(overflow()) } else { Ok(value) }
}

fn exponential(a: f64) -> Result<f64> {
    let value = a.exp();
    if value == 0.0 && a.is_finite() { Err(underflow()) } else { checked(value, a.is_finite()) }
}

fn logarithm(function: Function, a: f64) -> Result<f64> {
    if a == 0.0 {
        return Err(Error::new(ErrorKind::InvalidLogarithm, "cannot take logarithm of zero"));
    }
    if a < 0.0 {
        return Err(Error::new(ErrorKind::InvalidLogarithm, "cannot take logarithm of a negative number"));
    }
    Ok(if function == Function::Ln { a.ln() } else { a.log10() })
}

/// IEEE 754's pow, but for the cases without a real answer.
fn power(base: f64, exponent: f64) -> Result<f64> {
    if base == 0.0 && exponent < 0.0 {
        return Err(Error::new(ErrorKind::InvalidPower, "zero raised to a negative power is undefined"));
    }
    if base < 0.0 && exponent.is_finite() && exponent.fract() != 0.0 {
        let message = "a negative number raised to a non-integer power yields a complex result";
        return Err(Error::new(ErrorKind::InvalidPower, message));
    }
    let value = base.powf(exponent);
    let finite = base.is_finite() && exponent.is_finite();
    if value == 0.0 && base != 0.0 && finite { Err(underflow()) } else { checked(value, finite) }
}

#[cfg(test)]
mod tests {
    use crate::evaluate::testing::{double, expect_error, expect_value};
    use crate::function::Function as F;

    #[test]
    fn values() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for (function, arguments, expected) in [
            (F::SquareRoot, vec![2.25], 1.5),
            (F::SquareRoot, vec![nan], nan),
            (F::CubeRoot, vec![-27.0], -3.0),
            (F::Power, vec![2.0, 10.0], 1024.0),
            (F::Power, vec![-2.0, 3.0], -8.0),
            (F::Power, vec![0.0, 0.0], 1.0),
            (F::Power, vec![nan, 0.0], 1.0),
            (F::Power, vec![1.0, nan], 1.0),
            (F::Power, vec![-1.0, inf], 1.0),
            (F::Power, vec![-2.0, -inf], 0.0),
            (F::Exp, vec![-inf], 0.0),
            (F::Exp, vec![0.0], 1.0),
            (F::Ln, vec![inf], inf),
            (F::Log10, vec![1000.0], 3.0),
            (F::Degrees, vec![std::f64::consts::PI], 180.0),
            (F::Atan2, vec![0.0, -1.0], std::f64::consts::PI),
        ] {
            expect_value(function, arguments.into_iter().map(double).collect(), double(expected));
        }
    }

    #[test]
    fn no_real_answer() {
        for (function, arguments, state) in [
            (F::SquareRoot, vec![-1.0], "2201F"),
            (F::Power, vec![0.0, -1.0], "2201F"),
            (F::Power, vec![-8.0, 0.5], "2201F"),
            (F::Power, vec![1e300, 2.0], "22003"),
            (F::Power, vec![1e-300, 2.0], "22003"),
            (F::Exp, vec![1000.0], "22003"),
            (F::Exp, vec![-1000.0], "22003"),
            (F::Ln, vec![0.0], "2201E"),
            (F::Log10, vec![-1.0], "2201E"),
            (F::Sin, vec![f64::INFINITY], "22003"),
            (F::Asin, vec![1.5], "22003"),
            (F::Degrees, vec![1e308], "22003"),
        ] {
            expect_error(function, arguments.into_iter().map(double).collect(), double(0.0).1, state);
        }
    }
}
