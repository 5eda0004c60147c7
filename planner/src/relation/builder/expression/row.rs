//! Comparisons of rows that are written as such, `(a, b) < (c, d)` and `(a, b) IS NULL`, field by field: a field that is NULL
//! makes them unknown. Rows as values are in `composite`.

use super::comparison::spelling;
use super::fold;
use super::operator::{and, no_operator, or};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;

impl Builder<'_> {
    /// A comparison field by field. Order is by the first field that differs: `(a, b) < (c, d)` is
    /// `a < c OR (a = c AND b < d)`, which is also right where fields are NULL.
    pub fn compare_rows(
        &mut self,
        function: Function,
        left: Vec<Expression>,
        right: Vec<Expression>,
    ) -> Result<Expression> {
        let mut pairs: Vec<(Expression, Expression)> = left.into_iter().zip(right).collect();
        let strict = match function {
            Function::Equal | Function::IsNotDistinct => {
                let equals = pairs.into_iter().map(|(l, r)| self.compare(function, l, r));
                return Ok(and(equals.collect::<Result<_>>()?));
            }
            Function::NotEqual | Function::IsDistinct => {
                let differ = pairs.into_iter().map(|(l, r)| self.compare(function, l, r));
                return Ok(or(differ.collect::<Result<Vec<_>>>()?));
            }
            Function::Less | Function::LessEqual => Function::Less,
            Function::Greater | Function::GreaterEqual => Function::Greater,
            other => return Err(Error::internal(format!("rows compared by {other:?}"))),
        };
        let Some((left, right)) = pairs.pop() else {
            return Err(no_operator(spelling(function), DataType::Null, DataType::Null, None));
        };
        let mut result = self.compare(function, left, right)?;
        for (left, right) in pairs.into_iter().rev() {
            let before = self.compare(strict, left.clone(), right.clone())?;
            let same = self.compare(Function::Equal, left, right)?;
            result = or([before, and(vec![same, result])]);
        }
        Ok(result)
    }

    /// `value IS NULL` or `IS NOT NULL` (`function`) of a row of one field or more: all its fields are, which makes neither
    /// the other's negation.
    pub fn null_test(&mut self, function: Function, fields: Vec<Expression>) -> Result<Expression> {
        let mut tests = Vec::with_capacity(fields.len());
        for field in fields {
            let field = self.settle_any(field)?;
            tests.push(fold::call(function, vec![field], DataType::Boolean));
        }
        Ok(and(tests))
    }
}
