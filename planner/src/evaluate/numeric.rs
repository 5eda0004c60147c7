//! Functions whose result, or an argument, is a NUMERIC of any number of digits. Arguments are taken as they are:
//! integers and decimals are numerics, too.

use super::{Call, arithmetic, decimal};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::meter;
use crate::numeric::Numeric;
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;
use std::borrow::Cow;

/// The value, if the function is one of this file's.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    if call.result != DataType::Numeric && !call.types.contains(&DataType::Numeric) {
        return match call.function {
            F::Gcd | F::Lcm => integers(call).map(Some),
            F::Scale | F::MinScale | F::NumericKey | F::NarrowUp | F::NarrowDown | F::NarrowSame => of_one(call),
            _ => Ok(None),
        };
    }
    let words = |value: &Value| if let Value::Numeric(number) = value { number.words() } else { 1 };
    // A quotient, a root or digits as text take about as many steps.
    meter::spend(call.arguments.iter().map(words).fold(0usize, usize::saturating_add).saturating_pow(2))?;
    let value = match call.function {
        F::Average if number(call, 1)?.is_zero() => return Ok(Some(Value::Null)),
        F::Add => number(call, 0)?.add(&*number(call, 1)?)?,
        F::Subtract => number(call, 0)?.subtract(&*number(call, 1)?)?,
        F::Multiply => number(call, 0)?.multiply(&*number(call, 1)?)?,
        F::Divide | F::Average => number(call, 0)?.divide(&*number(call, 1)?)?,
        F::Modulo => number(call, 0)?.modulo(&*number(call, 1)?)?,
        F::DivideWhole => number(call, 0)?.divide_truncated(&*number(call, 1)?)?,
        F::Gcd => number(call, 0)?.gcd(&*number(call, 1)?),
        F::Lcm => number(call, 0)?.lcm(&*number(call, 1)?)?,
        F::Power => number(call, 0)?.power(&*number(call, 1)?)?,
        F::Log => Numeric::log(&*number(call, 0)?, &*number(call, 1)?)?,
        F::Log10 => Numeric::log(&Numeric::from_integer(10), &*number(call, 0)?)?,
        F::Ln => number(call, 0)?.ln()?,
        F::Exp => number(call, 0)?.exp()?,
        F::SquareRoot => number(call, 0)?.square_root()?,
        F::DeviationOf => number(call, 0)?.deviation(),
        F::Factorial => Numeric::factorial(call.int(0)?)?,
        F::Negate => number(call, 0)?.negate(),
        F::Abs => number(call, 0)?.abs(),
        F::Sign => number(call, 0)?.sign(),
        F::Ceil => number(call, 0)?.ceil(),
        F::Floor => number(call, 0)?.floor(),
        F::Round => number(call, 0)?.round(digits(call)?),
        F::Truncate => number(call, 0)?.truncate(digits(call)?),
        F::TrimScale => number(call, 0)?.trim_scale(),
        F::FitDigits => fit(call)?,
        _ => return of_one(call),
    };
    Ok(Some(Value::numeric(value)))
}

/// What gives something else than a numeric.
fn of_one(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    Ok(Some(match call.function {
        F::NumericKey => Value::text(number(call, 0)?.key()),
        F::Scale => number(call, 0)?.scale().map_or(Value::Null, |scale| Value::Int(scale.into())),
        F::MinScale => number(call, 0)?.trim_scale().scale().map_or(Value::Null, |scale| Value::Int(scale.into())),
        F::NarrowUp | F::NarrowDown | F::NarrowSame => narrow(call)?,
        _ => return Ok(None),
    }))
}

/// The number of an argument.
fn number<'a>(call: &Call<'a>, position: usize) -> Result<Cow<'a, Numeric>> {
    let (value, data_type) = (&call.arguments[position], call.types[position]);
    match value {
        Value::Numeric(number) => Ok(Cow::Borrowed(number)),
        _ => of_value(value, data_type).map(Cow::Owned),
    }
}

