//! What evaluating an expression may do besides giving a value. Sharper than `function_effects`, because
//! constant arguments are known here: `LIKE 'PROMO%'` cannot fail, `LIKE pattern` can.

use super::unique::{is_unique_key, join_key};
use super::visit::{for_each_expression, for_each_input};
use super::{
    AggregateCall, AggregateFunction, Expression, ExpressionKind, Relation, Subquery, SubqueryKind, WindowCallee,
};
use crate::function::{Effects, Function};
use crate::multiloop::reduction::Gather;
use crate::multiloop::scalar::function_effects;
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;

/// The effects of an expression, its arguments and subqueries included.
pub(crate) fn effects(expression: &Expression) -> Effects {
    effects_and_bounds(expression).0
}

/// The least and the greatest value, in the unit of a type.
type Bounds = Option<(i128, i128)>;

/// The effects of an expression, and the values that it may have: both in one walk, because whether arithmetic may fail depends on
/// the bounds of its arguments.
fn effects_and_bounds(expression: &Expression) -> (Effects, Bounds) {
    let effects = match &expression.kind {
        ExpressionKind::Constant(Value::Int(value)) => {
            return (Effects::PURE, Some((i128::from(*value), i128::from(*value))));
        }
        ExpressionKind::Constant(Value::Decimal(value)) => return (Effects::PURE, Some((*value, *value))),
        ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => Effects::PURE,
        ExpressionKind::Call(function, arguments) => {
            let (mut all, mut of_arguments) = (Effects::PURE, [None, None]);
            for (at, argument) in arguments.iter().enumerate() {
                let (effects, bounds) = effects_and_bounds(argument);
                all = all.and(effects);
                if let Some(of_argument) = of_arguments.get_mut(at) {
                    *of_argument = bounds;
                }
            }
            let own = call_effects(*function, arguments, of_arguments, expression.data_type);
            let bounds = interval(*function, of_arguments).or_else(|| expression.data_type.integer_bounds());
            return (own.and(all), bounds);
        }
        ExpressionKind::Element(_, code) => self::effects(code),
        ExpressionKind::Subquery(subquery) => subquery_effects(subquery),
    };
    (effects, expression.data_type.integer_bounds())
}

/// The same without what is evaluated once for all rows, if none of its subqueries reads them: the rows of subqueries, and
/// whether a scalar one has one row.
pub(crate) fn effects_by_row(expression: &Expression) -> Effects {
    match &expression.kind {
        ExpressionKind::Call(function, arguments) => {
            let own = call_effects(*function, arguments, bounds_of(arguments), expression.data_type);
            arguments.iter().fold(own, |all, argument| all.and(effects_by_row(argument)))
        }
        ExpressionKind::Subquery(subquery) => match &subquery.kind {
            SubqueryKind::Scalar(_) | SubqueryKind::Exists => Effects::PURE,
            SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => effects(predicate),
        },
        _ => effects(expression),
    }
}

/// Whether evaluating an expression can neither fail nor vary.
pub(crate) fn is_pure(expression: &Expression) -> bool {
    effects(expression).is_pure()
}

fn call_effects(function: Function, arguments: &[Expression], bounds: [Bounds; 2], result: DataType) -> Effects {
    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
    let mut own = function_effects(function, &types, result);
    if own.may_fail && is_total_for(function, arguments, bounds, result) {
        own.may_fail = false;
    }
    own
}

/// Whether a function that may fail cannot for these arguments.
fn is_total_for(function: Function, arguments: &[Expression], bounds: [Bounds; 2], result: DataType) -> bool {
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
        // The result's type holds every value that the arguments' types allow.
        Function::Add | Function::Subtract | Function::Multiply | Function::Negate => fits(function, bounds, result),
        Function::Divide | Function::Modulo => {
            arguments[0].data_type.is_integer() && matches!(constant(1), Some(Value::Int(divisor)) if *divisor > 0)
        }
        _ => false,
    }
}

fn fits(function: Function, arguments: [Bounds; 2], result: DataType) -> bool {
    let value = interval(function, arguments);
    value.zip(result.integer_bounds()).is_some_and(|((low, high), (min, max))| low >= min && high <= max)
}

