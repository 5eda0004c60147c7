//! CASE, COALESCE, NULLIF, GREATEST and LEAST.

use super::coercion::{Coercion, as_decimal};
use super::fold;
use super::operator::or;
use crate::error::Result;
use crate::function::Function;
use crate::relation::Expression;
use crate::sql::binder::Binder;
use crate::sql::scope::Scope;
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast;

/// Chars of free length whose greatest is found without their blanks: each of them is named three times by the next.
const EXTREME_CHARS_MAX: usize = 6;

impl Binder<'_> {
    /// Both forms of CASE; the simple one compares its operand with each WHEN.
    pub(super) fn bind_case(
        &mut self,
        operand: Option<&ast::Expr>,
        branches: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let operand = operand.map(|operand| self.bind_expression(operand, scope)).transpose()?;
        let mut conditions = Vec::with_capacity(branches.len());
        let mut values = Vec::with_capacity(branches.len() + 1);
        for branch in branches {
            let when = self.bind_expression(&branch.condition, scope)?;
            conditions.push(match &operand {
                Some(operand) => self.compare(Function::Equal, operand.clone(), when)?,
                None => self.coerce_condition(when, "CASE/WHEN")?,
            });
            values.push(self.bind_expression(&branch.result, scope)?);
        }
        if let Some(otherwise) = otherwise {
            values.push(self.bind_expression(otherwise, scope)?);
        }
        // PostgreSQL looks at the ELSE first: of two kinds of strings its is the common one.
        if otherwise.is_some() {
            values.rotate_right(1);
        }
        let mut values = self.unify(values, "CASE")?;
        let data_type = values[0].data_type;
        let otherwise = match otherwise {
            Some(_) => values.remove(0),
            None => Expression::constant(Value::Null, data_type),
        };
        let mut arguments: Vec<Expression> = conditions.into_iter().zip(values).flat_map(<[_; 2]>::from).collect();
        arguments.push(otherwise);
        Ok(fold::call(Function::Case, arguments, data_type))
    }

    /// COALESCE, GREATEST or LEAST; `name` is for errors.
    pub(super) fn choice(&mut self, function: Function, name: &str, arguments: Vec<Expression>) -> Result<Expression> {
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
        let keys = vec![super::key(next.clone()), super::key(best.clone())];
        let takes_next = or([test(Function::IsNull, vec![best.clone()]), test(better, keys)]);
        fold::call(Function::Case, vec![takes_next, next, best], DataType::BPCHAR)
    });
    extreme.expect("there are at least two arguments")
}
