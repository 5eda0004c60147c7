//! ORDER BY: its items and their directions, and what of them is no more than a number or a name.

use super::binder::Binder;
use crate::error::{Error, Result};
use crate::relation::Expression;
use crate::relation::builder::{Reference, Rows};
use crate::types::SortOrder;
use sqlparser::ast::{self, Spanned};

/// The items of ORDER BY with their directions.
pub(super) fn order_items<'o>(
    binder: &Binder<'_, '_>,
    order_by: &'o ast::OrderBy,
) -> Result<Vec<(&'o ast::Expr, SortOrder)>> {
    let ast::OrderBy { kind, interpolate } = order_by;
    let position = binder.position(order_by.span());
    if interpolate.is_some() {
        return Err(Error::unsupported("INTERPOLATE is").at(position));
    }
    match kind {
        ast::OrderByKind::Expressions(items) => order_by_items(binder, items),
        ast::OrderByKind::All(_) => Ok(Vec::new()),
    }
}

/// The direction of ORDER BY ALL; none of an order by other items.
pub(super) fn order_of_all(order_by: &ast::OrderBy) -> Option<SortOrder> {
    let ast::OrderByKind::All(ast::OrderByOptions { sort, nulls_first }) = &order_by.kind else { return None };
    let descending = matches!(sort, Some(ast::OrderBySort::Desc));
    Some(SortOrder { descending, nulls_first: nulls_first.unwrap_or(descending) })
}

/// The same of items without a clause around them.
pub(super) fn order_by_items<'o>(
    binder: &Binder<'_, '_>,
    items: &'o [ast::OrderByExpr],
) -> Result<Vec<(&'o ast::Expr, SortOrder)>> {
    items.iter().map(|item| order_item(binder, item)).collect()
}

/// An item of ORDER BY with its direction.
pub(super) fn order_item<'o>(
    binder: &Binder<'_, '_>,
    item: &'o ast::OrderByExpr,
) -> Result<(&'o ast::Expr, SortOrder)> {
    let ast::OrderByExpr { expr, options, with_fill } = item;
    let ast::OrderByOptions { sort, nulls_first } = options;
    let position = binder.position(expr.span());
    if with_fill.is_some() {
        return Err(Error::unsupported("WITH FILL is").at(position));
    }
    let descending = match sort {
        None | Some(ast::OrderBySort::Asc) => false,
        Some(ast::OrderBySort::Desc) => true,
        Some(ast::OrderBySort::Using(_)) => return Err(Error::unsupported("ORDER BY … USING is").at(position)),
    };
    Ok((expr, SortOrder { descending, nulls_first: nulls_first.unwrap_or(descending) }))
}

/// The constant or name that an item of ORDER BY or GROUP BY is, perhaps in parentheses; none for other expressions.
pub(super) fn reference(expr: &ast::Expr) -> Option<Reference> {
    match expr {
        ast::Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, _) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                Some(Reference::Place(digits.clone()))
            }
            ast::Value::Placeholder(_) => None,
            _ => Some(Reference::Constant),
        },
        ast::Expr::Identifier(ident) => Some(Reference::Name(Binder::fold(ident))),
        ast::Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr: inner } if matches!(&**inner, ast::Expr::Value(value) if matches!(value.value, ast::Value::Number(..))) => {
            Some(Reference::Place(expr.to_string()))
        }
        ast::Expr::Nested(inner) if matches!(**inner, ast::Expr::Value(_) | ast::Expr::Identifier(_)) => {
            reference(inner)
        }
        _ => None,
    }
}

impl Binder<'_, '_> {
    /// The keys of ORDER BY ALL over finished rows; none of another order.
    pub(super) fn keys_of_all(&self, order_by: &ast::OrderBy, (_, output): &Rows) -> Vec<(Expression, SortOrder)> {
        let key = |order| output.iter().map(move |(_, id)| (self.builder.columns.reference(*id), order));
        order_of_all(order_by).into_iter().flat_map(key).collect()
    }

    /// ORDER BY after a set operation: numbers and names of its result only.
    pub(super) fn bind_order_of_set_operation(&mut self, rows: Rows, order_by: Option<&ast::OrderBy>) -> Result<Rows> {
        let Some(order_by) = order_by else { return Ok(rows) };
        let mut keys = self.keys_of_all(order_by, &rows);
        for (expr, order) in order_items(self, order_by)? {
            let position = self.position(expr.span());
            let named = match reference(expr) {
                Some(reference) => self.builder.named_output(&reference, &rows.1, position)?,
                None => None,
            };
            let name = match expr {
                ast::Expr::Identifier(ident) => Some(Self::fold(ident)),
                _ => None,
            };
            let column = named.ok_or_else(|| self.builder.no_output(name.as_deref(), &rows.1).at(position))?;
            keys.push((column, order));
        }
        self.builder.sort(rows, keys)
    }
}
