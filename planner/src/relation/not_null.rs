//! Proofs that a value is never NULL, from declarations, exact statistics, and filters. `NOT IN` may become an
//! anti join only behind such a proof: one NULL on either side changes its answer from TRUE to NULL.

use super::profile::Profiles;
use super::strict::rejects_null;
use super::{AggregateFunction, ColumnId, Expression, ExpressionKind, Relation};
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::multiloop::kept::{Keeps, Step, kept};

/// Whether an expression over the rows of `relation` is provably never NULL.
pub(crate) fn never_null(expression: &Expression, relation: &Relation, profiles: &Profiles) -> bool {
    match &expression.kind {
        ExpressionKind::Column(id) => column_never_null(*id, relation, profiles),
        ExpressionKind::Constant(value) => !value.is_null(),
        ExpressionKind::Parameter(_) | ExpressionKind::Subquery(_) => false,
        ExpressionKind::Element(_, code) => never_null(code, relation, profiles),
        ExpressionKind::Call(function, arguments) => {
            let gives_values = matches!(
                function,
                Function::Cast | Function::Add | Function::Subtract | Function::Multiply | Function::Negate
            );
            gives_values && arguments.iter().all(|argument| never_null(argument, relation, profiles))
        }
    }
}

fn column_never_null(id: ColumnId, relation: &Relation, profiles: &Profiles) -> bool {
    match relation {
        Relation::Scan { columns, .. } => columns.iter().any(|(_, made)| *made == id) && profiles.get(id).not_null,
        Relation::Filter { input, predicate } => {
            rejects_null(predicate, &|column| column == id) || column_never_null(id, input, profiles)
        }
        Relation::Project { input, columns } => columns
            .iter()
            .find(|(made, _)| *made == id)
            .is_some_and(|(_, expression)| never_null(expression, input, profiles)),
        Relation::Expand { input, position, .. } => *position == id || column_never_null(id, input, profiles),
        Relation::Join { kind, left, right, on } => {
            let side = |step: Step, side: &Relation| {
                kept(step).not_null == Keeps::Yes && column_never_null(id, side, profiles)
            };
            // Rows of these have passed the condition.
            let passed = matches!(kind, JoinKind::Inner | JoinKind::Semi);
            passed && rejects_null(on, &|column| column == id)
                || side(Step::Left(*kind), left)
                || side(Step::Right(*kind), right)
        }
        Relation::Aggregate { input, keys, aggregates } => {
            let key = keys.iter().find(|(made, _)| *made == id);
            let counts = aggregates.iter().any(|(made, call)| {
                *made == id && matches!(call.function, AggregateFunction::Count | AggregateFunction::CountRows)
            });
            counts || key.is_some_and(|(_, key)| never_null(key, input, profiles))
        }
        Relation::Distinct { input } | Relation::Sort { input, .. } | Relation::Limit { input, .. } => {
            column_never_null(id, input, profiles)
        }
        Relation::Window { input, functions, .. } => {
            let made = functions.iter().find(|(made, _)| *made == id);
            made.map_or_else(|| column_never_null(id, input, profiles), |(_, call)| !call.may_be_null())
        }
        Relation::With { body, .. } => column_never_null(id, body, profiles),
        Relation::Values { .. }
        | Relation::SetOperation { .. }
        | Relation::Recursive { .. }
        | Relation::CteScan { .. } => false,
    }
}
