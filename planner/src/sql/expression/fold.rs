//! Constants are folded where they are bound, so that `date '1998-12-01' - interval '90' day` is one literal for
//! everything that follows. What fails is left as it is: whether it is ever evaluated is decided at run time.

use crate::evaluate;
use crate::function::Function;
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
    Expression { kind, data_type, position }
}

/// The value of a call of literals.
fn value(function: Function, arguments: &[Expression], data_type: DataType) -> Option<Value> {
    if function == Function::Random {
        return None;
    }
    let mut values = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let ExpressionKind::Constant(value) = &argument.kind else { return None };
        values.push(value.clone());
    }
    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
    evaluate::evaluate(function, &values, &types, data_type).ok().filter(|value| value.fits(data_type))
}

/// The value of a literal; none for anything else.
pub(super) fn constant(expression: &Expression) -> Option<&Value> {
    if let ExpressionKind::Constant(value) = &expression.kind { Some(value) } else { None }
}
