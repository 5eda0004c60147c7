//! Subqueries as values: scalar, EXISTS, IN, ANY, ALL; `x IN (…)` is `x = ANY (…)`.

use super::operator::{comparison, named};
use super::pattern::pattern_operator;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::{ElementTest, Head, Quantifier, Scope, not};
use crate::sql::binder::Binder;
use sqlparser::ast;

impl Binder<'_, '_> {
    /// `(SELECT …)` as a value.
    pub(super) fn bind_scalar_subquery(&mut self, query: &ast::Query, scope: &Scope<'_>) -> Result<Expression> {
        let position = self.query_start(query);
        let rows = self.bind_subquery(query, scope)?;
        self.builder.scalar_subquery(rows, position)
    }

    /// Closes the innermost open form as that of what has been bound.
    fn closed(&mut self, head: Head, bound: Result<Expression>) -> Result<Expression> {
        match bound {
            Ok(bound) => Ok(self.builder.close_form(head, bound)),
            Err(error) => {
                self.builder.drop_form();
                Err(error)
            }
        }
    }

    /// `left [NOT] IN (SELECT …)`.
    pub(super) fn bind_in_subquery(
        &mut self,
        left: &ast::Expr,
        query: &ast::Query,
        negated: bool,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        if !negated {
            return self.bind_quantified_subquery(Quantifier::Any, Function::Equal, left, query, scope);
        }
        self.builder.open_form();
        let found = self.bind_quantified_subquery(Quantifier::Any, Function::Equal, left, query, scope);
        Ok(not(self.closed(Head::Call("in".to_owned()), found)?))
    }

    /// `[NOT] EXISTS (SELECT …)`.
    pub(super) fn bind_exists(&mut self, query: &ast::Query, negated: bool, scope: &Scope<'_>) -> Result<Expression> {
        let position = self.query_start(query);
        if !negated {
            let rows = self.bind_subquery(query, scope)?;
            return Ok(self.builder.exists(rows, position));
        }
        self.builder.open_form();
        let rows = self.bind_subquery(query, scope);
        let exists = rows.map(|rows| self.builder.exists(rows, position));
        Ok(not(self.closed(Head::Call("exists".to_owned()), exists)?))
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
        let left = match self.bind_fields(left, scope)? {
            Some(fields) => fields,
            None => vec![self.bind_expression(left, scope)?],
        };
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
        let operator = named(operator).unwrap_or(operator);
        let test = match (comparison(operator), pattern_operator(operator)) {
            (Some(function), _) => ElementTest::Compare(function),
            (None, Some(pattern)) => ElementTest::Match(pattern),
            (None, None) => {
                return Err(Error::unsupported(format_args!("{operator} ANY or ALL is")).at(self.start(left)));
            }
        };
        self.bind_quantified_test(quantifier, test, left, right, scope)
    }

    /// `left test ANY|ALL (subquery or array)`.
    pub(super) fn bind_quantified_test(
        &mut self,
        quantifier: Quantifier,
        test: ElementTest,
        left: &ast::Expr,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let right = strip(right);
        let is_array = |item: &ast::Expr| matches!(item, ast::Expr::Array(_));
        match (right, test) {
            (ast::Expr::Subquery(query), ElementTest::Compare(function)) => {
                self.bind_quantified_subquery(quantifier, function, left, query, scope)
            }
            (ast::Expr::Subquery(query), ElementTest::Match(operator)) => {
                let position = self.start(left);
                let left = self.bind_expression(left, scope)?;
                let rows = self.bind_subquery(query, scope)?;
                self.builder.quantified_match(quantifier, operator, left, rows, position)
            }
            (ast::Expr::Array(array), _) if !array.elem.iter().any(is_array) => {
                let value = self.bind_expression(left, scope)?;
                let items = array.elem.iter().map(|item| self.bind_expression(item, scope));
                let items = items.collect::<Result<Vec<_>>>()?;
                if items.iter().any(|item| item.data_type.element().is_some()) {
                    let array = self.builder.array(items, value.position)?;
                    return self.builder.quantified_array(quantifier, test, value, array);
                }
                self.builder.quantified_items(quantifier, test, value, items)
            }
            _ => {
                let value = self.bind_expression(left, scope)?;
                let array = self.bind_expression(right, scope)?;
                self.builder.quantified_array(quantifier, test, value, array)
            }
        }
    }
}

fn strip(ast: &ast::Expr) -> &ast::Expr {
    match ast {
        ast::Expr::Nested(inner) => strip(inner),
        other => other,
    }
}
