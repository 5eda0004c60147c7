//! What evaluating an expression may do besides giving a value. Sharper than `function_effects`, because
//! constant arguments are known here: `LIKE 'PROMO%'` cannot fail, `LIKE pattern` can.

use super::visit::{for_each_expression, for_each_input};
use super::{AggregateFunction, Expression, ExpressionKind, Relation, Subquery, SubqueryKind};
use crate::function::{Effects, Function};
use crate::multiloop::scalar::function_effects;
use crate::types::DataType;
use crate::value::Value;

/// The effects of an expression, its arguments and subqueries included.
pub(crate) fn effects(expression: &Expression) -> Effects {
    match &expression.kind {
        ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => Effects::PURE,
        ExpressionKind::Call(function, arguments) => {
            let own = call_effects(*function, arguments, expression.data_type);
            arguments.iter().fold(own, |all, argument| all.and(effects(argument)))
        }
        ExpressionKind::Subquery(subquery) => subquery_effects(subquery),
    }
}

/// Whether evaluating an expression can neither fail nor vary.
pub(crate) fn is_pure(expression: &Expression) -> bool {
    effects(expression).is_pure()
}

fn call_effects(function: Function, arguments: &[Expression], result: DataType) -> Effects {
    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
    let mut own = function_effects(function, &types, result);
    if own.may_fail && is_total_for(function, arguments) {
        own.may_fail = false;
    }
    own
}

/// Whether a function that may fail cannot for these arguments.
fn is_total_for(function: Function, arguments: &[Expression]) -> bool {
    let constant = |at: usize| match arguments.get(at).map(|argument| &argument.kind) {
        Some(ExpressionKind::Constant(value)) => Some(value),
        _ => None,
    };
    match function {
        Function::Like | Function::ILike => {
            let escape = match arguments.len() {
                2 => Some('\\'),
                _ => match constant(2) {
                    Some(Value::Text(text)) if text.chars().count() <= 1 => text.chars().next(),
                    _ => return false,
                },
            };
            matches!(constant(1), Some(Value::Text(pattern)) if !ends_in_escape(pattern, escape))
        }
        Function::Substring => matches!(constant(2), Some(Value::Int(count)) if *count >= 0),
        Function::Divide | Function::Modulo => {
            arguments[0].data_type.is_integer() && matches!(constant(1), Some(Value::Int(divisor)) if *divisor > 0)
        }
        _ => false,
    }
}

fn ends_in_escape(pattern: &str, escape: Option<char>) -> bool {
    let Some(escape) = escape else { return false };
    let mut escaped = false;
    for character in pattern.chars() {
        escaped = !escaped && character == escape;
    }
    escaped
}

fn subquery_effects(subquery: &Subquery) -> Effects {
    let own = match &subquery.kind {
        SubqueryKind::Scalar(_) => Effects { may_fail: !at_most_one_row(&subquery.relation), volatile: false },
        SubqueryKind::Exists => Effects::PURE,
        SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => effects(predicate),
    };
    own.and(relation_effects(&subquery.relation))
}

/// The effects of computing the rows of a tree.
pub(crate) fn relation_effects(relation: &Relation) -> Effects {
    let mut all = Effects::PURE;
    for_each_expression(relation, &mut |expression| all = all.and(effects(expression)));
    if let Relation::Aggregate { aggregates, .. } = relation {
        let may_fail = aggregates.iter().any(|(_, call)| {
            // A sum of floats becomes infinite, other sums overflow.
            let sums = !matches!(
                call.function,
                AggregateFunction::CountRows
                    | AggregateFunction::Count
                    | AggregateFunction::Min
                    | AggregateFunction::Max
                    | AggregateFunction::BoolAnd
                    | AggregateFunction::BoolOr
            );
            sums && !call.argument.as_ref().is_some_and(|argument| argument.data_type.is_float())
        });
        all = all.and(Effects { may_fail, volatile: false });
    }
    for_each_input(relation, &mut |input| all = all.and(relation_effects(input)));
    all
}

/// Whether a relation provably has at most one row.
pub(crate) fn at_most_one_row(relation: &Relation) -> bool {
    match relation {
        Relation::Aggregate { keys, input, .. } => keys.is_empty() || at_most_one_row(input),
        Relation::Values { rows, .. } => rows.len() <= 1,
        Relation::Limit { input, limit, .. } => {
            let one = limit
                .as_ref()
                .is_some_and(|limit| matches!(&limit.kind, ExpressionKind::Constant(Value::Int(count)) if *count <= 1));
            one || at_most_one_row(input)
        }
        Relation::Filter { input, .. }
        | Relation::Project { input, .. }
        | Relation::Sort { input, .. }
        | Relation::Distinct { input } => at_most_one_row(input),
        Relation::With { body, .. } => at_most_one_row(body),
        Relation::Join { kind: super::JoinKind::Semi | super::JoinKind::Anti, left, .. } => at_most_one_row(left),
        Relation::Join { kind: super::JoinKind::Inner | super::JoinKind::Left, left, right, .. } => {
            at_most_one_row(left) && at_most_one_row(right)
        }
        _ => false,
    }
}
