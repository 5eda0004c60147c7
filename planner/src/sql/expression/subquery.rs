//! Subqueries as values: scalar, EXISTS, IN, ANY, ALL; `x IN (…)` is `x = ANY (…)`.

use super::comparison::fields;
use super::operator::comparison;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::{Quantifier, Scope, not};
use crate::sql::binder::Binder;
use sqlparser::ast;

impl Binder<'_, '_> {
    /// `(SELECT …)` as a value.
    pub(super) fn bind_scalar_subquery(&mut self, query: &ast::Query, scope: &Scope<'_>) -> Result<Expression> {
        let position = self.query_start(query);
        let rows = self.bind_subquery(query, scope)?;
        self.builder.scalar_subquery(rows, position)
    }

    /// `[NOT] EXISTS (SELECT …)`.
    pub(super) fn bind_exists(&mut self, query: &ast::Query, negated: bool, scope: &Scope<'_>) -> Result<Expression> {
        let position = self.query_start(query);
        let rows = self.bind_subquery(query, scope)?;
        let exists = self.builder.exists(rows, position);
        Ok(if negated { not(exists) } else { exists })
    }

    /// `left function ANY|ALL (SELECT …)`, where left may be a row.
    pub(super) fn bind_quantified_subquery(
        &mut self,
        quantifier: Quantifier,
        function: Function,
        left: &ast::Expr,
        query: &ast::Query,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let position = self.start(left);
        let count = fields(left).map_or(1, |fields| fields.len());
        let left = self.bind_row(left, count, scope)?;
        let rows = self.bind_subquery(query, scope)?;
        self.builder.quantified_subquery(quantifier, function, left, rows, position)
    }

    /// `left operator ANY|ALL (subquery or array)`.
    pub(super) fn bind_quantified(
        &mut self,
        quantifier: Quantifier,
        left: &ast::Expr,
        operator: &ast::BinaryOperator,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let Some(function) = comparison(operator) else {
            return Err(Error::unsupported(format_args!("{operator} ANY or ALL is")).at(self.start(left)));
        };
        let right = strip(right);
        let array = match right {
            ast::Expr::Subquery(query) => {
                return self.bind_quantified_subquery(quantifier, function, left, query, scope);
            }
            ast::Expr::Array(array) => array,
            _ => {
                return Err(
                    Error::unsupported("ANY or ALL of anything but a subquery or ARRAY[…] is").at(self.start(right))
                );
            }
        };
        let value = self.bind_expression(left, scope)?;
        let items = array.elem.iter().map(|item| self.bind_expression(item, scope)).collect::<Result<Vec<_>>>()?;
        self.builder.quantified_list(quantifier, function, value, items)
    }
}

fn strip(ast: &ast::Expr) -> &ast::Expr {
    match ast {
        ast::Expr::Nested(inner) => strip(inner),
        other => other,
    }
}
