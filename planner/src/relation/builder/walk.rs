//! Walks over all expressions of a relation, subqueries included: which columns are mentioned, and replacing them.

use crate::relation::visit::{for_each_expression_mut, for_each_input_mut};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, SubqueryKind};
use std::sync::Arc;

/// Calls `visit` on an expression and everything inside it, subqueries' relations included.
pub(crate) fn visit_expression(expression: &Expression, visit: &mut dyn FnMut(&Expression)) {
    visit(expression);
    if let ExpressionKind::Subquery(subquery) = &expression.kind {
        visit_expressions(&subquery.relation, visit);
    }
    for child in expression.children() {
        visit_expression(child, visit);
    }
}

/// Calls `visit` on every expression of a relation, at every depth.
pub(crate) fn visit_expressions(relation: &Relation, visit: &mut dyn FnMut(&Expression)) {
    for expression in relation.expressions() {
        visit_expression(expression, visit);
    }
    for input in relation.inputs() {
        visit_expressions(input, visit);
    }
}

/// Calls `visit` on every operator of a relation, those of its subqueries included.
pub(crate) fn visit_operators(relation: &Relation, visit: &mut dyn FnMut(&Relation)) {
    visit(relation);
    for expression in relation.expressions() {
        visit_operators_within(expression, visit);
    }
    for input in relation.inputs() {
        visit_operators(input, visit);
    }
}

fn visit_operators_within(expression: &Expression, visit: &mut dyn FnMut(&Relation)) {
    if let ExpressionKind::Subquery(subquery) = &expression.kind {
        visit_operators(&subquery.relation, visit);
    }
    for child in expression.children() {
        visit_operators_within(child, visit);
    }
}

/// The columns that an expression mentions, in its subqueries too (also those that they make).
pub(crate) fn expression_columns(expression: &Expression, found: &mut Vec<ColumnId>) {
    visit_expression(expression, &mut |expression| {
        if let ExpressionKind::Column(id) = expression.kind {
            found.push(id);
        }
    });
}

/// Calls `change` on the expressions of every operator of a relation, not on what is inside them.
pub(crate) fn change_expressions<E>(
    relation: &mut Arc<Relation>,
    change: &mut dyn FnMut(&mut Expression) -> Result<(), E>,
) -> Result<(), E> {
    let relation = Arc::make_mut(relation);
    let mut outcome = Ok(());
    for_each_expression_mut(relation, &mut |expression| {
        if outcome.is_ok() {
            outcome = change(expression);
        }
    });
    for_each_input_mut(relation, &mut |input| {
        if outcome.is_ok() {
            outcome = change_expressions(input, change);
        }
    });
    outcome
}

/// Calls `change` on every operator of a relation, inputs first, those of its subqueries included.
pub(crate) fn change_operators(relation: &mut Arc<Relation>, change: &mut dyn FnMut(&mut Relation)) {
    let relation = Arc::make_mut(relation);
    for_each_input_mut(relation, &mut |input| change_operators(input, change));
    for_each_expression_mut(relation, &mut |expression| change_operators_within(expression, change));
    change(relation);
}

fn change_operators_within(expression: &mut Expression, change: &mut dyn FnMut(&mut Relation)) {
    if let ExpressionKind::Subquery(subquery) = &mut expression.kind {
        change_operators(&mut subquery.relation, change);
    }
    for child in expression.children_mut() {
        change_operators_within(child, change);
    }
}

/// The relation of a subquery expression, to be changed, and its predicate.
pub(crate) fn subquery_mut(expression: &mut Expression) -> Option<(&mut Arc<Relation>, Option<&mut Expression>)> {
    let ExpressionKind::Subquery(subquery) = &mut expression.kind else { return None };
    let subquery = &mut **subquery;
    let predicate = match &mut subquery.kind {
        SubqueryKind::Scalar(_) | SubqueryKind::Exists => None,
        SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => Some(predicate),
    };
    Some((&mut subquery.relation, predicate))
}
