//! Walks over relations and expressions: which columns they mention, substitution, equality without positions.
//! None of them allocates for the common node, because the optimiser calls them for every conjunct.

use super::{ColumnId, Expression, ExpressionKind, Relation, Subquery, SubqueryKind};
use std::sync::Arc;

/// The relation in an `Arc`, without a copy if nobody else holds it.
pub(crate) fn take(relation: Arc<Relation>) -> Relation {
    Arc::unwrap_or_clone(relation)
}

/// Rewrites the relation behind an `Arc` in place.
pub(crate) fn rewrite(slot: &mut Arc<Relation>, change: impl FnOnce(Relation) -> Relation) {
    let relation = Arc::make_mut(slot);
    *relation = change(std::mem::replace(relation, nothing()));
}

/// A relation of no columns and no rows, to stand in while another one is taken apart.
pub(crate) fn nothing() -> Relation {
    Relation::Values { columns: Vec::new(), rows: Vec::new() }
}

/// Calls `visit` with each input, left before right, a CTE's definition before its body.
pub(crate) fn for_each_input(relation: &Relation, visit: &mut dyn FnMut(&Relation)) {
    match relation {
        Relation::Scan { .. } | Relation::Values { .. } | Relation::CteScan { .. } => {}
        Relation::Filter { input, .. }
        | Relation::Project { input, .. }
        | Relation::Expand { input, .. }
        | Relation::Aggregate { input, .. }
        | Relation::Window { input, .. }
        | Relation::Distinct { input }
        | Relation::Sort { input, .. }
        | Relation::Limit { input, .. } => visit(input),
        Relation::Join { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Relation::SetOperation { left, right, .. } | Relation::Recursive { seed: left, step: right, .. } => {
            visit(&left.0);
            visit(&right.0);
        }
        Relation::With { definition, body, .. } => {
            visit(definition);
            visit(body);
        }
    }
}

/// As [`for_each_input`], to be changed in place.
pub(crate) fn for_each_input_mut(relation: &mut Relation, visit: &mut dyn FnMut(&mut Arc<Relation>)) {
    match relation {
        Relation::Scan { .. } | Relation::Values { .. } | Relation::CteScan { .. } => {}
        Relation::Filter { input, .. }
        | Relation::Project { input, .. }
        | Relation::Expand { input, .. }
        | Relation::Aggregate { input, .. }
        | Relation::Window { input, .. }
        | Relation::Distinct { input }
        | Relation::Sort { input, .. }
        | Relation::Limit { input, .. } => visit(input),
        Relation::Join { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Relation::SetOperation { left, right, .. } | Relation::Recursive { seed: left, step: right, .. } => {
            visit(&mut left.0);
            visit(&mut right.0);
        }
        Relation::With { definition, body, .. } => {
            visit(definition);
            visit(body);
        }
    }
}

/// Calls `visit` with each expression of this operator, its inputs' not included.
pub(crate) fn for_each_expression(relation: &Relation, visit: &mut dyn FnMut(&Expression)) {
    match relation {
        Relation::Scan { .. }
        | Relation::Distinct { .. }
        | Relation::SetOperation { .. }
        | Relation::Recursive { .. }
        | Relation::With { .. }
        | Relation::CteScan { .. } => {}
        Relation::Values { rows, .. } => rows.iter().flatten().for_each(visit),
        Relation::Filter { predicate, .. } => visit(predicate),
        Relation::Expand { count, .. } => visit(count),
        Relation::Project { columns, .. } => columns.iter().for_each(|(_, expression)| visit(expression)),
        Relation::Join { on, .. } => visit(on),
        Relation::Aggregate { keys, aggregates, .. } => {
            keys.iter().for_each(|(_, key)| visit(key));
            for (_, call) in aggregates {
                call.argument.iter().chain(&call.filter).for_each(&mut *visit);
            }
        }
        Relation::Window { partition, order, functions, .. } => {
            partition.iter().chain(order.iter().map(|key| &key.expression)).for_each(&mut *visit);
            functions.iter().for_each(|(_, call)| call.expressions().for_each(&mut *visit));
        }
        Relation::Sort { keys, .. } => keys.iter().for_each(|key| visit(&key.expression)),
        Relation::Limit { limit, offset, .. } => limit.iter().chain(offset).for_each(visit),
    }
}

/// As [`for_each_expression`], to be changed in place.
pub(crate) fn for_each_expression_mut(relation: &mut Relation, visit: &mut dyn FnMut(&mut Expression)) {
    match relation {
        Relation::Scan { .. }
        | Relation::Distinct { .. }
        | Relation::SetOperation { .. }
        | Relation::Recursive { .. }
        | Relation::With { .. }
        | Relation::CteScan { .. } => {}
        Relation::Values { rows, .. } => rows.iter_mut().flatten().for_each(visit),
        Relation::Filter { predicate, .. } => visit(predicate),
        Relation::Expand { count, .. } => visit(count),
        Relation::Project { columns, .. } => columns.iter_mut().for_each(|(_, expression)| visit(expression)),
        Relation::Join { on, .. } => visit(on),
        Relation::Aggregate { keys, aggregates, .. } => {
            keys.iter_mut().for_each(|(_, key)| visit(key));
            for (_, call) in aggregates {
                call.argument.iter_mut().chain(&mut call.filter).for_each(&mut *visit);
            }
        }
        Relation::Window { partition, order, functions, .. } => {
            partition.iter_mut().chain(order.iter_mut().map(|key| &mut key.expression)).for_each(&mut *visit);
            functions.iter_mut().for_each(|(_, call)| call.expressions_mut().for_each(&mut *visit));
        }
        Relation::Sort { keys, .. } => keys.iter_mut().for_each(|key| visit(&mut key.expression)),
        Relation::Limit { limit, offset, .. } => limit.iter_mut().chain(offset).for_each(visit),
    }
}

/// Calls `visit` with each column that an expression mentions, those within its subqueries included: a
/// subquery's own columns, too. (Callers tell them apart by where a column is made; ids are unique.)
pub(crate) fn for_each_column(expression: &Expression, visit: &mut dyn FnMut(ColumnId)) {
    match &expression.kind {
        ExpressionKind::Column(id) => visit(*id),
        ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => {}
        ExpressionKind::Call(_, arguments) => arguments.iter().for_each(|argument| for_each_column(argument, visit)),
        ExpressionKind::Element(_, code) => for_each_column(code, visit),
        ExpressionKind::Subquery(subquery) => {
            if let SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) = &subquery.kind {
                for_each_column(predicate, visit);
            }
            for_each_column_in(&subquery.relation, visit);
        }
    }
}

/// Calls `visit` with each column that the expressions of a whole tree mention.
pub(crate) fn for_each_column_in(relation: &Relation, visit: &mut dyn FnMut(ColumnId)) {
    for_each_expression(relation, &mut |expression| for_each_column(expression, visit));
    for_each_input(relation, &mut |input| for_each_column_in(input, visit));
}

/// Calls `visit` with the inputs of an operator and with the rows of the subqueries in its expressions.
pub(crate) fn for_each_below_mut(relation: &mut Relation, visit: &mut dyn FnMut(&mut Arc<Relation>)) {
    for_each_input_mut(relation, visit);
    for_each_expression_mut(relation, &mut |expression| {
        for_each_subquery_mut(expression, &mut |subquery| visit(&mut subquery.relation));
    });
}

/// Calls `visit` with each outermost subquery of an expression. Those in the predicate of an ANY or ALL, which stands in
/// the enclosing query as much as the subquery does, are visited before the subquery itself.
pub(crate) fn for_each_subquery<'a>(expression: &'a Expression, visit: &mut dyn FnMut(&'a Subquery)) {
    match &expression.kind {
        ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => {}
        ExpressionKind::Call(_, arguments) => arguments.iter().for_each(|argument| for_each_subquery(argument, visit)),
        ExpressionKind::Element(_, code) => for_each_subquery(code, visit),
        ExpressionKind::Subquery(subquery) => {
            if let SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) = &subquery.kind {
                for_each_subquery(predicate, visit);
            }
            visit(subquery);
        }
    }
}

