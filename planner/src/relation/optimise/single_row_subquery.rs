//! Simplifies subqueries of at most one row.
//!
//! ```text
//! exists (select … [group by …] [order by …] [limit 1])   =   exists (what that goes over)
//! exists (select … where p)         =   p is true
//! x op any (select y where p)       =   case when p then x op y else false end
//! (select y where p)                =   case when p then y end
//! ```
//!
//! The last three have no FROM: their only row is the enclosing query's. `EXISTS (SELECT 1 WHERE EXISTS (…))` would
//! otherwise be a block in a block, which nothing unnests.
//!
//! NULLs: a WHERE keeps TRUE only, and so do IS TRUE and CASE. Errors: what EXISTS does not ask is not evaluated, the rest
//! is evaluated where it was, in the same order. A subquery that is volatile stays: it is evaluated once a statement.

use crate::function::Function;
use crate::relation::effects::{effects, relation_effects};
use crate::relation::visit::{has_subquery, substitute};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, Subquery, SubqueryKind};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

/// Simplifies a subquery, which may become an expression of the enclosing query's.
pub(super) fn simplify_subquery(expression: &mut Expression) {
    let ExpressionKind::Subquery(subquery) = &mut expression.kind else { return };
    if matches!(subquery.kind, SubqueryKind::Exists) {
        strip(&mut subquery.relation);
    }
    if let Some(value) = of_single_row(subquery) {
        *expression = value.at(expression.position);
    }
}

/// Takes off what does not change whether there is a row.
fn strip(relation: &mut Arc<Relation>) {
    loop {
        let below = match &**relation {
            Relation::Project { input, .. } | Relation::Sort { input, .. } | Relation::Distinct { input } => input,
            Relation::Aggregate { input, keys, .. } if !keys.is_empty() => input,
            Relation::Limit { input, limit: Some(limit), offset: None }
                if matches!(limit.kind, ExpressionKind::Constant(Value::Int(1..))) =>
            {
                input
            }
            _ => return,
        };
        *relation = Arc::clone(below);
    }
}

/// The value of a subquery without FROM.
fn of_single_row(subquery: &Subquery) -> Option<Expression> {
    let (columns, conjuncts) = parts(&subquery.relation)?;
    if relation_effects(&subquery.relation).volatile {
        return None;
    }
    let passes = Expression::and(conjuncts);
    let value = match &subquery.kind {
        SubqueryKind::Exists => return Some(is_true(passes)),
        SubqueryKind::All(_) => return None,
        SubqueryKind::Scalar(column) => columns.iter().find(|(id, _)| id == column)?.1.clone(),
        // A subquery in a column could come to stand in two places, with the same columns.
        SubqueryKind::Any(predicate)
            if effects(predicate).volatile || columns.iter().any(|(_, value)| has_subquery(value)) =>
        {
            return None;
        }
        SubqueryKind::Any(predicate) => {
            let mut predicate = predicate.clone();
            substitute(&mut predicate, &|id| {
                columns.iter().find(|(made, _)| *made == id).map(|(_, value)| value.clone())
            });
            predicate
        }
    };
    if matches!(passes.kind, ExpressionKind::Constant(Value::Boolean(true))) {
        return Some(value);
    }
    let data_type = value.data_type;
    let otherwise = match subquery.kind {
        SubqueryKind::Any(_) => Expression::boolean(false),
        _ => Expression::new(ExpressionKind::Constant(Value::Null), data_type),
    };
    Some(Expression::call(Function::Case, vec![passes, value, otherwise], data_type))
}

type Columns = Vec<(ColumnId, Expression)>;

/// What a query without FROM shows, and its conditions in order.
fn parts(relation: &Arc<Relation>) -> Option<(Columns, Vec<Expression>)> {
    let (mut below, columns) = match &**relation {
        Relation::Project { input, columns } => (input, columns.clone()),
        _ => (relation, Columns::new()),
    };
    let mut conditions = Vec::new();
    while let Relation::Filter { input, predicate } = &**below {
        conditions.push(predicate.clone());
        below = input;
    }
    conditions.reverse();
    let single = matches!(&**below, Relation::Values { columns, rows } if columns.is_empty() && rows.len() == 1);
    single.then_some((columns, conditions))
}

/// Whether a condition passes.
fn is_true(condition: Expression) -> Expression {
    match condition.kind {
        ExpressionKind::Call(Function::And, parts) => Expression::and(parts.into_iter().map(is_true)),
        _ if is_known(&condition) => condition,
        _ => Expression::call(Function::IsTrue, vec![condition], DataType::Boolean),
    }
}

/// Whether a condition is never NULL by what it is.
fn is_known(condition: &Expression) -> bool {
    match &condition.kind {
        ExpressionKind::Constant(value) => !value.is_null(),
        ExpressionKind::Subquery(subquery) => matches!(subquery.kind, SubqueryKind::Exists),
        ExpressionKind::Call(Function::Not, arguments) => is_known(&arguments[0]),
        ExpressionKind::Call(function, _) => matches!(
            function,
            Function::IsNull | Function::IsNotNull | Function::IsTrue | Function::IsDistinct | Function::IsNotDistinct
        ),
        _ => false,
    }
}
