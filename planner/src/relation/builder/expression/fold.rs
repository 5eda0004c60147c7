//! Constants are folded where they are bound, so that `date '1998-12-01' - interval '90' day` is one literal for
//! everything that follows. What fails is left as it is: whether it is ever evaluated is decided at run time.

use crate::evaluate;
use crate::function::Function;
use crate::relation::strict::{Strictness, strictness};
use crate::relation::{Expression, ExpressionKind};
use crate::types::DataType;
use crate::value::Value;

/// A call, or its value if all its arguments are literals and it has one.
pub(super) fn call(function: Function, arguments: Vec<Expression>, data_type: DataType) -> Expression {
    let position = arguments.iter().find_map(|argument| argument.position);
    let folded = value(function, &arguments, data_type);
    let kind = match folded {
        Some(value) => ExpressionKind::Constant(value),
        None => ExpressionKind::Call(function, arguments),
    };
    Expression { position, ..Expression::new(kind, data_type) }
}

/// The value of a call of literals.
fn value(function: Function, arguments: &[Expression], data_type: DataType) -> Option<Value> {
    let mut values = Vec::with_capacity(arguments.len());
    // A NULL in a strict function spares the other arguments, but for those that are no more than literals: PostgreSQL
    // evaluates these while it plans.
    let is_null = |argument: &Expression| constant(argument).is_some_and(Value::is_null);
    let strict = match strictness(function) {
        Strictness::All => arguments.iter().any(is_null),
        Strictness::First => arguments.first().is_some_and(is_null),
        Strictness::EveryOne | Strictness::None => false,
    };
    if strict && !arguments.iter().any(is_failing_literal) {
        return Some(Value::Null);
    }
    for argument in arguments {
        let ExpressionKind::Constant(value) = &argument.kind else { return None };
        values.push(value.clone());
    }
    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
    evaluate::fold(function, &values, &types, data_type)
}

/// Whether this is a call of literals alone: it has no value, or it would be one.
fn is_failing_literal(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Call(function, _) if !function.is_immutable() => false,
        ExpressionKind::Call(_, arguments) => {
            arguments.iter().all(|argument| constant(argument).is_some() || is_failing_literal(argument))
        }
        _ => false,
    }
}

/// The value of a literal; none for anything else.
pub(super) fn constant(expression: &Expression) -> Option<&Value> {
    if let ExpressionKind::Constant(value) = &expression.kind { Some(value) } else { None }
}