/// An integer, decimal or numeric as a numeric.
pub(super) fn of_value(value: &Value, data_type: DataType) -> Result<Numeric> {
    match value {
        Value::Int(integer) => Ok(Numeric::from_integer(*integer)),
        Value::Decimal(unscaled) => Ok(Numeric::new(*unscaled, data_type.scale().into())),
        Value::Numeric(number) => Ok(Numeric::clone(number)),
        other => Err(super::mismatch(other, DataType::Numeric)),
    }
}

fn digits(call: &Call) -> Result<i64> {
    if call.arguments.len() > 1 { call.int(1) } else { Ok(0) }
}

/// A number rounded to a scale, if it has no more digits than a precision.
fn fit(call: &Call) -> Result<Numeric> {
    let (number, precision, scale) = (number(call, 0)?, call.int(1)?, call.int(2)?);
    let rounded = number.round(scale);
    if rounded.is_nan() {
        return Ok(rounded);
    }
    let limit = Numeric::parse(&format!("1e{}", precision - scale))?;
    if rounded.abs().compare(&limit).is_lt() {
        return Ok(rounded);
    }
    let message = "numeric field overflow";
    let detail = match rounded {
        Numeric::Finite { .. } => {
            format!(
                "A field with precision {precision}, scale {scale} must round to an absolute value less than 10^{}.",
                precision - scale
            )
        }
        _ => format!("A field with precision {precision}, scale {scale} cannot hold an infinite value."),
    };
    Err(Error::new(ErrorKind::NumericOverflow, message).with_detail(detail))
}

/// The decimal next to a number, or the last one on its side.
fn narrow(call: &Call) -> Result<Value> {
    let DataType::Decimal { precision, scale } = call.result else {
        return Err(Error::internal("a number is narrowed to a decimal"));
    };
    // What is compared with the most digits that there are may have all of them: the bound lies beyond these.
    let limit = decimal::power_of_ten(precision) - i128::from(precision < DECIMAL_DIGITS_MAX);
    let number = number(call, 0)?;
    if number.compare(&Numeric::new(limit, scale.into())).is_gt() {
        return Ok(Value::Decimal(limit));
    }
    if number.compare(&Numeric::new(-limit, scale.into())).is_lt() {
        return Ok(Value::Decimal(-limit));
    }
    let units = number.multiply(&Numeric::from_integer(decimal::power_of_ten(scale)))?;
    let whole = if call.function == Function::NarrowUp { units.ceil() } else { units.floor() };
    if call.function == Function::NarrowSame && whole.compare(&units).is_ne() {
        return Ok(Value::Decimal(limit));
    }
    let whole = whole.unscaled_at(0).ok_or_else(|| Error::internal("a number between bounds is finite"))?;
    Ok(Value::Decimal(whole))
}

/// gcd and lcm of integers.
fn integers(call: &Call) -> Result<Value> {
    let (mut a, mut b) = (i128::from(call.int(0)?).abs(), i128::from(call.int(1)?).abs());
    let product = a * b;
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let value = if call.function == Function::Gcd { a } else { product.checked_div(a).unwrap_or(0) };
    super::cast::checked_integer(Some(value), call.result)
}

/// Of a float, an integer, a decimal or a text, as a cast to NUMERIC gives it.
pub(super) fn cast(value: &Value, from: DataType) -> Result<Value> {
    Ok(Value::numeric(match value {
        Value::Float(float) => Numeric::from_double(*float, from == DataType::Real),
        other => of_value(other, from)?,
    }))
}

/// A numeric as a value of another type.
pub(super) fn cast_numeric(number: &Numeric, to: DataType) -> Result<Value> {
    match to {
        DataType::Numeric => Ok(Value::numeric(number.clone())),
        DataType::Decimal { .. } if number.is_nan() => Err(decimal::nan()),
        DataType::Decimal { scale, .. } => decimal::checked(number.unscaled_at(scale), to),
        DataType::Double | DataType::Real => {
            let float = if to == DataType::Real { number.to_real() } else { number.to_double() };
            if float.is_infinite() && matches!(number, Numeric::Finite { .. }) {
                return Err(arithmetic::overflow());
            }
            Ok(Value::Float(float))
        }
        to if to.is_integer() => super::cast::checked_integer(number.to_integer(&to.to_string())?, to),
        _ => Err(super::mismatch(&Value::numeric(number.clone()), to)),
    }
}
