//! `+ - * / %`, negation, absolute value, sign, rounding and bits, on integers, decimals and floats.

use super::cast::checked_integer;
use super::{Call, decimal, mismatch};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::types::DataType;
use crate::value::Value;

/// The value, if the function is one of this file's.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    match call.function {
        F::Add | F::Subtract | F::Multiply | F::Divide | F::Modulo => binary(call),
        F::Negate | F::Abs | F::Sign => unary(call),
        F::Ceil | F::Floor | F::Round | F::Truncate => round(call),
        F::BitAnd | F::BitOr | F::BitXor | F::BitNot | F::ShiftLeft | F::ShiftRight => bits(call),
        _ => return Ok(None),
    }
    .map(Some)
}

/// 22012.
pub(super) fn division_by_zero() -> Error {
    Error::new(ErrorKind::DivisionByZero, "division by zero")
}

fn binary(call: &Call) -> Result<Value> {
    match (&call.arguments[0], &call.arguments[1]) {
        (Value::Int(a), Value::Int(b)) => integers(call, *a, *b),
        (Value::Decimal(a), Value::Decimal(b)) => decimals(call, *a, *b),
        (Value::Float(a), Value::Float(b)) => floats(call.function, *a, *b, call.result).map(Value::Float),
        (_, other) => Err(mismatch(other, call.types[0])),
    }
}

fn integers(call: &Call, a: i64, b: i64) -> Result<Value> {
    // 128 bits hold every result of two 64-bit operands.
    let (a, b) = (i128::from(a), i128::from(b));
    let value = match call.function {
        Function::Add => a + b,
        Function::Subtract => a - b,
        Function::Multiply => a * b,
        _ if b == 0 => return Err(division_by_zero()),
        Function::Divide => a / b,
        _ => a % b,
    };
    checked_integer(Some(value), call.result)
}

fn decimals(call: &Call, a: i128, b: i128) -> Result<Value> {
    let (a_scale, b_scale, scale) = (call.types[0].scale(), call.types[1].scale(), call.result.scale());
    let value = match call.function {
        Function::Multiply => decimal::multiply(a, b, a_scale + b_scale, scale),
        Function::Divide | Function::Modulo if b == 0 => return Err(division_by_zero()),
        Function::Divide => decimal::divide(a, a_scale, b, b_scale, scale),
        _ if a_scale != scale || b_scale != scale => {
            return Err(Error::internal("decimal operands of different scales"));
        }
        Function::Add => a.checked_add(b),
        Function::Subtract => a.checked_sub(b),
        _ => Some(a % b),
    };
    decimal::checked(value, call.result)
}

/// As PostgreSQL: an infinity from finite operands is an overflow, a zero from factors that are not zero an
/// underflow. Reals are computed in single precision.
fn floats(function: Function, a: f64, b: f64, result: DataType) -> Result<f64> {
    let divides = matches!(function, Function::Divide | Function::Modulo);
    if divides && b == 0.0 && !a.is_nan() {
        return Err(division_by_zero());
    }
    let value = if result == DataType::Real {
        let (a, b) = (a as f32, b as f32);
        f64::from(match function {
            Function::Add => a + b,
            Function::Subtract => a - b,
            Function::Multiply => a * b,
            Function::Divide => a / b,
            _ => a % b,
        })
    } else {
        match function {
            Function::Add => a + b,
            Function::Subtract => a - b,
            Function::Multiply => a * b,
            Function::Divide => a / b,
            _ => a % b,
        }
    };
    if value.is_infinite() && a.is_finite() && b.is_finite() {
        return Err(overflow());
    }
    let underflows = match function {
        Function::Multiply => a != 0.0 && b != 0.0,
        Function::Divide => a != 0.0 && !b.is_infinite(),
        _ => false,
    };
    if value == 0.0 && underflows { Err(underflow()) } else { Ok(value) }
}

/// 22003 for a float that became infinite.
pub(super) fn overflow() -> Error {
    Error::new(ErrorKind::NumericOverflow, "value out of range: overflow")
}

/// 22003 for a float that became zero.
pub(super) fn underflow() -> Error {
    Error::new(ErrorKind::NumericOverflow, "value out of range: underflow")
}

