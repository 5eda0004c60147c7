//! CASE, COALESCE, NULLIF, GREATEST and LEAST.

use super::coercion::{Coercion, as_decimal};
use super::operator::or;
use super::{blanks, fold};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

/// Chars of free length whose greatest is found without their blanks: each of them is named three times by the next.
const EXTREME_CHARS_MAX: usize = 6;

impl Builder<'_> {
    /// The condition of a WHEN; the simple CASE compares its operand with each.
    pub fn case_condition(&mut self, operand: Option<&Expression>, when: Expression) -> Result<Expression> {
        match operand {
            Some(operand) => self.compare(Function::Equal, operand.clone(), when),
            None => self.coerce_condition(when, "CASE/WHEN"),
        }
    }

    /// CASE: conditions with their values, at least one, and what ELSE gives.
    pub fn case(
        &mut self,
        branches: Vec<(Expression, Expression)>,
        otherwise: Option<Expression>,
    ) -> Result<Expression> {
        let has_else = otherwise.is_some();
        let (conditions, results): (Vec<_>, Vec<_>) = branches.into_iter().unzip();
        // PostgreSQL looks at the ELSE first: of two kinds of strings its is the common one.
        let mut values = self.unify(otherwise.into_iter().chain(results).collect(), "CASE")?;
        let Some(data_type) = values.first().map(|value| value.data_type) else {
            return Err(Error::new(ErrorKind::Syntax, "CASE has no WHEN and no ELSE"));
        };
        let otherwise = if has_else { values.remove(0) } else { Expression::constant(Value::Null, data_type) };
        if conditions.is_empty() {
            return Ok(otherwise);
        }
        let mut arguments: Vec<Expression> = conditions.into_iter().zip(values).flat_map(<[_; 2]>::from).collect();
        arguments.push(otherwise);
        Ok(fold::call(Function::Case, arguments, data_type))
    }

    /// COALESCE, GREATEST or LEAST; `name` is for errors.
    pub(super) fn choice(&mut self, function: Function, name: &str, arguments: Vec<Expression>) -> Result<Expression> {
        if matches!(function, Function::Greatest | Function::Least)
            && let Some(extreme) = self.vector_extreme(function, &arguments)?
        {
            return Ok(extreme);
        }
        let mut arguments = self.unify(arguments, name)?;
        if arguments.len() == 1 {
            return Ok(arguments.remove(0));
        }
        let data_type = arguments[0].data_type;
        if data_type == DataType::BPCHAR
            && matches!(function, Function::Greatest | Function::Least)
            && arguments.len() <= EXTREME_CHARS_MAX
        {
            return Ok(extreme_char(function, arguments));
        }
        Ok(fold::call(function, arguments, data_type))
    }

    /// `NULLIF(a, b)`: of the type that `=` takes on its left.
    pub(super) fn null_if(&mut self, value: Expression, other: Expression) -> Result<Expression> {
        let known = if value.data_type == DataType::Null && other.data_type == DataType::Null {
            self.settle(value)?
        } else {
            value
        };
        let (l, r) = (known.data_type, other.data_type);
        let (left, right) = self.comparable("=", known.clone(), other)?;
        if left.data_type == DataType::Numeric || right.data_type == DataType::Numeric {
            let known = if known.data_type == DataType::Null { left.clone() } else { known };
            let data_type = known.data_type;
            let equal = self.compare(Function::Equal, left, right)?;
            let null = Expression::constant(Value::Null, data_type);
            return Ok(fold::call(Function::Case, vec![equal, null, known], data_type));
        }
        let data_type = null_if_type(l, r);
        if left.data_type == data_type && left == known {
            return Ok(fold::call(Function::NullIf, vec![left, right], data_type));
        }
        // The comparison is on another type than the value's.
        let value = if known.data_type == DataType::Null {
            left.clone()
        } else {
            self.coerce(known, data_type, Coercion::Implicit)?
        };
        let data_type = value.data_type;
        let equal = fold::call(Function::Equal, vec![left, right], DataType::Boolean);
        let null = Expression::constant(Value::Null, data_type);
        Ok(fold::call(Function::Case, vec![equal, null, value], data_type))
    }
}

/// The type that a value of type `l` has in PostgreSQL where it is compared with one of type `r`. Integers, floats, and dates with
/// timestamps, have comparisons of two types; other types meet in one.
fn null_if_type(l: DataType, r: DataType) -> DataType {
    match (l, r) {
        (DataType::Char(_), DataType::Text) => DataType::Text,
        (DataType::Varchar(_), DataType::Char(_)) => DataType::BPCHAR,
        (DataType::Varchar(_), _) => DataType::Text,
        (DataType::Time, DataType::Interval) => DataType::Interval,
        (l, r) if l == r || !l.is_numeric() || !r.is_numeric() => l,
        (l, r) if l.is_float() || (l.is_integer() && r.is_integer()) => l,
        (_, r) if r.is_float() => DataType::Double,
        (l, _) => as_decimal(l),
    }
}

/// The greatest or least of chars of free length: the blanks at their ends do not count, and the first of equals is taken.
fn extreme_char(function: Function, arguments: Vec<Expression>) -> Expression {
    let better = if function == Function::Greatest { Function::Greater } else { Function::Less };
    let test = |function, arguments| fold::call(function, arguments, DataType::Boolean);
    let extreme = arguments.into_iter().reduce(|best, next| {
        let keys = vec![blanks::key(next.clone()), blanks::key(best.clone())];
        let takes_next = or([test(Function::IsNull, vec![best.clone()]), test(better, keys)]);
        fold::call(Function::Case, vec![takes_next, next, best], DataType::BPCHAR)
    });
    extreme.expect("there are at least two arguments")
}