/// As [`for_each_subquery`], to be changed in place.
pub(crate) fn for_each_subquery_mut(expression: &mut Expression, visit: &mut dyn FnMut(&mut Subquery)) {
    match &mut expression.kind {
        ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => {}
        ExpressionKind::Call(_, arguments) => {
            arguments.iter_mut().for_each(|argument| for_each_subquery_mut(argument, visit));
        }
        ExpressionKind::Element(_, code) => for_each_subquery_mut(code, visit),
        ExpressionKind::Subquery(subquery) => {
            if let SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) = &mut subquery.kind {
                for_each_subquery_mut(predicate, visit);
            }
            visit(subquery);
        }
    }
}

/// Whether an expression holds a subquery.
pub(crate) fn has_subquery(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => false,
        ExpressionKind::Call(_, arguments) => arguments.iter().any(has_subquery),
        ExpressionKind::Element(_, code) => has_subquery(code),
        ExpressionKind::Subquery(_) => true,
    }
}

/// Puts `replacement(column)` in the place of each column for which there is one, within subqueries, too.
pub(crate) fn substitute(expression: &mut Expression, replacement: &dyn Fn(ColumnId) -> Option<Expression>) {
    match &mut expression.kind {
        ExpressionKind::Column(id) => {
            if let Some(mut new) = replacement(*id) {
                new.position = new.position.or(expression.position);
                *expression = new;
            }
        }
        ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => {}
        ExpressionKind::Call(_, arguments) => {
            arguments.iter_mut().for_each(|argument| substitute(argument, replacement));
        }
        ExpressionKind::Element(_, code) => substitute(code, replacement),
        ExpressionKind::Subquery(subquery) => {
            if let SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) = &mut subquery.kind {
                substitute(predicate, replacement);
            }
            substitute_in(&mut subquery.relation, replacement);
        }
    }
}

