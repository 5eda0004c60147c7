//! CASE, COALESCE, NULLIF, GREATEST and LEAST.

use super::fold;
use crate::error::Result;
use crate::function::Function;
use crate::relation::{Expression, ExpressionKind};
use crate::sql::binder::Binder;
use crate::sql::scope::Scope;
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast;

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
        let mut values = self.unify(values, "CASE")?;
        let data_type = values[0].data_type;
        let otherwise = match otherwise {
            Some(_) => values.pop().expect("the ELSE was bound last"),
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
        Ok(fold::call(function, arguments, data_type))
    }

    /// `NULLIF(a, b)`, of a's type.
    pub(super) fn null_if(&mut self, value: Expression, other: Expression) -> Result<Expression> {
        let known = if value.data_type == DataType::Null && other.data_type == DataType::Null {
            self.settle(value)?
        } else {
            value
        };
        let (left, right) = self.comparable("=", known.clone(), other)?;
        if left.data_type == known.data_type && left == known {
            let data_type = left.data_type;
            return Ok(fold::call(Function::NullIf, vec![left, right], data_type));
        }
        // The comparison is on another type than the value's.
        let value = if let ExpressionKind::Parameter(_) | ExpressionKind::Constant(_) = known.kind {
            left.clone()
        } else {
            known
        };
        let data_type = value.data_type;
        let equal = fold::call(Function::Equal, vec![left, right], DataType::Boolean);
        let null = Expression::constant(Value::Null, data_type);
        Ok(fold::call(Function::Case, vec![equal, null, value], data_type))
    }
}
