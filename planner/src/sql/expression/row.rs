//! Row values: `(a, b) = (c, d)`, `(a, b) < (c, d)`, `(a, b) IS NULL`. They exist only where they are compared, and
//! are taken apart there.

use super::comparison::spelling;
use super::fold;
use super::operator::{and, no_operator, or};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::sql::binder::Binder;
use crate::sql::scope::Scope;
use crate::types::DataType;
use sqlparser::ast;

/// The fields of `(a, b)` or `ROW(a, b)`; none for what is no row.
pub(super) fn fields(ast: &ast::Expr) -> Option<Vec<&ast::Expr>> {
    match ast {
        ast::Expr::Tuple(fields) => Some(fields.iter().collect()),
        ast::Expr::Nested(inner) => fields(inner),
        ast::Expr::Function(function) => {
            let [ast::ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return None };
            let ast::FunctionArguments::List(list) = &function.args else { return None };
            if name.quote_style.is_some() || !name.value.eq_ignore_ascii_case("row") {
                return None;
            }
            list.args.iter().map(super::call::plain_argument).collect()
        }
        _ => None,
    }
}

impl Binder<'_> {
    /// The fields of a row that is compared with one of `count` fields; a plain value is a row of one.
    pub(super) fn bind_row(&mut self, ast: &ast::Expr, count: usize, scope: &Scope<'_>) -> Result<Vec<Expression>> {
        let Some(fields) = fields(ast) else {
            if count != 1 {
                let what = match ast {
                    ast::Expr::Subquery(_) => "a subquery of several columns as a row is",
                    _ => "a row compared with anything but a row is",
                };
                return Err(Error::unsupported(what).at(self.start(ast)));
            }
            return Ok(vec![self.bind_expression(ast, scope)?]);
        };
        if fields.len() != count {
            return Err(
                Error::new(ErrorKind::Syntax, "unequal number of entries in row expressions").at(self.start(ast))
            );
        }
        fields.into_iter().map(|field| self.bind_expression(field, scope)).collect()
    }

    /// A comparison of two rows of `count` fields.
    pub(super) fn bind_row_comparison(
        &mut self,
        function: Function,
        left: &ast::Expr,
        right: &ast::Expr,
        count: usize,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let left = self.bind_row(left, count, scope)?;
        let right = self.bind_row(right, count, scope)?;
        self.compare_rows(function, left, right)
    }

    /// A comparison field by field. Order is by the first field that differs: `(a, b) < (c, d)` is
    /// `a < c OR (a = c AND b < d)`, which is also right where fields are NULL.
    pub(super) fn compare_rows(
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

    /// `value IS NULL` or `IS NOT NULL`; of a row: all its fields are, which makes neither the other's negation.
    pub(super) fn bind_null_test(
        &mut self,
        function: Function,
        value: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let tested = fields(value).unwrap_or_else(|| vec![value]);
        let mut tests = Vec::with_capacity(tested.len());
        for field in tested {
            let field = self.bind_expression(field, scope)?;
            let field = self.settle(field)?;
            tests.push(fold::call(function, vec![field], DataType::Boolean));
        }
        Ok(and(tests))
    }

    /// A row where only a value may stand.
    pub(super) fn row_as_value(&self, position: Option<Position>) -> Error {
        Error::unsupported("a row value outside a comparison is").at(position)
    }
}
