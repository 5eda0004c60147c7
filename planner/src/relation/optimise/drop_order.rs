//! Removes work on order and duplicates that has no effect: sorts below an operator that forgets order, DISTINCT over rows that
//! are distinct already, and projections computed for rows that a LIMIT drops.
//!
//! ```text
//! Aggregate (Sort x)     =  Aggregate x          likewise below joins, set operations, DISTINCT and subqueries
//! Distinct x             =  x                    if the columns of x hold a unique key
//! Limit (Project e x)    =  Project e (Limit x)  so that Limit meets the Sort below, and e is computed less often
//! Limit n (x UNION ALL y)  =  Limit n (Limit n x UNION ALL Limit n y)     so that what feeds x and y can stop, too
//! ```
//!
//! Errors: each evaluates expressions for fewer rows, never for more. Volatile expressions may vanish with
//! their rows, but none is evaluated twice.

use crate::multiloop::reduction::Gather;
use crate::relation::column_set::ColumnSet;
use crate::relation::unique::is_unique;
use crate::relation::visit::{
    for_each_expression_mut, for_each_input_mut, for_each_subquery_mut, nothing, rewrite, take,
};
use crate::relation::{
    AggregateCall, AggregateFunction, ColumnId, CteId, Expression, ExpressionKind, Relation, SetKind,
};
use crate::value::Value;
use std::sync::Arc;

/// Drops what nobody sees; `ordered` says whether the order of this tree's rows is seen.
pub(super) fn drop_order(relation: &mut Arc<Relation>, ordered: bool) {
    drop_unseen(relation, ordered, &mut Vec::new());
}

/// `read_in_order`: CTEs that have been found to be read where their rows' order is seen.
fn drop_unseen(relation: &mut Arc<Relation>, ordered: bool, read_in_order: &mut Vec<CteId>) {
    loop {
        let drop = match &**relation {
            Relation::Sort { .. } => !ordered,
            Relation::Distinct { input } => {
                let columns: ColumnSet = input.columns().into_iter().collect();
                is_unique(input, &columns)
            }
            _ => false,
        };
        if !drop {
            break;
        }
        rewrite(relation, |relation| match relation {
            Relation::Sort { input, .. } | Relation::Distinct { input } => take(input),
            other => other,
        });
    }
    if matches!(&**relation, Relation::Limit { .. }) {
        rewrite(relation, push_limit_into_project);
    }
    let relation = Arc::make_mut(relation);
    let below = match relation {
        // Whoever numbers rows without an order, or leaves some tied, is shown that of its input.
        Relation::Limit { .. } | Relation::Window { .. } => true,
        // What gathers rows as they come shows their order.
        Relation::Aggregate { aggregates, .. } => aggregates.iter().any(|(_, call)| gathers_in_order(call)),
        Relation::Project { .. } | Relation::Expand { .. } | Relation::Filter { .. } | Relation::With { .. } => ordered,
        _ => false,
    };
    match relation {
        // A CTE that is read several times keeps the order in which one of its readers shows it.
        Relation::With { cte, definition, body } => {
            drop_unseen(body, below, read_in_order);
            drop_unseen(definition, read_in_order.contains(cte), read_in_order);
        }
        Relation::CteScan { cte, .. } if ordered => read_in_order.push(*cte),
        _ => for_each_input_mut(relation, &mut |input| drop_unseen(input, below, read_in_order)),
    }
    for_each_expression_mut(relation, &mut |expression| {
        for_each_subquery_mut(expression, &mut |subquery| drop_unseen(&mut subquery.relation, false, read_in_order));
    });
}

fn gathers_in_order(call: &AggregateCall) -> bool {
    match call.function {
        AggregateFunction::Gather(how) => how == Gather::Arrived,
        AggregateFunction::Statistic(kind) => kind.is_order_sensitive(),
        _ => false,
    }
}

fn push_limit_into_project(relation: Relation) -> Relation {
    let Relation::Limit { input, limit, offset } = relation else { return relation };
    if matches!(&limit, Some(Expression { kind: ExpressionKind::Constant(Value::Int(0)), .. })) {
        return Relation::Values { columns: input.columns(), rows: Vec::new() };
    }
    match &*input {
        Relation::Project { .. } => match take(input) {
            Relation::Project { input, columns } => {
                let below = push_limit_into_project(Relation::Limit { input, limit, offset });
                Relation::Project { input: Arc::new(below), columns }
            }
            _ => nothing(),
        },
        Relation::SetOperation { kind: SetKind::Union, all: true, .. } => {
            Relation::Limit { input: limit_terms(input, limit.as_ref(), offset.as_ref()), limit, offset }
        }
        _ => Relation::Limit { input, limit, offset },
    }
}

/// A UNION ALL of which each term gives no more rows than are asked of all: only if that is a constant. Terms that are unions
/// themselves, or projections, hand it on once it is their turn.
fn limit_terms(input: Arc<Relation>, limit: Option<&Expression>, offset: Option<&Expression>) -> Arc<Relation> {
    let rows = |bound: Option<&Expression>| match bound.map(|bound| &bound.kind) {
        Some(ExpressionKind::Constant(Value::Int(rows))) if *rows >= 0 => Some(*rows),
        Some(_) => None,
        None => Some(0),
    };
    let most = limit.and_then(|limit| rows(Some(limit))?.checked_add(rows(offset)?));
    let (Some(most), Some(limit)) = (most, limit) else { return input };
    let bound = Expression { kind: ExpressionKind::Constant(Value::Int(most)), ..limit.clone() };
    let term = |(input, columns): (Arc<Relation>, Vec<ColumnId>)| {
        let is_limited = matches!(&*input, Relation::Limit { .. } | Relation::Values { .. });
        let limited =
            || Arc::new(Relation::Limit { input: Arc::clone(&input), limit: Some(bound.clone()), offset: None });
        (if is_limited { Arc::clone(&input) } else { limited() }, columns)
    };
    match take(input) {
        Relation::SetOperation { kind, all, columns, left, right } => {
            Arc::new(Relation::SetOperation { kind, all, columns, left: term(left), right: term(right) })
        }
        other => Arc::new(other),
    }
}