fn unary(call: &Call) -> Result<Value> {
    match (&call.arguments[0], call.function) {
        (Value::Int(a), Function::Negate) => checked_integer(Some(-i128::from(*a)), call.result),
        (Value::Int(a), Function::Abs) => checked_integer(Some(i128::from(*a).abs()), call.result),
        (Value::Int(a), _) => Ok(Value::Int(a.signum())),
        (Value::Decimal(a), Function::Negate) => decimal::checked(Some(-a), call.result),
        (Value::Decimal(a), Function::Abs) => decimal::checked(Some(a.abs()), call.result),
        (Value::Decimal(a), _) => Ok(Value::Decimal(a.signum() * decimal::power_of_ten(call.result.scale()))),
        (Value::Float(a), Function::Negate) => Ok(Value::Float(-a)),
        (Value::Float(a), Function::Abs) => Ok(Value::Float(a.abs())),
        (Value::Float(a), _) if *a > 0.0 => Ok(Value::Float(1.0)),
        (Value::Float(a), _) if *a < 0.0 => Ok(Value::Float(-1.0)),
        (Value::Float(_), _) => Ok(Value::Float(0.0)),
        (other, _) => Err(mismatch(other, call.result)),
    }
}

/// ceil, floor, round and trunc; the latter two perhaps to a number of digits.
fn round(call: &Call) -> Result<Value> {
    let digits = match call.arguments.get(1) {
        Some(digits) => Some(call.as_int(digits)?),
        None => None,
    };
    match (&call.arguments[0], call.result) {
        (Value::Float(a), _) if digits.is_none() => Ok(Value::Float(match call.function {
            Function::Ceil => a.ceil(),
            Function::Floor => a.floor(),
            Function::Round => a.round_ties_even(),
            _ => a.trunc(),
        })),
        (Value::Float(_), _) => Err(Error::unsupported("rounding a double precision to a number of digits is")),
        (Value::Int(a), result) if result.is_integer() => {
            checked_integer(round_decimal((*a).into(), 0, digits.unwrap_or(0), call.function, 0), result)
        }
        (Value::Decimal(a), DataType::Decimal { scale, .. }) => {
            let rounded = round_decimal(*a, call.types[0].scale(), digits.unwrap_or(0), call.function, scale);
            decimal::checked(rounded, call.result)
        }
        (other, result) => Err(mismatch(other, result)),
    }
}

/// Rounds a decimal to so many digits behind its point (or, negative, in front of it), at a new scale. A scale
/// with fewer digits than that rounds to the scale. None beyond 128 bits.
fn round_decimal(value: i128, scale: u8, digits: i64, function: Function, result_scale: u8) -> Option<i128> {
    let digits = digits.min(i64::from(result_scale));
    if digits >= i64::from(scale) {
        return decimal::rescale(value, scale, result_scale);
    }
    let Some(dropped) = u8::try_from(i64::from(scale) - digits).ok().filter(|dropped| *dropped <= 38) else {
        return Some(0);
    };
    let unit = decimal::power_of_ten(dropped);
    let rounded = match function {
        Function::Ceil => value.div_euclid(unit) + i128::from(value.rem_euclid(unit) != 0),
        Function::Floor => value.div_euclid(unit),
        Function::Round => decimal::divide_rounded(value, unit),
        _ => value / unit,
    };
    if rounded == 0 {
        return Some(0);
    }
    let up = u8::try_from(i64::from(result_scale) - digits).ok().filter(|up| *up <= 38)?;
    rounded.checked_mul(decimal::power_of_ten(up))
}

/// Bits of integers in two's complement. A shift takes its count modulo the type's width, and bits shifted out
/// are lost, as in PostgreSQL.
fn bits(call: &Call) -> Result<Value> {
    let a = call.int(0)?;
    if call.function == Function::BitNot {
        return Ok(Value::Int(!a));
    }
    let b = call.int(1)?;
    Ok(Value::Int(match (call.function, call.result) {
        (Function::BitAnd, _) => a & b,
        (Function::BitOr, _) => a | b,
        (Function::BitXor, _) => a ^ b,
        (Function::ShiftLeft, DataType::BigInt) => a.wrapping_shl(b as u32),
        (Function::ShiftLeft, DataType::SmallInt) => i64::from((a as i32).wrapping_shl(b as u32) as i16),
        (Function::ShiftLeft, _) => i64::from((a as i32).wrapping_shl(b as u32)),
        (_, DataType::BigInt) => a.wrapping_shr(b as u32),
        (_, _) => i64::from((a as i32).wrapping_shr(b as u32)),
    }))
}
