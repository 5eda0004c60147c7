//! Functions of numbers whose result type depends on the argument's.
//!
//! `abs` keeps every type. `sign`, `ceil`, `floor`, `round` and `trunc` are for double and decimal; integers and
//! reals become double first, as in PostgreSQL. So it is for roots, logarithms and powers. Rounding a decimal(p,s) to whole numbers gives
//! decimal(p - s + 1, 0), to a literal number n of digits decimal(p - s + 1 + n, n), and so it is for quotients of decimals;
//! where n is no literal, or the digits are too many, numeric.

use super::call::{Special, take};
use super::coercion::{Coercion, as_decimal, cast};
use super::logical::relabel;
use super::{exact, fold, literal};
use crate::error::Result;
use crate::function::Function;
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::{DECIMAL_DIGITS_MAX, DataType, SystemType};
use crate::value::Value;

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

impl Builder<'_> {
    /// `setseed(seed)`, which gives nothing.
    pub(super) fn set_seed(&mut self, [seed]: [Expression; 1]) -> Result<Expression> {
        let seed = self.coerce(seed, DataType::Double, Coercion::Implicit)?;
        let done = Expression::call(Function::SetSeed, vec![seed], DataType::Text);
        Ok(relabel(done, DataType::System(SystemType::Void)))
    }

    /// The functions of numbers whose types follow no fixed signature.
    pub(super) fn special_number_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use Function as F;
        match (name, arguments.len()) {
            ("abs" | "sign" | "ceil" | "ceiling" | "floor" | "round" | "trunc", 1) => {
                self.number_function(name, arguments)
            }
            ("round" | "trunc", 2) => self.round_to_digits(name, arguments),
            ("log", 2) => self.logarithm(arguments),
            ("sqrt", 1) => self.exact_function(F::SquareRoot, arguments),
            ("exp", 1) => self.exact_function(F::Exp, arguments),
            ("ln", 1) => self.exact_function(F::Ln, arguments),
            ("log" | "log10", 1) => self.exact_function(F::Log10, arguments),
            ("power" | "pow", 2) => self.exact_function(F::Power, arguments),
            ("div", 2) => self.numeric_function(F::DivideWhole, DataType::Numeric, arguments),
            ("factorial", 1) if arguments[0].data_type.is_exact() => Ok(Special::NoMatch(arguments)),
            ("factorial", 1) => self.numeric_function(F::Factorial, DataType::Numeric, arguments),
            ("trim_scale", 1) => self.numeric_function(F::TrimScale, DataType::Numeric, arguments),
            ("scale", 1) => self.numeric_function(F::Scale, DataType::Integer, arguments),
            ("min_scale", 1) => self.numeric_function(F::MinScale, DataType::Integer, arguments),
            ("gcd", 2) => self.common_divisor(F::Gcd, arguments),
            ("lcm", 2) => self.common_divisor(F::Lcm, arguments),
            _ => Ok(Special::NoMatch(arguments)),
        }
    }

    /// abs, sign, ceil, floor, round or trunc of one argument.
    fn number_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let data_type = arguments[0].data_type;
        if !data_type.is_numeric() && data_type != DataType::Null {
            return Ok(Special::NoMatch(arguments));
        }
        let [argument] = take(arguments);
        let keeps_type = name == "abs" && data_type != DataType::Null;
        let argument = if keeps_type || data_type.is_exact() {
            argument
        } else {
            self.coerce(argument, DataType::Double, Coercion::Implicit)?
        };
        let result = match argument.data_type {
            DataType::Decimal { .. } if name == "sign" => DataType::decimal(1, 0),
            DataType::Decimal { precision, scale } if scale > 0 && name != "abs" => {
                DataType::decimal(precision - scale + 1, 0)
            }
            other => other,
        };
        let rounds = result == DataType::Numeric && name != "abs" && name != "sign";
        let called = fold::call(function_of(name), vec![argument], result);
        Ok(Special::Bound(if rounds { exact::settled_scale(called, 0) } else { called }))
    }

    /// `round(decimal, digits)` and `trunc(decimal, digits)`.
    fn round_to_digits(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let (value, digits) = (arguments[0].data_type, arguments[1].data_type);
        if !(value.is_integer() || value.is_exact() || value == DataType::Null)
            || !matches!(digits, DataType::SmallInt | DataType::Integer | DataType::Null)
        {
            return Ok(Special::NoMatch(arguments));
        }
        let [value, digits] = take(arguments);
        // NUMERIC is the only type that has this function.
        let value = if value.data_type == DataType::Null && literal::unknown_text(&value).is_none() {
            self.coerce(value, DataType::Numeric, Coercion::Implicit)?
        } else {
            value
        };
        let value = literal::as_decimal_literal(value)?;
        let to = as_decimal(value.data_type);
        let value = cast(value, to, Coercion::Implicit);
        let digits = self.coerce(digits, DataType::Integer, Coercion::Implicit)?;
        let literal = match fold::constant(&digits) {
            Some(Value::Int(literal)) => Some(*literal),
            _ => None,
        };
        let wanted = literal.map(|literal| u8::try_from(literal.max(0)).unwrap_or(u8::MAX));
        let (DataType::Decimal { precision, scale }, Some(literal)) = (to, literal) else {
            let rounded = self.numeric_call(function_of(name), vec![value, digits])?;
            return Ok(Special::Bound(wanted.map_or(rounded.clone(), |wanted| exact::settled_scale(rounded, wanted))));
        };
        let wanted = wanted.unwrap_or(u8::MAX);
        let whole = precision - scale;
        if whole.saturating_add(wanted) >= DECIMAL_DIGITS_MAX {
            return self.numeric_call(function_of(name), vec![value, digits]).map(Special::Bound);
        }
        if literal >= i64::from(scale) {
            // Nothing to round; the result only shows more zeros.
            let result = DataType::decimal((whole + wanted).max(1), wanted);
            return Ok(Special::Bound(cast(value, result, Coercion::Implicit)));
        }
        let result = DataType::decimal(whole + 1 + wanted, wanted);
        Ok(Special::Bound(fold::call(function_of(name), vec![value, digits], result)))
    }

    /// A root, logarithm, exponential or power of NUMERICs; no match where a float or nothing but integers is among
    /// the arguments, for these are doubles.
    fn exact_function(&mut self, function: Function, arguments: Vec<Expression>) -> Result<Special> {
        let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
        if !exact::are_exact(&types) {
            return Ok(Special::NoMatch(arguments));
        }
        self.numeric_call(function, arguments).map(Special::Bound)
    }

    /// div, factorial, scale, min_scale or trim_scale, which are NUMERIC's alone.
    fn numeric_function(
        &mut self,
        function: Function,
        result: DataType,
        arguments: Vec<Expression>,
    ) -> Result<Special> {
        let fits = |data_type: DataType| data_type.is_exact() || data_type.is_integer() || data_type == DataType::Null;
        if !arguments.iter().all(|argument| fits(argument.data_type)) {
            return Ok(Special::NoMatch(arguments));
        }
        let Expression { kind, position, .. } = self.numeric_call(function, arguments)?;
        Ok(Special::Bound(match kind {
            ExpressionKind::Call(function, arguments) => fold::call(function, arguments, result),
            kind => Expression { position, ..Expression::new(kind, result) },
        }))
    }

    /// gcd and lcm: of integers in the wider one's type.
    fn common_divisor(&mut self, function: Function, arguments: Vec<Expression>) -> Result<Special> {
        let (l, r) = (arguments[0].data_type, arguments[1].data_type);
        if l.is_integer() && r.is_integer() {
            return Ok(Special::Bound(fold::call(function, arguments, l.max(r).max(DataType::Integer))));
        }
        self.exact_function(function, arguments)
    }

    /// `log(base, value)`: numeric, but of floats double.
    fn logarithm(&mut self, arguments: Vec<Expression>) -> Result<Special> {
        let fits = |argument: &Expression| argument.data_type.is_numeric() || argument.data_type == DataType::Null;
        if !arguments.iter().all(fits) {
            return Ok(Special::NoMatch(arguments));
        }
        if !arguments.iter().any(|argument| argument.data_type.is_float()) {
            return self.numeric_call(Function::Log, arguments).map(Special::Bound);
        }
        let [base, value] = take(arguments);
        let mut logarithm = |argument| {
            let argument = self.coerce(argument, DataType::Double, Coercion::Implicit)?;
            Ok(fold::call(Function::Ln, vec![argument], DataType::Double))
        };
        let (base, value) = (logarithm(base)?, logarithm(value)?);
        Ok(Special::Bound(fold::call(Function::Divide, vec![value, base], DataType::Double)))
    }
}