/// The values that a call may have, in the unit of its result, from those of its first two arguments.
/// None where it has no such bounds.
fn interval(function: Function, [a, b]: [Bounds; 2]) -> Bounds {
    let a = a?;
    match function {
        Function::Add => Some((a.0.checked_add(b?.0)?, a.1.checked_add(b?.1)?)),
        Function::Subtract => Some((a.0.checked_sub(b?.1)?, a.1.checked_sub(b?.0)?)),
        Function::Negate => Some((a.1.checked_neg()?, a.0.checked_neg()?)),
        Function::Multiply => {
            let b = b?;
            let corners = [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
            Some((corners.into_iter().min()?, corners.into_iter().max()?))
        }
        _ => None,
    }
}

fn bounds(expression: &Expression) -> Bounds {
    match &expression.kind {
        ExpressionKind::Constant(Value::Int(value)) => Some((i128::from(*value), i128::from(*value))),
        ExpressionKind::Constant(Value::Decimal(value)) => Some((*value, *value)),
        ExpressionKind::Call(function, arguments) => {
            interval(*function, bounds_of(arguments)).or_else(|| expression.data_type.integer_bounds())
        }
        _ => expression.data_type.integer_bounds(),
    }
}

/// Those of the first two arguments.
fn bounds_of(arguments: &[Expression]) -> [Bounds; 2] {
    [arguments.first().and_then(bounds), arguments.get(1).and_then(bounds)]
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
        let may_fail = aggregates.iter().any(|(_, call)| aggregate_may_fail(call));
        all = all.and(Effects { may_fail, volatile: false });
    }
    if let Relation::Window { functions, .. } = relation {
        let may_fail = functions.iter().any(|(_, call)| match &call.callee {
            WindowCallee::Function(function, ..) => function.may_fail(),
            WindowCallee::Aggregate(call) => aggregate_may_fail(call),
        });
        all = all.and(Effects { may_fail, volatile: false });
    }
    for_each_input(relation, &mut |input| all = all.and(relation_effects(input)));
    all
}

/// More rows than any table has.
const ROWS_MAX: i128 = 1 << 48;

fn aggregate_may_fail(call: &AggregateCall) -> bool {
    let Some(argument) = &call.argument else { return false };
    match call.function {
        AggregateFunction::CountRows
        | AggregateFunction::Count
        | AggregateFunction::Min
        | AggregateFunction::Max
        | AggregateFunction::BoolAnd
        | AggregateFunction::BoolOr
        | AggregateFunction::Gather(Gather::One { .. }) => false,
        AggregateFunction::Gather(_) => true,
        AggregateFunction::Statistic(kind) => kind.may_fail(),
        AggregateFunction::Sum | AggregateFunction::Average if argument.data_type.is_vector() => false,
        // A sum of floats becomes infinite. Others overflow, unless the type has room for that many rows.
        AggregateFunction::Sum if !argument.data_type.is_float() => !has_room(argument, call.data_type),
        AggregateFunction::Average if !argument.data_type.is_float() => {
            !has_room(argument, average_sum_type(argument.data_type))
        }
        _ => !argument.data_type.is_float(),
    }
}

/// The type in which an average adds up.
pub(crate) fn average_sum_type(argument: DataType) -> DataType {
    match argument {
        DataType::SmallInt | DataType::Integer => DataType::BigInt,
        DataType::BigInt => DataType::decimal(DECIMAL_DIGITS_MAX, 0),
        DataType::Decimal { scale, .. } => DataType::decimal(DECIMAL_DIGITS_MAX, scale),
        DataType::Real => DataType::Double,
        other => match other.vector_of() {
            Some((_, length)) => DataType::vector(DataType::Double, length),
            None => other,
        },
    }
}

/// Whether a sum of more rows than any table has is within a type.
fn has_room(argument: &Expression, sum: DataType) -> bool {
    bounds(argument).zip(sum.integer_bounds()).is_some_and(|((low, high), (min, max))| {
        let (low, high) = (low.min(0).checked_mul(ROWS_MAX), high.max(0).checked_mul(ROWS_MAX));
        low.is_some_and(|low| low >= min) && high.is_some_and(|high| high <= max)
    })
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
        Relation::Expand { input, count, .. } => {
            let one = matches!(&count.kind, ExpressionKind::Constant(Value::Null | Value::Int(..=1)));
            one && at_most_one_row(input)
        }
        // What it compares with is the same for all rows.
        Relation::Filter { input, predicate } => {
            at_most_one_row(input) || is_unique_key(input, &join_key(input, predicate))
        }
        Relation::Project { input, .. }
        | Relation::Window { input, .. }
        | Relation::Sort { input, .. }
        | Relation::Distinct { input } => at_most_one_row(input),
        Relation::With { body, .. } => at_most_one_row(body),
        Relation::Join { kind: crate::join_kind::JoinKind::Semi | crate::join_kind::JoinKind::Anti, left, .. } => {
            at_most_one_row(left)
        }
        Relation::Join {
            kind: crate::join_kind::JoinKind::Inner | crate::join_kind::JoinKind::Left,
            left,
            right,
            ..
        } => at_most_one_row(left) && at_most_one_row(right),
        _ => false,
    }
}
