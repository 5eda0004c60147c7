//! What an expression does with NULLs: which make it NULL, and which keep a predicate from being TRUE.
//! This is what turns outer joins into inner ones.

use super::{ColumnId, Expression, ExpressionKind, SubqueryKind};
use crate::function::{ArrayFunction, Function};

/// Whether a predicate is FALSE or NULL whenever all columns that `is_null` names are NULL.
pub(crate) fn rejects_null(predicate: &Expression, is_null: &dyn Fn(ColumnId) -> bool) -> bool {
    match &predicate.kind {
        ExpressionKind::Call(Function::And, arguments) => {
            arguments.iter().any(|argument| rejects_null(argument, is_null))
        }
        ExpressionKind::Call(Function::Or, arguments) => {
            arguments.iter().all(|argument| rejects_null(argument, is_null))
        }
        ExpressionKind::Call(Function::IsTrue, arguments) => rejects_null(&arguments[0], is_null),
        ExpressionKind::Call(Function::IsNotNull | Function::IsFalse, arguments) => {
            becomes_null(&arguments[0], is_null)
        }
        ExpressionKind::Constant(value) => !value.is_true(),
        // TRUE needs a row of the subquery for which the predicate is TRUE.
        ExpressionKind::Subquery(subquery) => {
            matches!(&subquery.kind, SubqueryKind::Any(predicate) if rejects_null(predicate, is_null))
        }
        _ => becomes_null(predicate, is_null),
    }
}

/// Whether an expression is NULL whenever all columns that `is_null` names are NULL.
pub(crate) fn becomes_null(expression: &Expression, is_null: &dyn Fn(ColumnId) -> bool) -> bool {
    match &expression.kind {
        ExpressionKind::Column(id) => is_null(*id),
        ExpressionKind::Constant(value) => value.is_null(),
        ExpressionKind::Parameter(_) | ExpressionKind::Subquery(_) => false,
        ExpressionKind::Element(_, code) => becomes_null(code, is_null),
        ExpressionKind::Call(function, arguments) => match strictness(*function) {
            Strictness::All => arguments.iter().any(|argument| becomes_null(argument, is_null)),
            Strictness::First => arguments.first().is_some_and(|argument| becomes_null(argument, is_null)),
            Strictness::EveryOne => {
                !arguments.is_empty() && arguments.iter().all(|argument| becomes_null(argument, is_null))
            }
            Strictness::None => false,
        },
    }
}

/// Which NULL arguments make a call NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Any one of them.
    All,
    /// The first.
    First,
    /// All of them together.
    EveryOne,
    /// None for certain.
    None,
}

/// Which NULL arguments make a call of this function NULL.
pub(crate) fn strictness(function: Function) -> Strictness {
    use ArrayFunction as A;
    use Function as F;
    match function {
        F::And | F::Or | F::Coalesce | F::Greatest | F::Least => Strictness::EveryOne,
        F::NullIf | F::InList | F::ConcatWithSeparator | F::Format | F::Lambda(_) => Strictness::First,
        F::IsDistinct
        | F::IsNotDistinct
        | F::IsNull
        | F::IsNotNull
        | F::IsTrue
        | F::IsFalse
        | F::Case
        | F::ConcatSkipNull
        | F::Random
        | F::Clock => Strictness::None,
        F::Array(A::Position | A::Positions | A::Remove | A::Replace | A::Join | A::Split, _) => Strictness::First,
        each if each.sees_nulls() => Strictness::None,
        _ => Strictness::All,
    }
}
