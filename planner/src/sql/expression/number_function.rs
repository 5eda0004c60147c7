//! Functions of numbers whose result type depends on the argument's.
//!
//! `abs` keeps every type. `sign`, `ceil`, `floor`, `round` and `trunc` are for double and decimal; integers and
//! reals become double first, as in PostgreSQL. Rounding a decimal(p,s) to whole numbers gives
//! decimal(p - s + 1, 0), to a literal number n of digits decimal(p - s + 1 + n, n); where n is no literal, the
//! scale stays.

use super::call::{Special, take};
use super::coercion::{Coercion, as_decimal, cast};
use super::fold;
use super::literal;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::sql::binder::Binder;
use crate::sql::scope::Scope;
use crate::types::{DECIMAL_DIGITS_MAX, DIVISION_SCALE_MIN, DataType};
use crate::value::Value;
use sqlparser::ast::{self, CeilFloorKind, DateTimeField};

fn function_of(name: &str) -> Function {
    match name {
        "abs" => Function::Abs,
        "sign" => Function::Sign,
        "floor" => Function::Floor,
        "round" => Function::Round,
        "trunc" => Function::Truncate,
        _ => Function::Ceil,
    }
}

impl Binder<'_> {
    /// abs, sign, ceil, floor, round or trunc of one argument.
    pub(super) fn number_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let data_type = arguments[0].data_type;
        if !data_type.is_numeric() && data_type != DataType::Null {
            return Ok(Special::NoMatch(arguments));
        }
        let [argument] = take(arguments);
        let keeps_type = name == "abs" && data_type != DataType::Null;
        let argument = if keeps_type || data_type.is_decimal() {
            argument
        } else {
            self.coerce(argument, DataType::Double, Coercion::Implicit)?
        };
        let result = match argument.data_type {
            DataType::Decimal { precision, scale } if scale > 0 && !matches!(name, "abs" | "sign") => {
                DataType::decimal(precision - scale + 1, 0)
            }
            other => other,
        };
        Ok(Special::Bound(fold::call(function_of(name), vec![argument], result)))
    }

    /// `round(decimal, digits)` and `trunc(decimal, digits)`.
    pub(super) fn round_to_digits(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let (value, digits) = (arguments[0].data_type, arguments[1].data_type);
        if !(value.is_integer() || value.is_decimal() || value == DataType::Null)
            || !matches!(digits, DataType::SmallInt | DataType::Integer | DataType::Null)
        {
            return Ok(Special::NoMatch(arguments));
        }
        let [value, digits] = take(arguments);
        // NUMERIC is the only type that has this function.
        let value = if value.data_type == DataType::Null && literal::unknown_text(&value).is_none() {
            self.coerce(value, DataType::decimal(DECIMAL_DIGITS_MAX, DIVISION_SCALE_MIN), Coercion::Implicit)?
        } else {
            value
        };
        let value = literal::as_decimal_literal(value)?;
        let to = as_decimal(value.data_type);
        let value = cast(value, to, Coercion::Implicit);
        let digits = self.coerce(digits, DataType::Integer, Coercion::Implicit)?;
        let DataType::Decimal { precision, scale } = to else {
            return Err(Error::internal("a decimal was expected"));
        };
        let literal = match fold::constant(&digits) {
            Some(Value::Int(literal)) => Some(*literal),
            _ => None,
        };
        let wanted = literal.map_or(scale, |literal| {
            u8::try_from(literal.clamp(0, DECIMAL_DIGITS_MAX.into())).expect("clamped to the digits of a decimal")
        });
        let whole = precision - scale;
        if literal.is_some_and(|literal| literal >= i64::from(scale)) {
            // Nothing to round; the result only shows more zeros.
            let result = DataType::decimal((whole + wanted).clamp(1, DECIMAL_DIGITS_MAX), wanted);
            return Ok(Special::Bound(cast(value, result, Coercion::Implicit)));
        }
        let result = DataType::decimal((whole + 1 + wanted).clamp(1, DECIMAL_DIGITS_MAX), wanted);
        Ok(Special::Bound(fold::call(function_of(name), vec![value, digits], result)))
    }

    /// `log(base, value)`, as a double.
    pub(super) fn logarithm(&mut self, arguments: Vec<Expression>) -> Result<Special> {
        let fits = |argument: &Expression| argument.data_type.is_numeric() || argument.data_type == DataType::Null;
        if !arguments.iter().all(fits) {
            return Ok(Special::NoMatch(arguments));
        }
        let [base, value] = take(arguments);
        let mut logarithm = |argument| {
            let argument = self.coerce(argument, DataType::Double, Coercion::Implicit)?;
            Ok(fold::call(Function::Ln, vec![argument], DataType::Double))
        };
        let (base, value) = (logarithm(base)?, logarithm(value)?);
        Ok(Special::Bound(fold::call(Function::Divide, vec![value, base], DataType::Double)))
    }

    /// `CEIL(a)` and `FLOOR(a)`, which sqlparser reads as syntax of their own.
    pub(super) fn bind_rounding(
        &mut self,
        name: &str,
        argument: &ast::Expr,
        field: &CeilFloorKind,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let position = self.start(argument);
        if !matches!(field, CeilFloorKind::DateTimeField(DateTimeField::NoDateTime)) {
            return Err(Error::unsupported(format_args!("{name} with a field or scale is")).at(position));
        }
        let argument = self.bind_expression(argument, scope)?;
        self.call_by_name(name, vec![argument], position)
    }
}
