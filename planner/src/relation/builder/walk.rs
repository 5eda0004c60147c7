//! Walks over all expressions of a relation, subqueries included: which columns are mentioned, and replacing them.

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

fn expressions_mut(relation: &mut Relation) -> Vec<&mut Expression> {
    match relation {
        Relation::Scan { .. }
        | Relation::Distinct { .. }
        | Relation::SetOperation { .. }
        | Relation::With { .. }
        | Relation::CteScan { .. } => Vec::new(),
        Relation::Values { rows, .. } => rows.iter_mut().flatten().collect(),
        Relation::Filter { predicate, .. } => vec![predicate],
        Relation::Project { columns, .. } => columns.iter_mut().map(|(_, expression)| expression).collect(),
        Relation::Join { on, .. } => vec![on],
        Relation::Aggregate { keys, aggregates, .. } => keys
            .iter_mut()
            .map(|(_, key)| key)
            .chain(aggregates.iter_mut().flat_map(|(_, call)| call.argument.iter_mut().chain(&mut call.filter)))
            .collect(),
        Relation::Sort { keys, .. } => keys.iter_mut().map(|key| &mut key.expression).collect(),
        Relation::Limit { limit, offset, .. } => limit.iter_mut().chain(offset).collect(),
    }
}

/// The inputs of one operator, to be changed in place.
fn inputs_mut(relation: &mut Relation) -> Vec<&mut Arc<Relation>> {
    match relation {
        Relation::Scan { .. } | Relation::Values { .. } | Relation::CteScan { .. } => Vec::new(),
        Relation::Filter { input, .. }
        | Relation::Project { input, .. }
        | Relation::Aggregate { input, .. }
        | Relation::Distinct { input }
        | Relation::Sort { input, .. }
        | Relation::Limit { input, .. } => vec![input],
        Relation::Join { left, right, .. } => vec![left, right],
        Relation::SetOperation { left, right, .. } => vec![&mut left.0, &mut right.0],
        Relation::With { definition, body, .. } => vec![definition, body],
    }
}

/// Calls `change` on the expressions of every operator of a relation, not on what is inside them.
pub(crate) fn change_expressions<E>(
    relation: &mut Arc<Relation>,
    change: &mut dyn FnMut(&mut Expression) -> Result<(), E>,
) -> Result<(), E> {
    let relation = Arc::make_mut(relation);
    for expression in expressions_mut(relation) {
        change(expression)?;
    }
    for input in inputs_mut(relation) {
        change_expressions(input, change)?;
    }
    Ok(())
}

/// Calls `change` on every operator of a relation, inputs first, those of its subqueries included.
pub(crate) fn change_operators(relation: &mut Arc<Relation>, change: &mut dyn FnMut(&mut Relation)) {
    let relation = Arc::make_mut(relation);
    for input in inputs_mut(relation) {
        change_operators(input, change);
    }
    for expression in expressions_mut(relation) {
        change_operators_within(expression, change);
    }
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
