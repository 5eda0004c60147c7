//! Comparisons: of values and of row values, BETWEEN, IN over a list, IS NULL. Row values exist only where they are compared,
//! and are taken apart there.

use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::{Scope, and, not, or};
use crate::sql::binder::Binder;
use crate::sql::spelling::SYMMETRIC;
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

/// The first bound of BETWEEN SYMMETRIC, out of the function that stands around it.
fn symmetric_bound(low: &ast::Expr) -> Option<&ast::Expr> {
    let ast::Expr::Function(function) = low else { return None };
    let [ast::ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return None };
    let ast::FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [argument] if name.value == SYMMETRIC => super::call::plain_argument(argument),
        _ => None,
    }
}

impl Binder<'_, '_> {
    /// `left function right`, where either may be a row.
    pub(super) fn bind_comparison(
        &mut self,
        function: Function,
        left: &ast::Expr,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        if let Some(fields) = fields(left).or_else(|| fields(right)).map(|fields| fields.len()) {
            return self.bind_row_comparison(function, left, right, fields, scope);
        }
        let left = self.bind_expression(left, scope)?;
        let right = self.bind_expression(right, scope)?;
        self.builder.compare(function, left, right)
    }

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
        self.builder.compare_rows(function, left, right)
    }

    /// `value [NOT] BETWEEN low AND high`.
    pub(super) fn bind_between(
        &mut self,
        [value, low, high]: [&ast::Expr; 3],
        negated: bool,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        if fields(value).is_some() {
            let low = self.bind_comparison(Function::GreaterEqual, value, low, scope)?;
            let high = self.bind_comparison(Function::LessEqual, value, high, scope)?;
            let both = and(vec![low, high]);
            return Ok(if negated { not(both) } else { both });
        }
        let value = self.bind_expression(value, scope)?;
        if let Some(low) = symmetric_bound(low) {
            let low = self.bind_expression(low, scope)?;
            let high = self.bind_expression(high, scope)?;
            let either = self.builder.between_symmetric(value, low, high)?;
            return Ok(if negated { not(either) } else { either });
        }
        let low = self.bind_expression(low, scope)?;
        let high = self.bind_expression(high, scope)?;
        self.builder.between(value, low, high, negated)
    }

    /// `value [NOT] IN (a, b, …)`.
    pub(super) fn bind_in_list(
        &mut self,
        value: &ast::Expr,
        list: &[ast::Expr],
        negated: bool,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let found = if fields(value).is_some() {
            let equals = list.iter().map(|item| self.bind_comparison(Function::Equal, value, item, scope));
            or(equals.collect::<Result<Vec<_>>>()?)
        } else {
            let value = self.bind_expression(value, scope)?;
            let items = list.iter().map(|item| self.bind_expression(item, scope)).collect::<Result<Vec<_>>>()?;
            self.builder.is_in(value, items)?
        };
        Ok(if negated { not(found) } else { found })
    }

    /// `value IS NULL` or `IS NOT NULL`, where it may be a row.
    pub(super) fn bind_null_test(
        &mut self,
        function: Function,
        value: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let tested = fields(value).unwrap_or_else(|| vec![value]);
        let tested = tested.into_iter().map(|field| self.bind_expression(field, scope)).collect::<Result<_>>()?;
        self.builder.null_test(function, tested)
    }
}
