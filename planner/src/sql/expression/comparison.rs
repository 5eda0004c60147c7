//! Comparisons: of values and of rows, BETWEEN, IN over a list, IS NULL. Rows that are written as such are compared field by
//! field, others as wholes.

use super::row::is_row;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::{Scope, and, not, or};
use crate::sql::binder::Binder;
use crate::sql::grouping_words::LIST_ITEM;
use crate::sql::spelling::SYMMETRIC;
use sqlparser::ast;

/// An item of a list, out of the function that stands around the first one where it is a query.
fn list_item(item: &ast::Expr) -> &ast::Expr {
    let ast::Expr::Function(function) = item else { return item };
    let [ast::ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return item };
    match &function.args {
        ast::FunctionArguments::List(list) if name.value == LIST_ITEM && name.quote_style.is_some() => {
            list.args.first().and_then(super::call::plain_argument).unwrap_or(item)
        }
        _ => item,
    }
}

fn is_query(ast: &ast::Expr) -> bool {
    matches!(ast, ast::Expr::Subquery(_))
}

/// The first bound of BETWEEN SYMMETRIC, out of the function that stands around it.
pub(super) fn symmetric_bound(low: &ast::Expr) -> Option<&ast::Expr> {
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
        if (is_row(left) && (is_row(right) || is_query(right))) || (is_query(left) && is_row(right)) {
            return self.bind_row_comparison(function, left, right, scope);
        }
        let left = self.bind_expression(left, scope)?;
        let right = self.bind_expression(right, scope)?;
        self.builder.compare(function, left, right)
    }

    /// The fields of a row, or of a query's only row, of which `count` are wanted.
    fn bind_compared_row(
        &mut self,
        ast: &ast::Expr,
        count: Option<usize>,
        scope: &Scope<'_>,
    ) -> Result<Vec<Expression>> {
        let position = self.start(ast);
        let fields = match (self.bind_fields(ast, scope)?, ast) {
            (Some(fields), _) => fields,
            (None, ast::Expr::Subquery(query)) => {
                let rows = self.bind_subquery(query, scope)?;
                let given = rows.1.len();
                if let Some(wanted) = count.filter(|wanted| *wanted != given) {
                    let many = if given > wanted { "many" } else { "few" };
                    return Err(Error::new(ErrorKind::Syntax, format!("subquery has too {many} columns")).at(position));
                }
                let row = self.builder.row_of_query(rows, position)?;
                self.builder.fields_of(&row)?
            }
            (None, _) => vec![self.bind_expression(ast, scope)?],
        };
        if count.is_some_and(|count| count != fields.len()) {
            return Err(Error::new(ErrorKind::Syntax, "unequal number of entries in row expressions").at(position));
        }
        Ok(fields)
    }

    /// A comparison of two rows of which one at least is written as such.
    fn bind_row_comparison(
        &mut self,
        function: Function,
        left: &ast::Expr,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        if is_query(left) {
            let right = self.bind_compared_row(right, None, scope)?;
            let left = self.bind_compared_row(left, Some(right.len()), scope)?;
            return self.builder.compare_rows(function, left, right);
        }
        let left = self.bind_compared_row(left, None, scope)?;
        let right = self.bind_compared_row(right, Some(left.len()), scope)?;
        self.builder.compare_rows(function, left, right)
    }

    /// `(from, to) OVERLAPS (from, to)`.
    pub(super) fn bind_overlaps(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let mut ends = Vec::with_capacity(4);
        for (side, name) in [(left, "left"), (right, "right")] {
            let fields = self.bind_fields(side, scope)?.filter(|fields| fields.len() == 2);
            ends.extend(fields.ok_or_else(|| {
                let message = format!("wrong number of parameters on {name} side of OVERLAPS expression");
                Error::new(ErrorKind::Syntax, message).at(self.start(side))
            })?);
        }
        let ends = ends.try_into().map_err(|_| Error::internal("two rows of two fields"))?;
        self.builder.overlaps(ends)
    }

    /// `value [NOT] BETWEEN low AND high`.
    pub(super) fn bind_between(
        &mut self,
        [value, low, high]: [&ast::Expr; 3],
        negated: bool,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        if is_row(value) {
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
        let found = if is_row(value) {
            let equals = list.iter().map(|item| self.bind_comparison(Function::Equal, value, list_item(item), scope));
            or(equals.collect::<Result<Vec<_>>>()?)
        } else {
            let value = self.bind_expression(value, scope)?;
            let items =
                list.iter().map(|item| self.bind_expression(list_item(item), scope)).collect::<Result<Vec<_>>>()?;
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
        let tested = match self.bind_fields(value, scope)? {
            Some(fields) => fields,
            None => {
                let value = self.bind_expression(value, scope)?;
                match value.data_type.fields() {
                    Some(_) => self.builder.fields_of(&value)?,
                    None => vec![value],
                }
            }
        };
        self.builder.null_test(function, tested)
    }
}
