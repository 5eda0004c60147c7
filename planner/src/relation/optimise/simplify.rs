//! Constant folding and canonical forms, so that the rules that follow see one shape: a comparison has its column
//! on the left, conjunctions and disjunctions are flat, NOT stands on what it cannot enter.
//!
//! NULLs: every rewrite holds in three-valued logic (De Morgan, double negation and NOT over a comparison do,
//! because NULL maps to NULL). Errors: a call of constants is folded only if it succeeds, so `1 / 0` still fails
//! when a row reaches it; what stands before a FALSE in a conjunction stays unless it is pure.

use super::single_row_subquery::simplify_subquery;
use crate::evaluate;
use crate::function::{Function, mirrored};
use crate::relation::effects::is_pure;
use crate::relation::fingerprint::fingerprint;
use crate::relation::strict::{Strictness, strictness};
use crate::relation::visit::{for_each_expression_mut, for_each_input_mut};
use crate::relation::{Expression, ExpressionKind, Relation, SubqueryKind};
use crate::types::DataType;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Simplifies all expressions of a tree and of the subqueries in it.
pub(crate) fn simplify_tree(relation: &mut Arc<Relation>) {
    let relation = Arc::make_mut(relation);
    for_each_expression_mut(relation, &mut simplify);
    for_each_input_mut(relation, &mut simplify_tree);
}

/// Simplifies an expression, from the leaves up.
pub(crate) fn simplify(expression: &mut Expression) {
    match &mut expression.kind {
        ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => return,
        ExpressionKind::Subquery(subquery) => {
            if let SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) = &mut subquery.kind {
                simplify(predicate);
            }
            simplify_tree(&mut subquery.relation);
            return simplify_quantified(expression);
        }
        ExpressionKind::Element(_, code) => return simplify(code),
        ExpressionKind::Call(_, arguments) => arguments.iter_mut().for_each(simplify),
    }
    if fold(expression) {
        return;
    }
    let ExpressionKind::Call(function, arguments) = &mut expression.kind else { return };
    match function {
        Function::And => junction(expression, Function::And),
        Function::Or => junction(expression, Function::Or),
        Function::Not => negation(expression),
        Function::Equal
        | Function::NotEqual
        | Function::Less
        | Function::LessEqual
        | Function::Greater
        | Function::GreaterEqual
            if is_fixed(&arguments[0]) && !is_fixed(&arguments[1]) =>
        {
            arguments.swap(0, 1);
            *function = mirrored(*function);
        }
        Function::Cast if arguments[0].data_type == expression.data_type => {
            *expression = arguments.swap_remove(0);
        }
        _ => {}
    }
}

/// `x < ALL (…)` becomes NOT `x >= ANY (…)`: what is NULL is so in both. Then less of the subquery may matter.
fn simplify_quantified(expression: &mut Expression) {
    if let ExpressionKind::Subquery(subquery) = &mut expression.kind
        && let SubqueryKind::All(predicate) = &mut subquery.kind
        && let ExpressionKind::Call(function, _) = &mut predicate.kind
        && let Some(opposite) = opposite(*function)
    {
        *function = opposite;
        subquery.kind = SubqueryKind::Any(predicate.clone());
        let mut any = std::mem::replace(expression, Expression::boolean(true));
        simplify_subquery(&mut any);
        *expression = Expression::call(Function::Not, vec![any], DataType::Boolean);
        return;
    }
    simplify_subquery(expression);
}

/// Replaces a call by its value if that is known. Whether it did.
fn fold(expression: &mut Expression) -> bool {
    let ExpressionKind::Call(function, arguments) = &expression.kind else { return false };
    if function.is_volatile() {
        return false;
    }
    let null = |argument: &Expression| matches!(argument.kind, ExpressionKind::Constant(Value::Null));
    if strictness(*function) == Strictness::All && arguments.iter().any(null) && arguments.iter().all(is_pure) {
        *expression = replaced(expression, Value::Null);
        return true;
    }
    let mut values = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let ExpressionKind::Constant(value) = &argument.kind else { return false };
        values.push(value.clone());
    }
    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
    match evaluate::fold(*function, &values, &types, expression.data_type) {
        Some(value) => {
            *expression = replaced(expression, value);
            true
        }
        None => false,
    }
}

fn replaced(expression: &Expression, value: Value) -> Expression {
    Expression { position: expression.position, ..Expression::constant(value, expression.data_type) }
}

/// A constant or a parameter: the same for every row.
fn is_fixed(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Constant(_) | ExpressionKind::Parameter(_))
}

/// The test that is TRUE where this one is FALSE, and NULL where it is NULL.
fn opposite(function: Function) -> Option<Function> {
    Some(match function {
        Function::Equal => Function::NotEqual,
        Function::NotEqual => Function::Equal,
        Function::Less => Function::GreaterEqual,
        Function::LessEqual => Function::Greater,
        Function::Greater => Function::LessEqual,
        Function::GreaterEqual => Function::Less,
        Function::IsNull => Function::IsNotNull,
        Function::IsNotNull => Function::IsNull,
        Function::IsDistinct => Function::IsNotDistinct,
        Function::IsNotDistinct => Function::IsDistinct,
        _ => return None,
    })
}

/// Flattens AND or OR, drops what decides nothing and what is there twice, and cuts off behind what decides all.
fn junction(expression: &mut Expression, function: Function) {
    let neutral = function == Function::And;
    let ExpressionKind::Call(_, arguments) = &mut expression.kind else { return };
    let mut flat: Vec<Expression> = Vec::with_capacity(arguments.len());
    for argument in std::mem::take(arguments) {
        match argument.kind {
            ExpressionKind::Call(inner, inner_arguments) if inner == function => flat.extend(inner_arguments),
            _ => flat.push(argument),
        }
    }
    let mut kept: Vec<Expression> = Vec::with_capacity(flat.len());
    // Where those kept stand, by their fingerprints.
    let mut seen: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for argument in flat {
        let alike = seen.entry(fingerprint(&argument)).or_default();
        match &argument.kind {
            ExpressionKind::Constant(Value::Boolean(value)) if *value == neutral => continue,
            ExpressionKind::Constant(Value::Boolean(_)) => {
                if kept.iter().all(is_pure) {
                    kept.clear();
                }
                kept.push(argument);
                break;
            }
            _ if alike.iter().any(|&at| kept[at] == argument) && is_pure(&argument) => continue,
            _ => {
                alike.push(kept.len());
                kept.push(argument);
            }
        }
    }
    *expression = match kept.len() {
        0 => Expression::boolean(neutral),
        1 => kept.swap_remove(0),
        _ => {
            let kind = ExpressionKind::Call(function, kept);
            Expression { position: expression.position, ..Expression::new(kind, DataType::Boolean) }
        }
    };
}

/// Moves NOT inwards as far as it goes.
fn negation(expression: &mut Expression) {
    let ExpressionKind::Call(_, outer) = &mut expression.kind else { return };
    let ExpressionKind::Call(function, arguments) = &mut outer[0].kind else { return };
    if let Some(opposite) = opposite(*function) {
        *function = opposite;
        *expression = outer.swap_remove(0);
        return;
    }
    match function {
        Function::Not => *expression = arguments.swap_remove(0),
        Function::And | Function::Or => {
            *function = if *function == Function::And { Function::Or } else { Function::And };
            for argument in arguments.iter_mut() {
                let inner = std::mem::replace(argument, Expression::boolean(true));
                *argument = Expression::call(Function::Not, vec![inner], DataType::Boolean);
                negation(argument);
            }
            *expression = outer.swap_remove(0);
        }
        _ => {}
    }
}
