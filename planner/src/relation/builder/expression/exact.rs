//! NUMERIC, narrow and wide. A decimal whose scale its type knows, and whose digits fit, stays a decimal: an integer in
//! registers. What has a scale of its own, value by value, is [`DataType::Numeric`]: a quotient, a root, one of
//! several decimals of different scales, a bare `numeric` column that holds such.
//!
//! Where the scale does not show (in the argument of a sum, on a side of a comparison), `narrowed` goes back.

use super::coercion::{Coercion, as_decimal, cast};
use super::{arithmetic, fold};
use crate::error::Result;
use crate::function::{Function, mirrored};
use crate::numeric::Numeric;
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;

/// An integer, decimal or numeric as a numeric.
pub(super) fn widened(expression: Expression) -> Expression {
    cast(expression, DataType::Numeric, Coercion::Implicit)
}

/// The same values as decimals or integers, where the expression is made of such; none where it is not, or where one
/// decimal type has too few digits for them.
pub(super) fn narrowed(expression: &Expression) -> Option<Expression> {
    if expression.data_type != DataType::Numeric {
        let known = expression.data_type.is_decimal() || expression.data_type.is_integer();
        return known.then(|| expression.clone());
    }
    let narrow = match &expression.kind {
        ExpressionKind::Constant(Value::Null) => Expression::constant(Value::Null, DataType::decimal(1, 0)),
        ExpressionKind::Constant(Value::Numeric(number)) => {
            let scale = u8::try_from(number.scale()?).ok().filter(|scale| *scale <= DECIMAL_DIGITS_MAX)?;
            let unscaled = number.unscaled_at(scale)?;
            if unscaled.unsigned_abs() >= 10u128.pow(DECIMAL_DIGITS_MAX.into()) {
                return None;
            }
            super::literal::decimal_constant(unscaled, scale, expression.position)
        }
        ExpressionKind::Call(Function::Cast, arguments) => narrowed(&arguments[0])?,
        ExpressionKind::Call(function @ (Function::Case | Function::Coalesce), arguments) => {
            narrowed_choice(*function, arguments)?
        }
        _ => return None,
    };
    Some(narrow.at(expression.position))
}

fn narrowed_choice(function: Function, arguments: &[Expression]) -> Option<Expression> {
    let last = arguments.len() - 1;
    let is_value = |at: usize| function != Function::Case || at == last || at % 2 == 1;
    let mut narrow = Vec::with_capacity(arguments.len());
    for (at, argument) in arguments.iter().enumerate() {
        narrow.push(if is_value(at) { narrowed(argument)? } else { argument.clone() });
    }
    let values = || narrow.iter().enumerate().filter(|(at, _)| is_value(*at)).map(|(_, value)| value);
    let scale = values().map(|value| value.data_type.scale()).max()?;
    let mut digits = 0;
    for value in values() {
        let DataType::Decimal { precision, scale } = as_decimal(value.data_type) else { return None };
        digits = digits.max(precision - scale);
    }
    let precision = (digits + scale).max(1);
    if precision > DECIMAL_DIGITS_MAX {
        return None;
    }
    let common = DataType::decimal(precision, scale);
    let narrow = narrow.into_iter().enumerate();
    let narrow =
        narrow.map(|(at, each)| if is_value(at) { cast(each, common, Coercion::Implicit) } else { each }).collect();
    Some(fold::call(function, narrow, common))
}

/// A numeric that was rounded to so many digits behind the point, which all its values show: as a decimal, where it is
/// proven to be finite and to have few digits before the point. So it is a number in registers, and a key of groups.
pub(super) fn settled_scale(rounded: Expression, scale: u8) -> Expression {
    let digits = whole_digits(&rounded).map(|digits| digits.max(1) + i32::from(scale));
    let Some(precision) =
        digits.and_then(|digits| u8::try_from(digits).ok()).filter(|&digits| digits < DECIMAL_DIGITS_MAX)
    else {
        return rounded;
    };
    // Not a cast: that would declare how many digits there are.
    fold::call(Function::NarrowDown, vec![rounded], DataType::decimal(precision, scale))
}

/// So many digits before the point have the values of an expression at most, all of which are finite: they are less than
/// 10^digits.
fn whole_digits(expression: &Expression) -> Option<i32> {
    use Function as F;
    let own = match as_decimal(expression.data_type) {
        DataType::Decimal { precision, scale } if expression.data_type != DataType::Null => {
            return Some(i32::from(precision) - i32::from(scale));
        }
        DataType::Numeric => &expression.kind,
        _ => return None,
    };
    let ExpressionKind::Call(function, arguments) = own else {
        let ExpressionKind::Constant(Value::Numeric(number)) = own else { return None };
        return number.exponent().map(|exponent| exponent + 1);
    };
    let of = |at: usize| whole_digits(&arguments[at]);
    match (function, arguments.len()) {
        (F::Cast | F::Negate | F::Abs, 1) => of(0),
        (F::Ceil | F::Floor | F::Round | F::Truncate, _) => Some(of(0)? + 1),
        (F::Add | F::Subtract, 2) => Some(of(0)?.max(of(1)?) + 1),
        (F::Multiply, 2) => Some(of(0)? + of(1)?),
        // What is rounded may have a digit more.
        (F::Divide, 2) => Some(of(0)? - exponent_min(&arguments[1])? + 1),
        _ => None,
    }
}

