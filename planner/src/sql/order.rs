//! ORDER BY. An item is a result column by its number or name (SQL-92), or any expression over FROM (SQL:1999);
//! a name means the result column first, which is the other way round in GROUP BY.

use super::binder::Binder;
use super::expression;
use super::query::Rows;
use super::scope::{Clause, Scope};
use super::select_list::SelectItem;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::{ColumnId, Expression, Relation, SortKey};
use crate::types::SortOrder;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// What an item of ORDER BY or GROUP BY stands for.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// An item of the select list.
    Item(usize),
    /// Something else.
    Expression(Expression),
}

/// The items of ORDER BY with their directions.
pub(super) fn order_items<'o>(
    binder: &Binder<'_>,
    order_by: &'o ast::OrderBy,
) -> Result<Vec<(&'o ast::Expr, SortOrder)>> {
    let ast::OrderBy { kind, interpolate } = order_by;
    let position = binder.position(order_by.span());
    if interpolate.is_some() {
        return Err(Error::unsupported("INTERPOLATE is").at(position));
    }
    let ast::OrderByKind::Expressions(items) = kind else {
        return Err(Error::unsupported("ORDER BY ALL is").at(position));
    };
    let item = |item: &'o ast::OrderByExpr| {
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
    };
    items.iter().map(item).collect()
}

/// ORDER BY over finished rows: numbers and names of `output`, or expressions over `scope`.
pub(super) fn bind_order_over(
    binder: &mut Binder<'_>,
    order_by: &ast::OrderBy,
    scope: &Scope<'_>,
    output: &[(String, ColumnId)],
) -> Result<Vec<SortKey>> {
    let items: Vec<SelectItem> = output.iter().map(|(name, id)| SelectItem::column(binder, name, *id)).collect();
    let mut keys = Vec::new();
    for (expr, order) in order_items(binder, order_by)? {
        let expression = match binder.find_item(expr, &items, Clause::OrderBy)? {
            Some(index) => items[index].expression.clone(),
            None => {
                let expression = binder.bind_expression(expr, scope)?;
                binder.settle(expression)?
            }
        };
        keys.push(SortKey { expression: expression::key(expression), order });
    }
    Ok(keys)
}

impl Binder<'_> {
    /// The select item that a bare number or name means; an error for other constants (42601), numbers out of
    /// range (42P10) and names that fit different items (42702).
    pub(super) fn find_item(&self, expr: &ast::Expr, items: &[SelectItem], clause: Clause) -> Result<Option<usize>> {
        let position = self.position(expr.span());
        match expr {
            ast::Expr::Value(value) => match &value.value {
                ast::Value::Number(digits, _) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                    let index = digits.parse::<usize>().ok().and_then(|ordinal| ordinal.checked_sub(1));
                    match index.filter(|index| *index < items.len()) {
                        Some(index) => Ok(Some(index)),
                        None => {
                            let message = format!("{clause} position {digits} is not in select list");
                            Err(Error::new(ErrorKind::InvalidColumnReference, message).at(position))
                        }
                    }
                }
                ast::Value::Placeholder(_) => Ok(None),
                _ => {
                    let message = format!("non-integer constant in {clause}");
                    Err(Error::new(ErrorKind::Syntax, message).at(position))
                }
            },
            ast::Expr::Identifier(ident) => {
                let name = Self::fold(ident);
                let mut found = items.iter().enumerate().filter(|(_, item)| item.name == name);
                let Some((index, first)) = found.next() else { return Ok(None) };
                if found.any(|(_, item)| item.expression != first.expression) {
                    let message = format!("{clause} \"{name}\" is ambiguous");
                    return Err(Error::new(ErrorKind::AmbiguousColumn, message).at(position));
                }
                Ok(Some(index))
            }
            ast::Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr: inner } if matches!(&**inner, ast::Expr::Value(value) if matches!(value.value, ast::Value::Number(..))) =>
            {
                let message = format!("{clause} position {expr} is not in select list");
                Err(Error::new(ErrorKind::InvalidColumnReference, message).at(position))
            }
            ast::Expr::Nested(inner) if matches!(**inner, ast::Expr::Value(_) | ast::Expr::Identifier(_)) => {
                self.find_item(inner, items, clause)
            }
            _ => Ok(None),
        }
    }

    /// An item of a SELECT's ORDER BY.
    pub(super) fn bind_order_item(
        &mut self,
        expr: &ast::Expr,
        items: &[SelectItem],
        scope: &Scope<'_>,
    ) -> Result<Target> {
        if let Some(index) = self.find_item(expr, items, Clause::OrderBy)? {
            return Ok(Target::Item(index));
        }
        scope.enter(Clause::OrderBy);
        let expression = self.bind_expression(expr, scope)?;
        let expression = self.settle(expression)?;
        Ok(match items.iter().position(|item| item.expression == expression) {
            Some(index) => Target::Item(index),
            None => Target::Expression(expression),
        })
    }

    /// ORDER BY after a set operation: numbers and names of its result only.
    pub(super) fn bind_order_of_set_operation(
        &mut self,
        (relation, output): Rows,
        order_by: Option<&ast::OrderBy>,
    ) -> Result<Rows> {
        let Some(order_by) = order_by else { return Ok((relation, output)) };
        let items: Vec<SelectItem> = output.iter().map(|(name, id)| SelectItem::column(self, name, *id)).collect();
        let mut keys = Vec::new();
        for (expr, order) in order_items(self, order_by)? {
            let position = self.position(expr.span());
            let Some(index) = self.find_item(expr, &items, Clause::OrderBy)? else {
                return Err(match expr {
                    ast::Expr::Identifier(ident) => {
                        let name = Self::fold(ident);
                        let error = Error::new(ErrorKind::UnknownColumn, format!("column \"{name}\" does not exist"));
                        super::suggest::did_you_mean(error, &name, output.iter().map(|(name, _)| name.as_str()))
                    }
                    _ => Error::new(ErrorKind::Unsupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
                        .with_hint("Only result column names can be used, not expressions or functions."),
                }
                .at(position));
            };
            keys.push(SortKey { expression: expression::key(items[index].expression.clone()), order });
        }
        Ok((Arc::new(Relation::Sort { input: relation, keys }), output))
    }
}