/// [`substitute`] in all expressions of a tree. Trees that mention no such column stay shared and untouched.
pub(crate) fn substitute_in(relation: &mut Arc<Relation>, replacement: &dyn Fn(ColumnId) -> Option<Expression>) {
    let mut mentioned = false;
    for_each_column_in(relation, &mut |id| mentioned |= replacement(id).is_some());
    if !mentioned {
        return;
    }
    let relation = Arc::make_mut(relation);
    for_each_expression_mut(relation, &mut |expression| substitute(expression, replacement));
    for_each_input_mut(relation, &mut |input| substitute_in(input, replacement));
}

/// The column that an expression is, if it is nothing but one.
pub(crate) fn as_column(expression: &Expression) -> Option<ColumnId> {
    if let ExpressionKind::Column(id) = expression.kind { Some(id) } else { None }
}

/// The two arguments of a call of `function`.
pub(crate) fn as_binary(
    expression: &Expression,
    function: crate::function::Function,
) -> Option<(&Expression, &Expression)> {
    match &expression.kind {
        ExpressionKind::Call(found, arguments) if *found == function => match &arguments[..] {
            [a, b] => Some((a, b)),
            _ => None,
        },
        _ => None,
    }
}

/// The conjuncts of a condition, borrowed; none for TRUE.
pub(crate) fn conjuncts(condition: &Expression) -> Vec<&Expression> {
    fn add<'a>(condition: &'a Expression, all: &mut Vec<&'a Expression>) {
        match &condition.kind {
            ExpressionKind::Call(crate::function::Function::And, arguments) => {
                arguments.iter().for_each(|argument| add(argument, all));
            }
            ExpressionKind::Constant(value) if value.is_true() => {}
            _ => all.push(condition),
        }
    }
    let mut all = Vec::new();
    add(condition, &mut all);
    all
}