/// No value of an expression is nearer to 0 than 10^exponent, but 0.
fn exponent_min(expression: &Expression) -> Option<i32> {
    match &expression.kind {
        ExpressionKind::Constant(Value::Numeric(number)) => number.exponent(),
        ExpressionKind::Constant(Value::Decimal(unscaled)) => {
            let digits = unscaled.unsigned_abs().checked_ilog10()?;
            Some(digits as i32 - i32::from(expression.data_type.scale()))
        }
        ExpressionKind::Constant(Value::Int(integer)) => {
            integer.unsigned_abs().checked_ilog10().map(|digits| digits as i32)
        }
        ExpressionKind::Call(Function::Cast, arguments) if expression.data_type == DataType::Numeric => {
            exponent_min(&arguments[0])
        }
        _ => {
            let known = expression.data_type.is_decimal() || expression.data_type.is_integer();
            known.then(|| -i32::from(expression.data_type.scale()))
        }
    }
}

/// An expression as a decimal or an integer where it can be one.
pub(super) fn narrowed_or_same(expression: Expression) -> Expression {
    if expression.data_type != DataType::Numeric {
        return expression;
    }
    narrowed(&expression).unwrap_or(expression)
}

/// Whether these are numbers, one of them a NUMERIC and none a float.
pub(super) fn are_exact(types: &[DataType]) -> bool {
    types.iter().any(|data_type| data_type.is_exact())
        && types.iter().all(|data_type| data_type.is_exact() || data_type.is_integer() || *data_type == DataType::Null)
}

/// A comparison of something narrow with something wide, in the narrow form, so that it is made in the kernels of
/// decimals: see [`narrow_sides`].
pub(super) fn compare_narrow(function: Function, left: &Expression, right: &Expression) -> Option<Expression> {
    let (left, right) = narrow_sides(function, left, right)?;
    Some(fold::call(function, vec![left, right], DataType::Boolean))
}

/// The sides of a comparison of something narrow with something wide, in the narrow form, which says the same: `x < c` is
/// `x < the smallest decimal of x's scale that is not less than c`, and `x = c` is `x = the decimal of x's scale that is c`. The
/// bounds have a digit more than x (or are the number next to all that 38 digits make), so that what lies beyond them lies beyond
/// every x, NaN among it; and so does what stands for a `c` of more digits than x has. None where there is no such form. An equality
/// of columns stays as it is: joins and the rules for equal columns know it so.
pub(super) fn narrow_sides(
    function: Function,
    left: &Expression,
    right: &Expression,
) -> Option<(Expression, Expression)> {
    use Function as F;
    if left.data_type == DataType::Numeric && right.data_type != DataType::Numeric {
        return narrow_sides(mirrored(function), right, left).map(|(left, right)| (right, left));
    }
    let DataType::Decimal { precision, scale } = as_decimal(left.data_type) else { return None };
    if right.data_type != DataType::Numeric {
        return None;
    }
    let bound = match function {
        F::Less | F::GreaterEqual => F::NarrowUp,
        F::LessEqual | F::Greater => F::NarrowDown,
        F::Equal | F::NotEqual | F::IsDistinct | F::IsNotDistinct if is_of_parameters(right) => F::NarrowSame,
        _ => return None,
    };
    let narrow =
        fold::call(bound, vec![right.clone()], DataType::decimal((precision + 1).min(DECIMAL_DIGITS_MAX), scale));
    Some((arithmetic::to_scale(left.clone(), scale), narrow))
}

/// Whether an expression is made of constants and parameters alone: it has one value for all rows.
fn is_of_parameters(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => true,
        ExpressionKind::Call(function, arguments) => function.is_immutable() && arguments.iter().all(is_of_parameters),
        _ => false,
    }
}

impl Builder<'_> {
    /// A function of NUMERICs that gives one.
    pub(super) fn numeric_call(&mut self, function: Function, arguments: Vec<Expression>) -> Result<Expression> {
        let mut exact = Vec::with_capacity(arguments.len());
        for argument in arguments {
            exact.push(if argument.data_type == DataType::Null {
                self.coerce(argument, DataType::Numeric, Coercion::Implicit)?
            } else {
                argument
            });
        }
        Ok(fold::call(function, exact, DataType::Numeric))
    }
}

/// A literal of more digits than a decimal has, NaN or an infinity.
pub(super) fn wide_literal(text: &str) -> Result<Expression> {
    Ok(Expression::constant(Value::numeric(Numeric::parse(text)?), DataType::Numeric))
}
